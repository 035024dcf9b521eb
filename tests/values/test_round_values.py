"""One pass for the decisions of a round gives what each decision's own pass gives."""

import numpy as np
import pytest

from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.losses import is_shared
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.expected_values import values_at
from cfr.values.round_values import RoundValues
from tests.thorough import thorough


def spot(strategy, board, line):
    state, cards = strategy.spot(board, line)
    return canonical_spot(strategy, state, cards)[0]


# A flop whose suits are alike in pairs, and one that is its own mirror image.
@pytest.mark.parametrize(
    ("board", "entry", "paths"), [*thorough(("Td9h9d", "rc/", ["", "cr"])), ("Ac8c3c", "crrc/", ["c"])]
)
def test_the_same_as_each_decisions_own_pass(hulhe, board, entry, paths):
    start = spot(hulhe, board, entry)
    shared, heard = RoundValues(hulhe.at(start.state, start.board)), []
    for path in paths:
        state = start.state
        for letter in path:
            state = state.act(letter)
        own = values_at(hulhe, CanonicalSpot(state, start.board), unreached=True).action_ev
        found = shared.action_ev(state, heard.append)
        assert (np.isnan(found) == np.isnan(own)).all()
        np.testing.assert_allclose(found, own, atol=0.02)
    assert heard == sorted(heard)
    assert heard[-1] == 1


@pytest.mark.thorough
def test_all_hands_stand_in_where_the_opponent_never_comes():
    """Against a caller nobody faces a bet."""
    strategy = BuiltIn("always-call")
    start = spot(strategy, "Td9h9d", "cc/r")
    entry = start.state.tree.parse("cc/")
    shared = RoundValues(strategy.at(entry, start.board))
    assert shared.stand_in(entry) is None
    assert shared.stand_in(start.state) == "presumed range"
    own = values_at(strategy, start, unreached=True)
    assert own.stand_in == "presumed range"
    np.testing.assert_allclose(shared.action_ev(start.state), own.action_ev, atol=0.02)
    # Before the bet nothing of what follows it counts.
    before = CanonicalSpot(entry, start.board)
    np.testing.assert_allclose(
        shared.action_ev(entry), values_at(strategy, before, unreached=True).action_ev, atol=0.02
    )


def test_only_flops_are_shared(hulhe):
    for board, line, expected in [("Td9h9d", "rc/", True), ("Td9h9d2c", "rc/cc/", False), ("", "r", False)]:
        assert is_shared(hulhe, hulhe.spot(board, line)[0]) == expected


def test_what_progress_raises_ends_the_pass(hulhe):
    start = spot(hulhe, "Ac8c3c", "rc/")

    def stop(share):
        raise KeyboardInterrupt

    shared = RoundValues(hulhe.at(start.state, start.board))
    with pytest.raises(KeyboardInterrupt):
        shared.action_ev(start.state, stop)
