"""The solve of a counter-strategy on sampled boards begins with the blueprint's play."""

import numpy as np
import pytest

from cfr.game.betting_round import ACTIONS
from cfr.kernel.chance import sample_boards
from cfr.opponents import counter, warm_start
from cfr.opponents.counter import Countering
from cfr.opponents.warm_start import weights
from cfr.strategy.files.stored import Strategy


def play_of(solver, path):
    """Per round, what the file that a solve would write now says."""
    solver.save(path, {})
    with Strategy.open(path) as strategy:
        return [strategy.read(r, slice(None)).astype(int) for r in range(strategy.game.num_rounds)]


def test_no_step_is_the_blueprint(hulhe, tmp_path, monkeypatch):
    monkeypatch.setattr(warm_start, "_BOARDS", 1)
    begun = play_of(Countering(hulhe, 0.5, blueprint=hulhe), tmp_path / "x.h5")
    for r, play in enumerate(begun):
        assert np.abs(play - hulhe.read(r, slice(None)).astype(int)).max() <= 1


@pytest.mark.thorough
def test_few_boards_leave_the_blueprint_where_it_was(hulhe, tmp_path, monkeypatch):
    def strays(begun, blueprint):
        """Per round, how far four boards move the play from the blueprint's, in 255ths."""
        monkeypatch.setattr(counter, "_BEGUN", begun)
        solver = Countering(hulhe, 0.5, blueprint=blueprint)
        for _ in range(4):
            solver.step()
        found = play_of(solver, tmp_path / f"{begun}.h5")
        return np.array([np.abs(play - hulhe.read(r, slice(None))).mean() for r, play in enumerate(found)])

    cold, few, many = strays(1, None), strays(5, hulhe), strays(500, hulhe)
    assert (few > 0).all()
    assert (few < 0.5 * cold).all()
    assert (many < 0.1 * few).all()


@pytest.mark.thorough
def test_threads_do_not_change_a_warm_start(hulhe, tmp_path):
    found = []
    for threads in (1, 2, 3):
        solver = Countering(hulhe, 0.5, threads, blueprint=hulhe)
        for _ in range(9):
            solver.step()
        found.append(play_of(solver, tmp_path / f"{threads}.h5"))
    assert all(np.array_equal(one, other) for each in found[1:] for one, other in zip(found[0], each, strict=True))


@pytest.mark.parametrize(
    ("line", "confidence"),
    [("", 1.0), ("rc/", 0.3), ("cr", 1.0), ("crc/rc/", 0.3), ("rc/cc/crr", 1.0), ("cc/crc/cc/r", 1.0)],
)
def test_weights_are_pots_times_chances(hulhe, line, confidence, monkeypatch):
    """Twin: the chance of each action along one line, each strayed from."""
    monkeypatch.setattr(warm_start, "_BOARDS", 1)
    state, game, rounds = hulhe.betting.parse(line), hulhe.game, hulhe.betting.rounds
    numbers = rounds[state.round].action_index[state.node]
    found = weights(hulhe, confidence)[state.round][numbers[numbers >= 0], state.line]
    board = sample_boards(game, 1, np.random.default_rng(0))[0]
    dealt = np.cumsum(game.num_board_cards)
    rows = [hulhe.abstraction.rows(r, np.ascontiguousarray(board[None, :seen]))[0] for r, seen in enumerate(dealt)]
    live, chance, here = rows[-1] >= 0, 1.0, hulhe.betting.root
    for letter in line.replace("/", ""):
        if here.actor != state.actor:
            place = rounds[here.round].action_index[here.node, ACTIONS.index(letter)]
            play = hulhe.read(here.round, slice(None))[:, place, here.line] / 255
            chance = chance * (0.9 * play[rows[here.round][live]] + 0.1 / len(here.legal))
        here = here.act(letter)
    expected = 1 - confidence + confidence * np.mean(chance)
    unseen = 52 - dealt[state.round]
    hands_of_row = unseen * (unseen - 1) / 2 / hulhe.num_rows[state.round]
    assert found == pytest.approx(sum(state.stakes) * expected * hands_of_row, rel=1e-5)
