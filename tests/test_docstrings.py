"""The examples of docstrings, which ``help()`` and the documentation show, print what they say."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import cfr
from tests.thorough import with_thorough

PACKAGE = Path(cfr.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


def failed(module) -> int:
    """How many examples of a module print something else."""
    return doctest.testmod(module, extraglobs={"np": np, "BuiltIn": cfr.BuiltIn}).failed


def test_examples_are_found():
    assert {"cfr", "cfr.strategy.position", "cfr.cli.flag_names"} <= set(MODULES)


def test_a_wrong_example_is_seen(monkeypatch, capsys):
    monkeypatch.setattr(cfr, "__doc__", ">>> 1 + 1\n3\n")
    assert failed(cfr) == 1
    assert "Got:\n    2\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", with_thorough(["cfr.study.flop_statistics"], MODULES))
def test_examples(name):
    assert failed(importlib.import_module(name)) == 0
