"""Ranges against ranges at showdown: one climb through the hands of a board in order of strength."""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t
from libc.string cimport memset

cdef enum:
    LANES = 24  # weightings side by side: one, or one for each suit permutation
    CARDS = 52


cdef void compare_board(const int16_t *live, int hands, const int16_t *group_end, int groups, const int16_t *cards,
                        const double *first, const double *second, int lanes, double *out) noexcept nogil:
    """Add win, lose and tie of ``first`` against ``second`` to ``out``; V is what of ``second`` misses a hand."""
    cdef double total[LANES]
    cdef double below[LANES]
    cdef double tied[LANES]
    cdef double card_total[CARDS][LANES]
    cdef double card_below[CARDS][LANES]
    cdef double card_tied[CARDS][LANES]
    cdef double win, tie, everything
    cdef int n, g, k, start = 0, end, c1, c2
    cdef const double *mine
    cdef const double *theirs
    memset(total, 0, sizeof(total))
    memset(below, 0, sizeof(below))
    memset(card_total, 0, sizeof(card_total))
    memset(card_below, 0, sizeof(card_below))
    memset(card_tied, 0, sizeof(card_tied))
    for n in range(hands):
        theirs = second + live[n] * lanes
        c1, c2 = cards[2 * live[n]], cards[2 * live[n] + 1]
        for k in range(lanes):
            total[k] += theirs[k]
            card_total[c1][k] += theirs[k]
            card_total[c2][k] += theirs[k]
    for g in range(groups):
        end = group_end[g]
        memset(tied, 0, sizeof(tied))
        for n in range(start, end):
            theirs = second + live[n] * lanes
            c1, c2 = cards[2 * live[n]], cards[2 * live[n] + 1]
            for k in range(lanes):
                tied[k] += theirs[k]
                card_tied[c1][k] += theirs[k]
                card_tied[c2][k] += theirs[k]
        for n in range(start, end):
            mine, theirs = first + live[n] * lanes, second + live[n] * lanes
            c1, c2 = cards[2 * live[n]], cards[2 * live[n] + 1]
            for k in range(lanes):
                win = below[k] - card_below[c1][k] - card_below[c2][k]
                tie = tied[k] - card_tied[c1][k] - card_tied[c2][k] + theirs[k]
                everything = total[k] - card_total[c1][k] - card_total[c2][k] + theirs[k]
                out[0] += mine[k] * win
                out[1] += mine[k] * (everything - win - tie)
                out[2] += mine[k] * tie
        for n in range(start, end):
            theirs = second + live[n] * lanes
            c1, c2 = cards[2 * live[n]], cards[2 * live[n] + 1]
            for k in range(lanes):
                below[k] += theirs[k]
                card_below[c1][k] += theirs[k]
                card_below[c2][k] += theirs[k]
                card_tied[c1][k] = 0
                card_tied[c2][k] = 0
        start = end


def compare(const int16_t[:, ::1] live, const int32_t[::1] live_count, const int16_t[:, ::1] group_end,
            const int32_t[::1] group_count, const int16_t[:, ::1] cards, const double[:, ::1] first,
            const double[:, ::1] second, int threads, double[:, ::1] out):
    """Weighted wins, losses and ties of each board into ``out`` ``(n, 3)``.

    Args:
        live, live_count, group_end, group_count: hands by strength, as ``cfr._deals.sort_by_strength`` leaves them.
        cards: ``(H, 2)`` card codes.
        first, second: ``(H, lanes)`` weights, at most 24 lanes; lanes are added up.
    """
    cdef Py_ssize_t i
    cdef int lanes = <int>first.shape[1]
    if lanes > LANES or lanes != second.shape[1]:
        raise ValueError(f"{lanes} and {second.shape[1]} lanes; expected the same number, at most {LANES}")
    for i in prange(live.shape[0], nogil=True, num_threads=threads, schedule="static"):
        compare_board(&live[i, 0], live_count[i], &group_end[i, 0], group_count[i], &cards[0, 0], &first[0, 0],
                      &second[0, 0], lanes, &out[i, 0])
