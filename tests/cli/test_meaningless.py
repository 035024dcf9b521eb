"""Flags that say nothing where they stand are refused in one line, and nothing is written."""

import pytest

RIVER = ("--board", "Td9d6hQc2s")
POT = ("spot", *RIVER, "--pot", "80", "--iterations", "1")
EXPORT = ("train", "--export", "x.csv")
DEPENDS = "a strategy's ranges depend on the line; say the line (--line), or both ranges (--button, --bb)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*EXPORT, "--spots", "3", "--round", "turn", "--seed", "4"), "leave out --round, --spots, --seed"),
        ((*EXPORT, "--mode", "hands"), "leave out --mode"),
        ((*EXPORT, "--seat", "bb", "--flop", "paired"), "leave out --seat, --flop"),
        ((*EXPORT, "--line", "r", "--decision", "fold-call"), "leave out --line, --decision"),
        ((*EXPORT, "--seed", "0"), "leave out --seed"),
        (
            ("export", "uniform", "--all", "--line", "r", "--classes"),
            "without expected values; leave out --line, --classes",
        ),
        (("spot", *RIVER, "--line", "rc/rc/rc/", "--without-rivers"), "this spot has no other; leave the flag out"),
        (("spot", *RIVER, "--line", "rc/rc/rc/", "--without-rivers", "--dry-run"), "this spot has no other"),
        (("spot", "leduc", "--board", "Ks", "--line", "rc/", "--without-rivers"), "this spot has no other"),
        ((*POT, "--strategy", "small"), DEPENDS),
        ((*POT, "--strategy", "uniform", "--button", "any"), DEPENDS),
        ((*POT, "--strategy", "uniform", "--bb", "any"), DEPENDS),
        (("spot", *RIVER, "--pot", "80", "--exploit", "uniform"), DEPENDS),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_flags_that_say_nothing_are_refused(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("cfr")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "more",
    [("--strategy", "uniform", "--line", "rrc/rc/cc/"), ("--strategy", "uniform", "--button", "QQ", "--bb", "JJ"), ()],
)
def test_a_pot_is_enough_with_a_line_or_without_the_play_of_a_strategy(run, tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    assert run(*POT, *more, "--threads", "1", "--json", "--dry-run")[0] == 0
