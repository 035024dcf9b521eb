import numpy as np
from numpy.typing import NDArray

_U8 = NDArray[np.uint8]
_U16 = NDArray[np.uint16]
_I16 = NDArray[np.int16]
_I32 = NDArray[np.int32]
_F32 = NDArray[np.float32]

def river_values(strengths: _U16, hands: _U8, filler: int, threads: int, values: _U16) -> None: ...
def river_shares(strengths: _U16, hands: _U8, clusters: _U8, threads: int, features: _U16) -> None: ...
def hand_values(strengths: _U16, hands: _U8, hand: int, values: _U16) -> None: ...
def hand_shares(strengths: _U16, hands: _U8, clusters: _U8, hand: int, features: _U16) -> None: ...
def sum_steps(
    values: _U16, boards: _I32, perms: _U8, permuted: _I16, steps: _U8, threads: int, features: _U16
) -> None: ...
def mean_features(
    finer: _U16, boards: _I32, perms: _U8, permuted: _I16, divisor: int, threads: int, features: _U16
) -> None: ...
def place(
    features: _U16,
    boards: _U8,
    hands: _U8,
    coarse: _F32,
    fine: _F32,
    first_block: _I32,
    labels: _I32,
    level: int,
    threads: int,
    rows: _I32,
) -> None: ...
def nearest(
    features: _U16, coarse: _F32, fine: _F32, first_block: _I32, labels: _I32, level: int, rows: _I32
) -> None: ...
