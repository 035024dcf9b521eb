"""The blueprint whose flops are refined."""

import pytest

from tests.resolving.refined_flops import SMALL, made


@pytest.fixture(scope="module")
def blueprint(shared):
    return made(shared, SMALL)
