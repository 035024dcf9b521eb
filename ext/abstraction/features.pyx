"""Hand-strength features of all hands of a board in one pass, and the nearest centroid of each.

Every feature is an integer: a pass over all hands and a computation for one hand agree to the last bit.
A hand is *live* on a board if hand and board share no card; other hands get the fillers documented below.
"""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef extern from "nearest.h" nogil:
    ctypedef struct centroid_tree:
        const float *coarse
        int coarse_blocks
        const float *fine
        const int32_t *first_block
        const int32_t *labels

    void place_hands(const uint16_t *features, int count, int dims, const centroid_tree *tree, int level, int32_t *out)

cdef enum:
    MAX_HANDS = 1326
    MAX_CARDS = 52
    CLUSTERS = 8
    SCALE = 1023


cdef int live_ascending(const uint16_t *strengths, int num_hands, int16_t *order) noexcept nogil:
    """Write the hands of positive strength to ``order``, weakest first, by two passes of a radix sort."""
    cdef int16_t live[MAX_HANDS]
    cdef int16_t half_sorted[MAX_HANDS]
    cdef int32_t low[257]
    cdef int32_t high[257]
    cdef int h, i, n = 0
    memset(low, 0, sizeof(low))
    memset(high, 0, sizeof(high))
    for h in range(num_hands):
        live[n] = <int16_t>h
        n += strengths[h] != 0
    for i in range(n):
        low[(strengths[live[i]] & 255) + 1] += 1
        high[(strengths[live[i]] >> 8) + 1] += 1
    for i in range(256):
        low[i + 1] += low[i]
        high[i + 1] += high[i]
    for i in range(n):
        h = strengths[live[i]] & 255
        half_sorted[low[h]] = live[i]
        low[h] += 1
    for i in range(n):
        h = strengths[half_sorted[i]] >> 8
        order[high[h]] = half_sorted[i]
        high[h] += 1
    return n


cdef void board_values(const uint16_t *strengths, const uint8_t *hands, int num_hands, int filler,
                       uint16_t *values) noexcept nogil:
    cdef int16_t order[MAX_HANDS]
    cdef int32_t below[MAX_CARDS]
    cdef int num_live = live_ascending(strengths, num_hands, order)
    cdef int start = 0, end, i, h, strength
    memset(below, 0, sizeof(below))
    for h in range(num_hands):
        values[h] = <uint16_t>filler
    while start < num_live:
        strength = strengths[order[start]]
        end = start
        while end < num_live and strengths[order[end]] == strength:
            h = order[end]
            values[h] = <uint16_t>(start - below[hands[2 * h]] - below[hands[2 * h + 1]])
            end += 1
        for i in range(start, end):
            h = order[i]
            below[hands[2 * h]] += 1
            below[hands[2 * h + 1]] += 1
        for i in range(start, end):  # `below` now includes the tie group, and the hand itself once per card
            h = order[i]
            values[h] = <uint16_t>(values[h] + end + 1 - below[hands[2 * h]] - below[hands[2 * h + 1]])
        start = end


def river_values(const uint16_t[:, ::1] strengths, const uint8_t[:, ::1] hands, int filler, int threads,
                 uint16_t[:, ::1] values):
    """``values[b, h]`` = 2 * opponent hands beaten + tied, ``filler`` where hand ``h`` is not live."""
    cdef Py_ssize_t b
    cdef int num_hands = <int>hands.shape[0]
    for b in prange(strengths.shape[0], nogil=True, num_threads=threads, schedule="static"):
        board_values(&strengths[b, 0], &hands[0, 0], num_hands, filler, &values[b, 0])


cdef inline uint16_t share(uint32_t value, uint32_t opponents) noexcept nogil:
    """``value`` of at most ``2 * opponents`` on the scale 0..SCALE, rounded; half the scale against no opponent.

    The quotient of two exact floats is rounded as IEEE 754 says, whatever the vector width.
    """
    cdef float most = <float>(2 * opponents) if opponents else <float>2
    cdef float part = <float>(value * SCALE) if opponents else <float>SCALE
    return <uint16_t><int32_t>(part / most + <float>0.5)


cdef void board_shares(const uint16_t *strengths, const uint8_t *hands, const uint8_t *clusters, int num_hands,
                       uint16_t *features) noexcept nogil:
    cdef int16_t order[MAX_HANDS]
    cdef uint16_t below[MAX_CARDS][CLUSTERS]
    cdef uint16_t total[CLUSTERS]
    cdef uint16_t *one
    cdef uint16_t *first
    cdef uint16_t *second
    cdef int num_live = live_ascending(strengths, num_hands, order)
    cdef int start = 0, end, i, h, k, strength
    memset(below, 0, sizeof(below))
    memset(total, 0, sizeof(total))
    memset(features, 0, num_hands * CLUSTERS * sizeof(uint16_t))
    while start < num_live:
        strength = strengths[order[start]]
        end = start
        while end < num_live and strengths[order[end]] == strength:
            h = order[end]
            one = features + h * CLUSTERS
            first = below[hands[2 * h]]
            second = below[hands[2 * h + 1]]
            for k in range(CLUSTERS):
                one[k] = <uint16_t>(total[k] - first[k] - second[k])
            end += 1
        for i in range(start, end):
            h = order[i]
            below[hands[2 * h]][clusters[h]] += 1
            below[hands[2 * h + 1]][clusters[h]] += 1
            total[clusters[h]] += 1
        for i in range(start, end):
            h = order[i]
            one = features + h * CLUSTERS
            first = below[hands[2 * h]]
            second = below[hands[2 * h + 1]]
            for k in range(CLUSTERS):
                one[k] = <uint16_t>(one[k] + total[k] - first[k] - second[k])
            one[clusters[h]] += 1  # the hand itself was subtracted twice, once with each card
        start = end
    for i in range(num_live):
        h = order[i]
        one = features + h * CLUSTERS
        first = below[hands[2 * h]]
        second = below[hands[2 * h + 1]]
        for k in range(CLUSTERS):
            one[k] = share(one[k], total[k] - first[k] - second[k] + (clusters[h] == k))


def river_shares(const uint16_t[:, ::1] strengths, const uint8_t[:, ::1] hands, const uint8_t[::1] clusters,
                 int threads, uint16_t[:, :, ::1] features):
    """``features[b, h, k]`` = share of the pot of hand ``h`` against cluster ``k``, 0..1023; 0 where not live."""
    cdef Py_ssize_t b
    cdef int num_hands = <int>hands.shape[0]
    for b in prange(strengths.shape[0], nogil=True, num_threads=threads, schedule="static"):
        board_shares(&strengths[b, 0], &hands[0, 0], &clusters[0], num_hands, &features[b, 0, 0])


cdef void mark_opponents(const uint8_t[:, ::1] hands, int hand, uint16_t *opponent) noexcept nogil:
    """Set ``opponent`` to 1 for the hands that share no card with ``hand``, else to 0."""
    cdef int h, first = hands[hand, 0], second = hands[hand, 1]
    for h in range(<int>hands.shape[0]):
        opponent[h] = (hands[h, 0] != first and hands[h, 0] != second
                       and hands[h, 1] != first and hands[h, 1] != second)


def hand_values(const uint16_t[:, ::1] strengths, const uint8_t[:, ::1] hands, int hand, uint16_t[::1] values):
    """``river_values`` of one hand that is live on every board, by a plain count."""
    cdef uint16_t opponent[MAX_HANDS]
    cdef Py_ssize_t b
    cdef uint16_t count, own, other
    cdef int h
    with nogil:
        mark_opponents(hands, hand, opponent)
        for b in range(strengths.shape[0]):
            own = <uint16_t>(strengths[b, hand] - 1)
            count = 0
            for h in range(<int>hands.shape[0]):
                other = <uint16_t>(strengths[b, h] - 1)  # not live: above every strength
                count += opponent[h] & (other < own)
                count += opponent[h] & (other <= own)
            values[b] = count


def hand_shares(const uint16_t[::1] strengths, const uint8_t[:, ::1] hands, const uint8_t[::1] clusters, int hand,
                uint16_t[::1] features):
    """``river_shares`` of one live hand on one board, by a plain count."""
    cdef uint16_t opponent[MAX_HANDS]
    cdef uint32_t value[CLUSTERS]
    cdef uint32_t opponents[CLUSTERS]
    cdef int h, k, own = strengths[hand]
    memset(value, 0, sizeof(value))
    memset(opponents, 0, sizeof(opponents))
    mark_opponents(hands, hand, opponent)
    for h in range(<int>hands.shape[0]):
        if opponent[h] and strengths[h] != 0:
            value[clusters[h]] += (strengths[h] < own) + (strengths[h] <= own)
            opponents[clusters[h]] += 1
    for k in range(CLUSTERS):
        features[k] = share(value[k], opponents[k])


cdef void add_steps(const uint16_t *values, const int16_t *source, const uint8_t *steps, int num_hands, int dims,
                    uint16_t *features) noexcept nogil:
    cdef int h, d
    cdef const uint8_t *step
    if dims == 16:
        for h in range(num_hands):
            step = steps + 16 * <int>values[source[h]]
            for d in range(16):
                features[16 * h + d] += step[d]
    else:
        for h in range(num_hands):
            step = steps + dims * <int>values[source[h]]
            for d in range(dims):
                features[dims * h + d] += step[d]


def sum_steps(const uint16_t[:, ::1] values, const int32_t[:, ::1] boards, const uint8_t[:, ::1] perms,
              const int16_t[:, ::1] permuted, const uint8_t[:, ::1] steps, int threads,
              uint16_t[:, :, ::1] features):
    """``features[b, h] = sum over j of steps[values[boards[b, j], permuted[perms[b, j], h]]]``."""
    cdef Py_ssize_t b, j
    cdef int num_hands = <int>permuted.shape[1], dims = <int>steps.shape[1]
    for b in prange(boards.shape[0], nogil=True, num_threads=threads, schedule="static"):
        memset(&features[b, 0, 0], 0, num_hands * dims * sizeof(uint16_t))
        for j in range(boards.shape[1]):
            add_steps(&values[boards[b, j], 0], &permuted[perms[b, j], 0], &steps[0, 0], num_hands, dims,
                      &features[b, 0, 0])


cdef void add_features(const uint16_t *finer, const int16_t *source, int num_hands, int dims,
                       uint16_t *features) noexcept nogil:
    cdef int h, d
    cdef const uint16_t *other
    for h in range(num_hands):
        other = finer + dims * source[h]
        for d in range(dims):
            features[dims * h + d] += other[d]


def mean_features(const uint16_t[:, :, ::1] finer, const int32_t[:, ::1] boards, const uint8_t[:, ::1] perms,
                  const int16_t[:, ::1] permuted, int divisor, int threads, uint16_t[:, :, ::1] features):
    """``features[b, h] = (sum over j of finer[boards[b, j], permuted[perms[b, j], h]]) // divisor``."""
    cdef Py_ssize_t b, j
    cdef int i, num_hands = <int>permuted.shape[1], dims = <int>finer.shape[2]
    for b in prange(boards.shape[0], nogil=True, num_threads=threads, schedule="static"):
        memset(&features[b, 0, 0], 0, num_hands * dims * sizeof(uint16_t))
        for j in range(boards.shape[1]):
            add_features(&finer[boards[b, j], 0, 0], &permuted[perms[b, j], 0], num_hands, dims, &features[b, 0, 0])
        divide(&features[b, 0, 0], num_hands * dims, divisor)


cdef void divide(uint16_t *numbers, int count, int divisor) noexcept nogil:
    cdef int i
    for i in range(count):
        numbers[i] = <uint16_t>(numbers[i] // divisor)


cdef void mark_collisions(const uint8_t *board, int num_cards, const uint8_t *hands, int num_hands,
                          int32_t *rows) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int i
    for i in range(num_cards):
        cards |= <uint64_t>1 << board[i]
    for i in range(num_hands):
        rows[i] = -<int32_t>((cards >> hands[2 * i] | cards >> hands[2 * i + 1]) & 1)


def place(const uint16_t[:, :, ::1] features, const uint8_t[:, ::1] boards, const uint8_t[:, ::1] hands,
          const float[:, :, ::1] coarse, const float[:, :, ::1] fine, const int32_t[::1] first_block,
          const int32_t[::1] labels, int level, int threads, int32_t[:, ::1] rows):
    """``rows[b, h]`` = label of the centroid nearest to ``features[b, h]``, -1 where hand ``h`` is not live.

    ``level`` caps the instruction set: 0 base, 1 AVX2, 2 AVX-512; the answer is the same.
    """
    cdef Py_ssize_t b
    cdef int num_hands = <int>hands.shape[0], dims = <int>features.shape[2]
    cdef centroid_tree tree = [&coarse[0, 0, 0], <int>coarse.shape[0], &fine[0, 0, 0], &first_block[0], &labels[0]]
    for b in prange(boards.shape[0], nogil=True, num_threads=threads, schedule="static"):
        mark_collisions(&boards[b, 0], <int>boards.shape[1], &hands[0, 0], num_hands, &rows[b, 0])
        place_hands(&features[b, 0, 0], num_hands, dims, &tree, level, &rows[b, 0])


def nearest(const uint16_t[:, ::1] features, const float[:, :, ::1] coarse, const float[:, :, ::1] fine,
            const int32_t[::1] first_block, const int32_t[::1] labels, int level, int32_t[::1] rows):
    """``rows[i]`` = label of the centroid nearest to ``features[i]``."""
    cdef centroid_tree tree = [&coarse[0, 0, 0], <int>coarse.shape[0], &fine[0, 0, 0], &first_block[0], &labels[0]]
    rows[:] = 0
    with nogil:
        place_hands(&features[0, 0], <int>features.shape[0], <int>features.shape[1], &tree, level, &rows[0])
