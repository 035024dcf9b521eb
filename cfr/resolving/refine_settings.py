"""What to refine, checked: the flops, the lines, the effort, the number type of the tables."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.hands.boards import BoardMap
from cfr.hands.flops import first_boards, sample
from cfr.hands.river_rows import RIVER_ROWS
from cfr.kernel.builds import dtype_for
from cfr.kernel.numbers import TYPES
from cfr.resolving.flop_refiner import FlopRefiner
from cfr.resolving.kept_subgames import KeptSubgames
from cfr.resolving.resolver import Effort
from cfr.strategy.files.file import REFINED, open_file
from cfr.strategy.files.refined_flops import RefinedFlops, samples_of
from cfr.strategy.files.stored import Strategy
from cfr.system.checks import check_amount
from cfr.system.disk.result_log import identity_in
from cfr.system.errors import BadInputError

_METHOD = 4  # of refining; a new number makes old logs those of something else
AUTO = "auto"


@dataclass(frozen=True, eq=False)
class RefineSettings:
    """The flops of a strategy to refine.

    Attributes:
        strategy: the blueprint.
        out: the file to write.
        flops: number of flops to draw; None takes all.
        seed: seed of the sample.
        hours: add flops to the file ``out`` for so many hours, first those that play came to, then the likeliest; None
            refines all that are drawn, into a new file.
        adds: add the flops to the file ``out`` as one more sample, if there is such a file.
        effort: the work of each solve.
        takes_all: refine a seat's play behind every line that the seat takes, not only lines that both seats take.
        tables: number type of the tables, or ``auto`` for bfloat16 where it fits, else int8.

    Raises:
        BadInputError: a game without a round after the flop, a wrong number of flops, or a file to grow that is
            another strategy's or was refined in another way.
        OSError, DamagedFileError: a file to grow that cannot be read.
    """

    strategy: Strategy
    out: Path
    flops: int | None = None
    seed: int = 0
    hours: float | None = None
    adds: bool = False
    effort: Effort = field(default_factory=Effort)
    takes_all: bool = False
    tables: str = AUTO

    def __post_init__(self) -> None:
        game = self.strategy.game
        if game.num_rounds < 3:
            raise BadInputError(
                f"{game.name} has {game.num_rounds} rounds; refining is for games with a turn after the flop: solve "
                "this one without buckets (cfr solve)"
            )
        if self.hours is not None:
            check_amount("hours", self.hours)
            if self.flops is not None:
                raise BadInputError("flops: a file that grows takes the likeliest next; leave it out")
        if self.adds and self.flops is None:
            raise BadInputError("adds=True: adds a sample to a file; say flops=, and another seed=")
        _ = self.drawn

    @classmethod
    def of_flops(cls, flops: RefinedFlops, blueprint: Strategy) -> RefineSettings:
        """How the flops of a file were refined, so that others can be in the same way.

        Args:
            flops: the file's.
            blueprint: the blueprint in it.

        Raises:
            BadInputError: flops that were refined in another way than this version refines.
        """
        said = flops.attributes
        takes_all, tables = said.get("refined_lines") == "all", str(said.get("tables"))
        for river_rows in (None, *RIVER_ROWS):
            effort = Effort(int(said.get("iterations", 0)), river_rows=river_rows)
            found = cls(blueprint, flops.path, effort=effort, takes_all=takes_all, tables=tables)
            if said.get("refined_by") == found.refined_by(tables):
                return found
        raise BadInputError(
            f"{flops.path}: its flops were refined by another version of cfr, which solves no more of them; refine it "
            "anew"
        )

    @cached_property
    def drawn(self) -> NDArray[np.int64]:
        """Numbers of the flops, by :func:`cfr.hands.flops.first_boards`, in the sample's order; some may come twice.

        For a file that grows, all flops, the likeliest first.
        """
        boards = first_boards(self.strategy.game)
        if self.hours is not None:
            return np.argsort(-boards.share.round(12), kind="stable")
        return sample(boards, self.flops, self.seed)

    @cached_property
    def boards(self) -> dict[int, tuple[int, ...]]:
        """The canonical flops to refine by their number: ascending, or for a file that grows the likeliest first."""
        game = self.strategy.game
        canonical = BoardMap(game.num_board_cards[1:2], game.deck)
        numbers = canonical.locate(first_boards(game).cards[self.drawn])[0]
        wanted = np.unique(numbers) if self.hours is None else numbers
        _, kept = self.earlier
        return {n: tuple(canonical.boards[n].tolist()) for n in wanted.tolist() if n not in kept}

    @cached_property
    def earlier(self) -> tuple[dict[str, Any], frozenset[int]]:
        """Attributes of the file that grows, and the flops that it has; none of both where a new file is written."""
        if (self.hours is None and not self.adds) or not self.out.exists():
            return {}, frozenset()
        with closing(open_file(self.out)) as file:
            if REFINED not in file:
                raise BadInputError(f"{self.out}: a strategy without refined flops, so none are added; name another")
        with closing(RefinedFlops(self.out)) as flops:
            attributes, numbers = flops.attributes, frozenset(flops.numbers)
        if self.adds and not flops.samples:
            raise BadInputError(f"{self.out}: its flops are no sample, so that none can be added; take another file")
        if (self.flops, self.seed) in flops.samples:
            raise BadInputError(f"{self.out}: it has this sample already; say another seed than {self.seed}")
        tables = str(attributes.get("tables"))
        if self.tables not in (AUTO, tables) or attributes.get("refined_by") != self.refined_by(tables):
            raise BadInputError(
                f"{self.out}: it is of another strategy, or was refined with other iterations, lines, tables or river "
                "rows; say the same, or take another file"
            )
        return attributes, numbers

    @property
    def samples(self) -> list[tuple[int, int]]:
        """Number of flops and seed of each sample that the file will have; one of 0 flops where they are no sample."""
        attributes, _ = self.earlier
        kept = samples_of(attributes) if self.adds and attributes else []
        return [*kept, (self.flops or 0, self.seed)]

    @property
    def ends_samples(self) -> bool:
        """Whether the flops of the file that grows are samples, and are none any more afterwards."""
        attributes, _ = self.earlier
        return bool(self.hours is not None and attributes and samples_of(attributes))

    @property
    def log(self) -> Path:
        """The log of finished flops."""
        return self.out.parent / f"{self.out.name}.flops"  # also of a folder, which is refused later

    @property
    def table_types(self) -> tuple[str, ...]:
        """Number types of tables that may be chosen, the largest first; small games count in float64.

        Tables of bfloat16 give equal quality in less time than float32.
        """
        if self.tables != AUTO:
            return (self.tables,)
        if dtype_for(self.strategy.game) == np.float64:
            return ("float64",)
        kept = identity_in(self.log).get("tables")
        if kept is None:
            kept = self.earlier[0].get("tables")
        return (str(kept),) if kept in TYPES else ("bfloat16", "int8")

    def refiner(self, tables: str, threads: int) -> FlopRefiner:
        """What does a flop."""
        kernel_tables = None if tables == "float64" else tables
        kept = KeptSubgames(self.identity(tables))
        return FlopRefiner(self.strategy, self.effort, kernel_tables, self.takes_all, kept, threads)

    def identity(self, tables: str) -> dict[str, Any]:
        """Everything that a refined subgame depends on."""
        return {
            **self.strategy.identity,
            "refine": _METHOD,
            "effort": repr(asdict(self.effort)),
            "tables": tables,
        }

    def refined_by(self, tables: str) -> str:
        """All that the flops of one file have in common, as text."""
        return json.dumps({**self.identity(tables), "all": self.takes_all}, sort_keys=True)
