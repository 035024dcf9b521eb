"""Refining a strategy: its flops solved without buckets by subgames, kept in a log, and written into one file."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.hands.flops import first_boards
from cfr.kernel.chance import count_below
from cfr.resolving.flop_subgame import FlopSubgame
from cfr.resolving.refine_forecast import RefineForecast
from cfr.resolving.refine_settings import RefineSettings
from cfr.strategy.files.refined_flops import RefinedFlop, RefinedFlops, save_refined
from cfr.strategy.spot_rows import all_rows
from cfr.system.clock import Clock
from cfr.system.cluster.workers import Threads, Workers
from cfr.system.disk.result_log import Parts, discard
from cfr.system.errors import BadInputError, Interrupted
from cfr.system.text import counted, digits, duration
from cfr.system.version import VERSION
from cfr.system.work_bar import work_bar

_SECONDS = struct.Struct("<d")
_QUANTILES = (0.5, 0.9, 1.0)


@dataclass(frozen=True)
class RefineResult:
    """A refined strategy.

    Attributes:
        file: the file.
        game: name of the game.
        flops: number of different flops that were refined.
        all_flops: number of flops of the game.
        subgames: number of solves: flops, preflop lines and seats.
        iterations: of each solve.
        tables: number type of the tables.
        certificates_mbb: the largest gain of any opponent's hand over its target on a flop and line: quantiles 0.5,
            0.9, 1.
        seconds: wall-clock time without interruptions.
    """

    file: str
    game: str
    flops: int
    all_flops: int
    subgames: int
    iterations: int
    tables: str
    certificates_mbb: tuple[float, float, float]
    seconds: float

    def __str__(self) -> str:
        middle, most, all_ = self.certificates_mbb
        return (
            f"{self.file}: {self.flops:,} of {counted(self.all_flops, 'flop')} of {self.game} refined, "
            f"{counted(self.subgames, 'subgame')} of {counted(self.iterations, 'iteration')} in "
            f"{duration(self.seconds)} with tables of {self.tables}; "
            f"certificates up to {digits(middle)} mbb in half of them, {digits(most)} in nine of ten, "
            f"{digits(all_)} in all; "
            f"cfr exploit {self.file} measures it"
        )


def refine(
    settings: RefineSettings,
    forecast: RefineForecast,
    workers: Workers,
    resume: bool = False,
    progress: bool = False,
) -> RefineResult:
    """Refine flops, and write the file; the same bits for any workers, and after any interruption.

    Args:
        settings: what to refine.
        forecast: the forecast of these settings.
        workers: threads of this machine, or a Ray cluster.
        resume: go on with the subgames in the log.
        progress: show a bar on stderr.

    Raises:
        CfrError: too little memory, a log of something else, or a file that cannot be written, in one line.
        Interrupted: Ctrl-C; no finished subgame is lost.
    """
    check_start(settings, forecast if workers.shares_memory else None, resume)
    clock = Clock()
    attributes, kept = settings.earlier
    with ExitStack() as held:
        log = held.enter_context(Parts(settings.log, settings.identity(forecast.tables), resume))
        earlier = held.enter_context(closing(RefinedFlops(settings.out))) if kept else None
        clock.before = max((_unpack(log.read(number))[0] for number in log.numbers), default=0.0)
        subgames = _solve(settings, forecast, workers, log, clock, progress)
        seconds = float(attributes.get("seconds", 0.0)) + clock.seconds
        found = [_most(_read(log, number)) for number in subgames]
        certificates = np.concatenate([*found, *([earlier.most_certificates()] if earlier is not None else [])])
        middle, most, all_ = np.quantile(certificates, _QUANTILES).tolist()
        result = RefineResult(
            file=str(settings.out),
            game=settings.strategy.game.name,
            flops=len(kept) + len({each.board for each in subgames.values()}),
            all_flops=len(first_boards(settings.strategy.game).cards),
            subgames=len(certificates),
            iterations=settings.effort.iterations,
            tables=forecast.tables,
            certificates_mbb=(middle, most, all_),
            seconds=round(seconds, 3),
        )
        strategy = settings.strategy
        flops = _flops(settings, subgames, log, earlier)
        save_refined(settings.out, strategy.path, strategy.identity["strategy"], flops, _attributes(settings, result))
    discard(settings.log)
    return result


def check_start(settings: RefineSettings, forecast: RefineForecast | None, resume: bool = False) -> None:
    """Refuse what :func:`refine` would refuse before it begins.

    Args:
        settings: what to refine.
        forecast: the forecast of these settings; None where a cluster refines, whose nodes say what fits.
        resume: go on with the subgames in the log.

    Raises:
        CfrError: as :func:`refine`.
    """
    if forecast is not None:
        forecast.check()
    if settings.log.exists() and not resume:
        raise BadInputError(
            f"{settings.log}: holds subgames of an earlier refinement; go on with resume=True, or delete it"
        )


def _solve(
    settings: RefineSettings,
    forecast: RefineForecast,
    workers: Workers,
    log: Parts,
    clock: Clock,
    progress: bool,
) -> dict[int, FlopSubgame]:
    """Do the subgames that the log lacks.

    Returns:
        All subgames of the flops that are done, by their number in the log, flop by flop.
    """
    threads = 1
    if isinstance(workers, Threads):
        threads = max(1, workers.count // forecast.at_a_time)
        workers = Threads(forecast.at_a_time)
    game, lines = settings.strategy.game, settings.strategy.betting.num_lines[1]
    refiner = settings.refiner(forecast.tables, threads)
    subgames, sizes = {}, {}
    behind = {flop: refiner.subgames(board) for flop, board in settings.boards.items()}
    if settings.hours is not None:  # flops that play came to are first
        behind = dict(sorted(behind.items(), key=lambda item: not any(map(refiner.kept.has, item[1]))))
    for flop, found in behind.items():
        boards = count_below(game, np.array(settings.boards[flop], np.uint8))
        for each in found:
            number = (flop * lines + each.line) * 2 + each.seat
            subgames[number], sizes[number] = each, boards
    of_flop: dict[tuple[int, ...], list[int]] = {}
    for number, each in subgames.items():
        of_flop.setdefault(each.board, []).append(number)
    left: list[int] = []

    def units() -> Iterator[FlopSubgame]:
        begun, this_run = 0, Clock()
        for numbers in of_flop.values():
            wanted = [number for number in numbers if number not in log.numbers]
            if settings.hours is not None and begun and this_run.seconds * (begun + 1) / begun > 3600 * settings.hours:
                return
            begun += bool(wanted)
            left.extend(wanted)
            yield from map(subgames.__getitem__, wanted)

    try:
        with (
            closing(workers.run(partial(getattr, refiner, "packed"), units(), forecast.memory_bytes)) as results,
            work_bar(
                "refining flops" + workers.where,
                sum(sizes[number] for number in islice(sizes, None if settings.hours is None else forecast.subgames)),
                sum(size for number, size in sizes.items() if number in log.numbers),
                "boards",
                progress,
            ) as bar,
        ):
            for place, packed in results:
                log.add(left[place], _SECONDS.pack(clock.seconds) + packed)
                bar.update(sizes[left[place]])
    except KeyboardInterrupt:
        done = sum(number in log.numbers for number in subgames)
        raise Interrupted(
            f"stopped after {done:,} of {counted(len(subgames), 'subgame')}; continue with resume=True"
        ) from None
    whole = {board for board, numbers in of_flop.items() if all(number in log.numbers for number in numbers)}
    return {number: each for number, each in subgames.items() if each.board in whole}


def _flops(
    settings: RefineSettings, subgames: Mapping[int, FlopSubgame], log: Parts, earlier: RefinedFlops | None
) -> Iterator[tuple[int, NDArray[np.uint8], RefinedFlop]]:
    """Number, cards and play of the flops of an earlier file and of the log, by ascending number."""
    game, betting = settings.strategy.game, settings.strategy.betting
    numbers: dict[tuple[int, ...], list[int]] = {}
    for number, each in subgames.items():
        numbers.setdefault(each.board, []).append(number)
    new = {flop: board for flop, board in settings.boards.items() if board in numbers}
    for flop in sorted({*new, *(earlier.numbers if earlier is not None else ())}):
        if flop in new:
            parts = [_read(log, number) for number in numbers[new[flop]]]
            rows = all_rows(game, new[flop], 2).num_rows
            yield flop, np.array(new[flop], np.uint8), RefinedFlop.together(parts, rows, betting)
        elif earlier is not None and (found := earlier.find(flop)) is not None:
            yield flop, earlier.boards.boards[flop], found


def _read(log: Parts, number: int) -> RefinedFlop:
    return RefinedFlop.unpack(_unpack(log.read(number))[1])


def _unpack(record: bytes) -> tuple[float, bytes]:
    return float(_SECONDS.unpack_from(record)[0]), record[_SECONDS.size :]


def _most(flop: RefinedFlop) -> NDArray[np.float64]:
    return flop.certificates[..., 0][flop.refined]


def _attributes(settings: RefineSettings, result: RefineResult) -> dict[str, Any]:
    middle, most, all_ = result.certificates_mbb
    whole = counted(result.all_flops, "flop")
    counts, seeds = (list(each) for each in zip(*settings.samples, strict=True))
    all_or_some = "all" if settings.hours is None else "the likeliest, or where play came"
    which = all_or_some if settings.flops is None else "stratified"
    return {
        "algorithm": "flops refined: re-solved without buckets, with the combined gadget",
        "refined": f"{result.flops:,} of {whole} ({which}); elsewhere the blueprint plays the flop",
        "refined_flops": result.flops,
        "refined_sample": counts[0] if len(counts) == 1 else counts,
        "refined_seed": seeds[0] if len(seeds) == 1 else seeds,
        "refined_lines": "all" if settings.takes_all else "played",
        "refined_by": settings.refined_by(result.tables),
        "refined_subgames": result.subgames,
        "iterations": result.iterations,
        "tables": result.tables,
        "certificate_half_mbb": middle,
        "certificate_nine_of_ten_mbb": most,
        "certificate_most_mbb": all_,
        "seconds": result.seconds,
        "created": datetime.now(UTC).strftime("%Y-%m-%d"),
        "cfr_version": VERSION,
    }
