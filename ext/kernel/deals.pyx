"""Boards for the traversal: live hands in order, and dense numbers of their table rows."""

from libc.stdint cimport int16_t, int32_t, uint16_t
from libc.string cimport memset


def compact_rows(const int32_t[:, ::1] rows, int32_t[::1] seen, int16_t[:, ::1] slot, int32_t[:, ::1] used,
                 int32_t[::1] count):
    """Number the rows that occur on each board in order of first appearance.

    Args:
        rows: ``(n, H)`` table row of each hand, -1 where the hand collides with the board.
        seen: scratch, one entry for each row of the table, all -1 before and after the call.
        slot: out, ``(n, H)`` the row's number on this board, or 0.
        used: out, ``(n, H)`` the table row of each number.
        count: out, ``(n,)`` number of rows that occur.
    """
    cdef Py_ssize_t i, h
    cdef int32_t row, k, last
    with nogil:
        for i in range(rows.shape[0]):
            last = 0
            for h in range(rows.shape[1]):
                row = rows[i, h]
                slot[i, h] = 0
                if row < 0:
                    continue
                k = seen[row]
                if k < 0:
                    k = last
                    seen[row] = k
                    used[i, k] = row
                    last += 1
                slot[i, h] = <int16_t>k
            count[i] = last
            for k in range(last):
                seen[used[i, k]] = -1


def live_hands(const int32_t[:, ::1] rows, const int32_t[:, ::1] last_rows, int16_t[:, ::1] live,
               int32_t[::1] live_count, int32_t[::1] own_count):
    """List the hands that do not collide with a board; hands that collide with no later board of its chain come first.

    Args:
        rows: ``(n, H)``, negative where a hand collides.
        last_rows: ``(n, H)``, the same for the last board of the chain; ``rows`` itself if no board follows.
        live: out, ``(n, H)`` hands.
        live_count: out, ``(n,)``.
        own_count: out, ``(n,)`` number of hands that collide with no later board.
    """
    cdef Py_ssize_t i, h
    cdef int32_t n
    with nogil:
        for i in range(rows.shape[0]):
            n = 0
            for h in range(rows.shape[1]):
                if last_rows[i, h] >= 0:
                    live[i, n] = <int16_t>h
                    n += 1
            own_count[i] = n
            for h in range(rows.shape[1]):
                if rows[i, h] >= 0 and last_rows[i, h] < 0:
                    live[i, n] = <int16_t>h
                    n += 1
            live_count[i] = n


def sort_by_strength(const uint16_t[:, ::1] strength, const int16_t[:, ::1] slot, const int16_t[:, ::1] classes,
                     int16_t[:, ::1] live, int16_t[:, ::1] group_end, int32_t[::1] live_count,
                     int32_t[::1] group_count):
    """Live hands of each board from weakest to strongest, ties in the order of slots, then classes (counting sorts).

    Args:
        strength: ``(n, H)``, 0 where a hand collides with the board.
        slot, classes: ``(n, H)``, 0 to H - 1 for other hands; ``classes`` is None if every hand has its own class.
        live: out, ``(n, H)`` hands.
        group_end: out, ``(n, H)`` position in ``live`` after each group of equal strength.
        live_count: out, ``(n,)``.
        group_count: out, ``(n,)``.
    """
    cdef Py_ssize_t i, h
    cdef int32_t n, k, total, groups, hands = strength.shape[1]
    cdef int16_t by_class[1326]
    cdef int16_t by_slot[1326]
    cdef int16_t scratch[1326]
    cdef int32_t start[1326]
    cdef bint has_classes = classes is not None
    with nogil:
        for i in range(strength.shape[0]):
            total = 0
            for h in range(hands):
                if strength[i, h]:
                    by_class[total] = <int16_t>h
                    total += 1
            if has_classes:
                memset(start, 0, hands * sizeof(int32_t))
                for n in range(total):
                    start[classes[i, by_class[n]]] += 1
                exclusive_sums(start, hands)
                for h in range(hands):
                    if strength[i, h]:
                        by_class[start[classes[i, h]]] = <int16_t>h
                        start[classes[i, h]] += 1
            memset(start, 0, hands * sizeof(int32_t))
            for n in range(total):
                start[slot[i, by_class[n]]] += 1
            exclusive_sums(start, hands)
            for n in range(total):
                k = slot[i, by_class[n]]
                by_slot[start[k]] = by_class[n]
                start[k] += 1
            memset(start, 0, 256 * sizeof(int32_t))
            for n in range(total):
                start[strength[i, by_slot[n]] & 255] += 1
            exclusive_sums(start, 256)
            for n in range(total):
                k = strength[i, by_slot[n]] & 255
                scratch[start[k]] = by_slot[n]
                start[k] += 1
            memset(start, 0, 256 * sizeof(int32_t))
            for n in range(total):
                start[strength[i, scratch[n]] >> 8] += 1
            exclusive_sums(start, 256)
            for n in range(total):
                k = strength[i, scratch[n]] >> 8
                live[i, start[k]] = scratch[n]
                start[k] += 1
            groups = 0
            for n in range(total):
                if n + 1 == total or strength[i, live[i, n]] != strength[i, live[i, n + 1]]:
                    group_end[i, groups] = <int16_t>(n + 1)
                    groups += 1
            live_count[i] = total
            group_count[i] = groups


cdef void exclusive_sums(int32_t *counts, int size) noexcept nogil:
    cdef int32_t k, here, before = 0
    for k in range(size):
        here = counts[k]
        counts[k] = before
        before += here
