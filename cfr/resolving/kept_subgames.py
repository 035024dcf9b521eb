"""Refined subgames of flops that play came to, in the cache on disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cfr.resolving.flop_subgame import FlopSubgame
from cfr.strategy.files.refined_flops import RefinedFlop
from cfr.system.bounded_cache import BoundedCache
from cfr.system.disk.cache import fingerprint

_MOST_BYTES = 4_000_000_000  # on disk: some 8,000 subgames of full hold'em


class KeptSubgames:
    """Subgames that were refined in play, so that nobody solves them again; processes may share them.

    Args:
        identity: everything that a refined subgame depends on, beside the subgame.
    """

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self._identity = sorted(identity.items())
        self._cache = BoundedCache("refined", _MOST_BYTES)

    def has(self, subgame: FlopSubgame) -> bool:
        """Whether a subgame is kept."""
        return self._cache.has(self._name(subgame))

    def load(self, subgame: FlopSubgame) -> RefinedFlop | None:
        """A subgame's solution, or None if it is not kept, or damaged."""
        found = self._cache.load(self._name(subgame))
        return None if found is None or "packed" not in found else RefinedFlop.unpack(found["packed"].tobytes())

    def save(self, subgame: FlopSubgame, solution: RefinedFlop) -> None:
        """Keep a subgame's solution."""
        self._cache.save(self._name(subgame), {"packed": np.frombuffer(solution.pack(), np.uint8)})

    def _name(self, subgame: FlopSubgame) -> str:
        return fingerprint(self._identity, *subgame)
