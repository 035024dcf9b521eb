"""A solved Leduc as the blueprint, with and without a tilt."""

import numpy as np
import pytest

from cfr.opponents import situation
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted


@pytest.fixture(scope="module")
def tilted(leduc):
    parameters = np.random.default_rng(1).normal(0, 0.5, (situation.count(leduc.game), 2, 4))
    return Tilted(leduc, Tilt(parameters, 0.05))
