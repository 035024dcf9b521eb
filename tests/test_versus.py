"""One strategy against another: the slow twin, symmetry, known values, the command."""

import json
import subprocess
import sys

import numpy as np
import pytest

import cfr
from cfr import BuiltIn, Strategy, UnknownSpotError, exploitability, value_against
from cfr.abstraction import Abstraction
from cfr.cards import format_cards
from cfr.game import Game
from cfr.reference import Reference
from tests.conftest import save_random
from tests.small_games import all_boards, short_deck, states

GAME = short_deck("three rounds", 2, 4, (0, 3, 1), (1, 1, 1))
BLIND = ("uniform", "always-call", "always-raise", "call-raise")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two strategies that mix everywhere, in one card abstraction, each hand for itself."""
    folder = tmp_path_factory.mktemp("versus")
    opened = []
    for seed in (1, 2):
        path = folder / f"{seed}.h5"
        save_random(path, GAME, Abstraction.lossless(GAME), seed)
        opened.append(Strategy.open(path))
    yield opened
    for each in opened:
        each.close()


def by_reference(big_blind, button):
    """What the button wins, by the slow twin over all boards and hands, in mbb/g."""
    game = big_blind.game
    reference = Reference(game)
    for state in states(reference.betting):
        strategy = (big_blind, button)[state.actor]
        legal = [letter in state.legal for letter in "fcr"]
        for board in all_boards(game, state.round):
            frequencies = strategy.range(format_cards(board), state.line_string).frequencies
            for hand in np.flatnonzero(frequencies.sum(axis=1) > 0).tolist():
                reference.sums[(state.line_string, board, hand)] = frequencies[hand][legal]
    return float(reference.average(1).sum()) * 1000 / game.big_blind / game.num_hands


def test_equals_the_slow_twin(tmp_path):
    game = short_deck("two rounds", 2, 4, (0, 3), (1, 2))
    strategies = []
    for seed in (1, 2):
        save_random(tmp_path / f"{seed}.h5", game, Abstraction.lossless(game), seed)
        strategies.append(Strategy.open(tmp_path / f"{seed}.h5"))
    for first, second in (strategies, (strategies[0], BuiltIn("call-raise", game))):
        value = value_against(first, second)
        assert value.button_mbb == pytest.approx(by_reference(second, first), rel=1e-9)
        assert value.big_blind_mbb == pytest.approx(-by_reference(first, second), rel=1e-9)
        assert value.mbb_per_game == pytest.approx((value.button_mbb + value.big_blind_mbb) / 2)
    for each in strategies:
        each.close()


def test_what_one_wins_the_other_loses(files):
    for first, second in (files, *((files[0], BuiltIn(name, GAME)) for name in BLIND)):
        there, back = value_against(first, second, threads=2), value_against(second, first)
        assert there.mbb_per_game == pytest.approx(-back.mbb_per_game, abs=1e-9)
        assert there.button_mbb == pytest.approx(-back.big_blind_mbb, abs=1e-9)
        assert there.exact
        assert there.standard_error_mbb == 0


def test_against_itself_it_is_self_play(files):
    value = value_against(files[0], files[0])
    assert value.mbb_per_game == pytest.approx(0, abs=1e-9)
    assert value.button_mbb == pytest.approx(exploitability(files[0]).self_play_button_mbb, rel=1e-9)


def test_nobody_wins_more_than_a_best_response(files):
    best = exploitability(files[1])
    for other in (files[0], *(BuiltIn(name, GAME) for name in BLIND)):
        value = value_against(other, files[1])
        assert value.button_mbb <= best.best_response_button_mbb
        assert value.big_blind_mbb <= best.best_response_big_blind_mbb


def test_players_without_cards():
    caller, folder, raiser = (BuiltIn(name, GAME) for name in ("always-call", "always-fold", "always-raise"))
    # Who folds checks where that is free: it loses the small blind on the button and nothing else.
    assert value_against(caller, folder).big_blind_mbb == pytest.approx(1000 * min(GAME.blinds) / GAME.big_blind)
    assert value_against(caller, folder).button_mbb == pytest.approx(0, abs=1e-9)
    assert value_against(raiser, caller).mbb_per_game == pytest.approx(0, abs=1e-9)
    assert value_against(raiser, folder).button_mbb == pytest.approx(1000)


def test_full_hold_em_of_a_few_flops(hulhe):
    # Buckets on one side only, single precision.
    value, again = (value_against(hulhe, BuiltIn("always-call"), 2, seed=seed) for seed in (0, 0))
    assert value.mbb_per_game == again.mbb_per_game
    assert value.flops == 2
    assert not value.exact
    assert value.standard_error_mbb > 0


def test_samples_cover_the_exact_value(tmp_path):
    game = short_deck("twenty", 4, 5, (0, 3), (1, 1))
    save_random(tmp_path / "x.h5", game, Abstraction.lossless(game), 1)
    errors, claimed = [], []
    with Strategy.open(tmp_path / "x.h5") as strategy:
        exact = value_against(strategy, BuiltIn("always-call", game)).mbb_per_game
        for seed in range(40):
            sampled = value_against(strategy, BuiltIn("always-call", game), 20, seed=seed)
            errors.append(sampled.mbb_per_game - exact)
            claimed.append(sampled.standard_error_mbb)
    assert (np.abs(errors) <= 1.96 * np.array(claimed)).mean() >= 0.85
    assert abs(np.mean(errors)) < 0.4 * np.std(errors)
    assert np.mean(claimed) == pytest.approx(np.std(errors), rel=0.4)


def test_pairs_that_have_no_answer(files, hulhe_file, tmp_path):
    with pytest.raises(UnknownSpotError, match="different games"):
        value_against(files[0], BuiltIn("uniform"))
    with Strategy.open(hulhe_file) as buckets:
        save_random(tmp_path / "x.h5", GAME, Abstraction.lossless(GAME), 3)
        with pytest.raises(UnknownSpotError, match="different games"):
            value_against(files[0], buckets)
    with pytest.raises(UnknownSpotError, match="deals no board"):
        value_against(*[BuiltIn("uniform", Game.bundled("kuhn"))] * 2)


def run(*arguments):
    command = [sys.executable, "-m", "cfr", "versus", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_command(files, tmp_path):
    kept = tmp_path / "kept"
    done = run(files[0].path, "call-raise", "--json", "--partial", kept, "--threads", "2")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["mbb_per_game"] == value_against(files[0], BuiltIn("call-raise", GAME)).mbb_per_game
    refused = run(files[0].path, "call-raise", "--partial", kept)
    assert refused.returncode == 2
    assert "go on with --resume" in refused.stderr
    kept.write_bytes(kept.read_bytes()[:-30])  # as after a kill
    resumed = run(files[0].path, "call-raise", "--json", "--partial", kept, "--resume")
    assert {**json.loads(resumed.stdout), "seconds": 0} == {**values, "seconds": 0}
    assert resumed.stderr == ""
    plain = run(files[0].path, "call-raise", "--progress")
    bars = [plain.stderr.index(title) for title in ("reading the strategy:", "counting boards:", "both strategies:")]
    assert bars == sorted(bars)
    assert f"{values['mbb_per_game']:+.4f} mbb/g" in plain.stdout
    assert "exact: all boards, all hands" in plain.stdout
    assert sorted(path.name for path in files[0].path.parent.iterdir()) == ["1.h5", "2.h5"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["always-call"], "SECOND"),
        (["always-call", "kuhn.h5", "--game", "kuhn"], "has its own game"),
        (["always-call", "always-fold", "--flops", "1"], "at least 2"),
        (["always-call", "always-fold", "--game", "nothing"], "nothing"),
    ],
)
def test_bad_input_gets_one_line(arguments, said):
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_it_is_exported():
    assert cfr.value_against is value_against
