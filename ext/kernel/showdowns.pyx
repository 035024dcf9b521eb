"""Groups, cells and parts of hands on the boards of the last round."""

from libc.stdint cimport int16_t, int32_t, uint8_t

cdef enum:
    CARDS = 52
    MOST_PARTS = 2652  # of a board: two for each of 1,326 hands


cdef struct Board:  # one board's rows of the arrays, and counters for its parts
    int32_t groups, hole, cells, entries, parts
    const int16_t *live
    const int16_t *group_end
    const int16_t *slot
    const int16_t *classes
    const int16_t *cards  # (H, hole)
    const uint8_t *suits
    int16_t *cell_end
    int16_t *alike
    int16_t *group_cards
    int16_t *card
    int16_t *card_end
    int16_t *part_slot
    int16_t *part_cell
    int16_t *part_count
    int16_t *hand_part
    int16_t *hand_card
    int16_t *by_card
    int16_t *by_card_end
    int16_t *by_size
    int16_t *by_size_end
    int16_t *part_hands
    int32_t found[CARDS]  # parts of each card
    int32_t latest[CARDS]  # cell of the card's latest part
    int32_t place[CARDS]  # place of the card's next part
    int32_t number[CARDS]  # position of the card among the group's cards
    int32_t size[MOST_PARTS]  # hands of each part that hold the very card


cdef inline int32_t standing_for(const Board *b, int32_t card) noexcept nogil:
    return (card & ~3) | b.suits[card & 3]


cdef void exclusive_sums(int32_t *counts) noexcept nogil:
    cdef int32_t k, here, before = 0
    for k in range(CARDS):
        here = counts[k]
        counts[k] = before
        before += here


cdef void find_cells(Board *b, int32_t start, int32_t end) noexcept nogil:
    """The cells of a group, and the number of parts of each card in the group."""
    cdef int32_t n, k, c
    for c in range(CARDS):
        b.found[c] = 0
        b.latest[c] = -1
    for n in range(start, end):
        if n > start and b.slot[b.live[n]] != b.slot[b.live[n - 1]]:
            b.cell_end[b.cells] = <int16_t>n
            b.cells += 1
        for k in range(b.hole):
            c = standing_for(b, b.cards[b.live[n] * b.hole + k])
            if b.latest[c] != b.cells:
                b.latest[c] = b.cells
                b.found[c] += 1
    b.cell_end[b.cells] = <int16_t>end
    b.cells += 1


cdef void list_cards(Board *b, int32_t group) noexcept nogil:
    """The cards of a group, in order, each with room for its parts."""
    cdef int32_t c, first = b.entries
    for c in range(CARDS):
        if b.found[c]:
            b.number[c] = b.entries - first
            b.place[c] = b.parts
            b.parts += b.found[c]
            b.card[b.entries] = <int16_t>c
            b.card_end[b.entries] = <int16_t>b.parts
            b.entries += 1
            b.latest[c] = -1
    b.group_cards[group] = <int16_t>b.entries


cdef void fill_parts(Board *b, int32_t start, int32_t end, int32_t cell) noexcept nogil:
    """The parts of a group, whose first cell is ``cell``: their rows, their numbers of hands, and each hand's part."""
    cdef int32_t n, k, c, part, card
    for n in range(start, end):
        if n == b.cell_end[cell]:
            cell += 1
        for k in range(b.hole):
            card = b.cards[b.live[n] * b.hole + k]
            c = standing_for(b, card)
            if b.latest[c] != cell:
                b.latest[c] = cell
                b.part_slot[b.place[c]] = b.slot[b.live[n]]
                b.part_cell[b.place[c]] = <int16_t>cell
                b.part_count[b.place[c]] = 0
                b.size[b.place[c]] = 0
                b.place[c] += 1
            part = b.place[c] - 1
            b.part_count[part] += 1
            b.size[part] += card == c
            b.hand_part[n * b.hole + k] = <int16_t>part
            b.hand_card[n * b.hole + k] = <int16_t>b.number[c]


cdef void count_alike(Board *b, int32_t start, int32_t end) noexcept nogil:
    """The number of hands of one class from each position on."""
    cdef int32_t n, same = 0
    for n in range(end - 1, start - 1, -1):
        same += 1
        b.alike[n] = <int16_t>same
        if n > start and b.classes[b.live[n]] != b.classes[b.live[n - 1]]:
            same = 0


cdef void order_by_card(Board *b) noexcept nogil:
    cdef int32_t n, k, c, start = 0
    for c in range(CARDS):
        b.found[c] = 0
    for n in range(b.entries):
        b.found[b.card[n]] += b.card_end[n] - start
        start = b.card_end[n]
    exclusive_sums(b.found)
    start = 0
    for n in range(b.entries):
        c = b.card[n]
        for k in range(start, b.card_end[n]):
            b.by_card[b.found[c]] = <int16_t>k
            b.found[c] += 1
        start = b.card_end[n]
    for c in range(CARDS):
        b.by_card_end[c] = <int16_t>b.found[c]


cdef void order_by_size(Board *b) noexcept nogil:
    """Parts by their number of hands that hold the very card, and the hands themselves, part by part."""
    cdef int32_t n, k, c, here = 0
    cdef int32_t of_size[CARDS]
    cdef int32_t first[MOST_PARTS]  # start of the hands of each part
    for c in range(CARDS):
        of_size[c] = 0
    for k in range(b.parts):
        of_size[b.size[k]] += 1
    exclusive_sums(of_size)
    for k in range(b.parts):
        b.by_size[of_size[b.size[k]]] = <int16_t>k
        of_size[b.size[k]] += 1
    for c in range(CARDS):
        b.by_size_end[c] = <int16_t>of_size[c]
    for k in range(b.parts):
        first[b.by_size[k]] = here
        here += b.size[b.by_size[k]]
    # A narrow range may leave no hand on a board.
    for n in range(b.group_end[b.groups - 1] if b.groups else 0):
        for k in range(b.hole):
            c = b.cards[b.live[n] * b.hole + k]
            if c == standing_for(b, c):
                b.part_hands[first[b.hand_part[n * b.hole + k]]] = b.live[n]
                first[b.hand_part[n * b.hole + k]] += 1


cdef void share_board(Board *b) noexcept nogil:
    cdef int32_t g, first_cell, start = 0
    b.cells = b.entries = b.parts = 0
    for g in range(b.groups):
        first_cell = b.cells
        find_cells(b, start, b.group_end[g])
        list_cards(b, g)
        fill_parts(b, start, b.group_end[g], first_cell)
        count_alike(b, start, b.group_end[g])
        start = b.group_end[g]
    order_by_card(b)
    order_by_size(b)


cdef class Output:
    """The rows of one board in an array that a board fills."""

    cdef int16_t[:, ::1] array

    def __cinit__(self, int16_t[:, ::1] array):
        self.array = array

    cdef int16_t *at(self, Py_ssize_t i) noexcept nogil:
        return &self.array[i, 0]


def share_cards(const int16_t[:, ::1] live, const int16_t[:, ::1] slot, const int16_t[:, ::1] classes,
                const int16_t[:, ::1] cards, const uint8_t[:, ::1] suits, shared):
    """Find groups, cells and parts of hands; see ``cfr.kernel.showdowns.Showdowns`` for the arrays.

    Args:
        live: ``(n, H)`` hands from weakest to strongest, ties in the order of ``slot`` and ``classes``.
        slot: ``(n, H)`` number of each hand's row on the board.
        classes: ``(n, H)`` suit-symmetry class of each hand.
        cards: ``(H, hole)`` the hands.
        suits: ``(n, 4)`` the suit that stands for each suit.
        shared: a ``Showdowns`` with ``group_end`` and ``group_count``; its other arrays are filled.
    """
    cdef Py_ssize_t i
    cdef Board b
    cdef const int16_t[:, ::1] group_end = shared.group_end
    cdef const int32_t[::1] group_count = shared.group_count
    cdef Output cell_end = Output(shared.cell_end), alike = Output(shared.alike), card = Output(shared.card)
    cdef Output group_cards = Output(shared.group_cards), card_end = Output(shared.card_end)
    cdef Output part_slot = Output(shared.part_slot), part_cell = Output(shared.part_cell)
    cdef Output part_count = Output(shared.part_count)
    cdef Output hand_part = Output(shared.hand_part), hand_card = Output(shared.hand_card)
    cdef Output by_card = Output(shared.by_card), by_card_end = Output(shared.by_card_end)
    cdef Output by_size = Output(shared.by_size), by_size_end = Output(shared.by_size_end)
    cdef Output part_hands = Output(shared.part_hands)
    b.hole, b.cards = <int32_t>cards.shape[1], &cards[0, 0]
    with nogil:
        for i in range(live.shape[0]):
            b.groups = group_count[i]
            b.live, b.group_end, b.slot = &live[i, 0], &group_end[i, 0], &slot[i, 0]
            b.classes, b.suits = &classes[i, 0], &suits[i, 0]
            b.cell_end, b.alike, b.group_cards = cell_end.at(i), alike.at(i), group_cards.at(i)
            b.card, b.card_end = card.at(i), card_end.at(i)
            b.part_slot, b.part_cell, b.part_count = part_slot.at(i), part_cell.at(i), part_count.at(i)
            b.hand_part, b.hand_card = hand_part.at(i), hand_card.at(i)
            b.by_card, b.by_card_end = by_card.at(i), by_card_end.at(i)
            b.by_size, b.by_size_end = by_size.at(i), by_size_end.at(i)
            b.part_hands = part_hands.at(i)
            share_board(&b)
