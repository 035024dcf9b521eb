"""The kernel's drawers: a header includes only headers of its own drawer or of those before, and never in a circle."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "ext" / "kernel"
DRAWERS = ["lanes", "layout", "state", "round"]
HEADERS = sorted(str(path.relative_to(KERNEL)) for path in KERNEL.rglob("*.h"))


def included(header: str) -> set[str]:
    return set(re.findall(r'^#include "(.+)"$', (KERNEL / header).read_text("utf-8"), re.MULTILINE))


def floor(header: str) -> int:
    """The place of a header's drawer; the whole kernel stands above the drawers."""
    return DRAWERS.index(header.split("/", maxsplit=1)[0]) if "/" in header else len(DRAWERS)


def test_every_header_lies_in_a_drawer():
    assert [header for header in HEADERS if "/" not in header] == ["kernel.h"]
    assert {header.split("/")[0] for header in HEADERS if "/" in header} == set(DRAWERS)


@pytest.mark.parametrize("header", HEADERS)
def test_includes_only_go_down(header):
    assert included(header) <= set(HEADERS)
    assert [other for other in included(header) if floor(other) > floor(header)] == []


def test_no_circle():
    order = list(TopologicalSorter({header: included(header) for header in HEADERS}).static_order())
    assert order[-1] == "kernel.h"


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_says_first_what_it_holds(header):
    source = (KERNEL / header).read_text("utf-8")
    opening = source[: source.index("*/")]
    assert source.startswith("/* ")
    assert opening.count("\n") >= 3, "what, why, and the shape of its arrays"
