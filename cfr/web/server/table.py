"""Hands between a person and the bot: dealing, playing on, and what the person may see of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from cfr.formats.acpc import state_line
from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.hand import Deal, HandRecord, SeenHand, clean_names, deal_hand, showdown_winner
from cfr.game.words import ACTION_NAMES
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import CfrError
from cfr.web.server.betting_line import action, entry, step
from cfr.web.server.endpoints import to_json
from cfr.web.store.records import Hand

SEATS = ("alternate", "button", "bb")
PERSON = "you"
_LOGGED_HANDS, _LOGGED_SESSIONS = 10_000, 400_000  # which the numbers of logged hands tell apart
_SYSTEM = random.SystemRandom()
_CACHED_LINES = 1 << 14  # more than hold'em has; 1 kB each


class Table:
    """A bot that waits for somebody to play. It remembers nothing: hands come from their owner and go back to it.

    Args:
        strategy: the bot's.
        name: the bot's.
        seed: of cards and of the bot's actions, for each hand by its number, whoever plays it; None takes the
            operating system's randomness.
        find: the strategy of another bot, which a person may choose, by its name and a hand's shares of its responses;
            None offers none.
    """

    def __init__(
        self,
        strategy: BaseStrategy,
        name: str,
        seed: int | None = None,
        find: Callable[[str, Sequence[float]], BaseStrategy] | None = None,
    ) -> None:
        self._strategy, self._seed, self._find = strategy, seed, find
        self._bot = StrategyPlayer(strategy, name)
        # Players meet the same lines over and over.
        self._state = lru_cache(_CACHED_LINES)(strategy.betting.parse)
        self._betting = lru_cache(_CACHED_LINES)(self._make_betting)
        self._steps = lru_cache(_CACHED_LINES)(self._make_steps)

    def bot(self, against: str, shares: Sequence[float] = ()) -> StrategyPlayer:
        """The bot of a name, the first for an empty one, with its shares in a hand; errors as those of ``find``."""
        if self._find is None or against in ("", self._bot.name):
            return self._bot
        return StrategyPlayer(self._find(against, shares), against)

    def deal(self, number: int, seat: str, against: str = "", shares: tuple[float, ...] = ()) -> Hand:
        """A new hand, up to the person's first decision; ``seat`` is one of ``SEATS``, odd hands alternate's button.

        ``against`` and ``shares`` name the bot as in :meth:`bot`, which says what is raised.
        """
        bot = self.bot(against, shares)
        game = self._strategy.game
        own = game.seat_called(seat)
        if own is None:
            own = game.button if number % 2 else 1 - game.button
        deal = deal_hand(game, self.random(number, "deal"))
        hand = Hand(number, bot.name, own, deal, "", None, chosen=bot is not self._bot, shares=shares)
        return self.play_on(hand, self._strategy.betting.root)

    def at(self, hand: Hand, line: str) -> Hand:
        """The hand at a line that it came to."""
        state = self._state(line)
        return replace(hand, line=line, chips=self._chips(hand, state))

    def act(self, hand: Hand, letter: str) -> Hand:
        """The hand after the person's action and the bot's answers; raises IllegalActionError."""
        return self.play_on(hand, self._state(hand.line).act(letter))

    def play_on(self, hand: Hand, state: State) -> Hand:
        """The hand after the bot's play from a state to the person's next decision, or to the end.

        Where the hand's bot is gone, the first one plays on.
        """
        try:
            bot = self.bot(hand.against, hand.shares)
        except (CfrError, OSError):
            bot = self._bot
        while not state.is_over and state.actor != hand.seat:
            rng = self.random(hand.number, state.line_string)
            board = hand.deal.board[: state.num_board_cards]
            state = state.act(bot.act(state, hand.deal.hands[state.actor], board, rng))
        return replace(hand, line=state.line_string, chips=self._chips(hand, state))

    def _chips(self, hand: Hand, state: State) -> int | None:
        return state.payoff(showdown_winner(state, hand.deal))[hand.seat] if state.is_over else None

    def random(self, number: int, purpose: str) -> random.Random:
        """What is random in a hand, for one purpose of it."""
        return _SYSTEM if self._seed is None else random.Random(f"{self._seed} {number} {purpose}")

    def hint(self, hand: Hand) -> dict[str, float]:
        """What the strategy would do with the person's cards, by name; empty where it is not the person's turn."""
        state = self._state(hand.line)
        if state.is_over:
            return {}
        seen = _seen(hand, state)
        shares = self._strategy.distribution(state, seen.hands[hand.seat], seen.board)
        return {ACTION_NAMES[n]: shares[n] for n in map(ACTIONS.index, state.legal)}

    def view(self, hand: Hand) -> str:
        """The hand as its person sees it, JSON, see ``docs/web.md``: the bot's cards after a showdown only."""
        state = self._state(hand.line)
        seen = _seen(hand, state)
        own = {
            "number": hand.number,
            "bot": hand.bot,
            "cards": format_cards(seen.hands[hand.seat]),
            "bot_cards": format_cards(seen.hands[1 - hand.seat]) or None,
            "board": format_cards(seen.board),
            "chips": hand.chips,
            "luck_adjusted": hand.adjusted,
            "made": _made(seen, hand.seat) if state.at_showdown else None,
        }
        return f"{to_json(own)[:-1]},{self._betting(hand.line, hand.seat)[1:]}"

    def _make_betting(self, line: str, seat: int) -> str:
        """What the person at ``seat`` sees of the betting, JSON, the same in every hand with this line."""
        state, people = self._state(line), {seat: "you", 1 - seat: "bot"}
        before = entry(state)
        betting = {
            "seat": state.tree.game.seat_names[seat],
            "line": line,
            "round": state.round,
            "pot": sum(state.stakes),
            "in_front": {people[each]: state.stakes[each] - before for each in (0, 1)},
            "actions": [action(state, letter) for letter in state.legal],
            "over": state.is_over,
            "folded": None if state.folded is None else people[state.folded],
        }
        return f'{to_json(betting)[:-1]},"steps":[{",".join(self._steps(line, seat))}]}}'

    def _make_steps(self, line: str, seat: int) -> tuple[str, ...]:
        """What was done so far as the person at ``seat`` sees it, JSON; lines share those that they have in common."""
        if not line:
            return ()
        played = line.rstrip("/")
        state = self._state(played[:-1])
        done = step(state, played[-1]) | {"who": "you" if state.actor == seat else "bot"}
        return (*self._steps(state.line_string, seat), to_json(done))

    def common(self, hand: Hand) -> SeenHand:
        """What both have seen of a hand: no cards before a showdown but the board's."""
        state = self._state(hand.line)
        hands = hand.deal.hands if state.at_showdown else ((), ())
        return SeenHand(state, hands, hand.deal.board[: state.num_board_cards])

    def log_line(self, session: int, hand: Hand) -> str:
        """A finished hand as a ``STATE:`` line of an ACPC log; cards that were not shown are left out.

        Its number is that of no hand of another ``session``, as good as certainly, and has 32 bits.
        """
        number = session % _LOGGED_SESSIONS * _LOGGED_HANDS + hand.number - 1
        state = self._state(hand.line)
        person, bot = clean_names([PERSON, hand.bot])
        names = [bot, bot]
        names[hand.seat] = person
        chips = state.payoff(showdown_winner(state, hand.deal))
        return state_line(HandRecord(_seen(hand, state), state, chips), number, names)


def _seen(hand: Hand, state: State) -> Deal:
    """The cards that the person has seen; all that leaves the table is made of these."""
    hands = [hand.deal.hands[0], hand.deal.hands[1]]
    if not state.at_showdown:
        hands[1 - hand.seat] = ()
    return Deal((hands[0], hands[1]), hand.deal.board[: state.num_board_cards])


def _made(seen: Deal, seat: int) -> dict[str, str] | None:
    """What both hold at a showdown, in words; None of hands with fewer than five cards."""
    if len(seen.board) < 3:
        return None
    strengths = evaluate([[*hand, *seen.board] for hand in seen.hands])
    return {"you": category(int(strengths[seat])), "bot": category(int(strengths[1 - seat]))}
