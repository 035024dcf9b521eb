"""The ACPC client: whole matches at a small dealer over a real socket, every split of packets, and every bad end."""

import random
import re
import socket
import struct
import threading
import time
from contextlib import contextmanager

import pytest

from cfr.cli.main import main
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.hand import deal_hand, showdown_winner
from cfr.game.rules import GAME_NAMES, Game
from cfr.play.acpc.client import play_match
from cfr.play.acpc.wire import MAX_LINE_BYTES
from cfr.play.players import RandomPlayer
from cfr.play.portfolio import Portfolio
from cfr.strategy.built_in import BuiltIn

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
TIMEOUT = 20.0


def table_text(deal, state, viewer):
    """The cards as the dealer shows them to a position: its own, and at a showdown both hands."""
    hands = [format_cards(hand) if seat == viewer or state.at_showdown else "" for seat, hand in enumerate(deal.hands)]
    text, start = "|".join(hands), 0
    for new in state.tree.game.num_board_cards[1 : state.round + 1]:
        text += "/" + format_cards(deal.board[start : start + new])
        start += new
    return text


class Client:
    """The dealer's end of a connection to a player; what it sends arrives in random pieces."""

    def __init__(self, listener, rng):
        self._rng = rng
        self._connection, _ = listener.accept()
        self._connection.settimeout(TIMEOUT)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._input = self._connection.makefile("rb")
        self._output = b""
        assert self._input.readline() == b"VERSION:2.0.0\r\n"

    def queue(self, line):
        """To be sent: lines that need no answer wait and arrive with later ones."""
        if self._rng.random() < 0.1:
            self._output += self._rng.choice([b"# a comment\r\n", b";another\n", b"\r\n"])
        self._output += line.encode() + self._rng.choice([b"\r\n", b"\r\n", b"\n"])

    def flush(self):
        data, self._output = self._output, b""
        while data:
            size = len(data) if self._rng.random() < 0.5 else self._rng.randint(1, len(data))
            self._connection.sendall(data[:size])
            data = data[size:]
            if data and self._rng.random() < 0.3:
                time.sleep(0.001)  # so that the pieces are packets

    def read(self):
        return self._input.readline()

    def close(self, reset=False):
        if reset:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._input.close()
        self._connection.close()


class Bot:
    """A player in the dealer's own process."""

    def __init__(self, rng):
        self._rng = rng

    def act(self, state, deal):
        return RandomPlayer().act(state, deal.hands[state.actor], (), self._rng)


class Dealer:
    """Deals as the ACPC's dealer does: the same lines at the same time, seats that rotate, and no word at the end.

    It is stricter: where that one warns, this one fails.
    """

    def __init__(self, game, hands, seed=1):
        self.game = game
        self.hands = hands
        self.rng = random.Random(seed)
        self.won = []

    def run(self, players):
        tree = BettingTree(self.game)
        totals = [0, 0]
        for number in range(self.hands):
            deal, state = deal_hand(self.game, self.rng), tree.root
            while not state.is_over:
                lines = self._tell(players, number, deal, state)
                state = state.act(self._ask(players[(state.actor + number) % 2], lines, deal, state))
            self._tell(players, number, deal, state)
            chips = state.payoff(showdown_winner(state, deal))
            for position in (0, 1):
                totals[(position + number) % 2] += chips[position]
        for player in players:
            if isinstance(player, Client):
                player.flush()
                player.close()
        self.won = totals

    def _tell(self, players, number, deal, state):
        lines = [f"MATCHSTATE:{p}:{number}:{state.line_string}:{table_text(deal, state, p)}" for p in (0, 1)]
        for position, line in enumerate(lines):
            player = players[(position + number) % 2]
            if isinstance(player, Client):
                player.queue(line)
        return lines

    def _ask(self, player, lines, deal, state):
        if isinstance(player, Bot):
            return player.act(state, deal)
        player.flush()
        answer = player.read().decode("ascii")
        line = lines[state.actor]
        assert answer.startswith(line + ":"), (answer, line)
        assert answer.endswith("\r\n")
        action = answer[len(line) + 1 : -2]
        assert len(action) == 1
        assert action in state.legal
        return action


@contextmanager
def serving(work):
    """Runs ``work(listener)`` in a thread while the block runs; gives the port, and passes on what goes wrong."""
    failed = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT)

        def run():
            try:
                work(listener)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        yield str(listener.getsockname()[1])
        thread.join(TIMEOUT)
        assert not thread.is_alive()
    if failed:
        raise failed[0]


def test_a_whole_match_in_pieces(hulhe_file, capsys):
    dealer = Dealer(HULHE, 300)
    work = lambda listener: dealer.run([Client(listener, dealer.rng), Bot(dealer.rng)])  # noqa: E731
    with serving(work) as port:
        assert main(["acpc", str(hulhe_file), "127.0.0.1", port]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"{100 * dealer.won[0] / 300:+.1f} mbb/g, ")
    assert out.endswith("over 300 hands\n")


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_game(name):
    game = Game.bundled(name)
    dealer = Dealer(game, 40)
    with serving(lambda listener: dealer.run([Bot(dealer.rng), Client(listener, dealer.rng)])) as port:
        result = play_match(BuiltIn("uniform", game), "127.0.0.1", int(port), seed=2)
    assert result.hands == 40
    assert result.mbb_per_game == pytest.approx(1000 / game.big_blind * dealer.won[1] / 40)


def test_a_rule_plays_the_game_that_is_named(leduc_file, capsys):
    dealer = Dealer(Game.bundled("leduc"), 40)
    with serving(lambda listener: dealer.run([Bot(dealer.rng), Client(listener, dealer.rng)])) as port:
        assert main(["acpc", "always-call", "127.0.0.1", port, "--game", "leduc"]) == 0
    assert capsys.readouterr().out.startswith(f"{1000 * dealer.won[1] / 40:+.1f} mbb/g, ")
    assert main(["acpc", str(leduc_file), "127.0.0.1", "1", "--game", "leduc"]) == 2
    assert "--game: a strategy file has its own game; only built-ins take one" in capsys.readouterr().err


def test_a_player_that_learns_at_a_dealer(leduc_file, tmp_path, capsys):
    file, dealer = tmp_path / "bot.json", Dealer(Game.bundled("leduc"), 60)
    Portfolio.make([str(leduc_file), "always-raise@900"], 60.0).save(file)
    with serving(lambda listener: dealer.run([Client(listener, dealer.rng), Bot(dealer.rng)])) as port:
        assert main(["acpc", f"learn:{file}@ann", "127.0.0.1", port]) == 0
    assert capsys.readouterr().out.endswith("over 60 hands\n")
    assert Portfolio.read(file).learnt["ann"].hands == 60


def test_two_clients_meet():
    dealer = Dealer(HULHE, 100)
    results = []

    def client(port, name):
        results.append(play_match(BuiltIn(name), "127.0.0.1", int(port)))

    def work(listener):
        dealer.run([Client(listener, dealer.rng) for _ in range(2)])

    with serving(work) as port:
        clients = [threading.Thread(target=client, args=(port, "uniform")) for _ in range(2)]
        for each in clients:
            each.start()
        for each in clients:
            each.join(TIMEOUT)
    first, second = results
    assert first.mbb_per_game == -second.mbb_per_game
    assert {first.mbb_per_game, second.mbb_per_game} == {dealer.won[0], dealer.won[1]}


class SpielDealer:
    """Deals by OpenSpiel's universal_poker, which is the ACPC's own C code: its rules, text of states and values."""

    def __init__(self, hands, seed):
        pyspiel = pytest.importorskip("pyspiel")
        if "universal_poker" not in pyspiel.registered_names():
            pytest.skip("this OpenSpiel is built without the ACPC's code")
        fields = re.findall(r"^(\w+) = (.*)$", HULHE.text(), re.MULTILINE)
        settings = ",".join(f"{name}={value}" for name, value in fields)
        self.game = pyspiel.load_game(f"universal_poker(betting=limit,{settings},stack=1000 1000)")
        self.hands = hands
        self.rng = random.Random(seed)
        self.won = 0

    def run(self, client):
        for number in range(self.hands):
            own, state = number % 2, self.game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(self.rng.choice(state.legal_actions()))
                    continue
                line = self._line(state, number, own)
                client.queue(line)
                if state.current_player() == own:
                    client.flush()
                    answer = client.read().decode("ascii")
                    assert answer[:-3] == line + ":"
                    assert answer[-2:] == "\r\n"
                    action = "fcr".index(answer[-3])
                    assert action in state.legal_actions()
                else:
                    action = self.rng.choice([*state.legal_actions(), 1])
                state.apply_action(action)
            client.queue(self._line(state, number, own))
            self.won += state.returns()[own]
        client.flush()
        client.close()

    def _line(self, state, number, viewer):
        betting, cards = re.search(r"ACPC State: STATE:0:([^:]*):(.*)", str(state)).groups()
        hands, *board = cards.split("/")
        if not state.is_terminal() or "f" in betting:
            hands = "|".join(hand if seat == viewer else "" for seat, hand in enumerate(hands.split("|")))
        return f"MATCHSTATE:{viewer}:{number}:{betting}:{'/'.join([hands, *board])}"


@pytest.mark.parametrize("name", ["uniform", "always-raise", "always-call", "always-fold"])
def test_a_dealer_of_the_acpc_s_own_code(name):
    dealer = SpielDealer(150, seed=6)
    with serving(lambda listener: dealer.run(Client(listener, dealer.rng))) as port:
        result = play_match(BuiltIn(name), "127.0.0.1", int(port), seed=7)
    assert result.hands == 150
    assert result.mbb_per_game == pytest.approx(100 * dealer.won / 150)


START = "MATCHSTATE:1:7::|AsKh"


@pytest.mark.parametrize(
    ("lines", "reset", "where"),
    [
        ([], False, "before the first hand"),
        ([], True, "before the first hand"),
        ([START], False, "at '' of hand 7"),
        ([START], True, "at '' of hand 7"),
        ([START, "MATCHSTATE:1:7:rc/:|AsKh/2c3c4c"], False, "at 'rc/' of hand 7"),
        ([START, "MATCHSTATE:1:7:rf:|AsKh", "MATCHSTATE:0:8:"], False, "after hand 7"),
    ],
)
def test_a_dealer_that_goes_away(lines, reset, where, capsys):
    def work(listener):
        client = Client(listener, random.Random(3))
        text = "\r\n".join(lines)
        if lines and not lines[-1].endswith(":"):
            text += "\r\n"
        client._connection.sendall(text.encode())
        if START in lines:
            client.read()
        client.close(reset)

    with serving(work) as port:
        code = main(["acpc", "always-raise", "127.0.0.1", port])
    assert code == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"cfr: the dealer at 127.0.0.1:{port} went away {where}")
    assert err.count("\n") == 1


def test_nobody_there(capsys):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    assert main(["acpc", "always-call", "127.0.0.1", port]) == 1
    assert capsys.readouterr().err == f"cfr: no dealer at 127.0.0.1:{port}: Connection refused\n"
    assert main(["acpc", "always-call", "127.0.0.256", port]) == 1
    assert capsys.readouterr().err.startswith(f"cfr: no dealer at 127.0.0.256:{port}: ")


def test_the_strategy_is_ready_before_it_connects():
    class Watched(BuiltIn):
        def distribution(self, state, hand, board):
            asked.append((state.round, len(hand), len(board)))
            return super().distribution(state, hand, board)

    asked = []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ConnectionError, match="no dealer"):
        play_match(Watched("uniform"), "127.0.0.1", port)
    assert set(asked) == {(0, 2, 0), (1, 2, 3), (2, 2, 4), (3, 2, 5)}


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x", ""])
def test_ports_are_checked(port, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["acpc", "always-call", "localhost", port])
    assert stop.value.code == 2
    assert "expected a port from 1 to 65535" in capsys.readouterr().err or port == "-1"


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        (b"hello\r\n", "'hello'; expected MATCHSTATE:position:hand:betting:cards"),
        (b"\xff\xfe\r\n", "expected MATCHSTATE"),
        (b"MATCHSTATE:0:0:x:AsKh|\r\n", "'x' at position 1 is no action"),
        (b"A" * (MAX_LINE_BYTES + 1), f"a line of more than {MAX_LINE_BYTES} bytes"),
        (b"MATCHSTATE:0:0:cc/cc/cc/cc:AsKh|/2c3c4c/5c/6c\r\n", "does not show both hands"),
    ],
)
def test_a_dealer_that_talks_nonsense(sent, what, capsys):
    def work(listener):
        client = Client(listener, random.Random(3))
        client._connection.sendall(sent)
        assert client.read() == b""
        client.close()

    with serving(work) as port:
        assert main(["acpc", "always-call", "127.0.0.1", port]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"cfr: from the dealer at 127.0.0.1:{port}: ")
    assert what in err
    assert err.count("\n") == 1
