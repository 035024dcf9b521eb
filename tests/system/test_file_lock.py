"""Locks: one holder at a time, none after its death, also where the file system has none."""

import errno
import fcntl
import os
import subprocess
import sys

import pytest

from cfr.system.disk.file_lock import Lock
from cfr.system.disk.files import replacing
from cfr.system.errors import SaveError

HOLD = """
import fcntl, sys, time
from pathlib import Path
if sys.argv[2] == "none":
    def flock(*_):
        raise OSError(37, "No locks available")
    fcntl.flock = flock
from cfr.system.disk.files import replacing
from cfr.system.disk.file_lock import Lock
lock = Lock(Path(sys.argv[1]), "cfr solve")
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print("held", flush=True)
    time.sleep(60)
"""


def no_locks(monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.mark.parametrize("locks", ["flock", "none"])
def test_a_lock_dies_with_its_process(locks, tmp_path, monkeypatch):
    if locks == "none":
        no_locks(monkeypatch)
    path = tmp_path / "x.h5"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path), locks], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        says = rf"x\.h5: cfr solve, process {holder.pid} on .* is writing it; "
        with pytest.raises(SaveError, match=says) as refused:
            Lock(path, "cfr solve")
        assert "\n" not in str(refused.value)
        assert len(list(tmp_path.iterdir())) == 2
        holder.kill()
        holder.wait()
        with Lock(path, "cfr solve"):
            assert (tmp_path / ".x.h5.lock").exists()
        with Lock(path, "cfr solve"), replacing(path) as temporary:
            temporary.write_text("whole")
    left = {each.name for each in tmp_path.iterdir()}
    if locks == "none":  # nobody can tell whether a young one is still written
        left = {name for name in left if not name.endswith(".tmp")}
    assert left == {"x.h5"}


def test_two_names_of_one_file_are_one_lock(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "x")
    with Lock(tmp_path / "x", "one"), pytest.raises(SaveError, match="link: one, process"):
        Lock(tmp_path / "link", "other")


def test_a_temporary_file_that_is_being_written_stays(tmp_path):
    path = tmp_path / "x"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/x")
    with replacing(tmp_path / "link") as temporary:
        temporary.write_text("written")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "x").read_text() == "written"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_umask_is_honoured(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        with replacing(tmp_path / "x") as temporary:
            temporary.write_text("x")
        assert (tmp_path / "x").stat().st_mode & 0o777 == mode
        (tmp_path / "x").chmod(0o640)
        with replacing(tmp_path / "x") as temporary:
            temporary.write_text("y")
        assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SaveError, match="a device or a pipe, not a file"), replacing(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()
