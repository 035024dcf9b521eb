"""Poker hand histories: the PHH format of uoftcprg/phh-std (Kim, "Recording and Describing Poker Hands", 2024).

PokerKit reads and writes the files. This module knows what their fields say of a hand of limit hold'em for two. The
first player of a history, ``p1``, is the big blind, which is position 0.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from fractions import Fraction
from importlib import import_module
from typing import Any

from cfr.formats.replay import Replay, amount_of, shown
from cfr.formats.skipped import ALL_IN, BUTTON, CUT_OFF, NO_LIMIT, PLAYERS, STAKES, OddHandError, Omissions, located
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
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.extras import install_hint
from cfr.system.text import counted

PLAYERS_DEALT = 2
FIRST_FIELD = re.compile(r"^variant\s*=\s*['\"]", re.MULTILINE)
_TABLE = re.compile(r"^\[[A-Za-z0-9_-]{1,100}\]\s*$", re.MULTILINE)
_UNREADABLE = (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)


def history(record: HandRecord, number: int, names: Sequence[str]) -> str:
    """A finished hand as the text of a history; names by seat, as :func:`cfr.game.hand.clean_names` gives them.

    Raises:
        BadInputError: PokerKit is not installed.
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


def read(text: str, tree: BettingTree, *, many: bool, omissions: Omissions | None = None) -> Iterator[LoggedHand]:
    """The hands of a file's text: ``many`` of a ``.phhs`` file, or the one of a ``.phh`` file.

    Hands without a number of their own are counted from 1.

    Args:
        text: with LF at its line ends.
        tree: the game's betting.
        many: whether the hands have sections, by the file's name; the text is believed where it says something else.
        omissions: takes the hands that are not read; without it, the first one is an error.

    Raises:
        MalformedTextError: text that is no history, or actions that cannot be played; the message names the hand.
        BadInputError: PokerKit is not installed, or a hand of another game.
    """
    kit = require_pokerkit()
    if not text.strip():
        raise MalformedTextError("the file is empty; expected a hand history")
    many = bool(_TABLE.search(text)) or (many and not text.lstrip().startswith("variant"))
    for place, (line, found) in enumerate(_histories(text, kit, many), 1):
        at, number = f"line {line}: " if line else "", place
        try:
            if isinstance(found, CfrError):
                at = at if omissions is not None and many else ""
                raise found
            if type(found.hand) is int and 0 <= found.hand < 2**63:
                number = found.hand
            scale = _scale(found, tree.game)
            replay = Replay(tree, scale, _stacks(found, scale))
            seen = replay.play(found.actions)
            _check_stacks(found, seen, scale)
            yield _logged(number, found, replay, seen, scale, tree.game)
        except (CfrError, ValueError) as error:  # a number with more digits than Python prints is a ValueError
            refused = error if isinstance(error, CfrError) else MalformedTextError(str(error))
            if omissions is None:
                where = at if refused is found else f"{at}hand {number}: "
                raise located(refused, where) from None
            omissions.add(line, str(number), refused)


def _histories(text: str, kit: Any, many: bool) -> Iterator[tuple[int, Any]]:
    """Where each hand begins, 0 if that is not known, and PokerKit's history or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fields that PokerKit does not know
            found = list(kit.HandHistory.loads_all(text)) if many else [kit.HandHistory.loads(text)]
    except _UNREADABLE as error:
        sections = _sections(text) if many else []
        if not sections:
            yield 1, _damage(text, kit, error)
            return
        for line, section in sections:  # so that one damaged hand is one hand less
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield line, kit.HandHistory.loads(section)
            except _UNREADABLE as damage:
                refused: CfrError = _damage(section, kit, damage, line - 1)
                if line == sections[-1][0] and isinstance(damage, tomllib.TOMLDecodeError) and not text.endswith("\n"):
                    refused = OddHandError(CUT_OFF, f"the text ends before the hand is over: {refused}")
                yield line, refused
        return
    begins = [number for number, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith("variant")]
    for place, each in enumerate(found):
        yield (begins[place] if len(begins) == len(found) else 0), each


def _damage(text: str, kit: Any, error: BaseException, lines_before: int = 0) -> MalformedTextError:
    """Why PokerKit makes no history of a hand's text: fields that the text lacks, or what PokerKit says."""
    needed = [each.name for each in fields(kit.HandHistory) if each.default is each.default_factory is MISSING]
    try:
        lacking = [name for name in needed if name not in tomllib.loads(text)]
    except (ValueError, RecursionError):  # no TOML
        lacking = []
    said = re.sub(r"(?<=at line )[0-9]+", lambda line: str(int(line[0]) + lines_before), str(error))
    why = f"it lacks {', '.join(lacking)}" if lacking else said
    return MalformedTextError(f"no hand history of limit hold'em: {why}")


def _sections(text: str) -> list[tuple[int, str]]:
    """The line after each section's name, and the text up to the next one."""
    sections: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if re.fullmatch(r"\[[0-9]{1,9}\]\s*", line):
            sections.append((number + 1, []))
        elif sections:
            sections[-1][1].append(line)
    return [(line, "\n".join(lines)) for line, lines in sections]


def _stacks(each: Any, scale: Fraction) -> tuple[Fraction | None, Fraction | None]:
    """Chips of the game that p1 and p2 begin with; None where that is not said."""
    found: list[Fraction | None] = []
    for stack in (each.starting_stacks if isinstance(each.starting_stacks, list) else [])[:2]:
        try:
            found.append(amount_of(stack) / scale)
        except (TypeError, ValueError, ArithmeticError):
            found.append(None)  # such as inf
    found += [None, None]
    return found[0], found[1]


def _logged(number: int, each: Any, replay: Replay, seen: SeenHand, scale: Fraction, game: Game) -> LoggedHand:
    small = amount_of(each.blinds_or_straddles[0]) / scale
    if small == min(game.blinds) and seen.state.is_over:
        return LoggedHand(number, _players(each), seen)
    won = replay.won(small)
    return LoggedHand(number, _players(each), seen, won, 0, small != min(game.blinds))


def require_pokerkit() -> Any:
    """PokerKit, or BadInputError if it is not installed."""
    try:
        # By name: type checking must not need an optional package.
        return import_module("pokerkit")
    except ImportError:
        raise BadInputError(f"hand histories need PokerKit: {install_hint('formats')}") from None


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
        raise OddHandError(NO_LIMIT, f"variant {shown(each.variant)}; expected FT, limit hold'em")
    blinds, antes = _chips(each, "blinds_or_straddles"), _chips(each, "antes")
    bets = [_number("small_bet", each.small_bet), _number("big_bet", each.big_bet)]
    if len(blinds) != PLAYERS_DEALT or any(antes):
        reason = PLAYERS if len(blinds) != PLAYERS_DEALT else STAKES
        raise OddHandError(
            reason, f"{counted(len(blinds), 'blind')}, antes {each.antes}; expected two players without antes"
        )
    expected = game.blinds[1], game.blinds[0], game.raise_sizes[0], game.raise_sizes[-1]
    scale = bets[0] / expected[2]
    if bets[0] > 0 and blinds[0] == scale * expected[1] and 0 < blinds[1] < blinds[0]:
        raise OddHandError(BUTTON, "the button (p2) posts the big blind, so p1 acts first before the flop, too")
    regular = [scale * expected[1], scale * expected[2], scale * expected[3]]
    if bets[0] <= 0 or [blinds[1], *bets] != regular or not 0 < blinds[0] < blinds[1]:
        raise OddHandError(
            STAKES,
            f"blinds {each.blinds_or_straddles}, bets {each.small_bet} and {each.big_bet}; expected the proportions of "
            f"{game.name}, {expected[0]} {expected[1]}, {expected[2]} and {expected[3]}",
        )
    return scale


def _chips(each: Any, field: str) -> list[Fraction]:
    values = getattr(each, field)
    if not isinstance(values, list):
        raise MalformedTextError(f"{field}: {shown(values)}; expected a list of two numbers")
    return [_number(field, value) for value in values]


def _number(field: str, value: Any) -> Fraction:
    try:
        return amount_of(value)
    except (TypeError, ValueError, ArithmeticError):
        raise MalformedTextError(f"{field}: {shown(value)}; expected a number") from None


def _check_stacks(each: Any, seen: SeenHand, scale: Fraction) -> None:
    """Refuse a hand for which a player had not enough chips: one was all-in."""
    stacks = each.starting_stacks if isinstance(each.starting_stacks, list) else []
    for place, (stack, stake) in enumerate(zip(stacks, seen.state.stakes, strict=False), 1):
        try:
            is_short = amount_of(stack) < scale * stake
        except (TypeError, ValueError, ArithmeticError):
            continue  # such as inf
        if is_short:
            raise OddHandError(
                ALL_IN,
                f"p{place} has {stack} and puts {float(scale * stake):g} in; this game has no all-in",
            )


def _players(each: Any) -> tuple[str, str]:
    names = each.players if isinstance(each.players, list) and len(each.players) == 2 else ["", ""]
    first, second = (str(name).strip() for name in names)
    if first == second:  # other names, or none
        first, second = map(str, names)
    return first or "p1", second or "p2"


def last_section(text: str) -> int:
    """The highest section number of a ``.phhs`` file's text; 0 if there is none."""
    return max(map(int, re.findall(r"^\[([0-9]{1,9})\]\s*$", text, re.MULTILINE)), default=0)
