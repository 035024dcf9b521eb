"""Showdowns: groups of the hands on a board of the last round, which let one climb value all hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfr._native import deals as _deals
from cfr._native import showdowns as _showdowns
from cfr.game.evaluate import strengths
from cfr.game.rules import Game


@dataclass(frozen=True)
class Showdowns:
    """Groups, cells and parts of ``H`` hands of ``hole`` cards, on the ``n`` boards of the last round.

    Hands of a *group* tie. Hands of a *cell* tie and share a row, so a strategy weighs them alike. A *part* is the
    hands of one cell that hold one card: card removal needs sums over parts only, and parts are far fewer than hands.
    Cards that a suit symmetry of an enumerated board maps onto each other have the same sums; the first such card
    stands for all of them. Hands that a suit symmetry maps onto each other have the same values; such hands of a cell
    follow each other.

    Attributes:
        group_end: ``(n, H)`` int16 position in ``Boards.live`` after each of the ``group_count`` groups.
        group_count: ``(n,)`` int32.
        cell_end: ``(n, H)`` int16 position in ``Boards.live`` after each cell.
        alike: ``(n, H)`` int16 number of hands of one class from this position of ``Boards.live`` on.
        suit_count: ``(n, 4)`` int16 number of suits that symmetries map onto each suit, itself included.
        group_cards: ``(n, H)`` int16 position in ``card`` after each group.
        card: ``(n, H * hole)`` int16 the cards that occur in each group.
        card_end: ``(n, H * hole)`` int16 position in the parts after those of each of these cards.
        part_slot, part_cell: ``(n, H * hole)`` int16 slot of each part's row, and the number of its cell.
        part_count: ``(n, H * hole)`` int16 the part's number of hands, which includes hands with the cards that the
            part's card stands for.
        hand_part: ``(n, H * hole)`` int16 part of each card of each hand in ``Boards.live``.
        hand_card: ``(n, H * hole)`` int16 number of each such card among the cards of the group.
        by_card: ``(n, H * hole)`` int16 all parts, sorted by card; ``by_card_end`` ``(n, 52)`` holds each card's end.
        by_size: ``(n, H * hole)`` int16 all parts, sorted by the number of hands that hold the very card;
            ``by_size_end`` ``(n, 52)`` holds each number's end.
        part_hands: ``(n, H * hole)`` int16 hands that hold a part's very card, in the order of ``by_size``.
    """

    group_end: np.ndarray
    group_count: np.ndarray
    cell_end: np.ndarray
    alike: np.ndarray
    suit_count: np.ndarray
    group_cards: np.ndarray
    card: np.ndarray
    card_end: np.ndarray
    part_slot: np.ndarray
    part_cell: np.ndarray
    part_count: np.ndarray
    hand_part: np.ndarray
    hand_card: np.ndarray
    by_card: np.ndarray
    by_size: np.ndarray
    part_hands: np.ndarray
    by_card_end: np.ndarray
    by_size_end: np.ndarray


def find_showdowns(
    game: Game,
    boards: np.ndarray,
    rows: np.ndarray,
    slot: np.ndarray,
    symmetries: tuple[np.ndarray, np.ndarray],
    live: np.ndarray,
    live_count: np.ndarray,
) -> Showdowns:
    """The showdowns of last boards.

    Args:
        game: the rules.
        boards: ``(n, cards)`` uint8.
        rows: ``(n, H)`` int32 negative where a hand collides with the board or takes no part.
        slot: ``(n, H)`` int16 number of each hand's row on the board.
        symmetries: ``(n, 4)`` uint8 the suit that stands for each suit, and ``(n, H)`` int16 suit-symmetry classes of
            hands.
        live: ``(n, H)`` int16, filled: hands that take part, from weakest to strongest.
        live_count: ``(n,)`` int32, filled: number of hands that take part.
    """
    suits, classes = symmetries
    count, hands = slot.shape

    def of(*widths: int) -> list[np.ndarray]:
        return [np.zeros((count, width), np.int16) for width in widths]

    per_card = hands * game.num_hole_cards
    group_end, cell_end, alike, group_cards = of(hands, hands, hands, hands)
    card, card_end, part_slot, part_cell, part_count, hand_part, hand_card = of(*[per_card] * 7)
    by_card, by_size, part_hands, by_card_end, by_size_end = of(per_card, per_card, per_card, 52, 52)
    shared = Showdowns(
        group_end=group_end,
        group_count=np.zeros(count, np.int32),
        cell_end=cell_end,
        alike=alike,
        suit_count=(suits[:, :, None] == suits[:, None, :]).sum(axis=2, dtype=np.int16),
        group_cards=group_cards,
        card=card,
        card_end=card_end,
        part_slot=part_slot,
        part_cell=part_cell,
        part_count=part_count,
        hand_part=hand_part,
        hand_card=hand_card,
        by_card=by_card,
        by_size=by_size,
        part_hands=part_hands,
        by_card_end=by_card_end,
        by_size_end=by_size_end,
    )
    strength = np.where(rows < 0, np.uint16(0), strengths(boards, game.hands))
    _deals.sort_by_strength(strength, slot, classes, live, shared.group_end, live_count, shared.group_count)
    _showdowns.share_cards(live, slot, classes, game.hands.astype(np.int16), suits, shared)
    return shared
