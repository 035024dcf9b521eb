"""``--json``: each command prints the keys that docs/json.md lists, and no others."""

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = dict(
    re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", (DOCS / "json.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
)
SPOT = ("--board", "Ks", "--line", "cc/")
ACTIONS = {"fold", "call", "raise"}


def tables(section):
    """The keys of each table of a section, in order."""
    found = re.findall(r"\| key \| \|\n\|---\|---\|\n((?:\|.*\n?)+)", SECTIONS[section])
    return [{key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])} for table in found]


def keys(run, *arguments):
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    result = json.loads(out, parse_constant=pytest.fail)  # neither NaN nor Infinity is JSON
    assert out.count("\n") == 1
    return set().union(*result) if isinstance(result, list) else set(result)


def test_query_and_export(run, leduc):
    [query] = tables("cfr query")
    spot = (leduc, "--line", "rr")
    assert keys(run, "query", *spot, "--hand", "Ks", "--ev") | ACTIONS | {"ev_raise_mbb"} == query
    plain = {key for key in query if not key.startswith("ev")} - {"equity", "stand_in"}
    assert keys(run, "query", leduc, "--line", "r", "--hand", "Ks") == plain
    export, whole = tables("cfr export")
    assert keys(run, "export", *spot, "--action-ev") == export
    assert keys(run, "export", leduc, "--all") == whole
    assert keys(run, "export", *spot, "--no-ev") == {
        key for key in export if not (key.startswith("ev_") and key != "ev_mbb")
    }


def test_chart(run, leduc):
    export, _ = tables("cfr export")
    of_actions = {f"ev_{name}_mbb" for name in ("fold", "call", "raise")}
    assert keys(run, "chart", leduc, "--line", "rr") == export - of_actions
    assert keys(run, "chart", leduc, "--line", "rr", "--ev") == export
    rows = json.loads(run("chart", "--json")[1])
    assert len(rows) == 169
    assert (rows[0]["hand"], rows[0]["combos"]) == ("AA", 6)
    assert run("chart", "--json", "--out", "x.svg")[0] == 2


@pytest.mark.thorough
def test_flops(run):
    [flops] = tables("cfr flops")
    kinds = {"paired", "suits", "straights", "high", "flop"}
    asked = ("flops", "uniform", "--line", "rrrc/", "--high", "5", "--suits", "monotone")
    assert keys(run, *asked) == flops - kinds
    for kind in kinds:
        assert keys(run, *asked, "--by", kind) == flops - kinds | {kind}
    assert keys(run, "flops", "uniform", "--preflop") == flops - kinds - {"flops", "share"}


def test_measurements(run, leduc):
    exploit, resolved, mixed = tables("cfr exploit")
    assert keys(run, "exploit", leduc, "--report") == exploit
    assert keys(run, "exploit", leduc) == exploit - {"report"}
    said = keys(run, "exploit", leduc, "--resolve", "flop", "--iterations", "10", "--report")
    assert said == (exploit | resolved) - {"refined_flops", "samples"}
    assert keys(run, "exploit", f"mix:{leduc}@0.5,uniform") == mixed
    [versus] = tables("cfr versus")
    assert keys(run, "versus", leduc, "uniform") == versus
    [match] = tables("cfr match")
    assert keys(run, "match", leduc, "uniform", "--hands", "10") == match
    [equity] = tables("cfr equity")
    assert keys(run, "equity", "AhKd", "QsQc", "--board", "2c3d4h5s") == equity


def test_learn(run, leduc, tmp_path):
    learn, response, opponent = tables("cfr learn")
    bot = tmp_path / "bot.json"
    assert keys(run, "learn", bot, leduc, "uniform@2000") == learn
    assert run("match", f"learn:{bot}@ann", "uniform", "--hands", 10)[0] == 0
    found = json.loads(run("learn", bot, "--json")[1])
    assert set(found["responses"][0]) == response
    assert set(found["opponents"][0]) == opponent


def test_model(run, leduc, tmp_path):
    log = tmp_path / "x.log"
    line = "STATE:{}:{}:Ks|Qs:-1|1:ann|bob\n"
    log.write_text("".join(line.format(n, "crf") for n in range(60)))
    model, leak = tables("cfr model")
    code, out, err = run("model", log, "--player", "ann", "--strategy", leduc, "--out", tmp_path / "m.h5", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert set(found) == model
    assert {key for each in found["leaks"] for key in each} == leak
    counter, point, mix = tables("cfr counter")
    code, out, err = run("counter", tmp_path / "m.h5", "--iterations", "5", "--confidence", "0.9", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (set(found), set(found["chosen"]), set(found["mix"])) == (counter, point, mix)
    assert [set(each) for each in found["points"]] == [point, point]


def test_solves(run, leduc, tmp_path):
    solve, forecast = tables("cfr solve")
    out = ("--out", tmp_path / "x.h5", "--overwrite")
    assert keys(run, "solve", "leduc", "--iterations", "5", *out) == solve
    assert keys(run, "solve", "leduc", "--dry-run") == forecast
    spot, exploit, of_spot = tables("cfr spot")
    asked = ("spot", "leduc", *SPOT, "--iterations", "5")
    assert keys(run, *asked, "--strategy", leduc, *out) | ACTIONS == spot
    assert keys(run, *asked, *out) | ACTIONS == spot - {"blueprint_exploitability_percent_of_pot"}
    assert keys(run, "spot", *SPOT, "--exploit", leduc, *out) | ACTIONS == exploit
    assert keys(run, *asked, "--dry-run") == of_spot


def test_import(run, leduc, tmp_path):
    [imported] = tables("cfr import")
    assert run("export", leduc, "--all", "--out", tmp_path / "x.csv")[0] == 0
    assert keys(run, "import", tmp_path / "x.csv", "--game", "leduc", "--out", tmp_path / "x.h5") == imported


def test_games_and_info(run, leduc):
    [games] = tables("cfr games")
    assert keys(run, "games") == games
    attributes = set(re.findall(r"`(\w+)`", (DOCS / "file-format.md").read_text("utf-8")))
    said = keys(run, "info", leduc, "--verify")
    assert said - attributes == {"file", "rows", "bytes", "verified"}


def test_review(run, leduc, tmp_path):
    log = tmp_path / "x.log"
    assert run("match", leduc, "uniform", "--hands", "10", "--seed", "3", "--log", log)[0] == 0
    code, out, err = run("review", log, "--strategy", leduc, "--json")
    assert code == 0, err
    assert list(json.loads(out)) == ["hands", "players", "decisions", "skipped"]


def test_every_command_with_json_has_a_section(run):
    commands = re.findall(r"^    (\w+) ", run("--help")[1].partition("commands:")[2], re.MULTILINE)
    with_json = {name for name in commands if "--json" in run(name, "--help")[1]}
    assert {section.removeprefix("cfr ") for section in SECTIONS if section.startswith("cfr ")} == with_json - {"acpc"}
