"""A decision of a log beside what a strategy would have done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.words import ACTION_NAMES, ROUND_NAMES
from cfr.study.reviews.mistake import is_mistake
from cfr.system.errors import BadInputError

Mix = tuple[float, float, float]
_NAMED = 20  # players that an error lists
# By what can be done: nothing to call, a bet that can be raised, a bet that cannot.
KINDS = {"cr": "check-bet", "fcr": "fold-call-raise", "fc": "fold-call"}


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes:
        number: of the hand in the log.
        player: who decided.
        hole: codes of the player's hole cards.
        dealt: codes of the board cards dealt by then.
        state: the betting before it.
        mix: the strategy's probabilities of fold, call and raise there; 0 where illegal.
        action: the letter of what was done: f, c or r.
        ev_lost: mbb by which the action wins less than the best one there, for this hand, against the strategy's range
            and if both seats play the strategy afterwards; None where it is not known.
        stand_in: what stands in for the opponent's range in this number where the strategy brings none of its hands
            there, see :class:`cfr.values.expected_values.SpotValues`; None where nothing does.
    """

    number: int
    player: str
    hole: tuple[int, ...]
    dealt: tuple[int, ...]
    state: State
    mix: Mix
    action: str
    ev_lost: float | None = None
    stand_in: str | None = None

    @property
    def hand(self) -> str:
        """The hole cards as text."""
        return format_cards(self.hole)

    @property
    def board(self) -> str:
        """The board as text."""
        return format_cards(self.dealt)

    @property
    def probability(self) -> float:
        """The probability with which the strategy would have done the same."""
        return self.mix[ACTIONS.index(self.action)]

    @property
    def kind(self) -> str:
        """What can be done: one of :data:`KINDS`, or ``check`` where nothing else can."""
        return kind_of(self.state)

    @property
    def is_mistake(self) -> bool:
        """See :func:`cfr.study.reviews.mistake.is_mistake`."""
        return is_mistake(self.probability, self.ev_lost, self.stand_in)

    def with_loss(self, action_ev: NDArray[np.float64], stand_in: str | None = None) -> Decision:
        """The decision with what it lost.

        Args:
            action_ev: ``(3,)`` mbb of the hand; NaN where there is none.
            stand_in: as the attribute, if there is an EV.
        """
        lost = np.nanmax(action_ev, initial=-np.inf) - action_ev[ACTIONS.index(self.action)]
        is_known = not np.isnan(lost)
        return replace(self, ev_lost=float(lost) if is_known else None, stand_in=stand_in if is_known else None)

    def to_dict(self) -> dict[str, Any]:
        """By names, as ``cfr query`` has them; illegal actions are absent."""
        state = self.state
        return {
            "number": self.number,
            "player": self.player,
            "seat": state.tree.game.seat_names[state.actor],
            "hand": self.hand,
            "board": self.board,
            "line": state.line_string,
            "round": ROUND_NAMES[state.round],
            "kind": self.kind,
            **{name: share for name, letter, share in self._shares() if letter in state.legal},
            "action": ACTION_NAMES[ACTIONS.index(self.action)],
            "probability": self.probability,
            "ev_lost_mbb": self.ev_lost,
            "mistake": self.is_mistake,
            "stand_in": self.stand_in,
        }

    def __str__(self) -> str:
        """One line: the spot, the mix, what was done, and whether that was a mistake."""
        mix = "  ".join(
            f"{action_word(letter, self.state)} {share:.3f}"
            for _, letter, share in self._shares()
            if letter in self.state.legal
        )
        did = action_word(self.action, self.state)
        lost = "-" if self.ev_lost is None else f"{self.ev_lost:,.1f} mbb"
        lost += f" (against a {self.stand_in})" if self.stand_in else ""
        lost += "  mistake" if self.is_mistake else ""
        return (
            f"hand {self.number}  {printable(self.player)}  {self.hand}  {self.board or '-'}  "
            f"{self.state.line_string or '-'}  {mix}  did {did} {self.probability:.3f}  EV lost {lost}"
        )

    def _shares(self) -> Iterator[tuple[str, str, float]]:
        return zip(ACTION_NAMES, ACTIONS, self.mix, strict=True)


def kind_of(state: State) -> str:
    """The kind of a decision at a state, see :attr:`Decision.kind`."""
    return KINDS.get("".join(sorted(state.legal, key="fcr".index)), "check")


def unknown_player(where: object, player: str, names: Iterable[str]) -> BadInputError:
    """The error that there is no such player, with the names that are there."""
    known = [printable(name) for name in names] or ["no players"]
    more = f" and {len(known) - _NAMED:,} more" if len(known) > _NAMED else ""
    return BadInputError(f"{where}: there is no player {printable(player)!r}; it has {', '.join(known[:_NAMED])}{more}")


def printable(text: str) -> str:
    """A name from a file, without the control characters that a terminal obeys."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
