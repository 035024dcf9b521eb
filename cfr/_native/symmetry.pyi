import numpy as np
import numpy.typing as npt

_Bytes = npt.NDArray[np.uint8]
_Int16 = npt.NDArray[np.int16]
_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]
_Index = npt.NDArray[np.intp]

def first_invalid(cards: _Bytes, num_ranks: int, num_suits: int) -> int: ...
def suit_permutations(cards: _Bytes, groups: _Int32, num_suits: int, out: _Bytes, threads: int) -> None: ...
def orbit_sizes(cards: _Bytes, groups: _Int32, num_suits: int, out: _Int64) -> None: ...
def chance_children(
    boards: _Bytes,
    groups: _Int32,
    num_ranks: int,
    num_suits: int,
    starts: _Index,
    parents: _Int32,
    children: _Bytes,
    weights: _Int64,
    fill: bool,
) -> None: ...
def suit_classes(boards: _Bytes, groups: _Int32, num_suits: int, out: _Bytes) -> None: ...
def hand_classes(boards: _Bytes, groups: _Int32, hands: _Bytes, out: _Int16, threads: int) -> None: ...
