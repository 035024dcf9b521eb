"""Solve a game by counterfactual regret minimisation: chance enumerated where the game fits, sampled where it does not.

The solver traverses lossless games whole, seats alternating, by any of the schedules (cfr/kernel/schedules.py). CFR+
solves bucketed hold'em and samples one public board per iteration (public chance sampling, Johanson et al. 2012): real
hands on a real board, whose regrets are summed per bucket and clamped once per visit. CFR-BR (Johanson, Bard, Burch and
Bowling 2012) goes on from there: each seat's strategy meets an opponent that plays a best response on the sampled
river, and so learns to be hard to beat in the real game and not only among buckets. The same seed and iterations give
the same file at any number of threads.

This module goes from the settings to the file; ``loop`` iterates, ``game_solver`` has the tables and a single step,
``ending`` measures and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.by_flop import how_sure
from cfr.game.notebook import lines_html
from cfr.solver import checkpoint
from cfr.solver.claim import check_claim, claim
from cfr.solver.ending import end, write
from cfr.solver.game_solver import GameSolver
from cfr.solver.history import History
from cfr.solver.loop import Loop, Target
from cfr.solver.memory_need import check_memory, rows_of
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.piece_plan import PiecePlan, check_is_folder, folder_of, is_beyond_memory, make_plan
from cfr.solver.out_of_core.tables_folder import check_owner, clear_folder, found_folder, held_folder
from cfr.solver.preset_strength import StrengthForecast, forecast_strength
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution, Solver
from cfr.solver.target import EnumeratedTarget, SampledTarget
from cfr.solver.trunk.trunk_solver import TrunkSolver
from cfr.system.checks import check_called, check_kind, shown
from cfr.system.clock import Clock
from cfr.system.cluster.workers import Workers
from cfr.system.disk.files import check_writable, version_of
from cfr.system.errors import BadInputError, Interrupted
from cfr.system.text import counted, digits, taken

if TYPE_CHECKING:
    from cfr.system.cluster.cluster import Cluster


@dataclass(frozen=True)
class SolveResult:
    """What a solve did.

    Attributes:
        seconds: wall-clock time, all included but interruptions.
        exploitability_mbb: of the strategy as solved, before the file rounds it, by best response over all boards, in
            mbb/g; with buckets of what the file holds, on a sample of flops and only where there was a target, else
            None.
        strategy: which one is stored: the average over all iterations, or the current one of the last.
        stored_exploitability_mbb: of the probabilities in the file, which are rounded to 1/255, or finer
            (docs/file-format.md); None with buckets.
        self_play_button_mbb: what the button wins when both play what is stored, within
            ``stored_exploitability_mbb`` of the game's value; None with buckets.
        target_mbb: what ``exploitability_mbb`` was to be, or None.
        standard_error_mbb: of ``exploitability_mbb`` with buckets, else None.
        flops: how many that was measured on with buckets, else None.
        game_flops: how many flops the game of a trunk has, which the exploitability is of; else None.
        expected: a forecast of the exploitability of buckets that nobody measured, where one is known.
    """

    file: str
    game: str
    iterations: int
    seconds: float
    seed: int
    threads: int
    exploitability_mbb: float | None = None
    strategy: Solution = "average"
    stored_exploitability_mbb: float | None = None
    self_play_button_mbb: float | None = None
    target_mbb: float | None = None
    standard_error_mbb: float | None = None
    flops: int | None = None
    game_flops: int | None = None
    expected: StrengthForecast | None = None

    def _repr_html_(self) -> str:
        """The result in words, for notebooks."""
        return lines_html(str(self))

    def __str__(self) -> str:
        measured = missed = ""
        if self.target_mbb is not None and (self.exploitability_mbb or 0.0) > self.target_mbb:
            missed = f"; the target of {self.target_mbb:g} mbb/g was not reached"
        if self.standard_error_mbb is not None and self.flops is not None:
            measured = (
                f"; the best strategy on the way is in the file, exploitability {self.exploitability_mbb:.1f} mbb/g "
                f"{how_sure(self.standard_error_mbb == 0, self.standard_error_mbb, self.flops)}"
            )
        elif self.game_flops is not None:
            measured = (
                f", {digits(self.exploitability_mbb or 0.0)} mbb/g of the {self.strategy} strategy in the trunk's game "
                f"of {self.game_flops:,} flops (best response, all its boards){missed}\nbehind the trunk is the "
                f"blueprint; how exploitable they are in the whole game says: cfr exploit {self.file}"
            )
            missed = ""
        elif self.exploitability_mbb is not None:
            measured = (
                f", exploitability {digits(self.exploitability_mbb or 0.0)} mbb/g of the {self.strategy} strategy, "
                f"{digits(self.stored_exploitability_mbb or 0.0)} mbb/g as stored in the file "
                "(best response, all boards)"
            )
        if self.expected is not None:
            measured = f"\n{self.expected} exploitable, a forecast; measure by: cfr exploit {self.file}"
        return (
            f"{self.file}: {self.game}, {counted(self.iterations, 'iteration')} in {taken(self.seconds)} "
            f"with {counted(self.threads, 'thread')}, seed {self.seed}{measured}{missed}"
        )


def solve(
    settings: Settings,
    progress: bool = False,
    announce: Callable[[], object] | None = None,
    cluster: Cluster | None = None,
    **unknown: object,
) -> SolveResult:
    """Solve a game and write the strategy file.

    Every ten minutes, or each minute where the tables lie on disk, a checkpoint is written beside the file, but as
    seldom as keeps it to 2 % of the time; and on Ctrl-C. ``settings.resume`` continues it to the same bits.

    While it runs, no other solve can write the same file; an earlier file or checkpoint stays unless
    ``settings.overwrite`` or ``settings.resume`` says otherwise.

    Args:
        settings: what to solve, how, and for how long.
        progress: show bars on stderr.
        announce: called when the solve is known to fit and its clock has not started yet; a place for the forecast.
        cluster: whose nodes' disks take the tables of a solve with ``lossless``; None for this machine.
        unknown: refused; what to solve and for how long stands in the settings.

    Raises:
        CfrError: what cannot be solved here or written there, in one line.
        Interrupted: Ctrl-C; the message names the checkpoint that continues it, or says that nothing was kept.
    """
    wrong = [] if isinstance(settings, Settings) else [f"settings: {shown(settings)}"]
    wrong += [f"{name}={value!r}" for name, value in unknown.items()]
    if wrong:
        raise BadInputError(
            f"{', '.join(wrong)}; expected cfr.Settings, such as cfr.Settings('leduc', iterations=1000)"
        )
    check_called("announce", announce)
    if cluster is not None:
        check_kind("cluster", cluster, Workers, "a cfr.system.cluster.cluster.Cluster")
    with _told_what_is_kept(settings), claim(settings):
        header, plan = _begin(settings, cluster)
        if announce is not None:
            announce()
        with ExitStack() as open_:
            if header is None:  # nothing is left of an earlier solve that --overwrite ends
                checkpoint.path_for(settings.out).unlink(missing_ok=True)
                clear_folder(folder_of(settings), settings.out)
            if plan is not None:
                open_.enter_context(held_folder(plan.folder, settings))
            return _solve(settings, progress, plan, header, cluster, open_)


def check_start(settings: Settings, cluster: Cluster | None = None) -> None:
    """Raise the error with which :func:`solve` would refuse to begin; nothing is written.

    Whether another solve is writing the file now, and whether a cluster's nodes have room, is not looked at.

    Raises:
        CfrError, OSError: as :func:`solve`.
    """
    check_writable(settings.out)
    check_claim(settings)
    _, plan = _begin(settings, cluster)
    if plan is not None:
        check_owner(plan.folder, settings.out, settings.overwrite, settings.resume)


def _begin(settings: Settings, cluster: Cluster | None) -> tuple[checkpoint.Header | None, PiecePlan | None]:
    """The checkpoint to go on with, and the pieces of tables on disk; errors as :func:`solve`."""
    header = None if settings.resume is None else checkpoint.read(settings.resume)
    if settings.resume is not None and header is not None:
        checkpoint.check_identity(settings.resume, header, settings)
        if settings.trunk is not None:
            settings.trunk.check_unchanged()
    _check_place(settings, header, cluster)
    if cluster is None:
        check_is_folder(settings.disk)
    plan = None
    if cluster is None and is_beyond_memory(settings, header):
        plan = make_plan(settings, None if header is None or header.pieces is None else header.pieces.bounds)
        if header is not None:
            plan = replace(plan, folder=found_folder(settings, header))
    elif cluster is None:  # else the nodes say whether it fits
        check_memory(settings)
    _check_rows(settings)
    return header, plan


@contextmanager
def _told_what_is_kept(settings: Settings) -> Iterator[None]:
    """Let Ctrl-C say which checkpoint goes on, or that nothing was kept."""
    own = checkpoint.path_for(settings.out)
    before = version_of(settings.out), version_of(own)
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        if version_of(settings.out) not in (None, before[0]):
            raise Interrupted(f"stopped; {settings.out} is written") from None
        kept = own if version_of(own) not in (None, before[1]) else settings.resume
        if kept is not None and kept.exists():
            raise Interrupted(f"stopped; continue with: cfr solve --resume {kept}") from None
        raise Interrupted("stopped; nothing was kept") from None


def _check_rows(settings: Settings) -> None:
    """Refuse a solve without buckets whose rows int32 cannot number; raises BadInputError."""
    most = max(rows_of(settings))
    if most > np.iinfo(np.int32).max:
        raise BadInputError(f"{settings.game.name}: a round of {most:,} canonical hands; solves number 2,147,483,647")


def _check_place(settings: Settings, header: checkpoint.Header | None, cluster: Cluster | None) -> None:
    """Refuse a cluster where it is of no use, or a checkpoint whose tables are elsewhere; raises BadInputError."""
    if cluster is not None and not settings.lossless:
        raise BadInputError("ray: only solves with lossless=True are spread over a cluster")
    if cluster is not None and settings.trunk is not None:
        raise BadInputError("ray: a trunk is solved on one machine; leave cluster= out")
    if header is None:
        return
    was_spread = header.pieces is not None and bool(header.pieces.shares)
    if was_spread and cluster is None:
        raise BadInputError(f"{settings.resume}: its tables lie on the nodes of a cluster; say cluster=")
    if cluster is not None and not was_spread:
        raise BadInputError(f"{settings.resume}: its tables lie on one machine; leave cluster= out")


def _solve(
    settings: Settings,
    progress: bool,
    plan: PiecePlan | None,
    header: checkpoint.Header | None,
    cluster: Cluster | None,
    open_: ExitStack,
) -> SolveResult:
    clock = Clock(0.0 if header is None else header.progress.seconds)
    if settings.buckets is None:
        abstraction = Abstraction.lossless(settings.game, settings.river_rows)
    else:
        abstraction = Abstraction.build(
            settings.game, settings.buckets, seed=settings.seed, threads=settings.threads, progress=progress
        )
    solver = open_.enter_context(_solver(settings, abstraction, plan, header, cluster, progress))
    solver.clock = clock

    target: Target | None = None
    if settings.target_mbb is not None and solver.is_enumerated:
        target = EnumeratedTarget(settings.target_mbb, solver)
    elif settings.target_mbb is not None:
        target = SampledTarget(settings, solver, lambda path: write(path, solver), progress)
    history = None
    if settings.history is not None:
        history = History(settings.history, solver.iterations, settings.overwrite)
    Loop(solver, target, progress, history).run()
    if history is not None:
        history.note(solver, is_last=True)
    solution, measured = end(solver, target)
    checkpoint.path_for(settings.out).unlink(missing_ok=True)
    solver.remove()
    return SolveResult(
        str(settings.out),
        settings.game.name,
        solver.iterations,
        clock.seconds,
        settings.seed,
        settings.threads,
        strategy=solution,
        target_mbb=settings.target_mbb,
        game_flops=None if settings.trunk is None else len(settings.trunk.drawn(settings.game, settings.seed)),
        expected=forecast_strength(settings, solver.iterations),
        **measured,
    )


def _solver(
    settings: Settings,
    abstraction: Abstraction,
    plan: PiecePlan | None,
    header: checkpoint.Header | None,
    cluster: Cluster | None,
    progress: bool,
) -> Solver:
    if cluster is not None:
        from cfr.solver.out_of_core.spread_solver import SpreadSolver  # most solves need nothing of a cluster

        return SpreadSolver(settings, abstraction, cluster, header)
    if plan is None:
        return GameSolver(settings, abstraction, progress)
    return (DiskSolver if settings.trunk is None else TrunkSolver)(settings, abstraction, plan, header)
