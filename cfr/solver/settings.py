"""What to solve and for how long."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.rules import Game, game_of
from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.numbers import TYPES
from cfr.kernel.schedules import CFR_BR, CFR_PLUS, LOSSLESS, SAMPLED, SCHEDULED, schedule_named
from cfr.solver.trunk.trunk import Trunk
from cfr.strategy.files.quantise import MOST_PURGED
from cfr.system.checks import (
    check_amount,
    check_count,
    check_kind,
    check_path,
    check_texts,
    check_threads,
    check_whole,
    number_of,
)
from cfr.system.errors import BadInputError
from cfr.system.text import counted

Buckets = tuple[int | str, ...] | None

TABLES = tuple(name for name in TYPES if name != "int8")  # an average of many small shares needs more than 8 bits
BYTES = "bytes"
STORES = (BYTES, "float32", "float64")  # number types of a file
MOST_TOGETHER = 256  # iterations of a batch

# What becomes of a setting when an interrupted solve goes on; each field of Settings says which.
_SAME = {"resumed": "same"}  # these are a checkpoint's identity
_LIMIT = {"resumed": "limit"}  # this and those that follow may be said again
_TARGET = {"resumed": "target"}
_PURGE = {"resumed": "purge"}
_PLACE = {"resumed": "place"}  # of a solve with lossless
_OTHER = {"resumed": "other"}
_NOT_KEPT = {"resumed": "not kept"}  # no checkpoint has it


@dataclass(frozen=True)
class Settings:
    """What to solve and for how long.

    Attributes:
        game: the rules; a bundled game's name or a ``.game`` file's path serves, too.
        buckets: rows of each round from the flop on, a number or ``"lossless"``, the last's also such as ``"10x330"``
            (:func:`cfr.abstraction.buckets.checked_buckets`); None, the default, for all lossless.
        iterations: stop after so many, or None.
        minutes: stop in time to be done after so many minutes, all included but interruptions, or None.
        target_mbb: stop when exploitability is at most this many mbb/g, or None. With buckets it is measured now and
            then on a sample of flops, the best strategy is kept, and iterations or minutes end what never gets there.
        target_flops: how many flops that sample has, at most all.
        threads: never changes the result.
        seed: of the clustering and the sampled boards.
        out: the strategy file to write.
        resume: a checkpoint to continue, or None.
        purge: probabilities under this are stored as 0 (Ganzfried, Sandholm and Waugh 2012, "purification and
            thresholding"); 0 keeps all.
        purge_unplayed: the same for actions that the last iteration does not play any more, where it is more.
        schedule: name of how regrets and the average accumulate, one of :data:`cfr.kernel.schedules.SCHEDULES`;
            default ``hs-dcfr``, with buckets ``cfr+``.
        compact: store codebooks after the first round: rows that play alike on a betting line share their play there.
        store: without buckets, the number type of the file: ``bytes``, with remainders where rounding costs much,
            ``float32`` or ``float64``, which keep what was solved.
        warm_up: share of the iterations, or of the minutes after the preparation, that schedule ``cfr-br`` begins with
            by CFR+; less than 1.
        rivers: with buckets, how many boards of the last round are sampled below each one of the round before.
        never: lines of the first round, such as ``"c"`` for a limp, by schedule ``cfr-br``: what is stored never takes
            the action that ends one; its opponents may. In the game of a trunk nobody may.
        tables: the number type of the tables with buckets: ``float32``, or ``bfloat16``, which takes half the memory.
            ``bfloat16`` rounds up or down at random; the random numbers depend on the iteration alone. With
            ``lossless`` also ``int8``: one byte for an entry of the last round, ``bfloat16`` before.
        averaging_delay: without buckets, how many iterations come before the average strategy begins (the delay d of
            Tammelin 2014, section 3). Until then a solve has no average and moves no table of averages.
        batch: with buckets, how many iterations' boards are traversed side by side before preflop, flop and turn learn
            from them: many cores have work then. Another batch is another solve.
        lossless: solve without buckets, also what memory does not hold: pieces of the tables then lie on disk. The
            result has the same bits wherever the tables are.
        river_rows: with ``lossless``, whether a row of the last round is a hand or a strength. Hands that tie on a
            board then share a row, whatever cards they take away: tables are smaller, but no limit is an equilibrium.
        trunk: with ``lossless``, the strategy whose play before the first board is solved anew, and on how many flops
            (:meth:`cfr.Trunk.of`). The file keeps that strategy's later rounds; None to solve all rounds.
        memory_gb: with ``lossless``, the most memory of the solve; None for four fifths of what is free.
        disk: with ``lossless``, the folder for pieces of the tables; None for that of ``out``.
        without_rivers: with ``lossless``, leave the last round out of the file; None does where it would be large.
        history: without buckets, a CSV file of the exploitability after each power of two iterations, and at the end
            (:class:`cfr.solver.history.History`); None for none.
        overwrite: replace an earlier file ``out`` and its checkpoint; else a solve refuses to begin over them.
    """

    game: Game = field(metadata=_SAME)
    buckets: Buckets = field(default=None, metadata=_SAME)
    iterations: int | None = field(default=None, metadata=_LIMIT)
    minutes: float | None = field(default=None, metadata=_LIMIT)
    target_mbb: float | None = field(default=None, metadata=_TARGET)
    target_flops: int = field(default=100, metadata=_OTHER)
    threads: int = field(default=1, metadata=_OTHER)
    seed: int = field(default=0, metadata=_SAME)
    out: Path = field(default=Path("strategy.h5"), metadata=_NOT_KEPT)
    resume: Path | None = field(default=None, metadata=_NOT_KEPT)
    purge: float = field(default=0.0, metadata=_PURGE)
    purge_unplayed: float = field(default=0.0, metadata=_PURGE)
    compact: bool = field(default=False, metadata=_OTHER)
    store: str = field(default=BYTES, metadata=_OTHER)
    schedule: str = field(default="", metadata=_SAME)
    warm_up: float = field(default=0.1, metadata=_OTHER)
    rivers: int = field(default=1, metadata=_SAME)
    never: tuple[str, ...] = field(default=(), metadata=_SAME)
    tables: str = field(default="float32", metadata=_SAME)
    averaging_delay: int = field(default=0, metadata=_SAME)
    batch: int = field(default=1, metadata=_SAME)
    overwrite: bool = field(default=False, metadata=_NOT_KEPT)
    lossless: bool = field(default=False, metadata=_SAME)
    river_rows: RiverRows = field(default="hands", metadata=_SAME)
    trunk: Trunk | None = field(default=None, metadata=_SAME)
    memory_gb: float | None = field(default=None, metadata=_PLACE)
    disk: Path | None = field(default=None, metadata=_PLACE)
    without_rivers: bool | None = field(default=None, metadata=_PLACE)
    history: Path | None = field(default=None, metadata=_NOT_KEPT)

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", game_of(self.game))
        for name in ("out", "resume", "disk", "history"):
            if (path := getattr(self, name)) is not None or name == "out":
                check_path(name, path)
                object.__setattr__(self, name, Path(path))
        self._check_kinds()
        if not self.schedule:
            default = SCHEDULED if self.buckets is None else CFR_PLUS
            object.__setattr__(self, "schedule", default.name)
        schedule = schedule_named(self.schedule)
        if self.buckets is not None and schedule not in SAMPLED:
            names = " or ".join(each.name for each in SAMPLED)
            raise BadInputError(
                f"schedule {self.schedule}: only games solved without buckets offer it; with buckets it is {names}"
            )
        if self.buckets is None and schedule not in LOSSLESS:
            raise BadInputError(f"schedule {self.schedule}: only games solved with buckets offer it")
        self._check_trunk()
        if self.never:
            if not schedule.responds and self.trunk is None:
                names = ", ".join(self.never)
                raise BadInputError(f"never: {names}; only schedule {CFR_BR.name} and trunks leave lines out")
            BettingTree(self.game).rounds[0].without(self.never)
        if not 0 <= self.warm_up < 1:
            raise BadInputError(f"warm-up: {self.warm_up}; expected a share from 0 to less than 1")
        check_threads(self.threads)
        if self.iterations is not None:
            check_count("iterations", self.iterations)
        check_count("averaging delay", self.averaging_delay, 0)
        check_count("target flops", self.target_flops, 2, why="to say how sure it is")
        check_count("seed", self.seed, 0, 2**63 - 1)
        self._check_rivers()
        self._check_batch()
        self._check_averaging_delay()
        self._check_tables()
        self._check_store()
        self._check_lossless()
        if self.history is not None and self.buckets is not None:
            raise BadInputError("history: with buckets nothing is measured on the way; leave it out")
        for name, value in (("minutes", self.minutes), ("target", self.target_mbb)):
            if value is not None:
                check_amount(name, value)
        for purge in (self.purge, self.purge_unplayed):
            if not 0 <= purge <= MOST_PURGED:
                raise BadInputError(f"purge: {purge}; expected 0 to {MOST_PURGED}")
        if self.iterations is None and self.minutes is None:
            if self.target_mbb is None:
                raise BadInputError("say when to stop: iterations=, minutes= or target_mbb=")
            if self.buckets is not None:
                raise BadInputError("target: with buckets say minutes or iterations, too: it may never be reached")

    @property
    def keeps_remainders(self) -> bool:
        """Whether the file may keep what rounding leaves."""
        return self.store == BYTES and not (self.purge or self.purge_unplayed or self.compact)

    @property
    def stored_type(self) -> np.dtype[Any]:
        """The number type of the file's probabilities."""
        return np.dtype(np.uint8 if self.store == BYTES else self.store)

    def _check_kinds(self) -> None:
        """Refuse what is no text, number, list or trunk where one is expected."""
        for name in ("schedule", "store", "tables", "river_rows"):
            check_kind(name, getattr(self, name), str, "a name")
        for name in ("purge", "purge_unplayed", "warm_up"):
            number_of(name, getattr(self, name))
        check_texts("never", self.never, "c")
        if self.buckets is not None:
            check_kind("buckets", self.buckets, list | tuple, "None, or a tuple such as (5000, 4000, 1000)")
        if self.trunk is not None:
            check_kind("trunk", self.trunk, Trunk, "a cfr.Trunk, such as cfr.Trunk.of('small', 24)")
        check_whole("rivers", self.rivers)
        check_whole("batch", self.batch)

    def _check_rivers(self) -> None:
        if self.rivers == 1:
            return
        if self.buckets is None:
            raise BadInputError("rivers: games solved without buckets visit all boards")
        if not self.game.num_board_cards[-1]:  # such games have no buckets, which is said where they are made
            return
        unseen = len(self.game.deck) - sum(self.game.num_board_cards[:-1])
        most = (unseen - 2 * self.game.num_hole_cards) // self.game.num_board_cards[-1]
        check_count("rivers", self.rivers, 1, most)

    def _check_batch(self) -> None:
        check_count("batch", self.batch, 1, MOST_TOGETHER)
        if self.batch > 1 and self.buckets is None:
            raise BadInputError("batch: games solved without buckets visit all boards; leave it out")

    def _check_averaging_delay(self) -> None:
        delay = self.averaging_delay
        if delay and self.buckets is not None:
            raise BadInputError("averaging delay: with buckets the average begins after the warm-up; leave it out")
        if self.iterations is not None and delay >= self.iterations:
            most = counted(self.iterations, "iteration")
            raise BadInputError(f"averaging delay: {delay:,}; expected at least 0 and less than the {most}")

    def _check_lossless(self) -> None:
        if not self.lossless:
            for name in PLACES:
                if getattr(self, name) is not None:
                    flag = name.removesuffix("_gb").replace("_", "-")
                    raise BadInputError(f"{flag}: only solves with lossless=True have it; leave it out")
        elif self.buckets is not None:
            raise BadInputError("lossless: a solve without buckets; leave out buckets=")
        elif self.game.num_rounds < 2:
            raise BadInputError(f"lossless: {self.game.name} has one round, which memory holds; leave it out")
        elif self.compact:
            raise BadInputError("compact: lossless=True stores each row, and makes no codebooks; leave compact= out")
        elif self.purge or self.purge_unplayed:
            name = "purge" if self.purge else "purge_unplayed"
            what = f"{name.replace('_', '-')}: lossless=True stores all probabilities, small ones too"
            raise BadInputError(f"{what}; leave {name}= out")
        if self.river_rows not in RIVER_ROWS:
            raise BadInputError(f"river rows: {self.river_rows!r}; expected {' or '.join(RIVER_ROWS)}")
        if self.river_rows != "hands" and not self.lossless:
            raise BadInputError("river rows: only solves with lossless=True go by strength; leave it out")
        if self.memory_gb is not None:
            check_amount("memory", self.memory_gb)

    def _check_trunk(self) -> None:
        if self.trunk is None:
            return
        if not self.lossless:
            raise BadInputError("trunk: it is solved without buckets; say lossless=True, too")
        if self.trunk.game_text != self.game.text():
            raise BadInputError(f"blueprint: {self.trunk.blueprint} is not a strategy of {self.game.name}")
        for path in (self.trunk.blueprint, self.trunk.control_variate):
            if path is not None and os.path.realpath(self.out) == os.path.realpath(path):
                raise BadInputError(f"out: {self.out} is what the trunk is made from; expected another file")
        if self.without_rivers is not None:
            raise BadInputError("without rivers: the file of a trunk has the blueprint's later rounds; leave it out")

    def _check_store(self) -> None:
        if self.store not in STORES:
            raise BadInputError(f"store: {self.store!r}; expected {', '.join(STORES)}")
        if self.store == BYTES:
            return
        if self.buckets is not None or self.lossless:
            raise BadInputError(f"store: {self.store}; with buckets or lossless=True a file has bytes; leave it out")
        if self.purge or self.purge_unplayed or self.compact:
            raise BadInputError(
                f"store: {self.store} keeps all probabilities as solved; leave out purge= and compact=True"
            )

    def _check_tables(self) -> None:
        if self.lossless:
            if self.tables not in TYPES:
                raise BadInputError(f"tables: {self.tables!r}; expected {', '.join(TYPES)}")
            return
        if self.tables not in TABLES:
            raise BadInputError(f"tables: {self.tables!r}; expected {' or '.join(TABLES)}")
        if self.buckets is None and self.tables != TABLES[0]:
            raise BadInputError(f"tables: {self.tables}; games solved without buckets have {TABLES[0]}")


def _names(*groups: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(Settings) if each.metadata in groups)


IDENTITY = _names(_SAME)
CHANGEABLE = _names(_LIMIT, _TARGET, _PURGE, _PLACE, _OTHER)
PLACES = _names(_PLACE)


def changed(settings: Mapping[str, Any], changes: Mapping[str, Any], buckets: Buckets) -> dict[str, Any]:
    """Settings by name with changes. A change of when to stop, or of what to purge, replaces all earlier ones.

    With buckets, a target does not replace the iterations or minutes that end a solve which misses it.
    """
    stops = _names(_LIMIT, _TARGET) if buckets is None else _names(_LIMIT)
    replaced = [name for group in (stops, _names(_PURGE)) if not changes.keys().isdisjoint(group) for name in group]
    return {name: value for name, value in settings.items() if name not in replaced} | dict(changes)
