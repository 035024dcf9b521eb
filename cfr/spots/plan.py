"""The plan of a spot's solve: its river rows, its number type and its memory, known before any allocation."""

from __future__ import annotations

from dataclasses import dataclass

from cfr.hands.river_rows import RiverRows
from cfr.spots.memory import SpotSize, spot_size
from cfr.spots.settings import SpotSettings
from cfr.system.memory import check_fits, free_bytes


@dataclass(frozen=True)
class SpotPlan:
    """How a spot is solved.

    Attributes:
        river_rows: what a row of the last round is when the solve begins.
        goes_on_by_hand: whether a solve that begins by strength goes on by hand where its target needs that.
        size: of the largest tables that the solve can come to.
        tables: the number type of the tables.
        memory_bytes: at the peak.
    """

    river_rows: RiverRows
    goes_on_by_hand: bool
    size: SpotSize
    tables: str
    memory_bytes: int


def plan_spot(settings: SpotSettings, free: int) -> SpotPlan:
    """Plan a solve, given the free memory; takes as long as :func:`cfr.spots.memory.spot_size`."""
    spot, threads, responds = settings.spot, settings.threads, bool(settings.locks)
    first, goes_on = settings.first_river_rows, settings.may_go_on_by_hand
    size = spot_size(spot, threads, "hands" if goes_on else first)
    tables = settings.table_type(size, free, first == "strength" and not goes_on)
    if tables == "int8" and goes_on:  # the kernel alone writes such tables: they cannot begin from others
        goes_on = False
        size = spot_size(spot, threads, first)
        tables = settings.table_type(size, free, stays_by_strength=True)
    memory = size.memory_bytes(tables, responds)
    if goes_on:  # for a moment both are there
        memory += spot_size(spot, threads, first).memory_bytes(tables)
    return SpotPlan(first, goes_on, size, tables, memory)


def plan_that_fits(settings: SpotSettings) -> SpotPlan:
    """The tables of a solve; raises CfrError for too little memory."""
    plan = plan_spot(settings, free_bytes())
    smallest = "bfloat16" if settings.locks else "int8, river_rows=strength"
    check_fits(plan.memory_bytes, str(settings.spot), f"use tables={smallest}, narrower ranges, or a later round")
    return plan
