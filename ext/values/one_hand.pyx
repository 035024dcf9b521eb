"""What one hand wins behind a betting round against all hands of its opponent, both seats with fixed strategies.

The hand's own plan is known at every outcome, so an opponent's row is worth one number to it on a betting line: the sum
over the outcomes of chips times both plans. Hands of one row that the hand beats, or loses to, or ties, are added up
before they are weighed. Nothing is computed for other hands of the seat: ``traverse.pyx`` does that.

Betting lines stand side by side: the lines of the opponent's entries, of reach, of totals. Sums over opponents' hands
are in single precision, sums over boards in double precision.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.string cimport memset

import numpy as np


def enter_round(const int32_t[::1] hands, const int32_t[::1] rows, const double[:, ::1] reach,
                const int32_t[:, ::1] codes, const float[:, ::1] plan, const int32_t[::1] leaf_line,
                const int32_t[::1] leaf_sequence, double[:, ::1] mass, float[:, ::1] arriving):
    """The opponent's reach through a round before the last one, on one board.

    Args:
        hands: ``(n,)`` numbers of the opponent's hands.
        rows: ``(H,)`` the row of each hand on the board.
        reach: ``(H, lines)`` reach of each hand on each line that enters the round.
        codes: ``(rows, lines)`` entry of each row.
        plan: ``(entries, sequences)`` realisation plan of each entry; the empty sequence stands first.
        leaf_line, leaf_sequence: ``(leaves,)`` the line and the opponent's sequence of each wanted leaf.
        mass: ``(lines, sequences)``, added to: reach of all hands behind each sequence.
        arriving: ``(n, leaves)``, written: reach of each hand at each leaf.
    """
    cdef Py_ssize_t n, line, s, k, lines = reach.shape[1], sequences = plan.shape[1], leaves = leaf_line.shape[0]
    cdef int32_t hand
    cdef double entering
    cdef const int32_t *code
    cdef const float *played
    with nogil:
        for n in range(hands.shape[0]):
            hand = hands[n]
            code = &codes[rows[hand], 0]
            for line in range(lines):
                entering = reach[hand, line]
                if entering == 0:
                    continue
                played = &plan[code[line], 0]
                for s in range(sequences):
                    mass[line, s] += entering * played[s]
            for k in range(leaves):
                line = leaf_line[k]
                arriving[n, k] = <float>(reach[hand, line] * plan[code[line], leaf_sequence[k]])


cdef void weigh_entries(const float *folds, const float *shows, const float[:, ::1] plan, Py_ssize_t begin,
                        Py_ssize_t end, float *lost, float *tied, float *won) noexcept nogil:
    """What each entry of a line is worth to the hand where it loses, ties and wins at showdown."""
    cdef Py_ssize_t s, e
    cdef float fold, show
    cdef const float *played
    for e in range(begin, end):
        tied[e] = won[e] = 0
    for s in range(plan.shape[0]):
        fold, show, played = folds[s], shows[s], &plan[s, 0]
        if fold != 0:
            for e in range(begin, end):
                tied[e] += fold * played[e]
        if show != 0:
            for e in range(begin, end):
                won[e] += show * played[e]
    for e in range(begin, end):
        lost[e] = tied[e] - won[e]
        won[e] = tied[e] + won[e]


def last_round(int32_t hand, const int32_t[::1] boards, const int32_t[::1] own, const int32_t[::1] parent,
               const int32_t[:, ::1] rows, const uint16_t[:, ::1] strengths, const int32_t[:, ::1] hands,
               const int32_t[::1] hand_count, const int32_t[:, ::1] lines, const int32_t[::1] line_count,
               const double[:, ::1] weights, const float[:, ::1] arriving, const int32_t[:, ::1] codes,
               const int32_t[:, ::1] entry_range, const float[:, ::1] plan, const float[:, :, ::1] folds,
               const float[:, :, ::1] shows, double[::1] values):
    """Add what the hand wins in the last round to ``values``, by betting line.

    Args:
        hand: the hand's number.
        boards: ``(n,)`` numbers of boards that the hand does not share a card with, in the order of ``own``.
        own: ``(n,)`` the hand's row on each of them, as a number into ``folds`` and ``shows``.
        parent: ``(n,)`` number of the board before the last deal.
        rows: ``(all boards, H)`` row of each hand, -1 where it shares a card with the board.
        strengths: ``(all boards, H)`` of each hand.
        hands: ``(parents, H)`` numbers of the opponent's hands that get to the last round there; ``hand_count`` of them.
        lines: ``(parents, L)`` betting lines on which the hand gets there; ``line_count`` of them.
        weights: ``(parents, L)`` factor on the value of each of these lines.
        arriving: ``(parents, H * L)`` reach of each of these hands on each of these lines.
        codes: ``(rows, L)`` entry of each row on each line.
        entry_range: ``(2, L)`` the first entry of each line that occurs, and the one after the last.
        plan: ``(sequences, entries)`` realisation plan of each entry.
        folds: ``(own rows, L, sequences)`` chips of folds behind each of the opponent's sequences, by the hand's plan.
        shows: the same of showdowns, as if the hand won them.
        values: ``(L,)`` chips.
    """
    cdef Py_ssize_t i, n, k, line, count, entries = plan.shape[1], width = hands.shape[1]
    cdef int32_t board, row, opponent, slot, slots, key, before, own_strength
    cdef const int32_t *code
    cdef const int32_t *active
    cdef const float *reach
    cdef const float *worth
    cdef float *sums
    cdef float[:, ::1] worths = np.empty((3, entries), np.float32)
    cdef int32_t[::1] worth_of = np.full(entry_range.shape[1], -1, np.int32)  # for which own row they are
    cdef int32_t[::1] slot_of = np.full(3 * codes.shape[0], -1, np.int32)
    cdef int32_t[::1] keys = np.empty(width, np.int32)
    cdef float[::1] arrived = np.empty(width * lines.shape[1], np.float32)
    cdef float[::1] total = np.empty(lines.shape[1], np.float32)
    with nogil:
        for i in range(boards.shape[0]):
            board, before = boards[i], parent[i]
            own_strength, count, active = strengths[board, hand], line_count[before], &lines[before, 0]
            slots = 0
            for n in range(hand_count[before]):
                opponent = hands[before, n]
                row = rows[board, opponent]
                if row < 0:
                    continue
                key = 3 * row + (own_strength >= strengths[board, opponent]) + (own_strength > strengths[board, opponent])
                slot = slot_of[key]
                reach = &arriving[before, n * count]
                if slot < 0:
                    slot_of[key] = slots
                    keys[slots] = key
                    sums = &arrived[slots * count]
                    slots += 1
                    for k in range(count):
                        sums[k] = reach[k]
                else:
                    sums = &arrived[slot * count]
                    for k in range(count):
                        sums[k] += reach[k]
            for k in range(count):
                line = active[k]
                if worth_of[line] != own[i]:
                    worth_of[line] = own[i]
                    weigh_entries(&folds[own[i], line, 0], &shows[own[i], line, 0], plan, entry_range[0, line],
                                  entry_range[1, line], &worths[0, 0], &worths[1, 0], &worths[2, 0])
            memset(&total[0], 0, count * sizeof(float))
            for slot in range(slots):
                key = keys[slot]
                slot_of[key] = -1
                code, worth, sums = &codes[key // 3, 0], &worths[key % 3, 0], &arrived[slot * count]
                for k in range(count):
                    total[k] += sums[k] * worth[code[active[k]]]
            for k in range(count):
                values[active[k]] += weights[before, k] * total[k]
