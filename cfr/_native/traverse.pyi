"""Names in each build of the traversal kernel: modules ``traverse_base``, ``_v3``, ``_v4``, ``traverse64_base``."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

class _Dealt(Protocol):
    @property
    def rounds(self) -> Sequence[Any]: ...
    @property
    def root_scale(self) -> float: ...
    @property
    def disjoint(self) -> bool: ...

class _Read(Protocol):
    @property
    def sources(self) -> Sequence[tuple[np.ndarray, np.ndarray]]: ...
    @property
    def averages(self) -> Sequence[np.ndarray] | None: ...
    @property
    def accumulated(self) -> Sequence[np.ndarray] | None: ...
    @property
    def planned(self) -> bool: ...

LANES: int
MODES: dict[str, int]

class Prepared:
    @property
    def values(self) -> np.ndarray: ...
    def run(
        self,
        root: int = 0,
        weight: float = 1,
        keep_positive: float = 1,
        keep_negative: float = 0,
        step: float = 1,
        seed: int = 0,
    ) -> None: ...
    def run_batch(
        self, visits: Sequence[tuple[int, float, float, float, float, int]], traced: bool = False
    ) -> tuple[np.ndarray, np.ndarray] | None: ...

class Traversal:
    def __init__(self, tree: Any, cards: np.ndarray, threads: int, ends: int = 1, batch: int = 1) -> None: ...
    def prepare(
        self, deal: _Dealt, tables: _Read, reach: np.ndarray, seat: int, mode: str, first: int = 0
    ) -> Prepared: ...
