"""Native loops of card isomorphism: indices, inverses, suit orders, chance children, hand classes.

Cards are codes ``4*rank + suit``; a short deck has the top ranks and the last suits. Rank and suit *positions* count
within the deck. A suit's *key* holds its ranks round by round, earlier rounds and lower ranks in higher bits, so that
sorting suits by falling key gives the lexicographically smallest cards. The tables come from ``cfr.hands``.
"""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    int leading_zeros "__builtin_clzll"(uint64_t) noexcept nogil

cdef enum:
    MAX_ROUNDS = 4
    RANKS = 13
    SUITS = 4
    PARTS = 1 + RANKS + 78  # what a hand of at most two cards can hold of one suit
    CONFIG = 6  # columns of a configuration: offset, radix of each suit position, tie bits

cdef int32_t CHOOSE[RANKS + 1][RANKS + 2]
cdef uint64_t BIT[RANKS * SUITS]  # a card's place in a word of 16 bits per suit
cdef uint8_t COUNT[1 << RANKS]   # ranks in a set
cdef int16_t COLEX[1 << RANKS]   # number of a set among those of its size, in colexicographic order


cdef void fill_tables() noexcept:
    cdef int n, k, r
    for n in range(RANKS + 1):
        for k in range(RANKS + 2):
            CHOOSE[n][k] = 1 if k == 0 else 0 if n == 0 else CHOOSE[n - 1][k - 1] + CHOOSE[n - 1][k]
    for n in range(RANKS * SUITS):
        BIT[n] = <uint64_t>1 << (16 * (n & 3) + (n >> 2))
    COUNT[0] = COLEX[0] = 0
    for n in range(1, 1 << RANKS):
        COUNT[n] = COUNT[n >> 1] + (n & 1)
        r = RANKS - 1
        while not (n >> r) & 1:
            r -= 1
        COLEX[n] = COLEX[n & ~(1 << r)] + CHOOSE[r][COUNT[n]]


fill_tables()


cdef struct Layout:
    int num_ranks
    int num_suits
    int rounds
    int width
    const int32_t *groups   # (rounds,) cards dealt in each round
    const int32_t *weights  # (rounds, SUITS) a card's part in the number of its round's composition
    const int32_t *codes    # (rounds, width) that number -> the composition's part in the entry
    const int32_t *entries  # configuration << 8 | suits in falling order of shape, two bits each
    const int64_t *configs  # (configurations, CONFIG)


cdef inline int64_t multisets(int64_t value, int size) noexcept nogil:
    """Number of multisets of ``size`` values below ``value``: C(value + size - 1, size)."""
    cdef int64_t total = value
    cdef int k
    for k in range(1, size):
        total = total * (value + k) // (k + 1)
    return total


cdef int64_t combine_ties(int64_t *value, const int64_t *config) noexcept nogil:
    """`combine` for configurations with more than one pair of suits of equal shape."""
    cdef int64_t total = config[0], held
    cdef int ties = <int>config[5], first = 0, size, i
    while first < SUITS:
        size = 1
        while first + size < SUITS and (ties >> (first + size - 1)) & 1:
            held = value[first + size]
            i = first + size
            while i > first and value[i - 1] > held:
                value[i] = value[i - 1]
                i -= 1
            value[i] = held
            size += 1
        held = value[first]
        for i in range(1, size):
            held += multisets(value[first + i], i + 1)
        total += config[1 + first] * held
        first += size
    return total


cdef inline int64_t combine(const int64_t *suit_index, int32_t entry, const int64_t *configs) noexcept nogil:
    """The hand's index from the index of each suit; suits of equal shape count as a multiset."""
    cdef const int64_t *config = configs + CONFIG * (entry >> 8)
    cdef int64_t value[SUITS]
    cdef int64_t low, high
    cdef int ties = <int>config[5], j
    for j in range(SUITS):
        value[j] = suit_index[(entry >> (2 * j)) & 3]
    if ties & (ties - 1):
        return combine_ties(value, config)
    if ties:
        j = ties >> 1  # 1, 2, 4 -> 0, 1, 2
        low = min(value[j], value[j + 1])
        high = max(value[j], value[j + 1])
        value[j] = low + high * (high + 1) // 2
    # The radix of a suit that continues a run is 0.
    return config[0] + value[0] + config[2] * value[1] + config[3] * value[2] + config[4] * value[3]


cdef inline uint64_t squeeze(uint64_t word, uint64_t used, int cards) noexcept nogil:
    """Number the ranks of ``word`` among those of their suit that are not in ``used``, highest first."""
    cdef int i, top
    cdef uint64_t above
    for i in range(cards):
        top = 63 - leading_zeros(used)
        used ^= <uint64_t>1 << top
        above = (<uint64_t>0xFFFF << (top & 48)) & -(<uint64_t>2 << top)
        word = (word & ~above) | ((word & above) >> 1)
    return word


cdef inline int64_t index_cards(const uint8_t *cards, const Layout *layout) noexcept nogil:
    cdef uint64_t used = 0, word, free  # 16 bits per suit, one per rank
    cdef int64_t index[SUITS]
    cdef int64_t scale[SUITS]
    cdef int low = 4 * (RANKS - layout.num_ranks) + SUITS - layout.num_suits, num_ranks = layout.num_ranks
    cdef int start = 0, stop, i, j, s, r, lane, count, composition
    cdef int32_t entry = 0
    cdef const int32_t *weights = layout.weights
    for s in range(SUITS):
        index[s] = 0
        scale[s] = 1
    for j in range(layout.rounds):
        stop = start + layout.groups[j]
        if stop - start == 1:
            s = (cards[start] - low) & 3
            r = (cards[start] - low) >> 2
            lane = <int>(used >> (16 * s)) & 0xFFFF
            index[s] += scale[s] * (r - COUNT[lane & ((1 << r) - 1)])
            scale[s] *= num_ranks - COUNT[lane]
            used |= <uint64_t>1 << (16 * s + r)
            composition = weights[s]
        else:
            word = 0
            for i in range(start, stop):
                word |= BIT[cards[i] - low]
            free = squeeze(word, used, start)
            composition = 0
            for s in range(SUITS):
                lane = <int>(free >> (16 * s)) & 0xFFFF
                count = COUNT[lane]
                composition += weights[s] * count
                index[s] += scale[s] * COLEX[lane]
                scale[s] *= CHOOSE[num_ranks - COUNT[(used >> (16 * s)) & 0xFFFF]][count]
            used |= word
        entry += layout.codes[j * layout.width + composition]
        weights += SUITS
        start = stop
    return combine(index, layout.entries[entry], layout.configs)


cdef inline int64_t index_suit(const int32_t *masks, int rounds, int num_ranks) noexcept nogil:
    """The index of one suit's disjoint rank sets among all of the same sizes."""
    cdef int64_t index = COLEX[masks[0]], scale = CHOOSE[num_ranks][COUNT[masks[0]]]
    cdef int j, size, used = masks[0], mask, lowest
    for j in range(1, rounds):
        size = 0
        mask = masks[j]
        while mask:
            lowest = mask & -mask
            size += 1
            index += scale * CHOOSE[COUNT[(lowest - 1) & ~used]][size]
            mask ^= lowest
        scale *= CHOOSE[num_ranks - COUNT[used]][size]
        used |= masks[j]
    return index


cdef inline void suit_keys(const uint8_t *cards, const int32_t *groups, int rounds, uint64_t *keys) noexcept nogil:
    """Fill the key of each of the four suits."""
    cdef int i, j, start = 0
    for i in range(SUITS):
        keys[i] = 0
    for j in range(rounds):
        for i in range(start, start + groups[j]):
            keys[cards[i] & 3] |= <uint64_t>1 << (RANKS * (MAX_ROUNDS - 1 - j) + RANKS - 1 - (cards[i] >> 2))
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


cdef Layout layout_of(const int32_t[::1] groups, const int32_t[:, ::1] weights, const int32_t[:, ::1] codes,
                      const int32_t[::1] entries, const int64_t[:, ::1] configs, int num_ranks,
                      int num_suits) noexcept:
    cdef Layout layout
    layout.num_ranks = num_ranks
    layout.num_suits = num_suits
    layout.rounds = <int>groups.shape[0]
    layout.width = <int>codes.shape[1]
    layout.groups = &groups[0]
    layout.weights = &weights[0, 0]
    layout.codes = &codes[0, 0]
    layout.entries = &entries[0]
    layout.configs = &configs[0, 0]
    return layout


def first_invalid(const uint8_t[:, ::1] cards, int num_ranks, int num_suits):
    """The first row with a card twice or outside the deck, or -1."""
    cdef Py_ssize_t n = cards.shape[0], i, found = -1
    cdef int k = <int>cards.shape[1], j
    cdef uint64_t seen, bit
    with nogil:
        for i in range(n):
            seen = 0
            for j in range(k):
                if cards[i, j] >= 52 or (cards[i, j] >> 2) < RANKS - num_ranks or (
                        (cards[i, j] & 3) < SUITS - num_suits):
                    found = i
                    break
                bit = <uint64_t>1 << cards[i, j]
                if seen & bit:
                    found = i
                    break
                seen |= bit
            if found >= 0:
                break
    return found


def index(const uint8_t[:, ::1] cards, const int32_t[::1] groups, const int32_t[:, ::1] weights,
          const int32_t[:, ::1] codes, const int32_t[::1] entries, const int64_t[:, ::1] configs, int num_ranks,
          int num_suits, int64_t[::1] out, int threads):
    """Fill ``out`` with the index of each row of ``cards``."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = cards.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = index_cards(&cards[i, 0], &layout)


cdef void unindex_one(int64_t index, const Layout *layout, Py_ssize_t num_configs, const uint8_t *shapes,
                      uint8_t *out) noexcept nogil:
    cdef Py_ssize_t low = 0, high = num_configs, middle
    cdef const int64_t *config
    cdef int64_t value[SUITS]
    cdef int64_t held, bottom, top, guess
    cdef uint64_t keys[SUITS]
    cdef int order[SUITS]
    cdef int j, k, r, s, first, last, size, ties, used, left, rank, rounds = layout.rounds
    cdef int low_rank = RANKS - layout.num_ranks, low_suit = SUITS - layout.num_suits
    while high - low > 1:
        middle = (low + high) // 2
        if layout.configs[CONFIG * middle] <= index:
            low = middle
        else:
            high = middle
    config = layout.configs + CONFIG * low
    shapes += low * SUITS * rounds
    index -= config[0]
    ties = <int>config[5]
    # The runs of equal shape, last first; in each, the members from the largest.
    last = SUITS - 1
    while last >= 0:
        first = last
        while first > 0 and (ties >> (first - 1)) & 1:
            first -= 1
        held = index // config[1 + first]
        index -= held * config[1 + first]
        for k in range(last - first + 1, 0, -1):
            bottom = 0
            top = held + 1
            while top - bottom > 1:
                guess = bottom + (top - bottom) // 2
                if fits(guess, k, held):
                    bottom = guess
                else:
                    top = guess
            value[first + k - 1] = bottom
            held -= multisets(bottom, k)
        last = first - 1
    for s in range(SUITS):
        keys[s] = 0
    for s in range(layout.num_suits):
        used = 0
        for j in range(rounds):
            size = shapes[s * rounds + j]
            left = layout.num_ranks - COUNT[used]
            held = value[s] % CHOOSE[left][size]
            value[s] //= CHOOSE[left][size]
            order[0] = 0  # ranks of this round, one bit each
            rank = left
            r = layout.num_ranks
            # The ranks still free from the top: ``r`` is the actual rank of the free rank number ``rank``.
            while size > 0:
                r -= 1
                if (used >> r) & 1:
                    continue
                rank -= 1
                if CHOOSE[rank][size] <= held:
                    held -= CHOOSE[rank][size]
                    size -= 1
                    order[0] |= 1 << r
                    keys[low_suit + s] |= <uint64_t>1 << (
                        RANKS * (MAX_ROUNDS - 1 - j) + RANKS - 1 - low_rank - r)
            used |= order[0]
    sort_suits(keys, low_suit, order)
    k = 0
    for j in range(rounds):
        for r in range(RANKS):
            for s in range(layout.num_suits):
                if (keys[order[s]] >> (RANKS * (MAX_ROUNDS - 1 - j) + RANKS - 1 - r)) & 1:
                    out[k] = <uint8_t>(4 * r + low_suit + s)
                    k += 1


cdef inline bint fits(int64_t value, int size, int64_t limit) noexcept nogil:
    """Whether C(value + size - 1, size) <= limit, without overflow."""
    cdef int64_t total = value
    cdef int k
    for k in range(1, size):
        if total > limit:  # grows with every factor once value >= 1
            return False
        total = total * (value + k) // (k + 1)
    return total <= limit


def unindex(const int64_t[::1] indices, const int32_t[::1] groups, const int32_t[:, ::1] weights,
            const int32_t[:, ::1] codes, const int32_t[::1] entries, const int64_t[:, ::1] configs,
            const uint8_t[:, :, ::1] shapes, int num_ranks, int num_suits, uint8_t[:, ::1] out, int threads):
    """Fill each row of ``out`` with the canonical cards of an index: the lexicographically smallest."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = indices.shape[0], num_configs = configs.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        unindex_one(indices[i], &layout, num_configs, &shapes[0, 0, 0], &out[i, 0])


cdef void index_board(const uint8_t *board, int board_cards, const uint8_t *hands, Py_ssize_t num_hands, int hole,
                      const Layout *layout, int64_t *out) noexcept nogil:
    """Indices of all hands on one board: each suit's index is tabulated by what the hand holds of that suit."""
    cdef int32_t masks[SUITS][MAX_ROUNDS]
    cdef int64_t table[SUITS][PARTS]
    cdef int64_t index[SUITS]
    cdef int num_ranks = layout.num_ranks, low_rank = RANKS - num_ranks, low_suit = SUITS - layout.num_suits
    cdef int i, j, s, t, r, q, start = 0, composition
    cdef int32_t entry = 0
    cdef uint64_t taken = 0
    cdef Py_ssize_t h
    memset(masks, 0, sizeof(masks))
    memset(table, 0, sizeof(table))
    for j in range(1, layout.rounds):
        composition = 0
        for i in range(start, start + layout.groups[j]):
            s = (board[i] & 3) - low_suit
            masks[s][j] |= 1 << ((board[i] >> 2) - low_rank)
            composition += layout.weights[j * SUITS + s]
            taken |= <uint64_t>1 << board[i]
        entry += layout.codes[j * layout.width + composition]
        start += layout.groups[j]
    for s in range(layout.num_suits):
        table[s][0] = index_suit(masks[s], layout.rounds, num_ranks)
        for r in range(num_ranks):
            masks[s][0] = 1 << r
            table[s][1 + r] = index_suit(masks[s], layout.rounds, num_ranks)
            if hole == 2:
                for q in range(r):
                    masks[s][0] = (1 << r) | (1 << q)
                    table[s][1 + RANKS + r * (r - 1) // 2 + q] = index_suit(masks[s], layout.rounds, num_ranks)
    for h in range(num_hands):
        if (taken >> hands[h * hole]) & 1 or (hole == 2 and (taken >> hands[h * hole + 1]) & 1):
            out[h] = -1
            continue
        for s in range(SUITS):
            index[s] = table[s][0]
        s = (hands[h * hole] & 3) - low_suit
        r = (hands[h * hole] >> 2) - low_rank
        composition = layout.weights[s]
        if hole == 1:
            index[s] = table[s][1 + r]
        else:
            t = (hands[h * hole + 1] & 3) - low_suit
            q = (hands[h * hole + 1] >> 2) - low_rank
            composition += layout.weights[t]
            if s != t:
                index[s] = table[s][1 + r]
                index[t] = table[t][1 + q]
            elif q < r:
                index[s] = table[s][1 + RANKS + r * (r - 1) // 2 + q]
            else:
                index[s] = table[s][1 + RANKS + q * (q - 1) // 2 + r]
        out[h] = combine(index, layout.entries[entry + layout.codes[composition]], layout.configs)


def index_hands(const uint8_t[:, ::1] boards, const uint8_t[:, ::1] hands, const int32_t[::1] groups,
                const int32_t[:, ::1] weights, const int32_t[:, ::1] codes, const int32_t[::1] entries,
                const int64_t[:, ::1] configs, int num_ranks, int num_suits, int64_t[:, ::1] out, int threads):
    """Fill ``out[i, h]`` with the index of hand ``h`` on board ``i``, -1 where they share a card."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = boards.shape[0], num_hands = hands.shape[0]
    cdef int board_cards = <int>boards.shape[1], hole = <int>hands.shape[1]
    cdef const uint8_t *cards = &boards[0, 0] if board_cards else NULL
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        index_board(cards + i * board_cards, board_cards, &hands[0, 0], num_hands, hole, &layout, &out[i, 0])


def suit_permutations(const uint8_t[:, ::1] cards, const int32_t[::1] groups, int num_suits, uint8_t[::1] out,
                      int threads):
    """Fill ``out`` with the number, in lexicographic order, of the suit permutation that takes each row to its
    lexicographically smallest form."""
    cdef Py_ssize_t i, n = cards.shape[0]
    cdef int rounds = <int>groups.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = suit_permutation(&cards[i, 0], &groups[0], rounds, num_suits)


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


cdef Py_ssize_t deal(const uint8_t *board, const int32_t *groups, int rounds, int num_ranks, int num_suits,
                     int new_cards, int32_t parent, Py_ssize_t at, int32_t[::1] parents, uint8_t[:, ::1] boards,
                     int64_t[::1] weights) noexcept nogil:
    """Number of orbits of the next round's cards; written from row ``at`` on unless ``at`` is negative."""
    cdef uint64_t keys[SUITS]
    cdef uint64_t dealt[SUITS]
    cdef int before[SUITS]  # the previous suit of the same class, or -1
    cdef int place[SUITS]   # 1 for the first suit of a class, 2 for the second, ...
    cdef int repeats[SUITS]
    cdef uint8_t free[RANKS * SUITS]
    cdef int chosen[RANKS * SUITS]
    cdef uint64_t taken = 0
    cdef int low_suit = SUITS - num_suits, cards = 0, num_free = 0, c, i, s, t
    cdef int64_t weight
    cdef Py_ssize_t count = 0
    suit_keys(board, groups, rounds, keys)
    for i in range(rounds):
        cards += groups[i]
    for i in range(cards):
        taken |= <uint64_t>1 << board[i]
    for c in range(4 * (RANKS - num_ranks), RANKS * SUITS):
        if (c & 3) >= low_suit and not (taken >> c) & 1:
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
        # Of each orbit the lexicographically smallest: within a class of suits, keys never rise.
        weight = 1
        for s in range(low_suit, SUITS):
            t = before[s]
            repeats[s] = 1
            if t >= 0:
                if dealt[t] < dealt[s]:
                    weight = 0
                    break
                if dealt[t] == dealt[s]:
                    repeats[s] = repeats[t] + 1
            weight = weight * place[s] // repeats[s]
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
    """Deal the last of ``groups`` to every board. Without ``fill``, set ``starts[i + 1]`` to the end of board ``i``'s
    children; with it, write them."""
    cdef Py_ssize_t i, n = boards.shape[0]
    cdef int rounds = <int>groups.shape[0] - 1, cards = <int>boards.shape[1], new_cards = groups[rounds]
    cdef const uint8_t *board = &boards[0, 0] if cards else NULL
    with nogil:
        for i in range(n):
            if fill:
                deal(board + i * cards, &groups[0], rounds, num_ranks, num_suits, new_cards, <int32_t>i, starts[i],
                     parents, children, weights)
            else:
                starts[i + 1] = starts[i] + deal(board + i * cards, &groups[0], rounds, num_ranks, num_suits,
                                                 new_cards, <int32_t>i, -1, parents, children, weights)


cdef void classify(const uint8_t *board, const int32_t *groups, int rounds, const uint8_t *hands,
                   Py_ssize_t num_hands, int hole, int16_t *out) noexcept nogil:
    cdef uint64_t keys[SUITS]
    cdef uint64_t taken = 0
    cdef int first[SUITS]   # the first suit of each suit's class
    cdef int second[SUITS]  # and the second, where there is one
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
        first[s] = s
        for t in range(s - 1, -1, -1):
            if keys[t] == keys[s]:
                first[s] = t
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
    cdef const uint8_t *board = &boards[0, 0] if cards else NULL
    cdef const int32_t *group = &groups[0] if rounds else NULL
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        classify(board + i * cards, group, rounds, &hands[0, 0], num_hands, hole, &out[i, 0])
