from typing import Any

import numpy as np
from numpy.typing import NDArray

def lay_out(
    entries: NDArray[np.floating[Any]],
    codes: NDArray[np.int64],
    blocks: NDArray[np.int64],
    lanes: NDArray[np.int64],
    table: NDArray[np.floating[Any]],
) -> None: ...
