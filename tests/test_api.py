"""The public names."""

import ast
import doctest
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import cfr
from cfr.system.errors import CfrError


def test_the_public_names_are_sorted_and_exist():
    assert sorted(cfr.__all__) == cfr.__all__
    for name in cfr.__all__:
        assert getattr(cfr, name).__name__ == name
    assert set(cfr.__all__) <= set(dir(cfr))
    assert cfr.__version__
    with pytest.raises(AttributeError, match="nothing"):
        _ = cfr.nothing


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(cfr.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = [alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(seen) == cfr.__all__


def test_no_public_name_is_hidden_by_a_module():
    modules = {module.name for module in pkgutil.iter_modules(cfr.__path__)}
    assert not modules & set(cfr.__all__)


def test_every_error_is_a_value_error_and_public():
    for name in cfr.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(cfr, name), ValueError)
            assert issubclass(getattr(cfr, name), CfrError)


@pytest.mark.parametrize(
    "ask",
    [
        cfr.exploitability,
        cfr.expected_values,
        lambda name: cfr.best_response(name, 0),
        lambda name: cfr.value_against(cfr.BuiltIn("uniform"), name),
        lambda name: cfr.exploit_spot("Td9d6h", "rc/", opponent=name),
    ],
)
def test_a_name_is_no_strategy(ask):
    with pytest.raises(cfr.UnknownSpotError, match=r"'small'; expected an open one, such as cfr.open_named\('small'\)"):
        ask("small")


def test_import_costs_nothing():
    code = (
        "import sys, cfr, cfr.cli.main; cfr.cli.main._parser(); print('numpy' in sys.modules or 'h5py' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_docstring():
    assert doctest.testmod(cfr).failed == 0
