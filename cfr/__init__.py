"""Solve heads-up limit hold'em on your own machine, look at the solution, and play it.

>>> import cfr
>>> strategy = cfr.BuiltIn("always-call")
>>> strategy.probabilities("AsKh", board="Td9d6h", line="rc/cr")
{'fold': 0.0, 'call': 1.0, 'raise': 0.0}
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Threads of the kernel that wait for each other must not take a busy machine's cores from those that they wait for. So
# they sleep, but not at once: to wake a thread takes longer than most waits in a small spot. 2,000 turns of GCC's
# OpenMP are some 50 to 100 microseconds. OpenMP reads this once, when the first native module is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "2000")

if TYPE_CHECKING:
    from cfr.exploit.exploitability import best_response, exploitability
    from cfr.exploit.exploitability_result import Exploitability
    from cfr.exploit.head_to_head import ValueAgainst, value_against
    from cfr.formats.imported import import_strategy
    from cfr.game.cards import format_cards, parse_cards
    from cfr.game.ranges import Range
    from cfr.game.rules import Game
    from cfr.hands.equity import EquityResult, equity
    from cfr.play.match import match
    from cfr.play.match_result import MatchResult
    from cfr.resolving.named_strategy import open_named
    from cfr.solver.presets import preset
    from cfr.solver.settings import Settings
    from cfr.solver.solve import SolveResult, solve
    from cfr.solver.trunk.trunk import Trunk
    from cfr.strategy.built_in import BuiltIn
    from cfr.strategy.files.spot_file import SpotStrategy
    from cfr.strategy.files.stored import Strategy
    from cfr.strategy.position import Position
    from cfr.strategy.spot_range import SpotRange
    from cfr.study.spot import ExploitedSpot, SolvedSpot, exploit_spot, solve_spot
    from cfr.study.spot_values import expected_values
    from cfr.system.errors import (
        BadInputError,
        CfrError,
        DamagedFileError,
        IllegalActionError,
        Interrupted,
        MalformedTextError,
        SaveError,
        UnknownSpotError,
    )
    from cfr.values.expected_values import SpotValues

    __version__: str

# Imported when first asked for: `import cfr` costs nothing. No name is that of a module, which would hide it.
_HOMES = {
    "BadInputError": "system.errors",
    "BuiltIn": "strategy.built_in",
    "CfrError": "system.errors",
    "DamagedFileError": "system.errors",
    "Exploitability": "exploit.exploitability_result",
    "EquityResult": "hands.equity",
    "ExploitedSpot": "study.spot",
    "Game": "game.rules",
    "IllegalActionError": "system.errors",
    "Interrupted": "system.errors",
    "MalformedTextError": "system.errors",
    "MatchResult": "play.match_result",
    "Position": "strategy.position",
    "Range": "game.ranges",
    "SaveError": "system.errors",
    "Settings": "solver.settings",
    "SolveResult": "solver.solve",
    "SolvedSpot": "study.spot",
    "SpotRange": "strategy.spot_range",
    "SpotStrategy": "strategy.files.spot_file",
    "SpotValues": "values.expected_values",
    "Strategy": "strategy.files.stored",
    "Trunk": "solver.trunk.trunk",
    "UnknownSpotError": "system.errors",
    "ValueAgainst": "exploit.head_to_head",
    "best_response": "exploit.exploitability",
    "expected_values": "study.spot_values",
    "equity": "hands.equity",
    "exploit_spot": "study.spot",
    "exploitability": "exploit.exploitability",
    "format_cards": "game.cards",
    "import_strategy": "formats.imported",
    "match": "play.match",
    "open_named": "resolving.named_strategy",
    "parse_cards": "game.cards",
    "preset": "solver.presets",
    "solve": "solver.solve",
    "solve_spot": "study.spot",
    "value_against": "exploit.head_to_head",
}
# Modules that were documented under these names before they moved into rooms.
_MODULES = {
    "aggregates": "cfr.study.flop_statistics",
    "betting": "cfr.game.betting",
    "openspiel": "cfr.formats.openspiel",
}

__all__ = [
    "BadInputError",
    "BuiltIn",
    "CfrError",
    "DamagedFileError",
    "EquityResult",
    "Exploitability",
    "ExploitedSpot",
    "Game",
    "IllegalActionError",
    "Interrupted",
    "MalformedTextError",
    "MatchResult",
    "Position",
    "Range",
    "SaveError",
    "Settings",
    "SolveResult",
    "SolvedSpot",
    "SpotRange",
    "SpotStrategy",
    "SpotValues",
    "Strategy",
    "Trunk",
    "UnknownSpotError",
    "ValueAgainst",
    "best_response",
    "equity",
    "expected_values",
    "exploit_spot",
    "exploitability",
    "format_cards",
    "import_strategy",
    "match",
    "open_named",
    "parse_cards",
    "preset",
    "solve",
    "solve_spot",
    "value_against",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("cfr.system.version").VERSION
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'cfr' has no attribute {name!r}")
    value = getattr(import_module(f"cfr.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
