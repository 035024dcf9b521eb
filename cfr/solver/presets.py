"""Presets: what to solve and for how long by one word, with tables that suit the game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cfr.abstraction.buckets import LOSSLESS, MAX_BUCKETS, is_buckets
from cfr.abstraction.deck import FLOP, Deck, is_holdem_like
from cfr.game.rules import Game, NamedGame, game_of
from cfr.kernel.schedules import CFR_BR, SCHEDULED
from cfr.solver.memory_need import memory_bytes, visits_too_many_boards
from cfr.solver.settings import Buckets, Settings, changed
from cfr.system.checks import shown
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError

NEVER = ("c", "rrr", "crrr")  # before the flop: to limp, to cap, to cap after a limp
DEFAULT_ITERATIONS = 200  # of games that need no buckets, without a preset
# Iterations of solves without buckets that ask for nothing else, and where the numbers come from.
PUBLISHED = 1579, "Bowling et al. 2015: CFR+ took 1,579 iterations to 0.986 mbb/g in limit hold'em"
TYPICAL = DEFAULT_ITERATIONS, "the bundled games took 64 to 384 to their targets"
MOST_LOSSLESS_BYTES = 4_000_000_000  # a preset takes buckets for games that would need more


@dataclass(frozen=True)
class Preset:
    """Settings by name.

    Attributes:
        buckets: of full hold'em's flop, turn and river; :meth:`buckets_for` gives those of other games.
        never: lines of the first round that full hold'em leaves out; nothing was measured elsewhere.
        tables: the number type of the tables where there are buckets.

    The other attributes are those of :class:`Settings`.
    """

    buckets: tuple[int | str, ...]
    minutes: float
    warm_up: float
    schedule: str = CFR_BR.name
    purge: float = 0.03
    purge_unplayed: float = 0.15
    compact: bool = False
    rivers: int = 4
    never: tuple[str, ...] = NEVER
    tables: str = "float32"

    def buckets_for(self, game: Game) -> Buckets:
        """Rows of each round from the flop on, or None to solve a game without buckets, which fits in 4 GB.

        Rounds take the sizes of full hold'em's, the last round the river's. A round before the last that has fewer
        different hands than that is lossless, so that no round has more rows than canonical hands.

        Raises:
            BadInputError: a game that is not hold'em-like.
        """
        if is_full_holdem(game):
            return self.buckets
        if not is_holdem_like(game):
            raise BadInputError(
                f"presets are for hold'em-like games; for {game.name} say iterations=, minutes= or target_mbb="
            )
        whole = Settings(game, None, minutes=self.minutes)
        if not visits_too_many_boards(game) and memory_bytes(whole) <= MOST_LOSSLESS_BYTES:
            return None
        deck = Deck.of(game)
        found: list[int | str] = []
        for round_, entry in enumerate((*self.buckets[: deck.last - 1], self.buckets[-1]), FLOP):
            found.append(_trimmed(deck, round_, entry, found[-1] if found else LOSSLESS))
        return tuple(found)

    def never_for(self, game: Game) -> tuple[str, ...]:
        """Lines of the first round that are left out."""
        return self.never if is_full_holdem(game) else ()

    def fixed(self, game: Game, buckets: Buckets) -> dict[str, Any]:
        """The settings, by name, that a solve by these buckets keeps once it has begun."""
        if buckets is None:
            return {"schedule": SCHEDULED.name, "rivers": 1, "never": (), "tables": "float32"}
        never = self.never_for(game)
        return {"schedule": self.schedule, "rivers": self.rivers, "never": never, "tables": self.tables}

    def usual(self, game: Game, buckets: Buckets, is_named: bool) -> dict[str, Any]:
        """The :data:`CHANGEABLE` settings, by name, of a solve that asks for nothing else than its buckets.

        A game that needs no buckets has ``DEFAULT_ITERATIONS``, unless ``is_named``: somebody asked for the preset.
        """
        is_timed = is_named or needs_buckets(game)
        return {
            **({"minutes": self.minutes} if is_timed else {"iterations": DEFAULT_ITERATIONS}),
            "threads": usable_cores(),
            "purge": 0.0 if buckets is None else self.purge,
            "purge_unplayed": 0.0 if buckets is None else self.purge_unplayed,
            "compact": buckets is not None and self.compact,
            "warm_up": self.warm_up,
        }

    def fits(self, settings: Settings) -> bool:
        """Whether these are the settings that the preset stands for in full hold'em, of any length."""
        return (
            is_full_holdem(settings.game)
            and settings.target_mbb is None
            and (settings.tables, settings.batch) == (self.tables, 1)
            and settings.buckets == self.buckets
            and (settings.schedule, settings.warm_up) == (self.schedule, self.warm_up)
            and (settings.purge, settings.purge_unplayed) == (self.purge, self.purge_unplayed)
            and (settings.compact, settings.rivers, settings.never) == (self.compact, self.rivers, self.never)
        )


PRESETS = {
    "quick": Preset((5000, 4000, "4x250"), 5.0, 0.2),
    "laptop": Preset(
        (60000, 60000, "25x2000"), 60.0, 0.05, purge=0.015, purge_unplayed=0.08, compact=True, tables="bfloat16"
    ),
    "workstation": Preset((60000, 60000, "40x5000"), 480.0, 0.01, purge=0.015, purge_unplayed=0.08, tables="bfloat16"),
}


def preset(name: str = "quick", game: NamedGame = "hulhe", **changes: Any) -> Settings:
    """The settings of ``cfr solve GAME --preset NAME``: buckets, minutes and all cores.

    Args:
        name: ``quick``, ``laptop`` or ``workstation``.
        game: the rules, or a bundled game's name, or the path of a ``.game`` file.
        changes: other settings by name. Iterations or other minutes replace the preset's minutes; ``out`` is by default
            the game's name with ``.h5``.

    Raises:
        BadInputError: another preset, a game without presets, or settings that do not fit.
        TypeError: a setting that there is not.

    >>> preset("quick", minutes=1).buckets
    (5000, 4000, '4x250')
    """
    if not isinstance(name, str) or name not in PRESETS:
        raise BadInputError(f"preset: {shown(name)}; expected {', '.join(PRESETS)}")
    found, rules = PRESETS[name], game_of(game)
    buckets: Buckets = changes.get("buckets", found.buckets_for(rules))
    usual = {"out": Path(f"{rules.name}.h5"), **found.usual(rules, buckets, is_named=True)}
    fixed = {"game": rules, "buckets": buckets, **found.fixed(rules, buckets)}
    return Settings(**fixed | changed(usual, changes, buckets))


def is_full_holdem(game: Game) -> bool:
    """Whether the rules are those of ``hulhe``, whatever the game's name."""
    return replace(game, name="hulhe") == Game.bundled("hulhe")


def needs_buckets(game: Game) -> bool:
    """Whether a hold'em-like game has more boards than a solve without buckets visits."""
    return is_holdem_like(game) and visits_too_many_boards(game)


def lossless_tables(game: Game) -> str:
    """The number type of a solve with ``--lossless``: the narrowest where there is a river, wherever the tables are."""
    return "int8" if visits_too_many_boards(game) else "float32"


def preset_of(settings: Settings) -> str | None:
    """The name of the preset that these settings come from, whatever their length, or None."""
    return next((name for name, preset in PRESETS.items() if preset.fits(settings)), None)


def _trimmed(deck: Deck, round_: int, entry: int | str, before: int | str) -> int | str:
    """The rows of a round of another deck, where full hold'em has ``entry``; ``before`` are those of the round before.

    Classes of an earlier round that is lossless, or absent, become clusters.
    """
    classes, clusters = (int(size) for size in entry.split("x")) if isinstance(entry, str) else (1, entry)
    if before == LOSSLESS:
        classes, clusters = 1, classes * clusters
    hands = deck.different_hands(round_)
    if round_ < deck.last and clusters >= hands:
        return LOSSLESS
    clusters = min(clusters, hands, MAX_BUCKETS)
    return f"{classes}x{clusters}" if classes > 1 else clusters


def parse_buckets(text: str) -> tuple[int | str, ...] | str:
    """Rows per round, such as ``900,2000,10x330``, or ``"lossless"`` for all of them; raises BadInputError."""
    if text == LOSSLESS:
        return text
    entries: list[int | str] = []
    for position, entry in enumerate(text.split(","), 1):
        if not is_buckets(entry):
            what = "expected a number, CLASSESxNUMBER or lossless"
            raise BadInputError(f"{text!r}: {entry!r} at place {position}; {what}")
        entries.append(int(entry) if entry.isdecimal() else entry)
    return tuple(entries)
