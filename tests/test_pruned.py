"""What follows the first round is read and kept only where it is met."""

import numpy as np

from cfr.opening import Opening
from cfr.plans import source_of
from cfr.pruned import prune
from cfr.strategy import BuiltIn
from cfr.traversal import layout
from tests.small_games import short_deck

GAME = short_deck("three rounds", 2, 4, (0, 3, 1), (2, 2, 1))


def test_tables_hold_the_lines_that_are_met_and_are_shared_where_they_are_alike():
    tree = layout(GAME, np.float64)

    def tables(name):
        source = source_of(BuiltIn(name, GAME))
        both = source, source
        opening = Opening(tree, both, np.float64)
        return [each.tables for each in prune(tree, [both, both], [opening, opening], np.float64)]

    def size(rounds):
        return sum(table.nbytes for pair in rounds for table in pair)

    alike, also = tables("uniform")
    assert alike is also
    for met in tables("always-call"):
        assert 0 < size(met) < size(alike)
    assert tables("always-fold")[0] == []  # the button never comes anywhere


def test_lines_that_either_player_never_takes_are_left_out_of_averages():
    tree = layout(GAME, np.float64)
    caller, everything = (source_of(BuiltIn(name, GAME)) for name in ("always-call", "uniform"))
    seated = [(caller, everything), (everything, caller)]
    openings = [Opening(tree, both, np.float64) for both in seated]
    best = prune(tree, seated, openings, np.float64)
    average = prune(tree, seated, openings, np.float64, mutual=True)
    for opening, whole, part in zip(openings, best, average, strict=True):
        assert set(part.leaves) < set(whole.leaves)
        assert set(part.leaves) == set(np.flatnonzero(opening.reach.all(axis=(0, 2))))
