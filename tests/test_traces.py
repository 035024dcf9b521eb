"""Traces: each text is read once, and each reach is multiplied once, on the way from a question to its answer."""

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

import cfr
from cfr.cli.main import main
from cfr.game import cards, line_text
from cfr.game.betting import BettingTree
from cfr.game.hand import LoggedHand, SeenHand
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.files.stored import Strategy
from cfr.strategy.position import Position
from cfr.study.reviews import losses
from cfr.study.reviews.reviewed import Reviewed
from cfr.values import expected_values as values
from cfr.web.explore.explorer import Explorer
from cfr.web.explore.ranges import both_ranges
from cfr.web.server.runouts import CardMap
from cfr.web.spots.exact import ExactSpots
from tests.resolving.random_strategy import RandomStrategy
from tests.small_games import short_deck

BOARD, LINE, HAND = "Td9d6h2c3s", "rc/crc/cc/r", "KdJh"


@dataclass
class Trace:
    """What was done how often.

    Attributes:
        texts: lines and cards that were read.
        games: rules that were read.
        asked: lines and boards at which a file was asked for all hands.
        reached: strategies, lines, boards and seats whose reach was multiplied.
    """

    texts: Counter = field(default_factory=Counter)
    games: Counter = field(default_factory=Counter)
    asked: Counter = field(default_factory=Counter)
    reached: Counter = field(default_factory=Counter)

    def clear(self):
        for each in vars(self).values():
            each.clear()

    def check_once(self):
        """Something was asked and reached, and nothing twice."""
        assert self.asked
        assert self.reached
        for counted in (self.asked, self.reached):
            assert not {what: times for what, times in counted.items() if times > 1}


@pytest.fixture
def trace(monkeypatch):
    found = Trace()

    def count(function, note):
        """Put a counting function in every module's place of ``function``."""

        def counted(*given, **named):
            note(*given)
            return function(*given, **named)

        for name, module in list(sys.modules.items()):
            if name.startswith("cfr.") and getattr(module, function.__name__, None) is function:
                monkeypatch.setattr(module, function.__name__, counted)

    def count_method(owner, name, note):
        plain = getattr(owner, name)

        def counted(self, *given):
            note(self, *given)
            return plain(self, *given)

        monkeypatch.setattr(owner, name, counted)

    count(cards.parse_cards, lambda text: found.texts.update([text]))
    count(line_text.read_line, lambda _, line: found.texts.update([f"words {line}"]))
    count_method(BettingTree, "parse", lambda _, line: found.texts.update([line]))
    count_method(Strategy, "all_hands", lambda _, state, board: found.asked.update([(state.line_string, tuple(board))]))
    count_method(
        Position,
        "_find_reach",
        lambda self, seat: found.reached.update([(id(self.strategy), self.state.line_string, self.board, seat)]),
    )
    plain = cfr.Game.parse.__func__

    def counted(cls, text, name="game"):
        found.games.update([name])
        return plain(cls, text, name)

    monkeypatch.setattr(cfr.Game, "parse", classmethod(counted))
    return found


@pytest.fixture(scope="module")
def small():
    with Strategy("small") as strategy:
        yield strategy


def test_a_query_with_values(trace, capsys):
    """The hand is asked for by itself, on its own board; its values are those of the canonical board."""
    assert main(["query", "small", "--hand", HAND, "--board", BOARD, "--line", LINE, "--ev"]) == 0
    assert "EV: " in capsys.readouterr().out
    assert trace.texts == {HAND: 1, BOARD: 1, LINE: 1, f"words {LINE}": 1}
    assert trace.games == {"hulhe": 1}
    trace.check_once()


def test_values_on_a_flop(trace, small, monkeypatch):
    """One question about all hands at each decision on the way; the pass over what follows asks none."""
    monkeypatch.setattr(
        values, "play_copies", lambda _, state, board, seat, reach, heard: np.zeros((4, reach.shape[1]))
    )
    cfr.expected_values(small, "Td9d6h", "rc/cr")
    assert trace.texts == {"Td9d6h": 1, "rc/cr": 1, "words rc/cr": 1}
    trace.check_once()
    assert {line for line, _ in trace.asked} == {"", "r", "rc/", "rc/c", "rc/cr"}


def test_a_re_solved_decision(trace, small):
    """One re-solve; its second decision asks the blueprint for the hands there, and for no reach."""
    bot = Resolving(small, "river", Effort(2), threads=1, keeps=False)
    state, board = small.spot(BOARD, LINE[:-1])
    hand = cards.parse_cards(HAND)
    trace.clear()
    bot.distribution(state, hand, board)
    assert not trace.texts
    trace.check_once()
    trace.clear()
    bot.distribution(state.act("c").act("r"), hand, board)
    assert not trace.texts
    assert not trace.reached


def test_explore(trace, small):
    """A spot, its ranges, and the spot one action later."""
    state, board = small.spot(BOARD, LINE)
    trace.clear()
    explorer = Explorer(small)
    explorer.spot(BOARD, LINE)
    assert trace.texts == {BOARD: 1, LINE: 1, f"words {LINE}": 1}
    both_ranges(explorer.positions.at(state, board))
    trace.check_once()
    before = len(trace.asked)
    explorer.spot(BOARD, LINE + "r")
    trace.check_once()
    assert len(trace.asked) == before + 1


def test_a_solved_spot_on_the_page(trace, small):
    exact = ExactSpots(small)
    body = {"board": BOARD, "line": LINE, "button": "", "bb": "", "locks": [], "target": 5.0}
    wanted = exact.wanted(body)
    assert trace.texts == {BOARD: 1, LINE: 1, f"words {LINE}": 1}
    trace.check_once()
    solved = exact.solve(wanted, lambda *_: None).strategy
    trace.clear()
    exact.solution(solved, BOARD, LINE + "r")
    assert trace.texts == {BOARD: 1, LINE + "r": 1, f"words {LINE}r": 1}


def test_a_map_of_the_next_card(trace, small):
    """All cards share the text and the way to them."""
    found = CardMap.of(small, BOARD[:8], LINE[:-1])
    texts = {BOARD[:8]: 1, BOARD[:8] + "2d": 1, LINE[:-1]: 1, f"words {LINE[:-1]}": 1}
    assert trace.texts == texts
    trace.clear()
    steps = found.steps()
    for _ in range(4):
        assert next(steps)
    assert not trace.texts
    trace.check_once()


def test_a_review_of_a_hand(trace, monkeypatch):
    """A hand with decisions in each round: the passes of all its spots share the way."""
    strategy = RandomStrategy(short_deck("small", 3, 3, (0, 3, 1), (1, 1, 1)))
    monkeypatch.setattr(losses, "_SHARED_FROM", 2)
    plain = RandomStrategy.all_hands
    monkeypatch.setattr(RandomStrategy, "distribution", lambda self, *_: (0.2, 0.3, 0.5))  # a hand's own, not counted

    def counted(self, state, board):
        trace.asked.update([(state.line_string, tuple(board))])
        return plain(self, state, board)

    monkeypatch.setattr(RandomStrategy, "all_hands", counted)
    deck = strategy.game.deck.tolist()
    seen = SeenHand(strategy.betting.parse("rc/crc/crc"), (tuple(deck[4:6]), tuple(deck[6:8])), tuple(deck[:4]))
    trace.clear()
    reviewed = Reviewed.of([LoggedHand(1, ("ann", "bob"), seen)], strategy, None, "x.log")
    found = losses.with_losses(reviewed.decisions, strategy)
    assert [each.ev_lost is None for each in found] == [False] * 8
    assert not trace.texts
    trace.check_once()
