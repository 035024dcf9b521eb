"""Logs that visitors drop to learn from: their players are listed, and one's model joins the folder.

A log is read by a thread; the model is made by a process of its own (:mod:`cfr.web.opponents.model_process`), which a
visitor who cancels, and the server's end, kill.
"""

from __future__ import annotations

import re
import signal
import threading
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cfr.formats.logs import read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.opponents.shelf import SUFFIX, Shelf
from cfr.study.reviews.decision import printable, unknown_player
from cfr.system.errors import BadInputError, SaveError
from cfr.web.opponents.model_process import Order, make_model
from cfr.web.server.jobs import Job, Jobs, LeftError
from cfr.web.server.worker import BusyError

MOST_MODELS = 100  # in the folder, of whoever made them
MOST_WAITING = 8
_MOST_KEPT = 8  # logs
_LEFT_AFTER = 300.0  # seconds after which who has not asked again makes room, where somebody waits
_LOOK_EVERY = 0.1  # seconds between two looks whether the visitor has left
_PATIENCE = 2.0  # seconds that a server which ends waits for the process to be gone
_QUOTED = 300  # characters of a problem
_MOST_STEM = 60  # characters of a file's name


@dataclass(eq=False)
class ModelledLog(Job):
    """A log, and the model of one of its players; phases between are ``reading`` and ``learning``.

    Attributes:
        visitor: the session's number.
        name: of the log; its suffix says the format.
        text: the log.
        hands: those that were read.
        players: the hands of each player; None until the log was read.
        omissions: what was not read.
        player: whose model is wanted; None while nobody is chosen.
        share: of the work on the model that is done.
        made: the model's name in the folder, once it is there.
    """

    visitor: int
    name: str
    text: str
    hands: int = 0
    players: dict[str, int] | None = None
    omissions: Omissions = field(default_factory=Omissions)
    player: str | None = None
    share: float = 0.0
    made: str | None = None


class ModelledLogs(Jobs[ModelledLog]):
    """The logs of one server.

    Args:
        shelf: whose folder takes the models.
        blueprint: the name of the strategy file that they tilt, one of a whole game.
        betting: of its game.
    """

    def __init__(self, shelf: Shelf, blueprint: str, betting: BettingTree) -> None:
        self._shelf, self._blueprint, self._betting = shelf, blueprint, betting
        self._busy = threading.Lock()  # held while a process works
        super().__init__("model")

    def start(self, visitor: int, name: str, text: str) -> ModelledLog:
        """Begin to read a log in the place of the visitor's earlier one; raises BusyError where too many wait."""
        with self._changed:
            self._check_room(visitor)
            for earlier in [each for each in self._known.values() if each.visitor == visitor]:
                self._forget(earlier)
            return self._add(ModelledLog(visitor, name, text))

    def learn(self, job: ModelledLog, player: str) -> None:
        """Begin a player's model.

        Raises:
            BadInputError: the log is not read or has no such player, or something is under way.
            SaveError: the folder has the file already, or too many.
            BusyError: too many wait.
        """
        found = next((each for each in job.players or () if printable(each) == player), None)
        if job.players is None or not job.is_over:
            raise BadInputError(f"{job.name}: is being read, or learnt from")
        if found is None:
            raise unknown_player(job.name, player, sorted(job.players))
        self._place(found)
        with self._changed:
            self._check_room(job.visitor)
            job.phase, job.problem, job.player, job.share, job.made = "waiting", None, found, 0.0, None
            self._add(job)

    def state(self, job: ModelledLog) -> dict[str, Any]:
        """The progress, and the players once they are known, for JSON."""
        with self._changed:
            place = self._waiting.index(job) + 1 if job in self._waiting else 0
        players = sorted((job.players or {}).items(), key=lambda each: (-each[1], each[0]))
        return {
            "id": job.id,
            "name": job.name,
            "state": job.phase,
            "place": place,
            "done": job.share,
            "problem": job.problem,
            "hands": job.hands,
            "players": [{"player": printable(name), "hands": hands} for name, hands in players],
            "player": None if job.player is None else printable(job.player),
            "made": job.made,
            "skipped": [printable(line) for line in str(job.omissions).splitlines()],
        }

    def close(self) -> None:
        """Stop what is being done, and begin nothing more."""
        super().close()
        if self._busy.acquire(timeout=_PATIENCE):
            self._busy.release()

    def _check_room(self, visitor: int) -> None:
        if sum(each.visitor != visitor for each in self._waiting) >= MOST_WAITING:
            raise BusyError("too many logs wait to be learnt from; try again", 10)

    def _place(self, player: str) -> Path:
        """Where a player's model goes; raises SaveError where it may not."""
        stem = re.sub(r"[^\w-]+", "_", player).strip("_")[:_MOST_STEM] or "player"
        path = self._shelf.folder / f"{stem}{SUFFIX}"
        if path.exists():
            raise SaveError(f"{path.name} is there already, and the page replaces no file; `cfr model` makes another")
        if len(self._shelf.contents().models) >= MOST_MODELS:
            raise SaveError(f"the folder has {MOST_MODELS} models; the page adds no more")
        return path

    def _end(self, job: ModelledLog, phase: str, problem: str | None = None) -> None:
        super()._end(job, phase, None if problem is None else printable(problem)[:_QUOTED])

    def _trim(self) -> None:
        over = [each for each in self._known.values() if each.is_over]
        for each in over[:-_MOST_KEPT]:
            self._forget(each)

    def _is_left(self, job: ModelledLog) -> bool:
        return self._is_closed or (job.has_left(_LEFT_AFTER) if self._waiting else job.is_stopped)

    def _do(self, job: ModelledLog) -> None:
        if job.player is None:
            self._read(job)
        else:
            with self._busy:
                self._make(job, job.player)

    def _read(self, job: ModelledLog) -> None:
        job.phase = "reading"
        players: Counter[str] = Counter()
        for hand in read_text(job.text, job.name, self._betting, job.omissions):
            if self._is_left(job):
                raise LeftError
            job.hands += 1
            players.update({*hand.players})
        job.players = dict(players)

    def _make(self, job: ModelledLog, player: str) -> None:
        job.phase = "learning"
        place = self._place(player)
        try:
            with TemporaryDirectory(prefix=".", dir=place.parent) as folder:
                made = Path(folder) / place.name
                self._wait(job, Order(self._blueprint, job.name, job.text, player, made))
                made.rename(self._place(player))  # nothing is replaced
        except OSError as error:
            raise SaveError(f"the folder of players' models cannot be written: {error.strerror}") from None
        job.made = place.stem

    def _wait(self, job: ModelledLog, order: Order) -> None:
        """Let a process work, until it has or the visitor leaves."""
        spawned = get_context("spawn")
        here, there = spawned.Pipe(duplex=False)
        process = spawned.Process(target=make_model, args=(order, there), daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is for the server, which ends it
        process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        there.close()
        try:
            while (said := self._heard(job, here)) is not None:
                if isinstance(said, str):
                    raise BadInputError(said)
                job.share = said
        except EOFError:
            raise BadInputError("the process that learns was ended; is there enough memory?") from None
        finally:
            process.kill()
            process.join()
            here.close()

    def _heard(self, job: ModelledLog, here: Any) -> Any:
        while not here.poll(_LOOK_EVERY):
            if self._is_left(job):
                raise LeftError
        return here.recv()
