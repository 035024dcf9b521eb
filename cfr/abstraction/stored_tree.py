"""Clusters of a round in a strategy file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from cfr.abstraction.kmeans import CentroidTree
from cfr.system.errors import CfrError, DamagedFileError


@contextmanager
def well_formed(source: str) -> Iterator[None]:
    """Turn errors over arrays that are missing or do not fit into a DamagedFileError that begins with ``source``."""
    try:
        yield
    except DamagedFileError:
        raise
    except (CfrError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{source}: missing or malformed: {error}") from None


class StoredTree:
    """The clusters of a round among the arrays of a strategy file; only their number is read before they are used.

    Attributes:
        size: the number of clusters.
    """

    def __init__(self, arrays: Mapping[str, Any], round_index: int, dimensions: int, source: str) -> None:
        """Keep the arrays by name; raise KeyError or ValueError where their number is missing.

        ``dimensions`` are those of the round's features. Errors begin with ``source``.
        """
        offsets = np.asarray(arrays[f"offsets{round_index}"])
        if not offsets.size:
            raise ValueError(f"offsets{round_index} is empty")
        self.size = int(offsets.flat[-1])
        self._arrays, self._round, self._dimensions, self._source = arrays, round_index, dimensions, source

    def read(self) -> CentroidTree:
        """The clusters; raises DamagedFileError for arrays that are missing or do not fit."""
        with well_formed(self._source):
            tree = CentroidTree(*(np.asarray(self._arrays[f"{name}{self._round}"]) for name in CentroidTree.FIELDS))
            if (found := tree.coarse.shape[1]) != self._dimensions:
                raise ValueError(f"centroids of {found} dimensions, expected {self._dimensions}")
        return tree
