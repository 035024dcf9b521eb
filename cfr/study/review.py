"""Reviews: what a strategy would have done at each decision of a log, and what doing otherwise cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cfr.formats.logs import read_log
from cfr.game.betting import ACTIONS
from cfr.game.hand import LoggedHand, decisions
from cfr.game.words import ACTION_NAMES
from cfr.strategy.strategy import Spots
from cfr.study.decision import Decision, printable
from cfr.study.losses import Announce, with_losses
from cfr.system.errors import Interrupted, UnknownSpotError


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
        hands: whose result is known.
        chips: won in them.
        seen: hands with the player's cards in the log.
        valued: decisions whose loss of EV is known.
        ev_lost: mbb lost in these together.
    """

    player: str
    decisions: int = 0
    unseen: int = 0
    same: float = 0.0
    likeliest: int = 0
    never: int = 0
    done: list[int] = field(default_factory=lambda: [0, 0, 0])
    expected: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    hands: int = 0
    chips: int = 0
    seen: int = 0
    valued: int = 0
    ev_lost: float = 0.0

    def add(self, decision: Decision) -> None:
        """Count a decision."""
        self.decisions += 1
        self.same += decision.probability
        self.likeliest += decision.probability == max(decision.mix)
        self.never += decision.probability == 0
        self.done[ACTIONS.index(decision.action)] += 1
        self.expected = [total + share for total, share in zip(self.expected, decision.mix, strict=True)]
        if decision.ev_lost is not None:
            self.valued += 1
            self.ev_lost += decision.ev_lost

    def to_dict(self, big_blind: int) -> dict[str, Any]:
        """By names; means are null where there is nothing to take them over."""
        count = self.decisions
        return {
            "player": self.player,
            "hands": self.hands,
            "mbb_per_game": 1000 * self.chips / big_blind / self.hands if self.hands else None,
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
        }

    def text(self, big_blind: int) -> str:
        """A few lines."""
        lines = [printable(self.player)]
        if self.hands == 1:  # one hand says nothing about 100
            lines[0] += f": {self.chips:+} chips in 1 hand"
        elif self.hands:
            won = 100 * self.chips / big_blind / self.hands
            lines[0] += f": {won:+.2f} big blinds per 100 hands over {self.hands:,} hands"
        if self.decisions:
            count = self.decisions
            lines += [
                f"  {count:,} decisions; mean probability of the same {self.same / count:.3f}; "
                f"{100 * self.likeliest / count:.1f} % are its likeliest action, {self.never:,} what it never does",
                "  "
                + ", ".join(
                    f"{name} {100 * done / count:.1f} % (strategy {100 * expected / count:.1f} %)"
                    for name, done, expected in zip(
                        ("fold", "check/call", "bet/raise"), self.done, self.expected, strict=True
                    )
                ),
            ]
        if self.valued:
            lines.append(
                f"  EV lost {self.ev_lost:,.1f} mbb in {self.valued:,} of these: "
                f"{self.ev_lost / self.valued:.1f} mbb per decision, {self.ev_lost / self.seen:.1f} mbb per hand"
                + (f", {self.ev_lost / self.seen / 10:.2f} big blinds per 100 hands" if self.seen > 1 else "")
            )
        if self.unseen:
            lines.append(f"  {self.unseen:,} decisions with cards that are not in the log")
        return "\n".join(lines)


@dataclass(frozen=True)
class Review:
    """The decisions of a log in order, and its players in order of appearance, position 0 first.

    Attributes:
        hands: that were reviewed.
        big_blind: of the strategy's game, in chips.
    """

    hands: int
    big_blind: int
    decisions: list[Decision]
    players: list[PlayerSummary]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "hands": self.hands,
            "players": [each.to_dict(self.big_blind) for each in self.players],
            "decisions": [each.to_dict() for each in self.decisions],
        }

    def __str__(self) -> str:
        """A line for each decision, then the players."""
        return "\n".join([*map(str, self.decisions), *(each.text(self.big_blind) for each in self.players)])


class ReviewStopped(Interrupted):
    """Ctrl-C during a review; ``review`` has the hands that were done by then."""

    def __init__(self, review: Review, hands: int) -> None:
        super().__init__(f"stopped after {review.hands:,} of {hands:,} hands")
        self.review = review


def review(
    log: str | Path,
    strategy: Spots,
    *,
    player: str | None = None,
    ev: bool = True,
    threads: int = 1,
    announce: Announce | None = None,
    progress: bool = False,
) -> Review:
    """Compare the decisions of an ACPC or PHH log with a strategy's.

    Args:
        log: the file.
        strategy: a file or a built-in.
        player: whose decisions, and hands; default, everybody's.
        ev: compute the loss of EV of each decision, where there are EVs; a flop's takes seconds.
        threads: how many spots are computed at a time; the result does not depend on it.
        announce: hears how much there is to compute, and after the first spots how long that takes.
        progress: show a bar on stderr meanwhile.

    Raises:
        CfrError: as :func:`cfr.formats.logs.read_log`, or as the strategy; UnknownSpotError for a player who
            is not in the log.
        ReviewStopped: Ctrl-C while EVs are computed.
    """
    logged = list(read_log(log, strategy.betting))
    names = list(dict.fromkeys(name for hand in logged for name in hand.players))
    if player is not None:
        if player not in names:
            known = ", ".join(map(printable, names)) or "no players"
            raise UnknownSpotError(f"{log}: there is no player {printable(player)!r}; it has {known}")
        logged = [hand for hand in logged if player in hand.players]
        names = [player]
    players = {name: PlayerSummary(name) for name in names}
    by_hand = [[each for each in _decisions(hand, strategy) if each.player in players] for hand in logged]
    found: Sequence[Decision | None] = [each for here in by_hand for each in here]
    if ev:
        found = with_losses([each for each in found if each], strategy, threads, announce, progress)
    done: list[Decision] = []
    for number, (hand, here) in enumerate(zip(logged, by_hand, strict=True)):
        valued = [each for each in found[len(done) : len(done) + len(here)] if each is not None]
        if len(valued) < len(here):
            stopped = Review(number, strategy.game.big_blind, done, list(players.values()))
            raise ReviewStopped(stopped, len(logged))
        done += valued
        _add(hand, valued, players)
    return Review(len(logged), strategy.game.big_blind, done, list(players.values()))


def _decisions(hand: LoggedHand, strategy: Spots) -> Iterator[Decision]:
    """Those of whom the cards are seen."""
    for state, action in decisions(hand.seen.state):
        name, cards = hand.players[state.actor], hand.seen.hands[state.actor]
        if cards:
            board = hand.seen.board[: state.num_board_cards]
            mix = strategy.distribution(state, cards, board)
            yield Decision(hand.number, name, tuple(cards), tuple(board), state, mix, action)


def _add(hand: LoggedHand, found: Sequence[Decision], players: Mapping[str, PlayerSummary]) -> None:
    """Count a hand and the decisions in it, for those of its players that are asked for."""
    for seat, name in enumerate(hand.players):
        if name not in players:
            continue
        summary = players[name]
        summary.seen += bool(hand.seen.hands[seat])
        if hand.seen.chips is not None:
            summary.hands += 1
            summary.chips += hand.seen.chips[seat]
        if not hand.seen.hands[seat]:
            summary.unseen += sum(state.actor == seat for state, _ in decisions(hand.seen.state))
    for decision in found:
        players[decision.player].add(decision)
