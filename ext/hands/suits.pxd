"""Suits and their keys, shared by the modules of card isomorphism.

A suit's *key* holds its ranks round by round, earlier rounds and lower ranks in higher bits. Suits in falling order of
key give the lexicographically smallest of all isomorphic deals. A suit permutation fixes every round's set of cards
exactly if it only swaps suits of equal key.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

cdef extern from *:
    int leading_zeros "__builtin_clzll"(uint64_t) noexcept nogil

cdef enum:
    MAX_ROUNDS = 4
    RANKS = 13
    SUITS = 4


cdef inline uint64_t key_bit(int number, int rank) noexcept nogil:
    """The bit of a suit's key for a rank of the full deck in round ``number``."""
    return <uint64_t>1 << (RANKS * (MAX_ROUNDS - number) - 1 - rank)


cdef inline void suit_keys(const uint8_t *cards, const int32_t *groups, int rounds, uint64_t *keys) noexcept nogil:
    """Fill the key of each of the four suits."""
    cdef int i, j, start = 0
    for i in range(SUITS):
        keys[i] = 0
    for j in range(rounds):
        for i in range(start, start + groups[j]):
            keys[cards[i] & 3] |= key_bit(j, cards[i] >> 2)
        start += groups[j]


cdef inline void sort_suits(const uint64_t *keys, int low_suit, int *order) noexcept nogil:
    """Suits from ``low_suit`` in falling order of key, equal ones in order of suit."""
    cdef int i, s
    for s in range(low_suit, SUITS):
        i = s - low_suit
        while i > 0 and keys[order[i - 1]] < keys[s]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = s
