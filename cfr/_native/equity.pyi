import numpy as np
from numpy.typing import NDArray

def compare(
    live: NDArray[np.int16],
    live_count: NDArray[np.int32],
    group_end: NDArray[np.int16],
    group_count: NDArray[np.int32],
    cards: NDArray[np.int16],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    sides: NDArray[np.uint8],
    threads: int,
    out: NDArray[np.float64],
) -> None: ...
def add_margins(
    low: NDArray[np.int16], high: NDArray[np.int16], weight: int, threads: int, out: NDArray[np.int32]
) -> None: ...
