"""Strategy files that many tests read, made once; and tests that take as long as the machine takes."""

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.file import RoundRows, save
from cfr.strategy.quantise import quantise
from cfr.strategy.stored import Strategy

# On a busy machine an example may take any time; whether a test passes must not depend on it.
settings.register_profile("cfr", deadline=None)
settings.load_profile("cfr")

# A shell's background jobs ignore Ctrl-C, and so would what is tested for it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ATTRIBUTES = {"algorithm": "random numbers", "iterations": 0, "seconds": 0.0, "seed": 0, "threads": 1}


def save_random(path: Path, game: Game, abstraction: Abstraction, seed: int) -> None:
    """Write a strategy that mixes everywhere."""
    betting, rng = BettingTree(game), np.random.default_rng(seed)
    rounds = []
    for each, lines, rows in zip(betting.rounds, betting.num_lines, abstraction.num_rows, strict=True):
        rounds.append(RoundRows.of(quantise(rng.random((rows, each.node_actions, lines)), each)))
    save(path, game, abstraction.arrays(), rounds, ATTRIBUTES)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def hulhe_file(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """Full hold'em with a few buckets and random probabilities."""
    game = Game.bundled("hulhe")
    abstraction = Abstraction.build(game, (30, 20, 20), threads=2, cache_dir=cache)
    path = tmp_path_factory.mktemp("strategies") / "random.h5"
    save_random(path, game, abstraction, 5)
    return path


@pytest.fixture(scope="session")
def hulhe(hulhe_file: Path) -> Iterator[Strategy]:
    """The same, open."""
    with Strategy.open(hulhe_file) as strategy:
        yield strategy


@pytest.fixture(scope="session")
def leduc_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leduc hold'em, solved."""
    path = tmp_path_factory.mktemp("strategies") / "leduc.h5"
    solve(Settings(Game.bundled("leduc"), None, iterations=300, out=path))
    return path
