"""Strategies of somebody else's, as a table, a class or a policy of OpenSpiel: made into strategy files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cfr.formats import openspiel
from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.rules import Game, NamedGame, game_of
from cfr.game.words import ACTION_NAMES
from cfr.strategy.files.rows_file import read_rows
from cfr.strategy.hand_by_hand import Told, check_tellable, spot_named, tell_all
from cfr.strategy.strategy import Cards
from cfr.system.checks import check_path, shown
from cfr.system.cluster.foreign import ERRORS, is_python, made_with, named_class, what_went_wrong
from cfr.system.disk.files import check_free, check_writable
from cfr.system.errors import BadInputError, CfrError
from cfr.system.text import counted


def import_strategy(given: Any, game: NamedGame, out: str | Path, overwrite: bool = False) -> Path:
    """Write somebody else's strategy of a small game as a strategy file, which keeps its probabilities in float64.

    Args:
        given: the path of a CSV file with a row for each hand at each spot (columns ``line``, ``board``, ``hand``,
            ``fold``, ``call``, ``raise``; hands, boards and lines that differ in their suits alone need one row);
            or ``module:Class``, a class that is called with the game or with nothing, or an object. The object answers
            ``probabilities(hand, board, line)``, all texts, by a dictionary such as ``{"call": 0.25, "raise": 0.75}``
            or by the three numbers of fold, call and raise; or it is a policy of OpenSpiel.
        game: the rules, or a bundled game's name, or the path of a ``.game`` file.
        out: the file.
        overwrite: replace an earlier file.

    Returns:
        The path of the file.

    Raises:
        BadInputError: a game with too many hands and spots; a hand at a spot that is missing; what are no
            probabilities, or others for hands that differ in their suits alone.
        MalformedTextError: a CSV file that cannot be read; the message names the row.
        CfrError: whatever the object raises.
        OSError, SaveError: a file that cannot be read or written.
    """
    game = game_of(game)
    check_path("out", out)
    out = Path(out)
    if _is_file(given):
        Path(given).stat()  # a file that is missing is named first
    check_tellable(game)
    check_free(out, overwrite)
    check_writable(out)
    _heard(given, game).save(out)
    return out


def _heard(given: Any, game: Game) -> Told:
    """The strategy that ``given`` tells."""
    if _is_file(given):
        return read_rows(Path(given), game)
    name = str(given) if isinstance(given, str | Path) else getattr(given, "__name__", type(given).__name__)
    made = named_class(str(given), "strategy") if isinstance(given, str | Path) else given
    if isinstance(made, type) or not (hasattr(made, "probabilities") or hasattr(made, "action_probabilities")):
        made = _made(made, game, name)
    told = Told(game, name)
    if callable(getattr(made, "action_probabilities", None)):
        openspiel.tell(told, made)
    elif callable(asked := getattr(made, "probabilities", None)):
        tell_all(told, lambda state, hand, board: _answer(asked, state, hand, board, name))
    else:
        raise BadInputError(
            f"strategy {name}: has no method probabilities(hand, board, line), and is no policy of OpenSpiel"
        )
    return told


def _is_file(given: Any) -> bool:
    return isinstance(given, str | Path) and ":" not in str(given) and not is_python(str(given))


def _made(make: Any, game: Game, name: str) -> Any:
    if not callable(make):
        raise BadInputError(f"strategy: {shown(make)}; expected a .csv file, module:Class, or an object that answers")
    try:
        return made_with(make, game)
    except ERRORS as error:
        what = what_went_wrong(error, "a class that is made by Class(game), or by Class()")
        raise BadInputError(f"strategy {name}: {what}") from error


def _answer(asked: Callable[..., Any], state: State, hand: Cards, board: Cards, name: str) -> Sequence[float]:
    """Probabilities of fold, call and raise as an object answers them."""
    try:
        found = asked(format_cards(hand), format_cards(board), state.line_string)
        if isinstance(found, Mapping):
            if unknown := set(found) - set(ACTION_NAMES):
                raise BadInputError(f"{sorted(map(str, unknown))}; expected {', '.join(ACTION_NAMES)}")
            return [float(found.get(action, 0)) for action in ACTION_NAMES]
        shares = [float(share) for share in found]
        if len(shares) != len(ACTIONS):
            raise BadInputError(f"{counted(len(shares), 'number')}; expected those of {', '.join(ACTION_NAMES)}")
    except CfrError as error:
        raise BadInputError(f"strategy {name}, {spot_named(state, hand, board)}: {error}") from error
    except ERRORS as error:
        what = f"strategy {name}, {spot_named(state, hand, board)}"
        raise CfrError(f"{what}: {what_went_wrong(error)}") from error
    return shares
