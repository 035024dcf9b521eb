"""Solves without buckets in small pieces."""

import pytest

from cfr.solver.out_of_core import piece_plan


@pytest.fixture
def small_pieces(monkeypatch):
    """Games of the tests have some pieces, which do not all stay in the least memory."""
    monkeypatch.setattr(piece_plan, "_LARGEST", 300_000)
    monkeypatch.setattr(piece_plan, "_in_place_bytes", lambda *_: 1 << 60)
