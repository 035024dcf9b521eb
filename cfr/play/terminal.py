"""Play against a strategy in the terminal."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from cfr.formats.logs import HandLog
from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.hand import HandRecord, deal_hand, raised_to
from cfr.game.line_text import action_letter
from cfr.game.rules import Game
from cfr.game.spot_words import spot_words
from cfr.game.words import UNLEARNT
from cfr.play.hand import play_hand
from cfr.play.learning_player import LearningPlayer
from cfr.play.match_result import MatchResult
from cfr.play.player import Player
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.strategy import BaseStrategy
from cfr.system.text import counted, signed

SEATS = ("alternate", "button", "bb")
_ACT = "f folds, c (or k) checks or calls, r (or b) bets or raises, words do, too; "
KEYS = f"{_ACT}? shows this, q quits"
HELP = f"{_ACT}h shows the strategy's frequencies, ? this, q quits"

# What each action's keys do, by its word.
_KEYS_OF = {
    "fold": "f folds",
    "check": "c (or k) checks",
    "call": "c calls",
    "bet": "r (or b) bets",
    "raise": "r (or b) raises",
}

Ask = Callable[[str], str]
Say = Callable[[str], None]


class Quit(Exception):  # noqa: N818 - it is no error
    """The person ends the game."""


class Person:
    """Asks somebody at the terminal; ``strategy`` gives hints, None gives none."""

    name = "you"

    def __init__(self, strategy: BaseStrategy | None, ask: Ask, say: Say) -> None:
        self._strategy = strategy
        self._ask = ask
        self._say = say

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        self._say(table_words(state, hand, board))
        options = ", ".join(f"{letter} {option_words(letter, state)}" for letter in state.legal)
        while True:
            try:
                answer = self._ask(f"  {options} > ").strip().lower()
            except (EOFError, KeyboardInterrupt):
                raise Quit from None
            if answer in ("q", "quit", "exit"):
                raise Quit
            if answer in ("?", "help"):
                self._say(f"  {self._help(state)}")
            elif self._strategy is not None and answer in ("h", "hint"):
                self._say("  " + _hint(self._strategy, state, hand, board))
            else:
                letter = action_letter(answer, state)
                if letter:
                    return letter
                self._say(f"  {answer!r} cannot be done here; {self._help(state)}")

    def _help(self, state: State) -> str:
        """The keys of what is legal now."""
        legal = ", ".join(_KEYS_OF[action_word(letter, state)] for letter in state.legal)
        more = "h shows the strategy's frequencies, ? this" if self._strategy is not None else "? shows this"
        return f"{legal}, words do, too; {more}, q quits"


class Watched:
    """The bot; its actions are shown."""

    def __init__(self, player: Player, say: Say) -> None:
        self.name = player.name
        self._player = player
        self._say = say

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        action = self._player.act(state, hand, board, rng)
        where = f" on {format_cards(board)}" if board else ""
        self._say(f"  the bot {_third_person(option_words(action, state))}{where}")
        return action


def play(
    bot: BaseStrategy | LearningPlayer,
    *,
    seat: str = "alternate",
    hands: int | None = None,
    seed: int | None = None,
    log: Path | None = None,
    ask: Ask = input,
    say: Say = print,
) -> list[int]:
    """Play hands until the person quits, by Ctrl-C, too, or ``hands`` are done; returns the chips won in each.

    Args:
        bot: a strategy, or an entered player that learns.
        seat: ``button``, ``bb`` (big blind) or ``alternate``.
        hands: how many, None for no end.
        seed: of cards and actions; None takes the operating system's randomness.
        log: file to which each finished hand is appended, in the format of its suffix (:mod:`cfr.formats.logs`).
            Without a seed the numbers of hands begin at the seconds since 1970.
        ask, say: how to talk to the person.

    Raises:
        BadInputError: a log that cannot hold these hands.
        OSError: the log cannot be written.
    """
    player = bot if isinstance(bot, LearningPlayer) else StrategyPlayer(bot, "bot")
    strategy, game = player.strategy, player.strategy.game
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    person = Person(strategy, ask, say)
    watched = Watched(player, say)
    won: list[int] = []
    players = (Person.name, "bot")
    # Cards that nobody repeats have numbers that no other session has; an ACPC number has 32 bits.
    number = int(time.time()) if seed is None else 0
    # Opened before the first card: a log that cannot be written says so at once.
    with (
        nullcontext() if log is None else HandLog(log, game, players, hands=hands, append=True, number=number) as writer
    ):
        say(f"{game.name}: {HELP}")
        try:
            while hands is None or len(won) < hands:
                own = game.seat_called(seat)
                if own is None:
                    own = 1 - game.button if len(won) % 2 else game.button
                say(f"\nhand {len(won) + 1}: you are the {game.seat_names[own]}")
                seats = (person, watched) if own == 0 else (watched, person)
                record = play_hand(strategy.betting, deal_hand(game, rng), seats, rng)
                if isinstance(player, LearningPlayer):
                    player.watch(1 - own, len(won), record.deal.seen_by(1 - own, record.state))
                won.append(record.chips[own])
                say(ending(record, own))
                say("  " + summary(game, won))
                if writer is not None:
                    writer.write(record, own)
        except (Quit, KeyboardInterrupt):  # Ctrl-C, while the bot thinks
            say("\n" + (summary(game, won) if won else "no hand was finished"))
    return won


def summary(game: Game, won: Sequence[int]) -> str:
    """The running result, in chips, and from two hands on with its rate: one hand says nothing about 100."""
    text = f"result: {sum(won):+d} chips in {counted(len(won), 'hand')}"
    if len(won) < 2:
        return text
    result = MatchResult.of(np.array(won), game)
    text += f", {signed(result.mbb_per_game / 10)} big blinds per 100 hands, "
    if math.isinf(result.interval_95):
        return text + "too few hands for a 95 % interval"
    return text + f"95 % interval +- {result.interval_95 / 10:.1f}"


def _hint(strategy: BaseStrategy, state: State, hand: Sequence[int], board: Sequence[int]) -> str:
    shares = strategy.distribution(state, hand, board)
    said = ", ".join(
        f"{action_word(letter, state)} {100 * share:.1f} %"
        for letter, share in zip(ACTIONS, shares, strict=True)
        if letter in state.legal
    )
    return f"the strategy would {said}{'' if strategy.reach_of(state, hand, board) else UNLEARNT}"


def table_words(state: State, hand: Sequence[int], board: Sequence[int]) -> str:
    """The person's cards and the spot, in a line."""
    mine, theirs = state.stakes[state.actor], state.stakes[1 - state.actor]
    to_call = f", {theirs - mine} to call" if theirs > mine else ""
    return f"  your hand {format_cards(hand)}: {spot_words(state, board)}{to_call}"


def ending(record: HandRecord, own: int) -> str:
    """How a hand ended for the seat ``own``, in a line."""
    chips = record.chips[own]
    outcome = f"you win {chips}" if chips > 0 else f"you lose {-chips}" if chips < 0 else "a tie"
    if not record.state.at_showdown:
        return f"  {outcome}"
    board, hand = format_cards(record.deal.board), format_cards(record.deal.hands[1 - own])
    return f"  showdown{' on ' + board if board else ''}: the bot has {hand}; {outcome}"


def option_words(letter: str, state: State) -> str:
    """An action as said at a table: ``check``, ``call 10``, ``bet 20``, in this round ``raise to 40``."""
    word = action_word(letter, state)
    mine, theirs = state.stakes[state.actor], state.stakes[1 - state.actor]
    if letter == "r":
        return f"bet {raised_to(state)}" if word == "bet" else f"raise to {raised_to(state)}"
    return f"call {theirs - mine}" if word == "call" else word


def _third_person(option: str) -> str:
    word, *amount = option.split(maxsplit=1)
    return " ".join([f"{word}s", *amount])
