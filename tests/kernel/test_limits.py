"""The kernel stays readable: no function is longer than a screen or takes more than eight parameters."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cfr

ROOT = Path(cfr.__file__).parents[1]
MOST_LINES, MOST_PARAMETERS = 70, 8
C_FUNCTION = re.compile(
    r"^(?:[A-Za-z_]\w*(?:\(\(\w+\)\))?[ *]+)+(?P<name>\w+)\((?P<parameters>(?:[^(){};]|\([^()]*\))*)\)\s*\{",
    re.MULTILINE,
)
CYTHON_FUNCTION = re.compile(
    r"^(?P<indent> *)(?:cdef|cpdef|def) [^=\n(]*\((?P<parameters>(?:[^()]|\([^()]*\))*)\)[^()=\n]*:\s*\n", re.MULTILINE
)

Function = tuple[str, int, int]  # name and line, lines, parameters


def count(parameters: str) -> int:
    """Parameters between two parentheses; commas in brackets and inner parentheses part none."""
    while parameters != (parameters := re.sub(r"\[[^][]*\]|\([^()]*\)", "_", parameters)):
        pass
    return len([each for each in parameters.split(",") if each.strip() not in ("", "self", "void", "*")])


def end_of_braces(source: str, start: int) -> int:
    """Where the braces end that open at ``start``."""
    depth = 0
    for brace in re.compile("[{}]").finditer(source, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.end()
    raise ValueError("braces do not match")


def c_functions(source: str) -> Iterator[Function]:
    for found in C_FUNCTION.finditer(source):
        body = source[found.start() : end_of_braces(source, found.end() - 1)]
        yield found["name"], body.count("\n") + 1, count(found["parameters"])


def cython_functions(source: str) -> Iterator[Function]:
    for found in CYTHON_FUNCTION.finditer(source):
        outside = re.compile(rf"^ {{0,{len(found['indent'])}}}\S", re.MULTILINE).search(source, found.end())
        body = source[found.start() : outside.start() if outside else len(source)].rstrip()
        yield found.group().split("(")[0].split()[-1].lstrip("*"), body.count("\n") + 1, count(found["parameters"])


def python_functions(source: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            named = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            bound = bool(named) and named[0].arg in ("self", "cls")
            yield node.name, (node.end_lineno or 0) - node.lineno + 1, len(named) - bound


READERS = {".h": c_functions, ".pyx": cython_functions, ".py": python_functions}
FILES = sorted(
    path for folder in ("ext/kernel", "cfr/kernel") for path in (ROOT / folder).rglob("*") if path.suffix in READERS
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_functions_fit_a_screen(path):
    found = list(READERS[path.suffix](path.read_text("utf-8")))
    assert [each for each in found if each[1] > MOST_LINES or each[2] > MOST_PARAMETERS] == []


def test_functions_are_found():
    found = {path.name: {each[0] for each in READERS[path.suffix](path.read_text("utf-8"))} for path in FILES}
    assert {"__cinit__", "prepare", "run", "run_batch", "data_of"} <= found["traverse.pyx"]
    assert {"prepare", "run"} <= found["traversal.py"]
    assert {"climb_showdowns", "sort_by_strength", "find_showdowns"} <= set().union(*found.values())


@pytest.mark.parametrize(
    ("suffix", "source", "expected"),
    [
        (".h", "static void far(\n    const int *a, int b[4], void (*c)(int, int)) {\n    a();\n}\n", ("far", 4, 3)),
        (".pyx", "cdef int near(int[:, ::1] a,\n              int b) nogil:\n    return 1\n\nx = 1\n", ("near", 3, 2)),
        (".pyx", "def late(self, int a=1, object b=(2, 3)):\n    return a\n", ("late", 2, 2)),
        (".py", "class A:\n    def b(self, c, *, d=1):\n        return c\n", ("b", 2, 2)),
    ],
)
def test_lines_and_parameters_are_counted(suffix, source, expected):
    assert list(READERS[suffix](source)) == [expected]
