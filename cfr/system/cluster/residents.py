"""Residents: objects that stay on the nodes of a Ray cluster, each in a process of its own, with what they hold there.

Units of :class:`cfr.system.cluster.cluster.Cluster` go wherever a core is free, and to another node if theirs is lost.
A resident is for work that belongs where its files are.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cfr.system.closing import Closing
from cfr.system.cluster.cluster import Cluster
from cfr.system.version import code_version


@dataclass(frozen=True)
class Node:
    """A node of a cluster.

    Attributes:
        id: Ray's name of it.
        name: its host's.
        cores: how many it gives.
    """

    id: str
    name: str
    cores: int


class Residents(Closing):
    """Starts objects on the nodes of a cluster, and calls them.

    Args:
        cluster: the cluster.
        lost: what to do when a node is lost, for the message.

    Attributes:
        nodes: those that are there.
    """

    def __init__(self, cluster: Cluster, lost: str) -> None:
        self._cluster, self._ray, self._lost = cluster, cluster.ray, lost
        self.nodes = [Node(id_, name, int(cores)) for id_, (name, cores) in sorted(cluster.alive().items())]
        self._actors: list[tuple[Node, Any]] = []

    def close(self) -> None:
        """End all objects."""
        for _, actor in self._actors:
            self._ray.kill(actor)
        self._actors.clear()

    def start(self, node: Node, begin: Callable[[], Any], cores: float) -> int:
        """Start an object on a node; returns its number.

        Args:
            node: where.
            begin: makes the object there.
            cores: that it takes of the node.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node.id, soft=False)
        actor = self._ray.remote(num_cpus=cores, scheduling_strategy=there)(_resident())
        self._actors.append((node, actor.remote(code_version(), pickle.dumps(begin))))
        return len(self._actors) - 1

    def call(self, numbers: Sequence[int], method: str, *arguments: Any) -> list[Any]:
        """Call a method of several objects side by side; the results in order.

        Raises:
            CfrError: what a method raised, or a node that is lost.
        """
        calls = [(number, self._actors[number][1].call.remote(method, arguments)) for number in numbers]
        return [
            self._cluster.result(reference, f"node {self._actors[number][0].name} is lost; {self._lost}")
            for number, reference in calls
        ]


def _resident() -> type:
    """What Ray starts on a node; a class within a function, because Ray then sends it as it is."""

    class Resident:
        def __init__(self, version: str, begin: bytes) -> None:
            self._version, self._begin, self._object = version, begin, None

        def call(self, method: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
            import pickle
            import socket

            try:
                from cfr.system.cluster.cluster_node import DONE, REFUSED, refusal
            except ImportError:
                return "refused", f"node {socket.gethostname()} has no cfr, or one that knows no cluster"
            if (refused := refusal(self._version)) is not None:
                return REFUSED, refused
            if self._object is None:
                self._object = pickle.loads(self._begin)()
            return DONE, getattr(self._object, method)(*arguments)

    return Resident
