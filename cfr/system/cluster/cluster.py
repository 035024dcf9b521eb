"""A Ray cluster: Ray hands out the units, does those of lost nodes again, and carries files to nodes.

Every process of a node begins the work once. Files come to a node once, by checksum
(:mod:`cfr.system.cluster.cluster_node`).
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from pickle import PicklingError
from typing import Any
from warnings import catch_warnings

import numpy as np
from tqdm import tqdm

from cfr.system.checks import check_called, check_count, check_text
from cfr.system.cluster.cluster_node import DONE, Work
from cfr.system.cluster.workers import AHEAD, Begin, Results, Workers
from cfr.system.disk.files import first_line
from cfr.system.disk.shared_file import dumps
from cfr.system.errors import CfrError
from cfr.system.extras import install_hint
from cfr.system.text import counted
from cfr.system.version import code_version

ON_CLIENT = "ray://"
_TOKENS = "RAY_AUTH_MODE"
_PIECE = 1 << 26  # bytes of a file that are an object in Ray's store
_ANSWERS = 5.0  # seconds until an address that does not answer is wrong
_LOOKS = 1.0  # seconds between looks at the nodes
_CANCELS = 5  # times, at most
_FEW = 16  # units that are given out where no core is known


class Cluster(Workers):
    """The cores of a Ray cluster, a unit for each at a time.

    A Ray that this process has joined before is taken as it is, and left so.

    Args:
        address: ``auto`` for the cluster that this machine is in, ``host:port``, or ``ray://host:port``; None starts
            Ray on this machine.
        cores: with no address, how many; default, all.
        announce: is told, in one line, of nodes that are lost.

    Attributes:
        ray: the module, joined to the cluster.

    Raises:
        CfrError: Ray is not installed, or there is no cluster, in one line.
    """

    def __init__(
        self, address: str | None = None, cores: int | None = None, announce: Callable[[str], object] | None = None
    ) -> None:
        if address is not None:
            check_text("address", address, "auto")
        if cores is not None:
            check_count("cores", cores)
        check_called("announce", announce)
        self.ray = _imported()
        # tqdm leaves bars whole.
        self._announce = announce or (lambda text: tqdm.write(f"cfr: {text}", file=sys.stderr))
        self._looked = 0.0
        self._is_ours = not self.ray.is_initialized()
        if self._is_ours:
            self._connect(address, cores)
        self._nodes = self.alive()
        nodes = list(self._nodes.values())
        cores = int(sum(cores for _, cores in nodes))
        self.where = f" on {counted(len(nodes), 'node')}, {counted(cores, 'core')}"

    def _connect(self, address: str | None, cores: int | None) -> None:
        quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            with _silence(), _own_sigterm():
                if address is None:
                    self.ray.init("local", num_cpus=cores, include_dashboard=False, **quiet)
                else:
                    _check_answers(address)
                    self.ray.init(address, **quiet)
        except (ImportError, OSError, ValueError, RuntimeError, self.ray.exceptions.RayError) as error:
            self.ray.shutdown()
            said = "ray" if address is None else f"ray {address}"
            hint = "" if address is None or _TOKENS in os.environ else f"; where Ray has a token, set {_TOKENS}=token"
            raise CfrError(f"{said}: {first_line(error)}{hint * (not isinstance(error, _NobodyError))}") from None

    def close(self) -> None:
        """Leave the cluster, which stops what is not done there; Ray stops if it was started here."""
        if self._is_ours:
            self.ray.shutdown()

    def run(self, begin: Begin, units: Iterable[Any], unit_bytes: int = 0) -> Results:
        ray = self.ray
        self._check_memory(unit_bytes)
        work = ray.put(self._pack(begin))
        remote = ray.remote(num_cpus=1, memory=unit_bytes or None)(_remote())
        waiting = enumerate(units)
        running: dict[Any, int] = {}
        try:
            while True:
                for place, unit in islice(waiting, max(0, self._ahead() - len(running))):
                    running[remote.remote(work, unit)] = place
                if not running:
                    return
                done, _ = ray.wait(list(running), timeout=_LOOKS)
                if done:  # and with it all others that have come
                    done, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
                self._look()
                for reference in done:
                    yield running.pop(reference), self.result(reference)
        finally:
            if not self._is_ours:  # leaving a cluster stops its units, too
                self._cancel(list(running))

    def _cancel(self, running: list[Any]) -> None:
        """Stop units, in a few seconds at most; a busy worker may miss what Ray says once.

        Ray 2.60 may crash when it cancels a unit that ends just then, by force more often.
        """
        for _ in range(_CANCELS):
            if not running:
                return
            for reference in running:
                self.ray.cancel(reference)
            _, running = self.ray.wait(running, num_returns=len(running), timeout=_LOOKS)

    def _check_memory(self, unit_bytes: int) -> None:
        """Raise CfrError if no node has the memory of a unit: Ray would wait for one."""
        most = max((each["Resources"].get("memory", 0) for each in self.ray.nodes() if each["Alive"]), default=0)
        if unit_bytes > most:
            raise CfrError(
                f"a unit of this work needs about {unit_bytes / 1e9:.1f} GB of memory, and no node of the cluster "
                f"gives Ray more than {most / 1e9:.1f} GB"
            )

    def _pack(self, begin: Begin) -> Work:
        try:
            data, files = dumps(begin)
        except (PicklingError, TypeError, AttributeError) as error:
            raise CfrError(f"ray: this cannot be sent to other machines: {first_line(error)}") from None
        pieces = {name: [self.ray.put(piece) for piece in _pieces(path)] for name, path in files.items()}
        return code_version(), os.urandom(8).hex(), data, pieces

    def result(self, reference: Any, when_lost: str | None = None) -> Any:
        """What a unit or a resident returned, once it is there.

        Args:
            reference: Ray's, of what may be a refusal.
            when_lost: the message if the process that works is lost for good.

        Raises:
            CfrError: what was raised or refused there, or a cluster that cannot do the work.
        """
        failures = self.ray.exceptions
        try:
            kind, value = self.ray.get(reference)
        except failures.RayTaskError as error:
            if isinstance(error.cause, CfrError | OSError | MemoryError):
                raise error.cause from None
            raise
        except failures.RayError as error:  # Ray has tried again as often as it does
            if when_lost is not None and isinstance(error, failures.RayActorError):
                raise CfrError(when_lost) from None
            raise CfrError(f"the cluster cannot do the work: {first_line(error)}") from None
        if kind != DONE:
            raise CfrError(value)
        return value

    def _ahead(self) -> int:
        return max(_FEW, AHEAD * int(sum(cores for _, cores in self._nodes.values())))

    def _look(self) -> None:
        """Look at which nodes are there, and announce those that are lost."""
        if time.monotonic() - self._looked < _LOOKS:
            return
        self._looked = time.monotonic()
        nodes = self.alive()
        for node, (name, _) in self._nodes.items():
            if node not in nodes:
                rest = "" if nodes else "; no node is left, waiting for one"
                self._announce(f"node {name} is lost; what it had in hand is done again{rest}")
        self._nodes = nodes

    def alive(self) -> dict[str, tuple[str, float]]:
        """Host's name and cores of each node that is there, by Ray's name of it."""
        return {
            each["NodeID"]: (str(each["NodeManagerHostname"]), float(each["Resources"]["CPU"]))
            for each in self.ray.nodes()
            if each["Alive"] and each["Resources"].get("CPU")
        }


def _imported() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # and no warning about it
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # of units after the first that fails
    try:
        import ray
        from ray._private import worker
    except ImportError:
        raise CfrError(f"ray: Ray is not installed; {install_hint('ray')}") from None
    # Ray prints the logs of lost nodes on standard output, where results go, and has no switch for it.
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None
    return ray


@contextmanager
def _silence() -> Iterator[None]:
    """Hide warnings, and what Ray's native part writes on standard error beside the error that it raises."""
    with catch_warnings(action="ignore"), Path(os.devnull).open("wb") as nothing:
        kept = os.dup(2)
        try:
            os.dup2(nothing.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Keep this process's answer to SIGTERM: Ray sets its own, without a message, and leaves it set."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)


class _NobodyError(ConnectionError):
    """Nothing answers at an address."""


def _check_answers(address: str) -> None:
    """Raise _NobodyError if nobody is at an address, or at the one that ``auto`` stands for.

    Ray itself would wait for minutes: ``auto`` may stand for a cluster that is gone.
    """
    from ray._private import services

    found: str = services.get_ray_address_from_environment(address, None) if address == "auto" else address
    host, _, port = found.removeprefix(ON_CLIENT).rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWERS).close()
    except OSError as error:
        raise _NobodyError(f"nothing answers at {found}: {error.strerror or error}") from None


def _pieces(path: Path) -> Iterator[np.ndarray]:
    whole = np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8)
    for start in range(0, len(whole), _PIECE):
        yield np.asarray(whole[start : start + _PIECE])


def _remote() -> Callable[[Work, Any], tuple[str, Any]]:
    """What Ray runs on a node; a function within a function, because Ray then sends it as it is."""

    def unit(work: Work, given: Any) -> tuple[str, Any]:
        import socket

        import ray

        try:
            from cfr.system.cluster.cluster_node import do
        except ImportError:
            return "refused", f"node {socket.gethostname()} has no cfr, or one that knows no cluster"
        return do(work, given, ray.get)

    return unit
