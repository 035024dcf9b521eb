"""Those who do units side by side, objects that are mapped, and files that are named by checksum."""

import os
from functools import partial

import numpy as np
import pytest

from cfr.system.cluster.cluster_node import DONE, REFUSED, do, fetch
from cfr.system.cluster.workers import Processes, Threads, in_order
from cfr.system.disk import mapped
from cfr.system.disk.mapped import Mapped, dump, load
from cfr.system.disk.shared_file import SharedFile, dumps, loads
from cfr.system.errors import BadInputError, CfrError, DamagedFileError
from cfr.system.version import code_version
from tests.system.two_nodes import begin_failing, begin_squares

WORKERS = {"threads": Threads, "processes": Processes}


@pytest.fixture
def node(tmp_path, monkeypatch):
    """The folder where a node keeps what it is sent."""
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "node"


@pytest.mark.parametrize("name", WORKERS)
def test_each_unit_is_done_once(name):
    results = sorted(WORKERS[name](2).run(begin_squares, iter(range(20))))
    assert [(place, square) for place, (square, _) in results] == [(number, number**2) for number in range(20)]
    assert {process == os.getpid() for _, (_, process) in results} == {name == "threads"}


@pytest.mark.parametrize("name", WORKERS)
def test_what_a_unit_raises_comes_as_it_is(name):
    with pytest.raises(BadInputError, match="number 3"):
        list(WORKERS[name](2).run(begin_failing, [3]))


def test_a_process_that_dies_is_said():
    with pytest.raises(CfrError, match="a process came to an end before its work did"):
        list(Processes(1).run(partial(partial, os._exit), [1]))


def test_results_come_in_order_as_soon_as_they_can():
    taken = []

    def results():
        for place in (2, 0, 1, 3):
            taken.append(place)
            yield place, str(place)

    seen = [(result, len(taken)) for result in in_order(results())]
    assert seen == [("0", 2), ("1", 3), ("2", 3), ("3", 4)]


def test_mapped_arrays_are_those_that_were_dumped(tmp_path):
    arrays = {"floats": np.arange(7.0), "none": np.zeros((0, 3)), "bytes": np.arange(200, dtype=np.uint8)[::2]}
    value = [arrays, arrays["floats"], "text"]
    dump(value, tmp_path / "object")
    found, again = load(tmp_path / "object"), load(tmp_path / "object")
    for name, array in arrays.items():
        assert np.array_equal(found[0][name], array)
        assert found[0][name].dtype == array.dtype
    assert found[1] is found[0]["floats"]
    assert found[1].ctypes.data % 64 == 0
    assert not found[1].flags.owndata  # but the file's
    found[1][0] = 5
    assert again[1][0] == 0
    assert load(tmp_path / "object")[1][0] == 0


class Counted:
    """Counts in a file how often it was made."""

    def __init__(self, folder):
        with (folder / "made").open("a") as file:
            file.write("x")
        self.table = np.arange(10.0)

    def measure(self, number):
        return self.table[number]


def test_an_object_is_made_once_for_all_processes(node, tmp_path):
    begin = Mapped(partial(Counted, tmp_path), "measure")
    for _ in range(2):
        results = list(Processes(2).run(begin, range(10)))
        assert sorted(results) == [(number, float(number)) for number in range(10)]
    assert (tmp_path / "made").read_text() == "x"


def test_another_version_of_the_code_makes_the_object_anew(node, tmp_path, monkeypatch):
    begin = Mapped(partial(Counted, tmp_path), "measure")
    begin()
    monkeypatch.setattr(mapped, "code_version", lambda: "another")
    begin()
    assert (tmp_path / "made").read_text() == "xx"


def test_files_are_named_by_checksum(tmp_path):
    here, there = tmp_path / "here.h5", tmp_path / "there.h5"
    here.write_bytes(b"one")
    there.write_bytes(b"one")
    data, files = dumps([SharedFile(here), SharedFile(here), "text"])
    (name,) = files
    assert name == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed.h5"
    assert str(here).encode() not in data
    first, second, text = loads(data, {name: there})
    assert (first.path, second.path, text) == (there, there, "text")


class Store:
    """Ray's store, which counts."""

    def __init__(self, pieces):
        self.pieces, self.gets = pieces, 0

    def get(self, number):
        self.gets += 1
        return self.pieces[number]


def test_a_file_comes_to_a_node_once(node, tmp_path):
    original = tmp_path / "a.h5"
    original.write_bytes(bytes(range(256)) * 3)
    name = SharedFile(original).checksum_name()
    store = Store([original.read_bytes()[:100], original.read_bytes()[100:]])
    for _ in range(3):
        path = fetch(name, [0, 1], store.get)
        assert path.read_bytes() == original.read_bytes()
        assert path.parent == node
    assert store.gets == 2


def test_a_file_that_comes_damaged_is_not_kept(node, tmp_path):
    original = tmp_path / "a.h5"
    original.write_bytes(b"whole")
    name = SharedFile(original).checksum_name()
    with pytest.raises(DamagedFileError, match="came damaged to node"):
        fetch(name, [0], Store([b"whol"]).get)
    assert not (node / name).exists()
    assert fetch(name, [0], Store([b"whole"]).get).read_bytes() == b"whole"


def test_a_process_of_a_node_begins_work_once(node, tmp_path):
    data, _ = dumps(partial(begin_counted, tmp_path))
    for number in range(3):
        assert do((code_version(), "a", data, {}), number, None) == (DONE, float(number))
    assert (tmp_path / "made").read_text() == "x"
    do((code_version(), "b", data, {}), 0, None)
    assert (tmp_path / "made").read_text() == "xx"


def begin_counted(folder):
    return Counted(folder).measure


def test_another_version_is_refused():
    kind, why = do(("0.0.1 (12345678)", "a", b"", {}), 0, None)
    assert kind == REFUSED
    assert "another version of cfr" in why
    assert "0.0.1 (12345678)" in why
    assert code_version() in why
