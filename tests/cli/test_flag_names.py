"""Errors name arguments as Python does; the command line shows flags."""

import pytest

from cfr.cli.flag_names import as_flags
from cfr.cli.main import main


@pytest.mark.parametrize(
    "message",
    [
        "'overwrite=True'",
        "a/out=3.h5: not there",
        "out='x'",
        "hand 'line=r': no card",
        "bettingAbstraction=fcpa",
        "myout=3",
    ],
)
def test_what_people_typed_stays(message):
    assert as_flags(message) == message


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("say cluster=", "say --ray"),
        ("leave out one of imaginary=True, aivat=False", "leave out one of --imaginary, --no-aivat"),
        ("(line=), or both (button=, big_blind=)", "(--line), or both (--button, --bb)"),
        ("give one by big_blind=any, or", "give one by --bb any, or"),
    ],
)
def test_flags(message, shown):
    assert as_flags(message) == shown


def test_the_command_line_shows_flags(tmp_path, capsys):
    out = tmp_path / "k.h5"
    out.write_text("something")
    assert main(["solve", "kuhn", "--iterations", "5", "--out", str(out)]) == 1
    assert "say --overwrite to replace it, or --out for another file" in capsys.readouterr().err
