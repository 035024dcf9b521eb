"""Strategy files that many tests read, made once; and tests that take as long as the machine takes."""

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree
from cfr.game.betting_round import ACTIONS
from cfr.game.rules import Game
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.file import save
from cfr.strategy.files.quantise import quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.strategy.files.vector_quantiser import encode
from cfr.system.cluster.cluster import Cluster
from tests.system.two_nodes import TwoNodes

# On a busy machine an example may take any time; whether a test passes must not depend on it. Examples are the same in
# each run: a random search belongs to the runs that print their seed (CONTRIBUTING.md).
settings.register_profile("cfr", deadline=None, derandomize=True)
settings.load_profile("cfr")

# A shell's background jobs ignore Ctrl-C, and so would what is tested for it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Files that take longest, by CPU seconds, come first: a worker that begins one of them late ends alone.
LONGEST = (
    "test_solve.py",
    "test_exploitability.py",
    "test_lossless.py",
    "test_refine.py",
    "test_resumed_match.py",
    "test_match.py",
    "test_traversal.py",
    "test_fit.py",
    "test_cluster.py",
    "test_fuzz.py",
    "test_resolving.py",
    "test_schedules.py",
    "test_target.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-examples", action="store_true", help="write what the commands of README and docs print")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


ATTRIBUTES = {"algorithm": "random numbers", "iterations": 0, "seconds": 0.0, "seed": 0, "threads": 1}


def save_random(path: Path, game: Game, abstraction: Abstraction, seed: int, *, limps: bool = True) -> None:
    """Write a strategy that mixes everywhere, except that it never opens with a call unless it ``limps``."""
    betting, rng = BettingTree(game), np.random.default_rng(seed)
    rounds = []
    for each, lines, rows in zip(betting.rounds, betting.num_lines, abstraction.num_rows, strict=True):
        shares = rng.random((rows, each.node_actions, lines))
        if not rounds and not limps:
            shares[:, each.action_index[0][ACTIONS.index("c")]] = 0
        rounds.append(RoundRows.of(quantise(shares, each)))
    save(path, game, abstraction.arrays(), rounds, ATTRIBUTES)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all worker processes of this run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(path: Path, make: Callable[[Path], object]) -> Path:
    """``path``, made by the first process that asks for it."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make(path)
    return path


@pytest.fixture(scope="session")
def cache(shared: Path) -> Path:
    return made_once(shared / "cache", Path.mkdir)


@pytest.fixture(scope="session")
def hulhe_file(shared: Path, cache: Path) -> Path:
    """Full hold'em with a few buckets and random probabilities."""

    def make(path: Path) -> None:
        game = Game.bundled("hulhe")
        abstraction = Abstraction.build(game, (30, 20, 20), threads=2, cache_dir=cache)
        save_random(path, game, abstraction, 5)

    return made_once(shared / "random.h5", make)


@pytest.fixture(scope="session")
def hulhe(hulhe_file: Path) -> Iterator[Strategy]:
    """The same, open."""
    with Strategy.open(hulhe_file) as strategy:
        yield strategy


@pytest.fixture(scope="session")
def coded(hulhe: Strategy, shared: Path) -> Iterator[Strategy]:
    """Random hold'em that never limps, in codebooks."""
    with Strategy.open(made_once(shared / "coded.h5", lambda path: save_coded(path, hulhe))) as strategy:
        yield strategy


def save_coded(path: Path, plain: Strategy) -> None:
    """Write a strategy without its limps, later rounds in codebooks."""
    rounds = []
    for r, betting in enumerate(plain.betting.rounds):
        table = plain.table(r)[:]
        if r == 0:
            numbers = betting.action_index[0]
            table[:, numbers[2]] += table[:, numbers[1]]
            table[:, numbers[1]] = 0
            rounds.append(RoundRows.of(table))
            continue
        weights = np.ones((len(table), 2, table.shape[2]), np.float32)
        books = encode(
            table.shape,
            lambda start, stop, table=table: table[start:stop],
            lambda start, stop, weights=weights: weights[start:stop],
            betting,
            plain.betting.stakes[r],
            300,
        )
        rounds.append(RoundRows.of_coded(books))
    save(path, plain.game, plain.abstraction.arrays(), rounds, {"algorithm": "random"})


@pytest.fixture(scope="session")
def leduc_file(shared: Path) -> Path:
    """Leduc hold'em, solved."""
    return made_once(
        shared / "leduc.h5", lambda path: solve(Settings(Game.bundled("leduc"), None, iterations=300, out=path))
    )


@pytest.fixture(scope="module")
def leduc(leduc_file: Path) -> Iterator[Strategy]:
    """The same, open; some rooms' tests have another one under this name."""
    with Strategy.open(leduc_file) as strategy:
        yield strategy


@pytest.fixture(scope="module")
def nodes(tmp_path_factory) -> Iterator[TwoNodes]:
    """A Ray cluster of two nodes, for a module, which may kill one."""
    pytest.importorskip("ray")
    found = TwoNodes(tmp_path_factory.mktemp("nodes"))
    yield found
    found.end()


@pytest.fixture(scope="module")
def cluster(nodes) -> Iterator[Cluster]:
    """Joined to the two nodes."""
    with Cluster(nodes.address) as joined:
        yield joined
