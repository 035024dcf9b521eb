"""The decisions of a log beside a strategy's, and its players: what a review says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.formats.skipped import PLAYERS, OddHandError, Omissions
from cfr.game.hand import LoggedHand, decisions
from cfr.game.words import ACTION_NAMES
from cfr.strategy.hand_table import Columns
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import Decision, printable, unknown_player
from cfr.study.reviews.hand_database import Choice
from cfr.study.reviews.log_deck import check_deck
from cfr.study.reviews.player_summary import PlayerSummary
from cfr.study.reviews.tally import Tally

_COLUMNS = (
    *("number", "player", "seat", "hand", "board", "line", "round", "kind"),
    *(*ACTION_NAMES, "action", "probability", "ev_lost_mbb", "mistake", "stand_in"),
)


@dataclass(frozen=True)
class Review:
    """The decisions of a log in order, and its players in order of appearance, position 0 first.

    Attributes:
        hands: that were reviewed.
        big_blind: of the strategy's game, in chips.
        omissions: hands of the log that were not read, and other remarks.
    """

    hands: int
    big_blind: int
    decisions: list[Decision]
    players: list[PlayerSummary]
    omissions: Omissions = field(default_factory=Omissions)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "hands": self.hands,
            "players": self.player_totals(),
            "decisions": [each.to_dict() for each in self.decisions],
            "skipped": self.omissions.to_dict(),
        }

    def player_totals(self) -> list[dict[str, Any]]:
        """What each player did in all, for JSON."""
        return [each.to_dict(self.big_blind) for each in self.players]

    def costliest(self, most: int) -> Review:
        """The same players with those decisions alone that lose most, the costliest first."""
        return replace(self, decisions=costliest(self.decisions, most))

    def columns(self) -> Columns:
        """The decisions as a table.

        Probabilities of illegal actions and losses that are not known are NaN; a text that is not known is empty.
        """
        rows = [each.to_dict() for each in self.decisions]
        is_short = all(row["number"] < 2**63 for row in rows)
        numbers: dict[str, Any] = {
            "number": np.int64 if is_short else np.str_,
            "mistake": np.bool_,
            **dict.fromkeys((*ACTION_NAMES, "probability", "ev_lost_mbb"), np.float64),
        }
        found: dict[str, NDArray[Any]] = {}
        for name in _COLUMNS:
            kind = numbers.get(name, np.str_)
            nothing = "" if kind is np.str_ else None  # which becomes NaN
            values = [row.get(name) for row in rows]
            found[name] = np.array([nothing if value is None else value for value in values], kind)
        return found

    def __str__(self) -> str:
        """A line for each decision, then the players."""
        lines = [*map(str, self.decisions), *(each.text(self.big_blind) for each in self.players)]
        lines += filter(None, [str(self.omissions)])
        return "\n".join(lines or ["no hands"])


def costliest(decisions: Iterable[Decision], most: int) -> list[Decision]:
    """At most so many decisions that lose most, the costliest first; none that loses nothing."""
    return nlargest(most, (each for each in decisions if each.ev_lost), key=lambda each: each.ev_lost or 0.0)


def has_two_names(hand: LoggedHand, omissions: Omissions) -> bool:
    """Whether the players of a hand have two names; a hand of one name goes to the omissions."""
    one, two = hand.players
    if one == two:
        said = f"both players are {printable(one)!r}; expected two names"
        omissions.add(0, str(hand.number), OddHandError(PLAYERS, said))
    return one != two


@dataclass(frozen=True)
class Reviewed:
    """The hands of a log and the decisions that are looked at, before their losses are known.

    Attributes:
        logged: the hands.
        names: the players whose decisions are looked at.
        by_hand: the decisions of each hand.
        big_blind: of the game, in chips.
        omissions: hands of the log that were not read, and other remarks.
        choice: which of the decisions count, once it is known what they lose.
    """

    logged: list[LoggedHand]
    names: list[str]
    by_hand: list[list[Decision]]
    big_blind: int
    omissions: Omissions = field(default_factory=Omissions)
    choice: Choice = field(default_factory=Choice)

    @classmethod
    def of(
        cls,
        hands: Iterable[LoggedHand],
        strategy: BaseStrategy,
        player: str | None,
        log: str | Path,
        omissions: Omissions | None = None,
        choice: Choice | None = None,
    ) -> Reviewed:
        """The decisions of one player, or of all, and of these the chosen ones.

        ``omissions`` are those of the ``hands``, which are complete once the hands were read. A hand in which both
        players have one name, whose results would count twice, is added to them.

        Raises:
            BadInputError: a player who is not in the ``log``, or a ``log`` of a shorter deck.
        """
        omissions = Omissions() if omissions is None else omissions
        choice = choice or Choice()
        logged = [hand for hand in hands if has_two_names(hand, omissions)]
        check_deck(logged, strategy.game, log)
        omissions.other_blinds = sum(hand.other_blinds for hand in logged)
        names = list(dict.fromkeys(name for hand in logged for name in hand.players))
        if player is not None:
            if player not in names:
                raise unknown_player(log, player, names)
            logged = [hand for hand in logged if player in hand.players]
            names = [player]
        logged = [hand for hand in logged if choice.has_day(hand.day)]
        names = [name for name in names if any(name in hand.players for hand in logged)]
        by_hand = [
            [each for each in _decisions(hand, strategy) if each.player in names and choice.is_of(each)]
            for hand in logged
        ]
        return cls(logged, names, by_hand, strategy.game.big_blind, omissions, choice)

    @property
    def decisions(self) -> list[Decision]:
        """In order."""
        return [each for here in self.by_hand for each in here]

    def summed_up(self, found: Sequence[Decision | None], luckless: Sequence[float | None] | None = None) -> Review:
        """The review of :attr:`decisions` with their losses, up to the first hand that lacks one.

        ``luckless`` are the chips of position 0 in each hand, from :func:`cfr.study.reviews.luck.without_luck`.
        """
        players = {name: PlayerSummary(name) for name in self.names}
        kept: list[Decision] = []
        valued = iter(found)
        for number, (hand, here) in enumerate(zip(self.logged, self.by_hand, strict=True)):
            known = [each for _ in here if (each := next(valued)) is not None]
            if len(known) < len(here):
                return Review(number, self.big_blind, kept, list(players.values()), self.omissions)
            chosen = [each for each in known if self.choice.costs_enough(each)]
            kept += chosen
            count_hand(hand, chosen, players, self.choice)
            chips = None if luckless is None else luckless[number]
            for seat, name in enumerate(hand.players):
                if chips is not None and name in players:
                    players[name].adjusted.append(-chips if seat else chips)
        return Review(len(self.logged), self.big_blind, kept, list(players.values()), self.omissions)


def _decisions(hand: LoggedHand, strategy: BaseStrategy) -> Iterator[Decision]:
    """Those of whom the cards are seen."""
    for state, action in decisions(hand.seen.state):
        name, cards = hand.players[state.actor], hand.seen.hands[state.actor]
        if cards:
            board = hand.seen.board[: state.num_board_cards]
            mix = strategy.distribution(state, cards, board)
            yield Decision(hand.number, name, tuple(cards), tuple(board), state, mix, action)


def count_hand(
    hand: LoggedHand, found: Sequence[Decision], players: Mapping[str, PlayerSummary], choice: Choice
) -> None:
    """Count a hand and the decisions in it that are ``found``, for those of its ``players`` that are asked for.

    ``choice`` says which decisions without cards count.
    """
    for seat, name in enumerate(hand.players):
        if name not in players:
            continue
        summary = players[name]
        summary.seen += bool(hand.seen.hands[seat])
        if hand.chips is not None:
            summary.chips.append(hand.chips[seat])
            summary.rake += hand.rake * (0.5 if not any(hand.chips) else hand.chips[seat] > 0)
        if not hand.seen.hands[seat]:
            summary.unseen += sum(
                state.actor == seat and choice.is_at(state) for state, _ in decisions(hand.seen.state)
            )
    for decision in found:
        players[decision.player].add(Tally.of(decision))
