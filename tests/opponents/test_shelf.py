"""Folders of models and counter-strategies: what is found, what is left out, and which family is shown."""

import os
from dataclasses import replace

import pytest

from cfr.game.rules import Game
from cfr.opponents.family import Family
from cfr.opponents.shelf import Shelf
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError
from tests.opponents.files import BLUEPRINT, GREEDY, LEAKS, SAFE, WINNINGS, write_counter, write_model

LEDUC = Game.bundled("leduc")


@pytest.fixture
def ann(leduc, tmp_path):
    return write_model(tmp_path / "ann.h5", leduc)


def test_models_and_counters_are_found(leduc, ann, tmp_path):
    write_model(
        tmp_path / "bob.h5",
        leduc,
        "bob",
        seed=2,
        model_gain_nats=None,
        model_gain_error_nats=None,
        leaks=[],
        model_result=None,
    )
    for path, point in (("beat-ann-0.5.h5", SAFE), ("beat-ann-1.h5", GREEDY), ("beat-ann.h5", SAFE)):
        write_counter(tmp_path / path, ann, point)
    shelf = Shelf(tmp_path, LEDUC)
    contents = shelf.contents()
    assert [each.player for each in contents.models] == ["ann", "bob"]
    assert contents.models[0].leaks == tuple(LEAKS)
    assert [each.is_prior for each in contents.models] == [False, True]
    assert [each.winnings for each in contents.models] == [WINNINGS, None]  # bob's file is of an earlier version
    points, files = contents.counters_of(contents.models[0])
    assert points == [BLUEPRINT, SAFE, GREEDY]
    assert {confidence: path.name for confidence, path in files.items()} == {
        0.5: "beat-ann-0.5.h5",
        1.0: "beat-ann-1.h5",
    }
    assert contents.counters_of(contents.models[1]) == ([], {})
    assert shelf.find("ann") == contents.models[0]
    for name in ("nobody", "../ann", str(ann.with_suffix("")), "", "ann.h5"):
        assert shelf.find(name) is None


def test_what_a_family_measured_is_in_its_files(leduc, ann, tmp_path):
    """`cfr counter` itself writes what the folder is read for."""
    with Strategy.open(ann) as model:
        family = Family(model, leduc, (0.5, 1.0), 10, None, 0, 1, tmp_path / "beat-ann.h5")
        points = family.solve()
    contents = Shelf(tmp_path, LEDUC).contents()
    assert contents.counters_of(contents.models[0]) == (points, {each: family.file(each) for each in (0.5, 1.0)})


def test_the_exact_family_is_shown_and_then_that_of_more_iterations(ann, tmp_path):
    shelf, rough = Shelf(tmp_path, LEDUC), replace(BLUEPRINT, standard_error_mbb=3.0)
    [model] = shelf.contents().models
    write_counter(tmp_path / "rough.h5", ann, SAFE, rough, iterations=9000)
    assert shelf.contents().counters_of(model)[0] == [rough, SAFE]
    write_counter(tmp_path / "exact.h5", ann, SAFE, iterations=100)
    assert shelf.contents().counters_of(model)[0] == [BLUEPRINT, SAFE]
    write_counter(tmp_path / "long.h5", ann, GREEDY, iterations=200)
    assert shelf.contents().counters_of(model)[0] == [BLUEPRINT, GREEDY]


def test_a_file_is_read_anew_when_it_changes(leduc, ann, tmp_path):
    shelf = Shelf(tmp_path, LEDUC)
    assert shelf.contents().models[0].player == "ann"
    write_model(ann, leduc, "cat")
    os.utime(ann, ns=(1, 1))
    assert shelf.contents().models[0].player == "cat"
    ann.unlink()
    assert shelf.contents().models == []


def test_what_cannot_be_read_is_a_line(leduc, hulhe_file, ann, tmp_path):
    (tmp_path / "torn.h5").write_bytes(ann.read_bytes()[:1000])
    (tmp_path / "text.h5").write_text("x")
    (tmp_path / "other.h5").symlink_to(hulhe_file)  # no model
    (tmp_path / "gone.h5").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".hidden.h5").write_text("x")
    (tmp_path / "ann.log").write_text("x")
    write_model(tmp_path / "odd.h5", leduc, "odd", model_leaks='[{"x":1}]')
    write_model(tmp_path / "sum.h5", leduc, "sum", model_result='{"hands": 9, "won_mbb": [1], "interval_95_mbb": 1}')
    write_model(tmp_path / "old.h5", leduc, "old", model_leaks=None)
    contents = Shelf(tmp_path, LEDUC).contents()
    assert [(each.player, each.leaks is None) for each in contents.models] == [("ann", False), ("old", True)]
    assert [each.partition(":")[0] for each in contents.problems] == ["odd.h5", "sum.h5", "text.h5", "torn.h5"]
    assert contents.problems[0] == "odd.h5: what it says of itself cannot be read; make it again"
    assert not any("\n" in each or str(tmp_path) in each for each in contents.problems)
    assert Shelf(tmp_path, Game.bundled("hulhe")).contents().problems[0] == "ann.h5: plays leduc; expected hulhe"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BadInputError, match="x: no such folder of players' models"):
        Shelf(tmp_path / "x", LEDUC)
    (tmp_path / "x").mkdir()
    shelf = Shelf(tmp_path / "x", LEDUC)
    (tmp_path / "x").rmdir()
    with pytest.raises(BadInputError, match="cannot be read: No such file or directory"):
        shelf.contents()
