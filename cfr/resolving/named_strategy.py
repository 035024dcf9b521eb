"""Strategies by name; a name may ask for re-solving from a round on, ``FILE+turn``, or for a mix, ``mix:A@0.3,B``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfr.game.rules import Game, NamedGame, game_of
from cfr.game.words import ROUND_NAMES
from cfr.strategy.files.bundled import BUILT_INS, DEFAULT, checked_name, located
from cfr.strategy.files.file import REFINED, open_file
from cfr.strategy.files.stored import RefinedFileError, Strategy, open_strategy
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import AnyStrategy, BaseStrategy, check_opened
from cfr.strategy.whole import check_whole
from cfr.system.checks import check_text
from cfr.system.errors import BadInputError
from cfr.system.text import share_of

if TYPE_CHECKING:
    from cfr.resolving.resolving_strategy import Resolving

OFF = "off"
RESOLVED = ROUND_NAMES[1:]  # that can be re-solved
MIX = "mix:"
_FLOP = ROUND_NAMES[1]
_ROUNDING = 1e-9  # of shares that add up to 1


def split_name(name: str) -> tuple[str, str]:
    """A strategy's name and the first round of its re-solving, or ``off``; a file of the whole name comes first."""
    base, plus, round_ = name.rpartition("+")
    return (base, round_) if plus and round_ in RESOLVED and not Path(name).exists() else (name, OFF)


def resolved_name(name: str, resolve: str | None) -> str:
    """The name of a strategy that re-solves from the round ``resolve`` on; None leaves the name as it is."""
    if resolve is None:
        return name
    _check_one(name)
    base = split_name(name)[0]
    return base if resolve == OFF else f"{base}+{resolve}"


def is_mix(name: str | Path | None) -> bool:
    """Whether a strategy's name is that of a mix; a file of that name comes first."""
    return name is not None and str(name).startswith(MIX) and not Path(name).exists()


def split_mix(name: str) -> list[tuple[str, float]]:
    """The parts of a mix and their shares, which add up to 1.

    >>> split_mix("mix:a.h5@0.25,small")
    [('a.h5', 0.25), ('small', 0.75)]

    Raises:
        BadInputError: a name that is not so.
    """
    expected = f"{name}: expected {MIX}FILE@SHARE,FILE: shares from 0 to 1, of which one may be left out"
    parts: list[tuple[str, float | None]] = []
    for each in name.removeprefix(MIX).split(","):
        base, at, share = each.rpartition("@")
        try:
            parts.append((base, share_of(share)) if at else (each, None))
        except ValueError:
            raise BadInputError(expected) from None
    left = 1 - math.fsum(share for _, share in parts if share is not None)
    left = 0.0 if abs(left) < _ROUNDING else left
    found = [(base, left if share is None else share) for base, share in parts]
    is_whole = [share for _, share in parts].count(None) == 1 or not left
    if not is_whole or not all(base and 0 <= share <= 1 for base, share in found):
        raise BadInputError(expected)
    return found


def _check_one(name: object) -> None:
    """Raise BadInputError for a mix that is to be re-solved as if it were one strategy."""
    if is_mix(str(name)):
        raise BadInputError(f"{name}: a mix is not re-solved; its parts may be: {MIX}a.h5+turn@0.3,b.h5+turn")


def open_mix(name: str, game: Game | None = None) -> Mixed:
    """A mix by name; errors as :func:`open_whole`, and BadInputError for parts of different games."""
    parts = split_mix(name)
    with ExitStack() as held:
        strategies: dict[int, BaseStrategy] = {}
        for is_rule in (False, True):  # rules play the game of the files
            for n, (part, _) in enumerate(parts):
                if (split_name(part)[0] in BUILT_INS) == is_rule:
                    strategies[n] = held.enter_context(open_whole(part, game=game))
                    game = game if is_rule else strategies[n].game
        opened_ = [strategies[n] for n in range(len(parts))]
        if len({each.game.text() for each in opened_}) > 1:
            raise BadInputError(f"{name}: its parts are for different games")
        held.pop_all()
    return Mixed(opened_, [share for _, share in parts])


def open_whole(name: str | Path | None = None, resolve: str | None = None, game: Game | None = None) -> BaseStrategy:
    """:func:`open_named` for what plays whole hands.

    Raises:
        BadInputError: besides what :func:`open_named` raises, a file of a spot, or one without its last round.
    """
    strategy = open_or_default(name, resolve, game)
    try:
        check_whole(strategy, name)
    except BaseException:
        strategy.close()
        raise
    return strategy


def open_or_default(name: str | Path | None, resolve: str | None = None, game: Game | None = None) -> BaseStrategy:
    """:func:`open_named` of a name, or of the default strategy for None; unchecked."""
    if is_mix(name):
        if resolve is not None:
            _check_one(name)
        return open_mix(str(name), game)
    return _open_one(name, resolve, game)


def open_named(
    name: str | PathLike[str] = DEFAULT, resolve: str | None = None, game: NamedGame | None = None
) -> BaseStrategy:
    """A strategy file, or a built-in or bundled strategy by name; re-solved on request.

    Args:
        name: the strategy; default, the supplied one. ``FILE+turn`` asks for re-solving from the turn on,
            ``mix:A@0.3,B`` for a mix (:class:`cfr.strategy.mixed.Mixed`).
        resolve: ``off`` or a round's name; overrides the round in ``name``.
        game: the rules for a built-in strategy, or a bundled game's name, or the path of a ``.game`` file.

    Raises:
        OSError, DamagedFileError: as :meth:`cfr.strategy.files.stored.Strategy.open`.
        BadInputError: a round that the game does not have, or a file to re-solve that is not of a whole game; what is
            no name, no round or no game.
    """
    checked_name("name", name)
    if resolve is not None:
        check_text("resolve", resolve, RESOLVED[1])
    rules = None if game is None else game_of(game)
    return open_or_default(Path(name) if isinstance(name, PathLike) else name, resolve, rules)


def _open_one(name: str | Path | None, resolve: str | None, game: Game | None) -> BaseStrategy:
    """One strategy, not a mix."""
    base, said = (None, OFF) if name is None else split_name(str(name))
    try:
        strategy = open_strategy(base, game)
    except RefinedFileError:
        assert base is not None
        asked = resolve or said
        if asked not in (OFF, _FLOP) or resolve == OFF:
            raise BadInputError(
                f"{base}: its flops are refined, and it solves turns while it plays anyhow; leave out "
                f"{f'resolve={resolve}' if resolve else f'+{said}'}; {base}+{_FLOP} also solves flops that it lacks"
            ) from None
        return open_refined(base, on_demand=asked == _FLOP)
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
        with open_named(strategy) as found:
            yield found
        return
    check_opened(strategy)
    yield strategy


@contextmanager
def opened_pair(
    first: AnyStrategy | str | PathLike[str], second: AnyStrategy | str | PathLike[str]
) -> Iterator[tuple[Any, Any]]:
    """:func:`opened` of both; a rule by name plays the game of the other one. Errors as there."""
    named = (first, second)
    is_rule = [isinstance(each, str) and each in BUILT_INS for each in named]
    with ExitStack() as stack:
        files = [None if rule else stack.enter_context(opened(each)) for each, rule in zip(named, is_rule, strict=True)]
        game = next((each.game for each in files if each is not None), None)
        one, other = (
            open_strategy(str(each), game) if file is None else file for each, file in zip(named, files, strict=True)
        )
        yield one, other


def is_refined(name: str) -> bool:
    """Whether a strategy's name is that of a file with refined flops."""
    if name in BUILT_INS:
        return False
    with open_file(located(name)) as file:
        return REFINED in file


def open_refined(path: str | Path, on_demand: bool = False) -> Resolving:
    """A file with refined flops: it plays flops from memory, and solves turns anew.

    Args:
        path: the file.
        on_demand: refine other flops, too, when a hand comes there (:mod:`cfr.resolving.flops_on_demand`).

    Raises:
        CfrError, OSError: as :func:`open_named`.
    """
    from cfr.resolving.flop_play import FlopPlay
    from cfr.resolving.flops_on_demand import FlopsOnDemand
    from cfr.resolving.resolving_strategy import Resolving  # loads the kernel
    from cfr.strategy.files.refined_flops import RefinedFlops

    blueprint = Strategy(path, under_refined=True)
    try:
        flops = FlopsOnDemand(Path(path), blueprint) if on_demand else RefinedFlops(path)
        return Resolving(FlopPlay(blueprint, flops), "turn")
    except BaseException:
        blueprint.close()
        raise


def shown_name(source: str) -> str:
    """A strategy's name for output: the name of its file, without the suffix."""
    if is_mix(source):
        return MIX + ",".join(f"{shown_name(part)}@{share:g}" for part, share in split_mix(source))
    base, resolve = split_name(source)
    name = base if base in BUILT_INS else located(base).stem
    return name if resolve == OFF else f"{name}+{resolve}"
