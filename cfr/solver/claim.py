"""What a solve may write: no earlier file or checkpoint without permission, and none that another solve is writing."""

from __future__ import annotations

import os
from pathlib import Path

from cfr.solver import checkpoint
from cfr.solver.settings import Settings
from cfr.strategy.files.file import open_file
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.files import remove_left_over
from cfr.system.errors import CfrError, SaveError
from cfr.system.text import counted


def claim(settings: Settings) -> Lock:
    """Hold the solve's file and its checkpoint until the lock is closed, and clear away what a killed solve left.

    Raises:
        SaveError: an earlier file or checkpoint is in the way, or another solve is writing them.
    """
    lock = Lock(settings.out, "cfr solve")
    try:
        check_claim(settings)
        for path in (settings.out, checkpoint.path_for(settings.out)):
            remove_left_over(Path(os.path.realpath(path)))
        settings.out.with_name(settings.out.name + ".candidate").unlink(missing_ok=True)
    except BaseException:
        lock.close()
        raise
    return lock


def check_claim(settings: Settings) -> None:
    """Refuse to lose an earlier file or checkpoint without permission; raises SaveError."""
    out, kept = settings.out, checkpoint.path_for(settings.out)
    if settings.overwrite or (settings.resume is not None and checkpoint.is_of(settings.resume, out)):
        return
    if kept.exists():
        raise SaveError(
            f"{kept}: {_unfinished(kept)}; continue it with: cfr solve --resume {kept}, "
            "or say overwrite=True to lose it, or out= for another file"
        )
    if out.exists():
        raise SaveError(f"{out}: {_finished(out)}; say overwrite=True to replace it, or out= for another file")


def _unfinished(path: Path) -> str:
    try:
        header = checkpoint.read(path)
    except (CfrError, OSError):
        return "a file that no solve can continue is there already"
    done = counted(header.progress.iterations, "iteration")
    return f"an unfinished solve of {header.identity['game'].name} after {done} is there already"


def _finished(path: Path) -> str:
    try:
        with open_file(path) as file:
            return (
                f"a strategy for {file.attrs['game_name']} of {counted(int(file.attrs['iterations']), 'iteration')} "
                "is there already"
            )
    except (CfrError, OSError, KeyError, ValueError):
        return "another file is there already"
