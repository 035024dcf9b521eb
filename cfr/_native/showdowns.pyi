from typing import Any

import numpy as np
from numpy.typing import NDArray

def share_cards(
    live: NDArray[np.int16],
    slot: NDArray[np.int16],
    classes: NDArray[np.int16],
    cards: NDArray[np.int16],
    suits: NDArray[np.uint8],
    shared: Any,
) -> None: ...
