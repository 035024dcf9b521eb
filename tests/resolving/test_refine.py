"""Refined flops: measured against full enumeration, safe, and clear refusals."""

import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cfr.resolving.refine
from cfr.abstraction.abstraction import Abstraction
from cfr.abstraction.lossless import LosslessRows
from cfr.cli.main import main
from cfr.exploit.exploitability import exploitability
from cfr.exploit.refined_best_response import RefinedBestResponse
from cfr.exploit.resolved_exploitability import resolved_exploitability
from cfr.game.rules import Game
from cfr.hands.isomorphism import permute_hands, permuted_suits
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.tables import Source
from cfr.resolving.named_strategy import open_named
from cfr.resolving.refine_settings import RefineSettings
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.files.refined_flops import turn_steps
from cfr.strategy.files.stored import Strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.result_log import Parts
from tests.conftest import made_once, save_random
from tests.resolving.refined_flops import SMALL, made, opened, refined
from tests.small_games import short_deck, states
from tests.thorough import thorough

pytestmark = pytest.mark.usefixtures("folder")

# Hands of one card, small enough for a quick enumeration, and a small deck of hold'em hands.
LEDUC = Game.bundled("leduc")
TWENTY = short_deck("twenty cards", 4, 5, (0, 3, 1), (1, 1, 1))


class Tabular(BaseStrategy):
    """Another strategy, asked spot by spot and put into tables: the slow plain twin of what it plays."""

    is_whole = True

    def __init__(self, asked):
        self.game, self.betting = asked.game, asked.betting
        rows = LosslessRows(self.game)
        boards = [level.cards for level in enumerate_deal(self.game, rows).rounds]
        rounds = [
            np.zeros((count, shared.node_actions, lines))
            for count, shared, lines in zip(rows.num_rows, self.betting.rounds, self.betting.num_lines, strict=True)
        ]
        by_round = [[s for s in states(self.betting) if s.round == r] for r in range(self.game.num_rounds)]
        for round_, same in enumerate(by_round):
            same.sort(key=lambda state: state.line)  # lines of one board one after the other: each is solved once
            for board in boards[round_]:
                at = rows.rows(round_, board[None])[0]
                live = at >= 0
                for state in same:
                    numbers = self.betting.rounds[round_].action_index[state.node]
                    shares = asked.all_hands(state, tuple(board.tolist()))[live][:, numbers >= 0]
                    rounds[round_][at[live][:, None], numbers[numbers >= 0], state.line] = shares
        self._source, self._asked = Source(rows, rounds), asked

    @property
    def source(self):
        return self._source

    def distribution(self, state, hand, board):
        return self._asked.distribution(state, hand, board)

    def all_hands(self, state, board):
        return self._asked.all_hands(state, board)


def is_enumeration(strategy):
    """Compare the measurement with best responses in tables of what the strategy plays, spot by spot."""
    found = resolved_exploitability(strategy, None, None, control=None)
    whole = exploitability(Tabular(strategy))
    assert found.exact
    assert found.exploitability_mbb == pytest.approx(whole.exploitability_mbb, abs=1e-4, rel=1e-6)
    assert found.best_response_button_mbb == pytest.approx(whole.best_response_button_mbb, abs=1e-4, rel=1e-6)
    return found


def bound(strategy, found):
    """The most by which safety lets the exploitability rise: certificates of flops, and of turns by their bin's end."""
    return float(strategy.trunk.flops.attributes["certificate_most_mbb"]) + found.certificates_mbb[-1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words", [[], pytest.param(["--tables", "bfloat16", "--lines", "all"], marks=pytest.mark.slow)]
)
def test_the_measurement_is_what_full_enumeration_gives(blueprint, words):
    with opened(refined(blueprint, "--iterations", "6", *words), 6) as strategy:
        found = is_enumeration(strategy)
        alone = exploitability(strategy.blueprint)
        assert found.blueprint_exploitability_mbb == pytest.approx(alone.exploitability_mbb, rel=1e-9)
        assert found.exploitability_mbb < alone.exploitability_mbb
        assert strategy.trunk.flops.attributes["certificate_most_mbb"] > 1


@pytest.mark.thorough
def test_behind_lines_that_are_not_refined_turns_are_solved_anew(shared):
    """The button never limps, so no play against a limp is refined; a best response limps all the same."""
    with opened(refined(made(shared, SMALL, limps=False), "--iterations", "6"), 6) as strategy:
        found = is_enumeration(strategy)
        lines = {line for number in strategy.trunk.flops.numbers for line in strategy.trunk.flops.find(number).lines}
        assert strategy.betting.parse("cc/").line not in lines
        only_refined = resolved_exploitability(strategy, None, None, control=None, only_taken=True)
        assert 0 < only_refined.unsolved < 1
        board = SMALL.deck[[0, 3]].tolist()
        state = strategy.betting.parse("cc/cc/")
        alone = Resolving(strategy.blueprint, "turn", Effort(6), threads=1, keeps=False)
        assert np.array_equal(strategy.all_hands(state, board), alone.all_hands(state, board))
        assert found.exploitability_mbb <= only_refined.exploitability_mbb + 1e-6


@pytest.mark.slow
def test_twenty_cards(shared):
    with opened(refined(made(shared, TWENTY), "--iterations", "30"), 30) as strategy:
        found = is_enumeration(strategy)
        assert found.exploitability_mbb <= found.blueprint_exploitability_mbb + bound(strategy, found)
        assert found.exploitability_mbb < 0.7 * found.blueprint_exploitability_mbb


@pytest.mark.slow
def test_chips_may_be_large(shared):
    """Values of turns then have steps of more than a chip."""
    bets = {"blinds": (20_000, 10_000), "raise_sizes": (20_000, 40_000, 40_000), "name": "large chips"}
    game = replace(SMALL, **bets)
    with opened(refined(made(shared, game), "--iterations", "6"), 6) as strategy:
        assert turn_steps(strategy.betting) < 1
        is_enumeration(strategy)


def test_a_blueprint_that_was_replaced_meanwhile_is_refused(blueprint, shared, monkeypatch, capsys):
    path, real = Path("mine.h5"), cfr.resolving.refine._solve
    path.write_bytes(blueprint.read_bytes())

    def solved(*asked):
        found = real(*asked)
        shutil.copy(made(shared, SMALL, 4), "other.h5")
        Path("other.h5").replace(path)
        return found

    monkeypatch.setattr(cfr.resolving.refine, "_solve", solved)
    assert main(["refine", str(path), "--iterations", "2", "--out", "x.h5"]) == 1
    said = "mine.h5: another strategy took its place meanwhile; nothing was written\n"
    assert capsys.readouterr().err.endswith(said)
    assert not Path("x.h5").exists()


@pytest.mark.parametrize("seed", [3, *thorough(4)])
def test_it_is_never_worse_than_the_blueprint_beyond_its_certificates(shared, seed):
    with opened(refined(made(shared, SMALL, seed), "--iterations", "60"), 60) as strategy:
        found = resolved_exploitability(strategy, None, None, control=None)
        room = bound(strategy, found)
        flops = strategy.trunk.flops
        most = max(flop.certificates[..., 0][flop.refined].max() for flop in map(flops.find, flops.numbers))
        assert flops.attributes["certificate_most_mbb"] == most
    assert found.exploitability_mbb <= found.blueprint_exploitability_mbb + room
    assert found.exploitability_mbb < 0.8 * found.blueprint_exploitability_mbb


def test_stored_values_of_turns_lead_up_to_those_of_the_flop(blueprint):
    """Twice the same best response: the kernel's from the flop on, and one by hand over the stored turns."""
    play = open_named(refined(blueprint, "--iterations", "20")).trunk
    solved = 0
    for number in play.flops.numbers:
        flop = play.flops.find(number)
        rows = play.flop_rows(number)
        for seat in (0, 1):
            for column in np.flatnonzero(flop.refined[1 - seat]):
                entry = play.betting.parse(play.betting.line_text(1, int(flop.lines[column])))
                best = RefinedBestResponse(play, Effort(1), 1, entry, number, seat).of_stored()
                kernel = flop.values[seat, rows[rows >= 0], column]
                own = play.reach(entry, play.flops.boards.boards[number].tolist(), 1 - seat)
                mass = (own @ play.game.apart)[rows >= 0]
                assert (best[rows >= 0] <= kernel + 1e-6).all()  # stored values are rounded down
                assert (best[rows >= 0] >= kernel - mass / turn_steps(play.betting) - 1e-6).all()
                solved += 1
    assert solved == 2 * 3 * len(play.flops.numbers)


def test_flops_that_are_not_refined_are_the_blueprints(blueprint, capsys):
    refined(blueprint, "--flops", "3", "--iterations", "4")
    capsys.readouterr()
    with opened("refined.h5", 4) as strategy, open_named(blueprint) as whole_file:
        alone = Resolving(whole_file, "turn", Effort(4), threads=1, keeps=False)
        flops = strategy.trunk.flops
        kept = {n: strategy.trunk.flops.boards.boards[n].tolist() for n in range(len(flops.boards))}
        assert 0 < len(flops.numbers) < len(kept)
        for number, board in kept.items():
            turn = [*board, next(card for card in SMALL.deck.tolist() if card not in board)]
            for text, cards in (("rc/", board), ("rc/c", board), ("rc/cc/", turn)):
                state = strategy.betting.parse(text)
                same = np.array_equal(strategy.all_hands(state, cards), alone.all_hands(state, cards))
                assert same == (number not in flops.numbers), (text, cards)
                if text.endswith("/"):  # a whole round at once is the same
                    live = SMALL.live(cards)
                    whole = strategy.round_probabilities(state, SMALL.hands[live], cards)
                    numbers = strategy.betting.rounds[state.round].action_index[0]
                    of_first = strategy.all_hands(state, cards)[live][:, numbers >= 0].T
                    assert np.array_equal(whole[numbers[numbers >= 0]], of_first)
    assert main(["info", "refined.h5"]) == 0
    said = capsys.readouterr().out
    assert "elsewhere the blueprint plays the flop" in said
    assert "blueprint_checksum" in said
    assert main(["info", "refined.h5", "--verify"]) == 0
    assert main(["exploit", "refined.h5", "--iterations", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["refined_flops"] == len(flops.numbers)
    assert found["standard_error_mbb"] > 0
    assert not found["exact"]


def test_isomorphic_spots_are_played_alike(blueprint):
    with opened(refined(blueprint, "--iterations", "4"), 4) as strategy:
        for line, dealt in (("rc/", 1), ("rc/cr", 1), ("rc/cc/", 2)):
            board = SMALL.deck[[0, 3]].tolist()[:dealt]
            state = strategy.betting.parse(line)
            expected = strategy.all_hands(state, board)
            for number in range(2):
                images = permute_hands(SMALL.hands, 2)[number]
                there = permuted_suits(board, number, 2)
                assert np.array_equal(strategy.all_hands(state, there)[images], expected)
                hand = SMALL.hands[images[5]].tolist()
                assert strategy.distribution(state, hand, there) == tuple(expected[5].tolist())


def refuses(capsys, words, said, code=2):
    capsys.readouterr()
    assert main(["refine", *map(str, words)]) == code
    err = capsys.readouterr().err.splitlines()
    assert said in err[-1]
    assert [line for line in err if not line.startswith("forecast")] == err[-1:]


def test_what_it_refuses(blueprint, shared, capsys, monkeypatch):
    refuses(capsys, [blueprint, "--flops", "99"], "flops: 99; there are 4: say all for all of them")
    refuses(capsys, ["uniform"], "uniform is built in; refining takes a strategy file")
    refuses(capsys, ["nothing.h5"], "nothing.h5")
    leduc = made_once(shared / "leduc-random.h5", lambda p: save_random(p, LEDUC, Abstraction.lossless(LEDUC), 1))
    refuses(capsys, [leduc], "leduc has 2 rounds; refining is for games with a turn after the flop")
    out = refined(blueprint, "--iterations", "2", "--flops", "2")
    refuses(capsys, [out], "refined.h5: its flops are refined")
    refuses(capsys, [blueprint, "--out", out], "refined.h5 is there already; say --overwrite", 1)
    with Lock(Path("busy.h5"), "cfr refine"):
        refuses(capsys, [blueprint, "--out", "busy.h5"], "busy.h5: cfr refine, process", 1)
    log = Path("x.h5.flops")
    with Parts(log, {"strategy": "another"}, False):
        refuses(capsys, [blueprint, "--out", "x.h5", "--resume"], "x.h5.flops: cfr, process", 1)
    refuses(capsys, [blueprint, "--out", "x.h5"], "x.h5.flops: holds subgames of an earlier refinement; go on with")
    refuses(capsys, [blueprint, "--out", "x.h5", "--resume"], "x.h5.flops: partial results of something else")
    with Strategy.open(blueprint) as strategy:
        for iterations, tables in ((3, "float64"), (80, "float32")):
            log.unlink()
            asked = RefineSettings(strategy, Path("x.h5"), effort=Effort(iterations))
            with Parts(log, asked.identity(tables), False):
                pass
            refuses(capsys, [blueprint, "--out", "x.h5", "--resume"], "x.h5.flops: partial results of something else")
    log.write_bytes(b"something that is no log at all")
    refuses(capsys, [blueprint, "--out", "x.h5", "--resume"], "x.h5.flops: not a log of partial results", 1)
    monkeypatch.setattr("cfr.resolving.refine_forecast.free_bytes", lambda: 1_000_000)
    refuses(
        capsys, [blueprint, "--out", "y.h5"], "a subgame of a flop needs about 0.4 GB of memory with tables of float64"
    )
    refuses(capsys, [blueprint, "--out", "y.h5", "--tables", "bfloat16"], "--tables int8 takes the least")
    assert not Path("y.h5").exists()


def test_a_spot_is_refused(capsys):
    spot = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/", "--iterations", "2", "--out", "spot.h5"]
    assert main(["spot", *spot]) == 0
    refuses(capsys, ["spot.h5"], "spot.h5: the solution of a spot, not of a whole game")


def test_a_full_disk_gets_one_line(blueprint, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = [blueprint, "--out", "x.h5", "--iterations", "2"]
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "_write", full)
        refuses(capsys, words, "x.h5.flops: cannot keep partial results: No space left on device", 1)
    words.append("--resume")
    with monkeypatch.context() as patch:
        patch.setattr("cfr.strategy.files.refined_flops.create_array", full)
        refuses(capsys, words, "cannot write x.h5: the disk is full; the old file, if any, is untouched", 1)
    assert Path("x.h5.flops").exists()  # no finished flop is lost
    assert main(["refine", *map(str, words)]) == 0


def test_a_forecast(blueprint, capsys):
    assert main(["refine", str(blueprint), "--dry-run", "--threads", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["flops"] == 4
    assert found["subgames"] == 4 * 3 * 2
    assert found["at_a_time"] == 2
    on_two_cores = found["seconds_per_flop"] * 4 / 2
    assert found["seconds"] == pytest.approx(1.04 * on_two_cores)  # of 1.6 at 16
    assert not Path("refined.h5").exists()


@pytest.mark.parametrize(("said", "dtype"), [([], np.float64), (["--tables", "bfloat16"], np.float32)])
def test_the_trial_of_a_forecast_counts_as_the_solve_does(blueprint, monkeypatch, said, dtype):
    counted_in = []
    monkeypatch.setattr("cfr.resolving.refine_forecast.seconds_per_iteration", lambda *a: counted_in.append(a[-1]) or 1)
    assert main(["refine", str(blueprint), "--dry-run", *said]) == 0
    assert {np.dtype(each) for each in counted_in} == {np.dtype(dtype)}
