"""Trunks: play before the first board, solved anew for a strategy on a sample of flops."""

import json
from dataclasses import replace
from itertools import count
from math import inf

import h5py
import numpy as np
import pytest

import cfr
from cfr.cli.main import main
from cfr.exploit.exploitability import measure_boards
from cfr.exploit.flop_values import FlopValues
from cfr.hands.flops import first_boards, sample
from cfr.kernel.chance import Piece
from cfr.kernel.pieces import all_boards, boards_of_flops, piece_deal
from cfr.kernel.traversal import Visit
from cfr.solver import checkpoint, loop
from cfr.solver.out_of_core.piece_plan import footprint, make_plan
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.solver.trunk.control_variate import ControlVariate, leaf_reach
from cfr.solver.trunk.trunk import Trunk
from cfr.solver.trunk.trunk_solver import TrunkSolver
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.file import set_attributes, verify
from cfr.strategy.files.stored import Strategy
from cfr.strategy.files.trunk_alone import joined, save_alone
from cfr.strategy.files.trunk_file import attributes_by_owner
from cfr.system import clock
from cfr.system.disk import block_files
from cfr.system.errors import BadInputError, CfrError, DamagedFileError, Interrupted, SaveError
from tests.solver.out_of_core.lossless_solves import RIVERS
from tests.thorough import thorough

pytestmark = pytest.mark.usefixtures("small_pieces")
FLOPS = 5


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A blueprint and its flop values."""
    folder = tmp_path_factory.mktemp("trunk")
    blueprint, values = folder / "blueprint.h5", folder / "values.h5"
    solve(Settings(RIVERS, None, iterations=3, lossless=True, out=blueprint))
    with Strategy(blueprint) as strategy:
        measure_boards(strategy).flop_values("blueprint").save(values)
    return blueprint, values


def asked(tmp_path, files, name="trunk.h5", flops=FLOPS, **more):
    blueprint, values = files
    trunk = Trunk.of(blueprint, flops, None if flops is None else values)
    how = {"iterations": 4, "tables": "int8", "river_rows": "strength", "out": tmp_path / name, "trunk": trunk} | more
    return Settings(RIVERS, None, lossless=True, **how)


def first_round(path):
    with Strategy(path) as strategy:
        return strategy.read(0, slice(None))


def begun(settings, header=None):
    from cfr.abstraction.abstraction import Abstraction

    bounds = None if header is None else header.pieces.bounds
    return TrunkSolver(settings, Abstraction.lossless(RIVERS, settings.river_rows), make_plan(settings, bounds), header)


def test_the_trunk_of_all_flops_is_that_of_the_whole_solve(files, tmp_path):
    trunk = solve(asked(tmp_path, files, flops=None))
    how = {"tables": "int8", "river_rows": "strength", "out": tmp_path / "whole.h5"}
    whole = solve(Settings(RIVERS, None, iterations=4, lossless=True, **how))
    assert trunk.exploitability_mbb == pytest.approx(whole.exploitability_mbb, rel=1e-12)
    found, expected = first_round(trunk.file), first_round(whole.file)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1  # in 255ths


def test_all_but_the_first_round_is_the_blueprints(files, tmp_path):
    blueprint, _ = files
    before = tmp_path / "measured.h5"
    before.write_bytes(blueprint.read_bytes())
    set_attributes(before, {"best_response_button_mbb": 1.0}, np.zeros((2, 3, RIVERS.num_hands)))
    path = solve(asked(tmp_path, (before, files[1]))).file
    verify(path)
    with Strategy(path) as trunk, Strategy(before) as strategy:
        for round_ in range(1, RIVERS.num_rounds):
            assert np.array_equal(trunk.read(round_, slice(None)), strategy.read(round_, slice(None)))
        assert not np.array_equal(trunk.read(0, slice(None)), strategy.read(0, slice(None)))
        assert trunk.attributes["trunk_blueprint"] == strategy.attributes["checksum"] != trunk.attributes["checksum"]
        assert trunk.attributes["trunk_flops"] == FLOPS
        assert not {name for name in trunk.attributes if name.startswith(("exploitability", "best_response"))}
        assert trunk.opening_values is None


def test_info_says_what_is_the_blueprints(files, tmp_path, capsys):
    with Strategy(files[0]) as strategy:
        before = strategy.attributes
    path = solve(asked(tmp_path, files)).file
    for more in ([], ["--json"]):
        assert main(["info", path, *more]) == 0
    text, _, said = capsys.readouterr().out.partition("{")
    said = json.loads("{" + said)
    names = [line.split()[0] for line in text.splitlines()]
    assert {"blueprint_iterations", "trunk_iterations", "checksum", "created"} < set(names)
    assert not {"iterations", "seconds", "algorithm", "blueprint_created", "exploitability_mbb"} & set(names)
    assert said["blueprint_iterations"] == before["iterations"] == 3
    assert said["trunk_iterations"] == 4
    of = " (of the probabilities in the file, in the trunk's game)"
    assert f"trunk_stored_exploitability_mbb  {said['trunk_stored_exploitability_mbb']}{of}\n" in text
    with Strategy(path) as trunk:  # in the file the names are as they were
        assert trunk.attributes["iterations"] == 3
        facts = trunk.facts()
        assert "iterations" not in facts
        assert facts["blueprint's iterations"] == "3"
        assert attributes_by_owner(before) == before
        refined = {"iterations": 8} | {f"blueprint_{name}": value for name, value in trunk.attributes.items()}
    told = attributes_by_owner(refined)  # of a file with refined flops behind the trunk
    assert told["iterations"] == 8
    assert told["blueprint_trunk_iterations"] == 4
    assert told["blueprint_blueprint_iterations"] == 3
    assert "blueprint_iterations" not in told


def test_a_plain_loop_in_memory_comes_to_the_same_sums(files, tmp_path):
    settings = asked(tmp_path, files)
    with begun(settings) as solver:
        for _ in range(4):
            solver.step()
        tree, traversal = solver.traversal.tree, solver.traversal
        drawn = settings.trunk.drawn(RIVERS, 0)
        deal = piece_deal(RIVERS, boards_of_flops(RIVERS, drawn), 0, len(np.unique(drawn)), "strength")
        control = ControlVariate.of_trunk(settings.trunk, RIVERS, drawn)
        regrets, averages = traversal.zeros(deal.num_rows), traversal.zeros(deal.num_rows, sums=True)
        for iteration in range(1, 5):
            visit = Visit(0, solver.schedule.weight(iteration), solver.schedule.kept(iteration), seed=iteration)
            for seat in (0, 1):
                reach = leaf_reach(tree, regrets[0][1 - seat], 1 - seat, deal.rounds[0].row_of_hand[0])
                chips = control.chips(seat, reach, np.arange(tree.rounds[0].leaves))
                carried = traversal.carried()
                for lane, leaf in zip(tree.rounds[1].entry.tolist(), count()):
                    carried[lane // tree.lanes, :, lane % tree.lanes] = chips[leaf]
                whole = replace(deal, piece=Piece(carried, [0] * RIVERS.num_rounds, is_last=True))
                traversal.run(whole, regrets, seat, "update", visit, averages=[pair[seat] for pair in averages])
        for seat in (0, 1):
            assert np.array_equal(solver.first["averages"][seat], averages[0][seat])
            assert averages[0][seat].any()


def test_the_game_of_a_trunk_is_zero_sum(files, tmp_path):
    with begun(asked(tmp_path, files)) as solver:
        for _ in range(3):
            solver.step()
        measured = solver.measure_in_parts("average", True, 1)
        assert sum(measured.self_play) == pytest.approx(0, abs=1e-3) != measured.self_play[0]
        assert measured.exploitability > 0
        assert measured.exploitability == pytest.approx(solver.exploitability_mbb(), rel=0.02)
        with Strategy(files[0]) as blueprint:
            assert measured.self_play[0] != pytest.approx(measure_boards(blueprint).summary().self_play_button_mbb)


def test_stopped_or_killed_it_goes_on_to_the_same_bits_at_any_number_of_threads(files, tmp_path):
    whole = solve(asked(tmp_path, files, "whole.h5"))
    settings, header, times = asked(tmp_path, files, threads=2, memory_gb=0.26), None, 0
    while header is None or header.progress.iterations < settings.iterations:
        with begun(settings, header) as solver:
            assert solver.plan.count > 2
            left = iter(range(2))
            solver.step(1, lambda: next(left, None) is None)  # noqa: B023
            kept = solver.save_checkpoint()
            solver.step(1, lambda: True)  # lost
        header, times = checkpoint.read(kept), times + 1
        settings = replace(settings, resume=kept)
    result = solve(checkpoint.resumed(kept))
    assert times > settings.iterations
    assert np.array_equal(first_round(result.file), first_round(whole.file))
    assert result.exploitability_mbb == whole.exploitability_mbb


@pytest.mark.parametrize("rows", ["strength", *thorough("hands")])
def test_all_tables_stay_in_memory_where_three_pieces_are_more(rows, files, tmp_path, monkeypatch):
    """Of a large flop and a small one: three of the large one are more than both."""
    how = {"flops": 2, "seed": 2, "tables": "float32", "river_rows": rows}
    whole = solve(asked(tmp_path, files, "whole.h5", **how))
    monkeypatch.undo()  # all tables may be in memory
    settings = asked(tmp_path, files, **how)
    least = footprint(settings).least
    with pytest.raises(CfrError, match=r"memory: 0\.17 GB hold no piece of rivers; expected at least 0\.18 GB"):
        make_plan(replace(settings, memory_gb=(least - 1000) / 1e9))
    tight = replace(settings, memory_gb=least / 1e9)
    plan = make_plan(tight)
    assert plan.memory_bytes <= least < plan.least_bytes  # of three pieces
    assert plan.count == 2
    with begun(tight) as solver:
        solver.step()
        assert solver.files.bytes_read == 0
        kept = solver.save_checkpoint()
    result = solve(checkpoint.resumed(kept))
    assert np.array_equal(first_round(result.file), first_round(whole.file))
    assert result.exploitability_mbb == whole.exploitability_mbb


def test_it_does_not_go_on_with_another_blueprint(files, tmp_path, monkeypatch):
    blueprint, values = tmp_path / "b.h5", files[1]
    blueprint.write_bytes(files[0].read_bytes())
    monkeypatch.setattr(TrunkSolver, "stored_round", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(Interrupted, match="--resume"):
        solve(asked(tmp_path, (blueprint, values)))
    monkeypatch.undo()
    kept = tmp_path / "trunk.h5.checkpoint"
    solve(Settings(RIVERS, None, iterations=2, lossless=True, out=blueprint, overwrite=True))
    with pytest.raises(BadInputError, match="changed since the solve began"):
        solve(checkpoint.resumed(kept))
    blueprint.write_bytes(files[0].read_bytes())
    assert solve(checkpoint.resumed(kept)).iterations == 4


def test_values_of_another_strategy_are_refused(files, tmp_path):
    values = FlopValues.open(files[1])
    replace(values, strategy_checksum="another").save(tmp_path / "o.h5")
    with pytest.raises(BadInputError, match="the values of another strategy, blueprint"):
        Trunk.of(files[0], FLOPS, tmp_path / "o.h5")


def test_a_full_disk_costs_checkpoints_and_not_the_solve(files, tmp_path, monkeypatch, capsys):
    """All tables are in memory, and the file is small."""
    monkeypatch.setattr(loop, "PIECES_SECONDS", 0.0)
    monkeypatch.setattr(clock, "CHECKPOINT_SHARE", inf)
    usual = block_files.BlockFiles._write

    def full(self, name, version, block):
        if name.startswith("regrets-1"):
            raise SaveError("the disk is full")
        usual(self, name, version, block)

    monkeypatch.setattr(block_files.BlockFiles, "_write", full)
    result = solve(asked(tmp_path, files))
    assert "no checkpoint this time: the disk is full" in capsys.readouterr().err
    monkeypatch.undo()
    assert np.array_equal(first_round(result.file), first_round(solve(asked(tmp_path, files, "whole.h5")).file))


def test_lines_that_are_left_out_are_never_taken_and_keep_the_blueprints_answers(files, tmp_path):
    path = solve(asked(tmp_path, files, never=("r",))).file
    betting = Strategy(path).betting.rounds[0]
    found, before = first_round(path), first_round(files[0])
    root, answer = betting.action_index[0], betting.action_index[betting.child[0, 2]]
    assert not found[:, root[2]].any()
    assert found[:, root[1]].any()
    assert np.allclose(found[:, answer[answer >= 0]], before[:, answer[answer >= 0]], atol=0.51)


def test_the_control_variate_is_zero_sum_and_makes_up_for_the_sample():
    measured = measure_boards(BuiltIn("uniform", RIVERS))
    opening, values = measured.measurement.opening, measured.flop_values("uniform").values[:, :2].astype(float)
    drawn = sample(first_boards(RIVERS), FLOPS, 0)
    control = ControlVariate.of(opening, values, RIVERS, drawn)
    leaves = np.arange(opening.leaves)
    reach = np.random.default_rng(1).random(opening.reach.shape)
    won = [(reach[seat] * control.chips(seat, reach[1 - seat], leaves)).sum() for seat in (0, 1)]
    assert won[0] == pytest.approx(-won[1]) != 0
    met = opening.reach @ RIVERS.apart
    of_pairs = [(reach * met[::-1][seat]).sum(axis=1) for seat, reach in enumerate(opening.reach)]
    missed = np.tensordot(first_boards(RIVERS).share, values, 1) - values[drawn].mean(axis=0)
    means = (opening.reach * missed[..., opening.classes]).sum(axis=2) / of_pairs
    assert control.middle == pytest.approx((means[0] - means[1]) / 2)
    made_up = (opening.reach[0] * control.chips(0, opening.reach[1], leaves)).sum(axis=1)
    assert made_up == pytest.approx(control.middle * of_pairs[0])
    hand, leaf = 7, 1  # one hand, opponent by opponent
    each = control.above[1, leaf, hand] - control.above[0, leaf] + control.middle[leaf]
    chips = control.chips(1, opening.reach[0], leaves)[leaf, hand]
    assert chips == pytest.approx((opening.reach[0, leaf] * RIVERS.apart[hand] * each).sum()) != 0
    assert control.chips(1, opening.reach[0, [leaf]], np.array([leaf]))[0, hand] == pytest.approx(chips)


def test_a_sample_of_flops_weighs_as_much_as_all_of_them():
    levels = boards_of_flops(RIVERS, np.array([3, 3, 5, 2]))
    every = all_boards(RIVERS)
    assert levels[1].factor.sum() == pytest.approx(every[1].factor.sum())
    assert [len(level.cards) for level in levels[:2]] == [1, 3]
    kept = np.array([2, 3, 5])
    for number in (2, 3):  # the same boards below
        below = np.isin(every[number].parent, kept)
        assert np.array_equal(levels[number].cards, every[number].cards[below])
        assert np.array_equal(levels[number].factor, every[number].factor[below])
        kept = np.flatnonzero(below)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--flops", "3"], "--flops: a trunk has it; say whose: --blueprint FILE"),
        (["--blueprint", "{blueprint}", "--flops", "3"], "make them by: cfr exploit {blueprint} --flop-values"),
        (
            ["--blueprint", "{blueprint}", "--flops", "3", "--control-variate", "{other}"],
            "expected the blueprint's own",
        ),
        (["--blueprint", "{blueprint}", "--flops", "3", "--control-variate", "{blueprint}"], "expected flop values"),
        (["--blueprint", "{blueprint}", "--without-rivers"], "has the blueprint's later rounds; leave it out"),
        (["--blueprint", "small"], "is a strategy of hulhe, not of rivers"),
        (["--blueprint", "nowhere.h5"], "No such file"),
        (["--blueprint", "{blueprint}", "--never", "f"], "is no line of the first round"),
        (["--blueprint", "always-call"], "built in; expected a strategy file"),
        (["--blueprint", "{blueprint}", "--ray"], "--ray: a trunk is solved on one machine"),
        (["--blueprint", "{blueprint}", "--out", "{blueprint}", "--overwrite"], "is what the trunk is made from"),
    ],
)
def test_wrong_arguments_get_one_line(arguments, says, files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    game, blueprint, other = tmp_path / "rivers.game", tmp_path / "b.h5", tmp_path / "o.h5"
    game.write_text(RIVERS.text())
    blueprint.write_bytes(files[0].read_bytes())
    set_attributes(blueprint, {"exploitability_mbb": 1.0, "exploitability_standard_error_mbb": 0.0})
    values = FlopValues.open(files[1])
    replace(values, exploitability_mbb=2.0).save(other)
    names = {"blueprint": blueprint.name, "other": other.name}
    said = [each.format(**names) for each in arguments]
    assert main(["solve", str(game), "--lossless", "--iterations", "1", "--out", "x.h5", *said]) in (1, 2)
    error = capsys.readouterr().err
    assert says.format(**names) in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x.h5").exists()


def test_a_trunk_alone_is_joined_with_its_blueprint(tmp_path, files, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "cache"))
    blueprint, whole, alone = files[0], tmp_path / "trunk.h5", tmp_path / "alone.h5"
    solve(asked(tmp_path, files))
    save_alone(alone, whole)
    path = joined(alone, blueprint)
    assert path.parent == tmp_path / "cache" / "trunks"
    with Strategy(path) as one, Strategy(whole) as other:
        assert one.attributes == other.attributes
    verify(path)
    assert joined(alone, tmp_path / "gone.h5") == path  # it is there
    assert joined(whole, blueprint) == whole
    with pytest.raises(BadInputError, match=r"blueprint.h5: no trunk; cfr solve --lossless --blueprint"):
        save_alone(tmp_path / "x.h5", blueprint)


def test_a_trunk_alone_that_does_not_fit_is_refused(tmp_path, files, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "cache"))
    alone, other = tmp_path / "alone.h5", tmp_path / "other.h5"
    solve(asked(tmp_path, files))
    save_alone(alone, tmp_path / "trunk.h5")
    solve(Settings(RIVERS, None, iterations=2, lossless=True, out=other))
    with pytest.raises(SaveError, match=r"other.h5: another strategy took its place meanwhile"):
        joined(alone, other)
    with h5py.File(alone, "r+") as file:
        file["probabilities"][0] = 255 - file["probabilities"][0]
    with pytest.raises(DamagedFileError, match=r"alone.h5: damaged; the checksum of its play"):
        joined(alone, files[0])
    assert not list((tmp_path / "cache" / "trunks").iterdir())
    monkeypatch.setenv("CFR_CACHE", str(tmp_path / "other.h5"))
    with pytest.raises(SaveError, match="cannot write"):
        joined(alone, files[0])


def test_the_supplied_trunk_plays_before_the_flop_and_the_supplied_strategy_after(tmp_path, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path))
    with Strategy.open() as blueprint, Strategy.open("small-trunk") as trunk:
        assert trunk.attributes["trunk_blueprint"] == blueprint.attributes["checksum"]
        assert not np.array_equal(*(each.read(0, slice(None)) for each in (trunk, blueprint)))
        for round_ in (1, 2, 3):
            assert np.array_equal(*(each.read(round_, slice(100, 110)) for each in (trunk, blueprint)))
        path = trunk.path
        assert trunk.attributes["exploitability_flops"] == 1755
        assert round(trunk.attributes["exploitability_mbb"], 2) == 73.53
    verify(path)
    assert cfr.open_named("small-trunk+turn").re_solved_from == 2
