"""The server of ``cfr mcp``: each tool reads, computes on this machine and answers with the keys of ``--json``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, Literal

from cfr.system.errors import CfrError
from cfr.system.extras import install_hint
from cfr.system.version import VERSION

Answer = dict[str, Any]
_EXACT_HANDS = 100  # a game with fewer is measured in seconds
_INSTRUCTIONS = """Questions about heads-up limit hold'em, answered from solved strategies on this machine.

A card is a rank, 23456789TJQKA, and a suit, cdhs. A betting line has a letter for each action: f folds, c checks or
calls, r bets or raises, and / ends a round: "rc/cr" is a raise and a call before the flop, then a check and a bet. The
button acts first before the flop, the big blind first later. Values are in mbb, thousandths of a big blind."""


def make_server() -> Any:
    """The server, an ``mcp.server.mcpserver.MCPServer``; raises CfrError where the library is missing."""
    try:
        server, types = import_module("mcp.server.mcpserver"), import_module("mcp.types")
    except ImportError:
        raise CfrError(f"mcp: the library is not installed; {install_hint('mcp')}") from None
    made = server.MCPServer("cfr", version=VERSION, instructions=_INSTRUCTIONS, log_level="ERROR")
    failed = import_module("mcp.server.mcpserver.exceptions").ToolError
    for tool in (query, chart, spot, equity, review, exploitability):
        hints = types.ToolAnnotations(
            title=f"cfr {tool.__name__}", read_only_hint=True, destructive_hint=False, open_world_hint=False
        )
        made.tool(annotations=hints, description=inspect.getdoc(tool))(_told(tool, failed))
    return made


def _told(tool: Callable[..., Answer], failed: type[Exception]) -> Callable[..., Answer]:
    """The tool, whose mistakes are the one line of the command line, and whose unknown numbers are null."""

    @wraps(tool)
    def answered(**arguments: Any) -> Answer:
        try:
            found: Answer = _plain(tool(**arguments))
        except OSError as error:
            raise failed(f"{error.filename or tool.__name__}: {error.strerror or error}") from None
        except MemoryError:
            raise failed("not enough memory") from None
        except CfrError as error:
            raise failed(" ".join(str(error).split())) from None
        return found

    return answered


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def query(hand: str, board: str = "", line: str = "", strategy: str = "small", ev: bool = False) -> Answer:
    """What a strategy does with one hand: probabilities of fold, call (or check) and raise (or bet).

    Args:
        hand: hole cards such as AsKh, or a class such as AKs.
        board: cards dealt so far, such as Td9d6h.
        line: the betting so far, such as rc/cr.
        strategy: small, the supplied strategy; a strategy file; or a rule such as always-call.
        ev: add expected values in mbb and equity; a flop takes seconds.
    """
    from cfr.cli.commands.query import answer
    from cfr.resolving.named_strategy import open_named

    with open_named(strategy) as found:
        return answer(found, hand, board, line, ev=ev)[0]


def chart(board: str = "", line: str = "", strategy: str = "small") -> Answer:
    """What a strategy does with each class of hands, such as AKs, at a spot.

    Args:
        board, line, strategy: as for query.
    """
    from cfr.game.hand_classes import has_classes
    from cfr.resolving.named_strategy import open_named
    from cfr.strategy.hand_table import rows_of

    with open_named(strategy) as found:
        hands = found.range(board, line)
        table = hands.by_class() if has_classes(found.game) else hands.table()
        left_out = ("ev_mbb", "equity")
        columns = {name: values for name, values in table.columns().items() if name not in left_out}
        return {"spot": hands.spot, "rows": rows_of(columns)}


def spot(
    board: str,
    line: str | None = None,
    button: str | None = None,
    big_blind: str | None = None,
    pot: int | None = None,
    strategy: str | None = "small",
    minutes: float = 1.0,
) -> Answer:
    """Solve a river, turn or flop exactly, without buckets: exploitability, values, and the mix of the first decision.

    Args:
        board: its cards, such as Td9d6hQc2s.
        line: the betting that led there, such as rc/crc/cc/; or say the pot and both ranges.
        button, big_blind: ranges such as QQ+,AKs; default, those of the strategy.
        pot: chips, instead of a line; the big blind is 10.
        strategy: gives the ranges that are not given.
        minutes: at most so many.
    """
    from cfr.study.spot import solve_spot

    whole = button is not None and big_blind is not None
    found = solve_spot(
        board,
        line,
        strategy=None if whole else strategy,
        button=button,
        big_blind=big_blind,
        pot=pot,
        target=0.1,
        minutes=minutes,
    )
    names = (
        *("iterations", "exploitability_percent_of_pot", "exploitability_mbb"),
        *("value_button_mbb", "value_big_blind_mbb"),
    )
    return {name: getattr(found, name) for name in names} | found.strategy.first_frequencies


def equity(first: str, second: str, board: str = "") -> Answer:
    """Exact all-in equity of a hand or range against another: shares of wins, losses and ties.

    Args:
        first, second: hands such as AhKh, or ranges such as QQ+,AKs.
        board: cards dealt so far.
    """
    from dataclasses import asdict

    from cfr.game.ranges import Range
    from cfr.hands.equity import equity as of_weights

    return asdict(of_weights(Range.parse(first).weights, Range.parse(second).weights, board))


def review(
    text: str,
    player: str | None = None,
    strategy: str = "small",
    form: Literal["txt", "log", "phh"] = "txt",
) -> Answer:
    """What each decision of played hands lost against a strategy, in mbb.

    Args:
        text: one hand or more as a card room, the ACPC (a STATE: line) or PHH writes them.
        player: whose decisions; default, everybody's whose cards are in the text.
        strategy: as for query.
        form: txt of a card room, log of the ACPC, or phh.
    """
    from cfr.formats.logs import read_text
    from cfr.formats.skipped import Omissions
    from cfr.resolving.named_strategy import open_whole
    from cfr.study.reviews.losses import with_losses
    from cfr.study.reviews.reviewed import Reviewed

    name, omissions = f"hand.{form}", Omissions()
    with open_whole(strategy) as found:
        hands = read_text(text, name, found.betting, omissions)
        reviewed = Reviewed.of(hands, found, player, name, omissions)
        return reviewed.summed_up(with_losses(reviewed.decisions, found)).to_dict()


def exploitability(strategy: str = "small", flops: int | None = None) -> Answer:
    """How much an opponent who knows the strategy wins from it by a best response, in mbb a game.

    Args:
        strategy: as for query.
        flops: measure now, on a sample of so many flops, some seconds each; default, what the file says was measured.
    """
    from cfr.exploit.exploitability import exploitability as measure
    from cfr.resolving.named_strategy import open_named
    from cfr.strategy.files.measured import exploitability_of_file
    from cfr.system.cores import usable_cores
    from cfr.system.errors import BadInputError

    with open_named(strategy) as found:
        kept = getattr(found, "attributes", {})
        if flops is None and (loses := exploitability_of_file(kept)) is not None:
            how = kept.get("exploitability_method", "measured while it was solved")
            return {"exploitability_mbb": loses, "game": found.game.name, "how": how}
        if flops is None and found.game.num_hands > _EXACT_HANDS:
            raise BadInputError(f"{strategy}: its exploitability was not measured; say flops, such as 20")
        measured = measure(found, flops, threads=usable_cores())
        mbb, error = measured.exploitability_mbb, measured.standard_error_mbb
        how = "exact" if measured.exact else f"{measured.flops} flops"
        return {"exploitability_mbb": mbb, "standard_error_mbb": error, "game": measured.game, "how": how}
