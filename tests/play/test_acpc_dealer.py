"""Matches with a program at an ACPC port: our own client there, any split of packets, and every bad answer."""

import random
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from cfr.cli.main import main
from cfr.formats.acpc import MatchState
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.play.acpc.client import play_match
from cfr.play.acpc.dealer import AcpcPlayer
from cfr.play.match import match
from cfr.play.named_players import make_players
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import BadInputError

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
SECONDS = 20.0
VERSION = b"VERSION:2.0.0\r\n"


class Pure(BuiltIn):
    """Decides by what it sees, never by chance: the same hand goes the same way in any process."""

    def distribution(self, state, hand, board):
        drawn = random.Random(f"{self.name} {state.line_string} {sorted(hand)} {sorted(board)}").choice(state.legal)
        return tuple(float(letter == drawn) for letter in "fcr")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def connect(port):
    """A connection to a dealer that may not be there yet."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def running(*works):
    """Runs functions in threads while the block runs; gives what they return, and passes on what goes wrong."""
    results, failed = [None] * len(works), []

    def run(number, work):
        try:
            results[number] = work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    yield results
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    if failed:
        raise failed[0]


def client(strategy, port):
    """Our own client, as soon as the dealer is there."""

    def work():
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return play_match(strategy, "127.0.0.1", port, seed=5)
            except ConnectionError as error:
                if "no dealer" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    return work


@pytest.mark.parametrize("duplicate", [False, True])
def test_both_ends_together_are_the_match_in_one_process(duplicate, tmp_path):
    port, ours, theirs = free_port(), Pure("always-call"), Pure("uniform")
    logs = [tmp_path / "port.log", tmp_path / "process.log"]
    first = StrategyPlayer(ours, "ours")
    with running(client(theirs, port)) as results:
        there = AcpcPlayer("127.0.0.1", port, name="theirs")
        by_port = match(first, there, 200, seed=3, duplicate=duplicate, log=logs[0])
    inside = match(first, StrategyPlayer(theirs, "theirs"), 200, seed=3, duplicate=duplicate, log=logs[1])
    assert by_port == inside
    assert results[0].hands == 200
    assert results[0].mbb_per_game == -inside.mbb_per_game != 0
    assert logs[0].read_bytes() == logs[1].read_bytes()


def test_the_commands(tmp_path, capsys):
    port, log = free_port(), tmp_path / "match.log"
    with running(client(BuiltIn("uniform"), port)) as results:
        words = ["match", f"acpc:{port}", "random", "--hands", "100", "--seed", "1", "--log", str(log)]
        assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == f"cfr: waiting 300 s for a player at 127.0.0.1:{port}\n"
    assert out == f"{results[0]}\n"
    lines = log.read_text().splitlines()
    assert len(lines) == 101
    won, lost = map(int, lines[-1].split(":")[1].split("|"))
    assert won == -lost == results[0].mbb_per_game  # 100 hands of 10 chips the big blind
    assert main(["review", str(log), "--strategy", "uniform", "--no-ev"]) == 0
    assert f"acpc_{port}: " in capsys.readouterr().out


def test_two_ports_and_another_game():
    game, ports = Game.bundled("leduc"), (free_port(), free_port())
    clients = [client(Pure(name, game), port) for name, port in zip(("uniform", "always-call"), ports, strict=True)]
    with running(*clients) as results:
        both = match(*(AcpcPlayer("127.0.0.1", port) for port in ports), 50, seed=2, game=game)
    inside = match(*(StrategyPlayer(Pure(name, game), name) for name in ("uniform", "always-call")), 50, seed=2)
    assert both == inside
    assert [each.mbb_per_game for each in results] == [inside.mbb_per_game, -inside.mbb_per_game]


def test_a_program_sees_what_its_seat_may_see_and_every_state():
    port, heard = free_port(), []

    def listener():
        with connect(port) as connection, connection.makefile("rb") as lines:
            connection.sendall(VERSION)
            for line in lines:
                assert line.endswith(b"\r\n")
                said = MatchState.parse(line.decode().rstrip(), TREE)
                heard.append(said)
                if said.seen.state.actor == said.position and not said.seen.state.is_over:
                    connection.sendall(line.rstrip() + b":" + random.choice(said.seen.state.legal).encode() + b"\r\n")

    with running(listener):
        match(AcpcPlayer("127.0.0.1", port), StrategyPlayer(BuiltIn("uniform"), "u"), 60, seed=4)
    assert {said.number for said in heard} == set(range(60))
    for number in range(60):
        hand = [said for said in heard if said.number == number]
        assert {said.position for said in hand} == {number % 2}
        state = hand[0].seen.state
        assert state.line_string == ""
        for said in hand[1:]:
            # One action further each time: nothing was left out.
            assert said.seen.state.line_string.replace("/", "")[:-1] == state.line_string.replace("/", "")
            state = said.seen.state
        assert state.is_over
    for said in heard:
        assert bool(said.seen.hands[1 - said.position]) == said.seen.state.at_showdown
        assert len(said.seen.board) == said.seen.state.num_board_cards


def test_answers_in_any_pieces():
    """Comments, blank lines, single bytes and pieces of them."""
    port, rng = free_port(), random.Random(6)

    def program():
        with connect(port) as connection, connection.makefile("rb") as lines:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(b"; hello\n" + VERSION[:5])
            time.sleep(0.01)
            connection.sendall(VERSION[5:])
            for line in lines:
                said = MatchState.parse(line.decode().rstrip(), TREE)
                if said.seen.state.is_over or said.seen.state.actor != said.position:
                    continue
                data = (
                    rng.choice([b"", b"# why not\r\n", b"\r\n"]) + line.rstrip() + b":c" + rng.choice([b"\r\n", b"\n"])
                )
                while data:
                    size = min(rng.choice([1, 7, len(data)]), len(data))
                    connection.sendall(data[:size])
                    data = data[size:]
                    if rng.random() < 0.05:
                        time.sleep(0.001)  # so that the pieces are packets

    with running(program):
        result = match(StrategyPlayer(BuiltIn("always-call"), "c"), AcpcPlayer("127.0.0.1", port), 30, seed=1)
    assert result.hands == 30


@pytest.mark.parametrize(
    ("sent", "answer", "code", "said"),
    [
        (b"hello\r\n", None, 2, "'hello'; expected VERSION:2.0.0"),
        (b"VERSION:1.0.0\r\n", None, 2, "'VERSION:1.0.0'; expected VERSION:2.0.0"),
        (b"x" * 5000, None, 2, "a line of more than 4096 bytes"),
        (b"\xff\xfe\r\n", None, 2, "expected VERSION:2.0.0"),
        (b"", None, 1, "went away before the first hand"),
        (VERSION, None, 1, "went away at"),
        (VERSION, b":x", 2, "'x' is illegal; legal are f, c, r"),
        (VERSION, b":r20", 2, ":r20'; expected 'MATCHSTATE:"),
        (VERSION, b"", 2, "and : and an action"),
        (VERSION, b":", 2, "and : and an action"),
        (VERSION, b"x:c", 2, "and : and an action"),
        (VERSION, b":\xfc", 2, "is illegal"),
        (VERSION, b":c" + b"c" * 5000, 2, "a line of more than 4096 bytes"),
    ],
)
def test_bad_answers_end_the_match(sent, answer, code, said, capsys):
    port = free_port()

    def program():
        with connect(port) as connection:
            connection.sendall(sent)
            if sent == VERSION:
                line = connection.makefile("rb").readline()
                if answer is not None:
                    connection.sendall(line.rstrip() + answer + b"\r\n")
            if answer is not None or (sent and sent != VERSION):
                while connection.recv(4096):  # until the dealer has had enough
                    pass

    def tolerant():
        with suppress(ConnectionResetError):  # what was sent too much has not been read
            program()

    with running(tolerant):
        # In the first hand the second player is the button and begins.
        assert main(["match", "always-call", f"acpc:{port}", "--hands", "2", "--seed", "1"]) == code
    waiting, problem = capsys.readouterr().err.splitlines()
    assert waiting.startswith("cfr: waiting ")
    assert problem.startswith((f"cfr: player acpc:{port}", f"cfr: acpc:{port}, after ''"))
    assert said in problem


def test_an_action_out_of_turn_is_no_answer():
    port = free_port()

    def program():
        with connect(port) as connection:
            connection.sendall(VERSION + b"MATCHSTATE:1:0::AsAh|:r\r\n")
            while connection.recv(4096):
                pass

    with running(program), pytest.raises(ValueError, match=r"AsAh\|:r'; expected 'MATCHSTATE:1:0::\|"):
        match(StrategyPlayer(BuiltIn("always-call"), "c"), AcpcPlayer("127.0.0.1", port), 2, seed=1)


@pytest.mark.parametrize("sent", [b"", VERSION, VERSION + b"MATCHSTATE:1:0"])
def test_late_answers_end_the_match(sent):
    port = free_port()

    def program():
        with connect(port) as connection:
            connection.sendall(sent)
            deadline = time.monotonic() + SECONDS
            connection.settimeout(0.02)
            while time.monotonic() < deadline:
                try:
                    if not connection.recv(4096):
                        return
                except TimeoutError:
                    if sent:
                        connection.sendall(b"#\r\n" if sent == VERSION else b"x")  # not more time for that
                except ConnectionResetError:
                    return

    def tolerant():
        with suppress(OSError):
            program()

    player = AcpcPlayer("127.0.0.1", port, answer=0.3)
    with running(tolerant), pytest.raises(TimeoutError, match=r"no (version|action) within 0\.3 s"):
        match(StrategyPlayer(BuiltIn("always-call"), "c"), player, 2, seed=1)


def test_nobody_comes(capsys):
    port = free_port()
    with pytest.raises(TimeoutError, match=rf"acpc:127.0.0.1:{port}: nobody came within 0.05 s"):
        match(AcpcPlayer("127.0.0.1", port, wait=0.05), StrategyPlayer(BuiltIn("uniform"), "u"), 1)
    assert capsys.readouterr().err == f"cfr: waiting 0.05 s for a player at 127.0.0.1:{port}\n"


def test_a_port_in_use(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["match", f"acpc:{port}", "random", "--hands", "2"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"cfr: player acpc:{port}: cannot listen at 127.0.0.1:{port}: Address already in use")
    assert err.count("\n") == 1


def test_the_same_port_twice(capsys):
    port = free_port()
    assert main(["match", f"acpc:{port}", f"acpc:{port}", "--hands", "2"]) == 1
    assert "Address already in use" in capsys.readouterr().err


def test_a_match_at_a_port_has_one_process(capsys):
    assert main(["match", "acpc:0", "random", "--hands", "2", "--processes", "2"]) == 2
    err = capsys.readouterr().err
    assert err == "cfr: processes: 2; a match with a player at a port is played by 1\n"
    with pytest.raises(BadInputError, match="processes: 3"):
        match("random", "acpc:0", 1000, processes=3)


@pytest.mark.parametrize(
    ("name", "host", "port"),
    [("acpc:18791", "127.0.0.1", 18791), ("acpc:0.0.0.0:1", "0.0.0.0", 1), ("acpc:[::1]:7", "::1", 7)],
)
def test_names(name, host, port):
    _, [player, _] = make_players([name, "random"])
    assert (player.name, player.host, player.port) == (name, host, port)


@pytest.mark.parametrize("name", ["acpc:", "acpc:x", "acpc:65536", "acpc:a:b", "acpc::1", "acpc:::1:2", "acpc:1:-2"])
def test_names_that_are_none(name, capsys):
    assert main(["match", name, "random", "--hands", "2"]) == 2
    err = capsys.readouterr().err
    assert err == f"cfr: player {name!r}; expected acpc:PORT or acpc:HOST:PORT, port 0 to 65535\n"


def test_a_free_port_is_found_and_let_go():
    player = AcpcPlayer("127.0.0.1", 0)
    with player:
        assert player.port > 0
    with socket.create_server(("127.0.0.1", player.port)):
        pass
