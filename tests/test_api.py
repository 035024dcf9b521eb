"""The public names."""

import ast
import doctest
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cfr
from cfr.system.errors import CfrError

EARLIER = {"UnknownSpotError": "BadInputError"}  # names that stay, and what they name now


def test_the_public_names_are_sorted_and_exist():
    assert sorted(cfr.__all__) == cfr.__all__
    for name in cfr.__all__:
        assert getattr(cfr, name).__name__ == EARLIER.get(name, name)
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


KUHN = cfr.Game.bundled("kuhn")


@pytest.fixture(scope="module")
def leduc(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "leduc.h5"
    cfr.solve(cfr.Settings(cfr.Game.bundled("leduc"), None, iterations=20, out=path))
    return path


def test_names_are_taken_everywhere(leduc):
    with cfr.Strategy.open(leduc) as strategy:
        for name in (leduc, str(leduc)):
            mbb = cfr.exploitability(strategy).exploitability_mbb
            assert cfr.exploitability(name).exploitability_mbb == mbb
            assert (cfr.best_response(name, 0) == cfr.best_response(strategy, 0)).all()
            assert cfr.value_against(name, strategy).mbb_per_game == pytest.approx(0, abs=1e-9)
            found, wanted = (cfr.expected_values(each, "Ks", "cc/") for each in (name, strategy))
            assert (found.ev[found.weight > 0] == wanted.ev[wanted.weight > 0]).all()
            assert strategy.range().frequencies.any()  # still open
            exploited = cfr.exploit_spot("Ks", "cc/", opponent=name, seat="bb", threads=1)
            assert exploited.probabilities("Kh", "Ks", "cc/")
            again = cfr.solve_spot("Ks", "cc/", game=strategy.game, strategy=name, iterations=5, threads=1)
            assert again.iterations == 5


@pytest.mark.parametrize(
    "ask",
    [
        cfr.exploitability,
        cfr.expected_values,
        lambda given: cfr.best_response(given, 0),
        lambda given: cfr.value_against(cfr.BuiltIn("uniform"), given),
        lambda given: cfr.exploit_spot("Td9d6h", "rc/", opponent=given),
    ],
)
def test_what_is_neither_a_strategy_nor_a_name_is_refused(ask):
    with pytest.raises(cfr.BadInputError, match=r"strategy: 7; expected a name, such as 'small', or cfr.open_named"):
        ask(7)


def test_seats_have_names_everywhere(leduc):
    game = cfr.Game.bundled("leduc")
    with cfr.Strategy.open(leduc) as strategy:
        position = strategy.at("Ks", "crc/")
        for number, names in enumerate(game.seat_names):
            short = "bb" if names == "big blind" else names
            for name in (names, short, np.int64(number)):
                assert (cfr.best_response(strategy, name) == cfr.best_response(strategy, number)).all()
                assert (position.reach(name) == position.reach(number)).all()
                assert (position.presumed(name) == position.presumed(number)).all()
                assert (position.expected(name) == position.expected(number)).all()
                assert position.range(name).seat == strategy.range("Ks", "crc/", name).seat == number
                assert cfr.expected_values(strategy, "Ks", "crc/", name).seat == number
                found = cfr.exploit_spot("Ks", "cc/", opponent=strategy, seat=name, threads=1)
                assert found.seat == game.seat_names[number]
    for wrong in ("dealer", 2, -1, 0.0, None, [], object()):
        for ask in (game.seat, position.reach, position.presumed, position.expected):
            with pytest.raises(cfr.BadInputError, match=r"^seat: .*; expected button or big blind, or 0 or 1$"):
                ask(wrong)


def test_a_solve_of_a_name_is_refused_in_one_line():
    with pytest.raises(cfr.BadInputError, match=r"^settings: 'leduc'; expected cfr.Settings, such as [^\n]*$"):
        cfr.solve("leduc")


@pytest.mark.parametrize("given", ["leduc", cfr.Settings(KUHN, None, iterations=1)])
def test_limits_beside_the_settings_are_refused_in_one_line(given):
    with pytest.raises(cfr.BadInputError, match=r"iterations=200; expected cfr.Settings, such as [^\n]*$"):
        cfr.solve(given, iterations=200)


def test_settings_take_the_name_of_a_game(tmp_path):
    named = cfr.Settings("kuhn", None, iterations=2, out=tmp_path / "kuhn.h5")
    assert named == cfr.Settings(KUHN, None, iterations=2, out=tmp_path / "kuhn.h5")
    assert cfr.solve(named).game == "kuhn"
    with pytest.raises(cfr.BadInputError, match=r"unknown game 'lduc'; bundled are kuhn, leduc"):
        cfr.Settings("lduc", None, iterations=2)


def test_strategies_and_positions_say_what_they_are(leduc):
    assert repr(cfr.BuiltIn("uniform", KUHN)) == "<BuiltIn uniform, game kuhn>"
    with cfr.Strategy.open(leduc) as strategy:
        assert repr(strategy).startswith(f"<Strategy {leduc}, game leduc, algorithm ")
        assert "iterations 20" in repr(strategy)
        assert repr(strategy.at("", "r")).startswith(f"<Position of {leduc}: button facing a bet")


def test_ranges_and_tables_say_in_a_line_what_they_are():
    uniform = cfr.BuiltIn("uniform", KUHN)
    spot = "big blind facing a bet preflop, pot 3 (3 bb)"
    found = cfr.expected_values(uniform, line="cr")
    mix = "hands of big blind, combos 1.5, fold 50.0 %, call 50.0 %"
    assert repr(uniform.range(line="cr")) == f"<SpotRange {spot}: {mix}>"
    assert repr(found) == f"<SpotValues {spot}: {mix}, EV {found.facts()['EV']}, equity {found.facts()['equity']}>"
    assert repr(found.table()) == "<HandTable of 3 rows, Qs, Ks, As; columns() and to_frame() give the numbers>"
    classes = cfr.BuiltIn("uniform").range().by_class()
    assert repr(classes) == "<HandTable of 169 rows, AA, AKs, AQs, ...; columns() and to_frame() give the numbers>"


def test_results_show_themselves_in_notebooks(tmp_path):
    solved = cfr.solve(cfr.Settings("kuhn", iterations=2, out=tmp_path / "kuhn.h5"))
    assert "exploitability" in solved._repr_html_()
    spot = cfr.solve_spot("Ks", "crc/", game="leduc", button="Kh,Qh", big_blind="Qs,Kh", iterations=1, threads=1)
    assert "exploitability" in spot._repr_html_()
    assert repr(spot.strategy).startswith("<SpotStrategy spot Ks crc/, game leduc, iterations 1, created ")
    assert repr(spot.at()).startswith("<Position of spot Ks crc/: big blind to act")
    spot.save(tmp_path / "spot.h5")
    with cfr.open_named(tmp_path / "spot.h5") as strategy:
        assert repr(strategy).startswith(
            f"<SpotStrategy {tmp_path / 'spot.h5'}, game leduc, spot Ks crc/, iterations 1"
        )


# Flags in a text that is no whole command, such as `cfr solve --resume FILE`.
FLAG = re.compile(r"--[a-z]")
COMMAND = re.compile(r"(?:cfr|pip) [a-z]+[^;:,]*? --[^;,]*")


def test_errors_of_python_name_no_flags():
    """The command line translates: `overwrite=True` in an error is `--overwrite` there (cfr/cli/flag_names.py)."""
    for path in Path(cfr.__file__).parent.rglob("*.py"):
        if path.parts[-2] in ("cli", "commands", "web", "formats") or path.name == "flag_names.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                texts = [
                    each.value
                    for each in ast.walk(node)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
                assert not FLAG.search(COMMAND.sub("", " ".join(texts))), f"{path}:{node.lineno}"


def test_import_costs_nothing():
    code = (
        "import sys, cfr, cfr.cli.main; cfr.cli.main._parser(); print('numpy' in sys.modules or 'h5py' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.thorough
def test_the_page_by_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(blocks, {}, "api.md", "docs/api.md", 0)
    assert len(test.examples) >= 20
    assert runner.run(test).failed == 0


def test_an_earlier_name_of_an_error_stays():
    assert cfr.UnknownSpotError is cfr.BadInputError
