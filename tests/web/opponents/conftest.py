"""A folder of players, and clients of a page that shows it."""

import shutil

import pytest

from tests.opponents.files import GREEDY, SAFE, write_counter, write_model


@pytest.fixture(scope="session")
def written(hulhe, tmp_path_factory):
    """A folder with two players, one of whom has a family of counter-strategies."""
    folder = tmp_path_factory.mktemp("players")
    ann = write_model(folder / "ann.h5", hulhe)
    old = dict.fromkeys(("model_gain_nats", "model_gain_error_nats", "model_result"))
    write_model(folder / "bob.h5", hulhe, "<b>bob", seed=2, leaks=[], **old)
    for name, point in (("beat-ann-0.5", SAFE), ("beat-ann-1", GREEDY), ("beat-ann", SAFE)):
        write_counter(folder / f"{name}.h5", ann, point)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "players")
