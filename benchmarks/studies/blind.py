"""Exact best response to players that do not look at their cards, without the traversal kernel: its independent twin.

``python -m benchmarks.studies.blind`` prints what a best response wins from each built-in strategy in full limit
hold'em, beside what was published (Johanson, Waugh, Bowling and Zinkevich 2011, "Accelerating best response calculation
in large extensive games", table 2), and the CPU time. The fingerprint is of the showdowns.

Whatever such an opponent did, its hand is uniform over those that miss the board and the own hand. So on a board of the
last round nothing counts but the chips at stake and the share s = (wins - losses) / (hands the opponent may hold), and
what remains is a table over s for each stake; lines that enter a round with equal stakes are one. Earlier rounds take
the mean over the next cards, uniform over those that the player has not seen, and maximise again. In which order cards
came does not matter, so boards are sets: 1,755 flops, 16,432 turns and 134,459 rivers stand for all of hold'em. The
rules, the evaluator and the canonical boards are cfr's; deals, plans, the kernel and the sums over flops have no part.
"""

import argparse
import time
import zlib
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.boards import BoardMap
from cfr.hands.isomorphism import collisions, permute_hands
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import BUILT_INS

PUBLISHED = {"always-call": 1163.48, "always-fold": 750.0, "always-raise": 3697.69, "call-raise": 2406.55}
_AT_A_TIME = 16384  # hands on boards side by side: few enough that what they win stays in cache

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mix = Callable[[str], Sequence[float]]


class BlindTwin:
    """Best responses to opponents that do not look at their cards.

    Args:
        game: the rules.

    Attributes:
        most: how many hands the opponent may hold at a showdown.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.most = comb(len(game.deck) - sum(game.num_board_cards) - game.num_hole_cards, game.num_hole_cards)
        self._betting = BettingTree(game)
        self._last = game.num_rounds - 1
        self._maps = [BoardMap((dealt,), game.deck) if dealt else None for dealt in np.cumsum(game.num_board_cards)]
        self._images = permute_hands(game.hands, len(np.unique(game.deck % 4))).astype(np.intp)
        self._stakes = [np.unique(stakes).tolist() for stakes in self._betting.stakes]

    def best_response(self, mix: Mix, seat: int) -> float:
        """What the best response in ``seat`` (ACPC position) wins, in mbb/g.

        ``mix`` gives the opponent's probabilities of fold, call and raise where actions such as ``cr`` are legal.
        """
        share = np.arange(-self.most, self.most + 1)[:, None] / self.most
        values = np.pad(self._play(self._last, mix, seat, share), ((0, 1), (0, 0)))  # by ``net``
        step = max(1, _AT_A_TIME // self.game.num_hands)
        for number in reversed(range(self._last)):
            boards = self._boards(number)
            here = np.empty((len(boards), self.game.num_hands, len(self._stakes[number])))
            for start in range(0, len(boards), step):
                some = slice(start, start + step)
                here[some] = self._play(number, mix, seat, self._deal(number, boards[some], values))
            here[collisions(boards, self.game.hands)] = 0
            values = here.reshape(-1, here.shape[2])
        every_hand = self._places(0, np.zeros(1, np.intp), np.arange(self.game.num_hands))
        return float(values[every_hand].mean()) * 1000 / self.game.big_blind

    @cached_property
    def net(self) -> NDArray[np.int16]:
        """:func:`net_wins` of the canonical boards of the last round."""
        return net_wins(self._boards(self._last), self.game.hands, self.most)

    def _boards(self, number: int) -> Bytes:
        """``(n, k)`` canonical boards of a round."""
        known = self._maps[number]
        return np.zeros((1, 0), np.uint8) if known is None else known.boards

    def _places(self, number: int, boards: Ints, hands: Ints) -> NDArray[np.integer]:
        """Where in a round's values hands on canonical boards have theirs; the arguments broadcast."""
        return self.net[boards, hands] if number == self._last else boards * self.game.num_hands + hands

    def _deal(self, number: int, boards: Bytes, values: Floats) -> Floats:
        """``(n, H, stakes)`` mean over the next round's cards of its ``values`` ``(places, stakes)``."""
        new, seen = self.game.num_board_cards[number + 1], boards.shape[1]
        rest = np.array([np.setdiff1d(self.game.deck, board) for board in boards])
        dealt = rest[:, list(combinations(range(rest.shape[1]), new))]  # (n, deals, new)
        children = np.concatenate([np.broadcast_to(boards[:, None], (*dealt.shape[:2], seen)), dealt], axis=2)
        known = self._maps[number + 1]
        assert known is not None  # after the first round a board lies there
        index, permutation = known.locate(children.reshape(-1, seen + new))
        total = np.zeros((len(boards), self.game.num_hands, values.shape[1]))
        for child in range(dealt.shape[1]):
            of_each = slice(child, None, dealt.shape[1])
            places = self._places(number + 1, index[of_each, None], self._images[permutation[of_each]])
            total += values.take(places, axis=0)
        return total / comb(rest.shape[1] - self.game.num_hole_cards, new)

    def _play(self, number: int, mix: Mix, seat: int, following: Floats) -> Floats:
        """``(..., stakes)`` value of entering a round with each stake, in chips.

        ``following`` is ``(..., stakes)`` the same of the next round or, in the last, ``(..., 1)`` the share s.
        """

        def walk(state: State) -> Floats:
            if state.round > number:
                return following[..., self._stakes[state.round].index(state.stakes[0])]
            if state.at_showdown:
                return state.payoff(seat)[seat] * following[..., 0]
            if state.is_over:
                return np.full(following.shape[:-1], float(state.payoff(None)[seat]))
            values = [walk(state.act(letter)) for letter in state.legal]
            if state.actor == seat:
                return reduce(np.maximum, values)
            weights = [weight for letter, weight in zip("fcr", mix(state.legal), strict=True) if letter in state.legal]
            return np.asarray(sum(weight * value for weight, value in zip(weights, values, strict=True)))

        lines = [self._betting.stakes[number].tolist().index(stake) for stake in self._stakes[number]]
        texts = [self._betting.line_text(number, line) for line in lines]
        return np.stack([walk(self._betting.parse(text)) for text in texts], axis=-1)


def net_wins(boards: Bytes, hands: Bytes, most: int) -> NDArray[np.int16]:
    """Showdowns against each hand that the opponent may hold.

    Args:
        boards: ``(n, k)`` of the last round.
        hands: ``(H, hole)`` all hands of the deck.
        most: how many of them the opponent may hold, given a hand and a board.

    Returns:
        ``(n, H)`` the opponent's hands that a hand beats less those that beat it, plus ``most``; ``2 * most + 1`` where
        the board blocks the hand. Hands that share a card with the own hand are taken out card by card: with two cards
        only the hand itself is taken out twice, which ties.
    """
    count = len(hands)
    # Pool 0 is all hands, pool c + 1 those that hold card c; ``member`` and ``pool`` list who is where.
    member = np.tile(np.arange(count), 1 + hands.shape[1])
    pool = np.concatenate([np.zeros(count, int), hands.T.reshape(-1) + 1])
    sign = np.where(pool == 0, 1, -1)
    net = np.full((len(boards), count), 2 * most + 1, np.int16)
    for row, board in zip(net, boards, strict=True):
        strength = strengths(board[None], hands)[0]
        live = np.flatnonzero(strength[member])
        who, where = member[live], pool[live]
        key = (where << 16) + strength[who]
        ordered = np.sort(key)
        ends = np.searchsorted(ordered, np.arange(54) << 16)
        beaten = np.searchsorted(ordered, key) - ends[where]
        beating = ends[where + 1] - np.searchsorted(ordered, key, "right")
        total = np.bincount(who, sign[live] * (beaten - beating), count).astype(np.int16) + np.int16(most)
        row[strength > 0] = total[strength > 0]
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", metavar="PLAYER", help=f"of {', '.join(BUILT_INS)} (default: all)")
    parser.add_argument("--game", default="hulhe", help="bundled game or .game file (default: %(default)s)")
    args = parser.parse_args()
    game = Game.find(args.game)
    players = [BuiltIn(name, game) for name in args.players or BUILT_INS]
    twin = BlindTwin(game)
    print(f"{'mbb/g':<14}{'exploitability':>15}{'as button':>13}{'as big blind':>13}{'published':>11}{'CPU s':>7}")
    for player in players:
        start = time.process_time()
        won = [twin.best_response(player.mix, seat) for seat in (0, 1)]
        published = f"{PUBLISHED[player.name]:.2f}" if game.name == "hulhe" and player.name in PUBLISHED else ""
        print(
            f"{player.name:<14}{sum(won) / 2:>15.4f}{won[1]:>13.4f}{won[0]:>13.4f}{published:>11}"
            f"{time.process_time() - start:>7.0f}",
            flush=True,
        )
    print(f"fingerprint {zlib.crc32(twin.net.data):08x}")


if __name__ == "__main__":
    main()
