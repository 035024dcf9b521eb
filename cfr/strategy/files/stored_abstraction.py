"""The card abstraction in an open strategy file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import h5py

from cfr.strategy.files.file import reading


class CheckedArray:
    """An array of an open file, read in slices; one that cannot be read raises DamagedFileError."""

    def __init__(self, dataset: h5py.Dataset) -> None:
        self._dataset, self._path = dataset, dataset.file.filename
        self.dtype, self.shape = dataset.dtype, dataset.shape

    def __getitem__(self, where: Any) -> Any:
        with reading(self._path, source=self._dataset):
            return self._dataset[where]


class StoredAbstraction(Mapping[str, Any]):
    """The abstraction's arrays and attributes of an open file by name, read as they are asked for.

    ``flop_table`` stays in the file. Raises DamagedFileError for an array that cannot be read.
    """

    def __init__(self, file: h5py.File) -> None:
        self._group = file["abstraction"]

    def __getitem__(self, name: str) -> Any:
        if name in self._group.attrs:
            return self._group.attrs[name]
        if name not in self._group:
            raise KeyError(name)
        with reading(self._group.file.filename):
            return CheckedArray(self._group[name]) if name == "flop_table" else self._group[name][...]

    def __contains__(self, name: object) -> bool:
        """Whether the file has it; nothing is read."""
        return name in self._group.attrs or name in self._group

    def __iter__(self) -> Iterator[str]:
        return iter([*self._group.attrs, *self._group])

    def __len__(self) -> int:
        return len(self._group.attrs) + len(self._group)
