"""A player's decisions and results in a log, together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from cfr.game.betting_round import ACTIONS
from cfr.game.words import ACTION_NAMES, ROUND_NAMES
from cfr.study.reviews.decision import KINDS, printable
from cfr.study.reviews.tally import Tally
from cfr.study.reviews.tendencies import Group, Tendencies
from cfr.system.interval import half_width_or_none
from cfr.system.text import counted, signed


@dataclass
class PlayerSummary:
    """A player's decisions together.

    Attributes:
        player: the name.
        decisions: those with the player's cards in the log.
        unseen: those without, which are left out of all else.
        same: sum of the probabilities with which the strategy would have done the same.
        likeliest: decisions for what the strategy does most often there.
        never: decisions for what the strategy never does there.
        done: how often the player folded, called and raised.
        expected: how often the strategy would have at the same spots.
        chips: won in each hand whose result is known, before rake.
        rake: chips that the card room took of the pots that the player won.
        adjusted: the same without the luck of the cards, see :mod:`cfr.study.reviews.luck`; empty where it is not
            known.
        seen: hands with the player's cards in the log.
        valued: decisions whose loss of EV is known.
        ev_lost: mbb lost in these together.
        tendencies: VPIP, PFR and aggression.
        by_round: the decisions of each round.
        by_kind: the same of each kind, see :data:`cfr.study.reviews.decision.KINDS`.
    """

    player: str
    decisions: int = 0
    unseen: int = 0
    same: float = 0.0
    likeliest: int = 0
    never: int = 0
    done: list[int] = field(default_factory=lambda: [0, 0, 0])
    expected: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    chips: list[float] = field(default_factory=list)
    rake: float = 0
    adjusted: list[float] = field(default_factory=list)
    seen: int = 0
    valued: int = 0
    ev_lost: float = 0.0
    tendencies: Tendencies = field(default_factory=Tendencies)
    by_round: dict[str, Group] = field(default_factory=lambda: {name: Group() for name in ROUND_NAMES})
    by_kind: dict[str, Group] = field(default_factory=lambda: {name: Group() for name in KINDS.values()})

    @property
    def hands(self) -> int:
        """Those whose result is known."""
        return len(self.chips)

    def add(self, tally: Tally) -> None:
        """Count decisions."""
        self.by_round[ROUND_NAMES[tally.state.round]].add(tally)
        self.by_kind.setdefault(tally.kind, Group()).add(tally)
        self.tendencies.add(tally)
        self.decisions += tally.count
        self.same += tally.same
        self.likeliest += tally.likeliest
        self.never += tally.never
        self.done[ACTIONS.index(tally.action)] += tally.count
        self.expected = [total + share for total, share in zip(self.expected, tally.mix, strict=True)]
        self.valued += tally.valued
        self.ev_lost += tally.ev_lost

    def to_dict(self, big_blind: int) -> dict[str, Any]:
        """By names; means are null where there is nothing to take them over."""
        count = self.decisions
        return {
            "player": self.player,
            "hands": self.hands,
            **_result(self.chips, big_blind),
            "rake_chips": self.rake,
            "net_mbb_per_game": 1000 * (sum(self.chips) - self.rake) / big_blind / self.hands if self.hands else None,
            "luck_adjusted": {"hands": len(self.adjusted), **_result(self.adjusted, big_blind)},
            "decisions": count,
            "unseen": self.unseen,
            "mean_probability": self.same / count if count else None,
            "likeliest": self.likeliest,
            "never": self.never,
            "done": dict(zip(ACTION_NAMES, self.done, strict=True)),
            "expected": dict(zip(ACTION_NAMES, self.expected, strict=True)),
            "hands_seen": self.seen,
            "ev_decisions": self.valued,
            "ev_lost_mbb": self.ev_lost if self.valued else None,
            "ev_lost_mbb_per_decision": self.ev_lost / self.valued if self.valued else None,
            "ev_lost_mbb_per_hand": self.ev_lost / self.seen if self.valued else None,
            "ev_lost_big_blinds_per_100_hands": self.ev_lost / self.seen / 10 if self.valued else None,
            "tendencies": self.tendencies.to_dict(),
            "by_round": _dicts(self.by_round),
            "by_kind": _dicts(self.by_kind),
        }

    def text(self, big_blind: int) -> str:
        """A few lines."""
        lines = [printable(self.player)]
        if self.hands == 1:  # one hand says nothing about 100
            lines[0] += f": {_chips(self.chips[0], big_blind)} in 1 hand"
        elif self.hands:
            lines[0] += f": {_in_words(self.chips, big_blind)} over {self.hands:,} hands"
        if self.rake:
            net = sum(self.chips) - self.rake
            per_100 = f"{signed(100 * net / big_blind / self.hands, 2)} big blinds per 100 hands"
            left = _chips(net, big_blind) if self.hands == 1 else per_100
            lines.append(f"  {left} after a rake of {self.rake:g} chips ({self.rake / big_blind:g} bb)")
        if len(self.adjusted) > 1:
            lines.append(f"  {_in_words(self.adjusted, big_blind)} without the luck of the cards")
        if self.decisions:
            count = self.decisions
            lines += [
                f"  {counted(count, 'decision')}; mean probability by the strategy {self.same / count:.3f}; "
                f"{100 * self.likeliest / count:.1f} % are its likeliest action, {self.never:,} what it never does",
                "  "
                + ", ".join(
                    f"{name} {100 * done / count:.1f} % (strategy {100 * expected / count:.1f} %)"
                    for name, done, expected in zip(
                        ("fold", "check/call", "bet/raise"), self.done, self.expected, strict=True
                    )
                ),
            ]
            if tendencies := str(self.tendencies):
                lines.append(f"  {tendencies}")
        if self.valued:
            lines.append(
                f"  EV lost {self.ev_lost:,.1f} mbb in {self.valued:,} of these: "
                f"{self.ev_lost / self.valued:,.1f} mbb per decision, {self.ev_lost / self.seen:,.1f} mbb per hand"
                + (f", {self.ev_lost / self.seen / 10:,.2f} big blinds per 100 hands" if self.seen > 1 else "")
            )
            lines += [
                f"  {name}: {each}" for name, each in (*self.by_round.items(), *self.by_kind.items()) if each.valued
            ]
        if self.unseen:
            lines.append(f"  {counted(self.unseen, 'decision')} with cards that are not in the log")
        return "\n".join(lines)


def _dicts(groups: Mapping[str, Group]) -> dict[str, dict[str, Any]]:
    """Those that have decisions."""
    return {name: group.to_dict() for name, group in groups.items() if group.decisions}


def _chips(chips: float, big_blind: int) -> str:
    return f"{chips:+g} chips ({chips / big_blind:+g} bb)"


def _result(chips: Sequence[float], big_blind: int) -> dict[str, float | None]:
    """The mean in mbb/g and the half width of its 95 % interval; None where there are too few hands."""
    scale, count = 1000 / big_blind, len(chips)
    width = half_width_or_none(stdev(chips), count) if count > 1 else None
    return {
        "mbb_per_game": scale * fmean(chips) if count else None,
        "interval_95": None if width is None else scale * width,
    }


def _in_words(chips: Sequence[float], big_blind: int) -> str:
    """Half a line about two hands or more."""
    mean, interval = _result(chips, big_blind).values()
    assert mean is not None
    known = "too few hands for a 95 % interval" if interval is None else f"95 % interval +- {interval / 10:.2f}"
    return f"{signed(mean / 10, 2)} big blinds per 100 hands, {known},"
