"""Codebooks: few different rows come back as they were, many as their clusters' means, and ranges play as before."""

import h5py
import numpy as np
import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.kernel.best_response import measure
from cfr.kernel.chance import enumerate_deal
from cfr.kernel.traversal import Traversal, layout
from cfr.kernel.tree import build_tree
from cfr.strategy.files import vector_quantiser
from cfr.strategy.files.codebook import Codebooks, seat_columns
from cfr.strategy.files.file import save, verify
from cfr.strategy.files.quantise import ONE, purge, quantise
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.stored import Strategy
from cfr.strategy.files.vector_quantiser import MOST_ENTRIES, encode
from cfr.strategy.realisation import Target, plan_tables
from cfr.system.errors import DamagedFileError

LEDUC = Game.bundled("leduc")
BETTING = BettingTree(LEDUC)
FLOP = BETTING.rounds[1]
LINES = BETTING.num_lines[1]


def random_rows(count, seed=0, power=4.0):
    rng = np.random.default_rng(seed)
    return quantise(rng.random((count, FLOP.node_actions, LINES)) ** power, FLOP)


def random_weights(count, seed=0):
    weights = np.random.default_rng(seed).random((count, 2, LINES)).astype(np.float32)
    weights[0] = 0
    return weights


def encoded(table, weights=None, worth=1e9, below=0.0, threads=1, pots=None):
    if weights is None:
        weights = np.ones((len(table), 2, LINES), np.float32)
    pots = np.full(LINES, 6) if pots is None else pots
    return encode(
        table.shape, lambda a, b: table[a:b], lambda a, b: weights[a:b], FLOP, pots, worth, below, threads=threads
    )


def plain_plans(table):
    """``(rows, node_actions, lines)`` chances that a seat's own play makes each action, walked node by node."""
    plans = np.zeros(table.shape)

    def walk(node, played):
        actor = FLOP.actor[node]
        for number, child in zip(FLOP.action_index[node], FLOP.child[node], strict=True):
            if number >= 0:
                plans[:, number] = played[actor] * table[:, number] / ONE
                if child >= 0:
                    after = list(played)
                    after[actor] = plans[:, number]
                    walk(child, after)

    walk(0, [np.ones((len(table), LINES))] * 2)
    return plans


def test_rows_that_an_entry_each_can_have_come_back():
    table = random_rows(60)
    coded = encoded(table)
    assert coded.shape == table.shape
    assert coded.dtype == np.uint8
    # Plans are rounded to 255ths before they are compared; behind rare actions that is coarse.
    assert np.abs(plain_plans(coded[:]) - plain_plans(table)).max() < 2 / ONE
    for rows in (7, slice(3, 50), slice(0, 1)):
        assert np.array_equal(coded[rows], coded[:][rows])
    assert np.array_equal(coded.held()[:], coded[:])


def test_the_whole_range_plays_on_average_as_before():
    count = 2000
    table, weights = random_rows(count), random_weights(count)
    coded = encoded(table, weights, worth=300)
    before, after = plain_plans(table), plain_plans(coded[:])
    for seat, columns in enumerate(seat_columns(FLOP)):
        mean = [np.einsum("nal,nl->al", plans[:, columns], weights[:, seat]) for plans in (before, after)]
        assert np.abs(mean[0] - mean[1]).max() / weights[:, seat].sum(axis=0).min() < 1 / ONE
    assert int(coded.counts.max()) < count / 10
    spread = ((before - before.mean(axis=0)) ** 2).sum()
    assert ((before - after) ** 2).sum() < 0.5 * spread


def cost(coded, table, line, seat, worth):
    """What a seat's rows cost on a line, computed plainly: bits, and the worth of squared differences of plans."""
    codes, columns = coded.codes[seat, line], seat_columns(FLOP)[seat]
    size = np.bincount(codes)
    own = plain_plans(table)[:, columns, line] - plain_plans(coded[:])[:, columns, line]
    return (-np.log2(size[codes] / len(codes))).sum() + 64 * len(size) + worth * (own**2).sum()


def test_entries_are_as_many_as_play_is_worth():
    """The cost of each worth is least with the codebooks that were made for it."""
    table, worths = random_rows(800), (10, 300, 10_000)
    books = [encoded(table, worth=worth) for worth in worths]
    sizes = [int(each.counts.sum()) for each in books]
    assert sizes[0] < sizes[1] / 2 < sizes[2] / 4
    for worth, own in zip(worths, books, strict=True):
        costs = [sum(cost(each, table, line, 0, worth) for line in range(LINES)) for each in books]
        assert min(costs) == sum(cost(own, table, line, 0, worth) for line in range(LINES))


def test_a_line_gets_entries_by_its_weight_and_its_pot():
    table = np.repeat(random_rows(600)[:, :, :1], LINES, axis=2)
    weights, pots = np.ones((600, 2, LINES), np.float32), np.full(LINES, 6)
    weights[:, :, 0], pots[1] = 10, 60
    counts = encoded(table, weights, worth=300, pots=pots).counts
    assert (counts[:, :2] > 2 * counts[:, 2:3]).all()
    assert np.array_equal(counts[:, 0], counts[:, 1])


def test_a_line_has_no_more_entries_than_a_file_allows(monkeypatch):
    monkeypatch.setattr(vector_quantiser, "MOST_ENTRIES", 100)
    assert MOST_ENTRIES < 1 << 16
    assert encoded(random_rows(400)).counts.max() <= 100


def test_nodes_sum_to_255_and_rare_actions_go():
    coded = encoded(random_rows(1500), below=0.1)
    table = coded[:]
    for numbers in FLOP.action_index:
        legal = numbers[numbers >= 0]
        assert (table[:, legal].astype(int).sum(axis=1) == ONE).all()
    assert not ((table > 0) & (table < 0.1 * ONE)).any()


def test_nodes_that_own_play_never_reaches_call():
    table = random_rows(5)
    first = FLOP.action_index[0]
    table[:, first[first >= 0]] = np.array([255, 0], np.uint8)[None, :, None]  # always check
    coded = encoded(table)[:]
    bet = int(FLOP.child[0, 2])
    raised = int(FLOP.child[bet, 2])
    assert FLOP.actor[raised] == FLOP.actor[0]
    numbers = FLOP.action_index[raised]
    assert (coded[:, numbers[1]] == ONE).all()


def test_the_same_at_any_number_of_threads():
    table, weights = random_rows(700, seed=3), random_weights(700)
    one, two = (encoded(table, weights, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.codes, two.codes)
    assert np.array_equal(one.entries, two.entries)


def test_rows_without_weight_take_the_first_entry():
    table, weights = random_rows(400), random_weights(400)
    weights[:, 1, 2] = 0
    weights[5:, 0, 1] = 0
    coded = encoded(table, weights)
    assert (coded.codes[:, :, 0] == 0).all()
    assert (coded.codes[0, 1, 5:] == 0).all()
    assert len(np.unique(coded.codes[0, 1, :5])) > 1
    assert coded.counts[1, 2] == 1  # nobody's play comes there
    first = FLOP.action_index[FLOP.actor == 1][:, 1]
    assert (coded[:][:, first, 2] == ONE).all()  # so all rows call


def test_a_lossless_strategy_keeps_its_strength():
    abstraction = Abstraction.lossless(LEDUC)
    deal = enumerate_deal(LEDUC, abstraction)
    kernel = Traversal(layout(LEDUC, np.float64), 1, np.float64)
    first = quantise(np.random.default_rng(1).random((3, BETTING.rounds[0].node_actions, 1)), BETTING.rounds[0])
    table = purge(random_rows(abstraction.num_rows[1]), FLOP, 0.3)
    found = [
        measure(kernel, deal, [kernel.tree.by_seat(each.astype(float), r, np.float64) for r, each in enumerate(rounds)])
        for rounds in ([first, table], [first, encoded(table)[:]])
    ]
    assert found[1].exploitability == pytest.approx(found[0].exploitability, rel=0.02)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file whose second round has codebooks, and the round's table."""
    path, abstraction = tmp_path_factory.mktemp("coded") / "x.h5", Abstraction.lossless(LEDUC)
    first = quantise(np.ones((3, BETTING.rounds[0].node_actions, 1)), BETTING.rounds[0])
    coded = encoded(random_rows(abstraction.num_rows[1]))
    save(path, LEDUC, abstraction.arrays(), [RoundRows.of(first), RoundRows.of_coded(coded)], {})
    return path, coded[:]


def test_a_file_keeps_the_codes_and_answers(whole):
    path, table = whole
    verify(path)
    with h5py.File(path) as file:
        codes, entries, counts = (file[f"rounds/1/{name}"][...] for name in ("codes", "entries", "counts"))
        assert file.attrs["format_version"] == 6
        # As docs/file-format.md says.
        for seat, columns in enumerate(seat_columns(FLOP)):
            for line in range(LINES):
                first = int(counts.ravel()[: seat * LINES + line].sum())
                expected = entries[first + codes[seat, line].astype(int), : len(columns)]
                assert np.array_equal(expected, table[:, columns, line])
    with Strategy.open(path) as strategy:
        assert np.array_equal(strategy.read(1, slice(0, 99)), table)
        assert np.array_equal(strategy.row(1, 4), table[4])
        strategy.hold_tables(1 << 20)
        assert isinstance(strategy.table(1), Codebooks)
        assert np.array_equal(strategy.read(1, 4), table[4])


@pytest.mark.parametrize("held", [False, True])
def test_some_lines_of_some_rows_are_those_of_the_table(whole, held):
    path, table = whole
    rows, lines = np.array([0, 3, 4, 9, len(table) - 1]), np.array([1, 2, LINES - 1])
    with Strategy.open(path) as strategy:
        if held:
            strategy.hold_tables(1 << 20)
        assert np.array_equal(strategy.read_lines(1, rows, lines), table[rows][:, :, lines])
        assert strategy.read_lines(0, np.array([1]), np.array([0])) is None  # the first round has no codebooks
        for round_, all_of in ((0, strategy.read(0, slice(0, 3))), (1, table)):
            some, line = np.array([0, 2]), np.array([0])
            found = strategy.source.probabilities(round_, some, line)
            assert np.array_equal(found, all_of[some][:, :, line] / ONE)


def test_rows_of_several_chunks_come_in_their_order():
    coded = encoded(random_rows(900))
    rows = np.flatnonzero(np.random.default_rng(4).random(900) < 0.1)
    with h5py.File.in_memory() as file:
        codes = file.create_dataset("codes", data=coded.codes, chunks=(1, LINES, 256))
        in_file = Codebooks(codes, coded.entries, coded.counts, FLOP)
        assert np.array_equal(in_file.on_lines(rows, np.array([0, 2])), coded[:][rows][:, :, [0, 2]])


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("lines", [None, [1, 2, LINES - 1]])
def test_plans_from_codebooks_are_those_of_the_rows(whole, held, seat, lines):
    path, table = whole
    tree = build_tree(LEDUC, 2, 1, range(LINES) if lines is None else lines)  # blocks of two: one of them has padding
    target = Target(tree, 0, seat, None if lines is None else np.array(lines))
    with Strategy.open(path) as strategy:
        if held:
            strategy.hold_tables(1 << 20)
        (found,) = plan_tables(strategy.source.rounds[1], [target], np.float32)
    (expected,) = plan_tables(table, [target], np.float32)
    places = tree.rounds[0].entry // 2, tree.rounds[0].entry % 2
    assert np.array_equal(found[:, places[0], :, places[1]], expected[:, places[0], :, places[1]])
    assert np.isfinite(found).all()


def test_codes_without_an_entry_are_damage(whole, tmp_path):
    path = tmp_path / "x.h5"
    path.write_bytes(whole[0].read_bytes())
    with h5py.File(path, "a") as file:
        file["rounds/1/codes"][0, 0, 0] = 5000
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match=r"x\.h5: round 1"):
        strategy.read(1, 0)
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match=r"x\.h5: round 1"):
        strategy.source.probabilities(1, np.array([0]), np.array([0]))
    with Strategy.open(path) as strategy, pytest.raises(DamagedFileError, match=r"x\.h5: round 1"):
        plan_tables(strategy.source.rounds[1], [Target(build_tree(LEDUC, 2, 1, [0]), 0, 0, np.array([0]))], np.float32)
    with pytest.raises(DamagedFileError, match="checksum"):
        verify(path)
