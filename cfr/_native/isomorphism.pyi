import numpy as np
import numpy.typing as npt

_Bytes = npt.NDArray[np.uint8]
_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]

def index(
    cards: _Bytes,
    groups: _Int32,
    weights: _Int32,
    codes: _Int32,
    entries: _Int32,
    configs: _Int64,
    num_ranks: int,
    num_suits: int,
    out: _Int64,
    threads: int,
) -> None: ...
def unindex(
    indices: _Int64,
    groups: _Int32,
    weights: _Int32,
    codes: _Int32,
    entries: _Int32,
    configs: _Int64,
    shapes: _Bytes,
    num_ranks: int,
    num_suits: int,
    out: _Bytes,
    threads: int,
) -> None: ...
def index_hands(
    boards: _Bytes,
    hands: _Bytes,
    groups: _Int32,
    weights: _Int32,
    codes: _Int32,
    entries: _Int32,
    configs: _Int64,
    num_ranks: int,
    num_suits: int,
    out: _Int64,
    threads: int,
) -> None: ...
