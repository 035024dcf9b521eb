import numpy as np
from numpy.typing import NDArray

def evaluate(cards: NDArray[np.uint8], threads: int, strength: NDArray[np.uint16]) -> bool: ...
def strengths(
    boards: NDArray[np.uint8], hands: NDArray[np.uint8], threads: int, strength: NDArray[np.uint16]
) -> None: ...
