"""Reviews: what a strategy would have done at each decision of a log, and what doing otherwise cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from cfr.betting import ACTION_NAMES, ACTIONS, State
from cfr.cards import format_cards, parse_cards
from cfr.ev import canonical_board, expected_values, has_values
from cfr.history import LoggedHand, decisions
from cfr.logs import read_log
from cfr.players import action_word, seat_name
from cfr.strategy import Floats, Spots

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
        ev_lost: mbb by which the action wins less than the best one there, for this hand, against the strategy's range
            and if both seats play the strategy afterwards; None where it is not known.
    """

    number: int
    player: str
    hand: str
    board: str
    state: State
    mix: Mix
    action: str
    ev_lost: float | None = None

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
            "ev_lost_mbb": self.ev_lost,
        }

    def __str__(self) -> str:
        """One line: the spot, the mix, and what was done."""
        mix = "  ".join(
            f"{action_word(letter, self.state)} {share:.3f}"
            for _, letter, share in self._shares()
            if letter in self.state.legal
        )
        did = action_word(self.action, self.state)
        lost = "-" if self.ev_lost is None else f"{self.ev_lost:.1f} mbb"
        return (
            f"hand {self.number}  {printable(self.player)}  {self.hand}  {self.board or '-'}  "
            f"{self.state.line_string or '-'}  {mix}  did {did} {self.probability:.3f}  EV lost {lost}"
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
        if self.valued:
            lines.append(
                f"  EV lost {self.ev_lost:,.1f} mbb in {self.valued:,} of these: "
                f"{self.ev_lost / self.valued:.1f} mbb per decision, {self.ev_lost / self.seen:.1f} mbb per hand, "
                f"{self.ev_lost / self.seen / 10:.2f} big blinds per 100 hands"
            )
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


def review(log: str | Path, strategy: Spots, *, ev: bool = True, threads: int = 1, progress: bool = False) -> Review:
    """Compare the decisions of an ACPC or PHH log with a strategy's.

    Args:
        log: the file.
        strategy: a file or a built-in.
        ev: compute the loss of EV of each decision, where there are EVs; a flop's takes seconds.
        threads: how many spots are computed at a time; the result does not depend on it.
        progress: show a bar on stderr meanwhile.

    Raises:
        CfrError: as :func:`cfr.logs.read_log`, or as the strategy.
    """
    found: list[Decision] = []
    players: dict[str, PlayerSummary] = {}
    hands = 0
    for hand in read_log(log, strategy.betting):
        hands += 1
        for seat, name in enumerate(hand.players):
            summary = players.setdefault(name, PlayerSummary(name))
            summary.seen += bool(hand.seen.hands[seat])
            if hand.seen.chips is not None:
                summary.hands += 1
                summary.chips += hand.seen.chips[seat]
        found += _decisions(hand, strategy, players)
    if ev:
        found = _with_losses(found, strategy, threads, progress)
    for decision in found:
        players[decision.player].add(decision)
    return Review(hands, strategy.game.big_blind, found, list(players.values()))


def _with_losses(found: Sequence[Decision], strategy: Spots, threads: int, progress: bool) -> list[Decision]:
    """The decisions with what they lose; spots that suits alone tell apart are computed once."""
    game = strategy.game
    wanted: dict[tuple[str, str], list[tuple[int, int]]] = {}  # decisions at each spot, and their hands there
    for number, decision in enumerate(found):
        if has_values(strategy, decision.state):
            board, images = canonical_board(game, decision.state.round, parse_cards(decision.board))
            hand = int(images[game.hand_number(parse_cards(decision.hand))])
            wanted.setdefault((format_cards(board), decision.state.line_string), []).append((number, hand))

    def action_ev(spot: tuple[str, str]) -> Floats:
        return expected_values(strategy, *spot, unreached=True).action_ev

    losses: list[float | None] = [None] * len(found)
    pool = ThreadPoolExecutor(threads)
    try:
        values = pool.map(action_ev, wanted)
        bar = tqdm(values, "expected values", len(wanted), unit="spots", disable=not progress, mininterval=0.5)
        for at_spot, here in zip(bar, wanted.values(), strict=True):
            for number, hand in here:
                lost = np.nanmax(at_spot[hand], initial=-np.inf) - at_spot[hand, ACTIONS.index(found[number].action)]
                losses[number] = None if np.isnan(lost) else float(lost)
    finally:
        pool.shutdown(cancel_futures=True)
    return [replace(decision, ev_lost=lost) for decision, lost in zip(found, losses, strict=True)]


def _decisions(hand: LoggedHand, strategy: Spots, players: dict[str, PlayerSummary]) -> Iterator[Decision]:
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
