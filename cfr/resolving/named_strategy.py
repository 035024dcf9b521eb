"""Strategies by name; a name may ask for re-solving from a round on: ``FILE+turn``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.strategy.files.bundled import BUILT_INS, located
from cfr.strategy.files.file import REFINED, open_file
from cfr.strategy.files.stored import RefinedFileError, Strategy, open_strategy
from cfr.strategy.strategy import AnyStrategy, Spots, check_opened
from cfr.strategy.whole import check_whole
from cfr.system.errors import UnknownSpotError

if TYPE_CHECKING:
    from cfr.resolving.resolving_strategy import Resolving

OFF = "off"
RESOLVED = ROUND_NAMES[1:]  # that can be re-solved


def split_name(name: str) -> tuple[str, str]:
    """A strategy's name and the first round of its re-solving, or ``off``; a file of the whole name comes first."""
    base, plus, round_ = name.rpartition("+")
    return (base, round_) if plus and round_ in RESOLVED and not Path(name).exists() else (name, OFF)


def resolved_name(name: str, resolve: str | None) -> str:
    """The name of a strategy that re-solves from the round ``resolve`` on; None leaves the name as it is."""
    if resolve is None:
        return name
    base = split_name(name)[0]
    return base if resolve == OFF else f"{base}+{resolve}"


def open_whole(name: str | Path | None = None, resolve: str | None = None) -> Spots:
    """:func:`open_named` for what plays whole hands.

    Raises:
        UnknownSpotError: besides what :func:`open_named` raises, a file of a spot, or one without its last round.
    """
    strategy = open_named(name, resolve)
    try:
        check_whole(strategy, name)
    except BaseException:
        strategy.close()
        raise
    return strategy


def open_named(name: str | Path | None = None, resolve: str | None = None, game: Game | None = None) -> Spots:
    """A strategy file, a built-in or bundled strategy by name, or the default for None; re-solved on request.

    Args:
        name: the strategy; ``FILE+turn`` asks for re-solving from the turn on.
        resolve: ``off`` or a round's name; overrides the round in ``name``.
        game: the rules for a built-in strategy.

    Raises:
        OSError, DamagedFileError: as :meth:`cfr.strategy.files.stored.Strategy.open`.
        UnknownSpotError: a round that the game does not have, or a file to re-solve that is not of a whole game.
    """
    base, said = (None, OFF) if name is None else split_name(str(name))
    try:
        strategy = open_strategy(base, game)
    except RefinedFileError:
        assert base is not None
        if resolve is not None or said != OFF:
            raise UnknownSpotError(
                f"{base}: its flops are refined, and it solves turns while it plays anyhow; leave out "
                f"{f'resolve={resolve}' if resolve else f'+{said}'}"
            ) from None
        return open_refined(base)
    if (resolve or said) == OFF:
        return strategy
    from cfr.resolving.resolving_strategy import Resolving  # loads the kernel

    try:
        return Resolving(strategy, resolve or said)
    except BaseException:
        strategy.close()
        raise


@contextmanager
def opened(strategy: AnyStrategy | str | PathLike[str]) -> Iterator[Any]:
    """An open strategy as it is; one by name (:func:`open_named`), which the end of the block closes.

    Raises:
        CfrError, OSError: a name that :func:`open_named` does not open; what is neither a strategy nor a name.
    """
    if isinstance(strategy, str | PathLike):
        with open_named(Path(strategy) if isinstance(strategy, PathLike) else strategy) as found:
            yield found
        return
    check_opened(strategy)
    yield strategy


def is_refined(name: str) -> bool:
    """Whether a strategy's name is that of a file with refined flops."""
    if name in BUILT_INS:
        return False
    with open_file(located(name)) as file:
        return REFINED in file


def open_refined(path: str | Path) -> Resolving:
    """A file with refined flops: it plays flops from memory, and solves turns anew; errors as :func:`open_named`."""
    from cfr.resolving.flop_play import FlopPlay
    from cfr.resolving.resolving_strategy import Resolving  # loads the kernel
    from cfr.strategy.files.refined_flops import RefinedFlops

    blueprint = Strategy(path, under_refined=True)
    try:
        return Resolving(FlopPlay(blueprint, RefinedFlops(path)), "turn")
    except BaseException:
        blueprint.close()
        raise


def shown_name(source: str) -> str:
    """A strategy's name for output: the name of its file, without the suffix."""
    base, resolve = split_name(source)
    name = base if base in BUILT_INS else located(base).stem
    return name if resolve == OFF else f"{name}+{resolve}"
