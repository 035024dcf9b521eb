"""How a player plays beside what the strategy would do at the same spots: the frequencies that poker trackers count.

- VPIP: of the hands, those in which the player's first decision puts chips in of free will.
- PFR: of the hands, those in which that decision raises.
- Aggression: of the bets, raises, calls and folds from the flop on, those that bet or raise; checks do not count.

Each has the strategy's own frequency: its probabilities at these same decisions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cfr.game.betting import action_word
from cfr.study.reviews.tally import Tally
from cfr.system.text import counted

NAMES = ("vpip", "pfr", "aggression")
Pair = list[float]  # the player's, and the strategy's expected


@dataclass
class Tendencies:
    """Counts of a player's decisions with known cards.

    Attributes:
        taken: by name, how often, the player and the strategy.
        chances: by name, of how many; the strategy's differ where checks are left out.
    """

    taken: dict[str, Pair] = field(default_factory=lambda: {name: [0.0, 0.0] for name in NAMES})
    chances: dict[str, Pair] = field(default_factory=lambda: {name: [0.0, 0.0] for name in NAMES})

    def add(self, tally: Tally) -> None:
        """Count decisions."""
        count, (fold, call, raise_) = tally.count, tally.mix
        checks = action_word("c", tally.state) == "check"
        raised = count * (tally.action == "r")
        acts = raise_ + (0 if checks else call)
        if tally.state.round > 0:
            acted = count * (tally.action != "c" or not checks)
            self._count("aggression", raised, raise_, acted, fold + acts)
        elif len(tally.state.line_string) < 2:  # the seat's first decision
            self._count(
                "vpip", count * (tally.action == "r" or (tally.action == "c" and not checks)), acts, count, count
            )
            self._count("pfr", raised, raise_, count, count)

    def _count(self, name: str, done: float, expected: float, chance: float, expected_chance: float) -> None:
        taken, chances = self.taken[name], self.chances[name]
        taken[0] += done
        taken[1] += expected
        chances[0] += chance
        chances[1] += expected_chance

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """Shares from 0 to 1 by name, the player's and the strategy's; None where there was no chance."""
        return {
            name: {
                who: _share(self.taken[name][n], self.chances[name][n]) for n, who in enumerate(("player", "strategy"))
            }
            for name in NAMES
        }

    def __str__(self) -> str:
        """One line in percent; empty where nothing was counted."""
        shown = {"vpip": "VPIP", "pfr": "PFR", "aggression": "aggression"}
        parts = []
        for name, shares in self.to_dict().items():
            own, strategy = shares["player"], shares["strategy"]
            if own is not None:
                beside = "-" if strategy is None else f"{100 * strategy:.1f} %"
                parts.append(f"{shown[name]} {100 * own:.1f} % (strategy {beside})")
        return ", ".join(parts)


@dataclass
class Group:
    """The decisions of one round, or of one kind.

    Attributes:
        decisions: how many.
        valued: those whose loss of EV is known.
        mistakes: see :func:`cfr.study.reviews.mistake.is_mistake`.
        ev_lost: mbb together.
    """

    decisions: int = 0
    valued: int = 0
    mistakes: int = 0
    ev_lost: float = 0.0

    def add(self, tally: Tally) -> None:
        """Count decisions."""
        self.decisions += tally.count
        self.valued += tally.valued
        self.mistakes += tally.mistakes
        self.ev_lost += tally.ev_lost

    def to_dict(self) -> dict[str, Any]:
        """By names; the loss is null where none is known."""
        return {
            "decisions": self.decisions,
            "ev_decisions": self.valued,
            "mistakes": self.mistakes,
            "ev_lost_mbb": self.ev_lost if self.valued else None,
        }

    def __str__(self) -> str:
        """Half a line."""
        count = counted(self.valued, "decision")
        return f"EV lost {self.ev_lost:,.1f} mbb in {count}, {counted(self.mistakes, 'mistake')}"


def _share(taken: float, chances: float) -> float | None:
    return taken / chances if chances else None
