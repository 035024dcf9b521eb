"""Ctrl-C and SIGTERM wait for the step that is under way, the second one does not; and handlers are put back."""

import signal
import threading

import h5py
import pytest

from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.solver import checkpoint
from cfr.solver.game_solver import GameSolver
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.system.interrupts import Interrupts, terminable


def press() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def leduc(tmp_path):
    return Settings(Game.bundled("leduc"), None, iterations=6, out=tmp_path / "l.h5")


@pytest.fixture
def handlers(monkeypatch):
    """Which handlers are set from now on."""
    found = []
    set_handler = signal.signal
    monkeypatch.setattr(signal, "signal", lambda number, handler: found.append(handler) or set_handler(number, handler))
    return found


def test_the_first_waits_and_the_second_does_not():
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        assert not interrupts.came
        press()
        assert interrupts.came
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_what_may_be_left_is_left_at_once():
    with Interrupts() as interrupts:
        with interrupts.at_once():
            press()
            pytest.fail("goes on")
        assert interrupts.came
        with pytest.raises(KeyboardInterrupt):
            press()
    with Interrupts() as interrupts:
        with interrupts.at_once():
            pass
        press()  # waits again
        assert interrupts.came


def test_what_ctrl_c_did_before_it_does_again():
    heard = []
    usual = signal.signal(signal.SIGINT, lambda *_: heard.append("mine"))
    try:
        with Interrupts():
            press()
            assert not heard
        press()
        assert heard == ["mine"]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Interrupts() as interrupts:
            press()
        assert not interrupts.came
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, usual)


def test_a_solve_sets_one_handler(leduc, handlers):
    before = signal.getsignal(signal.SIGINT)
    assert solve(leduc).iterations == 6
    assert len(handlers) == 2
    assert handlers[1] is before


def test_a_solve_elsewhere_than_in_the_main_thread(leduc, handlers):
    results = []
    thread = threading.Thread(target=lambda: results.append(solve(leduc)))
    thread.start()
    thread.join()
    assert results[0].iterations == 6
    assert not handlers


@pytest.mark.parametrize("presses", [1, 2])
def test_a_solve_is_stopped_by_one_and_left_by_two(presses, leduc, monkeypatch):
    before, step = signal.getsignal(signal.SIGINT), GameSolver.step

    def pressing(run, most, _):
        for _ in range(presses):
            press()
        return step(run, most)

    monkeypatch.setattr(GameSolver, "step", pressing)
    with pytest.raises(KeyboardInterrupt) as stopped:
        solve(leduc)
    assert str(stopped.value).startswith("stopped after 1 iteration;") == (presses == 1)
    assert checkpoint.path_for(leduc.out).exists() == (presses == 1)
    assert signal.getsignal(signal.SIGINT) is before


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def test_sigterm_is_an_interrupt_where_the_command_line_says_so():
    with terminable():
        with pytest.raises(KeyboardInterrupt):
            terminate()
        with Interrupts() as interrupts:
            terminate()
            assert interrupts.came
        with pytest.raises(KeyboardInterrupt):
            terminate()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    with Interrupts():
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_who_listens_to_sigterm_already_goes_on_to():
    heard = []
    signal.signal(signal.SIGTERM, lambda *_: heard.append("mine"))
    try:
        with terminable():
            terminate()
        assert heard == ["mine"]
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_nothing_is_set_elsewhere_than_in_the_main_thread(handlers):
    def run():
        with terminable():
            pass

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not handlers


def test_sigterm_ends_a_solve_that_a_shell_has_put_in_the_background(leduc, tmp_path, monkeypatch, capsys):
    """Where Ctrl-C is ignored."""
    step = GameSolver.step

    def terminating(run, most, _):
        done = step(run, most)
        if run.iterations == 3:
            terminate()
        return done

    whole, killed = tmp_path / "whole.h5", tmp_path / "killed.h5"
    arguments = ["solve", "leduc", "--iterations", "6", "--out"]
    assert main([*arguments, str(whole)]) == 0
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(GameSolver, "step", terminating)
            assert main([*arguments, str(killed)]) == 130
    finally:
        signal.signal(signal.SIGINT, usual)
    assert "stopped after 3 iterations; continue with: cfr solve --resume" in capsys.readouterr().err
    assert main(["solve", "--resume", str(checkpoint.path_for(killed))]) == 0
    with h5py.File(whole) as expected, h5py.File(killed) as found:
        assert found.attrs["checksum"] == expected.attrs["checksum"]
