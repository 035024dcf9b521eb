from typing import Any

import numpy as np
from numpy.typing import NDArray

def round_nodes(
    sums: NDArray[np.floating[Any]],
    nodes: NDArray[np.int32],
    columns: NDArray[np.int32],
    lines: NDArray[np.int32],
    stored: NDArray[np.uint8],
    left: NDArray[np.int8] | None = None,
    exact: NDArray[np.floating[Any]] | None = None,
) -> None: ...
