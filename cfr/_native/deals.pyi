import numpy as np
from numpy.typing import NDArray

def compact_rows(
    rows: NDArray[np.int32],
    seen: NDArray[np.int32],
    slot: NDArray[np.int16],
    used: NDArray[np.int32],
    count: NDArray[np.int32],
) -> None: ...
def live_hands(
    rows: NDArray[np.int32],
    last_rows: NDArray[np.int32],
    live: NDArray[np.int16],
    live_count: NDArray[np.int32],
    own_count: NDArray[np.int32],
) -> None: ...
def sort_by_strength(
    strength: NDArray[np.uint16],
    slot: NDArray[np.int16],
    classes: NDArray[np.int16] | None,
    live: NDArray[np.int16],
    group_end: NDArray[np.int16],
    live_count: NDArray[np.int32],
    group_count: NDArray[np.int32],
) -> None: ...
