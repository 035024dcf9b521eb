"""Hand strength by addition and two small tables.

The key of a hand is the sum of its cards' keys (`hand_keys.h`). A multiplication mixes the sum of the hand's rank keys;
the result is a row and a column. The rows of a table are slid over each other until no two entries meet (a perfect hash
by row displacement). A table of 8192 gives the strength of the ranks of a flush.

A strength has ``category + 1`` in the high four bits (high card 0 ... straight flush 8) and the order within the
category in the low twelve. A strength is at least 1. Strengths compare across boards and across five to seven cards.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef extern from "hand_keys.h" nogil:
    const uint64_t KEY_START, KEY_FLUSH
    const uint32_t *rank_keys
    uint64_t *card_keys
    void fill_card_keys()
    bint sum_keys(const uint8_t *cards, int count, int hands, uint64_t *keys, uint64_t *flushes)

cdef extern from *:
    """
    #define CFR_POPCOUNT(x) __builtin_popcount(x)
    #define CFR_TOP_BIT(x) (31 - __builtin_clz(x))
    #define CFR_LOW_BIT(x) __builtin_ctzll(x)
    """
    int popcount "CFR_POPCOUNT"(unsigned int) nogil
    int top_bit "CFR_TOP_BIT"(unsigned int) nogil
    int low_bit "CFR_LOW_BIT"(uint64_t) nogil

cdef enum:
    HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH
    ROWS = 1 << 13
    ROW_SHIFT = 19  # a mixed sum's 13 high bits are its row,
    COLUMN_SHIFT = 3  # the 16 below its column
    SLOTS = 1 << 16
    MOST_SUMS = 49205  # sets of seven ranks
    BLOCK = 512  # hands
    WORDS = 8  # of 64 hands
    NO_CARD = 52

cdef uint32_t MIX = 0x9E3779B1  # odd, and no two sums of five, six or seven cards share both row and column

cdef uint64_t card_bit[64]       # the card's rank in its suit's 16 bits
cdef uint16_t subset_order[8192]  # ranks of one size, ordered by their highest, then next ...
cdef uint16_t flush_strength[8192]


cdef struct Table:
    uint16_t slide[ROWS]
    uint16_t slot[SLOTS]


cdef struct Entries:
    int found
    uint32_t mixed[MOST_SUMS]
    uint16_t strength[MOST_SUMS]
    int32_t by_row[MOST_SUMS]
    int32_t start[ROWS + 1]
    int32_t end[ROWS]

cdef Table *tables[8]


cdef int straight_top(uint32_t ranks) noexcept nogil:
    """Rank of the highest card of the best straight in a set of ranks, or -1; the five for the wheel."""
    cdef uint32_t run = ranks & ranks << 1 & ranks << 2 & ranks << 3 & ranks << 4
    cdef uint32_t wheel = (1 << 12) | 15
    if run:
        return top_bit(run)
    return 3 if ranks & wheel == wheel else -1


cdef uint32_t highest(uint32_t ranks, int count) noexcept nogil:
    """The ``count`` highest of a set of ranks."""
    while popcount(ranks) > count:
        ranks &= ranks - 1
    return ranks


cdef uint16_t strength_of(int category, int order) noexcept nogil:
    return <uint16_t>((category + 1) << 12 | order)


cdef uint16_t rank_strength(const uint8_t *count) noexcept nogil:
    """Strength of five to seven cards by their ranks alone."""
    cdef uint32_t any_of = 0, pairs = 0, trips = 0, quads = 0, kickers
    cdef int r, top
    for r in range(13):
        any_of |= <uint32_t>(count[r] > 0) << r
        pairs |= <uint32_t>(count[r] == 2) << r
        trips |= <uint32_t>(count[r] == 3) << r
        quads |= <uint32_t>(count[r] == 4) << r
    if quads:
        top = top_bit(quads)
        return strength_of(QUADS, top * 13 + top_bit(any_of & ~(1 << top)))
    if trips and (pairs or popcount(trips) > 1):
        top = top_bit(trips)
        return strength_of(FULL_HOUSE, top * 13 + top_bit((pairs | trips) & ~(1 << top)))
    r = straight_top(any_of)
    if r >= 0:
        return strength_of(STRAIGHT, r)
    if trips:
        top = top_bit(trips)
        return strength_of(TRIPS, top * 78 + subset_order[highest(any_of & ~(1 << top), 2)])
    if popcount(pairs) > 1:
        pairs = highest(pairs, 2)
        return strength_of(TWO_PAIR, subset_order[pairs] * 13 + top_bit(any_of & ~pairs))
    if pairs:
        return strength_of(PAIR, top_bit(pairs) * 286 + subset_order[highest(any_of & ~pairs, 3)])
    return strength_of(HIGH_CARD, subset_order[highest(any_of, 5)])


cdef void collect(int rank, int left, uint32_t total, uint8_t *count, Entries *entries) noexcept nogil:
    """All ways to choose ``left`` more cards from ranks up to ``rank``: their mixed sums and strengths."""
    cdef int n
    if rank < 0:
        if left == 0:
            entries.mixed[entries.found] = total * MIX
            entries.strength[entries.found] = rank_strength(count)
            entries.found += 1
        return
    for n in range(min(left, 4) + 1):
        count[rank] = <uint8_t>n
        collect(rank - 1, left - n, total + <uint32_t>n * rank_keys[rank], count, entries)
    count[rank] = 0


cdef inline uint16_t slot_of(const Table *table, uint32_t mixed) noexcept nogil:
    return <uint16_t>(table.slide[mixed >> ROW_SHIFT] + (mixed >> COLUMN_SHIFT))


cdef bint row_fits(const Table *table, const Entries *entries, int row) noexcept nogil:
    cdef int i
    for i in range(entries.start[row], entries.end[row]):
        if table.slot[slot_of(table, entries.mixed[entries.by_row[i]])]:
            return False
    return True


cdef void fill_table(Table *table, Entries *entries, int cards) noexcept nogil:
    """Slide the rows into the slots, full rows first; table and entries must be zero."""
    cdef int i, row, size, largest = 0
    cdef uint8_t count[13]
    memset(count, 0, sizeof(count))
    collect(12, cards, 0, count, entries)
    for i in range(entries.found):
        entries.start[(entries.mixed[i] >> ROW_SHIFT) + 1] += 1
    for row in range(ROWS):
        largest = max(largest, entries.start[row + 1])
        entries.start[row + 1] += entries.start[row]
        entries.end[row] = entries.start[row]
    for i in range(entries.found):
        row = entries.mixed[i] >> ROW_SHIFT
        entries.by_row[entries.end[row]] = i
        entries.end[row] += 1
    for size in range(largest, 0, -1):
        for row in range(ROWS):
            if entries.end[row] - entries.start[row] != size:
                continue
            while not row_fits(table, entries, row):
                table.slide[row] += 1
            for i in range(entries.start[row], entries.end[row]):
                table.slot[slot_of(table, entries.mixed[entries.by_row[i]])] = entries.strength[entries.by_row[i]]


cdef void fill_small_tables() noexcept nogil:
    cdef int card, top
    cdef uint32_t ranks
    cdef uint16_t seen[14]
    fill_card_keys()
    memset(seen, 0, sizeof(seen))
    for ranks in range(8192):
        subset_order[ranks] = seen[popcount(ranks)]
        seen[popcount(ranks)] += 1
    for ranks in range(8192):
        flush_strength[ranks] = 0
        if popcount(ranks) >= 5:
            top = straight_top(ranks)
            flush_strength[ranks] = (strength_of(STRAIGHT_FLUSH, top) if top >= 0
                                     else strength_of(FLUSH, subset_order[highest(ranks, 5)]))
    for card in range(52):
        card_bit[card] = <uint64_t>1 << (16 * (card & 3) + (card >> 2))


fill_small_tables()


cdef Table *table_for(int cards) except NULL:
    """The table for five to seven cards, built on first use."""
    cdef Table *table
    cdef Entries *entries
    if tables[cards] == NULL:
        table = <Table *>calloc(1, sizeof(Table))
        entries = <Entries *>calloc(1, sizeof(Entries))
        if table == NULL or entries == NULL:
            free(table)
            free(entries)
            raise MemoryError("table of hand strengths")
        fill_table(table, entries, cards)
        free(entries)
        tables[cards] = table
    return tables[cards]


cdef inline uint16_t flush_of(uint64_t key, uint64_t bits) noexcept nogil:
    """Strength of the cards ``bits`` whose ``key`` counts five or more of one suit."""
    return flush_strength[bits >> (4 * (low_bit(key & KEY_FLUSH) - 51)) & 8191]


cdef inline uint16_t look_up(const Table *table, uint64_t key) noexcept nogil:
    return table.slot[slot_of(table, <uint32_t>key * MIX)]


cdef bint hands_of_block(const Table *table, const uint8_t *cards, int count, int hands,
                         uint16_t *strength) noexcept nogil:
    """Strengths of a block of hands; each step runs over all hands, which lets their table look-ups overlap."""
    cdef uint64_t keys[BLOCK]
    cdef uint64_t flushes[WORDS]
    cdef uint64_t left, bits
    cdef int h, i, word
    cdef bint wrong = sum_keys(cards, count, hands, keys, flushes)
    for h in range(hands):
        strength[h] = look_up(table, keys[h])
    # At most seven cards with a flush hold no full house and no four of a kind.
    for word in range((hands + 63) // 64):
        left = flushes[word]
        while left:
            h = 64 * word + low_bit(left)
            left &= left - 1
            bits = 0
            for i in range(count):
                bits |= card_bit[cards[h * count + i] & 63]
            strength[h] = flush_of(keys[h], bits)
    return wrong


cdef uint16_t few_cards(const uint8_t *cards, int count) noexcept nogil:
    """One card: its rank. Two: a pair, else ranks (Leduc hold'em). Three: the ranking of Rhode Island hold'em."""
    cdef uint32_t ranks = 0, twice = 0
    cdef int i, top
    cdef bint suited = True
    for i in range(count):
        twice |= ranks & (1 << (cards[i] >> 2))
        ranks |= 1 << (cards[i] >> 2)
        suited = suited and (cards[i] & 3) == (cards[0] & 3)
    if count < 3:
        return <uint16_t>(1 + (78 + top_bit(twice) if twice else subset_order[ranks]))
    if popcount(ranks) == 1:
        return strength_of(7, top_bit(ranks))
    if twice:
        return strength_of(PAIR, top_bit(twice) * 13 + top_bit(ranks & ~twice))
    top = top_bit(ranks) if ranks & ranks >> 1 & ranks >> 2 else -1
    if ranks == (1 << 12 | 3):
        top = 1
    if top >= 0:
        return strength_of(8 if suited else 4, top)
    return strength_of(3 if suited else HIGH_CARD, subset_order[ranks])


def evaluate(const uint8_t[:, ::1] cards, int threads, uint16_t[::1] strength):
    """Strengths of ``(n, k)`` cards, k in 1..3 or 5..7, into ``(n,)``; False if a code is no card."""
    cdef Py_ssize_t i, n = cards.shape[0], blocks = (n + BLOCK - 1) // BLOCK
    cdef int count = <int>cards.shape[1], wrong = 0
    cdef Table *table = NULL
    if n == 0:
        return True
    if count < 5:
        with nogil:
            for i in range(n * count):
                wrong |= (&cards[0, 0])[i] >= NO_CARD
            for i in range(0 if wrong else n):
                strength[i] = few_cards(&cards[i, 0], count)
        return not wrong
    table = table_for(count)
    for i in prange(blocks, nogil=True, num_threads=threads, schedule="static"):
        wrong |= hands_of_block(table, &cards[i * BLOCK, 0], count, <int>min(<Py_ssize_t>BLOCK, n - i * BLOCK),
                                &strength[i * BLOCK])
    return not wrong


cdef void few_strengths(const uint8_t *board, int board_cards, const uint8_t *hands, Py_ssize_t num_hands, int hole,
                        uint16_t *strength) noexcept nogil:
    """Strengths on one board, one to three cards in all; hands that collide get any value."""
    cdef uint8_t cards[3]
    cdef Py_ssize_t h
    memcpy(cards, board, board_cards)
    for h in range(num_hands):
        memcpy(cards + board_cards, hands + h * hole, hole)
        strength[h] = few_cards(cards, board_cards + hole)


cdef void key_strengths(const Table *table, uint64_t board_key, uint64_t board_bits, int hole,
                        const uint64_t *hand_keys, const uint64_t *hand_bits, Py_ssize_t num_hands,
                        uint16_t *strength) noexcept nogil:
    """Strengths on one board, five to seven cards in all; hands that collide get any value."""
    cdef Py_ssize_t h
    for h in range(num_hands):
        strength[h] = look_up(table, board_key + hand_keys[h])
    if not (board_key + <uint64_t>hole * 0x1111000000000000ULL) & KEY_FLUSH:
        return
    for h in range(num_hands):
        if (board_key + hand_keys[h]) & KEY_FLUSH:
            strength[h] = flush_of(board_key + hand_keys[h], board_bits | hand_bits[h])


cdef void board_strengths(const Table *table, const uint8_t *board, int board_cards, const uint8_t *hands, int hole,
                          const uint64_t *hand_keys, const uint64_t *hand_bits, Py_ssize_t num_hands,
                          uint16_t *strength) noexcept nogil:
    cdef uint64_t key = KEY_START, bits = 0
    cdef Py_ssize_t h
    cdef int i
    for i in range(board_cards):
        key += card_keys[board[i]]
        bits |= card_bit[board[i]]
    if table == NULL:
        few_strengths(board, board_cards, hands, num_hands, hole, strength)
    else:
        key_strengths(table, key, bits, hole, hand_keys, hand_bits, num_hands, strength)
    for h in range(num_hands):
        strength[h] = 0 if hand_bits[h] & bits else strength[h]


def strengths(const uint8_t[:, ::1] boards, const uint8_t[:, ::1] hands, int threads, uint16_t[:, ::1] strength):
    """Strengths of ``(H, hole)`` hands on ``(n, b)`` boards into ``(n, H)``, 0 where they share a card."""
    cdef Py_ssize_t i, n = boards.shape[0], num_hands = hands.shape[0]
    cdef int board_cards = <int>boards.shape[1], hole = <int>hands.shape[1]
    cdef Table *table = NULL
    cdef const uint8_t *first
    cdef uint64_t *keys
    cdef uint64_t *bits
    if n == 0 or num_hands == 0:
        return
    if board_cards + hole >= 5:
        table = table_for(board_cards + hole)
    first = &boards[0, 0] if board_cards else &hands[0, 0]  # of a board without cards nothing is read
    keys = <uint64_t *>calloc(2 * num_hands, sizeof(uint64_t))
    if keys == NULL:
        raise MemoryError("keys of hands")
    bits = keys + num_hands
    for i in range(num_hands * hole):
        keys[i // hole] += card_keys[(&hands[0, 0])[i]]
        bits[i // hole] |= card_bit[(&hands[0, 0])[i]]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        board_strengths(table, first + i * board_cards, board_cards, &hands[0, 0], hole, keys, bits, num_hands,
                        &strength[i, 0])
    free(keys)
