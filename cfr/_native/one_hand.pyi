import numpy as np
from numpy.typing import NDArray

def enter_round(
    hands: NDArray[np.int32],
    rows: NDArray[np.int32],
    reach: NDArray[np.float64],
    codes: NDArray[np.int32],
    plan: NDArray[np.float32],
    leaf_line: NDArray[np.int32],
    leaf_sequence: NDArray[np.int32],
    mass: NDArray[np.float64],
    arriving: NDArray[np.float32],
) -> None: ...
def last_round(
    hand: int,
    boards: NDArray[np.int32],
    own: NDArray[np.int32],
    parent: NDArray[np.int32],
    rows: NDArray[np.int32],
    strengths: NDArray[np.uint16],
    hands: NDArray[np.int32],
    hand_count: NDArray[np.int32],
    lines: NDArray[np.int32],
    line_count: NDArray[np.int32],
    weights: NDArray[np.float64],
    arriving: NDArray[np.float32],
    codes: NDArray[np.int32],
    entry_range: NDArray[np.int32],
    plan: NDArray[np.float32],
    folds: NDArray[np.float32],
    shows: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None: ...
