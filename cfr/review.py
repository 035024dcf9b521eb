"""Reviews: what a strategy would have done at each decision of a log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cfr.betting import ACTION_NAMES, ACTIONS, State
from cfr.cards import format_cards
from cfr.history import LoggedHand, decisions
from cfr.logs import read_log
from cfr.players import action_word, seat_name
from cfr.strategy import AnyStrategy

Mix = tuple[float, float, float]


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes:
        number: of the hand in the log.
        player: who decided.
        hand: the player's hole cards.
        board: the cards dealt by then.
        state: the betting before it.
        mix: the strategy's probabilities of fold, call and raise there; 0 where illegal.
        action: the letter of what was done: f, c or r.
    """

    number: int
    player: str
    hand: str
    board: str
    state: State
    mix: Mix
    action: str

    @property
    def probability(self) -> float:
        """With which the strategy would have done the same."""
        return self.mix[ACTIONS.index(self.action)]

    def to_dict(self) -> dict[str, Any]:
        """By names, as ``cfr query`` has them; illegal actions are absent."""
        state = self.state
        return {
            "number": self.number,
            "player": self.player,
            "seat": seat_name(state.actor, state.tree.game.first_players[0]),
            "hand": self.hand,
            "board": self.board,
            "line": state.line_string,
            **{name: share for name, letter, share in self._shares() if letter in state.legal},
            "action": ACTION_NAMES[ACTIONS.index(self.action)],
            "probability": self.probability,
        }

    def __str__(self) -> str:
        """One line: the spot, the mix, and what was done."""
        mix = "  ".join(
            f"{action_word(letter, self.state)} {share:.3f}"
            for _, letter, share in self._shares()
            if letter in self.state.legal
        )
        did = action_word(self.action, self.state)
        return (
            f"hand {self.number}  {printable(self.player)}  {self.hand}  {self.board or '-'}  "
            f"{self.state.line_string or '-'}  {mix}  did {did} {self.probability:.3f}"
        )

    def _shares(self) -> Iterator[tuple[str, str, float]]:
        return zip(ACTION_NAMES, ACTIONS, self.mix, strict=True)


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

    def add(self, decision: Decision) -> None:
        """Count a decision."""
        self.decisions += 1
        self.same += decision.probability
        self.likeliest += decision.probability == max(decision.mix)
        self.never += decision.probability == 0
        self.done[ACTIONS.index(decision.action)] += 1
        self.expected = [total + share for total, share in zip(self.expected, decision.mix, strict=True)]

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
        }

    def text(self, big_blind: int) -> str:
        """A few lines."""
        lines = [printable(self.player)]
        if self.hands:
            won = 100 * self.chips / big_blind / self.hands
            lines[0] += (
                f": {won:+.2f} big blinds per 100 hands over {self.hands:,} {'hand' if self.hands == 1 else 'hands'}"
            )
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
        if self.unseen:
            lines.append(f"  {self.unseen:,} decisions with cards that are not in the log")
        return "\n".join(lines)


@dataclass(frozen=True)
class Review:
    """The decisions of a log in order, and its players in order of appearance, position 0 first.

    Attributes:
        hands: in the log.
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


def review(log: str | Path, strategy: AnyStrategy) -> Review:
    """Compare the decisions of an ACPC or PHH log with a strategy's; errors as :func:`cfr.logs.read_log`."""
    found: list[Decision] = []
    players: dict[str, PlayerSummary] = {}
    hands = 0
    for hand in read_log(log, strategy.betting):
        hands += 1
        for seat, name in enumerate(hand.players):
            summary = players.setdefault(name, PlayerSummary(name))
            if hand.seen.chips is not None:
                summary.hands += 1
                summary.chips += hand.seen.chips[seat]
        for decision in _decisions(hand, strategy, players):
            players[decision.player].add(decision)
            found.append(decision)
    return Review(hands, strategy.game.big_blind, found, list(players.values()))


def _decisions(hand: LoggedHand, strategy: AnyStrategy, players: dict[str, PlayerSummary]) -> Iterator[Decision]:
    """Those of whom the cards are seen; the others are counted."""
    for state, action in decisions(hand.seen.state):
        name, cards = hand.players[state.actor], hand.seen.hands[state.actor]
        if not cards:
            players[name].unseen += 1
            continue
        board = hand.seen.board[: state.num_board_cards]
        mix = strategy.distribution(state, cards, board)
        yield Decision(hand.number, name, format_cards(cards), format_cards(board), state, mix, action)


def printable(text: str) -> str:
    """A name from a file, without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
