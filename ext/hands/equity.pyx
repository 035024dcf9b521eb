"""Ranges against ranges at showdown: one climb through the hands of a board in order of strength."""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.string cimport memset

import numpy as np

cdef enum:
    LANES = 24  # weightings side by side: at most one for each suit permutation
    CARDS = 52


cdef inline void add(const double *weights, const int16_t *pair, int lanes, double *total,
                     double *card_total) noexcept nogil:
    """Add a hand's weights to a total and to the totals of its two cards."""
    cdef double *low = card_total + pair[0] * lanes
    cdef double *high = card_total + pair[1] * lanes
    cdef int k
    for k in range(lanes):
        total[k] += weights[k]
        low[k] += weights[k]
        high[k] += weights[k]


cdef inline double missing(double total, double low, double high, double own) noexcept nogil:
    """The part of a total that shares no card with a hand; ``low`` and ``high`` both hold ``own``."""
    return total - low - high + own


cdef void compare_board(const int16_t *live, int hands, const int16_t *group_end, int groups, const int16_t *cards,
                        const double *first, const double *second, const uint8_t *sides, int lanes,
                        double *out) noexcept nogil:
    """Add win, lose and tie of ``first`` against ``second`` to ``out``."""
    cdef double[LANES] total
    cdef double[LANES] below
    cdef double[LANES] tied
    cdef double[LANES] wins
    cdef double[LANES] losses
    cdef double[LANES] ties
    cdef double[CARDS * LANES] card_total
    cdef double[CARDS * LANES] card_below
    cdef double[CARDS * LANES] card_tied
    cdef double win, tie, everything
    cdef int g, n, k, h, low, high, start = 0, end
    cdef size_t size = lanes * sizeof(double)
    cdef const double *mine
    cdef const double *theirs
    memset(total, 0, size)
    memset(below, 0, size)
    memset(tied, 0, size)
    memset(wins, 0, size)
    memset(losses, 0, size)
    memset(ties, 0, size)
    memset(card_total, 0, CARDS * size)
    memset(card_below, 0, CARDS * size)
    memset(card_tied, 0, CARDS * size)
    for n in range(hands):
        h = live[n]
        if sides[h] & 2:
            add(second + h * lanes, cards + 2 * h, lanes, total, card_total)
    for g in range(groups):
        end = group_end[g]
        for n in range(start, end):
            h = live[n]
            if sides[h] & 2:
                add(second + h * lanes, cards + 2 * h, lanes, tied, card_tied)
        for n in range(start, end):
            h = live[n]
            if not sides[h] & 1:
                continue
            mine, theirs = first + h * lanes, second + h * lanes
            low, high = cards[2 * h] * lanes, cards[2 * h + 1] * lanes
            for k in range(lanes):
                win = below[k] - card_below[low + k] - card_below[high + k]
                tie = missing(tied[k], card_tied[low + k], card_tied[high + k], theirs[k])
                everything = missing(total[k], card_total[low + k], card_total[high + k], theirs[k])
                wins[k] += mine[k] * win
                losses[k] += mine[k] * (everything - win - tie)
                ties[k] += mine[k] * tie
        memset(tied, 0, size)
        for n in range(start, end):
            h = live[n]
            if sides[h] & 2:
                add(second + h * lanes, cards + 2 * h, lanes, below, card_below)
                low, high = cards[2 * h] * lanes, cards[2 * h + 1] * lanes
                for k in range(lanes):
                    card_tied[low + k] = 0
                    card_tied[high + k] = 0
        start = end
    for k in range(lanes):
        out[0] += wins[k]
        out[1] += losses[k]
        out[2] += ties[k]


def compare(const int16_t[:, ::1] live, const int32_t[::1] live_count, const int16_t[:, ::1] group_end,
            const int32_t[::1] group_count, const int16_t[:, ::1] cards, const double[:, ::1] first,
            const double[:, ::1] second, const uint8_t[::1] sides, int threads, double[:, ::1] out):
    """Add the weighted wins, losses and ties of each board to ``out`` ``(n, 3)``.

    Args:
        live, live_count, group_end, group_count: hands by strength, as ``cfr._native.deals.sort_by_strength`` leaves
            them.
        cards: ``(H, 2)`` card codes.
        first, second: ``(H, lanes)`` weights, at most 24 lanes; lanes are added up.
        sides: ``(H,)`` 1 where ``first`` has any weight, plus 2 where ``second`` has.
    """
    cdef Py_ssize_t i
    cdef int lanes = <int>first.shape[1]
    if lanes > LANES or lanes != second.shape[1]:
        raise ValueError(f"{lanes} and {second.shape[1]} lanes; expected the same number, at most {LANES}")
    for i in prange(live.shape[0], nogil=True, num_threads=threads, schedule="static"):
        compare_board(&live[i, 0], live_count[i], &group_end[i, 0], group_count[i], &cards[0, 0], &first[0, 0],
                      &second[0, 0], &sides[0], lanes, &out[i, 0])


cdef void add_row(const int16_t *low, const int16_t *high, Py_ssize_t boards, Py_ssize_t hands, Py_ssize_t row,
                  int weight, int16_t *sums, int32_t *out) noexcept nogil:
    """Add what hand ``row`` wins against the hands before it; ``sums`` is scratch memory for ``row`` numbers."""
    cdef Py_ssize_t b, h
    cdef int16_t own
    cdef const int16_t *theirs_low
    cdef const int16_t *theirs_high
    memset(sums, 0, row * sizeof(int16_t))
    for b in range(boards):
        own = low[b * hands + row]
        if own != high[b * hands + row]:
            continue
        theirs_low, theirs_high = low + b * hands, high + b * hands
        for h in range(row):
            sums[h] = <int16_t>(sums[h] + (own > theirs_high[h]) - (own < theirs_low[h]))
    for h in range(row):
        out[h] += weight * sums[h]


def add_margins(const int16_t[:, ::1] low, const int16_t[:, ::1] high, int weight, int threads, int32_t[:, ::1] out):
    """Add to ``out[i, j]``, j < i, ``weight`` times the boards that hand i wins minus the boards that hand j wins.

    Args:
        low, high: ``(n, H)`` strengths of the hands on at most 32,767 boards. Both are equal except for a hand that
            shares a card with the board: its ``low`` is below all strengths, its ``high`` above.
        out: ``(H, H)``.
    """
    cdef Py_ssize_t boards = low.shape[0], hands = low.shape[1], i
    if high.shape[0] != boards or high.shape[1] != hands or out.shape[0] != hands or out.shape[1] != hands:
        raise ValueError("low, high and out do not fit together")
    if boards > 32767:
        raise ValueError(f"{boards} boards; expected at most 32767")
    cdef int16_t[:, ::1] sums = np.empty((hands, hands), np.int16)
    for i in prange(hands, nogil=True, num_threads=threads, schedule="dynamic", chunksize=16):
        add_row(&low[0, 0], &high[0, 0], boards, hands, i, weight, &sums[i, 0], &out[i, 0])
