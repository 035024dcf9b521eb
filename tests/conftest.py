"""Strategy files that many tests read, made once."""

from pathlib import Path

import numpy as np
import pytest

from cfr.abstraction import Abstraction
from cfr.betting import BettingTree
from cfr.game import Game
from cfr.rounding import quantise
from cfr.settings import Settings
from cfr.solver import solve
from cfr.store import RoundRows, save

ATTRIBUTES = {"algorithm": "random numbers", "iterations": 0, "seconds": 0.0, "seed": 0, "threads": 1}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def hulhe_file(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """Full hold'em with a few buckets and random probabilities."""
    game = Game.bundled("hulhe")
    abstraction = Abstraction.build(game, (30, 20, 20), threads=2, cache_dir=cache)
    betting = BettingTree(game)
    rng = np.random.default_rng(5)
    rounds = []
    for r, rows in enumerate(abstraction.num_rows):
        sums = rng.random((rows, betting.rounds[r].node_actions, betting.num_lines[r]))
        rounds.append(RoundRows.of(quantise(sums, betting.rounds[r])))
    path = tmp_path_factory.mktemp("strategies") / "random.h5"
    save(path, game, abstraction.arrays(), rounds, ATTRIBUTES)
    return path


@pytest.fixture(scope="session")
def leduc_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leduc hold'em, solved."""
    path = tmp_path_factory.mktemp("strategies") / "leduc.h5"
    solve(Settings(Game.bundled("leduc"), None, iterations=300, out=path))
    return path
