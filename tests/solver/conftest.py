"""Solves without buckets in small pieces."""

import pytest

from cfr.solver.out_of_core import piece_plan


@pytest.fixture
def small_pieces(monkeypatch):
    """Games of the tests have some pieces."""
    monkeypatch.setattr(piece_plan, "_LARGEST", 300_000)
