"""The ACPC's text: what a dealer sends to its players, and what it logs.

Colons join the parts of a line: betting as :meth:`cfr.game.betting.BettingTree.parse` reads it, then cards, the hands
by position and the board by round: ``TdAs|8hTc/2c8c3h/9c/Kh``. A hand that is not seen is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cfr.formats.skipped import CUT_OFF, NO_LIMIT, OddHandError, Omissions, located
from cfr.formats.skipped import PLAYERS as PLAYERS_REASON
from cfr.formats.views import PLAYERS, View, Views
from cfr.game.betting import BettingTree, State
from cfr.game.cards import RANKS, SUITS, format_cards, parse_cards
from cfr.game.hand import Cards, HandRecord, LoggedHand, SeenHand, new_board_cards
from cfr.game.rules import GAME_NAMES, Game
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.text import counted

_LOOKED_AT = 20  # lines that say which game a log is of
_CARDS = f"(?:[{RANKS}][{SUITS}])*"
_DEALT = re.compile(f"({_CARDS})\\|({_CARDS})((?:/{_CARDS})*)")
_VALUE = r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?"
_NAMES = r"([^:|]+)\|([^:|]+)"
_STATE = re.compile(rf"STATE:([0-9]{{1,18}}):([^:]*):([^:]*):({_VALUE})\|({_VALUE}):{_NAMES}")
_SCORE = re.compile(rf"SCORE:{_VALUE}\|{_VALUE}:{_NAMES}")
_MESSAGE = re.compile(r"\s*(?:TO ([12]) at [0-9.]{1,20} |S->\s*)?MATCHSTATE:([01]):([0-9]{1,18}):([^:]*):([^:\s]*)\s*")
_NAMELESS = re.compile(r"\s*(?:ACPC State: ?)?STATE:([0-9]{1,18}):([^:]*):([^:\s]*)\s*")
# What a dealer hears, and OpenSpiel's other lines about a state. Where a round begins, OpenSpiel first has 2c for cards
# that are not dealt yet; what follows tells the same with the cards.
_OTHER = re.compile(
    r"(?:FROM [12] at |<-C|C->|VERSION:|BettingAbst[a-z]*: |P[01] (?:Cards|Reward): |BoardCards|Node type\?|Possible|"
    r"Round: |Spent: |Action Sequence: |GAME |#--|Player [01]|State history: |"
    r"\s*MATCHSTATE:[01](?::[^:]*){3}:[fcr]\s*$|\s*ACPC State: ?STATE:[0-9]{1,18}:(?:[^:]*/)?:[^:\s]*2c[^:\s]*\s*$)"
)
_BET_OF_CHIPS = re.compile(r"STATE:[0-9:]*:[^:]*r[0-9]")
_MATCH_STATE = re.compile(r"MATCHSTATE:([01]):([0-9]{1,18}):([^:]*):([^:]*)")


@dataclass(frozen=True)
class MatchState:
    """What a dealer tells a player: where it sits, which hand it is, and the hand so far.

    Attributes:
        line: the text.
        position: the player's; 0 is the big blind in hold'em.
        number: of the hand, counted from 0.
        seen: the hand; the player's own cards are always there, at a showdown both hands.
    """

    line: str
    position: int
    number: int
    seen: SeenHand

    @classmethod
    def parse(cls, line: str, tree: BettingTree) -> MatchState:
        """The state in a ``MATCHSTATE:position:hand:betting:cards`` line, without its end.

        Raises:
            MalformedTextError, IllegalActionError, BadInputError: as :func:`parse_hand`, or no such line.
        """
        match = _MATCH_STATE.fullmatch(line)
        if match is None:
            raise MalformedTextError(f"{line[:100]!r}; expected MATCHSTATE:position:hand:betting:cards")
        position, seen = int(match[1]), parse_hand(match[3], match[4], tree)
        if not seen.hands[position]:
            raise MalformedTextError(f"{line!r}: position {position} does not see its own cards")
        if seen.state.at_showdown and not all(seen.hands):
            raise MalformedTextError(f"{line!r}: a showdown that does not show both hands")
        return cls(line, position, int(match[2]), seen)


def match_state_line(position: int, number: int, seen: SeenHand) -> str:
    """What a dealer tells the player at a position, without the line's end; :meth:`MatchState.parse` reads it back."""
    return f"MATCHSTATE:{position}:{number}:{seen.state.line_string}:{_cards_text(seen.state, seen.hands, seen.board)}"


def parse_hand(betting: str, cards: str, tree: BettingTree) -> SeenHand:
    """The hand that these two parts of a line describe.

    Raises:
        MalformedTextError: a part that cannot be read, or a card twice.
        IllegalActionError: betting that the rules do not allow.
        BadInputError: cards that do not fit the game or the betting.
    """
    state, game = tree.parse(betting), tree.game
    match = _DEALT.fullmatch(cards)
    if match is None:
        raise MalformedTextError(f"cards {cards!r}; expected hands and board such as AsKh|/Td9d6h")
    first, second, *board = map(parse_cards, (match[1], match[2], *match[3].split("/")[1:]))
    for position, hand in enumerate((first, second)):
        if len(hand) not in (0, game.num_hole_cards):
            raise BadInputError(
                f"cards {cards!r}: {len(hand)} in position {position}; expected {game.num_hole_cards} or none"
            )
    found, expected = [len(new) for new in board], list(game.num_board_cards[1 : state.round + 1])
    if found != expected:
        raise BadInputError(f"cards {cards!r}: board of {found} cards; after {betting!r} expected {expected}")
    seen = [*first, *second, *(card for new in board for card in new)]
    if len(set(seen)) != len(seen):
        raise MalformedTextError(f"cards {cards!r}: a card is there twice")
    if foreign := set(seen) - set(game.deck.tolist()):
        raise BadInputError(f"cards {cards!r}: {format_cards(sorted(foreign))} not in the deck of {game.name}")
    return SeenHand(state, (first, second), tuple(seen[len(first) + len(second) :]))


def state_line(record: HandRecord, number: int, names: Sequence[str]) -> str:
    """A finished hand in a log; names by position, as :func:`cfr.game.hand.clean_names` gives them."""
    state, deal = record.state, record.deal
    chips = "|".join(map(str, record.chips))
    return f"STATE:{number}:{state.line_string}:{_cards_text(state, deal.hands, deal.board)}:{chips}:{'|'.join(names)}"


def _cards_text(state: State, hands: Sequence[Cards], board: Cards) -> str:
    cards = "|".join(map(format_cards, hands))
    for round_ in range(1, state.round + 1):
        cards += "/" + format_cards(new_board_cards(board, round_, state.tree.game))
    return cards


def score_line(totals: Sequence[int], names: Sequence[str]) -> str:
    """The end of a log: what each player won in all."""
    return f"SCORE:{'|'.join(map(str, totals))}:{'|'.join(names)}"


def read_log(lines: Iterable[str], tree: BettingTree, omissions: Omissions | None = None) -> Iterator[LoggedHand]:
    """The hands of a log's lines; comments, blank lines and ``SCORE:`` lines are passed over.

    Beside ``STATE:`` lines with chips and players these are read: players' ``MATCHSTATE:`` lines and OpenSpiel's
    ``ACPC State: STATE:`` lines, of which the longest one of each hand counts. Lines of several hands, matches and
    players may take turns; both players' views of a hand are one.

    Args:
        lines: of the log.
        tree: the game's betting.
        omissions: takes the lines that are not read; without it, the first one is an error.

    Raises:
        MalformedTextError: a line that is none of these, a hand that is not over, or chips that the rules do not pay.
        IllegalActionError, BadInputError: as :func:`parse_hand`; all messages begin with the line's number.
    """
    views = Views()

    def refuse(number: int, hand: str, error: CfrError) -> None:
        if omissions is None:
            raise located(error, f"line {number}: ") from None
        omissions.add(number, hand, error)

    has_end = False
    for number, raw in enumerate(lines, 1):
        line, had_end, has_end = raw.strip("\r\n"), has_end, raw.endswith("\n")
        if not line.strip() or line[0] in "#;" or _SCORE.fullmatch(line) or _OTHER.match(line):
            continue
        try:
            if (told := _told(line, number, tree)) is not None:
                views.hear(told)
            else:
                yield parse_state(line, tree)
        except CfrError as error:
            refuse(number, "", _with_reason(error, line, is_cut=had_end and not has_end))
    for view in views.hands():
        if view.hand.seen.state.is_over:
            yield view.hand
        else:
            where = view.hand.seen.state.line_string
            refuse(view.last, str(view.hand.number), _CutOffError(f"betting {where!r}: the hand is not over"))


def game_of(text: str) -> str:
    """The name of the bundled game by whose rules most of the first lines are hands; empty if none are."""
    lines = text.split("\n")[:_LOOKED_AT]
    count = {name: len([*read_log(lines, BettingTree(Game.bundled(name)), Omissions())]) for name in GAME_NAMES}
    name = max(count, key=lambda name: count[name])
    return name if count[name] else ""


class _CutOffError(MalformedTextError):
    reason = CUT_OFF


def _with_reason(error: CfrError, line: str, is_cut: bool) -> CfrError:
    """The error of a line, by the reason that it has in other formats, too."""
    if _BET_OF_CHIPS.search(line):
        return OddHandError(NO_LIMIT, f"{error}; expected limit betting")
    if line.rpartition(":")[2].count("|") > 1:
        return OddHandError(
            PLAYERS_REASON, f"{counted(line.rpartition(':')[2].count('|') + 1, 'player')}; expected two"
        )
    return OddHandError(CUT_OFF, f"{error}; the text ends there") if is_cut else error


def _told(line: str, number: int, tree: BettingTree) -> View | None:
    """A ``MATCHSTATE:`` line, or a ``STATE:`` line without chips and players; None for others."""
    if match := _MESSAGE.fullmatch(line):
        position, hand, seen = int(match[2]), int(match[3]), parse_hand(match[4], match[5], tree)
        # A dealer numbers its players; else seats, which change with each hand, tell them apart.
        player = int(match[1]) - 1 if match[1] else (hand + position) % 2
        mine, theirs = (PLAYERS[player], PLAYERS[1 - player]) if match[1] else ("player", "opponent")
        names = (mine, theirs) if position == 0 else (theirs, mine)
        return View(player, position, LoggedHand(hand, names, seen), number, number)
    if match := _NAMELESS.fullmatch(line):
        seen = parse_hand(match[2], match[3], tree)
        return View(None, None, LoggedHand(int(match[1]), ("position 0", "position 1"), seen), number, number)
    return None


def parse_state(line: str, tree: BettingTree) -> LoggedHand:
    """The hand of a ``STATE:`` line, without its end; errors as :func:`read_log`, without a line's number."""
    match = _STATE.fullmatch(line.strip())
    if match is None:
        raise MalformedTextError(
            f"{line[:100]!r}; expected STATE:hand:betting:cards:chips:players or SCORE:chips:players"
        )
    seen = parse_hand(match[2], match[3], tree)
    if not seen.state.is_over:
        raise _CutOffError(f"betting {match[2]!r}: the hand is not over")
    hand = LoggedHand(int(match[1]), (match[6].strip(), match[7].strip()), seen)
    possible = [seen.chips] if seen.chips else [seen.state.payoff(winner) for winner in (0, 1, None)]
    won = next((each for each in possible if each == (float(match[4]), float(match[5]))), None)
    if won is None:
        pay = " or ".join(f"{first}|{second}" for first, second in possible)
        raise MalformedTextError(f"chips {match[4]}|{match[5]}; the rules pay {pay}")
    return hand if won == hand.chips else replace(hand, won=won)
