"""Whatever is given to the public functions, mistakes come back as the documented errors, in one line."""

import inspect
from dataclasses import fields, replace
from pathlib import Path
from types import FunctionType, MethodType

import numpy as np
import pytest

import cfr
from cfr.system.cluster.cluster import Cluster
from cfr.system.errors import CfrError

KUHN, LEDUC = cfr.Game.bundled("kuhn"), cfr.Game.bundled("leduc")
WRONG = (None, 3.5, [], object(), b"\xff", "no such thing")
RULE = cfr.BuiltIn("uniform", LEDUC)
POSITION = RULE.at("Ks", "crc/")
SPOT = {"game": LEDUC, "iterations": 1, "threads": 1}
# Each public callable, and arguments that are right; each argument is made wrong by turns.
CALLS = {
    "BuiltIn": (cfr.BuiltIn, {"name": "uniform", "game": KUHN}),
    "BuiltIn.mix": (RULE.mix, {"legal": "cr"}),
    "Cluster": (Cluster, {"address": "auto", "cores": 0, "announce": 3.5}),  # wrong, too: no cluster is looked for
    "Game": (cfr.Game, {each.name: getattr(KUHN, each.name) for each in fields(KUHN)}),
    "Game.bundled": (cfr.Game.bundled, {"name": "kuhn"}),
    "Game.find": (cfr.Game.find, {"name": "kuhn"}),
    "Game.hand_number": (LEDUC.hand_number, {"cards": (50,)}),
    "Game.live": (LEDUC.live, {"board": (50,)}),
    "Game.parse": (cfr.Game.parse, {"text": KUHN.text(), "name": "kuhn"}),
    "Game.read": (cfr.Game.read, {"path": "kuhn.game"}),
    "Game.seat": (LEDUC.seat, {"given": 0}),
    "Game.seat_called": (LEDUC.seat_called, {"word": "bb"}),
    "Position.act": (POSITION.act, {"action": "c"}),
    "Position.after": (POSITION.after, {"line": "cr"}),
    "Position.deal": (RULE.at("", "").act("c").act("c").deal, {"cards": "Ks"}),
    "Position.expected": (POSITION.expected, {"seat": 0}),
    "Position.held": (POSITION.held, {"hand": "Kh"}),
    "Position.presumed": (POSITION.presumed, {"seat": 0}),
    "Position.probabilities": (POSITION.probabilities, {"hand": "Kh"}),
    "Position.range": (POSITION.range, {"seat": 0}),
    "Position.reach": (POSITION.reach, {"seat": 0}),
    "Range": (cfr.Range, {"weights": [0.5] * 1326}),
    "Range.parse": (cfr.Range.parse, {"text": "AA"}),
    "Settings": (
        cfr.Settings,
        {"game": LEDUC, "buckets": None, "iterations": 1, "out": "x.h5"},
    ),
    "SpotRange.sample": (POSITION.range().sample, {"count": 2, "seed": 1}),
    "SpotStrategy.open": (cfr.SpotStrategy.open, {"path": "x.h5"}),
    "Strategy": (cfr.Strategy, {"path": "x.h5", "under_refined": False}),
    "Strategy.open": (cfr.Strategy.open, {"path": "x.h5"}),
    "Strategy.at": (RULE.at, {"board": "Ks", "line": "crc/"}),
    "Strategy.probabilities": (RULE.probabilities, {"hand": "Kh", "board": "Ks", "line": "crc/"}),
    "Strategy.range": (RULE.range, {"board": "Ks", "line": "crc/", "seat": "button"}),
    "Strategy.walk": (RULE.walk, {"board": "Ks", "line": "crc/"}),
    "Strategy.spot": (RULE.spot, {"board": "Ks", "line": "crc/"}),
    "Trunk.of": (cfr.Trunk.of, {"blueprint": "x.h5", "flops": 2, "control_variate": "y.h5", "game": LEDUC}),
    "best_response": (cfr.best_response, {"strategy": RULE, "seat": 0, "threads": 1, "progress": False}),
    "equity": (cfr.equity, {"first": "AsKs", "second": "QdQh", "board": "Td9d6h2c", "threads": 1, "progress": False}),
    "expected_values": (
        cfr.expected_values,
        {"strategy": RULE, "board": "Ks", "line": "crc/", "seat": 0, "unreached": False, "progress": False},
    ),
    "exploit_spot": (
        cfr.exploit_spot,
        {"board": "Ks", "line": "crc/", "opponent": RULE, "seat": "bb", "strategy": RULE, "button": "Kh,Qh"}
        | {"big_blind": "any", "pot": 8, "threads": 1, "out": None},
    ),
    "exploitability": (
        cfr.exploitability,
        {"strategy": RULE, "flops": None, "threads": 1, "seed": 0, "partial": None, "resume": False}
        | {"control": None, "progress": False},
    ),
    "format_cards": (cfr.format_cards, {"cards": [51]}),
    "import_strategy": (
        cfr.import_strategy,
        {"given": cfr.BuiltIn("uniform", KUHN), "game": KUHN, "out": "x.h5", "overwrite": True},
    ),
    "match": (
        cfr.match,
        {"first": "always-call", "second": "random", "hands": 2, "game": KUHN, "seed": 1, "duplicate": True}
        | {"log": None, "resume": False, "overwrite": False, "aivat": False, "imaginary": False}
        | {"processes": 1, "progress": False},
    ),
    "open_named": (cfr.open_named, {"name": "uniform", "resolve": None, "game": LEDUC}),
    "parse_cards": (cfr.parse_cards, {"text": "As"}),
    "solve": (
        cfr.solve,
        {"settings": cfr.Settings(KUHN, None, iterations=1, out=Path("x.h5"), overwrite=True)}
        | {"progress": False, "announce": None, "cluster": None},
    ),
    "preset": (cfr.preset, {"name": "quick", "game": "royal"}),
    "solve_spot": (
        cfr.solve_spot,
        {"board": "Ks", "line": "crc/", "game": LEDUC, "strategy": RULE, "button": "Kh,Qh", "big_blind": "any"}
        | {"pot": 8, "target": None, "iterations": 1, "minutes": None, "locks": (), "river_rows": "auto"}
        | {"threads": 1, "out": None, "progress": False},
    ),
    "value_against": (
        cfr.value_against,
        {"first": RULE, "second": RULE, "flops": None, "threads": 1, "seed": 0, "partial": None}
        | {"resume": False, "progress": False},
    ),
}
# What is built by cfr, and holds what it is given; and what the names above cover.
RESULTS = {
    *("EquityResult", "Exploitability", "ExploitedSpot", "MatchResult", "Position", "SolveResult", "SolvedSpot"),
    *("SpotRange", "SpotStrategy", "SpotValues", "Trunk", "ValueAgainst", "Interrupted"),
}
# For those who write strategies: on states and codes of cards that are checked already.
UNCHECKED = {
    *("all_hands", "below", "book", "distribution", "entering", "hand_entering", "hold_rows", "hold_tables"),
    *("is_coded", "known", "known_targets", "mix_and_reach", "presumed_range", "range_at", "re_solves", "read"),
    *("read_lines", "reach_of", "round_probabilities", "row", "row_of", "shares_rows", "table", "way", "weight_apart"),
    "hand_numbers",
}


def settings_arguments():
    right = CALLS["Settings"][1]
    return {name: right.get(name, each.default) for name, each in inspect.signature(cfr.Settings).parameters.items()}


CALLS["Settings"] = (cfr.Settings, settings_arguments())


def test_all_public_functions_are_walked():
    for name in cfr.__all__:
        if not name.endswith("Error"):
            assert name in CALLS or name in RESULTS, name
    for kind in (cfr.Game, cfr.Range, cfr.BuiltIn, cfr.Strategy, cfr.Position, cfr.SpotRange, cfr.Trunk):
        for name, method in inspect.getmembers(kind, callable):
            if not isinstance(method, FunctionType | MethodType):
                continue
            takes = set(inspect.signature(method).parameters) - {"self", "cls"}
            if not name.startswith("_") and takes and kind is not cfr.Trunk:
                strategy = kind in (cfr.BuiltIn, cfr.Strategy)
                names = {f"{kind.__name__}.{name}"} | ({f"Strategy.{name}", f"Position.{name}"} if strategy else set())
                assert names & CALLS.keys() or name in UNCHECKED, (kind, name)
    for call, right in CALLS.values():
        found = inspect.signature(call).parameters.values()
        assert {each.name for each in found if each.kind is not each.VAR_KEYWORD} == set(right), call


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_refused_in_one_line(name, tmp_path, monkeypatch):
    """Or they are taken: what is no error is no concern here."""
    monkeypatch.chdir(tmp_path)
    assert not unwanted(*CALLS[name])


def unwanted(call, right):
    """The errors, by their arguments, that are not among the documented ones."""
    wrong = []
    for argument in right:
        for value in WRONG:
            try:
                call(**right | {argument: value})
            except OSError:  # a file that is not there
                pass
            except CfrError as error:
                if "\n" in str(error):
                    wrong.append(f"{argument}={value!r}: {error!r}")
            except Exception as error:
                wrong.append(f"{argument}={value!r}: {error!r}")
    return wrong


def test_the_walk_finds_what_is_unwanted():
    def careless(strategy):
        return strategy.upper()

    assert len(unwanted(careless, {"strategy": "x"})) == len(WRONG) - 2  # text, and bytes, can be in upper case


def test_answers_of_a_solved_spot_and_of_openspiel(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    openspiel = pytest.importorskip("cfr.formats.openspiel")
    found = cfr.solve_spot("Ks", "crc/", button="Kh,Qh", big_blind="Qs,Kh", **SPOT)
    where = {"board": "Ks", "line": "crc/"}
    for call, right in (
        (found.probabilities, {"hand": "Kh", **where}),
        (found.range, {**where, "seat": "bb"}),
        (found.values, {**where, "seat": "bb"}),
        (found.save, {"path": "spot.h5"}),
        (found.strategy.at, where),
        (openspiel.load_game, {"game": KUHN}),
        (openspiel.universal_poker, {"game": KUHN}),
        (openspiel.SpotPolicy, {"strategy": RULE}),
        (openspiel.SpotPolicy(RULE).action_probabilities, {"state": None, "player_id": None}),
        (openspiel.tabular_policy, {"strategy": cfr.BuiltIn("uniform", KUHN)}),
        (openspiel.spot, {"betting": RULE.betting, "state": None}),
    ):
        assert not unwanted(call, right)


NAME = "expected a file, or a strategy's name, such as 'small'"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: cfr.BuiltIn("uniform", "leduk"), "unknown game 'leduk'; bundled are kuhn, leduc"),
        (lambda: cfr.BuiltIn("uniform", 7), "game: 7; expected a game's name, such as 'leduc', or the path"),
        (lambda: RULE.probabilities("Ks", line=None), "line: None; expected text, such as 'rc/cr'"),
        (lambda: RULE.probabilities("Ks", board=3.5), "board: 3.5; expected text, such as 'Td9d6h'"),
        (lambda: RULE.probabilities([]), "hand: []; expected text, such as 'AsKh'"),
        (lambda: cfr.Settings(KUHN, None, iterations=1, out=None), "out: None; expected the path of a file"),
        (lambda: cfr.Settings(KUHN, None, iterations=1, warm_up="x"), "warm_up: 'x'; expected a number"),
        (lambda: cfr.match("random", "random", hands="10"), "hands: '10'; expected a whole number"),
        (lambda: POSITION.act(None), "action: None; expected f, c or r"),
        (lambda: POSITION.range(True), "seat: True; expected button or big blind, or 0 or 1"),
        (lambda: cfr.open_named(None), f"name: None; {NAME}"),
        (lambda: cfr.Strategy.open(None), f"path: None; {NAME}"),
        (lambda: cfr.solve_spot("Ks", "crc/", locks=":fold=1", **SPOT), "locks: ':fold=1'; expected a list of texts"),
        (lambda: cfr.exploitability(RULE, control=7), "control: 7; expected cfr.exploit.flop_values.FlopValues"),
        (lambda: replace(KUHN, blinds=None), "blind: None; expected whole numbers"),
        (lambda: cfr.equity("AA", np.ones((9, 9))), "a range needs 1326 weights, not an array of (9, 9)"),
        (lambda: cfr.Range("QQ+"), "a range needs 1326 weights, not str; Range.parse reads text"),
        (lambda: RULE.at("rc/", "Kh"), "board 'rc/': a betting line; the board comes first, then the line"),
        (lambda: RULE.at(RULE.betting.root, [[]]), "cards: [[]]; expected codes of cards, such as (51, 46)"),
    ],
)
def test_what_was_wrong_is_named(ask, said):
    with pytest.raises(CfrError) as caught:
        ask()
    assert said in str(caught.value)


def test_missing_and_unexpected_arguments_are_pythons_own_errors():
    for ask in (cfr.open_named, cfr.match, cfr.equity):
        with pytest.raises(TypeError, match="nothing"):
            ask(nothing=1)
    with pytest.raises(TypeError, match="strategy"):
        cfr.exploitability()


def test_a_game_may_be_named_wherever_one_is_asked_for(tmp_path):
    file = tmp_path / "mine.game"
    file.write_text(LEDUC.text())
    for game in (LEDUC, "leduc", str(file), file):
        assert cfr.BuiltIn("uniform", game).game.text() == LEDUC.text()
        assert cfr.open_named("uniform", game=game).game.text() == LEDUC.text()
        assert cfr.Settings(game, None, iterations=1).game.text() == LEDUC.text()
        assert cfr.match("random", "uniform", 2, game=game, seed=1) == cfr.match(
            "random", "uniform", 2, game=LEDUC, seed=1
        )
        found = cfr.solve_spot("Ks", "crc/", button="Kh,Qh", big_blind="Qs,Kh", **SPOT | {"game": game})
        assert found.strategy.game.text() == LEDUC.text()


def test_measurements_take_all_cores_unless_told(monkeypatch):
    for name in ("exploitability", "head_to_head"):
        monkeypatch.setattr(f"cfr.exploit.{name}.usable_cores", lambda: 5000)  # more than can be asked for
    for ask in (
        lambda **how: cfr.exploitability(RULE, **how).exploitability_mbb,
        lambda **how: cfr.best_response(RULE, "bb", **how).tolist(),
        lambda **how: cfr.value_against(RULE, RULE, **how).mbb_per_game,
    ):
        for none in ({}, {"threads": None}):
            with pytest.raises(CfrError, match="threads: 5000; expected 1 to 4096"):
                ask(**none)
        assert ask(threads=1) == ask(threads=2)


def test_numbers_of_numpy_and_paths_of_any_kind_are_taken(tmp_path):
    one = np.int64(1)
    played = [cfr.match("random", "uniform", two, game=KUHN, seed=seed) for two, seed in ((2 * one, one), (2, 1))]
    assert played[0] == played[1]
    settings = cfr.Settings("kuhn", None, iterations=np.int32(3), seed=one, threads=one, out=tmp_path / "x.h5")
    assert cfr.solve(settings).iterations == 3
    with cfr.Strategy.open(Folder(tmp_path)) as strategy, cfr.open_named(Folder(tmp_path)) as named:
        assert strategy.attributes == named.attributes
        position = strategy.at(strategy.betting.root, np.array([], np.uint8))
        assert position.board == ()
    assert cfr.exploitability(RULE, flops=np.int16(2), seed=one, threads=one).flops == 2


class Folder:
    """A path that is none of pathlib's."""

    def __init__(self, folder):
        self.folder = folder

    def __fspath__(self):
        return str(self.folder / "x.h5")
