"""Parity with OpenSpiel: its rules, its best response and its CFR+ beside ours."""

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.exploit.exploitability import exploitability
from cfr.formats import openspiel
from cfr.formats.openspiel import UnknownSpotError
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import evaluate
from cfr.game.rules import Game
from cfr.kernel.best_response import exploitability_mbb
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.reference import Reference
from cfr.kernel.traversal import Traversal, layout
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, CfrError

pyspiel = pytest.importorskip("pyspiel")

METHOD = (Path(__file__).parents[3] / "docs" / "method.md").read_text("utf-8")


def their_exploitability(policy) -> float:
    """OpenSpiel's, of the policy that the adapter made; in chips."""
    return pyspiel.nash_conv(policy.game, policy.to_dict()) / 2


@pytest.mark.parametrize(("name", "terminals"), [("kuhn", 30), ("leduc", 5520)])
def test_every_history_pays_the_same(name, terminals):
    game = Game.bundled(name)
    deck = game.deck.tolist()
    found = []

    def walk(theirs, dealt, ours) -> None:
        if theirs.is_terminal():
            a, b, *board = dealt
            mine, other = (int(strength) for strength in evaluate([[a, *board], [b, *board]]))
            winner = None if mine == other else int(other > mine)
            assert ours.is_over
            assert theirs.returns() == list(ours.payoff(winner)), theirs.history()
            found.append(dealt)
        elif theirs.is_chance_node():
            for action, _ in theirs.chance_outcomes():
                walk(theirs.child(action), [*dealt, deck[action]], ours)
        else:
            assert theirs.current_player() == ours.actor
            shown = openspiel.spot(ours.tree, theirs)
            assert shown == ((dealt[ours.actor],), tuple(dealt[2:]), ours)
            for action, letter in zip(theirs.legal_actions(), ours.legal, strict=True):
                walk(theirs.child(action), dealt, ours.act(letter))

    walk(openspiel.load_game(game).new_initial_state(), [], BettingTree(game).root)
    assert len(found) == terminals


@pytest.mark.parametrize(
    ("name", "history", "hand", "board", "line", "actions"),
    [
        ("kuhn", [0, 2], "Qs", "", "", {"Pass": "call", "Bet": "raise"}),
        ("kuhn", [0, 2, 0, 1], "Qs", "", "cr", {"Pass": "fold", "Bet": "call"}),
        ("kuhn", [1, 2, 1], "As", "", "r", {"Pass": "fold", "Bet": "call"}),
        ("leduc", [0, 5], "Qh", "", "", {"Call": "call", "Raise": "raise"}),
        ("leduc", [0, 5, 2], "As", "", "r", {"Fold": "fold", "Call": "call", "Raise": "raise"}),
        ("leduc", [0, 5, 2, 2], "Qh", "", "rr", {"Fold": "fold", "Call": "call"}),
        ("leduc", [0, 5, 2, 2, 1, 3], "Qh", "Ks", "rrc/", {"Call": "call", "Raise": "raise"}),
        ("leduc", [3, 4, 1, 1, 2, 1], "Ah", "Kh", "cc/c", {"Call": "call", "Raise": "raise"}),
    ],
)
def test_a_state_is_this_spot(name, history, hand, board, line, actions):
    game = Game.bundled(name)
    strategy = BuiltIn("uniform", game)
    state = openspiel.load_game(game).new_initial_state()
    for action in history:
        state.apply_action(action)
    spot = openspiel.spot(strategy.betting, state)
    assert (format_cards(spot.hand), format_cards(spot.board), spot.state.line_string) == (hand, board, line)
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert [actions[each] for each in names] == list(strategy.probabilities(hand, board, line))


class RandomStrategy:
    """Something else at every spot, so that no confusion of spots or actions stays hidden."""

    def __init__(self, game: Game) -> None:
        self.game, self.betting, self.said = game, BettingTree(game), {}
        self._random = np.random.default_rng(7)

    def distribution(self, state, hand, board):
        weights = self._random.random(3) * [letter in state.legal for letter in "fcr"]
        played = weights / weights.sum()
        self.said[state.line_string, tuple(board), self.game.hand_number(hand)] = played[played > 0]
        return tuple(played.tolist())


@pytest.mark.parametrize(("name", "information_states"), [("kuhn", 12), ("leduc", 936)])
def test_a_random_strategy_measures_the_same(name, information_states):
    strategy = RandomStrategy(Game.bundled(name))
    policy = openspiel.tabular_policy(strategy)
    assert len(strategy.said) == len(policy.states) == information_states
    assert policy.action_probability_array.sum(axis=1) == pytest.approx(1)
    assert not policy.action_probability_array[policy.legal_actions_mask == 0].any()
    reference = Reference(strategy.game)
    for (line, board, hand), played in strategy.said.items():
        table = reference.sums.setdefault((line, board), np.zeros((strategy.game.num_hands, len(played))))
        table[hand] = played
    assert their_exploitability(policy) == pytest.approx(reference.exploitability(), rel=1e-12)


def test_openspiel_confirms_a_solved_file(tmp_path):
    for name, worst in (("kuhn", 0.0005), ("leduc", 0.02)):
        game = Game.bundled(name)
        solve(Settings(game, None, iterations=300, schedule="cfr+", out=tmp_path / f"{name}.h5"))
        with Strategy.open(tmp_path / f"{name}.h5") as strategy:
            policy = openspiel.tabular_policy(strategy)
            traversal = Traversal(layout(game, np.float64), 1, np.float64)
            stored = [strategy.read(r, slice(None)).astype(np.float64) for r in range(game.num_rounds)]
        tables = [traversal.tree.by_seat(table, r, np.float64) for r, table in enumerate(stored)]
        antes = exploitability_mbb(traversal, enumerate_deal(game, Abstraction.lossless(game)), tables) / 1000
        assert 0 < antes < worst
        assert their_exploitability(policy) == pytest.approx(antes, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "strategy", "antes"),
    [
        ("kuhn", "uniform", 11 / 24),
        ("leduc", "uniform", 2.373611111111),
        ("kuhn", "always-raise", 1 / 3),
        ("leduc", "call-raise", 2.15),
    ],
)
def test_openspiel_measures_built_ins(name, strategy, antes):
    policy = openspiel.tabular_policy(BuiltIn(strategy, Game.bundled(name)))
    assert their_exploitability(policy) == pytest.approx(antes, rel=1e-12)


def test_the_rules_count_not_the_name():
    renamed = Game.parse(Game.bundled("leduc").text(), "mine")
    assert str(openspiel.load_game(renamed)) == "leduc_poker()"
    other = Game.parse(renamed.text().replace("raiseSize = 2 4", "raiseSize = 2 2"), "leduc")
    with pytest.raises(BadInputError, match=r"^game leduc has no counterpart in OpenSpiel here; expected"):
        openspiel.load_game(other)


def test_other_games_are_refused_in_one_line():
    with pytest.raises(
        BadInputError, match=r"^hulhe: [\d,]+ histories are too many to list; expected at most 1,000,000"
    ):
        openspiel.tabular_policy(BuiltIn("uniform"))


def test_states_without_a_spot_are_refused_in_one_line():
    kuhn, leduc = (BettingTree(Game.bundled(name)) for name in ("kuhn", "leduc"))
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    with pytest.raises(UnknownSpotError, match=r"^state \[\]: .* nobody to act$"):
        openspiel.spot(kuhn, state)
    for action in (0, 1, 0, 0):
        with pytest.raises(BadInputError, match=r"^a state of kuhn_poker\(\); expected one of leduc_poker\(\)$"):
            openspiel.spot(leduc, state)
        state.apply_action(action)
    with pytest.raises(BadInputError, match=r"^state \[0, 1, 0, 0\]: .* nobody to act$"):
        openspiel.spot(kuhn, state)


THEIR_BLINDS = "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=50 100,raiseSize=100 100 200 200,"
THEIR_HULHE = (
    THEIR_BLINDS
    + "firstPlayer=1 2 2 2,maxRaises=3 4 4 4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack={stack})"
)


class Recorded(RandomStrategy):
    """Remembers what it was asked last."""

    def distribution(self, state, hand, board):
        self.asked = (state, hand, board)
        self.answer = super().distribution(state, hand, board)
        return self.answer


def play_universal(strategy, theirs, swapped: bool, seed: int) -> None:
    """A random hand; what the adapter tells the strategy is what OpenSpiel's own information state says."""
    rng, state, game = np.random.default_rng(seed), theirs.new_initial_state(), strategy.game
    policy = openspiel.SpotPolicy(strategy)
    walked, dealt = strategy.betting.root, []
    while not state.is_terminal():
        action = int(rng.choice(state.legal_actions()))
        if state.is_chance_node():
            dealt.append(int(game.deck[action]))
        else:
            player = state.current_player()
            shares = policy.action_probabilities(state, player)
            asked, hand, board = strategy.asked
            said = dict(re.findall(r"\[([\w]+): ([^\]]*)\]", state.information_state_string(player)))
            assert asked == walked
            assert asked.actor == (1 - player if swapped else player)
            assert asked.line_string == said["Sequences"].replace("|", "/")
            assert set(hand) == set(parse_cards(said["Private"]))
            assert set(board) == set(parse_cards(said["Public"]))
            assert board == tuple(dealt[4:])
            assert list(shares) == state.legal_actions()
            assert list(shares.values()) == [strategy.answer["fcr".index(letter)] for letter in walked.legal]
            walked = walked.act(walked.legal[state.legal_actions().index(action)])
        state.apply_action(action)
    hands = [dealt[:2], dealt[2:4]][:: -1 if swapped else 1]
    strength = evaluate([[*hand, *dealt[4:]] for hand in hands]) if walked.at_showdown else [0, 0]
    winner = None if strength[0] == strength[1] else int(strength[1] > strength[0])
    scale = 10 if swapped else 1
    assert state.returns()[:: -1 if swapped else 1] == [scale * chips for chips in walked.payoff(winner)]


@pytest.mark.parametrize("swapped", [False, True])
def test_states_of_full_holdem(swapped):
    game = Game.bundled("hulhe")
    strategy = Recorded(game)
    theirs = openspiel.universal_poker(game)
    if swapped:
        theirs = pyspiel.load_game(THEIR_HULHE.format(stack="20000 20000"))
    for seed in range(60):
        play_universal(strategy, theirs, swapped, seed)


@pytest.mark.parametrize(
    ("abstraction", "why"),
    [("fc", "lists no raise"), ("fchpa", "half-pot bet"), ("fullgame", "under another action's")],
)
def test_other_lists_of_actions_are_refused_in_one_line(abstraction, why):
    parameters = openspiel.universal_poker(Game.bundled("leduc")).get_parameters() | {"bettingAbstraction": abstraction}
    described = ",".join(f"{name}={value}" for name, value in parameters.items() if value != "")
    state = pyspiel.load_game(f"{openspiel.UNIVERSAL}({described})").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    policy = openspiel.SpotPolicy(BuiltIn("uniform", Game.bundled("leduc")))
    with pytest.raises(UnknownSpotError, match=rf"^[^\n]*bettingAbstraction={abstraction}, [^\n]*{why}[^\n]*$"):
        policy.action_probabilities(state)


def test_states_of_other_universal_games_are_refused_in_one_line():
    policy = openspiel.SpotPolicy(BuiltIn("uniform"))
    leduc = openspiel.universal_poker(Game.bundled("leduc")).new_initial_state()
    for action in (0, 1):
        leduc.apply_action(action)
    with pytest.raises(UnknownSpotError, match=r"^a state of universal_poker\(.*; expected the rules of hulhe$"):
        policy.action_probabilities(leduc)
    short = pyspiel.load_game(THEIR_HULHE.format(stack="1200 1200")).new_initial_state()
    with pytest.raises(BadInputError, match="stack: 1200 1200; nobody may run out of chips"):
        policy.action_probabilities(short)
    no_limit = pyspiel.load_game("universal_poker(betting=nolimit)").new_initial_state()
    with pytest.raises(BadInputError, match="expected limit betting"):
        policy.action_probabilities(no_limit)
    ours = openspiel.SpotPolicy(BuiltIn("uniform", Game.bundled("leduc")))
    assert ours.action_probabilities(leduc) == {1: 0.5, 2: 0.5}
    with pytest.raises(BadInputError, match="player 1 is not to act, player 0 is"):
        ours.action_probabilities(leduc, 1)


def test_without_openspiel_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    wanted = (
        r"^OpenSpiel is not installed: pip install -e '\.\[openspiel\]' in a clone, or .*'cfr-holdem\[openspiel\]'$"
    )
    with pytest.raises(CfrError, match=wanted):
        openspiel.tabular_policy(BuiltIn("uniform", Game.bundled("kuhn")))


def test_openspiel_is_imported_when_first_asked_for():
    program = "import sys, cfr.formats.openspiel; assert not {'pyspiel', 'open_spiel'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_example_of_the_docs(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    section = METHOD.split("## Parity with OpenSpiel\n")[1].split("\n## ")[0]
    (command,) = re.findall(r"^\$ cfr (.*)$", section, re.MULTILINE)
    assert main(shlex.split(command)) == 0
    capsys.readouterr()
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, "Parity with OpenSpiel", "method.md", 0)
    assert len(example.examples) >= 3
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


def test_any_game_that_can_be_listed_has_a_table():
    """Leduc with other raises is no game of OpenSpiel's own; universal_poker has it."""
    game = Game.parse(Game.bundled("leduc").text().replace("raiseSize = 2 4", "raiseSize = 3 5"), "mine")
    assert game.raise_sizes == (3, 5)
    strategy = BuiltIn("uniform", game)
    policy = openspiel.tabular_policy(strategy)
    assert policy.action_probability_array.shape == (936, 3)
    nash_conv = importlib.import_module("open_spiel.python.algorithms.exploitability").nash_conv
    theirs = 500 * nash_conv(policy.game, policy) / game.big_blind
    assert theirs == pytest.approx(exploitability(strategy).exploitability_mbb, rel=1e-9)


def test_a_table_of_too_many_states_is_refused():
    with pytest.raises(BadInputError, match=r"rhode-island: 2,554,427,616 histories are too many to list"):
        openspiel.tabular_policy(BuiltIn("uniform", Game.bundled("rhode-island")))


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_parameters_that_say_what_is_usual(name):
    """Two players are asked for by many programs, and are the game's own number."""
    ours = {theirs: game for game, theirs in openspiel.GAMES.items()}[name]
    policy = openspiel.SpotPolicy(BuiltIn("uniform", Game.bundled(ours)))
    for parameters in ("", "(players=2)"):
        state = pyspiel.load_game(f"{name}{parameters}").new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        assert sum(policy.action_probabilities(state).values()) == pytest.approx(1)
    with pytest.raises(UnknownSpotError, match=rf"a state of {name}\(players=3\); expected one of {name}\(\)"):
        openspiel.spot(BettingTree(Game.bundled(ours)), pyspiel.load_game(f"{name}(players=3)").new_initial_state())
    with pytest.raises(UnknownSpotError, match="expected one of universal_poker with the rules of hulhe"):
        openspiel.spot(BettingTree(Game.bundled("hulhe")), state)
