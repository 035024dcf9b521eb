"""Blueprints of small games and their refined flops, for tests."""

import h5py

from cfr.abstraction.abstraction import Abstraction
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.resolving.named_strategy import open_named
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving
from tests.conftest import made_once, save_random

SMALL = Game("small deck", (2, 1), (2, 4, 4), (1, 0, 0), (1, 1, 1), 2, 4, 1, (0, 1, 1))


def made(shared, game, seed=3, limps=True):
    path = shared / f"{game.name.replace(' ', '-')}-{seed}-{limps}.h5"
    return made_once(path, lambda path: save_random(path, game, Abstraction.lossless(game), seed, limps=limps))


def refined(blueprint, *words, out="refined.h5", threads="1"):
    assert main(["refine", str(blueprint), "--out", out, "--threads", threads, *words]) == 0
    return out


def opened(path, iterations=80):
    """A refined strategy that solves turns in memory."""
    return Resolving(open_named(path).trunk, "turn", Effort(iterations), threads=1, keeps=False)


def checksum(path):
    return h5py.File(path).attrs["checksum"]
