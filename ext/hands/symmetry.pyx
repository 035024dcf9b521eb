"""Suit symmetries of deals: permutations to canonical form, orbits, chance children and classes of hands."""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from suits cimport RANKS, SUITS, sort_suits, suit_keys


cdef inline uint64_t deck_cards(int num_ranks, int num_suits) noexcept nogil:
    """The deck's cards, one bit each."""
    cdef uint64_t cards = 0
    cdef int c
    for c in range(4 * (RANKS - num_ranks), RANKS * SUITS):
        if (c & 3) >= SUITS - num_suits:
            cards |= <uint64_t>1 << c
    return cards


def first_invalid(const uint8_t[:, ::1] cards, int num_ranks, int num_suits):
    """The first row with a card twice or outside the deck, or -1."""
    cdef Py_ssize_t n = cards.shape[0], i, found = -1
    cdef int k = <int>cards.shape[1], j
    cdef uint64_t deck = deck_cards(num_ranks, num_suits), left, bit, wrong
    with nogil:
        for i in range(n):
            left = deck
            wrong = 0
            for j in range(k):
                bit = <uint64_t>1 << (cards[i, j] & 63)
                wrong |= (bit & ~left) | (cards[i, j] >> 6)
                left ^= bit
            if wrong:
                found = i
                break
    return found


cdef uint8_t suit_permutation(const uint8_t *cards, const int32_t *groups, int rounds, int num_suits) noexcept nogil:
    cdef uint64_t keys[SUITS]
    cdef int order[SUITS]
    cdef int image[SUITS]
    cdef int low_suit = SUITS - num_suits, number = 0, smaller, s, t
    suit_keys(cards, groups, rounds, keys)
    sort_suits(keys, low_suit, order)
    for s in range(num_suits):
        image[order[s] - low_suit] = s
    for s in range(num_suits):
        smaller = 0
        for t in range(s + 1, num_suits):
            smaller += image[t] < image[s]
        number = number * (num_suits - s) + smaller
    return <uint8_t>number


def suit_permutations(const uint8_t[:, ::1] cards, const int32_t[::1] groups, int num_suits, uint8_t[::1] out,
                      int threads):
    """Fill ``out`` with the number, in lexicographic order, of the suit permutation that takes each row to its
    lexicographically smallest form."""
    cdef Py_ssize_t i, n = cards.shape[0]
    cdef int rounds = <int>groups.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = suit_permutation(&cards[i, 0], &groups[0], rounds, num_suits)


def orbit_sizes(const uint8_t[:, ::1] cards, const int32_t[::1] groups, int num_suits, int64_t[::1] out):
    """Fill ``out`` with the number of distinct images of each row under all suit permutations."""
    cdef Py_ssize_t i, n = cards.shape[0]
    cdef int rounds = <int>groups.shape[0], s, t, equal
    cdef uint64_t keys[SUITS]
    cdef int64_t size
    with nogil:
        for i in range(n):
            suit_keys(&cards[i, 0], &groups[0], rounds, keys)
            size = 1
            for s in range(SUITS - num_suits, SUITS):
                equal = 0
                for t in range(SUITS - num_suits, s + 1):
                    equal += keys[t] == keys[s]
                size = size * (s - (SUITS - num_suits) + 1) // equal
            out[i] = size


cdef inline int64_t orbit_weight(const uint64_t *dealt, const int *before, const int *place,
                                 int low_suit) noexcept nogil:
    """Size of the orbit if each class of suits has the new cards in falling order of key, else 0: only the orbit's
    lexicographically smallest member counts. ``before`` is the previous suit of a suit's class or -1. ``place`` counts
    from 1 within the class."""
    cdef int repeats[SUITS]
    cdef int64_t weight = 1
    cdef int s, t
    for s in range(low_suit, SUITS):
        t = before[s]
        repeats[s] = 1
        if t >= 0 and dealt[t] < dealt[s]:
            return 0
        if t >= 0 and dealt[t] == dealt[s]:
            repeats[s] = repeats[t] + 1
        weight = weight * place[s] // repeats[s]
    return weight


cdef Py_ssize_t deal(const uint8_t *board, const int32_t *groups, int rounds, int num_ranks, int num_suits,
                     int new_cards, int32_t parent, Py_ssize_t at, int32_t[::1] parents, uint8_t[:, ::1] boards,
                     int64_t[::1] weights) noexcept nogil:
    """Count the orbits of the next round's cards, and write them from row ``at`` on unless ``at`` is negative."""
    cdef uint64_t keys[SUITS]
    cdef uint64_t dealt[SUITS]
    cdef int before[SUITS]
    cdef int place[SUITS]
    cdef uint8_t free[RANKS * SUITS]
    cdef int chosen[RANKS * SUITS]
    cdef uint64_t left = deck_cards(num_ranks, num_suits)
    cdef int low_suit = SUITS - num_suits, cards = 0, num_free = 0, c, i, s, t
    cdef int64_t weight
    cdef Py_ssize_t count = 0
    suit_keys(board, groups, rounds, keys)
    for i in range(rounds):
        cards += groups[i]
    for i in range(cards):
        left ^= <uint64_t>1 << board[i]
    for c in range(RANKS * SUITS):
        if (left >> c) & 1:
            free[num_free] = <uint8_t>c
            num_free += 1
    for s in range(SUITS):
        before[s] = -1
        place[s] = 1
        for t in range(low_suit, s):
            if keys[t] == keys[s]:
                before[s] = t
                place[s] += 1
    for i in range(new_cards):
        chosen[i] = i
    while new_cards <= num_free:
        for s in range(SUITS):
            dealt[s] = 0
        for i in range(new_cards):
            c = free[chosen[i]]
            dealt[c & 3] |= <uint64_t>1 << (RANKS - 1 - (c >> 2))
        weight = orbit_weight(dealt, before, place, low_suit)
        if weight:
            if at >= 0:
                parents[at + count] = parent
                weights[at + count] = weight
                for i in range(cards):
                    boards[at + count, i] = board[i]
                for i in range(new_cards):
                    boards[at + count, cards + i] = free[chosen[i]]
            count += 1
        i = new_cards - 1
        while i >= 0 and chosen[i] == num_free - new_cards + i:
            i -= 1
        if i < 0:
            break
        chosen[i] += 1
        for c in range(i + 1, new_cards):
            chosen[c] = chosen[c - 1] + 1
    return count


def chance_children(const uint8_t[:, ::1] boards, const int32_t[::1] groups, int num_ranks, int num_suits,
                    Py_ssize_t[::1] starts, int32_t[::1] parents, uint8_t[:, ::1] children, int64_t[::1] weights,
                    bint fill):
    """Deal the last of ``groups`` to every board. Write the children with ``fill``; else set ``starts[i + 1]`` to the
    end of board ``i``'s children."""
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int rounds = <int>groups.shape[0] - 1, cards = <int>boards.shape[1], new_cards = groups[rounds]
    cdef const uint8_t *board = &boards[0, 0] if cards and boards.shape[0] else NULL
    with nogil:
        for i in range(n):
            if fill:
                deal(board + i * cards, &groups[0], rounds, num_ranks, num_suits, new_cards, <int32_t>i, starts[i],
                     parents, children, weights)
            else:
                starts[i + 1] = starts[i] + deal(board + i * cards, &groups[0], rounds, num_ranks, num_suits,
                                                 new_cards, <int32_t>i, -1, parents, children, weights)


cdef inline int first_alike(const uint64_t *keys, int low_suit, int suit) noexcept nogil:
    """The first suit from ``low_suit`` on that has the key of ``suit``."""
    cdef int s = low_suit
    while keys[s] != keys[suit]:
        s += 1
    return s


def suit_classes(const uint8_t[:, ::1] boards, const int32_t[::1] groups, int num_suits, uint8_t[:, ::1] out):
    """Fill ``out[i, s]`` with the first suit that maps onto ``s`` under a permutation that fixes every round of board
    ``i``; leave suits that the deck lacks."""
    cdef Py_ssize_t i
    cdef int rounds = <int>groups.shape[0], s
    cdef uint64_t keys[SUITS]
    with nogil:
        for i in range(boards.shape[0]):
            suit_keys(&boards[i, 0] if boards.shape[1] else NULL, &groups[0] if rounds else NULL, rounds, keys)
            for s in range(SUITS - num_suits, SUITS):
                out[i, s] = <uint8_t>first_alike(keys, SUITS - num_suits, s)


cdef void classify(const uint8_t *board, const int32_t *groups, int rounds, const uint8_t *hands,
                   Py_ssize_t num_hands, int hole, int16_t *out) noexcept nogil:
    cdef uint64_t keys[SUITS]
    cdef uint64_t taken = 0
    cdef int first[SUITS]   # the first suit of each suit's class
    cdef int second[SUITS]  # and the second suit, if any
    cdef int16_t name[RANKS * SUITS * RANKS * SUITS]
    cdef int16_t count = 0
    cdef int cards = 0, a, b, i, s, t
    cdef Py_ssize_t h
    suit_keys(board, groups, rounds, keys)
    for i in range(rounds):
        cards += groups[i]
    for i in range(cards):
        taken |= <uint64_t>1 << board[i]
    for s in range(SUITS):
        first[s] = first_alike(keys, 0, s)
        second[s] = s
        for t in range(SUITS - 1, first[s], -1):
            if keys[t] == keys[s]:
                second[s] = t
    memset(name, 0xFF, sizeof(name))
    for h in range(num_hands):
        a = hands[h * hole]
        b = hands[h * hole + 1] if hole == 2 else a
        if (taken >> a) & 1 or (taken >> b) & 1:
            out[h] = -1
            continue
        if a > b:
            a, b = b, a
        s = a & 3
        t = b & 3
        a = (a & ~3) | first[s]
        b = (b & ~3) | (second[t] if s != t and first[s] == first[t] else first[t])
        if a > b:
            a, b = b, a
        i = a * RANKS * SUITS + b
        if name[i] < 0:
            name[i] = count
            count += 1
        out[h] = name[i]


def hand_classes(const uint8_t[:, ::1] boards, const int32_t[::1] groups, const uint8_t[:, ::1] hands,
                 int16_t[:, ::1] out, int threads):
    """Fill ``out[i, h]`` with the class of hand ``h`` under the suit permutations that fix every round of board
    ``i``, -1 where they share a card."""
    cdef Py_ssize_t i, n = boards.shape[0], num_hands = hands.shape[0]
    cdef int rounds = <int>groups.shape[0], cards = <int>boards.shape[1], hole = <int>hands.shape[1]
    cdef const uint8_t *board = &boards[0, 0] if cards and boards.shape[0] else NULL
    cdef const int32_t *group = &groups[0] if rounds else NULL
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        classify(board + i * cards, group, rounds, &hands[0, 0], num_hands, hole, &out[i, 0])
