"""The server of ``cfr mcp``, asked through the SDK's own client: the dialogue of docs/agents.md, schemas, mistakes."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

mcp = pytest.importorskip("mcp")

from cfr.cli.agent_server import make_server  # noqa: E402
from cfr.cli.main import main  # noqa: E402

PAGE = (Path(__file__).parents[3] / "docs" / "agents.md").read_text("utf-8").partition("## A dialogue")[2]
DIALOGUE = re.findall(r"```json\n(\{.*?\})\n```\n\n```(json|text)\n(.*?)\n```", PAGE)
TOOLS = {"query", "chart", "spot", "equity", "review", "exploitability"}


def asked(*calls):
    """The results of calls of tools, one after another."""

    async def ask():
        async with mcp.Client(make_server()) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(ask())


def close_to(wanted):
    """The same keys and words; numbers to six digits, as processors differ."""
    if isinstance(wanted, dict):
        return {key: close_to(value) for key, value in wanted.items()}
    if isinstance(wanted, list):
        return [close_to(value) for value in wanted]
    return pytest.approx(wanted, rel=1e-6) if isinstance(wanted, float) else wanted


@pytest.mark.thorough
def test_the_dialogue_of_the_page():
    calls = [json.loads(call) for call, _, _ in DIALOGUE]
    assert len(calls) >= 6
    results = asked(*((call["tool"], call["arguments"]) for call in calls))
    for (_, kind, wanted), result in zip(DIALOGUE, results, strict=True):
        assert result.is_error == (kind == "text")
        if kind == "text":
            assert result.content[0].text == wanted
        else:
            assert result.structured_content == close_to(json.loads(wanted))


def test_tools_have_schemas_and_only_read():
    async def listed():
        async with mcp.Client(make_server()) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(listed())
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["properties"]
        assert tool.description
    [query] = [tool for tool in tools if tool.name == "query"]
    assert query.input_schema["required"] == ["hand"]


def test_answers_are_those_of_the_command_line(capsys):
    [query, chart] = asked(("query", {"hand": "AKs", "line": "r", "strategy": "call-raise"}), ("chart", {"line": "r"}))
    assert main(["query", "call-raise", "--hand", "AKs", "--line", "r", "--json"]) == 0
    assert query.structured_content == json.loads(capsys.readouterr().out)
    assert main(["chart", "--line", "r", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    left_out = ("ev_mbb", "equity")
    wanted = [{name: value for name, value in row.items() if name not in left_out} for row in rows]
    assert chart.structured_content["rows"] == wanted


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("query", {"hand": "AsKh", "line": "rc"}, "after line 'rc' there are 3; add 3 to the board"),
        ("query", {"hand": "AsKh", "strategy": "no.h5"}, "no.h5: No such file or directory"),
        ("review", {"text": "hello"}, "hand.txt: "),
        ("spot", {"board": "Td9d6h"}, "say how the hand came here"),
        ("exploitability", {"strategy": "uniform"}, "its exploitability was not measured; say flops"),
    ],
)
def test_mistakes_are_one_line(tool, arguments, said):
    [result] = asked((tool, arguments))
    assert result.is_error
    [told] = result.content
    assert said in told.text
    assert "\n" not in told.text


def test_a_spot_is_solved():
    ranges = {"button": "QQ+,AK", "big_blind": "22-JJ,AQs"}
    [result] = asked(("spot", {"board": "Td9d6hQc2s", "line": "rc/crc/cc/", **ranges}))
    found = result.structured_content
    assert found["exploitability_percent_of_pot"] <= 0.1
    assert found["call"] + found["raise"] == pytest.approx(1)


def test_without_the_library_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert main(["mcp"]) == 2
    assert "mcp: the library is not installed; pip install -e '.[mcp]'" in capsys.readouterr().err
