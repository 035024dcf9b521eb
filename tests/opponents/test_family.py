"""Families of counter-strategies: nothing that was done is lost, and the bits are those of an undisturbed run."""

import os
import signal

import numpy as np
import pytest

from cfr.opponents import family as families
from cfr.opponents import trade
from cfr.opponents.counter import Countering
from cfr.opponents.family import Family
from cfr.opponents.model import ALGORITHM
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.strategy.files.stored import Strategy
from cfr.system import clock
from cfr.system.errors import BadInputError, Interrupted, SaveError

ITERATIONS = 30


class Killed(BaseException):
    """What ``kill -9`` leaves is what is on disk."""


@pytest.fixture(scope="module")
def model(tilted, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "ann.h5"
    tilted.save(path, {"algorithm": ALGORITHM, "model_player": "ann"})
    with Strategy.open(path) as strategy:
        yield strategy


@pytest.fixture
def make(leduc, model, tmp_path):
    def make(folder="", **changes):
        (tmp_path / folder).mkdir(exist_ok=True)
        asked = {"confidences": (0.5, 0.9), "iterations": ITERATIONS, "flops": None, "seed": 0, "threads": 1}
        return Family(model, leduc, **(asked | changes), out=tmp_path / folder / "x.h5")

    return make


@pytest.fixture
def whole(make):
    family = make("whole")
    return family.solve(), [family.file(each).read_bytes() for each in family.confidences]


def after(count, do, step):
    """``step``, which does something else before the call of this number."""
    calls = iter(range(10**6))

    def stepped(*arguments, **options):
        if next(calls) == count:
            do()
        return step(*arguments, **options)

    return stepped


def kill():
    raise Killed


def press():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("count", [3, ITERATIONS - 1, ITERATIONS, ITERATIONS + 7])
@pytest.mark.parametrize("how", [kill, press])
def test_a_solve_goes_on(make, whole, monkeypatch, count, how):
    family = make()
    monkeypatch.setattr(clock, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(clock, "CHECKPOINT_SHARE", 1e9)
    monkeypatch.setattr(families, "BOARDS", ITERATIONS)  # no trial
    with monkeypatch.context() as patched:
        patched.setattr(Countering, "step", after(count, how, Countering.step))
        with pytest.raises((Killed, Interrupted)):
            family.solve()
    with monkeypatch.context() as patched:
        steps = []
        patched.setattr(Countering, "step", lambda self, step=Countering.step: (steps.append(1), step(self)))
        points = family.solve()
    done = count + (how is press)
    assert len(steps) == 2 * ITERATIONS - done
    assert (points, [family.file(each).read_bytes() for each in family.confidences]) == whole
    left = [path.name for path in family.out.parent.iterdir() if path.is_file() and path.name[0] != "."]
    assert sorted(left) == ["x-0.5.h5", "x-0.9.h5"]


@pytest.mark.parametrize("count", [1, 2])
def test_measurements_go_on(make, whole, monkeypatch, count):
    family = make()
    with monkeypatch.context() as patched:
        patched.setattr(families, "measured", after(count, kill, families.measured))
        with pytest.raises(Killed):
            family.solve()
    go_on(family, whole)


def test_draws_are_measured_once(make, tilted, monkeypatch):
    draws = [Tilted(tilted.base, Tilt(scale * tilted.tilt.parameters, 0.05)) for scale in (0.8, 1.0, 1.2)]
    undisturbed = make("undisturbed", draws=draws)
    points, family = undisturbed.solve(), make(draws=draws)
    assert all(each.win_10_mbb < each.win_mbb < each.win_90_mbb for each in points)
    asked = trade.value_against
    with monkeypatch.context() as patched:
        patched.setattr(trade, "value_against", after(6, kill, asked))  # of the second of three points
        with pytest.raises(Killed):
            family.solve()
    go_on(family, (points, [undisturbed.file(each).read_bytes() for each in family.confidences]))
    assert [path for path in family.out.parent.iterdir() if "draw" in path.name] == []


def go_on(family, whole):
    with pytest.raises(SaveError, match="resume=True"):
        family.check_free()
    assert (family.solve(), [family.file(each).read_bytes() for each in family.confidences]) == whole


def test_another_run_is_no_continuation(make, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(Countering, "step", after(40, press, Countering.step))
        with pytest.raises(Interrupted, match="of 30 iterations with confidence 0"):
            make().solve()
    with pytest.raises(SaveError, match=r"x-0.5.h5: another strategy"):
        make(seed=1).solve()
    make().file(0.5).unlink()
    with pytest.raises(BadInputError, match="of another counter-strategy"):
        make(seed=1).solve()
    make().discard()
    make().check_free()


def test_the_forecast_comes_first(make):
    said = []
    make(threads=2).solve(announce=said.append)
    make("again", draws=[make().model]).solve(announce=said.append)
    words, with_draw = said
    assert words.startswith("memory  ")
    assert f"2 solves, each of {ITERATIONS} iterations, and 6 measurements" in words
    assert "and 9 measurements on all flops\ndraws   1 of the model" in with_draw


def test_a_trial_is_the_beginning_of_the_first_solve(make, whole, monkeypatch):
    steps = []
    monkeypatch.setattr(Countering, "step", lambda self, step=Countering.step: (steps.append(1), step(self)))
    family = make()
    points = family.solve(announce=lambda _: steps.append(0))
    assert (points, [family.file(each).read_bytes() for each in family.confidences]) == whole
    assert steps.index(0) == families.BOARDS
    assert sum(steps) == 2 * ITERATIONS


@pytest.mark.parametrize(("game", "rounds"), [("leduc", 2), pytest.param("hulhe", 8, marks=pytest.mark.thorough)])
def test_a_beginning_says_how_far_it_is(request, game, rounds):
    shares, strategy = [], request.getfixturevalue(game)
    Countering(strategy, 0.9, blueprint=strategy, hears=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) >= rounds  # of the model, and of a blueprint to begin with


@pytest.mark.thorough
def test_a_batch_goes_on_in_its_middle(hulhe, tmp_path):
    once, first = (Countering(hulhe, 0.9, blueprint=hulhe) for _ in range(2))
    second = Countering(hulhe, 0.9)
    for _ in range(12):
        once.step()
    for _ in range(5):
        first.step()
    first.save_checkpoint(tmp_path / "x", {})
    second.load_checkpoint(tmp_path / "x", {})
    for _ in range(7):
        second.step()
    for each, name in ((once, "once.h5"), (second, "twice.h5")):
        each.save(tmp_path / name, {})
    with Strategy.open(tmp_path / "once.h5") as one, Strategy.open(tmp_path / "twice.h5") as two:
        assert all(np.array_equal(one.read(r, slice(None)), two.read(r, slice(None))) for r in range(4))
