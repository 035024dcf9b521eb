"""The supplied strategy, open for the tests of a module."""

import pytest

from cfr.strategy.files.stored import open_strategy


@pytest.fixture(scope="module")
def strategy():
    with open_strategy() as opened:
        yield opened
