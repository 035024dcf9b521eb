"""Presets of every hold'em-like game, and solves of other decks by buckets, from the command line to a measurement."""

import json
from dataclasses import replace

import h5py
import pytest

from cfr.abstraction.buckets import checked_buckets
from cfr.cli.commands.solve import _settings
from cfr.cli.flag_names import in_one_line
from cfr.cli.main import _parser, main
from cfr.exploit.exploitability import exploitability
from cfr.game.rules import GAME_NAMES, Game
from cfr.solver.memory_need import check_memory, memory_bytes, num_rows
from cfr.solver.presets import MOST_LOSSLESS_BYTES, NEVER, PRESETS, is_full_holdem, needs_buckets, preset, preset_of
from cfr.solver.settings import Settings
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import CfrError
from tests.small_games import short_deck
from tests.thorough import thorough

HULHE, ROYAL = Game.bundled("hulhe"), Game.bundled("royal")
HOLDEM = [name for name in GAME_NAMES if name not in ("kuhn", "leduc", "rhode-island")]
DECKS = {
    **{name: Game.bundled(name) for name in HOLDEM},
    "24 cards": replace(ROYAL, name="24", num_ranks=6),
    "36 cards": replace(ROYAL, name="36", num_ranks=9),
    "3 suits": replace(ROYAL, name="27", num_suits=3, num_ranks=9),
    "48 cards": replace(ROYAL, name="48", num_ranks=12),
    "3 rounds, 20 cards": short_deck("three", 4, 5, (0, 3, 1), (3, 4, 4)),
    "3 rounds, 52 cards": short_deck("three", 4, 13, (0, 3, 1), (3, 4, 4)),
    "2 rounds, 52 cards": short_deck("two", 4, 13, (0, 3), (4, 8)),
}
BETTING = "limit\nnumPlayers = 2\nblind = 10 5\nnumHoleCards = 2\nnumSuits = 4\n"
FILES = {  # rounds that are too small to leave anything to chance
    "short": "numRounds = 4\nraiseSize = 10 10 20 20\nfirstPlayer = 2 1 1 1\nmaxRaises = 1 1 1 1\nnumRanks = 9\n"
    "numBoardCards = 0 3 1 1\n",
    "three": "numRounds = 3\nraiseSize = 10 10 20\nfirstPlayer = 2 1 1\nmaxRaises = 2 2 2\nnumRanks = 5\n"
    "numBoardCards = 0 3 1\n",
    "two": "numRounds = 2\nraiseSize = 10 10\nfirstPlayer = 2 1\nmaxRaises = 2 2\nnumRanks = 6\nnumBoardCards = 0 3\n",
}


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("game", DECKS.values(), ids=DECKS)
def test_presets_have_sizes_that_suit_the_game(game, name):
    found = PRESETS[name]
    buckets = found.buckets_for(game)
    if buckets is None:
        assert memory_bytes(Settings(game, None, minutes=1)) <= MOST_LOSSLESS_BYTES
        return
    checked_buckets(game, buckets)  # raises for more than there are
    assert len(buckets) == game.num_rounds - 1
    for rows, hands in zip(num_rows(game, buckets), num_rows(game, None), strict=True):
        assert rows <= hands
    usual = found.usual(game, buckets, is_named=True)
    assert usual["minutes"] == found.minutes
    settings = Settings(game, buckets, **found.fixed(game, buckets), **usual)
    assert (preset_of(settings) == name) == is_full_holdem(game)


def test_full_holdem_has_its_own_sizes_and_no_other_game():
    assert is_full_holdem(replace(HULHE, name="mine"))
    assert not is_full_holdem(replace(HULHE, max_raises=(3, 4, 4, 3)))
    assert PRESETS["quick"].buckets_for(HULHE) == (5000, 4000, "4x250")
    assert PRESETS["quick"].never_for(HULHE) == NEVER
    assert PRESETS["quick"].never_for(ROYAL) == ()
    assert needs_buckets(ROYAL)
    assert not needs_buckets(Game.bundled("holdem-2-4"))
    assert PRESETS["quick"].buckets_for(Game.bundled("holdem-2-4")) is None
    assert PRESETS["laptop"].buckets_for(ROYAL)[0] == "lossless"  # 7,760 hands
    for settings in (
        Settings(HULHE, (5000, 4000, 1000), minutes=5),
        Settings(HULHE, (5000, 4000, "4x250"), minutes=5),  # by CFR+
        Settings(ROYAL, (5000, 4000, "4x250"), minutes=5),
    ):
        assert preset_of(settings) is None


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rhode-island"])
def test_games_that_are_not_holdem_like_have_no_presets(name):
    with pytest.raises(CfrError, match=f"presets are for hold'em-like games; for {name} say iterations="):
        PRESETS["quick"].buckets_for(Game.bundled(name))


def test_games_too_large_without_buckets_say_what_to_do():
    said = r"15,504 boards, 190 hands; use buckets: say cfr.preset\('quick'\), or lossless=True"
    with pytest.raises(CfrError, match=said) as caught:
        check_memory(Settings(ROYAL, None, iterations=1))
    assert in_one_line(caught.value).endswith("use buckets: say --preset quick, or --lossless")


@pytest.mark.parametrize("name", PRESETS)
def test_settings_of_a_preset_are_those_of_the_command(name):
    arguments = _parser("solve").parse_args(["solve", "hulhe", "--preset", name])
    assert preset(name) == _settings(arguments)
    arguments = _parser("solve").parse_args(["solve", "royal", "--preset", name, "--iterations", "7", "--purge", "0.1"])
    assert preset(name, "royal", iterations=7, purge=0.1) == _settings(arguments)


def test_what_is_no_preset_is_refused():
    with pytest.raises(CfrError, match="preset: 'fast'; expected quick, laptop, workstation"):
        preset("fast")
    with pytest.raises(CfrError, match="preset: None; expected quick"):
        preset(None)
    with pytest.raises(CfrError, match="presets are for hold'em-like games; for leduc say"):
        preset("quick", "leduc")
    with pytest.raises(TypeError, match="minute"):
        preset("quick", minute=1)


@pytest.mark.parametrize(
    ("game", "buckets"),
    [
        *thorough(("royal", "40,50,3x20"), ("three", "30,3x20")),
        pytest.param("short", "30,20,3x10", marks=pytest.mark.slow),
        ("two", "30"),
    ],
)
def test_other_decks_are_solved_and_measured(game, buckets, tmp_path, capsys):
    """By a preset's schedule, to the same bits at any number of threads, and stronger after more iterations."""
    name = game
    if game in FILES:
        name = str(tmp_path / f"{game}.game")
        (tmp_path / f"{game}.game").write_text(f"GAMEDEF\n{BETTING}{FILES[game]}END GAMEDEF\n")
    checksums, measured = [], []
    flops = 2 if game in ("royal", "short") else None  # all of theirs take long
    for count, threads in ((12, 1), (12, 2), (120, 2)):
        out = tmp_path / f"{count}-{threads}.h5"
        how = ["--buckets", buckets, "--iterations", str(count), "--threads", str(threads), "--out", str(out), "--json"]
        assert main(["solve", name, *how]) == 0
        assert json.loads(capsys.readouterr().out)["game"] == game
        with h5py.File(out) as file:
            checksums.append(file.attrs["checksum"])
            assert file.attrs["schedule"] == "cfr-br"
            assert "never" not in file.attrs
        if threads == 2:
            with Strategy.open(out) as strategy:
                measured.append(exploitability(strategy, flops, threads=2))
    assert checksums[0] == checksums[1] != checksums[2]
    assert all(each.exact == (flops is None) for each in measured)
    assert measured[0].exploitability_mbb > measured[1].exploitability_mbb > 0


def test_royal_by_a_preset_is_forecast(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cfr.solver.forecast.time_iterations", lambda *_: (0.01, 0.02))
    for words in (["royal", "--preset", "quick"], ["royal"]):
        assert main(["solve", *words, "--dry-run"]) == 0
        said = capsys.readouterr().out
        assert "about 5 minutes" in said
        assert "result" not in said  # nothing was measured
    assert main(["solve", "royal", "--preset", "laptop", "--dry-run", "--json"]) == 0
    forecast = json.loads(capsys.readouterr().out)
    assert forecast["rows"][:2] == [25, 7760]
    assert forecast["expected_mbb"] is None
    assert main(["solve", "holdem-2-1", "--preset", "quick", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [169, 1_286_792]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["royal", "--buckets", "9000,10,10"], "buckets of the flop: 9000, but there are only 7,760 different hands"),
        (["royal", "--buckets", "10,10"], "buckets: 2 entries, expected those of flop, turn and river"),
        (["royal", "--buckets", "lossless", "--iterations", "1"], "too large to solve without buckets"),
        (["leduc", "--buckets", "5,5,5"], "leduc: only hold'em-like games have buckets"),
    ],
)
def test_what_a_game_does_not_have_is_one_line(words, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", *words]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
