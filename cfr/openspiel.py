"""OpenSpiel's side of a small game: a strategy as its policy, so that its algorithms measure what was solved here.

OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453) has Kuhn poker and Leduc hold'em of its own. Their rules are the
bundled games': player 0 opens every round, chips are antes. Cards are counted from the lowest, the suits of a rank
together, as in :attr:`cfr.game.Game.deck`; a state lists its legal actions from fold to raise, as
:attr:`cfr.betting.State.legal` does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from cfr.betting import ACTIONS, BettingTree, State
from cfr.errors import CfrError, UnknownSpotError
from cfr.game import Game
from cfr.strategy import AnyStrategy

GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


class Spot(NamedTuple):
    """What the seat to act knows: its hand and the board as card codes, and the betting."""

    hand: tuple[int, ...]
    board: tuple[int, ...]
    state: State


def load_game(game: Game) -> Any:
    """The game as a ``pyspiel.Game``, by its rules, whatever its name.

    Raises:
        UnknownSpotError: OpenSpiel has no such game.
        CfrError: OpenSpiel is not installed.
    """
    return _open_spiel("pyspiel").load_game(_counterpart(game))


def spot(betting: BettingTree, state: Any) -> Spot:
    """What a ``pyspiel.State`` shows the player to act.

    Args:
        betting: of the game that :func:`load_game` loaded.
        state: one of that game's, with a player to act.

    Raises:
        UnknownSpotError: nobody is to act, or the state is another game's.
    """
    game = betting.game
    if str(state.get_game()) != f"{_counterpart(game)}()":
        raise UnknownSpotError(f"a state of {state.get_game()}; expected one of {_counterpart(game)}()")
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
            walked = walked.act(walked.legal[replayed.legal_actions().index(action)])
        replayed.apply_action(action)
    hole = game.num_hole_cards
    hands = dealt[:hole], dealt[hole : 2 * hole]
    return Spot(tuple(hands[walked.actor]), tuple(dealt[2 * hole :]), walked)


def tabular_policy(strategy: AnyStrategy) -> Any:
    """A strategy as an ``open_spiel.python.policy.TabularPolicy``.

    Its ``action_probability_array``, ``(information states, actions)`` float64, is ``(12, 2)`` for Kuhn poker and
    ``(936, 3)`` for Leduc hold'em, whose suits OpenSpiel tells apart; its ``game`` is the ``pyspiel.Game``.

    Args:
        strategy: a file's (:class:`cfr.strategy.Strategy`), a built-in, or any object with the same answers.

    Raises:
        UnknownSpotError: OpenSpiel has no such game.
        CfrError: OpenSpiel is not installed.
    """
    game = load_game(strategy.game)
    policy = _open_spiel("open_spiel.python.policy").TabularPolicy(game)
    for row, state in zip(policy.action_probability_array, policy.states, strict=True):
        hand, board, walked = spot(strategy.betting, state)
        played = strategy.distribution(walked, hand, board)
        row[state.legal_actions()] = [played[ACTIONS.index(letter)] for letter in walked.legal]
    return policy


@lru_cache(8)
def _counterpart(game: Game) -> str:
    for name, theirs in GAMES.items():
        if replace(game, name=name) == Game.bundled(name):
            return theirs
    raise UnknownSpotError(
        f"game {game.name} has no counterpart in OpenSpiel here; expected the rules of {' or '.join(GAMES)}"
    )


def _open_spiel(module: str) -> ModuleType:
    """One of OpenSpiel's modules, by name: type checking must not need an optional package."""
    try:
        return import_module(module)
    except ImportError:
        raise CfrError("OpenSpiel is not installed: pip install 'cfr[openspiel]'") from None
