"""The IRC poker database: ``hdb`` has the hands, ``hroster`` their players, and ``pdb.NAME`` what each player did.

The three lie in one folder, or the ``pdb`` files in a folder ``pdb`` below it; one number joins their lines. The lines
name no stakes: the chips of both players, and the pots, tell them. Where two play, the button posts the big blind, so
the small blind acts first in all rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from cfr.formats.amount import MILLIONTHS
from cfr.formats.skipped import ALL_IN, CUT_OFF, PLAYERS, STAKES, OddHandError, Omissions, located
from cfr.formats.told_hand import Told, ToldHand, play
from cfr.game.betting import BettingTree
from cfr.game.cards import RANKS, SUITS
from cfr.game.hand import LoggedHand
from cfr.system.disk.decoded import decoded, with_line_feeds
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.text import counted

SITE = "IRC"
_HANDS, _ROSTER, _PLAYERS = "hdb", "hroster", "pdb"
_CARD = f"[{RANKS}][{SUITS}]"
_HAND = re.compile(
    rf"([0-9]{{1,18}}) +[0-9]+ +[0-9]+ +([0-9]{{1,3}})((?: +[0-9]{{1,3}}/[0-9]{{1,12}}){{4}})((?: +{_CARD}){{0,5}})"
)
_SEATED = re.compile(r"([0-9]{1,18}) +([0-9]{1,3})((?: +\S{1,100})*)")
_DID = re.compile(
    r"(\S{1,100}) +([0-9]{1,18}) +([0-9]{1,3}) +([0-9]{1,3})((?: +[-BfkcbrAQK]{1,40}){4})((?: +[0-9]{1,12}){3})"
    rf"((?: +{_CARD})*)"
)
_VERBS = {"f": "folds", "k": "checks", "c": "calls", "b": "bets", "r": "raises"}
_ODD = {
    "A": (ALL_IN, "is all-in"),
    "Q": (CUT_OFF, "quits before the hand is over"),
    "K": (CUT_OFF, "is kicked out before the hand is over"),
}
_OTHER_GAMES = {
    *("7stud", "7studhi", "holdempot", "nolimit", "ohlpot", "omaha", "omahahi", "omahapot", "ptourney", "tourney")
}
_BETS = (2, 2, 4, 4)  # by round, in small blinds
_NEW_CARDS = (0, 3, 1, 1)
_LONGEST = 4_000  # bytes of a line


@dataclass(frozen=True)
class _Did:
    """What one of two players did in a hand; chips are those of the text."""

    name: str
    rounds: list[str]
    bankroll: int
    put: int
    won: int
    cards: str


def database_of(path: Path) -> Path | None:
    """The ``hdb`` of the database that a file is part of, by its name and its first line; None for other files."""
    shape = {_HANDS: _HAND, _ROSTER: _SEATED}.get(path.name, _DID if path.name.startswith(f"{_PLAYERS}.") else None)
    if shape is None or not path.is_file():
        return None
    with path.open("rb") as file:
        if not shape.fullmatch(decoded(file.readline(_LONGEST)).strip()):
            return None
    hands = (path.parent.parent if path.parent.name == _PLAYERS else path.parent) / _HANDS
    return hands if hands.is_file() else None


def is_of_database(line: str) -> bool:
    """Whether a line could be of a file of the database, whatever its name; rosters are like many other lines."""
    return bool(_HAND.fullmatch(line.strip()) or _DID.fullmatch(line.strip()))


def read(path: Path, tree: BettingTree, omissions: Omissions | None = None) -> Iterator[LoggedHand]:
    """The hands of two players in the database of an ``hdb`` file.

    Args:
        path: of the ``hdb`` file.
        tree: the game's betting.
        omissions: takes the hands that are not read, with their lines in ``hdb``; without it, the first one is an
            error.

    Raises:
        BadInputError: a file of the database is missing, or its channel plays another game.
        CfrError: without ``omissions``, a hand that is not read; the message names line and hand.
        OSError: a file cannot be read.
    """
    home = path.parent
    if channel := _OTHER_GAMES & {home.resolve().name, home.resolve().parent.name}:
        raise BadInputError(f"the channel {channel.pop()} does not play limit hold'em")
    players = sorted(home.glob(f"{_PLAYERS}.*")) + sorted((home / _PLAYERS).glob(f"{_PLAYERS}.*"))
    if not players or not (home / _ROSTER).is_file():
        raise BadInputError(f"the IRC poker database has {_HANDS}, {_ROSTER} and {_PLAYERS} files; one is missing")
    seated = {found[1]: found[3].split() for line in _lines(home / _ROSTER) if (found := _SEATED.fullmatch(line))}
    did: dict[str, dict[str, _Did]] = {}  # by number and position
    for file in players:
        for line in _lines(file):
            if (found := _DID.fullmatch(line)) and found[3] == "2":
                bankroll, put, won = map(int, found[6].split())
                each = _Did(found[1], found[5].split(), bankroll, put, won, found[7].replace(" ", ""))
                did.setdefault(found[2], {})[found[4]] = each
    for place, line in enumerate(_lines(path), 1):
        number = line.partition(" ")[0]
        try:
            if line:
                yield _read(line, place, did, seated, tree)
        except CfrError as error:
            if omissions is None:
                raise located(error, f"line {place}: hand {number}: ") from None
            omissions.add(place, number, error)


def _lines(path: Path) -> Iterator[str]:
    for line in with_line_feeds(decoded(path.read_bytes())).split("\n"):
        yield line.strip()


def _read(
    line: str, place: int, did: dict[str, dict[str, _Did]], seated: dict[str, list[str]], tree: BettingTree
) -> LoggedHand:
    found = _HAND.fullmatch(line)
    if found is None:
        raise MalformedTextError(f"{line[:80]!r}; expected number, dealer, hand, players, four pots and the board")
    number, count, pots, board = found.groups()
    if count != "2":
        raise OddHandError(PLAYERS, f"{counted(int(count), 'player')}; expected two")
    both = did.get(number, {})
    if set(both) != {"1", "2"}:
        raise MalformedTextError(f"the {_PLAYERS} files have {len(both)} of its 2 players")
    small, big = both["1"], both["2"]
    if sorted(seated.get(number, [])) != sorted((small.name, big.name)):
        raise MalformedTextError(f"{_ROSTER} does not have {small.name} and {big.name}")
    hand = ToldHand(SITE, number, place, is_whole=True, returns_uncalled=True, rake=0, button=big.name)
    hand.stacks = {each.name: each.bankroll * MILLIONTHS for each in (small, big)}
    blind = _tell(hand, small, big, [int(pot.partition("/")[2]) for pot in pots.split()], board.split())
    if len(number) in (9, 10):  # seconds since 1970
        hand.day = str(datetime.fromtimestamp(int(number), UTC).date())
    logged = play(hand, tree, lambda _: None)
    bet = blind * _BETS[0] / tree.game.raise_sizes[0]  # chips of the text for one of the game
    for each, chips in zip((big, small), logged.chips or (), strict=False):
        if each.won - each.put != chips * bet:
            raise MalformedTextError(f"{each.name} wins {each.won - each.put}; the rules pay {float(chips * bet):g}")
    return logged


def _tell(hand: ToldHand, small: _Did, big: _Did, pots: list[int], board: list[str]) -> Fraction:
    """Fill in blinds, actions, cards and chips; returns the small blind in chips of the text."""
    if small.rounds[0][0] != "B" or big.rounds[0][0] != "B":
        raise OddHandError(STAKES, "expected a blind of each player")
    put, before = _tell_actions(hand, small, big, board)
    blind = Fraction(small.put, put[0])
    expected = [pot * blind for pot in (*before, *[0] * (3 - len(before)), sum(put))]
    if not blind or big.put != put[1] * blind or expected != pots:
        raise OddHandError(
            STAKES,
            f"{small.name} and {big.name} put {small.put} and {big.put} in, pots {'/'.join(map(str, pots))}; whole "
            f"bets are in the proportion of {put[0]} to {put[1]}",
        )
    scale = int(blind * MILLIONTHS)
    hand.bets = _BETS[0] * scale, _BETS[-1] * scale
    hand.posts = {"small": (small.name, scale, False, hand.line), "big": (big.name, 2 * scale, False, hand.line)}
    for told in hand.told:
        if told.name:
            told.amount, told.to = (told.amount or 0) * scale, (told.to or 0) * scale
    for each in (small, big):
        if each.cards:
            hand.told.append(Told(hand.line, "shows", each.name, cards=each.cards, text=f"{each.name} shows"))
        if each.won:
            hand.collected[each.name] = each.won * MILLIONTHS
    if not hand.collected:
        raise MalformedTextError("nobody wins the pot")
    return blind


def _tell_actions(hand: ToldHand, small: _Did, big: _Did, board: list[str]) -> tuple[list[int], list[int]]:
    """Put actions in turn, and the board, into what the hand tells, amounts in small blinds.

    Returns:
        What each player puts in, and the pots where the rounds after the first begin, in small blinds.

    Raises:
        OddHandError: a player who is all-in, or who leaves before the hand is over.
        MalformedTextError: actions that do not take turns, or another number of board cards.
    """
    both, put, before, has_folded = (small, big), [1, 2], [], False
    for round_, letters in enumerate(zip(small.rounds, big.rounds, strict=True)):
        queues = [list(each.strip("-")) for each in letters]
        inside, acted, turn = [0, 0], 0, 0
        if round_ == 0:
            inside, queues = [1, 2], [queue[1:] for queue in queues]
        elif any(queues) and not has_folded:
            before.append(sum(put))
            new, board = board[: _NEW_CARDS[round_]], board[_NEW_CARDS[round_] :]
            hand.told.append(Told(hand.line, "board", cards="".join(new), text=f"board {' '.join(new)}"))
        while any(queues) and not has_folded and not (acted > 1 and inside[0] == inside[1]):
            if not queues[turn]:
                raise MalformedTextError(f"{'/'.join(letters)}: expected {both[turn].name} to act")
            letter, owed = queues[turn].pop(0), max(inside) - inside[turn]
            if letter in _ODD:
                reason, said = _ODD[letter]
                raise OddHandError(reason, f"{both[turn].name} {said}")
            if letter not in _VERBS:
                raise MalformedTextError(f"{'/'.join(letters)}: {letter} is no action there")
            more = {"c": owed, "b": _BETS[round_], "r": owed + _BETS[round_]}.get(letter, 0)
            inside[turn] += more
            put[turn] += more
            kind = _VERBS[letter]
            hand.told.append(
                Told(hand.line, kind, both[turn].name, more, inside[turn], text=f"{both[turn].name} {kind}")
            )
            has_folded, acted, turn = letter == "f", acted + 1, 1 - turn
        left = {*queues[0], *queues[1]}
        if left - {"Q", "K"}:
            raise MalformedTextError(f"{'/'.join(letters)}: more actions than the round has")
        if left and not has_folded and round_ < len(_BETS) - 1:
            raise OddHandError(CUT_OFF, "a player leaves before the hand is over")
    if board:
        raise MalformedTextError(f"{' '.join(board)} on the board after the hand's end")
    return put, before
