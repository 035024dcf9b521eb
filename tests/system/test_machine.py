"""The machine as it is: a container's memory and cores, closed streams, input that never ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cfr.cli.main import main
from cfr.system.cores import crowding, usable_cores
from cfr.system.memory import free_bytes


@pytest.fixture
def machine(tmp_path):
    """Writes the files by which a system describes itself; gives its root."""

    def machine(**files):
        (tmp_path / "proc").mkdir()
        (tmp_path / "proc" / "meminfo").write_text("MemTotal: 64000000 kB\nMemAvailable: 32000000 kB\n")
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return machine


def test_a_machine_without_cgroups(machine):
    root = machine()
    assert free_bytes(root) == 32_768_000_000
    assert usable_cores(root) == len(os.sched_getaffinity(0))


def test_cores_crowd_each_other_as_16_were_measured():
    page = (Path(__file__).parents[2] / "docs" / "many-cores.md").read_text("utf-8")
    assert f"16 threads took {crowding(16)} times that of one" in page
    assert (crowding(1), crowding(64)) == (1, crowding(16))
    assert 1 < crowding(2) < crowding(8) < crowding(16)


def test_cgroup_2(machine):
    root = machine(
        proc__self__cgroup="0::/job/step\n",
        sys__fs__cgroup__job__memory_dot_max="3000000000\n",
        sys__fs__cgroup__job__memory_dot_current="1500000000\n",
        sys__fs__cgroup__job__memory_dot_stat="anon 9\ninactive_file 500000000\n",
        sys__fs__cgroup__job__step__memory_dot_max="max\n",
        sys__fs__cgroup__job__step__memory_dot_current="7\n",
        sys__fs__cgroup__job__step__memory_dot_stat="inactive_file 0\n",
        sys__fs__cgroup__job__step__cpu_dot_max="50000 100000\n",
    )
    assert free_bytes(root) == 2_000_000_000
    assert usable_cores(root) == 1


@pytest.mark.parametrize(("quota", "cores"), [(50_000, 1), (100_000, 1), (150_000, 2), (400_000, 4), (2_000_000, 8)])
def test_a_quota_is_rounded_up(machine, monkeypatch, quota, cores):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    root = machine(proc__self__cgroup="0::/job\n", sys__fs__cgroup__job__cpu_dot_max=f"{quota} 100000\n")
    assert usable_cores(root) == cores


def test_cgroup_1_seen_from_a_container(machine):
    root = machine(
        proc__self__cgroup="4:cpu,cpuacct:/docker/ab\n3:memory:/docker/ab\n",
        sys__fs__cgroup__memory__memory_dot_limit_in_bytes="1000\n",
        sys__fs__cgroup__memory__memory_dot_usage_in_bytes="400\n",
        sys__fs__cgroup__memory__memory_dot_stat="total_inactive_file 100\n",
        sys__fs__cgroup__cpu__cpu_dot_cfs_quota_us="90000\n",
        sys__fs__cgroup__cpu__cpu_dot_cfs_period_us="100000\n",
    )
    assert free_bytes(root) == 700
    assert usable_cores(root) == 1


def test_affinity():
    program = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    program += "from cfr.system.cores import usable_cores; print(usable_cores())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed):
    command = f"{sys.executable} -m cfr query uniform --hand AsKh {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stream_that_cannot_encode():
    command = [sys.executable, "-m", "cfr", "query", "uniform", "--hand", "As\u20ac\udcff"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


NO_LOCKS = """
#include <errno.h>
int flock(int file, int how) { (void)file; (void)how; errno = ENOLCK; return -1; }
"""


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs LD_PRELOAD and a C compiler")
def test_a_file_is_read_where_the_file_system_has_no_locks(leduc_file, tmp_path):
    (tmp_path / "x.c").write_text(NO_LOCKS)
    library = tmp_path / "x.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "x.c")], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    locked = "import fcntl; fcntl.flock(0, fcntl.LOCK_SH)"
    done = subprocess.run([sys.executable, "-c", locked], capture_output=True, text=True, check=False, env=environment)
    assert "No locks available" in done.stderr
    command = [sys.executable, "-m", "cfr", "query", str(leduc_file), "--hand", "Ks"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "fold" in done.stdout or "check" in done.stdout or "call" in done.stdout


def test_raw_bytes_into_play():
    command = [sys.executable, "-m", "cfr", "play", "uniform", "--hands", "1"]
    done = subprocess.run(command, input=bytes(range(256)), capture_output=True, check=False, timeout=60)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize("command", [["solve", "/dev/zero"], ["review", "/dev/zero", "--strategy", "uniform"]])
def test_what_never_ends_is_refused(command, capsys):
    assert main(command) == 2
    err = capsys.readouterr().err
    assert "more than 100,000 characters" in err
    assert err.count("\n") == 1


def test_two_dashes_are_no_value(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["query", "uniform", "--hand=--"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == "cfr query: argument --hand: '--' is no value; see cfr query --help\n"
