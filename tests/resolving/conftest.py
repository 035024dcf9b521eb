"""The blueprint whose flops are refined, and a folder for what commands write."""

import pytest

from tests.resolving.refined_flops import SMALL, made


@pytest.fixture(scope="module")
def blueprint(shared):
    return made(shared, SMALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The test's own, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "cache"))
