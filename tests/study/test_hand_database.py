"""Reviewed hands in a file: the same numbers as a review, each hand once, and what was committed stays."""

import json
import sqlite3
from pathlib import Path

import pytest

from benchmarks.speed.hand_list import make_database
from cfr.cli.main import main
from cfr.game.words import ROUND_NAMES
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews import hand_archive
from cfr.study.reviews.decision_list import DecisionList
from cfr.study.reviews.hand_archive import extend, summary
from cfr.study.reviews.hand_database import Choice, HandDatabase
from cfr.study.reviews.hand_totals import days_of, player_totals, players_of
from cfr.study.reviews.mistake import is_mistake
from cfr.study.reviews.review import review
from cfr.system.errors import BadInputError, CfrError, DamagedFileError, Interrupted, SaveError
from cfr.values.expected_values import CHECKED_DOWN, PRESUMED

CASES = Path(__file__).parent.parent / "formats" / "cases"
UNIFORM = BuiltIn("uniform")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Nine hands: two of which both players have a copy, three of a converter, a bot's, and three of other blinds."""
    home = tmp_path_factory.mktemp("logs")
    stakes = (CASES / "stakes-5-10.txt").read_text("utf-8").replace("#21", "#31")  # numbers of their own
    (home / "stakes.txt").write_text(stakes, "utf-8")
    names = ("two-heroes.txt", "ps-number-converter.txt", "matchstate-lines.log")
    return [*(CASES / name for name in names), home / "stakes.txt"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hands.db"


def filled(path, logs):
    with HandDatabase(path, UNIFORM, ev=False) as database:
        return extend(database, logs, UNIFORM, ev=False)


def asked(path, **choice):
    with HandDatabase(path) as database:
        return summary(database, Choice(**choice), UNIFORM, most=None)


def test_the_numbers_are_those_of_a_review(path, logs):
    filled(path, logs)
    found, direct = asked(path), review(logs, UNIFORM, ev=False)
    assert found.hands == direct.hands == 9
    assert sorted(map(str, found.decisions)) == sorted(map(str, direct.decisions))
    by_name = {each["player"]: each for each in direct.player_totals()}
    for each in found.player_totals():
        assert each == by_name.pop(each["player"])
    assert not by_name
    assert found.omissions.other_blinds == direct.omissions.other_blinds == 3


def test_a_second_run_counts_nothing_twice(path, logs):
    assert filled(path, logs[:2]) == 5
    before = asked(path).to_dict()
    assert filled(path, logs[:2]) == 0
    assert asked(path).to_dict() == before
    assert filled(path, logs) == 4
    assert asked(path).hands == 9


def test_a_later_copy_adds_its_cards(path, tmp_path, logs):
    text = logs[0].read_text("utf-8")
    second = [place for place in range(len(text)) if text.startswith("PokerStars", place)][2]
    for name, part in (("ann.txt", text[:second]), ("bob.txt", text[second:])):
        (tmp_path / name).write_text(part, "utf-8")
    filled(path, [tmp_path / "ann.txt"])
    folded = 210000000002  # which nobody shows, while both see the first hand's showdown
    assert {each.player for each in asked(path).decisions if each.number == folded} == {"Ann"}
    assert filled(path, [tmp_path / "bob.txt"]) == 1
    assert {each.player for each in asked(path).decisions if each.number == folded} == {"Ann", "Bob"}
    assert asked(path).hands == 2


def test_a_stopped_run_keeps_its_batches_and_goes_on(path, monkeypatch, logs):
    monkeypatch.setattr(hand_archive, "_BATCH", 1)
    add, added = HandDatabase.add, []

    def stop(database, hand, decisions):
        if len(added) == 4:
            raise KeyboardInterrupt
        added.append(hand)
        add(database, hand, decisions)

    monkeypatch.setattr(HandDatabase, "add", stop)
    with pytest.raises(Interrupted, match="hands, the same command goes on"):
        filled(path, logs)
    kept = asked(path).hands
    assert 0 < kept < 9
    monkeypatch.setattr(HandDatabase, "add", add)
    filled(path, logs)
    assert asked(path).hands == 9
    direct = review(logs, UNIFORM, ev=False).decisions
    assert sorted(map(str, asked(path).decisions)) == sorted(map(str, direct))


def test_choices(path, logs):
    filled(path, logs)
    everything = asked(path).decisions
    for choice, keeps in [
        ({"player": "Ann"}, lambda each: each.player == "Ann"),
        ({"round": "flop"}, lambda each: each.state.round == 1),
        ({"line": "rc/*"}, lambda each: each.state.line_string.startswith("rc/")),
        ({"line": "r"}, lambda each: each.state.line_string == "r"),
        ({"line": "-"}, lambda each: each.state.line_string == ""),
        ({"least": 0.0}, lambda each: False),  # no EV is known
    ]:
        found = asked(path, **choice).decisions
        assert list(map(str, found)) == [str(each) for each in everything if keeps(each)]
        assert len(found) < len(everything)
    assert asked(path, since="2011-05-02", until="2011-05-02").hands == 8  # the bot's hand has no day
    assert asked(path, since="2011-05-03").hands == asked(path, until="2011-05-01").hands == 0


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"player": "Ann"},
        {"round": "flop"},
        {"line": "rc/*"},
        {"line": "*"},
        {"line": "-"},
        {"player": "Ann", "round": "preflop", "line": "r"},
        {"since": "2011-05-02", "until": "2011-05-02"},
        {"since": "2011-05-03"},
        {"until": "2011-05-01"},
        {"mistakes": True},
    ],
    ids=str,
)
def test_a_log_is_chosen_from_as_a_database(path, logs, choice):
    filled(path, logs)
    same_choice(asked(path, **choice), review(logs, UNIFORM, ev=False, choice=Choice(**choice), **only(choice)))


def test_decisions_without_cards_are_those_of_the_round_that_is_looked_at(path, logs):
    filled(path, logs)
    unseen = lambda **choice: {each.player: each.unseen for each in asked(path, **choice).players}  # noqa: E731
    rounds, whole = [unseen(round=name) for name in ROUND_NAMES], unseen()
    assert sum(whole.values()) > sum(rounds[0].values()) > 0
    for player, count in whole.items():
        assert count == sum(each.get(player, 0) for each in rounds)


@pytest.mark.parametrize(
    ("line", "read"),
    [("rc", "rc/"), ("raise call", "rc/"), ("RC*", "rc/*"), ("r*", "r*"), ("rc/*", "rc/*"), ("-", "-"), ("", "")],
)
def test_a_line_is_read_as_people_write_it(line, read):
    assert Choice(line=line).read(UNIFORM.betting) == Choice(line=read)
    with pytest.raises(CfrError, match="'zz' at position 1 is no action"):
        Choice(line="zz").read(UNIFORM.betting)


def only(choice):
    return {"player": choice["player"]} if "player" in choice else {}


def same_choice(found, direct):
    assert found.hands == direct.hands
    assert sorted(map(str, found.decisions)) == sorted(map(str, direct.decisions))
    by_name = {each["player"]: each for each in direct.player_totals()}
    for each in found.player_totals():
        check_equal(each | {"luck_adjusted": None}, by_name.pop(each["player"]) | {"luck_adjusted": None})
    assert not by_name


@pytest.mark.thorough
@pytest.mark.parametrize("choice", [{"least": 100.0}, {"mistakes": True}, {"round": "flop", "least": 0.0}], ids=str)
def test_a_log_is_chosen_from_by_losses_as_a_database(path, logs, choice):
    caller = BuiltIn("always-call")  # which never folds nor raises: both can be mistakes
    with HandDatabase(path, caller) as database:
        extend(database, logs[:1], caller, ev=True)
        found = summary(database, Choice(**choice), caller, most=None)
    direct = review(logs[0], caller, choice=Choice(**choice))
    assert 0 < len(direct.decisions) < len(review(logs[0], caller).decisions)
    same_choice(found, direct)


@pytest.mark.thorough
def test_the_worst_decisions_of_a_log(path, logs, capsys):
    wanted = ["review", str(logs[0]), "--strategy", "uniform", "--json"]
    for more in ([], ["--db", str(path)]):
        assert main([*wanted, *more]) == 0
        everything = json.loads(capsys.readouterr().out)
        assert main([*wanted, *more, "--worst", "2"]) == 0
        worst = json.loads(capsys.readouterr().out)
        losses = sorted((each["ev_lost_mbb"] or 0 for each in everything["decisions"]), reverse=True)
        assert len(losses) > 2
        assert [each["ev_lost_mbb"] for each in worst["decisions"]] == losses[:2]
        assert worst["players"] == everything["players"]


@pytest.mark.parametrize("flag", ["--worst", "--lost"])
def test_no_loss_is_known_without_ev(logs, flag, capsys):
    assert main(["review", str(logs[0]), "--strategy", "uniform", "--no-ev", flag, "3"]) == 2
    assert capsys.readouterr().err == f"cfr: {flag}: with --no-ev no loss is known; leave one of them out\n"


@pytest.mark.thorough
def test_losses_are_kept(path, logs):
    with HandDatabase(path, UNIFORM) as database:
        extend(database, logs[:1], UNIFORM, ev=True)
        found = summary(database, Choice(), UNIFORM, most=None)
        costly = summary(database, Choice(least=100.0), UNIFORM)
    direct = review(logs[0], UNIFORM)
    losses = sorted(str(each.ev_lost) for each in direct.decisions)
    assert sorted(str(each.ev_lost) for each in found.decisions) == losses
    assert any(each.ev_lost is not None for each in direct.decisions)
    expected = sorted((each.ev_lost for each in direct.decisions if (each.ev_lost or 0) >= 100), reverse=True)
    assert [each.ev_lost for each in costly.decisions] == expected[:20]


def test_the_command(path, tmp_path, capsys, logs):
    table = tmp_path / "x.csv"
    assert main(["review", *map(str, logs), "--db", str(path), "--no-ev", "--strategy", "uniform"]) == 0
    assert "9 in all" in capsys.readouterr().err
    wanted = ["review", "--db", str(path), "--strategy", "uniform", "--player", "Ann", "--out", str(table), "--json"]
    assert main(wanted) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["decisions"]
    assert len(table.read_text().splitlines()) == 1 + len(found["decisions"])
    assert main(["review", "--strategy", "uniform"]) == 2
    assert main(["review", "--db", str(path), "--player", "Nobody", "--strategy", "uniform"]) == 2
    with HandDatabase(path) as database:
        names = database.players(Choice())
    assert f"{path}: there is no player 'Nobody'; it has {', '.join(names)}\n" in capsys.readouterr().err


def test_files_that_do_not_fit_are_refused(path, tmp_path, logs):
    with pytest.raises(BadInputError, match="no such file"):
        HandDatabase(path)
    filled(path, logs[:1])
    with pytest.raises(BadInputError, match="another strategy"):
        HandDatabase(path, BuiltIn("always-call"), ev=False)
    with pytest.raises(BadInputError, match="without expected values"):
        HandDatabase(path, UNIFORM, ev=True)
    (tmp_path / "text.db").write_text("no database, but a text that is longer than a header " * 20)
    with pytest.raises(DamagedFileError, match="not a database"):
        HandDatabase(tmp_path / "text.db", UNIFORM)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE x(y)")
    with pytest.raises(DamagedFileError, match="not a database of cfr review"):
        HandDatabase(tmp_path / "other.db", UNIFORM)
    with sqlite3.connect(path) as later:
        later.execute("PRAGMA user_version = 99")
    with pytest.raises(DamagedFileError, match="format 99"):
        HandDatabase(path)


def test_a_file_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(SaveError, match="unable to open"):
        HandDatabase(tmp_path / "no" / "hands.db", UNIFORM)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Two thousand hands with losses of all sizes."""
    path = tmp_path_factory.mktemp("many") / "hands.db"
    make_database(path, 2_000, UNIFORM)
    with HandDatabase(path) as database:
        yield database


def test_a_list_has_each_chosen_decision_once_in_order(many):
    for choice in (
        Choice(),
        Choice("ann", mistakes=True),
        Choice(round="river", least=100.0),
        Choice("villain-3", since="2026-01-01", until="2026-01-01", line="rc/*"),
        Choice(line="-", mistakes=True, least=500.0),
    ):
        found = DecisionList(many, choice)
        count, lost = found.totals()
        shown = [each for offset in range(0, count + 1, 300) for each in found.part(offset, 300, UNIFORM.betting)]
        expected = [
            (hand.number, hand.day, str(each)) for hand, here in many.read(choice, UNIFORM.betting) for each in here
        ]
        assert 0 < count == len(shown)
        assert sorted((each.decision.number, each.day, str(each.decision)) for each in shown) == sorted(expected)
        losses = [-1.0 if each.decision.ev_lost is None else each.decision.ev_lost for each in shown]
        assert losses == sorted(losses, reverse=True)
        assert lost == pytest.approx(sum(each for each in losses if each > 0))
        assert not found.part(count, 300, UNIFORM.betting)


def test_mistakes_are_those_of_a_review(many):
    """The file's own column says the same, whatever stands in for a range."""
    everything = [each for _, here in many.read(Choice(), UNIFORM.betting) for each in here]
    mistakes = [each for _, here in many.read(Choice(mistakes=True), UNIFORM.betting) for each in here]
    assert mistakes == [each for each in everything if each.is_mistake]
    assert 0 < len(mistakes) < len(everything)
    for name in (None, PRESUMED, CHECKED_DOWN):
        many.rows("UPDATE decisions SET stand_in = ? WHERE id = 1", [name])
        for lost in (9.9, 10.0, 999.0, 1000.0, None):
            for share in (0.2, 0.25):
                values = [lost, share, share, share]
                many.rows('UPDATE decisions SET ev_lost_mbb = ?, fold = ?, call = ?, "raise" = ? WHERE id = 1', values)
                [(said,)] = many.rows("SELECT mistake FROM decisions WHERE id = 1")
                assert bool(said) == is_mistake(share, lost, name)


@pytest.mark.parametrize("days", [{}, {"since": "2026-01-01", "until": "2026-01-01"}])
def test_totals_in_sql_are_those_of_the_hands(many, days):
    named = {each.player: each for each in summary(many, Choice(**days), UNIFORM).players}
    players = players_of(many)
    assert players[0] == ("ann", many.hands)
    assert sum(hands for _, hands in players) == 2 * many.hands
    for name, _ in players[:3]:
        found = player_totals(many, Choice(name, **days), UNIFORM.betting).to_dict(10)
        check_equal(found, named[name].to_dict(10))


def check_equal(found, expected):
    """Sums in another order differ by their last bits."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, each in expected.items():
            check_equal(found[name], each)
    else:
        assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)


def test_totals_without_the_other_cards(path, logs):
    """Unseen hands, rake, and results that a log does not tell."""
    filled(path, logs)
    with HandDatabase(path) as database:
        for each in summary(database, Choice(), UNIFORM).players:
            found = player_totals(database, Choice(each.player), UNIFORM.betting)
            check_equal(found.to_dict(10), each.to_dict(10))
        assert days_of(database) == ("2011-05-02", "2011-05-02")


def test_a_file_of_format_1_gets_what_format_2_added(path, logs):
    filled(path, logs)
    before = asked(path).to_dict()
    with sqlite3.connect(path) as old:
        for name in ("decisions_by_loss", "decisions_by_player"):
            old.execute(f"DROP INDEX {name}")
        old.execute("ALTER TABLE decisions DROP COLUMN mistake")
        old.execute("CREATE INDEX decisions_by_loss ON decisions(ev_lost_mbb)")
        old.execute("CREATE INDEX decisions_by_player ON decisions(player)")
        old.execute("PRAGMA user_version = 1")
    assert asked(path).to_dict() == before
    with HandDatabase(path) as database:
        assert DecisionList(database, Choice("Ann")).totals() == (len(asked(path, player="Ann").decisions), None)
