"""Whose play before the first board is solved anew, and on how many flops."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cfr.exploit.flop_values import FlopValues
from cfr.game.rules import Game, NamedGame, game_of
from cfr.hands.flops import at_most, first_boards, sample
from cfr.hands.river_rows import RiverRows
from cfr.kernel.chance import Dealt
from cfr.kernel.pieces import all_boards, boards_of_flops, rows_of_boards, rows_of_first
from cfr.strategy.files.bundled import BUILT_INS, bundled_flop_values, located, located_flop_values
from cfr.strategy.files.stored import Strategy
from cfr.system.checks import check_path, check_whole
from cfr.system.errors import BadInputError


@dataclass(frozen=True)
class Trunk:
    """The trunk of a blueprint; :meth:`of` makes one.

    Attributes:
        blueprint: file of the strategy whose later rounds stay.
        flops: how many flops of a stratified sample the trunk is solved on; None for all.
        control_variate: file of the blueprint's values on all flops (:class:`cfr.FlopValues`); None without a sample.
        checksum: of the blueprint.
        values_checksum: of the values; empty without a sample.
        game_text: the blueprint's rules.
        never: lines of the first round that the blueprint's solve left out.
    """

    blueprint: Path
    flops: int | None
    control_variate: Path | None
    checksum: str
    values_checksum: str
    game_text: str
    never: tuple[str, ...]

    def drawn(self, game: Game, seed: int) -> np.ndarray:
        """``(n,)`` indices of its flops in the order of :func:`cfr.hands.flops.first_boards`."""
        return sample(first_boards(game), self.flops, seed)

    def levels(self, game: Game, seed: int) -> list[Dealt]:
        """All boards of its game, round by round."""
        return list(_levels(game, self.flops, seed))

    def num_rows(self, game: Game, seed: int, river_rows: RiverRows) -> tuple[int, ...]:
        """Table rows of each round of its game."""
        return _num_rows(game, self.flops, seed, river_rows)

    def check_unchanged(self) -> None:
        """Raise BadInputError if the files are not those that it was made of."""
        if self != Trunk.of(self.blueprint, self.flops, self.control_variate):
            raise BadInputError(f"blueprint: {self.blueprint} or its flop values changed since the solve began")

    def facts(self) -> dict[str, Any]:
        """What :meth:`from_facts` takes, for JSON."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in vars(self).items()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Trunk:
        """The trunk of :meth:`facts`, as the files were then."""
        control = facts["control_variate"]
        paths = {"blueprint": Path(facts["blueprint"]), "control_variate": control and Path(control)}
        return cls(**{**facts, **paths, "never": tuple(facts["never"])})

    @classmethod
    def of(
        cls,
        blueprint: str | os.PathLike[str],
        flops: int | None = None,
        control_variate: str | os.PathLike[str] | None = None,
        game: NamedGame | None = None,
    ) -> Trunk:
        """Look at the files.

        Args:
            blueprint: a strategy file, or a bundled strategy's name.
            flops: as the attribute; all flops where the game has no more.
            control_variate: a file of the blueprint's flop values; None for those that come with a bundled strategy.
            game: what the blueprint must be a strategy of, the rules, a name or a path; None for any.

        Raises:
            OSError, DamagedFileError: a file that cannot be read.
            BadInputError: another game, values of another strategy, a sample without values, a game without flops.
        """
        check_path("blueprint", blueprint, "a strategy file, or a bundled strategy's name")
        if flops is not None:
            check_whole("flops", flops)
        if control_variate is not None:
            check_path("control_variate", control_variate)
        asked = None if game is None else game_of(game)
        if str(blueprint) in BUILT_INS:
            raise BadInputError(f"blueprint: {blueprint} is built in; expected a strategy file")
        path = Path(os.path.abspath(located(blueprint)))
        with Strategy(path) as strategy:
            rules, checksum, left_out = strategy.game, str(strategy.attributes["checksum"]), strategy.left_out
            never = tuple(filter(None, str(strategy.attributes.get("never", "")).split(",")))
            is_exact = strategy.attributes.get("exploitability_standard_error_mbb") == 0
            measured = float(strategy.attributes["exploitability_mbb"]) if is_exact else None
        if asked is not None and asked.text() != rules.text():
            raise BadInputError(f"blueprint: {blueprint} is a strategy of {rules.name}, not of {asked.name}")
        if left_out:
            raise BadInputError(left_out)
        if rules.num_rounds < 2:
            raise BadInputError(f"blueprint: {rules.name} has one round, and nothing behind a trunk")
        if (flops := at_most(flops, rules)) is None:
            return cls(path, None, None, checksum, "", rules.text(), never)
        sample(first_boards(rules), flops, 0)  # refuses too few
        given = control_variate or bundled_flop_values(path)
        if given is None:
            raise BadInputError(
                f"control variate: a sample of flops needs the blueprint's values on all of them; make them by: "
                f"cfr exploit {blueprint} --flop-values VALUES"
            )
        values_path = Path(os.path.abspath(located_flop_values(given)))
        values = FlopValues.open(values_path)
        values.check(rules, flops)
        if values.strategy_checksum not in ("", checksum):
            raise BadInputError(
                f"control variate: {given} has the values of another strategy, {values.strategy}; expected the "
                "blueprint's own"
            )
        if measured is not None and not np.isclose(measured, values.exploitability_mbb, rtol=1e-6):
            raise BadInputError(
                f"control variate: {given} has the values of {values.strategy}, {values.exploitability_mbb:.4f} mbb/g "
                f"exploitable, and {blueprint} is {measured:.4f}; expected the blueprint's own"
            )
        return cls(path, flops, values_path, checksum, values.checksum, rules.text(), never)


@lru_cache(maxsize=2)
def _levels(game: Game, flops: int | None, seed: int) -> tuple[Dealt, ...]:
    return tuple(boards_of_flops(game, sample(first_boards(game), flops, seed)) if flops else all_boards(game))


@lru_cache(maxsize=8)
def _num_rows(game: Game, flops: int | None, seed: int, river_rows: RiverRows) -> tuple[int, ...]:
    levels = _levels(game, flops, seed)
    later: list[int] = rows_of_boards(game, levels, river_rows).sum(axis=0).tolist()
    return (rows_of_first(game, levels[0]), *later[1:])
