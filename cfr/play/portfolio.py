"""A portfolio of responses, and what was learnt of each opponent: one small file of JSON."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cfr.game.rules import Game
from cfr.play.hedge import hedged
from cfr.play.learnt import Learnt
from cfr.resolving.named_strategy import MIX, open_whole, shown_name
from cfr.strategy.files.bundled import whole_name
from cfr.strategy.files.measured import exploitability_of_file
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError, DamagedFileError, SaveError
from cfr.system.text import counted, signed

FORMAT = "cfr portfolio 1"
_PATIENCE, _PAUSE = 5.0, 0.01  # seconds that a change waits for another one, and looks again


@dataclass(frozen=True)
class Response:
    """A strategy of the portfolio.

    Attributes:
        name: of the strategy; of a file its whole path.
        checksum: of what identifies the strategy.
        exploitability_mbb: what a best response wins from it.
        model, model_checksum: the player that it was made to win from; None where that is not known.
    """

    name: str
    checksum: str
    exploitability_mbb: float
    model: str | None = None
    model_checksum: str | None = None


@dataclass
class Portfolio:
    """Responses to mix, and what is known of opponents.

    Attributes:
        responses: the equilibrium first.
        risk_mbb: how much more than the first the mix may lose to anybody, in mbb/g.
        learnt: by the opponent's name.
    """

    responses: list[Response]
    risk_mbb: float
    learnt: dict[str, Learnt] = field(default_factory=dict)

    @classmethod
    def make(cls, names: Sequence[str], risk_mbb: float, models: Sequence[str] = ()) -> Portfolio:
        """A portfolio of strategies.

        Args:
            names: at least two strategies of one game, ``FILE@MBB`` where a file does not say its exploitability.
            risk_mbb: how much more than the first the mix may lose to anybody, in mbb/g.
            models: files of players, each one that a strategy was made to win from.

        Raises:
            BadInputError: strategies that do not fit, whose exploitability nobody knows, or a model of none of them.
            OSError, DamagedFileError: a file that cannot be opened.
        """
        if len(names) < 2:
            raise BadInputError("expected the equilibrium and at least one other response")
        found, games, players = [], list[Game](), dict[str, tuple[str, str]]()
        for name in models:
            with open_whole(name) as model:
                players[str(getattr(model, "attributes", {}).get("checksum", ""))] = (
                    str(Path(name).resolve()),
                    _checksum(model),
                )
        for given in names:
            name, stated = _stated(given)
            with open_whole(name, game=games[0] if games else None) as strategy:  # rules play that of the first
                games.append(strategy.game)
                said = getattr(strategy, "attributes", {})
                mbb = stated if stated is not None else exploitability_of_file(said)
                if mbb is None:
                    raise BadInputError(
                        f"{name}: its exploitability is not known; say {name}@MBB, or measure it: cfr exploit --save"
                    )
                player = players.get(str(said.get("counter_of")), (None, None))
                found.append(Response(whole_name(name), _checksum(strategy), float(mbb), *player))
        if len({each.text() for each in games}) > 1:
            raise BadInputError(f"{' and '.join(names)} are for different games")
        for name in models:
            if str(Path(name).resolve()) not in {each.model for each in found}:
                raise BadInputError(f"{name}: none of the responses is a counter-strategy to this model")
        return cls(found, risk_mbb)

    @classmethod
    def read(cls, path: str | Path) -> Portfolio:
        """A portfolio from its file; raises OSError or DamagedFileError."""
        path = Path(path)
        if path.is_char_device():  # which may never end
            raise DamagedFileError(f"{path}: a device; expected a portfolio of cfr learn")
        data = path.read_bytes()
        try:
            said = json.loads(data)
            if said["format"] != FORMAT:
                raise ValueError
            responses = [Response(**each) for each in said["responses"]]
            none = {"likelihoods": [0.0] * len(responses)}  # of a file of an earlier version
            learnt = {str(name): Learnt(**(none | each)) for name, each in said["learnt"].items()}
            sizes = {len(each) for known in learnt.values() for each in (known.gains, known.squares, known.likelihoods)}
            if not responses or not sizes <= {len(responses)}:
                raise ValueError
            return cls(responses, float(said["risk_mbb"]), learnt)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise DamagedFileError(f"{path}: not a portfolio of cfr learn") from None

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all; raises SaveError."""
        with replacing(Path(path)) as temporary:
            temporary.write_text(json.dumps({"format": FORMAT} | asdict(self), indent=1) + "\n", "utf-8")

    @classmethod
    @contextmanager
    def changing(cls, path: Path, what: str, patience: float = _PATIENCE) -> Iterator[Portfolio]:
        """The portfolio of a file that nobody else writes meanwhile; it is saved where the block ends well.

        Args:
            path: the file.
            what: who changes it, for others who wait.
            patience: seconds to wait for others.

        Raises:
            SaveError: somebody else writes the file, or it cannot be written.
            OSError, DamagedFileError: it cannot be read.
        """
        with _held(path, what, patience):
            portfolio = cls.read(path)
            yield portfolio
            portfolio.save(path)

    def open(self) -> Mixed:
        """The mix of all responses, by the weights of an unknown opponent.

        Raises:
            BadInputError: a response has changed since the portfolio was made.
            OSError, DamagedFileError: a file that cannot be opened.
        """
        return self._opened([(each.name, each.checksum) for each in self.responses])

    def open_models(self) -> Mixed | None:
        """The player that each response was made for, the first where none is known; None where none is known at all.

        Raises:
            CfrError, OSError: as :meth:`open`.
        """
        first = self.responses[0]
        if not any(each.model for each in self.responses):
            return None
        return self._opened(
            [(each.model or first.name, each.model_checksum or first.checksum) for each in self.responses]
        )

    def _opened(self, named: Sequence[tuple[str, str]]) -> Mixed:
        """Strategies by name, each with its checksum, as a mix by the weights of an unknown opponent."""
        with ExitStack() as held:
            parts: list[BaseStrategy] = []
            for name, checksum in named:
                game = parts[0].game if parts else None  # that rules play
                parts.append(held.enter_context(open_whole(name, game=game)))
                if _checksum(parts[-1]) != checksum:
                    raise BadInputError(f"{name} has changed since the portfolio was made: make it anew")
            held.pop_all()
        return Mixed(parts, self.weights("").tolist())

    def weights(self, opponent: str) -> Floats:
        """``(responses,)`` shares of the mix against an opponent; their mean risk is within ``risk_mbb``."""
        known = self._known(opponent)
        lost = np.array([each.exploitability_mbb for each in self.responses])
        gains, squares, likelihoods = map(np.array, (known.gains, known.squares, known.likelihoods))
        return hedged(gains, squares, likelihoods, np.maximum(lost - lost[0], 0), self.risk_mbb)

    def learn(self, opponent: str, found: Learnt) -> None:
        """Add what hands against an opponent said (:func:`cfr.play.learnt.learnt_from`)."""
        known = self._known(opponent)
        self.learnt[opponent] = Learnt(
            known.hands + found.hands,
            np.add(known.gains, found.gains).tolist(),
            np.add(known.squares, found.squares).tolist(),
            np.add(known.likelihoods, found.likelihoods).tolist(),
        )

    def _known(self, opponent: str) -> Learnt:
        nothing = [0.0] * len(self.responses)
        return self.learnt.get(opponent, Learnt(0, nothing, nothing, nothing))

    def player(self, opponent: str) -> str:
        """The mix against an opponent as it is now, as a strategy's name."""
        named = zip(self.responses, self.weights(opponent).round(6).tolist(), strict=True)
        first, *others = [(each.name, share) for each, share in named]
        return f"{MIX}{','.join([first[0], *(f'{name}@{share:.6f}' for name, share in others)])}"

    def worst_mbb(self, opponent: str) -> float:
        """A bound on what anybody wins from the mix against an opponent, in mbb/g."""
        return float(self.weights(opponent) @ [each.exploitability_mbb for each in self.responses])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "risk_mbb": self.risk_mbb,
            "responses": [asdict(each) for each in self.responses],
            "opponents": [
                {
                    "player": name,
                    "mix": self.player(name),
                    "hands": known.hands,
                    "weights": self.weights(name).tolist(),
                    "likelihoods_nats": known.likelihoods,
                    "gains_mbb": [1000 * each / known.hands for each in known.gains],
                    "worst_mbb": self.worst_mbb(name),
                }
                for name, known in self.learnt.items()
            ],
        }

    def __str__(self) -> str:
        lines = [
            f"{shown_name(each.name):<24} exploitability {each.exploitability_mbb:.1f} mbb/g, weight {share:.3f}"
            for each, share in zip(self.responses, self.weights(""), strict=True)
        ]
        lines.append(f"the mix loses at most {self.risk_mbb:g} mbb/g more than the first")
        for name, known in self.learnt.items():
            lines.append(f"{name}: {counted(known.hands, 'hand')}, worst case {self.worst_mbb(name):.1f} mbb/g")
            sums = (known.gains, known.squares, known.likelihoods)
            for each, share, gain, square, likely in zip(self.responses, self.weights(name), *sums, strict=True):
                error = 1.96 * 1000 * math.sqrt(square) / known.hands
                gained = f"{signed(1000 * gain / known.hands)} mbb/g, +- {error:.1f}, beside what played"
                fits = f"; its model beside the first's {likely - known.likelihoods[0]:+.1f} nats" if each.model else ""
                lines.append(f"  {shown_name(each.name):<22} weight {share:.3f}, {gained}{fits}")
            lines.append(f"  as it is now: {self.player(name)}")
        return "\n".join(lines)


def _stated(given: str) -> tuple[str, float | None]:
    """A strategy's name, and the exploitability that follows it."""
    name, at, said = given.rpartition("@")
    if not at or Path(given).exists():
        return given, None
    try:
        mbb = float(said)
    except ValueError:
        mbb = math.nan
    if not 0 <= mbb < math.inf:
        raise BadInputError(f"{given}: expected FILE@MBB, the exploitability in mbb/g")
    return name, mbb


def _held(path: Path, what: str, patience: float) -> Lock:
    """A hold on a file; others who change it are done in milliseconds, a match is not."""
    until = time.monotonic() + patience
    while True:
        try:
            return Lock(path, what)
        except SaveError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)


def _checksum(strategy: BaseStrategy) -> str:
    return hashlib.sha256(json.dumps(strategy.identity, sort_keys=True).encode()).hexdigest()
