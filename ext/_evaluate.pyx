"""Hand strength by addition and two small tables.

A card adds a 64-bit key: in the low half a rank key, chosen greedily so that no two sets of up to seven ranks (at most
four of each) have the same sum; in the high bits a counter for each suit. The sum of rank keys finds the strength in a
table whose sparse rows of 512 sums are slid into each other (a perfect hash by row displacement); five cards of a suit
look their ranks up in a table of 8192.

A strength is ``category + 1`` in the high four bits (high card 0 ... straight flush 8) and the order within the category
in the low twelve, so 1 or more, and comparable between boards and numbers of cards from five to seven.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #define CFR_POPCOUNT(x) __builtin_popcount(x)
    #define CFR_TOP_BIT(x) (31 - __builtin_clz(x))
    """
    int popcount "CFR_POPCOUNT"(unsigned int) nogil
    int top_bit "CFR_TOP_BIT"(unsigned int) nogil

cdef enum:
    HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH
    ROW_BITS = 9
    ROWS = 15304  # sums of seven rank keys end below ROWS << ROW_BITS
    SLOTS = 1 << 17
    BLOCK = 256  # hands

cdef uint32_t* RANK_KEYS = [0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181]
cdef uint64_t FIVE = 0x8888000000000000ULL  # a counter that starts at 3 sets its top bit at five cards
cdef uint64_t START = 0x3333000000000000ULL

cdef uint64_t card_key[64]
cdef uint64_t card_bit[64]       # the card's rank in its suit's 16 bits
cdef uint16_t subset_order[8192]  # ranks of one size, ordered by their highest, then next ...
cdef uint16_t flush_strength[8192]


cdef struct Table:
    int32_t row[ROWS]
    uint16_t slot[SLOTS]

cdef Table *tables[8]


cdef int straight_top(uint32_t ranks) noexcept nogil:
    """Rank of the highest card of the best straight in a set of ranks, or -1; the wheel's is the five."""
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


cdef void collect(int rank, int left, uint32_t total, uint8_t *count, uint32_t *sums, uint16_t *strength,
                  int *found) noexcept nogil:
    """All ways to choose ``left`` more cards from ranks up to ``rank``: their sums of keys and strengths."""
    cdef int n
    if rank < 0:
        if left == 0:
            sums[found[0]] = total
            strength[found[0]] = rank_strength(count)
            found[0] += 1
        return
    for n in range(min(left, 4) + 1):
        count[rank] = <uint8_t>n
        collect(rank - 1, left - n, total + <uint32_t>n * RANK_KEYS[rank], count, sums, strength, found)
    count[rank] = 0


cdef int fill_table(Table *table, int cards) noexcept nogil:
    """Slide the rows into the slots, full rows first; the table's ``slot`` must be zero. 0 if memory ran out."""
    cdef int capacity = 50000, found = 0, i, r, n, base, size
    cdef uint32_t *sums = <uint32_t *>calloc(capacity, sizeof(uint32_t))
    cdef uint16_t *strength = <uint16_t *>calloc(capacity, sizeof(uint16_t))
    cdef int32_t *start = <int32_t *>calloc(ROWS + 1, sizeof(int32_t))
    cdef int32_t *order = <int32_t *>calloc(capacity, sizeof(int32_t))
    cdef int32_t *next_in = <int32_t *>calloc(ROWS, sizeof(int32_t))
    cdef uint8_t count[13]
    cdef int first_free = 0, hint
    cdef bint fits
    if sums and strength and start and order and next_in:
        memset(count, 0, sizeof(count))
        collect(12, cards, 0, count, sums, strength, &found)
        for i in range(found):
            start[(sums[i] >> ROW_BITS) + 1] += 1
        for r in range(ROWS):
            start[r + 1] += start[r]
            next_in[r] = start[r]
        for i in range(found):
            r = sums[i] >> ROW_BITS
            order[next_in[r]] = i
            next_in[r] += 1
        for size in range(1 << ROW_BITS, 0, -1):
            hint = 0  # rows of one size are tried where the last one fitted: a little looser, far quicker
            for r in range(ROWS):
                n = start[r + 1] - start[r]
                if n != size:
                    continue
                while table.slot[first_free]:
                    first_free += 1
                base = first_free - <int>(sums[order[start[r]]] & ((1 << ROW_BITS) - 1))
                base = max(base, hint)
                while True:
                    fits = True
                    for i in range(start[r], start[r + 1]):
                        if table.slot[base + (sums[order[i]] & ((1 << ROW_BITS) - 1))]:
                            fits = False
                            break
                    if fits:
                        break
                    base += 1
                hint = base if size > 1 else 0
                table.row[r] = base
                for i in range(start[r], start[r + 1]):
                    table.slot[base + (sums[order[i]] & ((1 << ROW_BITS) - 1))] = strength[order[i]]
    else:
        found = 0
    free(sums)
    free(strength)
    free(start)
    free(order)
    free(next_in)
    return found > 0


cdef void fill_small_tables() noexcept nogil:
    cdef int card, suit, top
    cdef uint32_t ranks
    cdef uint16_t seen[14]
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
        suit = card & 3
        card_key[card] = RANK_KEYS[card >> 2] + (<uint64_t>1 << (48 + 4 * suit))
        card_bit[card] = <uint64_t>1 << (16 * suit + (card >> 2))


fill_small_tables()


cdef Table *table_for(int cards) except NULL:
    """The table for five to seven cards, made when first asked for."""
    cdef Table *table
    cdef int made
    if tables[cards] == NULL:
        table = <Table *>calloc(1, sizeof(Table))
        if table == NULL:
            raise MemoryError("table of hand strengths")
        with nogil:
            made = fill_table(table, cards)
        if not made:
            free(table)
            raise MemoryError("table of hand strengths")
        tables[cards] = table
    return tables[cards]


cdef uint16_t flush_of(uint64_t key, uint64_t bits) noexcept nogil:
    """Strength of the cards ``bits`` whose ``key`` counts five or more of one suit."""
    cdef uint64_t five = key & FIVE
    cdef int suit = 0
    while not five >> (51 + 4 * suit) & 1:
        suit += 1
    return flush_strength[bits >> (16 * suit) & 8191]


cdef inline uint16_t look_up(const Table *table, uint64_t key) noexcept nogil:
    cdef uint32_t total = <uint32_t>key
    return table.slot[table.row[total >> ROW_BITS] + <int32_t>(total & ((1 << ROW_BITS) - 1))]


cdef inline uint64_t key_of(const uint8_t *cards, int count) noexcept nogil:
    cdef uint64_t key = START
    cdef int i
    for i in range(count):
        key += card_key[cards[i]]
    return key


cdef void hands_of_block(const Table *table, const uint8_t *cards, int count, int hands,
                         uint16_t *strength) noexcept nogil:
    """Strengths of a block of hands; one step for all before the next, so that their table look-ups overlap."""
    cdef uint64_t keys[BLOCK]
    cdef uint64_t bits
    cdef int h, i
    if count == 7:
        for h in range(hands):
            keys[h] = key_of(cards + h * 7, 7)
    else:
        for h in range(hands):
            keys[h] = key_of(cards + h * count, count)
    for h in range(hands):
        strength[h] = look_up(table, keys[h])
    for h in range(hands):
        if keys[h] & FIVE:
            # With seven cards or fewer, a flush leaves no room for a full house or better but a straight flush.
            bits = 0
            for i in range(count):
                bits |= card_bit[cards[h * count + i]]
            strength[h] = flush_of(keys[h], bits)


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
    """Strengths of ``(n, k)`` cards, k in 1..3 or 5..7, into ``(n,)``."""
    cdef Py_ssize_t i, n = cards.shape[0]
    cdef int count = <int>cards.shape[1]
    cdef Table *table = NULL
    if n == 0:
        return
    if count < 5:
        with nogil:
            for i in range(n):
                strength[i] = few_cards(&cards[i, 0], count)
        return
    table = table_for(count)
    cdef Py_ssize_t blocks = (n + BLOCK - 1) // BLOCK
    for i in prange(blocks, nogil=True, num_threads=threads, schedule="static"):
        hands_of_block(table, &cards[i * BLOCK, 0], count, <int>min(<Py_ssize_t>BLOCK, n - i * BLOCK),
                       &strength[i * BLOCK])


cdef void board_strengths(const Table *table, const uint8_t *board, int board_cards, const uint8_t *hands,
                          Py_ssize_t num_hands, int hole, uint16_t *strength) noexcept nogil:
    cdef uint64_t key = START, bits = 0, hand_key
    cdef uint64_t hand_bits, taken = 0
    cdef Py_ssize_t h
    cdef int i
    cdef uint8_t few[8]
    for i in range(board_cards):
        key += card_key[board[i]]
        bits |= card_bit[board[i]]
    for h in range(num_hands):
        hand_key = key
        hand_bits = 0
        for i in range(hole):
            hand_key += card_key[hands[h * hole + i]]
            hand_bits |= card_bit[hands[h * hole + i]]
        if hand_bits & bits:
            strength[h] = 0
        elif table == NULL:
            memcpy(few, hands + h * hole, hole)
            memcpy(few + hole, board, board_cards)
            strength[h] = few_cards(few, hole + board_cards)
        elif hand_key & FIVE:
            strength[h] = flush_of(hand_key, bits | hand_bits)
        else:
            strength[h] = look_up(table, hand_key)


def strengths(const uint8_t[:, ::1] boards, const uint8_t[:, ::1] hands, int threads, uint16_t[:, ::1] strength):
    """Strengths of ``(H, hole)`` hands on ``(n, b)`` boards into ``(n, H)``, 0 where they share a card."""
    cdef Py_ssize_t i, n = boards.shape[0], num_hands = hands.shape[0]
    cdef int board_cards = <int>boards.shape[1], hole = <int>hands.shape[1]
    cdef Table *table = NULL
    cdef const uint8_t *first = NULL
    if n == 0 or num_hands == 0:
        return
    if board_cards + hole >= 5:
        table = table_for(board_cards + hole)
    if board_cards:
        first = &boards[0, 0]
    for i in prange(n, nogil=True, num_threads=threads, schedule="static"):
        board_strengths(table, first + i * board_cards, board_cards, &hands[0, 0], num_hands, hole, &strength[i, 0])


cdef void count_from(const Table *table, int low, int left, uint64_t key, uint64_t bits,
                     int64_t *counts) noexcept nogil:
    """Count categories of all hands that add ``left`` cards below ``low`` to a key."""
    cdef int card
    cdef uint16_t strength
    for card in range(left - 1, low):
        if left > 1:
            count_from(table, card, left - 1, key + card_key[card], bits | card_bit[card], counts)
            continue
        if key + card_key[card] & FIVE:
            strength = flush_of(key + card_key[card], bits | card_bit[card])
        else:
            strength = look_up(table, key + card_key[card])
        counts[strength >> 12] += 1
        counts[0] += strength == (9 << 12 | 12)


def count_categories(int cards, int64_t[::1] counts):
    """Count all hands of five to seven cards by ``strength >> 12`` into ``(16,)``; royal flushes at 0."""
    cdef Table *table = table_for(cards)
    with nogil:
        count_from(table, 52, cards, START, 0, &counts[0])
