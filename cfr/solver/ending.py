"""The end of a solve: its strategy measured as it is stored, and written."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cfr.kernel.best_response import Measured
from cfr.kernel.tree import ROWS_AT_A_TIME
from cfr.solver.loop import Target
from cfr.solver.out_of_core.piece_plan import leaves_last_out
from cfr.solver.settings import BYTES, Settings
from cfr.solver.solver import Measurement, Solution, Solver
from cfr.strategy.files.file import open_file, save
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.trunk_file import save_trunk
from cfr.system.errors import Interrupted, SaveError
from cfr.system.text import counted
from cfr.system.version import VERSION

_SOON = 60.0  # seconds of a solve that are not worth a checkpoint
WORTH_KEEPING = 1.1  # how much worse rounding to 255ths may make a strategy
Measures = dict[str, Any]


def end(solver: Solver, target: Target | None) -> tuple[Solution, Measures]:
    """Write the strategy file of a solve; which strategy it has, and what was measured, by the names of a result.

    Args:
        solver: when its last iteration is done.
        target: what measured it on the way, or None.

    Raises:
        Interrupted: Ctrl-C where the end takes a while; the message names the checkpoint that continues it.
        SaveError: the file cannot be written.
    """
    settings = solver.settings
    if settings.lossless:
        with _resumable(solver, is_long=solver.is_in_pieces):
            return _end_lossless(solver) if settings.trunk is None else _end_trunk(solver)
    if solver.is_enumerated:
        return _end_enumerated(solver)
    if target is not None:  # the best is in the file already
        with open_file(settings.out) as file:
            return "average", {
                "exploitability_mbb": float(file.attrs["exploitability_mbb"]),
                "standard_error_mbb": float(file.attrs["exploitability_standard_error_mbb"]),
                "flops": int(file.attrs["exploitability_flops"]),
            }
    with _resumable(solver, is_long=settings.compact):
        write(settings.out, solver)
    return "average", {}


def write(path: Path, solver: Solver) -> None:
    """Write the average strategy to a file, unmeasured; raises SaveError."""
    rounds = [solver.stored_round(r) for r in range(solver.settings.game.num_rounds)]
    _save(path, solver, rounds)


@contextmanager
def _resumable(solver: Solver, is_long: bool = False) -> Iterator[None]:
    """Ctrl-C says how to go on with a checkpoint, which is written at once before what is long, else at Ctrl-C."""
    kept = None
    try:
        kept = solver.save_checkpoint() if is_long else None
    except SaveError as error:  # the file may be smaller
        print(f"cfr: no checkpoint before the end: {error}", file=sys.stderr)
    try:
        yield
    except KeyboardInterrupt:
        kept = kept or solver.save_checkpoint()
        done = f"stopped after {counted(solver.iterations, 'iteration')}, before the file was written"
        raise Interrupted(f"{done}; continue with: cfr solve --resume {kept}") from None


def _end_enumerated(solver: Solver) -> tuple[Solution, Measures]:
    """Measure the better strategy as it is and as stored, purged and compact as asked for, and write it."""
    settings = solver.settings
    with _resumable(solver):
        before = solver.measure()
        fine = [_in_memory(solver.stored_round(r, before.strategy)) for r in range(settings.game.num_rounds)]
    rounds = [replace(each, read_remainders=None) for each in fine]
    # The stored probabilities take the place of the average.
    with _resumable(solver, is_long=True) if solver.clock.seconds > _SOON else nullcontext():
        stored = solver.measure_stored(rounds)
        most = _most_when_rounded(settings, before.exploitability_mbb)
        if stored.exploitability > most and settings.keeps_remainders:
            rounds = fine
            stored = solver.measure_stored(rounds)
        return _save_measured(solver, rounds, before, stored)


def _end_lossless(solver: Solver) -> tuple[Solution, Measures]:
    """Measure the better strategy as it is and as stored, and write it without a copy in memory."""
    settings, before = solver.settings, solver.measure()
    num_stored = settings.game.num_rounds - leaves_last_out(settings)
    is_fine = False
    stored = solver.measure_in_parts(before.strategy, is_fine, num_stored)
    if stored.exploitability > _most_when_rounded(settings, before.exploitability_mbb):
        is_fine = True
        stored = solver.measure_in_parts(before.strategy, is_fine, num_stored)
    rounds = [solver.stored_round(r, before.strategy) for r in range(num_stored)]
    rounds = rounds if is_fine else [replace(each, read_remainders=None) for each in rounds]
    return _save_measured(solver, rounds, before, stored)


def _end_trunk(solver: Solver) -> tuple[Solution, Measures]:
    """Measure the better strategy in the trunk's game, and write the blueprint with its first round."""
    settings, before = solver.settings, solver.measure()
    trunk = settings.trunk
    assert trunk is not None
    stored = solver.measure_in_parts(before.strategy, is_fine=True, num_stored=1)
    measured = {
        "exploitability_mbb": before.exploitability_mbb,
        "stored_exploitability_mbb": stored.exploitability,
        "self_play_button_mbb": stored.self_play[settings.game.button],
    }
    facts = {
        "schedule": solver.schedule.name,
        "strategy": before.strategy,
        "iterations": solver.iterations,
        "seconds": round(solver.clock.seconds, 3),
        "seed": settings.seed,
        "tables": settings.tables,
        "river_rows": settings.river_rows,
        "never": ",".join(settings.never) or "none",
        "flops": len(trunk.drawn(settings.game, settings.seed)),
        "blueprint": trunk.checksum,
        **measured,
    }
    attributes = {"cfr_version": VERSION, "created": _today()} | {f"trunk_{name}": fact for name, fact in facts.items()}
    first = solver.stored_round(0, before.strategy)
    save_trunk(settings.out, trunk.blueprint, trunk.checksum, first, attributes)
    return before.strategy, measured


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _save_measured(
    solver: Solver,
    rounds: Sequence[RoundRows],
    before: Measurement,
    stored: Measured,
) -> tuple[Solution, Measures]:
    """Write a strategy with what was measured before it was rounded, and as it is stored."""
    measured = {
        "exploitability_mbb": before.exploitability_mbb,
        "stored_exploitability_mbb": stored.exploitability,
        "self_play_button_mbb": stored.self_play[solver.settings.game.button],
    }
    _save(solver.settings.out, solver, rounds, before.strategy, **measured)
    return before.strategy, measured


def _save(
    path: Path,
    solver: Solver,
    rounds: Sequence[RoundRows],
    solution: Solution = "average",
    **measured: float,
) -> None:
    settings, schedule = solver.settings, solver.schedule
    save(
        path,
        settings.game,
        solver.abstraction.arrays(),
        rounds,
        {
            "cfr_version": VERSION,
            "created": _today(),
            "algorithm": f"{schedule.title}, " + ("all boards" if solver.is_enumerated else "public chance sampling"),
            "schedule": schedule.name,
            "strategy": solution,
            "buckets": "lossless" if settings.buckets is None else ",".join(map(str, settings.buckets)),
            "iterations": solver.iterations,
            "seconds": round(solver.clock.seconds, 3),
            "seed": settings.seed,
            "threads": settings.threads,
            "purge": settings.purge,
            "purge_unplayed": settings.purge_unplayed,
            "compact": settings.compact,
            **({} if settings.store == BYTES else {"store": settings.store}),
            **({} if solver.is_enumerated else {"rivers": settings.rivers, "tables": settings.tables}),
            **({"tables": settings.tables} if settings.lossless else {}),
            **({"batch": settings.batch} if settings.batch > 1 else {}),
            **({"averaging_delay": settings.averaging_delay} if settings.averaging_delay else {}),
            **({"river_rows": settings.river_rows} if settings.river_rows != "hands" else {}),
            **({"without_rivers": True} if len(rounds) < settings.game.num_rounds else {}),
            **({"never": ",".join(settings.never)} if settings.never else {}),
            **({} if solver.responding_since is None else {"warm_up_iterations": solver.responding_since}),
            **measured,
        },
        is_streamed=settings.lossless,
    )


def _most_when_rounded(settings: Settings, mbb: float) -> float:
    """The most mbb/g after rounding, so that a file misses no target that its solve reached."""
    most, target = WORTH_KEEPING * mbb, settings.target_mbb
    return most if target is None or mbb > target else min(most, target)


def _in_memory(rows: RoundRows) -> RoundRows:
    if rows.coded is not None:
        return rows
    table = np.empty(rows.shape, rows.dtype)
    left = None if rows.read_remainders is None else np.empty(rows.shape, np.int8)
    for start in range(0, len(table), ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, len(table))
        table[start:stop] = rows.read(start, stop)
        if left is not None and rows.read_remainders is not None:
            left[start:stop] = rows.read_remainders(start, stop)
    return RoundRows.of(table, left)
