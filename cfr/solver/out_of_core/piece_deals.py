"""The boards of each piece, in files beside its tables: made once, and mapped whenever a piece is visited."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from cfr.game.rules import Game
from cfr.hands.river_rows import RiverRows
from cfr.kernel.chance import Deal, Dealt
from cfr.kernel.pieces import piece_deal
from cfr.system.closing import Closing
from cfr.system.disk.cache import fingerprint
from cfr.system.disk.mapped import dump, load
from cfr.system.version import code_version

PREFIX = "boards-"


class PieceDeals(Closing):
    """The boards of each piece, by a thread of their own.

    Args:
        game, levels: the rules, and all boards of each round.
        bounds: the first board of the second round of each piece, and at the end how many boards there are.
        folder: for the files; those of other pieces are deleted.
        river_rows: whether a row of the game's last round is a hand or a strength.
    """

    def __init__(
        self, game: Game, levels: Sequence[Dealt], bounds: Sequence[int], folder: Path, river_rows: RiverRows
    ) -> None:
        self._game, self._levels, self._bounds, self._folder = game, levels, bounds, folder
        self._river_rows = river_rows
        begin = [(level.cards.tolist(), level.factor.tolist()) for level in levels[:2]]
        self._name = fingerprint(code_version(), game.text(), repr((begin, bounds, river_rows)))[:16]
        self._thread = ThreadPoolExecutor(1)
        for path in folder.glob(f"{PREFIX}*"):
            if self._name not in path.name:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(cancel_futures=True)

    def fetch(self, piece: int) -> Future[Deal]:
        """The boards of a piece, soon; the future raises SaveError if the disk is full."""
        return self._thread.submit(self._deal, piece)

    def _deal(self, piece: int) -> Deal:
        path = self._folder / f"{PREFIX}{self._name}-{piece:05}"
        if not path.exists():
            first, last = self._bounds[piece : piece + 2]
            dump(piece_deal(self._game, self._levels, first, last, self._river_rows), path)
        found: Deal = load(path)
        return found
