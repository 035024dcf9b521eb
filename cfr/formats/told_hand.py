"""A hand as a card room tells it, in one grammar for all rooms: blinds, then actions and cards in order.

A room's reader fills a :class:`ToldHand` with what its lines say. :func:`play` plays it by the rules of limit hold'em,
and compares each amount, and the pot, with what the rules ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from cfr.formats.amount import MILLIONTHS, amount
from cfr.formats.replay import Replay
from cfr.formats.skipped import ALL_IN, BUTTON, CANCELLED, CUT_OFF, PLAYERS, STAKES, OddHandError
from cfr.game.betting import BettingTree, action_word
from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import evaluate
from cfr.game.hand import Cards, LoggedHand, raised_to
from cfr.game.rules import Game
from cfr.system.errors import CfrError, MalformedTextError
from cfr.system.text import counted

_WHOLE_BOARD = 5  # cards
_LETTERS = {"folds": "f", "checks": "c", "calls": "c", "bets": "r", "raises": "r"}


@dataclass(slots=True)
class Told:
    """One thing that a hand tells.

    Attributes:
        line: of the text, from 1.
        kind: ``folds``, ``checks``, ``calls``, ``bets``, ``raises``, ``all-in`` (one of the last three, by its chips),
            ``board``, ``shows`` or ``repeats`` (a board).
        name: whose action or hand it is.
        amount: millionths of a chip that go in, or None.
        to: millionths of a chip that the player has in this round after it, or None.
        cards: as text.
        is_all_in: whether the text says so.
        text: the line.
    """

    line: int
    kind: str
    name: str = ""
    amount: int | None = None
    to: int | None = None
    cards: str = ""
    is_all_in: bool = False
    text: str = ""


@dataclass
class ToldHand:
    """What the text says of a hand; all amounts are millionths of a chip.

    Attributes:
        site: the card room.
        number: as text.
        line: where it begins, from 1.
        bets: the small and the big bet; None where the text does not say.
        stacks: by name, None where they are not told; those who are dealt in.
        button: who has it; None if that is not told, an empty name if nobody of these.
        posts: small and big blind: name, amount, whether that is all-in, line.
        told: in order.
        collected: by name.
        pot, rake: if told. Some texts tell the pot after rake.
        returned: what the text says went back to who bet last; None where it does not say.
        cancelled: whether the room took the hand back.
        is_whole: whether the text reaches the hand's end.
        returns_uncalled: whether what is collected has the bet that nobody called, unless the text adds up otherwise.
        day: when it was played, such as ``2026-11-28``; empty where the text does not say.
    """

    site: str
    number: str
    line: int
    bets: tuple[int, int] | None = None
    stacks: dict[str, int | None] = field(default_factory=dict)
    button: str | None = None
    posts: dict[str, tuple[str, int, bool, int]] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    collected: dict[str, int] = field(default_factory=dict)
    pot: int | None = None
    rake: int | None = None
    returned: int | None = None
    cancelled: bool = False
    is_whole: bool = False
    returns_uncalled: bool = False
    day: str = ""

    def give_back(self, chips: str, text: str) -> None:
        """Take the line about the bet that nobody called; raises MalformedTextError for a second one."""
        if self.returned is not None:
            raise MalformedTextError(f"{text[:60]!r}; expected one uncalled bet")
        self.returned = amount(chips)

    def check_undealt(self, text: str) -> None:
        """Refuse hole cards that are dealt when somebody has acted: the line is another hand's."""
        if any(each.kind != "shows" for each in self.told):
            raise MalformedTextError(f"{text[:60]!r} after an action")


def play(hand: ToldHand, tree: BettingTree, at: Callable[[int], None]) -> LoggedHand:
    """The hand by the rules; ``at`` hears which line is looked at.

    Raises:
        OddHandError: a hand that is not of two players with whole bets.
        MalformedTextError, IllegalActionError: a hand that cannot have been played so.
    """
    if hand.cancelled:
        raise OddHandError(CANCELLED, "cancelled by the card room")
    return _Play(hand, tree, at).logged()


class _Play:
    def __init__(self, hand: ToldHand, tree: BettingTree, at: Callable[[int], None]) -> None:
        self._hand, self._game, self._at = hand, tree.game, at
        at(hand.line)
        self._scale = _chip(hand.bets or (0, 0), tree.game)
        self._names = self._positions()
        self._replay = Replay(tree, self._scale)
        # By position: chips of the text in all, and in this round.
        self._in = [hand.posts["big"][1], hand.posts["small"][1]]
        self._round_in = list(self._in)
        self._all_in = [hand.stacks.get(name) == put for name, put in zip(self._names, self._in, strict=True)]
        self._board: Cards = ()
        self._is_cut = False  # a player is all-in with a whole bet: what follows is no decision
        self._folded: int | None = None

    def logged(self) -> LoggedHand:
        """The hand."""
        if any(self._all_in):
            raise OddHandError(ALL_IN, "a player has no more than the blind")
        for told in self._hand.told:
            self._at(told.line)
            try:
                self._take(told)
            except OddHandError as error:
                raise OddHandError(error.reason, f"{told.text[:100]!r}: {error}") from None
            except CfrError as error:
                raise type(error)(f"{told.text[:100]!r}: {error}") from None
        state = self._replay.state
        if not state.is_over and not (self._is_cut and (self._folded is not None or len(self._board) == _WHOLE_BOARD)):
            if not self._hand.is_whole:
                raise OddHandError(CUT_OFF, "the text ends before the hand is over")
            raise MalformedTextError("the hand is not over")
        seen = self._replay.hand()
        if state.at_showdown and not all(seen.hands) and not (self._hand.collected or self._hand.is_whole):
            raise OddHandError(CUT_OFF, "the text ends before somebody collects the pot")
        dealt = [*seen.hands[0], *seen.hands[1], *self._board]
        if len(set(dealt)) != len(dealt):
            raise MalformedTextError(f"{format_cards(dealt)}: a card is there twice")
        won = self._won(seen.hands)
        rake = self._rake(won)
        is_regular = self._hand.posts["small"][1] == self._scale * min(self._game.blinds)
        found = LoggedHand(
            int(re.sub("[^0-9]", "", self._hand.number) or "0"),
            _shown_names(self._names),
            seen,
            None,
            self._plain(rake),
            not is_regular,
            self._hand.site,
            self._hand.day,
        )
        if won is None or (is_regular and seen.chips is not None):
            return found
        chips = self._plain(won[0]), self._plain(won[1])
        return found if chips == found.chips else replace(found, won=chips)

    def _plain(self, chips: int) -> float:
        """Chips of the game; a whole number where it is one."""
        if not chips:
            return 0
        found = Fraction(chips) / self._scale
        return int(found) if found.denominator == 1 else float(found)

    def _positions(self) -> tuple[str, str]:
        """The big blind's name and the small blind's, once both are as they should be."""
        hand = self._hand
        if len(hand.stacks) != 2:
            raise OddHandError(PLAYERS, f"{counted(len(hand.stacks), 'player')}; expected two")
        if len(hand.posts) < len(hand.stacks) and not hand.is_whole and not hand.told:
            raise OddHandError(CUT_OFF, "the text ends before both blinds")
        if set(hand.posts) != {"small", "big"} or {post[0] for post in hand.posts.values()} != set(hand.stacks):
            raise OddHandError(STAKES, "expected a small blind and a big blind of two players")
        (small_name, small, small_all_in, small_line), (name, big, big_all_in, big_line) = (
            hand.posts["small"],
            hand.posts["big"],
        )
        self._at(big_line if big_all_in else small_line)
        if small_all_in or big_all_in:
            raise OddHandError(ALL_IN, f"{small_name if small_all_in else name} is all-in with a blind")
        expected = self._scale * max(self._game.blinds)
        if big != expected or not 0 < small < big:
            raise OddHandError(
                STAKES,
                f"blinds {_said(small)} and {_said(big)}; expected {_said(Fraction(expected) / 2)} "
                f"(or another small blind) and {_said(expected)}",
            )
        last, first = (small_name, name) if hand.button == small_name else (name, small_name)
        if hand.button is not None and last == (name, small_name)[self._game.first_players[-1]]:
            said = BUTTON if last == name else BUTTON.replace("big", "small")
            raise OddHandError(said, f"{said}, so {first} acts first after the flop")
        return name, small_name

    def _take(self, told: Told) -> None:
        if told.kind == "board":
            cards = parse_cards(told.cards)
            expected = (3 if not self._board else 1) if self._is_cut else None
            if self._is_cut:
                if len(cards) != expected or len(self._board) + len(cards) > _WHOLE_BOARD:
                    raise MalformedTextError(f"{counted(len(cards), 'card')}; expected {expected}")
            else:
                self._replay.deal(cards)
                self._round_in = [0, 0]
            self._board += cards
        elif told.kind == "repeats":
            if parse_cards(told.cards) != self._board:
                raise MalformedTextError(f"[{told.cards}] is not the board so far, {format_cards(self._board)}")
        elif told.kind == "shows":
            if told.name in self._names:
                self._replay.show(self._names.index(told.name), parse_cards(told.cards))
        else:
            self._act(told)

    def _act(self, told: Told) -> None:
        if told.name not in self._names:
            raise MalformedTextError(f"{told.name} is not dealt in")
        seat = self._names.index(told.name)
        if told.kind == "all-in":
            told = self._named_by_chips(told, seat)
        letter = _LETTERS[told.kind]
        if self._is_cut:  # the other player answers an all-in bet: no raise is possible, so this is no decision
            self._answer(told, seat, letter)
            return
        state = self._replay.state
        if state.is_over:
            raise MalformedTextError("the hand is over")
        if letter in state.legal and f"{action_word(letter, state)}s" != told.kind:
            raise MalformedTextError(f"expected {action_word(letter, state)}s")
        owed = max(self._round_in) - self._round_in[seat]
        put = 0
        if told.kind == "folds":
            self._folded = seat
        elif told.kind == "calls":
            if told.amount != owed:
                raise _odd_bet(told, f"expected a call of {_said(owed)}")
            put = owed
        elif letter == "r":
            put = self._raised(told, seat)
        self._replay.act(seat, letter)
        self._put(seat, put)
        if told.is_all_in and not self._all_in[seat] and self._hand.stacks[told.name] is not None:
            raise MalformedTextError(f"{told.name} has chips left")
        if (told.is_all_in or self._all_in[seat]) and not self._replay.state.is_over:
            self._is_cut = self._all_in[seat] = True

    def _named_by_chips(self, told: Told, seat: int) -> Told:
        """An all-in as the call, bet or raise that it is."""
        state, put = self._replay.state, told.amount or 0
        if put <= max(self._round_in) - self._round_in[seat]:
            return replace(told, kind="calls")
        word = action_word("r", state) if "r" in state.legal else "raise"
        return replace(told, kind=f"{word}s", to=self._round_in[seat] + put)

    def _raised(self, told: Told, seat: int) -> int:
        """What a bet or raise of the round's size puts in."""
        to = told.to if told.to is not None else self._round_in[seat] + (told.amount or 0)
        expected = self._scale * raised_to(self._replay.state) if "r" in self._replay.state.legal else to
        if to != expected:
            raise _odd_bet(told, f"a bet of {_said(to)}; expected {_said(expected)}")
        return to - self._round_in[seat]

    def _put(self, seat: int, put: int) -> None:
        self._in[seat] += put
        self._round_in[seat] += put
        stack = self._hand.stacks[self._names[seat]]
        if stack is not None and self._in[seat] > stack:
            raise MalformedTextError(f"{self._names[seat]} has {_said(stack)} and puts {_said(self._in[seat])} in")
        self._all_in[seat] = stack == self._in[seat]

    def _answer(self, told: Told, seat: int, letter: str) -> None:
        owed = max(self._in) - self._in[seat]
        if self._all_in[seat] or self._folded is not None or letter == "r":
            raise OddHandError(ALL_IN, "an action after an all-in")
        if letter == "f":
            self._folded = seat
        elif told.kind == "calls":
            if told.amount != owed or not owed:
                raise _odd_bet(told, f"expected a call of {_said(owed)}")
            self._put(seat, owed)
        elif owed:
            raise MalformedTextError("expected calls")

    def _won(self, hands: Sequence[Cards]) -> tuple[int, int] | None:
        """What each position wins in the text, before rake; None if neither cards nor the payment tell it."""
        stake = min(self._in)
        if self._folded is not None:
            winner: int | None = 1 - self._folded
        elif not all(hands):
            paid = [seat for seat, name in enumerate(self._names) if name in self._hand.collected]
            if len(paid) != 1 and (len(paid) != 2 or self._in[0] != self._in[1]):
                return None
            winner = paid[0] if len(paid) == 1 else None
        else:
            strength = evaluate([[*hand, *self._board] for hand in hands])
            winner = None if strength[0] == strength[1] else int(strength[1] > strength[0])
        if winner is None:
            return 0, 0
        return (stake, -stake) if winner == 0 else (-stake, stake)

    def _rake(self, won: tuple[int, int] | None) -> int:
        """What the room takes in the text; raises MalformedTextError if the money does not add up."""
        hand, uncalled = self._hand, abs(self._in[0] - self._in[1])
        for name, result in zip(self._names, won or (), strict=False):
            if result < 0 and name in hand.collected:
                raise MalformedTextError(f"{name} collected what the other player won")
        pots = [sum(self._in), sum(self._in) - uncalled]
        if hand.returned is not None:
            # A big blind that everybody folds to comes back whole in the texts of some converters.
            if hand.returned != uncalled and (self._replay.state.line_string, hand.returned) != ("f", self._in[0]):
                raise MalformedTextError(
                    f"{_said(hand.returned)} returned; the bet that nobody called is {_said(uncalled)}"
                )
            pots = [sum(self._in) - hand.returned]
        elif not hand.returns_uncalled:
            pots.reverse()
        found = next((each for each in pots if self._adds_up(each, each == pots[0])), None)
        if found is not None:
            return found - sum(hand.collected.values()) if hand.collected else hand.rake or 0
        pot, rake = pots[0], hand.rake or 0
        if hand.pot not in (None, pot, pot - rake):
            raise MalformedTextError(f"a pot of {_said(hand.pot or 0)}; the actions make {_said(pot)}")
        told = f"{_said(sum(hand.collected.values()))} collected and a rake of {_said(rake)}"
        raise MalformedTextError(f"{told}; the pot is {_said(pot)}")

    def _adds_up(self, pot: int, is_usual: bool) -> bool:
        """Whether all that the text says of the money is so with a pot; one that is not usual needs a witness."""
        hand = self._hand
        pots = {pot, 2 * min(self._in)} if hand.returns_uncalled else {pot}
        if hand.pot is not None and pots.isdisjoint((hand.pot, hand.pot + (hand.rake or 0))):
            return False
        rake = pot - sum(hand.collected.values())
        is_known = is_usual or not rake or (hand.pot, hand.rake) != (None, None)
        return not hand.collected or (rake >= 0 and hand.rake in (None, rake) and is_known)


@lru_cache(256)
def _chip(bets: tuple[int, int], game: Game) -> int | Fraction:
    """How many millionths of the text's chips are one of the game's."""
    (small, big), (size, *_, big_size) = bets, game.raise_sizes
    scale = Fraction(small, size)
    if small <= 0 or big != scale * big_size:
        raise OddHandError(
            STAKES,
            f"bets of {_said(small)} and {_said(big)}; expected the proportions of {game.name}, {size} and {big_size}",
        )
    return scale.numerator if scale.denominator == 1 else scale  # whole numbers are ten times faster


def _odd_bet(told: Told, said: str) -> OddHandError:
    """A bet or call that is not whole."""
    if told.is_all_in:
        return OddHandError(ALL_IN, f"{said}; this game has no all-in")
    return OddHandError(STAKES, said)


def _said(chips: int | Fraction) -> str:
    return f"{float(Fraction(chips) / MILLIONTHS):g}"


def _shown_names(names: tuple[str, str]) -> tuple[str, str]:
    """Without blanks around them, where they differ then."""
    first, second = (name.strip() for name in names)
    return (first, second) if first and second and first != second else names
