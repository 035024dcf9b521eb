"""Solve heads-up limit hold'em on your own machine, look at the solution, and play it.

>>> import cfr
>>> strategy = cfr.BuiltIn("always-call")
>>> strategy.probabilities("AsKh", board="Td9d6h", line="rc/cr")
{'fold': 0.0, 'call': 1.0, 'raise': 0.0}
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cfr.cards import format_cards, parse_cards
    from cfr.errors import (
        CfrError,
        DamagedFileError,
        IllegalActionError,
        Interrupted,
        MalformedTextError,
        UnknownSpotError,
    )
    from cfr.ev import SpotValues, expected_values
    from cfr.exploit import Exploitability, best_response, exploitability
    from cfr.game import Game
    from cfr.ranges import Range
    from cfr.settings import Settings
    from cfr.solver import SolveResult, solve
    from cfr.store import SaveError
    from cfr.strategy import BuiltIn, SpotRange, Strategy
    from cfr.versus import ValueAgainst, value_against

    __version__: str

# Imported when first asked for: `import cfr` costs nothing. No name is that of a module, which would hide it.
_HOMES = {
    "BuiltIn": "strategy",
    "CfrError": "errors",
    "DamagedFileError": "errors",
    "Exploitability": "exploit",
    "Game": "game",
    "IllegalActionError": "errors",
    "Interrupted": "errors",
    "MalformedTextError": "errors",
    "Range": "ranges",
    "SaveError": "store",
    "Settings": "settings",
    "SolveResult": "solver",
    "SpotRange": "strategy",
    "SpotValues": "ev",
    "Strategy": "strategy",
    "UnknownSpotError": "errors",
    "ValueAgainst": "versus",
    "best_response": "exploit",
    "expected_values": "ev",
    "exploitability": "exploit",
    "format_cards": "cards",
    "parse_cards": "cards",
    "solve": "solver",
    "value_against": "versus",
}

__all__ = [
    "BuiltIn",
    "CfrError",
    "DamagedFileError",
    "Exploitability",
    "Game",
    "IllegalActionError",
    "Interrupted",
    "MalformedTextError",
    "Range",
    "SaveError",
    "Settings",
    "SolveResult",
    "SpotRange",
    "SpotValues",
    "Strategy",
    "UnknownSpotError",
    "ValueAgainst",
    "best_response",
    "expected_values",
    "exploitability",
    "format_cards",
    "parse_cards",
    "solve",
    "value_against",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("cfr.version").VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'cfr' has no attribute {name!r}")
    value = getattr(import_module(f"cfr.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
