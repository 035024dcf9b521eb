"""Numbers of canonical hands and their inverses.

Cards are codes ``4*rank + suit``. A short deck has the top ranks and the last suits; rank and suit *positions* count
within it. `cfr.hands.isomorphism` builds the tables: see ``_Layout`` there.
"""

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from suits cimport MAX_ROUNDS, RANKS, SUITS, key_bit, leading_zeros, sort_suits

cdef enum:
    PARTS = 1 + RANKS + 78  # sets of at most two ranks: a hand's holdings of one suit
    CONFIG = 6  # columns of a configuration: first number, radix of each suit position, tie bits

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
    const int32_t *codes    # (rounds, width) number of a composition -> its part in the entry
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


def index(const uint8_t[:, ::1] cards, const int32_t[::1] groups, const int32_t[:, ::1] weights,
          const int32_t[:, ::1] codes, const int32_t[::1] entries, const int64_t[:, ::1] configs, int num_ranks,
          int num_suits, int64_t[::1] out, int threads):
    """Fill ``out`` with the index of each row of ``cards``."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = cards.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        out[i] = index_cards(&cards[i, 0], &layout)


cdef inline int64_t suit_size(const uint8_t *shape, int rounds, int num_ranks) noexcept nogil:
    """Number of indices of a suit with ``shape[j]`` cards in round ``j``."""
    cdef int64_t size = 1
    cdef int j
    for j in range(rounds):
        size *= CHOOSE[num_ranks][shape[j]]
        num_ranks -= shape[j]
    return size


cdef inline const int64_t *find_config(int64_t index, const Layout *layout, Py_ssize_t num_configs) noexcept nogil:
    """The last configuration that begins at or before ``index``."""
    cdef Py_ssize_t low = 0, high = num_configs, middle
    while high - low > 1:
        middle = (low + high) // 2
        if layout.configs[CONFIG * middle] <= index:
            low = middle
        else:
            high = middle
    return layout.configs + CONFIG * low


cdef inline void split_index(int64_t index, const int64_t *config, const uint8_t *shape, const Layout *layout,
                             int64_t *value) noexcept nogil:
    """Undo `combine`: find the index of each suit position, last run of equal shapes and largest member first."""
    cdef int ties = <int>config[5], last = SUITS - 1, first, k
    cdef int64_t held, bottom, top, middle
    index -= config[0]
    while last >= 0:
        first = last
        while first > 0 and (ties >> (first - 1)) & 1:
            first -= 1
        held = index // config[1 + first]
        index -= held * config[1 + first]
        top = suit_size(shape + first * layout.rounds, layout.rounds, layout.num_ranks)
        for k in range(last - first + 1, 1, -1):
            bottom = 0
            while top - bottom > 1:
                middle = (bottom + top) // 2
                if multisets(middle, k) <= held:
                    bottom = middle
                else:
                    top = middle
            value[first + k - 1] = bottom
            held -= multisets(bottom, k)
            top = bottom + 1
        value[first] = held
        last = first - 1


cdef inline uint64_t unindex_suit(int64_t index, const uint8_t *shape, const Layout *layout) noexcept nogil:
    """Undo `index_suit`: the key of the suit with this index."""
    cdef uint64_t key = 0
    cdef int64_t held, ways
    cdef int low_rank = RANKS - layout.num_ranks, used = 0, j, r, rank, size, mask
    for j in range(layout.rounds):
        size = shape[j]
        rank = layout.num_ranks - COUNT[used]
        ways = CHOOSE[rank][size]
        held = index % ways
        index //= ways
        mask = 0
        r = layout.num_ranks
        # ``r`` is the free rank with number ``rank``, counted from the top.
        while size > 0:
            r -= 1
            if (used >> r) & 1:
                continue
            rank -= 1
            if CHOOSE[rank][size] <= held:
                held -= CHOOSE[rank][size]
                size -= 1
                mask |= 1 << r
                key |= key_bit(j, low_rank + r)
        used |= mask
    return key


cdef void unindex_one(int64_t index, const Layout *layout, Py_ssize_t num_configs, const uint8_t *shapes,
                      uint8_t *out) noexcept nogil:
    cdef const int64_t *config = find_config(index, layout, num_configs)
    cdef const uint8_t *shape = shapes + (config - layout.configs) // CONFIG * SUITS * layout.rounds
    cdef int64_t value[SUITS]
    cdef uint64_t keys[SUITS]
    cdef int order[SUITS]
    cdef int low_suit = SUITS - layout.num_suits, j, k = 0, s, place
    cdef uint64_t ranks, cards
    split_index(index, config, shape, layout, value)
    for s in range(layout.num_suits):
        keys[low_suit + s] = unindex_suit(value[s], shape + s * layout.rounds, layout)
    sort_suits(keys, low_suit, order)
    for j in range(layout.rounds):
        cards = 0  # one bit for each of the deck's cards
        for s in range(layout.num_suits):
            ranks = (keys[order[s]] >> (RANKS * (MAX_ROUNDS - 1 - j))) & ((1 << RANKS) - 1)
            while ranks:
                place = 63 - leading_zeros(ranks)
                ranks ^= <uint64_t>1 << place
                cards |= <uint64_t>1 << (4 * (RANKS - 1 - place) + low_suit + s)
        while cards:
            out[k] = <uint8_t>(63 - leading_zeros(cards & -cards))
            cards &= cards - 1
            k += 1


def unindex(const int64_t[::1] indices, const int32_t[::1] groups, const int32_t[:, ::1] weights,
            const int32_t[:, ::1] codes, const int32_t[::1] entries, const int64_t[:, ::1] configs,
            const uint8_t[:, :, ::1] shapes, int num_ranks, int num_suits, uint8_t[:, ::1] out, int threads):
    """Fill each row of ``out`` with the canonical cards of an index: the lexicographically smallest."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = indices.shape[0], num_configs = configs.shape[0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        unindex_one(indices[i], &layout, num_configs, &shapes[0, 0, 0], &out[i, 0])


cdef inline int pair_part(int first, int second) noexcept nogil:
    """The place in a suit's table of a hand with two ranks of the suit."""
    return 1 + RANKS + max(first, second) * (max(first, second) - 1) // 2 + min(first, second)


cdef inline void tabulate(int32_t *masks, const Layout *layout, bint pairs, int64_t *table) noexcept nogil:
    """Fill a suit's index for each holding of the hand: nothing, one rank, or two; ``masks`` has the board's ranks."""
    cdef int first, second
    masks[0] = 0
    table[0] = index_suit(masks, layout.rounds, layout.num_ranks)
    for first in range(layout.num_ranks):
        masks[0] = 1 << first
        table[1 + first] = index_suit(masks, layout.rounds, layout.num_ranks)
        for second in range(first if pairs else 0):
            masks[0] = (1 << first) | (1 << second)
            table[pair_part(first, second)] = index_suit(masks, layout.rounds, layout.num_ranks)


cdef void index_board(const uint8_t *board, const uint8_t *hands, Py_ssize_t num_hands, int hole,
                      const Layout *layout, int64_t *out) noexcept nogil:
    """Indices of all hands on one board."""
    cdef int32_t masks[SUITS][MAX_ROUNDS]
    cdef int64_t table[SUITS][PARTS]
    cdef int64_t index[SUITS]
    cdef int low = 4 * (RANKS - layout.num_ranks) + SUITS - layout.num_suits
    cdef int i, j, s, first, second, start = 0, composition
    cdef int32_t entry = 0
    cdef uint64_t taken = 0
    cdef Py_ssize_t h
    memset(masks, 0, sizeof(masks))
    memset(table, 0, sizeof(table))
    for j in range(1, layout.rounds):
        composition = 0
        for i in range(start, start + layout.groups[j]):
            s = (board[i] - low) & 3
            masks[s][j] |= 1 << ((board[i] - low) >> 2)
            composition += layout.weights[j * SUITS + s]
            taken |= BIT[board[i] - low]
        entry += layout.codes[j * layout.width + composition]
        start += layout.groups[j]
    for s in range(layout.num_suits):
        tabulate(masks[s], layout, hole == 2, table[s])
    for h in range(num_hands):
        first = hands[h * hole] - low
        second = hands[h * hole + hole - 1] - low
        if taken & (BIT[first] | BIT[second]):
            out[h] = -1
            continue
        for s in range(SUITS):
            index[s] = table[s][0]
        composition = layout.weights[first & 3]
        if hole == 2:
            composition += layout.weights[second & 3]
        if hole == 2 and (first & 3) == (second & 3):
            index[first & 3] = table[first & 3][pair_part(first >> 2, second >> 2)]
        else:
            index[first & 3] = table[first & 3][1 + (first >> 2)]
            index[second & 3] = table[second & 3][1 + (second >> 2)]
        out[h] = combine(index, layout.entries[entry + layout.codes[composition]], layout.configs)


def index_hands(const uint8_t[:, ::1] boards, const uint8_t[:, ::1] hands, const int32_t[::1] groups,
                const int32_t[:, ::1] weights, const int32_t[:, ::1] codes, const int32_t[::1] entries,
                const int64_t[:, ::1] configs, int num_ranks, int num_suits, int64_t[:, ::1] out, int threads):
    """Fill ``out[i, h]`` with the index of hand ``h`` on board ``i``, -1 where they share a card."""
    cdef Layout layout = layout_of(groups, weights, codes, entries, configs, num_ranks, num_suits)
    cdef Py_ssize_t i, n = boards.shape[0], num_hands = hands.shape[0]
    cdef int board_cards = <int>boards.shape[1], hole = <int>hands.shape[1]
    cdef const uint8_t *cards = &boards[0, 0] if board_cards and n else NULL
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        index_board(cards + i * board_cards, &hands[0, 0], num_hands, hole, &layout, &out[i, 0])
