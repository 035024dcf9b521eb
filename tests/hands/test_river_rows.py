"""Rows by strength: against a plain count, under suit permutations, and their number in all of hold'em."""

import numpy as np
import pytest

from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.isomorphism import HandIndexer, permute_hands, suit_permutations
from cfr.hands.river_rows import StrengthRows, ranks, strength_counts, strength_ranks
from cfr.kernel.pieces import all_boards
from tests.small_games import GAMES, short_deck

RIVERS = short_deck("rivers", 3, 4, (0, 2, 1, 1), (1, 1, 1, 1))


@pytest.mark.parametrize("game", [GAMES["three rounds"], RIVERS, Game.bundled("leduc")], ids=lambda game: game.name)
def test_hands_share_a_row_if_they_tie_on_the_same_board(game):
    rows, boards = StrengthRows(game), all_boards(game)[-1].cards
    dealt = HandIndexer([n for n in game.num_board_cards if n], game.num_ranks, game.num_suits)
    owner = {}
    for board, numbers, strong in zip(boards, rows.rows(boards), strengths(boards, game.hands), strict=True):
        assert (numbers >= 0).tolist() == [not set(hand) & set(board.tolist()) for hand in game.hands.tolist()]
        board_number = int(dealt.index(board[None])[0])
        for number in numbers[numbers >= 0].tolist():
            assert owner.setdefault(number, board_number) == board_number
        live = numbers >= 0
        assert (np.diff(numbers[live][np.argsort(strong[live], kind="stable")]) >= 0).all()
        pairs = set(zip(numbers[live].tolist(), strong[live].tolist(), strict=True))
        assert len(pairs) == len(set(strong[live].tolist())) == len(set(numbers[live].tolist()))
    assert sorted(owner) == list(range(rows.count))
    assert set(owner.values()) == set(range(dealt.sizes[-1]))


def test_suits_and_the_order_within_a_round_change_nothing():
    rng, rows = np.random.default_rng(3), StrengthRows(RIVERS)
    boards = np.array([rng.permutation(RIVERS.deck)[:4] for _ in range(50)], np.uint8)
    found, low = rows.rows(boards), 4 - RIVERS.num_suits
    images = permute_hands(RIVERS.hands, RIVERS.num_suits)
    for suits, image in zip(suit_permutations(RIVERS.num_suits), images, strict=True):
        other = (boards & 0xFC) + suits[(boards & 3) - low] + low
        other[:, :2] = other[:, 1::-1]
        assert np.array_equal(rows.rows(other)[:, image], found)


def test_ranks_are_those_of_sorted_sets():
    rng = np.random.default_rng(5)
    classes = rng.integers(-3, 9, (200, 12))
    for row, found in zip(classes, ranks(classes), strict=True):
        known = sorted({each for each in row.tolist() if each >= 0})
        assert found.tolist() == [known.index(each) if each >= 0 else -1 for each in row.tolist()]


def test_counts_are_one_more_than_the_highest_rank():
    boards = all_boards(RIVERS)[-1].cards
    assert np.array_equal(strength_counts(RIVERS, boards), strength_ranks(RIVERS, boards).max(axis=1) + 1)


@pytest.mark.thorough
def test_all_of_holdem():
    assert StrengthRows(Game.bundled("hulhe")).count == 197_555_422
