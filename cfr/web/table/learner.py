"""The player that learns, for visitors: each plays against the mix that their own hands taught.

1. ``cfr serve --learn FILE`` opens a portfolio's responses once; they never change, and all visitors share them.
2. A visitor plays against ``learn:NAME``, or ``learn:`` to stay unknown. A hand takes the shares that NAME taught.
3. The shares stay with the hand in the file of sessions: it is played and learnt from by these, whatever comes between.
4. A hand that is over and kept is learnt from: by what both have seen of it, so that no share tells a hidden card.
5. What it taught is added to NAME's in the portfolio's file, under its lock; an unknown visitor's stays in memory.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from cfr.game.hand import SeenHand
from cfr.game.rules import Game
from cfr.play.learning_player import PREFIX
from cfr.play.learnt import Learnt, learnt_from
from cfr.play.portfolio import Portfolio
from cfr.resolving.named_strategy import shown_name
from cfr.strategy.mixed import Mixed
from cfr.system.disk.files import version_of
from cfr.system.errors import BadInputError, CfrError
from cfr.system.text import counted
from cfr.web.store.sessions import FullError

MOST = 1000  # visitors by name in the file, and as many unknown ones in memory
MAX_NAME = 32  # characters
_PATIENCE = 0.2  # seconds that a visitor waits for others who write the file
T = TypeVar("T")


class Learner:
    """A portfolio that visitors play against, and what it learns of each.

    What is kept by name is in the portfolio's file, which other programs may change between two hands. What cannot be
    written, while a match holds the file, waits in memory.

    Args:
        path: of the portfolio.
        game: that the page shows.

    Attributes:
        names: of the responses, as the page shows them.

    Raises:
        BadInputError: responses of another game, or that have changed.
        OSError, DamagedFileError: a file that cannot be opened.
    """

    def __init__(self, path: Path, game: Game) -> None:
        self._path = path
        self._kept = Portfolio.read(path)
        self._version: tuple[int, int, int] | None = None  # of the file that was read last; None to read it again
        self._mix = self._kept.open()
        try:
            if self._mix.game != game:
                raise BadInputError(f"{path}: its responses play {self._mix.game.name}; expected {game.name}")
            self._models = self._kept.open_models()
        except BaseException:
            self._mix.close()
            raise
        for each in (self._mix, self._models):
            if each is not None:
                each.hold_tables()
        self.names = [shown_name(each.name) for each in self._kept.responses]
        self._unknown = replace(self._kept, learnt={})  # by session
        self._waiting = replace(self._kept, learnt={})  # by name: what is not in the file yet
        self._problem = ""
        self._thread = ThreadPoolExecutor(1, "learn")

    async def ask(self, work: Callable[..., T], *arguments: object) -> T:
        """What one of the methods below returns, which take turns beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def strategy(self, against: str, shares: Sequence[float] = ()) -> Mixed:
        """What plays a hand by its shares; BadInputError for a bad name, or for shares of other responses.

        Without shares it is the mix against somebody unknown.
        """
        opponent(against)
        if not shares:
            return self._mix
        if len(shares) != len(self.names):
            raise BadInputError(f"{against}: the hand began with {len(shares)} responses; expected {len(self.names)}")
        return Mixed(self._mix.parts, shares)

    def shares(self, against: str, session: int | None) -> tuple[float, ...]:
        """By which the next hand is played; FullError for a new name where there is no room for its counts."""
        name, known = opponent(against), self._all()
        if name and name not in known.learnt and len(known.learnt) >= MOST:
            raise FullError(f"{MOST:,} names are kept; play without a name")
        return tuple(self._of(name, session)[1].tolist())

    def learn(self, against: str, session: int, shares: Sequence[float], seat: int, seen: SeenHand) -> None:
        """Learn from a hand that is over.

        Args:
            against: the opponent's name, of the bot.
            session: the visitor's number.
            shares: by which the bot played the hand.
            seat: the bot's.
            seen: what both have seen of the hand.
        """
        if len(shares) != len(self.names):  # of another portfolio: its hand was played on by another bot
            return
        found = learnt_from(Mixed(self._mix.parts, shares), self._models, seat, seen)
        if found is None:
            return
        if name := opponent(against):
            self._waiting.learn(name, found)
            self._write()
            return
        learnt = self._unknown.learnt
        learnt[str(session)] = learnt.pop(str(session), Learnt(0, *([0.0] * len(self.names) for _ in range(3))))
        self._unknown.learn(str(session), found)
        if len(learnt) > MOST:
            del learnt[next(iter(learnt))]

    def about(self, against: str, session: int | None) -> dict[str, Any]:
        """For JSON: the visitor's ``name``, ``hands`` learnt from, those ``unwritten``, and the ``mix`` as it is."""
        name = opponent(against)
        hands, shares = self._of(name, session)
        waiting = self._waiting.learnt.get(name)
        return {
            "name": name,
            "hands": hands,
            "unwritten": waiting.hands if waiting else 0,
            "mix": [
                {"response": response, "share": share}
                for response, share in zip(self.names, shares.tolist(), strict=True)
            ],
        }

    def forget(self, against: str, session: int | None) -> None:
        """Forget what was learnt of a visitor; raises BadInputError where the file cannot be written now."""
        name = opponent(against)
        if not name:
            self._unknown.learnt.pop(str(session), None)
            return
        try:
            if name in self._read().learnt:
                with Portfolio.changing(self._path, "cfr serve", _PATIENCE) as portfolio:
                    self._check(portfolio)
                    portfolio.learnt.pop(name, None)
                self._version = None
        except (CfrError, OSError) as error:
            self._complain(error)
            raise BadInputError("nothing was forgotten: the file cannot be written now; try again later") from None
        self._waiting.learnt.pop(name, None)

    def close(self) -> None:
        """Write what waits, and close the responses."""
        self._thread.shutdown()
        if self._waiting.learnt:
            self._write()
        for name, lost in self._waiting.learnt.items():
            print(f"not kept: {counted(lost.hands, 'hand')} of {name}: {self._problem}", file=sys.stderr)
        self._mix.close()
        if self._models is not None:
            self._models.close()

    def _of(self, name: str, session: int | None) -> tuple[int, Any]:
        """The hands that were learnt from a visitor, and the shares against them."""
        known, key = (self._all(), name) if name else (self._unknown, str(session))
        return known.learnt[key].hands if key in known.learnt else 0, known.weights(key)

    def _all(self) -> Portfolio:
        """What is known by name: the file's, and what waits to be written."""
        try:
            self._kept = self._read()
        except (CfrError, OSError) as error:  # what was read last counts
            self._complain(error)
        known = replace(self._kept, learnt=dict(self._kept.learnt))
        for name, found in self._waiting.learnt.items():
            known.learn(name, found)
        return known

    def _read(self) -> Portfolio:
        """The file as it is, read again where somebody has changed it."""
        version = version_of(self._path)  # before the file is read: at worst it is read once more
        if version is None or version != self._version:
            portfolio = Portfolio.read(self._path)
            self._check(portfolio)
            self._kept, self._version = portfolio, version
        return self._kept

    def _write(self) -> None:
        """Add what waits to the file; where that fails it waits on."""
        try:
            with Portfolio.changing(self._path, "cfr serve", _PATIENCE) as portfolio:
                self._check(portfolio)
                for name, found in self._waiting.learnt.items():
                    portfolio.learn(name, found)
        except (CfrError, OSError) as error:
            self._complain(error)
            return
        self._version, self._problem = None, ""
        self._waiting.learnt.clear()

    def _check(self, portfolio: Portfolio) -> None:
        if portfolio.responses != self._kept.responses:
            raise BadInputError(f"{self._path}: its responses are others now; start the page again")

    def _complain(self, error: Exception) -> None:
        """Tell who runs the server, once."""
        said = str(error)
        if said != self._problem:
            print(f"what visitors teach waits: {said}", file=sys.stderr)
        self._problem = said


def opponent(against: str) -> str:
    """The visitor's name in the name of a bot that learns, empty for an unknown one; raises BadInputError."""
    name = against.removeprefix(PREFIX)
    if len(name) > MAX_NAME or not name.isprintable() or "@" in name or name != name.strip():
        raise BadInputError(f"your name: expected at most {MAX_NAME} characters on one line, without @")
    return name
