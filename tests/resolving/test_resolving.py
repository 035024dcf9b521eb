"""A strategy that re-solves: one fixed strategy, safe, and the same however it is asked."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import strengths
from cfr.hands.isomorphism import permuted_suits
from cfr.resolving import resolving_strategy as resolving
from cfr.resolving.gadget import CFR_D, COMBINED, UNSAFE
from cfr.resolving.resolver import Effort, Resolver, Subgames, certificates
from cfr.resolving.resolving_strategy import Resolving, resolve
from cfr.resolving.target_values import target_values
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.stored import open_strategy
from cfr.study.spot_values import expected_values
from cfr.system.errors import BadInputError
from cfr.values.expected_values import why_unvalued
from tests.resolving.random_strategy import RandomStrategy
from tests.small_games import short_deck

RIVER, LINE = "Td9d6hQc2s", "rc/crc/cc/"
GAME = short_deck("small", 3, 3, (0, 3, 1), (1, 1, 1))


@pytest.fixture(scope="module")
def supplied():
    with open_strategy() as strategy:
        yield strategy


@pytest.fixture
def river(supplied, tmp_path, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path))
    return Resolving(supplied, "river", Effort(20))


def test_before_its_round_it_is_the_blueprint(supplied, river):
    assert river.probabilities("AhJh", "Td9d6hQc", "rc/crc/") == supplied.probabilities("AhJh", "Td9d6hQc", "rc/crc/")
    assert river.range(line="r").frequencies.tolist() == supplied.range(line="r").frequencies.tolist()


def test_it_tells_what_share_of_a_solve_is_done(river):
    told = []
    river.hears = told.append
    river.range(RIVER, LINE)
    assert told[:3] == [0.0, 0.05, 0.1]
    assert told == sorted(told)
    assert told[-1] == 1.0
    told.clear()
    river.range(RIVER, LINE)
    assert told == []


def test_it_solves_once_and_plays_on_from_it(supplied, river, monkeypatch):
    solves = []
    monkeypatch.setattr(resolving, "resolve", lambda *asked: solves.append(asked) or resolve(*asked))
    state, board = river.spot(RIVER, LINE)
    first = river.range(RIVER, LINE)
    raised = river.range(RIVER, LINE + "r")
    assert raised.legal == "fcr"
    live = first.frequencies.sum(axis=1) > 0
    np.testing.assert_allclose(first.frequencies[live].sum(axis=1), 1)
    assert river.certificate(state, board) is not None
    assert len(solves) == 2  # one for each seat
    another = Resolving(supplied, "river", Effort(20))  # in the same cache
    assert another.range(RIVER, LINE).frequencies.tobytes() == first.frequencies.tobytes()
    assert len(solves) == 2
    assert Resolving(supplied, "river", Effort(20), keeps=False).range(RIVER, LINE).seat == first.seat
    assert len(solves) == 3
    monkeypatch.setattr(resolving, "lanes", lambda dtype: 7)  # a machine that lays its tables out in another way
    assert Resolving(supplied, "river", Effort(20)).range(RIVER, LINE).seat == first.seat
    assert len(solves) == 4


def test_isomorphic_spots_are_played_alike(river):
    hand, board = parse_cards("AhJh"), parse_cards(RIVER)
    expected = river.probabilities("AhJh", RIVER, LINE + "c")
    for permutation in range(24):
        cards = [format_cards(permuted_suits(each, permutation)) for each in (hand, board)]
        assert river.probabilities(*cards, LINE + "c") == expected


def test_hands_that_never_come_play_as_the_blueprint_does(supplied, river):
    own = supplied.range(RIVER, LINE)
    never = (own.reach == 0) & (own.frequencies.sum(axis=1) > 0)
    assert never.any()
    found = river.range(RIVER, LINE).frequencies
    assert found[never].tolist() == own.frequencies[never].tolist()
    assert found[own.reach > 0].tolist() != own.frequencies[own.reach > 0].tolist()


def test_where_the_own_range_is_empty_the_blueprint_plays():
    limper, folder = BuiltIn("always-call"), BuiltIn("always-fold")
    for blueprint, line in ((limper, "rc/cc/cc/"), (folder, "cc/cc/cc/c")):
        again = Resolving(blueprint, "river", Effort(5), keeps=False)
        state, board = again.spot(RIVER, line)
        seat = state.actor
        assert blueprint.reach(state, board, seat).any() == (blueprint is limper)
        found = again.range(RIVER, line).frequencies
        assert np.isfinite(found).all()
        assert (found.tolist() == blueprint.range(RIVER, line).frequencies.tolist()) == (blueprint is folder)
        assert (again.certificate(state, board) is None) == (blueprint is folder)


def test_lines_side_by_side_are_solved_as_if_alone(supplied):
    board = parse_cards(RIVER)
    entries = sorted(
        (supplied.betting.parse(each) for each in (LINE, "rrc/rc/cc/", "cc/crc/rc/")), key=lambda e: e.line
    )
    own, expected = (np.array([supplied.reach(e, board, seat) for e in entries]) for seat in (0, 1))
    targets = target_values(supplied, entries, board, 0, own)
    together = Resolver(Subgames(entries, board, 0, own, expected, targets), Effort(10), threads=2)
    together.solve()
    best = together.best_response()
    for number in range(len(entries)):
        one = slice(number, number + 1)
        alone_targets = target_values(supplied, entries[one], board, 0, own[one])
        np.testing.assert_allclose(alone_targets, targets[one], rtol=1e-5, atol=1e-3)
        alone = Resolver(Subgames(entries[one], board, 0, own[one], expected[one], targets[one]), Effort(10))
        alone.solve()
        assert alone.best_response()[0].tolist() == best[number].tolist()


def test_target_values_are_the_best_responses_of_a_spot(supplied):
    """The same by another way: the blueprint's play in a spot's own tables."""
    from cfr.spots.fixed_play import fixed_play
    from cfr.spots.solver import SpotSolver
    from cfr.strategy.spot import Spot

    state, board = supplied.betting.parse(LINE), parse_cards(RIVER)
    ranges = np.array([supplied.reach(state, board, seat) for seat in (0, 1)])
    solver = SpotSolver(Spot(state, board, ranges))
    won = solver.measure(fixed_play(supplied.source, solver)).best_response[1]
    targets = target_values(supplied, [state], board, 0, ranges[:1])
    assert targets[0] @ ranges[1] / solver.spot.mass == pytest.approx(won, rel=1e-5)


@pytest.mark.thorough
def test_processes_threads_and_the_cache_give_the_same_bits(supplied, tmp_path):
    script = (
        "import sys, numpy as np, cfr\n"
        "from cfr.resolving.resolver import Effort\n"
        "from cfr.resolving.resolving_strategy import Resolving\n"
        "from cfr.strategy.files.stored import open_strategy\n"
        f"again = Resolving(open_strategy(), 'river', Effort(20), threads=int(sys.argv[1]))\n"
        f"np.save(sys.argv[2], again.range({RIVER!r}, {LINE!r}).frequencies)\n"
    )
    outcomes = []
    for number, (threads, cache) in enumerate(((1, "a"), (2, "b"), (2, "a"), (1, "b"))):
        path = tmp_path / f"{number}.npy"
        environment = os.environ | {"CFR_CACHE": str(tmp_path / cache)}
        subprocess.run([sys.executable, "-c", script, str(threads), path], check=True, env=environment)
        outcomes.append(np.load(path).tobytes())
    assert len(set(outcomes)) == 1
    assert len(list((tmp_path / "a" / "resolved").iterdir())) == 1


def test_a_damaged_solution_is_solved_again(supplied, tmp_path, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path))
    expected = Resolving(supplied, "river", Effort(5)).range(RIVER, LINE).frequencies
    (path,) = (tmp_path / "resolved").iterdir()
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:]):
        path.write_bytes(damaged)
        assert Resolving(supplied, "river", Effort(5)).range(RIVER, LINE).frequencies.tolist() == expected.tolist()
        assert path.read_bytes() == whole


def test_expected_values_are_of_what_both_seats_play(river):
    """What a hand wins is what its actions win, and both seats' values sum to 0."""
    ranges = [expected_values(river, RIVER, LINE, seat) for seat in (0, 1)]
    assert ranges[0].mean_ev == pytest.approx(-ranges[1].mean_ev, rel=1e-9)
    actor = ranges[0]
    there = actor.weight > 0
    np.testing.assert_allclose(actor.frequencies[there], river.range(RIVER, LINE).frequencies[there])
    np.testing.assert_allclose(
        actor.ev[there], np.nansum(actor.frequencies[there] * actor.action_ev[there], axis=1), rtol=1e-12
    )
    with pytest.raises(
        BadInputError, match=r"begin on the river; its blueprint, named without \+river or resolve=, has"
    ):
        expected_values(river, "Td9d6hQc", "rc/crc/")


def test_rivers_below_a_turn_go_by_strength(supplied, tmp_path, monkeypatch):
    monkeypatch.setenv("CFR_CACHE", str(tmp_path))
    play = {}
    for river_rows in (None, "hands"):
        bot = Resolving(supplied, "turn", Effort(6, river_rows=river_rows))
        play[river_rows] = bot.range(RIVER, LINE)
    again = Resolving(supplied, "turn", Effort(6))  # from the cache
    monkeypatch.setattr(resolving, "resolve", None)
    assert again.range(RIVER, LINE).frequencies.tobytes() == play[None].frequencies.tobytes()
    comes = play[None].reach > 1e-6
    strength = strengths(np.array([parse_cards(RIVER)], np.uint8), supplied.game.hands)[0][comes]
    for river_rows, some_differ in ((None, False), ("hands", True)):
        ties = [play[river_rows].frequencies[comes][strength == each] for each in np.unique(strength)]
        assert max(len(each) for each in ties) > 5
        assert any((each != each[0]).any() for each in ties) == some_differ


def test_the_river_alone_and_small_decks_go_by_hand(supplied):
    game = supplied.game
    assert [Effort().rows_from(game, round_) for round_ in (1, 2, 3)] == ["strength", "strength", "hands"]
    assert [Effort(river_rows="hands").rows_from(game, round_) for round_ in (1, 2, 3)] == ["hands"] * 3
    assert Effort().rows_from(GAME, 1) == "hands"
    assert Effort(river_rows="strength").rows_from(GAME, 1) == "strength"


def test_a_blueprint_of_refined_flops_is_not_recommended(monkeypatch):
    """It has no name of its own."""
    with open_strategy() as strategy:
        again = Resolving(strategy, "turn", Effort(1), keeps=False)
        state, _ = again.spot("Td9d6h", "rc/")
        assert why_unvalued(again, state).endswith("named without +turn or resolve=, has some here")
        monkeypatch.setattr(strategy, "is_under_refined", True)
        assert why_unvalued(again, state) == "expected values of a strategy that re-solves begin on the turn"


@pytest.mark.parametrize("line", [LINE, "cc/cc/cc/"])
def test_the_tables_behind_a_line_are_what_is_played(river, line):
    """Also for hands that never get there, and for a seat that never does: no button limps."""
    entry, board = river.spot(RIVER, line)
    whole, board, _ = river.below(entry, board)
    rows = whole.source.rows.rows(3, np.array([board], np.uint8))[0]
    live = rows >= 0
    shares = whole.source.probabilities(3, np.arange(rows.max() + 1), np.array([entry.line]))[rows[live], :, 0]
    never = [np.count_nonzero(river.reach(entry, board, seat)[live] == 0) for seat in (0, 1)]
    assert never[0] > 0
    assert never[1] == (live.sum() if line == "cc/cc/cc/" else never[1]) > 0
    for state in entry.decisions():
        numbers = whole.betting.rounds[3].action_index[state.node]
        played = river.all_hands(state, board)[live]
        np.testing.assert_allclose(shares[:, numbers[numbers >= 0]], played[:, numbers >= 0], atol=1e-12)


def test_expected_values_meet_resolved_play_of_a_seat_that_came_alone(river):
    """The button never limps, so only the big blind is re-solved. What calls win is counted pair by pair."""
    line = "cc/cc/cc/r"
    state, board = river.spot(RIVER, line)
    values = expected_values(river, RIVER, line, unreached=True)
    bets = river.reach(state, board, 0)
    assert not np.allclose(bets, river.blueprint.reach(state, board, 0))
    game, live = river.game, river.game.live(board)
    strength = strengths([board], game.hands)[0].astype(float)
    pairs = game.apart * bets
    won = (pairs * np.sign(strength[:, None] - strength)).sum(axis=1) / pairs.sum(axis=1)
    chips = state.act("c").stakes[1]
    np.testing.assert_allclose(values.action_ev[live, 1], 1000 / game.big_blind * chips * won[live], atol=1e-6)


@pytest.mark.parametrize("never", [0, 0.3])
def test_more_iterations_make_it_safe(never):
    """With CFR-D's gadget no hand gains over its target in the end; the others trade some of that for strength."""
    blueprint = RandomStrategy(GAME, 3, never)
    state = blueprint.betting.parse("cc/cc/")
    board = (38, 39, 42, 46) if 38 in GAME.deck else tuple(GAME.deck[:4].tolist())

    def most(gadget, iterations):
        return resolve(blueprint.at(state, board), 1, Effort(iterations, "dcfr", gadget)).certificate

    few, many = most(CFR_D, 10), most(CFR_D, 3000)
    assert many.most <= min(1, few.most / 20)
    combined, unsafe = most(COMBINED, 3000), most(UNSAFE, 3000)
    assert 0 < many.drop < combined.drop
    assert many.mean < min(combined.mean, unsafe.mean)


def test_certificates_are_what_hands_gain_when_they_meet_the_others():
    """By hand, pair by pair."""
    blueprint = RandomStrategy(GAME, 3)
    state, board, seat = blueprint.betting.parse("cc/cc/"), tuple(GAME.deck[:4].tolist()), 1
    own, expected = (blueprint.reach(state, board, each) for each in (seat, 1 - seat))
    targets = target_values(blueprint, [state], board, seat, own[None])
    subgames = Subgames([state], board, seat, own[None], expected[None], targets)
    resolver = Resolver(subgames, Effort(3))
    resolver.solve()
    best = resolver.best_response()
    [found] = certificates(subgames, best)
    hands = [set(each) for each in GAME.hands.tolist()]
    gains, own, expected = (best - subgames.targets)[0], subgames.own[0], subgames.expected[0]  # as rounded
    meets = np.array([sum(w for w, other in zip(own, hands, strict=True) if not each & other) for each in hands])
    meets[[bool(each & set(board)) for each in hands]] = 0
    assert found.most == pytest.approx(500 * max(g / m for g, m in zip(gains, meets, strict=True) if m))
    assert found.mean == pytest.approx(500 * sum(max(g, 0) for g in gains) / sum(meets))
    assert found.drop == pytest.approx(-500 * sum(gains * expected) / sum(meets * expected))
    assert GAME.big_blind == 2  # 500 mbb a chip
    assert min(found.most, found.mean, abs(found.drop)) > 1


def test_play_improves_also_where_the_blueprint_expects_nobody():
    """CFR-D's gadget presses no further than the target values."""
    blueprint = RandomStrategy(GAME, 3)
    state, board, seat = blueprint.betting.parse("cc/cc/"), tuple(GAME.deck[:4].tolist()), 1
    own = blueprint.reach(state, board, seat)[None]
    targets = target_values(blueprint, [state], board, seat, own)
    subgames = Subgames([state], board, seat, own, np.zeros_like(own), targets)

    def solved(gadget):
        """The share of their target values that hands lose in all, and the certificate."""
        resolver = Resolver(subgames, Effort(80, gadget=gadget))
        resolver.solve()
        best = resolver.best_response()
        return float((targets - best).sum() / np.abs(targets).sum()), certificates(subgames, best)[0]

    (lost, certificate), (lost_to_cfr_d, _) = solved(COMBINED), solved(CFR_D)
    assert lost > 1.5 * lost_to_cfr_d > 0
    assert certificate.most < 1


def test_what_it_refuses(supplied):
    with pytest.raises(BadInputError, match="re-solving from 'river'; expected flop or turn in small"):
        Resolving(BuiltIn("uniform", GAME), "river")
    with pytest.raises(BadInputError, match="expected flop or turn or river in hulhe"):
        Resolving(supplied, "preflop")


def test_effort_is_part_of_what_it_is(supplied):
    efforts = [Effort(5), Effort(6), replace(Effort(5), gadget=UNSAFE), Effort(5, "dcfr")]
    found = [str(Resolving(supplied, "river", each).identity) for each in efforts]
    assert len(set(found)) == len(found)
    assert str(Resolving(supplied, "turn", Effort(5)).identity) not in found
