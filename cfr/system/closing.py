"""What is open until it is closed: ``with`` does that at the end of its block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Base class of what has something to close."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
