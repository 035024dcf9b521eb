"""Boards as the traversal wants them: live hands in order, and their table rows numbered densely."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t
from libc.string cimport memset


def compact_rows(const int32_t[:, ::1] rows, int32_t[::1] seen, int16_t[:, ::1] slot, int32_t[:, ::1] used,
                 int32_t[::1] count):
    """Number the rows that occur on each board in order of first appearance.

    Args:
        rows: ``(n, H)`` table row of each hand, -1 where the hand collides with the board.
        seen: scratch, one entry for each row of the table, all -1; left so.
        slot: out, ``(n, H)`` the row's number on this board, or 0.
        used: out, ``(n, H)`` the table row of each number.
        count: out, ``(n,)`` how many rows occur.
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
    """List the hands that do not collide with a board; first those that no later board of its chain collides with.

    Args:
        rows: ``(n, H)``, negative where a hand collides.
        last_rows: ``(n, H)``, the same for the last board that follows; ``rows`` itself where nothing is to follow.
        live: out, ``(n, H)`` hands.
        live_count: out, ``(n,)``.
        own_count: out, ``(n,)`` how many of them survive to the last board.
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
        slot, classes: ``(n, H)``, 0 to H - 1 where it does not; ``classes`` None if every hand is one by itself.
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


cdef inline int32_t standing_for(int32_t card, const uint8_t *suits) noexcept nogil:
    return (card & ~3) | suits[card & 3]


def share_cards(const int16_t[:, ::1] live, const int16_t[:, ::1] group_end, const int32_t[::1] group_count,
                const int16_t[:, ::1] slot, const int16_t[:, ::1] classes, const int16_t[:, ::1] cards,
                const uint8_t[:, ::1] suits, int16_t[:, ::1] cell_end, int16_t[:, ::1] alike,
                int16_t[:, ::1] group_cards, int16_t[:, ::1] card, int16_t[:, ::1] card_end,
                int16_t[:, ::1] part_slot, int16_t[:, ::1] part_count, int16_t[:, ::1] hand_part,
                int16_t[:, ::1] hand_card, int16_t[:, ::1] by_card, int16_t[:, ::1] by_size,
                int16_t[:, ::1] part_hands, int16_t[:, ::1] by_card_end, int16_t[:, ::1] by_size_end):
    """What hands of equal strength have in common; see ``cfr.kernel.chance.Showdowns`` for the arrays.

    Args:
        live, group_end, group_count: of :func:`sort_by_strength`, ties in the order of ``slot`` and ``classes``.
        slot: ``(n, H)`` number of each hand's row on the board.
        classes: ``(n, H)`` of hands that the board cannot tell apart.
        cards: ``(H, hole)`` the hands.
        suits: ``(n, 4)`` the suit that stands for each.
        cell_end, alike, group_cards: out, ``(n, H)``.
        card, card_end, part_slot, part_count, hand_part, hand_card, by_card, by_size, part_hands: out,
            ``(n, H * hole)``.
        by_card_end, by_size_end: out, ``(n, 52)``.
    """
    cdef Py_ssize_t i
    cdef int32_t g, n, k, c, start, end, cell, cells, group_first, entries, parts, here, same, hole = cards.shape[1]
    cdef int32_t found[52]  # parts of each card
    cdef int32_t latest[52]  # cell of its latest part
    cdef int32_t place[52]  # where its next part goes
    cdef int32_t number[52]  # its position among the group's cards
    cdef int32_t of_size[52]  # parts of each size
    cdef int32_t size[2652]  # hands of each part
    cdef int32_t first[2652]  # where they start in part_hands
    with nogil:
        for i in range(live.shape[0]):
            cells = entries = parts = start = 0
            for g in range(group_count[i]):
                end = group_end[i, g]
                group_first = cells
                for c in range(52):
                    found[c] = 0
                    latest[c] = -1
                for n in range(start, end):
                    if n > start and slot[i, live[i, n]] != slot[i, live[i, n - 1]]:
                        cell_end[i, cells] = <int16_t>n
                        cells += 1
                    for k in range(hole):
                        c = standing_for(cards[live[i, n], k], &suits[i, 0])
                        if latest[c] != cells:
                            latest[c] = cells
                            found[c] += 1
                cell_end[i, cells] = <int16_t>end
                cells += 1
                here = entries
                for c in range(52):
                    if found[c]:
                        number[c] = entries - here
                        place[c] = parts
                        parts += found[c]
                        card[i, entries] = <int16_t>c
                        card_end[i, entries] = <int16_t>parts
                        entries += 1
                        latest[c] = -1
                group_cards[i, g] = <int16_t>entries
                cell = group_first
                for n in range(start, end):
                    if n == cell_end[i, cell]:
                        cell += 1
                    for k in range(hole):
                        c = standing_for(cards[live[i, n], k], &suits[i, 0])
                        if latest[c] != cell:
                            latest[c] = cell
                            part_slot[i, place[c]] = slot[i, live[i, n]]
                            part_count[i, place[c]] = 0
                            size[place[c]] = 0
                            place[c] += 1
                        part_count[i, place[c] - 1] += 1
                        size[place[c] - 1] += cards[live[i, n], k] == c
                        hand_part[i, n * hole + k] = <int16_t>(place[c] - 1)
                        hand_card[i, n * hole + k] = <int16_t>number[c]
                same = 0
                for n in range(end - 1, start - 1, -1):
                    same += 1
                    alike[i, n] = <int16_t>same
                    if n > start and classes[i, live[i, n]] != classes[i, live[i, n - 1]]:
                        same = 0
                start = end
            for c in range(52):
                found[c] = 0
            start = 0
            for n in range(entries):
                found[card[i, n]] += card_end[i, n] - start
                start = card_end[i, n]
            exclusive_sums(found, 52)
            start = 0
            for n in range(entries):
                c = card[i, n]
                for k in range(start, card_end[i, n]):
                    by_card[i, found[c]] = <int16_t>k
                    found[c] += 1
                start = card_end[i, n]
            for c in range(52):
                by_card_end[i, c] = <int16_t>found[c]
                of_size[c] = 0
            for k in range(parts):
                of_size[size[k]] += 1
            exclusive_sums(of_size, 52)
            for k in range(parts):
                by_size[i, of_size[size[k]]] = <int16_t>k
                of_size[size[k]] += 1
            here = 0
            for k in range(parts):
                first[by_size[i, k]] = here
                here += size[by_size[i, k]]
            for n in range(group_end[i, group_count[i] - 1]):
                for k in range(hole):
                    c = cards[live[i, n], k]
                    if c == standing_for(c, &suits[i, 0]):
                        part_hands[i, first[hand_part[i, n * hole + k]]] = live[i, n]
                        first[hand_part[i, n * hole + k]] += 1
            for c in range(52):
                by_size_end[i, c] = <int16_t>of_size[c]
