"""The cgroups that this process is in, versions 1 and 2: what a container may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def folders(controller: str, root: Path = Path("/")) -> Iterator[Path]:
    """Folders of a controller's limits, such as ``memory``, from the process's own cgroup up; each may set one.

    Args:
        controller: ``cpu`` or ``memory``.
        root: the root of the file system.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, names, path = [*line.split(":", 2), "", ""][:3]
        if names and controller not in names.split(","):
            continue
        top = root / "sys/fs/cgroup" / (controller if names else "")
        # In a container the path may be the host's; only its top is visible.
        here = top / path.strip("/")
        while True:
            if here.is_dir():
                yield here
            if here == top or ".." in here.parts:
                break
            here = here.parent
