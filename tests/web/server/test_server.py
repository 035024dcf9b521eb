"""The command ``cfr serve`` as a process: started, stopped, killed, and under load."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from http.client import HTTPConnection

import numpy as np
import pytest

from benchmarks.speed.web import Crowd, serve_command
from cfr.cli.main import main

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


class Server:
    """``cfr serve`` on a free port."""

    def __init__(self, folder, *options):
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            serve_command(folder, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.said = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.said)
        assert found, self.said + self.process.stderr.read()
        self.port = int(found[1])

    def stop(self, how):
        self.process.send_signal(how)
        output = self.process.communicate(timeout=20)
        return self.process.returncode, *output


class Player:
    """Somebody with a cookie and one connection that is kept."""

    def __init__(self, port, seed=0, cookie=""):
        self.connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookie, self.rng, self.seconds = cookie, random.Random(seed), []

    def ask(self, path, body=None):
        headers = {"cookie": self.cookie} if self.cookie else {}
        started = time.perf_counter()
        if body is None:
            self.connection.request("GET", path, headers=headers)
        else:
            headers["content-type"] = "application/json"
            self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        read = answer.read()
        self.seconds.append(time.perf_counter() - started)
        assert answer.status == 200, read
        if found := answer.getheader("set-cookie"):
            self.cookie = found.partition(";")[0]
        return json.loads(read)

    def act(self, hand):
        action = self.rng.choice(hand["actions"])["letter"]
        body = {"hand": hand["number"], "line": hand["line"], "action": action}
        return self.ask("/api/table/act", body)

    def play(self, hands):
        total = self.ask("/api/table")["result"]["chips"]
        for _ in range(hands):
            answer = self.ask("/api/table/deal", {"seat": "alternate"})
            while not answer["hand"]["over"]:
                answer = self.act(answer["hand"])
            total += answer["hand"]["chips"]
        assert answer["result"]["chips"] == total
        self.connection.close()
        return answer["result"]


@pytest.fixture
def serve(tmp_path):
    started = []

    def server(*options):
        started.append(Server(tmp_path, *options))
        return started[-1]

    yield server
    for each in started:
        if each.process.poll() is None:
            each.stop(signal.SIGKILL)


def test_it_says_where_it_is_and_stops_without_complaint(serve):
    server = serve()
    assert server.said == f"http://127.0.0.1:{server.port}/  (Ctrl-C stops)\n"
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/") as page:
        assert b"<title>cfr</title>" in page.read()
    assert server.stop(signal.SIGINT) == (0, "", "")


@pytest.mark.thorough
def test_it_stops_in_the_middle_of_a_flop(serve):
    """Whose expected values take seconds; nobody waits for them any more."""
    server = serve()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/values?line=rc/&board=Td9d6h") as answer:
        assert answer.status == 202
    assert server.stop(signal.SIGINT) == (0, "", "")


@pytest.mark.thorough
def test_killed_in_the_middle_it_loses_nothing(serve):
    server = serve("uniform")
    players = [Player(server.port, seed) for seed in range(4)]
    for player in players:
        player.play(3)
    hands = []
    for player in players:
        hand = player.ask("/api/table/deal", {"seat": "button"})["hand"]
        hands.append(player.act(hand)["hand"])
    before = [player.ask("/api/table") for player in players]
    logs = [player.ask("/api/hands") for player in players]
    for player in players:
        player.connection.close()
    assert server.stop(signal.SIGKILL)[0] == -signal.SIGKILL
    again = serve("uniform")
    for player, table, log in zip(players, before, logs, strict=True):
        back = Player(again.port, cookie=player.cookie)
        assert back.ask("/api/table") == table
        assert back.ask("/api/hands") == log
        hand = table["hand"]
        while not hand["over"]:
            hand = back.act(hand)["hand"]
        assert back.play(1)["hands"] == 5


@pytest.mark.parametrize(
    ("arguments", "reason", "code"),
    [
        (["--port", "65536"], "'65536'; expected a number from 0 to 65535", 2),
        (["--port", "x"], "'x'; expected a number from 0 to 65535", 2),
        (["--seed", "-1"], "expected", 2),
        (["--spots", "0"], "expected", 2),
        (["nowhere.h5"], "nowhere.h5", 2),
        (["--host", ""], "''; expected an address", 2),
        (["--host", "x" * 70], "is no name of a machine", 2),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid:0", 1),
    ],
)
def test_bad_input_is_one_line(arguments, reason, code, capsys, tmp_path):
    try:
        found = main(["serve", "--port", "0", "--sessions", str(tmp_path / "sessions"), *arguments])
    except SystemExit as stop:
        found = stop.code
    said = capsys.readouterr().err
    assert (found, said.count("\n")) == (code, 1)
    assert reason in said


def test_a_game_without_a_grid_is_refused(leduc_file, capsys, tmp_path):
    assert main(["serve", str(leduc_file), "--port", "0", "--sessions", str(tmp_path / "sessions")]) == 2
    assert "leduc has no grid" in capsys.readouterr().err
    assert not (tmp_path / "sessions").exists()


def test_a_port_that_is_taken(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "uniform", "--port", port, "--sessions", str(tmp_path / "sessions")]) == 1
    assert capsys.readouterr().err == f"cfr: 127.0.0.1:{port}: Address already in use\n"


def test_a_file_that_holds_no_sessions(capsys, tmp_path):
    (tmp_path / "sessions").write_text("something else " * 100)
    assert main(["serve", "uniform", "--port", "0", "--sessions", str(tmp_path / "sessions")]) == 1
    assert "not a file of sessions" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert (
        capsys.readouterr().err
        == "cfr: the page needs uvicorn: pip install -e '.[web]' in a clone, or pip install 'cfr-holdem[web]'\n"
    )


@pytest.mark.slow
def test_two_hundred_players_at_once(serve):
    """100 hands each: no error, no wrong chip, and 95 of 100 actions are answered within 100 ms."""
    crowd = Crowd(serve().port)
    crowd.play(players=200, hands=100)
    assert np.quantile(crowd.seconds, 0.95) < 0.1
