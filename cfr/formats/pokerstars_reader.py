"""Hand histories of fixed-limit hold'em for two, as PokerStars writes them.

PokerKit's parser of this text knows no-limit games only, so the text is read here. The button posts the small blind and
is position 1. Chips are those that the rules pay: rake is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from cfr.formats.replay import Replay, amount_of
from cfr.game.betting import BettingTree, action_word
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand import LoggedHand
from cfr.game.rules import Game
from cfr.system.errors import CfrError, MalformedTextError, UnknownSpotError

_HEADER = re.compile(r"PokerStars .{0,200}?#([0-9]{1,18}):")
_LIMIT = re.compile(r"Hold'em Limit \(\D{0,4}([0-9.,]{1,15})/\D{0,4}([0-9.,]{1,15})")
_SEAT = re.compile(r"Seat [0-9]{1,2}: (.{1,100}?) \(\D{0,4}[0-9.,]{1,20} in chips\)(.*)")
_BLIND = re.compile(r"posts (small|big) blind \D{0,4}([0-9.,]{1,15})(?: and is all-in)?")
_BOARD = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\*(.{0,60})\[([^][]{2,8})\]\s*")
_SUMMED_UP = re.compile(r"Board \[([^][]{2,20})\]")
_COLLECTED = re.compile(r"(.{1,100}) collected \D{0,4}[0-9.,]{1,20} from (?:the )?pot")
_ACTION = re.compile(r"(folds|checks|calls|bets|raises)(?: \D{0,4}([0-9.,]{1,15}))?(?: to \D{0,4}([0-9.,]{1,15}))?")
_SHOWN = re.compile(r"(?:showed|mucked) \[([^][]{5})\]")
_END = "*** SUMMARY ***"
_PLAYERS = 2


def read(lines: Sequence[str], tree: BettingTree) -> Iterator[LoggedHand]:
    """The hands of a text; lines before the first hand are passed over.

    Raises:
        MalformedTextError: text without a hand, or a hand that cannot be played; the message names line and hand.
        UnknownSpotError: another game, another number of players, antes, or blinds of other proportions.
        IllegalActionError: betting that the rules do not allow.
    """
    known: dict[int, list[str]] = {}
    hand, number, begin = list[str](), 0, 1

    def whole() -> Iterator[LoggedHand]:
        """The hand so far, unless exports overlap and it was there before."""
        lines = [line for line in hand if line]
        if known.setdefault(number, lines) is lines:
            yield _read(hand, number, begin, tree)
        elif known[number] != lines:
            raise MalformedTextError(f"line {begin}: hand {number} was there before, with other lines")

    for place, line in enumerate((each.strip().lstrip("\ufeff") for each in lines), 1):
        header = _HEADER.match(line)
        if header:
            if hand:
                yield from whole()
            hand, number, begin = [line], int(header[1]), place
        elif hand:
            hand.append(line)
    if not hand:
        raise MalformedTextError("line 1: no hand of PokerStars; expected lines that begin with PokerStars Hand #")
    yield from whole()


def _read(lines: Sequence[str], number: int, begin: int, tree: BettingTree) -> LoggedHand:
    """The hand of some lines, the first of which is the ``begin``-th of the text."""
    history = _History(lines, number, tree)
    try:
        return history.read()
    except CfrError as error:
        raise type(error)(f"line {begin + history.at}: hand {number}: {error}") from None


class _History:
    """The lines of one hand.

    Attributes:
        at: which of them is read, from 0.
    """

    def __init__(self, lines: Sequence[str], number: int, tree: BettingTree) -> None:
        self._lines, self._number, self._tree, self._game = lines, number, tree, tree.game
        self._names: list[str] = []
        self._winners: set[str] = set()
        self.at = 0

    def read(self) -> LoggedHand:
        """The hand; errors as :func:`read`."""
        self._scale = _scale(self._lines[0], self._game)
        seated = [_SEAT.fullmatch(line) for line in self._until("*** HOLE CARDS ***")]
        self._names = [
            each[1] for each in seated if each and "out of hand" not in each[2] and "sitting out" not in each[2]
        ]
        if len(set(self._names)) != _PLAYERS:
            raise UnknownSpotError(f"{len(self._names)} players; expected two")
        self._replay = Replay(self._tree, self._scale)
        self._post()
        end = len(self._until(_END))
        for at, line in enumerate(self._lines):
            self.at = at
            try:
                if self.at < end:
                    self._take(line)
                else:
                    self._show(line)
            except CfrError as error:
                raise type(error)(f"{line[:100]!r}: {error}") from None
        seen = self._replay.hand()
        if not seen.state.is_over:
            raise MalformedTextError("the hand is not over")
        for name, chips in zip(self._names, seen.chips or (0, 0), strict=True):
            if chips < 0 and name in self._winners:
                raise MalformedTextError(f"{name} collected what the other player won")
        return LoggedHand(self._number, (self._names[0], self._names[1]), seen)

    def _until(self, mark: str) -> Sequence[str]:
        return self._lines[: self._lines.index(mark)] if mark in self._lines else self._lines

    def _post(self) -> None:
        """Check the blinds, and put the names in the order of the positions."""
        posted = {}
        for at, line in enumerate(self._until("*** HOLE CARDS ***")):
            self.at = at
            name, said = self._said(line)
            if name is None or not said.startswith("posts "):
                continue
            blind = _BLIND.fullmatch(said)
            if blind is None or blind[1] in posted:
                raise UnknownSpotError(f"{line[:100]!r}; expected a small blind, a big blind and nothing else")
            posted[blind[1]] = name, _amount(blind[2])
        if len({name for name, _ in posted.values()}) != _PLAYERS:
            raise UnknownSpotError("expected a small blind and a big blind of two players")
        small, big = (self._scale * chips for chips in sorted(self._game.blinds))
        if (posted["small"][1], posted["big"][1]) != (small, big):
            raise UnknownSpotError(
                f"blinds {float(posted['small'][1]):g} and {float(posted['big'][1]):g}; expected {float(small):g} and "
                f"{float(big):g}, the proportions of {self._game.name}"
            )
        self._names = [posted["big"][0], posted["small"][0]]

    def _take(self, line: str) -> None:
        """Play a line; those that say nothing about cards and actions are passed over."""
        if board := _BOARD.fullmatch(line):
            self._check_board("".join(re.findall(r"\[([^][]+)\]", board[1])))
            self._replay.take(["d", "db", board[2].replace(" ", "")])
        elif line.startswith("Dealt to "):
            self._dealt(line)
        elif collected := _COLLECTED.match(line):
            self._winners.add(collected[1])
        else:
            name, said = self._said(line)
            if name is None:
                return
            player = f"p{self._names.index(name) + 1}"
            if shown := re.match(r"shows \[([^][]{5})\]", said):
                self._replay.take([player, "sm", shown[1].replace(" ", "")])
            elif action := _ACTION.match(said):
                self._act(player, action)

    def _dealt(self, line: str) -> None:
        for position, name in enumerate(self._names, 1):
            if dealt := re.fullmatch(rf"Dealt to {re.escape(name)} \[([^][]{{5}})\]", line):
                self._replay.take(["d", "dh", f"p{position}", dealt[1].replace(" ", "")])

    def _act(self, player: str, action: re.Match[str]) -> None:
        state, (word, amount, to) = self._replay.state, action.groups()
        letter = {"folds": "f", "checks": "c", "calls": "c"}.get(word, "r")
        if state.is_over:
            raise MalformedTextError("the hand is over")
        if letter in state.legal and f"{action_word(letter, state)}s" != word:
            raise MalformedTextError(f"expected {action_word(letter, state)}s")
        if word == "calls":
            owed = self._scale * (max(state.stakes) - min(state.stakes))
            if _amount(amount) != owed:
                raise UnknownSpotError(f"expected a call of {float(owed):g}; this game has no all-in")
        words = {"f": ["f"], "c": ["cc"], "r": ["cbr", (to or amount or "").replace(",", "")]}[letter]
        self._replay.take([player, *words])

    def _show(self, line: str) -> None:
        """Check the summary's board, and take cards that only the summary has."""
        if board := _SUMMED_UP.match(line):
            self._check_board(board[1])
        shown = _SHOWN.search(line)
        # A name may begin another one.
        for name in sorted(self._names, key=len, reverse=True):
            if shown and re.match(rf"Seat [0-9]{{1,2}}: {re.escape(name)} ", line):
                self._replay.take([f"p{self._names.index(name) + 1}", "sm", shown[1].replace(" ", "")])
                return

    def _check_board(self, text: str) -> None:
        """Compare cards that are repeated with those that were dealt; none are repeated before the turn."""
        if text and parse_cards(text.replace(" ", "")) != self._replay.board:
            raise MalformedTextError(f"[{text}] is not the board so far, {format_cards(self._replay.board)}")

    def _said(self, line: str) -> tuple[str | None, str]:
        """Who acts in a line, and what the line says; None for a line of nobody's."""
        for name in sorted(self._names, key=len, reverse=True):
            if line.startswith(f"{name}: "):
                return name, line[len(name) + 2 :]
        return None, ""


def _scale(header: str, game: Game) -> Fraction:
    """How many chips of the text are one of the game's."""
    if "Tournament #" in header:
        raise UnknownSpotError(f"{header[:100]!r} is of a tournament; expected a cash game")
    stakes = _LIMIT.search(header)
    if stakes is None:
        raise UnknownSpotError(f"{header[:100]!r}; expected Hold'em Limit")
    small, big = _amount(stakes[1]), _amount(stakes[2])
    scale = small / game.raise_sizes[0]
    if small <= 0 or big != scale * game.raise_sizes[-1]:
        raise UnknownSpotError(
            f"bets of {stakes[1]} and {stakes[2]}; expected the proportions of {game.name}, "
            f"{game.raise_sizes[0]} and {game.raise_sizes[-1]}"
        )
    return scale


def _amount(text: str | None) -> Fraction:
    try:
        return amount_of((text or "").replace(",", ""))
    except (ValueError, ArithmeticError):
        raise MalformedTextError(f"{text!r} is no amount") from None
