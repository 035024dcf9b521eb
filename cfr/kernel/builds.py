"""Builds of the traversal kernel: the widest one that this processor runs, for each type of numbers.

``CFR_LEVEL=base`` (or ``v3``, ``v4``) asks for a particular build; all of them compute the same bits.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

import numpy as np

from cfr._native.cpu import levels
from cfr.game.rules import Game

_WIDE_FROM = 1000  # hands; smaller games are computed in float64


def _load(prefix: str) -> ModuleType:
    wanted = os.environ.get("CFR_LEVEL")
    for level in [wanted] if wanted else levels():
        try:
            return load_level(prefix, level)
        except ImportError:
            continue
    return load_level(prefix, "base")


def load_level(prefix: str, level: str) -> ModuleType:
    return import_module(f"cfr._native.{prefix}_{level}")


KERNELS = {np.dtype(np.float32): _load("traverse"), np.dtype(np.float64): _load("traverse64")}


def level() -> str:
    """The name of the build that runs: ``base``, ``v3`` or ``v4``."""
    return KERNELS[np.dtype(np.float32)].__name__.rpartition("_")[2]


def lanes(dtype: np.dtype | type) -> int:
    """Betting lines to a vector of such numbers."""
    return int(KERNELS[np.dtype(dtype)].LANES)


def dtype_for(game: Game) -> np.dtype:
    """Type of the numbers for a game: float32, or float64 where all is small."""
    return np.dtype(np.float32 if game.num_hands >= _WIDE_FROM else np.float64)
