"""Imports only go down, within a layer never in a circle, and native modules import nothing of cfr."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import cfr

ROOT = Path(cfr.__file__).parent
LAYERS = {
    0: "cards ranges game betting evaluate games "  # rules
    "errors closing interrupts memory version cache",  # what knows no poker
    1: "hands boards equity margins counts "  # cards
    "features clustering buckets centroids rounds abstraction",  # and buckets of hands
    2: "tree deals traversal sides",  # the public tree
    3: "rounding store handtable strategy",  # the file and its queries; below solving, which writes one
    4: "response reference checkpoint forecast schedules settings sampling run goal trial solver "  # solving
    "flops plans opening pruned records boardwise exploit versus report subgame ev",  # measuring
    5: "players match contest play history "  # hands
    "acpc_text phh pokerstars logs decision losses review "  # and their logs
    "acpc_wire acpc_dealer "  # programs at a table
    "aivat lines pairs observations "  # their luck
    "chart openspiel aggregates",  # pictures and other programs
    6: "acpc cli cli_bots cli_exploit cli_solve cli_study flags serve web "  # edge
    "__main__ __init__",  # the package itself re-exports, on first use
}
LEVEL = {name: level for level, names in LAYERS.items() for name in names.split()}
MODULES = {path.stem: path for path in ROOT.glob("*.py")} | {
    path.parent.name: path for path in ROOT.glob("*/__init__.py")
}
NATIVE = sorted((ROOT.parent / "ext").glob("*.py[xd]"))


def imported(source: str) -> set[str]:
    """Modules of cfr that a module of the package imports, at its top or inside a function; "" is cfr itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, ["cfr" if node.level else "", node.module]))
            names = [f"cfr.{alias.name}" for alias in node.names] if base == "cfr" else [base]
        else:
            continue
        found |= {name.partition(".")[2].partition(".")[0] for name in names if name.partition(".")[0] == "cfr"}
    return found


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import cfr.game", {"game"}),
        ("import cfr", {""}),
        ("from cfr.game import Game", {"game"}),
        ("from cfr import game, _cpu", {"game", "_cpu"}),
        ("from . import game", {"game"}),
        ("from .game import Game", {"game"}),
        ("def f():\n    from cfr.game import Game", {"game"}),
        ("import cfrx.game, numpy", set()),
    ],
)
def test_imports_are_read(source, modules):
    assert imported(source) == modules


def test_every_module_has_a_layer():
    assert set(MODULES) == set(LEVEL)


def test_the_map_of_the_code_has_every_module_in_its_layer():
    text = (ROOT.parent / "docs" / "code.md").read_text("utf-8")
    layers = re.split(r"^\*\*.*\*\*", text.partition("## Layers")[2].partition("## `ext/`")[0], flags=re.MULTILINE)[1:]
    first_columns = ["".join(re.findall(r"^\|([^|]*)\|", layer, re.MULTILINE)) for layer in layers]
    assert [set(re.findall(r"`(\w+)`", column)) for column in first_columns] == [
        set(names.split()) for names in LAYERS.values()
    ]


def test_imports_only_go_down():
    graph = {}
    for module, path in MODULES.items():
        names = {name for name in imported(path.read_text("utf-8")) if not name.startswith("_")}
        assert names <= set(MODULES), f"{module} imports {names - set(MODULES)}; import from the module that defines it"
        above = sorted(name for name in names if LEVEL[name] > LEVEL[module])
        assert not above, f"{module} imports {', '.join(above)} from above"
        graph[module] = names
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError on a circle


def test_native_modules_import_nothing_of_cfr():
    assert NATIVE
    for path in NATIVE:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            found = re.match(r"\s*(from|c?import|include)\b.*", line)
            assert not (found and re.search(r"\bcfr\b|from \.", line)), f"{path.name}:{number}: {line.strip()}"
            assert not re.match(r"\s*(from|cimport)\s.*\bnumpy\b", line), f"{path.name}:{number}: NumPy's C interface"


def test_import_is_light():
    """`import cfr` and a query leave the heavy libraries alone."""
    program = "import sys, cfr; assert 'numpy' not in sys.modules; cfr.BuiltIn('uniform').probabilities('AsKh')"
    program += "; assert not {'sklearn', 'scipy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
