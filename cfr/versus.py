"""What one fixed strategy wins against another: over all hands and boards, where a match has luck in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cfr.boardwise import Boardwise, how_sure, identity_of, systematic_error
from cfr.errors import UnknownSpotError
from cfr.opening import Opening
from cfr.plans import source_of
from cfr.pruned import prune
from cfr.strategy import Spots, Strategy


@dataclass(frozen=True)
class ValueAgainst:
    """What the first strategy wins against the second; mbb/g, where the big blind is 1000.

    Attributes:
        game: its name.
        mbb_per_game: mean over both seats, which a match comes closer and closer to.
        standard_error_mbb: of that, when boards were sampled; 0 when exact.
        button_mbb: what it wins as the button (ACPC position 1).
        big_blind_mbb: what it wins as the big blind (ACPC position 0).
        flops: how many first boards were visited.
        exact: whether these were all.
        seconds: wall-clock, interruptions left out.
    """

    game: str
    mbb_per_game: float
    standard_error_mbb: float
    button_mbb: float
    big_blind_mbb: float
    flops: int
    exact: bool
    seconds: float

    def __str__(self) -> str:
        how = how_sure(self.exact, self.standard_error_mbb, self.flops)
        return "\n".join(
            [
                f"wins {self.mbb_per_game:+.4f} mbb/g, {self.mbb_per_game / 10:+.4f} big blinds per 100 hands ({how})",
                f"     {self.button_mbb:+.4f} mbb/g as the button, {self.big_blind_mbb:+.4f} mbb/g as the big blind",
                f"measured in {self.seconds:.0f} s",
            ]
        )


def value_against(
    first: Spots,
    second: Spots,
    flops: int | None = None,
    *,
    threads: int = 1,
    seed: int = 0,
    partial: Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> ValueAgainst:
    """What ``first`` wins against ``second`` in the real game, both seats alike.

    Args:
        first, second: files or built-ins of the same game; two files need the same card abstraction.
        flops: how many first boards to sample; None visits all, exactly.
        threads: boards at a time; the result does not depend on it.
        seed: of the sample.
        partial: where results of single boards are kept until all are there, or None to keep none.
        resume: go on with what is there.
        progress: show a bar on stderr.

    Raises:
        CfrError: a pair or a game for which it cannot be computed, in one line.
        Interrupted: Ctrl-C; with ``partial``, nothing that was computed is lost.
    """
    if first.game.text() != second.game.text():
        raise UnknownSpotError(f"the strategies play different games, {first.game.name} and {second.game.name}")
    pair = _Pair(first, second, threads, progress)
    numbers = pair.draw(flops, seed)
    identity = {"first": identity_of(first), "second": identity_of(second)}
    results, seconds = pair.gather(
        numbers, "both strategies", identity=identity, partial=partial, resume=resume, progress=progress
    )
    to_mbb = 1000 / first.game.big_blind
    draws = pair.weighted(results, numbers, flops is None) * to_mbb
    big_blind, button = draws.sum(axis=0) + pair.folds * to_mbb
    error = 0.0 if flops is None else systematic_error(draws.mean(axis=1)) * pair.share_left(numbers) ** 0.5
    return ValueAgainst(
        game=first.game.name,
        mbb_per_game=(big_blind + button) / 2,
        standard_error_mbb=error,
        button_mbb=float(button),
        big_blind_mbb=float(big_blind),
        flops=len(numbers),
        exact=flops is None,
        seconds=round(seconds, 3),
    )


class _Pair(Boardwise):
    """Two strategies; a board's result is ``(2,)``: chips that the first wins below it as big blind and as button.

    Attributes:
        folds: ``(2,)`` chips that it wins in each seat by folds in the first round.
    """

    def __init__(self, first: Spots, second: Spots, threads: int, progress: bool) -> None:
        super().__init__(first.game, threads)
        if isinstance(first, Strategy) and isinstance(second, Strategy) and not _same_rows(first, second):
            raise UnknownSpotError("the strategies have different card abstractions; one of two must be built in")
        mine, theirs = source_of(first), source_of(second)
        seated = [(mine, theirs), (theirs, mine)]
        self._rows = max(mine.rows, theirs.rows, key=lambda rows: sum(rows.num_rows))
        self._openings = [Opening(self.tree, both, self.dtype) for both in seated]
        self._pruned = prune(self.tree, seated, self._openings, self.dtype, progress, mutual=True)
        self.folds = np.array([opening.folded(seat) for seat, opening in enumerate(self._openings)])

    @property
    def width(self) -> int:
        return 2

    def measure(self, number: int) -> np.ndarray:
        below = self.below(number, self._rows)
        won = []
        for seat, (pruned, opening) in enumerate(zip(self._pruned, self._openings, strict=True)):
            values = pruned.traverse(below, "average", self.scale(number))
            won.append(float((values * opening.reach[seat]).sum()) / self.game.num_hands)
        return np.array(won)


def _same_rows(one: Strategy, other: Strategy) -> bool:
    first, second = (each.abstraction.arrays() for each in (one, other))
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)
