"""The player that learns: it wins more than the equilibrium, within its risk, and remembers what it is told to."""

import json
import time
from types import SimpleNamespace

import numpy as np
import pytest

from cfr.exploit.exploitability import exploitability
from cfr.exploit.head_to_head import value_against
from cfr.game.hand import SeenHand
from cfr.opponents import situation
from cfr.opponents.counter import Countering
from cfr.opponents.model import ALGORITHM
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.play.learning_player import LearningPlayer
from cfr.play.learnt import Learnt, learnt_from
from cfr.play.match import match
from cfr.play.named_players import make_players
from cfr.play.portfolio import Portfolio
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.table import Table
from cfr.play.terminal import play
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import Strategy
from cfr.strategy.mixed import Mixed
from cfr.system.disk.file_lock import Lock
from cfr.system.errors import BadInputError, DamagedFileError, SaveError

RISK = 60.0


@pytest.fixture(scope="module")
def flawed(leduc):
    """Players by name: one calls, one raises and one folds too much."""
    found = {}
    for name, action, value in (("calls", 0, -2.0), ("raises", 1, 1.5), ("folds", 0, 1.5)):
        tilt = Tilt(np.zeros((situation.count(leduc.game), 2, 4)), 0.02)
        tilt.parameters[:, action, 0] = value
        found[name] = Tilted(leduc, tilt)
    return found


@pytest.fixture(scope="module")
def made(leduc_file, flawed, tmp_path_factory):
    """A portfolio's file: the solution, and a counter to each flawed player."""
    folder = tmp_path_factory.mktemp("portfolio")
    names = [str(leduc_file)]
    for (name, player), confidence in zip(flawed.items(), (0.35, 0.35, 0.5), strict=True):
        player.save(folder / f"{name}.h5", {"algorithm": ALGORITHM})
        with Strategy.open(folder / f"{name}.h5") as model:
            solver = Countering(model, confidence)
            for _ in range(200):
                solver.step()
            said = {"algorithm": "counter", "counter_of": str(model.attributes["checksum"])}
        solver.save(folder / f"beat-{name}.h5", said)
        names.append(f"{folder}/beat-{name}.h5@{exploitability(folder / f'beat-{name}.h5').exploitability_mbb}")
    Portfolio.make(names, RISK).save(folder / "bot.json")
    Portfolio.make(names, RISK, [str(folder / f"{name}.h5") for name in flawed]).save(folder / "knows.json")
    return folder / "bot.json"


@pytest.fixture
def file(made, tmp_path):
    path = tmp_path / "bot.json"
    path.write_bytes(made.read_bytes())
    return path


def won(file, other, hands, seed):
    """``(hands,)`` mbb/g that the learning player won from another, but for luck, and what the equilibrium wins."""
    learner = LearningPlayer(f"learn:{file}")
    exact = np.array([value_against(part, other).mbb_per_game for part in learner.strategy.parts])
    risks = np.array([each.exploitability_mbb for each in learner.portfolio.responses])
    shares = []
    with Table(other.game, (learner, StrategyPlayer(other, "other")), seed) as table:
        for number in range(hands):
            shares.append(learner.strategy.shares)
            table.play(number)
    assert max(each @ risks for each in shares) <= risks[0] + RISK + 1e-6
    return np.array(shares) @ exact, exact[0]


@pytest.mark.thorough
def test_it_learns_to_win(file, flawed):
    learnt, equilibrium = won(file, flawed["calls"], 800, 1)
    assert learnt.mean() > equilibrium + 20
    assert learnt[-100:].mean() > learnt[0] + 20  # more than by the weights that it began with


def test_it_loses_little_to_the_equilibrium(file, leduc):
    learnt, _ = won(file, leduc, 400, 1)
    assert -5 < learnt.mean() < 0


@pytest.mark.parametrize("name", ["calls", "raises", "folds"])
def test_models_tell_players_apart_early(made, flawed, name):
    learnt, equilibrium = won(made.with_name("knows.json"), flawed[name], 150, 1)
    assert learnt[-30:].mean() > equilibrium + 20


def test_models_tell_the_equilibrium(made, leduc):
    learnt, _ = won(made.with_name("knows.json"), leduc, 200, 1)
    assert -1 < learnt[-50:].mean() < 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["calls", "raises"])
def test_it_wins_more_in_a_long_match(file, flawed, name):
    learnt, equilibrium = won(file, flawed[name], 3000, 1)
    assert learnt.mean() > equilibrium + 10


def test_a_model_belongs_to_a_response(made, leduc_file):
    known = Portfolio.read(made.with_name("knows.json"))
    assert [each.model and each.model.rpartition("/")[2] for each in known.responses] == [
        None,
        *(f"{name}.h5" for name in ("calls", "raises", "folds")),
    ]
    counter = f"{known.responses[1].name}@{known.responses[1].exploitability_mbb}"
    with pytest.raises(BadInputError, match=r"raises.h5: none of the responses is a counter-strategy to this model"):
        Portfolio.make([str(leduc_file), counter], RISK, [str(made.with_name("raises.h5"))])
    with pytest.raises(BadInputError, match="uniform: none of the responses"):
        Portfolio.make([str(leduc_file), counter], RISK, ["uniform"])


def test_a_file_without_likelihoods_is_read(file):
    match(f"learn:{file}@ann", "always-call", 20, seed=1)
    known = Portfolio.read(file)
    said = json.loads(file.read_text())
    for each in said["responses"]:
        del each["model"], each["model_checksum"]
    del said["learnt"]["ann"]["likelihoods"]
    file.write_text(json.dumps(said))
    assert Portfolio.read(file) == known  # a portfolio without models


def test_a_match_depends_on_its_seed_alone(file, leduc_file):
    results = [match(f"learn:{file}", str(leduc_file), 200, seed=seed) for seed in (1, 1, 2)]
    assert results[0] == results[1] != results[2]


def test_it_remembers_an_opponent(file, leduc_file):
    for hands in (120, 80):
        match(f"learn:{file}@ann", "always-call", hands, seed=hands)
    match(f"learn:{file}@bob", "always-call", 10)
    match(f"learn:{file}", "always-call", 10)
    known = Portfolio.read(file)
    assert {name: each.hands for name, each in known.learnt.items()} == {"ann": 200, "bob": 10}
    with LearningPlayer(f"learn:{file}@ann") as player:
        assert np.array_equal(player.strategy.shares, known.weights("ann"))
        assert not np.array_equal(player.strategy.shares, known.weights("carl"))
        assert known.weights("ann") @ [each.exploitability_mbb for each in known.responses] == known.worst_mbb("ann")


def test_what_it_knows_outlives_a_crash(file):
    class Crash:
        hands = 0

        def act(self, state, hand, board, rng):
            self.hands += not state.line_string.replace("c", "")
            if self.hands > 150:
                raise KeyboardInterrupt
            return "c"

    with pytest.raises(KeyboardInterrupt):
        match(f"learn:{file}@ann", Crash(), 1000, seed=1)
    assert Portfolio.read(file).learnt["ann"].hands > 40


def failing(portfolio):
    portfolio.learnt.clear()
    raise KeyError


def test_a_change_waits_for_another_and_loses_nothing(file, monkeypatch):
    ann, bob = (Learnt(hands, *([float(hands)] * 4 for _ in range(3))) for hands in (1, 2))
    first = Lock(file, "somebody")

    def sleep(seconds):
        known = Portfolio.read(file)
        known.learn("ann", ann)
        known.save(file)
        first.close()

    monkeypatch.setattr("cfr.play.portfolio.time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    with Portfolio.changing(file, "another") as portfolio:
        portfolio.learn("bob", bob)
    assert Portfolio.read(file).learnt == {"ann": ann, "bob": bob}
    with pytest.raises(KeyError), Portfolio.changing(file, "another") as portfolio:
        failing(portfolio)
    with (
        Lock(file, "somebody"),
        pytest.raises(SaveError, match="somebody"),
        Portfolio.changing(file, "another", patience=-1),
    ):
        pass
    assert Portfolio.read(file).learnt == {"ann": ann, "bob": bob}


def test_a_hand_that_the_mix_never_plays_teaches_nothing(leduc):
    """Such as one that another bot played on."""
    mix = Mixed([BuiltIn(name, leduc.game) for name in ("always-call", "always-raise")], [0.5, 0.5])
    folds, calls = (SeenHand(leduc.betting.parse(line), ((), ()), ()) for line in ("rf", "r"))
    first = leduc.betting.root.actor
    assert learnt_from(mix, None, 1 - first, folds) is None
    assert learnt_from(mix, None, first, calls) is None  # it is not over
    assert learnt_from(mix, None, first, folds) is not None


def test_a_person_teaches_it(file):
    with LearningPlayer(f"learn:{file}@me") as player:
        play(player, hands=5, seed=1, ask=lambda prompt: "c", say=lambda text: None)
    assert Portfolio.read(file).learnt["me"].hands == 5


def test_one_at_a_time(file, leduc_file):
    name = f"learn:{file}@ann"
    with LearningPlayer(name), pytest.raises(SaveError, match="a learning player"):
        match(name, "always-call", 10)
    with pytest.raises(BadInputError, match="a match with a player that learns is played by 1"):
        match(name, "always-call", 1000, processes=2)
    with pytest.raises(BadInputError, match="a match with a player that learns is not resumed"):
        match(name, "always-call", 10, seed=1, log="x.log", resume=True)


def test_two_in_one_match_learn_by_themselves(file):
    for other in ("ann", "bob"):
        with pytest.raises(BadInputError, match="would keep what they learn in one file; expected a file for each"):
            match(f"learn:{file}@ann", f"learn:{file}@{other}", 10)
    _, players = make_players([f"learn:{file}", f"learn:{file}"])
    assert players[0] is not players[1]
    match(f"learn:{file}@ann", f"learn:{file}", 10)
    assert Portfolio.read(file).learnt["ann"].hands == 10


def test_mistakes_are_one_line(file, made, leduc_file, tmp_path):
    said = json.loads(file.read_text())
    for damage in (b"", b"[]", file.read_bytes()[:-40], json.dumps(said | {"format": "x"}).encode()):
        (tmp_path / "bad.json").write_bytes(damage)
        with pytest.raises(DamagedFileError, match="not a portfolio"):
            LearningPlayer(f"learn:{tmp_path / 'bad.json'}")
    with pytest.raises(DamagedFileError, match="a device; expected a portfolio"):
        LearningPlayer("learn:/dev/zero")
    said["responses"][1]["checksum"] = "0"
    file.write_text(json.dumps(said))
    with pytest.raises(BadInputError, match="has changed since the portfolio was made"):
        LearningPlayer(f"learn:{file}")
    for name in ("learn:", "learn:x@", "learn:@x"):
        with pytest.raises(BadInputError, match="expected learn:FILE"):
            LearningPlayer(name)
    with pytest.raises(BadInputError, match="its exploitability is not known"):
        Portfolio.make([str(leduc_file), str(made.parent / "beat-calls.h5")], RISK)
    with pytest.raises(BadInputError, match="different games"):
        Portfolio.make([str(leduc_file), "small"], RISK)
