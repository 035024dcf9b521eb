"""Poker hand histories: the PHH format of uoftcprg/phh-std (Kim, "Recording and Describing Poker Hands", 2024).

PokerKit reads and writes the files. This module knows what their fields say of a hand of limit hold'em for two. The
first player of a history, ``p1``, is the big blind, which is position 0.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

from cfr.formats.replay import Replay, amount_of
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.hand import (
    STACK_BIG_BLINDS,
    HandRecord,
    LoggedHand,
    SeenHand,
    decisions,
    new_board_cards,
    raised_to,
    show_order,
)
from cfr.game.rules import Game
from cfr.system.errors import CfrError, MalformedTextError, UnknownSpotError
from cfr.system.extras import install_hint


def history(record: HandRecord, number: int, names: Sequence[str]) -> str:
    """A finished hand as the text of a history; names by seat, as :func:`cfr.game.hand.clean_names` gives them.

    Raises:
        UnknownSpotError: PokerKit is not installed.
    """
    game = record.state.tree.game
    stack = STACK_BIG_BLINDS * game.big_blind
    fields = {
        "variant": "FT",
        "antes": [0, 0],
        "blinds_or_straddles": [game.blinds[1], game.blinds[0]],  # PHH exchanges them where two play
        "small_bet": game.raise_sizes[0],
        "big_bet": game.raise_sizes[-1],
        "starting_stacks": [stack, stack],
        "actions": _actions(record),
        "hand": number,
        "players": list(names),
        "finishing_stacks": [stack + chips for chips in record.chips],
    }
    text: str = require_pokerkit().HandHistory(**fields).dumps()
    return text


def read(text: str, tree: BettingTree, *, many: bool) -> Iterator[LoggedHand]:
    """The hands of a file's text: ``many`` of a ``.phhs`` file, or the one of a ``.phh`` file.

    Hands without a number of their own are counted from 1.

    Raises:
        MalformedTextError: text that is no history, or actions that cannot be played; the message names the hand.
        UnknownSpotError: PokerKit is not installed, or a hand of another game.
    """
    kit = require_pokerkit()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fields that PokerKit does not know
            found = list(kit.HandHistory.loads_all(text)) if many else [kit.HandHistory.loads(text)]
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise MalformedTextError(f"no hand history of limit hold'em: {error}") from None
    begins = [number for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("variant")]
    for place, each in enumerate(found, 1):
        at = f"line {begins[place - 1]}: " if len(begins) == len(found) else ""
        number = each.hand if isinstance(each.hand, int) and 0 <= each.hand < 2**63 else place
        try:
            scale = _scale(each, tree.game)
            seen = Replay(tree, scale).play(each.actions)
            _check_stacks(each, seen, scale)
            yield LoggedHand(number, _players(each), seen)
        except CfrError as error:
            raise type(error)(f"{at}hand {number}: {error}") from None
        except ValueError as error:  # a number with more digits than Python prints
            raise MalformedTextError(f"{at}hand {number}: {error}") from None


def require_pokerkit() -> Any:
    """PokerKit, or UnknownSpotError if it is not installed."""
    try:
        # By name: type checking must not need an optional package.
        return import_module("pokerkit")
    except ImportError:
        raise UnknownSpotError(f"hand histories need PokerKit: {install_hint('formats')}") from None


def _actions(record: HandRecord) -> list[str]:
    state, deal = record.state, record.deal
    game = state.tree.game
    actions = [f"d dh p{seat + 1} {format_cards(hand)}" for seat, hand in enumerate(deal.hands)]
    round_ = 0
    for before, letter in decisions(state):
        if before.round > round_:
            round_ = before.round
            actions.append(f"d db {format_cards(new_board_cards(deal.board, round_, game))}")
        words = {"f": "f", "c": "cc", "r": f"cbr {raised_to(before)}"}
        actions.append(f"p{before.actor + 1} {words[letter]}")
    if state.at_showdown:
        actions += [f"p{seat + 1} sm {format_cards(deal.hands[seat])}" for seat in show_order(state)]
    return actions


def _scale(each: Any, game: Game) -> Fraction:
    """How many chips of the history are one of the game's."""
    if each.variant != "FT":
        raise UnknownSpotError(f"variant {each.variant!r}; expected FT, limit hold'em")
    try:
        blinds, antes = list(map(amount_of, each.blinds_or_straddles)), list(map(amount_of, each.antes))
        bets = [amount_of(each.small_bet), amount_of(each.big_bet)]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise MalformedTextError(f"antes, blinds or bets: {error}") from None
    if len(blinds) != 2 or any(antes):
        raise UnknownSpotError(f"{len(blinds)} blinds, antes {each.antes}; expected two players without antes")
    expected = game.blinds[1], game.blinds[0], game.raise_sizes[0], game.raise_sizes[-1]
    scale = bets[0] / expected[2]
    if bets[0] <= 0 or [*blinds, *bets] != [scale * chips for chips in expected]:
        raise UnknownSpotError(
            f"blinds {each.blinds_or_straddles}, bets {each.small_bet} and {each.big_bet}; expected the proportions of "
            f"{game.name}, {expected[0]} {expected[1]}, {expected[2]} and {expected[3]}"
        )
    return scale


def _check_stacks(each: Any, seen: SeenHand, scale: Fraction) -> None:
    """Refuse a hand for which a player had not enough chips: one was all-in."""
    stacks = each.starting_stacks if isinstance(each.starting_stacks, list) else []
    for place, (stack, stake) in enumerate(zip(stacks, seen.state.stakes, strict=False), 1):
        try:
            is_short = amount_of(stack) < scale * stake
        except (TypeError, ValueError, ArithmeticError):
            continue  # such as inf
        if is_short:
            raise UnknownSpotError(
                f"p{place} has {stack} and puts {float(scale * stake):g} in; this game has no all-in"
            )


def _players(each: Any) -> tuple[str, str]:
    names = each.players if isinstance(each.players, list) and len(each.players) == 2 else ["", ""]
    return str(names[0]) or "p1", str(names[1]) or "p2"


def last_section(text: str) -> int:
    """The highest section number of a ``.phhs`` file's text; 0 if there is none."""
    return max(map(int, re.findall(r"^\[([0-9]{1,9})\]\s*$", text, re.MULTILINE)), default=0)
