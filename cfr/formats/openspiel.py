"""A strategy as OpenSpiel's policy, so that OpenSpiel's algorithms measure and play what was solved here.

OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453) has Kuhn poker and Leduc hold'em of its own. Their rules are the
bundled games': player 0 opens every round, chips are antes. All limit games are in its ``universal_poker``, described
by the fields of a ``.game`` file. There a game's author numbers the players: the big blind is player 0, as here, or
player 1. Cards are counted from the lowest, the suits of a rank together, as in :attr:`cfr.game.rules.Game.deck`. A
state lists its legal actions from fold to raise, as :attr:`cfr.game.betting.State.legal` does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from math import gcd, perm
from types import ModuleType
from typing import Any, NamedTuple

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.rules import Game, NamedGame, game_of
from cfr.strategy.hand_by_hand import Told, spot_named
from cfr.strategy.strategy import AnyStrategy, check_opened
from cfr.system.checks import check_kind, shown
from cfr.system.cluster.foreign import ERRORS, what_went_wrong
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.extras import install_hint

_MOST_HISTORIES = 1_000_000  # that a table lists: some minutes
GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
UNIVERSAL = "universal_poker"
# Fields of a .game file, and what makes a game of OpenSpiel another one: where it starts in the middle.
_FIELDS = ("blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits", "numRanks", "numHoleCards", "numBoardCards")
_STARTS = {"potSize": 0, "boardCards": "", "handReaches": ""}
# The actions that a game of OpenSpiel lists: fold, call and one raise, each under a number of its own.
_ABSTRACTION = "fcpa"
_OTHERS = {
    "fc": "which lists no raise",
    "fchpa": "which lists a half-pot bet, no bet of limit games",
    "fullgame": "which lists a raise under another action's number",
}


class UnknownSpotError(BadInputError):
    """A state of OpenSpiel that is no spot of the strategy's game."""


class Spot(NamedTuple):
    """What the seat to act knows: its hand and the board as card codes, and the betting."""

    hand: tuple[int, ...]
    board: tuple[int, ...]
    state: State


def load_game(game: NamedGame) -> Any:
    """The game as a ``pyspiel.Game``, by its rules, whatever its name; a bundled game's name or a path serves, too.

    Raises:
        BadInputError: OpenSpiel has no such game.
        CfrError: OpenSpiel is not installed.
    """
    return _open_spiel("pyspiel").load_game(_counterpart(game_of(game)))


def universal_poker(game: NamedGame) -> Any:
    """Any game as a ``pyspiel.Game`` of ``universal_poker``; its players are numbered like the seats here.

    Raises:
        CfrError: OpenSpiel is not installed.
    """
    game = game_of(game)
    fields = dict(line.split(" = ") for line in game.text().splitlines() if " = " in line)
    fields |= {"betting": "limit", "stack": f"{game.max_stake + 1} {game.max_stake + 1}"}
    described = ",".join(f"{name}={value}" for name, value in fields.items())
    return _open_spiel("pyspiel").load_game(f"{UNIVERSAL}({described})")


def spot(betting: BettingTree, state: Any) -> Spot:
    """What a ``pyspiel.State`` shows the player to act.

    Args:
        betting: of the game.
        state: one of the game that :func:`load_game` loads, or of a ``universal_poker`` with the same rules, whatever
            its chips count and whoever is its player 0; with a player to act.

    Raises:
        UnknownSpotError: nobody is to act, or the state is another game's.
    """
    check_kind("betting", betting, BettingTree, "the BettingTree of a game, such as strategy.betting")
    if not hasattr(state, "is_player_node"):
        raise BadInputError(f"state: {shown(state)}; expected a pyspiel.State")
    game = betting.game
    swapped = _players_swapped(game, state.get_game())
    if not state.is_player_node():
        raise UnknownSpotError(
            f"state {state.history()}: chance is to move or the hand is over, there is nobody to act"
        )
    walked, replayed = betting.root, state.get_game().new_initial_state()
    dealt: list[int] = []
    for action in state.history():
        if replayed.is_chance_node():
            dealt.append(int(game.deck[action]))
        else:
            walked = walked.act(walked.legal[_listed(walked, replayed).index(action)])
        replayed.apply_action(action)
    hole = game.num_hole_cards
    hands = dealt[:hole], dealt[hole : 2 * hole]  # by their players
    player = 1 - walked.actor if swapped else walked.actor
    return Spot(tuple(hands[player]), tuple(dealt[2 * hole :]), walked)


class SpotPolicy:
    """A strategy that answers for OpenSpiel's states one by one, in games of any size.

    It has the method of ``open_spiel.python.policy.Policy`` that players and simulations call.

    Args:
        strategy: as for :func:`tabular_policy`.
    """

    def __init__(self, strategy: AnyStrategy) -> None:
        check_opened(strategy)
        self._strategy = strategy

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action, by OpenSpiel's numbers, for the player to act.

        Args:
            state: as for :func:`spot`, whose errors it raises.
            player_id: the player to act, or None.
        """
        if not hasattr(state, "current_player"):
            raise BadInputError(f"state: {shown(state)}; expected a pyspiel.State")
        if player_id not in (None, state.current_player()):
            raise BadInputError(f"player {player_id} is not to act, player {state.current_player()} is")
        hand, board, walked = spot(self._strategy.betting, state)
        played = self._strategy.distribution(walked, hand, board)
        shares = (float(played[ACTIONS.index(letter)]) for letter in walked.legal)
        return dict(zip(_listed(walked, state), shares, strict=True))


def tell(told: Told, policy: Any) -> None:
    """Tell a strategy what a policy of OpenSpiel does in each state.

    Args:
        told: hears it.
        policy: has the ``action_probabilities`` of an ``open_spiel.python.policy.Policy``; its ``game``, if it has one,
            is any with the same rules.

    Raises:
        BadInputError: the policy is another game's, the game is too large, or what :meth:`Told.tell` refuses.
        CfrError: OpenSpiel is not installed, or whatever the policy raises.
    """
    theirs = getattr(policy, "game", None) or _listed_game(told.game)
    _check_listable(told.game)
    for state in _open_spiel("open_spiel.python.policy").TabularPolicy(theirs).states:
        hand, board, walked = spot(told.betting, state)
        where = spot_named(walked, hand, board)
        try:
            given = policy.action_probabilities(state, state.current_player())
        except ERRORS as error:
            raise CfrError(f"{told.name}, {where}: {what_went_wrong(error)}") from error
        numbers = dict(zip(walked.legal, _listed(walked, state), strict=True))
        told.tell(walked, hand, board, [given.get(numbers.get(letter), 0) for letter in ACTIONS], where)


def tabular_policy(strategy: AnyStrategy) -> Any:
    """A strategy as an ``open_spiel.python.policy.TabularPolicy``.

    Its ``action_probability_array``, ``(information states, actions)`` float64, is ``(12, 2)`` for Kuhn poker and
    ``(936, 3)`` for Leduc hold'em, whose suits OpenSpiel tells apart; its ``game`` is the ``pyspiel.Game``.

    Other games are in OpenSpiel's ``universal_poker``, with up to a million histories.

    Args:
        strategy: a file's (:class:`cfr.strategy.files.stored.Strategy`), a built-in, or any object with the same
            answers.

    Raises:
        BadInputError: a game whose states are too many to list; :class:`SpotPolicy` answers one by one.
        CfrError: OpenSpiel is not installed.
    """
    check_opened(strategy)
    game = _listed_game(strategy.game)
    _check_listable(strategy.game)
    policy = _open_spiel("open_spiel.python.policy").TabularPolicy(game)
    for row, state in zip(policy.action_probability_array, policy.states, strict=True):
        hand, board, walked = spot(strategy.betting, state)
        played = strategy.distribution(walked, hand, board)
        row[_listed(walked, state)] = [played[ACTIONS.index(letter)] for letter in walked.legal]
    return policy


def _listed_game(game: Game) -> Any:
    """The game whose states tables list: OpenSpiel's own, else that of ``universal_poker``."""
    return load_game(game) if _is_named(game) else universal_poker(game)


def _check_listable(game: Game) -> None:
    if (count := _histories(game)) > _MOST_HISTORIES:
        raise BadInputError(
            f"{game.name}: {count:,} histories are too many to list; expected at most "
            f"{_MOST_HISTORIES:,}. SpotPolicy answers for one state at a time"
        )


def _histories(game: Game) -> int:
    """How many decisions OpenSpiel lists: betting nodes of each round times the ways to deal its cards."""
    betting, dealt, count = BettingTree(game), 2 * game.num_hole_cards, 0
    ways, left = perm(len(game.deck), dealt), len(game.deck) - dealt
    for r, cards in enumerate(game.num_board_cards):
        ways *= perm(left, cards)
        left -= cards
        count += len(betting.rounds[r].actor) * betting.num_lines[r] * ways
    return count


def _is_named(game: Game) -> bool:
    """Whether OpenSpiel has a game of these rules of its own."""
    return any(replace(game, name=name) == Game.bundled(name) for name in GAMES)


def _listed(walked: State, theirs: Any) -> list[int]:
    """OpenSpiel's numbers of the legal actions, in our order; raises UnknownSpotError unless each has a number."""
    listed = list(theirs.legal_actions())
    if len(set(listed)) != len(walked.legal):
        raise UnknownSpotError(
            f"state {theirs.history()} lists the actions {listed}; "
            f"expected a number for each of {', '.join(walked.legal)}"
        )
    return listed


def _players_swapped(game: Game, theirs: Any) -> bool:
    """Whether player 0 of a ``pyspiel.Game`` has seat 1; raises UnknownSpotError if its rules are others."""
    if theirs.get_type().short_name != UNIVERSAL:
        name = next((theirs for ours, theirs in GAMES.items() if replace(game, name=ours) == Game.bundled(ours)), None)
        if theirs.get_type().short_name != name or theirs.get_parameters() != _usual_parameters(name):
            expected = f"{name}()" if name else f"{UNIVERSAL} with the rules of {game.name}"
            raise UnknownSpotError(f"a state of {theirs}; expected one of {expected}")
        return False
    described = _universal(str(theirs), tuple(sorted(theirs.get_parameters().items())))
    if described == _scaled(game):
        return False
    if described == _scaled(
        replace(game, blinds=game.blinds[::-1], first_players=tuple(1 - seat for seat in game.first_players))
    ):
        return True
    raise UnknownSpotError(f"a state of {theirs}; expected the rules of {game.name}")


@lru_cache(8)
def _usual_parameters(name: str) -> dict[str, Any]:
    parameters: dict[str, Any] = _open_spiel("pyspiel").load_game(name).get_parameters()
    return parameters


@lru_cache(8)
def _universal(name: str, parameters: tuple[tuple[str, Any], ...]) -> Game:
    """The rules of a ``universal_poker``, with the smallest chips that they can be played with."""
    given = dict(parameters)
    if given["betting"] != "limit" or any(given[field] != value for field, value in _STARTS.items()):
        raise UnknownSpotError(f"a state of {name}; expected limit betting, from the first card on")
    if (abstraction := given.get("bettingAbstraction", _ABSTRACTION)) != _ABSTRACTION:
        why = _OTHERS.get(abstraction, "which is unknown")
        raise UnknownSpotError(
            f"a state of {UNIVERSAL} with bettingAbstraction={abstraction}, {why}; "
            f"expected bettingAbstraction={_ABSTRACTION}"
        )
    lines = [f"{field} = {given[field]}" for field in ("numPlayers", "numRounds", "stack", *_FIELDS)]
    try:
        return _scaled(Game.parse("\n".join(["GAMEDEF", "limit", *lines, "END GAMEDEF"])))
    except MalformedTextError as error:
        raise UnknownSpotError(f"a state of {name}: {error}") from None


def _scaled(game: Game) -> Game:
    """The same rules without a name and with the smallest chips."""
    unit = gcd(*game.blinds, *game.raise_sizes)
    return replace(
        game,
        name="",
        blinds=(game.blinds[0] // unit, game.blinds[1] // unit),
        raise_sizes=tuple(size // unit for size in game.raise_sizes),
    )


@lru_cache(8)
def _counterpart(game: Game) -> str:
    for name, theirs in GAMES.items():
        if replace(game, name=name) == Game.bundled(name):
            return theirs
    raise BadInputError(
        f"game {game.name} has no counterpart in OpenSpiel here; expected the rules of {' or '.join(GAMES)}"
    )


def _open_spiel(module: str) -> ModuleType:
    """One of OpenSpiel's modules, by name: type checking must not need an optional package."""
    try:
        return import_module(module)
    except ImportError:
        raise CfrError(f"OpenSpiel is not installed: {install_hint('openspiel')}") from None
