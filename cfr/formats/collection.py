"""Hands of several logs: files, folders with all that is in them, and standard input. Each hand counts once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from cfr.formats import irc, rooms
from cfr.formats.logs import ACPC, PHH, ROOMS, read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.hand import LoggedHand
from cfr.system.disk.decoded import decoded
from cfr.system.errors import BadInputError, CfrError

STANDARD_INPUT = "-"
_SUFFIXES = {*ACPC, *PHH, *ROOMS}
Key = tuple[object, ...]


class Collection:
    """The logs that somebody names.

    Args:
        sources: files, folders and ``-``, standard input.

    Attributes:
        files: in the order of the sources, those of a folder by name, each once; :data:`STANDARD_INPUT` among them. An
            ``hdb`` stands for all files of an IRC poker database.

    Raises:
        BadInputError: folders without a log.
        OSError: a source that does not exist.
    """

    def __init__(self, sources: Sequence[str | Path]) -> None:
        self.files: list[str | Path] = []
        seen: set[Path] = set()
        for source in sources:
            if source == STANDARD_INPUT:
                if source not in self.files:
                    self.files.append(STANDARD_INPUT)
                continue
            path = Path(source)
            inside = list(_logs_of(path)) if path.is_dir() else [irc.database_of(path) or path]
            for each in inside:
                if each.resolve() not in seen:
                    seen.add(each.resolve())
                    self.files.append(each)
        if not self.files:
            raise BadInputError(
                f"{', '.join(map(str, sources))}: no log; expected files .log, .phhs, .phh, .txt or .xml"
            )

    def read(
        self, tree: BettingTree, omissions: Omissions, *, named: bool = False, progress: bool = False
    ) -> Iterator[tuple[Key, LoggedHand]]:
        """The hands of one file after the other, each with what tells it from others.

        A key comes again with a copy of its hand in another file; :meth:`hands` puts copies together. Where there
        are several files, one that cannot be read is an omission.

        Args:
            tree: the game's betting.
            omissions: takes the hands that are not read, with their files where there are several.
            named: name the file of an omission even where there is only one.
            progress: show a bar on stderr.

        Raises:
            CfrError, OSError: as :func:`cfr.formats.logs.read_log`, of a file that stands alone or is named.
        """
        sizes = [os.path.getsize(file) if os.path.isfile(file) else 0 for file in self.files]
        is_alone = len(self.files) == 1
        with tqdm(
            desc="reading", total=sum(sizes), unit="B", unit_scale=True, disable=not progress, leave=False, delay=1
        ) as bar:
            for file, size in zip(self.files, sizes, strict=True):
                omissions.file = str(file) if named or not is_alone else ""
                own = omissions if is_alone else Omissions(file=str(file))
                try:
                    for hand in _hands(file, tree, own):
                        yield key_of(hand), hand
                except CfrError as error:
                    if is_alone:
                        raise
                    if not own.skipped:
                        own.add(0, "", type(error)(str(error).removeprefix(f"{file}: ")))
                if not is_alone:
                    omissions.skipped += own.skipped
                    omissions.copies += own.copies
                bar.update(size)
        omissions.file = ""

    def hands(self, tree: BettingTree, omissions: Omissions, *, progress: bool = False) -> Iterator[LoggedHand]:
        """The hands, each once, with the cards that any of its copies in other files shows; as :meth:`read`."""
        read = self.read(tree, omissions, progress=progress)
        return (hand for _, hand in read) if len(self.files) == 1 else iter(gathered(read, omissions))


def gathered(hands: Iterator[tuple[Key, LoggedHand]], omissions: Omissions) -> list[LoggedHand]:
    found: dict[Key, LoggedHand] = {}
    for key, hand in hands:
        if key in found:
            try:
                found[key] = rooms.merged(found[key], hand)
                omissions.copies += 1
            except CfrError as error:
                omissions.add(0, str(hand.number), error)
        else:
            found[key] = hand
    return list(found.values())


def key_of(hand: LoggedHand) -> Key:
    """What tells a hand from others: a card room's number, or in a match all that the log says of it."""
    if hand.site:
        return hand.site, hand.number
    return "", hand.number, *hand.players, hand.seen.state.line_string, *hand.seen.hands, hand.seen.board


def _hands(file: str | Path, tree: BettingTree, omissions: Omissions) -> Iterator[LoggedHand]:
    if file == STANDARD_INPUT:
        return read_text(decoded(sys.stdin.buffer.read()), STANDARD_INPUT, tree, omissions)
    return read_log(file, tree, omissions)


def _logs_of(folder: Path) -> Iterator[Path]:
    """Files below a folder that a log's suffix names; hidden ones are passed over."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            path = Path(here, name)
            if database := irc.database_of(path):
                if database == path:
                    yield path
            elif path.suffix.lower() in _SUFFIXES - {""} and not name.startswith("."):
                yield path
