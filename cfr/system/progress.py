"""The one who hears how far a work is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], object]  # hears the share of the work that is done; may end it by an exception
