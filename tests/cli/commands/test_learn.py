"""``cfr learn``: a player that learns is made, shown, and forgets."""

import json

import pytest


@pytest.fixture
def bot(run, leduc, tmp_path):
    path = tmp_path / "bot.json"
    rules = []
    for name in ("always-raise", "uniform"):
        code, text, err = run("exploit", name, "--game", "leduc", "--json")
        assert code == 0, err
        rules.append(f"{name}@{json.loads(text)['exploitability_mbb']}")
    code, text, err = run("learn", path, leduc, *rules, "--risk", "100")
    assert code == 0, err
    assert text.endswith("the mix loses at most 100 mbb/g more than the first\n")
    return path


def test_it_learns_and_forgets(run, leduc, bot):
    for name in ("ann", "bob"):
        assert run("match", f"learn:{bot}@{name}", "always-fold", "--hands", 30, "--seed", 1)[0] == 0
    found = json.loads(run("learn", bot, "--json")[1])
    assert [(each["player"], each["hands"]) for each in found["opponents"]] == [("ann", 30), ("bob", 30)]
    ann = found["opponents"][0]
    assert sum(ann["weights"]) == pytest.approx(1)
    measured = json.loads(run("exploit", leduc, "--json")[1])["exploitability_mbb"]
    assert found["responses"][0]["exploitability_mbb"] == pytest.approx(measured)  # of the file, which rounds
    assert ann["worst_mbb"] <= found["responses"][0]["exploitability_mbb"] + 100 + 1e-6
    bound = json.loads(run("exploit", ann["mix"], "--json")[1])["bound_mbb"]
    assert bound == pytest.approx(ann["worst_mbb"], abs=1e-3)  # shares in the mix's name have six digits
    assert "ann: 30 hands, worst case " in run("learn", bot)[1]
    assert "ann" not in run("learn", bot, "--forget", "ann")[1]
    assert run("learn", bot, "--forget", "ann")[2].endswith("nothing was learnt of 'ann'; it knows bob\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "is there already; say --overwrite"),
        (("--forget", "ann"), "leave out the responses"),
    ],
)
def test_a_player_is_not_lost(run, leduc, bot, words, message):
    before = bot.read_bytes()
    code, text, err = run("learn", bot, leduc, "uniform@1000", *words)
    assert (code in (1, 2), text, err.count("\n")) == (True, "", 1)
    assert message in err
    assert bot.read_bytes() == before


def test_mistakes_are_one_line(run, leduc, bot, tmp_path):
    new = tmp_path / "new.json"
    for words, message in (
        ((new, leduc), "at least one other response"),
        ((new, leduc, "uniform"), "say uniform@MBB"),
        ((new, leduc, "uniform@-1"), "expected FILE@MBB"),
        ((new,), "No such file"),
        ((bot, "--risk", "5"), "name its responses"),
        ((bot, "--models", leduc), "name its responses"),
        ((new, leduc, "uniform@1000", "--models", leduc), "none of the responses is a counter-strategy to this model"),
    ):
        code, text, err = run("learn", *words)
        assert (code in (1, 2), text, err.count("\n")) == (True, "", 1)
        assert message in err
        assert not new.exists()
    for command in (("serve", f"learn:{bot}"), ("play", f"learn:{bot}", "--resolve", "turn")):
        code, text, err = run(*command)
        assert (code, text, err.count("\n")) == (2, "", 1)
    assert run("match", f"learn:{bot}", leduc, "--hands", 500, "--processes", 2)[0] == 2
