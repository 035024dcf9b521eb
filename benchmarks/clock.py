"""What benchmarks share: medians of times, and actions that are repeated."""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def seconds(action: Callable[[], object], repeats: int = 1) -> float:
    """Median time of one call."""
    return 1 / rates({"": (1, action)}, repeats)[""]


def repeated(action: Callable[[], object], times: int) -> Callable[[], None]:
    """Calls an action so many times."""

    def run() -> None:
        for _ in range(times):
            action()

    return run


def rates(contestants: Mapping[str, tuple[int, Callable[[], object]]], repeats: int) -> dict[str, float]:
    """Median of each contestant's ``(count, action)`` in counts per second.

    They take turns, so that a busy machine slows all of them alike.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, (_, action) in contestants.items():
            start = perf_counter()
            action()
            times[name].append(perf_counter() - start)
    return {name: count / median(times[name]) for name, (count, _) in contestants.items()}
