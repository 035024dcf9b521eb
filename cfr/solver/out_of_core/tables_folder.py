"""The folder of a solve's tables on disk: where it is, and whose it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cfr.solver import checkpoint
from cfr.solver.out_of_core.piece_deals import PREFIX
from cfr.solver.out_of_core.piece_plan import OWNER, check_is_folder, folder_of
from cfr.solver.settings import Settings
from cfr.system.disk.block_files import remove_folder
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError, DamagedFileError, SaveError


def found_folder(settings: Settings, header: checkpoint.Header) -> Path:
    """The folder that holds the tables of a checkpoint: where the solve left them, or where the settings say.

    Where the settings say there may be tables of another solve, whose file this one replaces.

    Raises:
        BadInputError: ``disk`` is no folder.
        DamagedFileError: the tables are not there.
    """
    asked, before = folder_of(settings), None if header.pieces is None else header.pieces.folder
    is_same_place = before is None or settings.disk == header.asked["disk"]
    if before is not None and is_same_place and Path(before).is_dir():  # also where the file gets another name
        return Path(before)
    if asked.is_dir():
        return asked
    check_is_folder(asked.parent)
    if is_same_place:
        raise _no_tables(before or asked, settings.resume)
    raise DamagedFileError(f"{asked}: no tables there; move {before} to {asked.parent} first")


def _no_tables(folder: str | Path, resume: str | Path | None) -> DamagedFileError:
    """A checkpoint goes on, and its tables are not where they were."""
    return DamagedFileError(f"{folder}: no tables there; {resume} needs those that it was kept with")


def claim_folder(
    folder: Path, out: Path, may_replace: bool = False, resume: Path | None = None, is_afar: bool = False
) -> Lock:
    """Hold the folder of a solve's tables until the lock is closed, and say in it whose it is.

    Args:
        folder: holds the tables, or will; its parent exists.
        out: the strategy file of the solve.
        may_replace: whether the tables of another solve may be lost.
        resume: the checkpoint that the solve goes on with.
        is_afar: whether checkpoints are on another machine: tables of another solve are then taken for wanted.

    Raises:
        SaveError: another solve runs there, or the folder cannot be written.
        BadInputError: another solve could go on with the tables that are there.
        DamagedFileError: there are no tables to go on with.
    """
    if resume is not None and not folder.is_dir():
        raise _no_tables(folder, resume)
    is_new, lock = not folder.exists(), Lock(folder, "cfr solve")
    try:
        check_owner(folder, out, may_replace, resume, is_afar)
        folder.mkdir(exist_ok=True)
        (folder / OWNER).write_text(os.path.abspath(out), "utf-8")
    except BaseException as error:
        if is_new:
            remove_folder(folder, (OWNER,))
        lock.close()
        if isinstance(error, OSError):
            raise SaveError(f"cannot write {folder}: {os.strerror(error.errno or 0)}") from None
        raise
    return lock


def check_owner(
    folder: Path, out: Path, may_replace: bool = False, resume: Path | None = None, is_afar: bool = False
) -> None:
    """Raise BadInputError where another solve could go on with the tables in a folder; as :func:`claim_folder`."""
    owner = _owner(folder)
    if owner is None or owner == Path(os.path.abspath(out)) or may_replace:
        return
    theirs = checkpoint.path_for(owner)
    if is_afar or (theirs.exists() and (resume is None or not theirs.samefile(resume))):
        raise BadInputError(
            f"{folder}: the tables of another solve, which {theirs} continues; say disk= for another folder, "
            "out= for another name, or overwrite=True to lose them"
        )


@contextmanager
def held_folder(folder: Path, settings: Settings) -> Iterator[None]:
    """Hold the folder of a solve's tables, as :func:`claim_folder`, for the block.

    Where the block fails or is interrupted before it writes a checkpoint, nobody can go on with the tables, and they
    are deleted.
    """
    with claim_folder(folder, settings.out, settings.overwrite, settings.resume):
        try:
            yield
        except BaseException:
            if settings.resume is None and not checkpoint.path_for(settings.out).exists():
                remove_folder(folder, (PREFIX, OWNER))
            raise


def clear_folder(folder: Path, out: Path) -> None:
    """Delete what an earlier solve of the same file left in a folder; the tables of other solves stay.

    Raises:
        SaveError: a solve runs there.
    """
    if folder.is_dir() and _owner(folder) in (None, Path(os.path.abspath(out))):
        with Lock(folder, "cfr solve"):
            remove_folder(folder, (PREFIX, OWNER))


def _owner(folder: Path) -> Path | None:
    try:
        return Path((folder / OWNER).read_text("utf-8"))
    except (OSError, ValueError):
        return None
