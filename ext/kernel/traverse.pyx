"""One traversal of the public tree for one seat: update, average, best, measure or respond; over any tree of boards.

A vector runs over betting lines. On a board, every live hand owns one vector per block of lines, and its row of the
strategy table is one contiguous stream. A visit of (round, board, block of lines) does, in this order:

1. rows: the realisation plan of both seats' sequences (cfr/tree.py) from the tables; from the opponent's, what one of its
   hands is worth at showdowns and folds to each sequence of the traverser;
2. down: opponent's reach times plan at each leaf, then the next round's boards, then their values;
3. sweep: these worths times reach, summed per card, and at showdowns from the weakest hand to the strongest;
4. up: the gradient of the traverser's sequences, per hand or per row, and the value at entry;
5. rows: gradients summed per row roll up through the traverser's nodes into regrets and the average strategy.

Steps 1 and 5 stand in traverse/rows.pxi, 2 in visits.pxi, 3 and 4 in sweeps.pxi, and what they all read in types.pxi.

Only steps 4 and 5 know the mode. Mode measure is best, and on the way computes what each hand would win by its own plan:
these values follow those of best, so that arrays of values are ``width`` wide, twice as many as there are hands.

Card removal: with D the worth of the hands below the tie group, plus those up to and with it, minus all, and D[c] the
same of hands that hold card c, a hand gets D - D[c1] - D[c2]. So it is enough to keep E[c] = D / 2 - D[c] of the cards
in a tie group: a hand gets E[c1] + E[c2]. Hands that tie and share a row add what they add part by part
(cfr/deals.py, Showdowns), and that is how update and average get by without looking at single hands.

On a board that stands for its orbit under suit symmetry, one card stands for those that the board cannot tell apart: only
its sums are kept. Best responses look at the first of such hands only and give it the sum of their values, which the
round above, or Prepared.run, shares out.

Best responses in a last round of four bets get by with nine numbers for each hand (best.h).

Mode respond is update in all rounds but the last, and best there: the traverser is the opponent of CFR-BR. What each of
its hands chooses on the last board is remembered, one bit for each sequence and line, and a later update of the other
seat can be told to meet these choices there instead of a table.

Threads take separate boards (when rows cannot collide) or separate blocks of lines, and their values are added in
board order: any number of threads computes the same bits.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

include "types.pxi"
include "rows.pxi"
include "sweeps.pxi"
include "visits.pxi"

LANES = CFR_LANES
REAL_BYTES = <int>sizeof(real)
UPDATE, AVERAGE, BEST, MEASURE, RESPOND = 0, 1, 2, 3, 4


cdef int shape_of(seat) except -1:
    """Which spelled-out best response fits a seat of the last round."""
    shape = [[int(x) for x in array] for array in (seat.node_parent, seat.node_first, seat.node_count, seat.folds)]
    for k, known in ((FIRST_TO_BET, _FIRST_TO_BET), (SECOND_TO_BET, _SECOND_TO_BET)):
        if shape == known:
            return k
    return GENERAL_ROUND


# Parents, first sequences and counts of the nodes of limit hold'em's four bets, and the sequences with folds.
_FIRST_TO_BET = [[0, 1, 5, 2, 11], [1, 3, 6, 9, 12], [2, 3, 3, 3, 2], [2, 3, 5, 6, 8, 9, 11, 12]]
_SECOND_TO_BET = [[0, 2, 5, 0, 10], [1, 3, 6, 8, 11], [2, 3, 2, 3, 3], [2, 3, 5, 6, 8, 10, 11, 13]]


cdef class Prepared:
    """A traversal with everything that it reads, made by ``Traversal.prepare``.

    Attributes:
        values: ``(blocks, hands, LANES)`` counterfactual values of the last run; in mode MEASURE ``(blocks, 2 * hands,
            LANES)``, first those of the best response, then those of the own plan. The next run overwrites them.
    """

    cdef Pass pass_
    cdef int first
    cdef double scale
    cdef const vec *opponent_reach
    cdef const vec *own_reach
    cdef vec *value
    cdef readonly object values
    cdef list owners  # of what the pointers point to

    def __cinit__(self):
        self.owners = []

    cdef real *_data(self, real[:, :, :, ::1] table) except? NULL:
        self.owners.append(table)
        return &table[0, 0, 0, 0] if table.size else NULL

    def run(self, int root=0, double weight=1, double keep_positive=1, double keep_negative=0, double step=1):
        """Traverse from board ``root`` of the first round.

        Args:
            root: the board.
            weight: of this iteration in the average strategy.
            keep_positive, keep_negative: factors on regrets of that sign once a row is updated.
            step: factor on all values, and so on the regrets that are added; not on the average.
        """
        cdef Pass *p = &self.pass_
        cdef int block, blocks = p.tree[self.first].blocks
        p.weight = <real>(weight / step)  # values and the average share the scale
        p.keep_positive = <real>keep_positive
        p.keep_negative = <real>keep_negative
        with nogil:
            memset(<void *>self.value, 0, blocks * p.width * sizeof(vec))
            for block in range(blocks):
                visit(p, self.first, root, block, NULL, self.opponent_reach + block * p.hands,
                      self.own_reach + block * p.hands, self.value + block * p.width, self.scale * step,
                      p.threads > 1, 0)
                if self.first == p.rounds - 1:  # no round above does it
                    average_values(p, self.first, root, self.value + block * p.width, p.frames + self.first)


cdef class Traversal:
    """The kernel for one game: its tree, and scratch memory for ``threads`` threads.

    Args:
        tree: a ``cfr.tree.Tree`` laid out for ``LANES`` lanes; only its arrays are read.
        cards: ``(hands, hole)`` int16 card codes of every hand.
        threads: how many threads a traversal uses.
        ends: how many last boards of a root one traversal in mode RESPOND can remember choices on.
    """

    cdef Round *tree
    cdef Frame *frames
    cdef vec *waiting
    cdef int16_t *cards
    cdef readonly int rounds, hands, hole, first_card, threads, ends
    cdef lane_bits *chosen  # see Pass; NULL until somebody responds
    cdef list owned  # addresses of all memory
    cdef char *unused  # the rest of it
    cdef size_t left

    def __cinit__(self, tree, const int16_t[:, ::1] cards, int threads, int ends=1):
        cdef int r, s
        cdef Py_ssize_t i, j
        self.owned = []
        self.left = 0
        self.rounds = len(tree.rounds)
        self.hands = cards.shape[0]
        self.hole = cards.shape[1]
        self.first_card = min(cards[i, j] for i in range(self.hands) for j in range(self.hole))
        self.threads = threads
        self.ends = ends
        self.chosen = NULL
        if self.rounds > MAX_ROUNDS or self.hands > 1326 or threads < 1:
            raise ValueError(f"cannot traverse {self.rounds} rounds of {self.hands} hands with {threads} threads")
        self.tree = <Round *>self._own(self.rounds, sizeof(Round))
        self.cards = <int16_t *>self._own(self.hands * self.hole, sizeof(int16_t))
        for i in range(self.hands):
            for j in range(self.hole):
                self.cards[i * self.hole + j] = cards[i, j]
        for r in range(self.rounds):
            source = tree.rounds[r]
            self.tree[r].blocks = source.stride // CFR_LANES
            self.tree[r].leaves = source.leaves
            self.tree[r].lines = self._ints(source.block_lines)
            self.tree[r].child = self._ints(source.child)
            self.tree[r].children = self._ints(source.children)
            for s in range(2):
                self._read_seat(&self.tree[r].seats[s], source.seats[s])
        self.frames = <Frame *>self._own(threads * self.rounds, sizeof(Frame))
        for i in range(threads):
            for r in range(self.rounds):
                self._make_frame(&self.frames[i * self.rounds + r], r)
        self.waiting = <vec *>self._own(BATCH * 2 * self.hands, sizeof(vec))

    def __dealloc__(self):
        for address in self.owned or ():
            free(<void *><size_t>address)

    cdef void *_own(self, size_t count, size_t size) except NULL:
        """Zeroed memory aligned to a cache line; never empty."""
        cdef size_t wanted = max((count * size + 63) // 64, <size_t>1) * 64
        cdef size_t pages
        cdef void *memory
        if wanted > self.left:
            pages = (wanted + LARGE_PAGE - 1) // LARGE_PAGE * LARGE_PAGE
            self.unused = <char *>large_pages(pages)
            if self.unused == NULL:
                self.left = 0
                raise MemoryError(f"{wanted} bytes for the traversal's scratch")
            self.left = pages
            self.owned.append(<size_t>self.unused)
        memory = self.unused
        self.unused += wanted
        self.left -= wanted
        memset(memory, 0, wanted)
        return memory

    cdef _read_seat(self, Seat *seat, source):
        seat.nodes = len(source.node_first)
        seat.sequences = source.sequences
        seat.fold_count = len(source.folds)
        seat.show_terms = len(source.show_own)
        seat.first = 0 if 0 in source.show_own or 0 in source.folds else 1
        seat.shape = shape_of(source) if self.hole == 2 else GENERAL_ROUND
        if seat.sequences > MAX_SEQUENCES:
            raise ValueError(f"a round with {seat.sequences} sequences is too large for the kernel")
        seat.node_parent = self._ints(source.node_parent)
        seat.node_first = self._ints(source.node_first)
        seat.node_count = self._ints(source.node_count)
        seat.node_call = self._ints(source.node_call)
        seat.folds = self._ints(source.folds)
        seat.show_own = self._ints(source.show_own)
        seat.show_opponent = self._ints(source.show_opponent)
        seat.show_chips = self._lanes(source.show_chips)
        seat.fold_opponent = self._ints(source.fold_opponent)
        seat.fold_chips = self._lanes(source.fold_chips)
        seat.leaf_own = self._ints(source.leaf_own)
        seat.leaf_opponent = self._ints(source.leaf_opponent)

    cdef int32_t *_ints(self, values) except NULL:
        cdef Py_ssize_t i
        cdef int32_t *target = <int32_t *>self._own(len(values), sizeof(int32_t))
        for i in range(len(values)):
            target[i] = values[i]
        return target

    cdef vec *_lanes(self, const double[:, ::1] values) except NULL:
        cdef Py_ssize_t t, i, stride = values.shape[1]
        cdef real *target = <real *>self._own(values.shape[0] * stride, sizeof(real))
        for t in range(values.shape[0]):
            for i in range(stride):
                target[t * stride + i] = values[t, i]
        return <vec *>target

    cdef _make_frame(self, Frame *f, int r):
        cdef Round *tree = &self.tree[r]
        cdef int sequences = max(tree.seats[0].sequences, tree.seats[1].sequences)
        cdef int folds = max(tree.seats[0].fold_count, tree.seats[1].fold_count)
        cdef int shows = max(tree.seats[0].show_terms, tree.seats[1].show_terms)
        cdef int parts = self.hands * self.hole if shows else 0
        cdef int b, entries = 0
        for b in range(tree.blocks):
            if tree.children[b] < tree.leaves:
                entries = max(entries, tree.children[b])
        f.chips = self._vectors(2 * sequences)
        f.opponent_plan = self._vectors(sequences)
        f.leaf_plan = self._vectors(self.hands * tree.leaves)
        f.show_worth = self._vectors(self.hands * sequences)
        f.start_worth = self._vectors(self.hands * sequences)
        f.fold_worth = self._vectors(self.hands * max(folds, <int>ADVANTAGES))
        f.own_plan = self._vectors(self.hands * sequences)
        f.fold_value = self._vectors(self.hands)
        f.strategy = self._vectors(self.hands * sequences)
        f.gradient = self._vectors(self.hands * sequences)
        f.row_reach = self._vectors(self.hands)
        f.row_opponent = self._vectors(self.hands)
        f.by_card = self._vectors(52 * sequences)
        f.even = self._vectors(52 * sequences)
        f.cell_reach = self._vectors(self.hands)
        f.part_reach = self._vectors(parts)
        f.part_value = self._vectors(parts)
        f.step = self._vectors(52 * sequences if shows else 0)
        f.hand_value = self._vectors(self.hands if shows else 0)
        f.leaf_opponent = self._vectors(tree.leaves * self.hands)
        f.leaf_own = self._vectors(tree.leaves * self.hands)
        f.leaf_value = self._vectors(tree.leaves * 2 * self.hands)
        f.entry_opponent = self._vectors(entries * self.hands)
        f.entry_own = self._vectors(entries * self.hands)
        f.entry_value = self._vectors(entries * 2 * self.hands)
        f.class_sum = self._vectors(self.hands)
        f.packed = <Lanes *>self._own(tree.leaves, sizeof(Lanes))
        f.packed_opponent = self._vectors(tree.leaves * self.hands)
        f.packed_value = self._vectors(tree.leaves * 2 * self.hands)

    cdef lane_bits *_choices(self) except NULL:
        cdef Round *last = self.tree + self.rounds - 1
        if self.chosen == NULL:
            self.chosen = <lane_bits *>self._own(
                <size_t>self.ends * last.blocks * self.hands * max(last.seats[0].sequences, last.seats[1].sequences),
                sizeof(lane_bits))
        return self.chosen

    cdef vec *_vectors(self, size_t count):
        return <vec *>self._own(count, sizeof(vec))

    def prepare(self, deals, sources, averages, const real[:, :, :, ::1] reach, int seat, int mode, double scale=1,
                bint disjoint=True, int first=0, bint planned=False, accumulated=None, bint met=False):
        """A traversal of these boards and tables; see ``cfr.traversal`` for the checked, typed entrance.

        Args:
            deals: per round, a ``cfr.deals.Boards``.
            sources: per round, the two seats' tables ``(rows, blocks, node-actions, LANES)`` of ``real``; in mode
                UPDATE the traverser's are regrets and change in place.
            averages: per round, the traverser's average strategy (same shape), changed in mode UPDATE, else unused.
            reach: ``(2, blocks, hands, LANES)`` reach of each seat at the root, of round ``first``'s blocks.
            seat: the traverser.
            mode: UPDATE, AVERAGE, BEST, MEASURE or RESPOND.
            scale: probability of the root's boards, and whatever else values are to be multiplied with.
            disjoint: no two boards of a round share a row, so that boards can be updated side by side.
            first: the round to start from; of earlier rounds nothing is read.
            planned: the tables hold realisation plans (``cfr.tree.Tree.plan``); never in mode UPDATE.
            accumulated: per round, the traverser's accumulated regrets where its source predicts, or None.
            met: in mode UPDATE, the opponent plays in the last round what the last traversal in mode RESPOND chose.
        """
        cdef Prepared prepared = Prepared.__new__(Prepared)
        cdef Pass *p = &prepared.pass_
        cdef int r, s, blocks = self.tree[first].blocks
        cdef bint updates = mode == MODE_UPDATE or mode == MODE_RESPOND
        cdef real[:, :, ::1] values
        p.seat = seat
        p.mode = MODE_UPDATE if mode == MODE_RESPOND else mode
        p.last_mode = MODE_BEST if mode == MODE_RESPOND else mode
        p.chosen = NULL
        if met or mode == MODE_RESPOND:
            p.ends = deals[self.rounds - 1].live.shape[0] // deals[first].live.shape[0]
            if p.ends > self.ends:
                raise ValueError(f"choices on {self.ends} last boards are remembered, of {p.ends}")
            p.chosen = self._choices()
        p.rounds = self.rounds
        p.hands = self.hands
        p.width = 2 * self.hands if mode == MODE_MEASURE else self.hands
        p.planned = planned
        p.hole = self.hole
        p.first_card = self.first_card
        p.threads = self.threads
        p.disjoint = disjoint
        p.cards = self.cards
        p.tree = self.tree
        p.frames = self.frames
        p.waiting = self.waiting
        for r in range(first, self.rounds):
            read_boards(&p.boards[r], deals[r])
            for s in range(2):
                p.source[r][s] = prepared._data(sources[r][s])
            p.average[r] = prepared._data(averages[r]) if updates and averages is not None else NULL
            p.accumulated[r] = NULL if accumulated is None else prepared._data(accumulated[r])
        prepared.first = first
        prepared.scale = scale
        prepared.opponent_reach = <const vec *>&reach[1 - seat, 0, 0, 0]
        prepared.own_reach = <const vec *>&reach[seat, 0, 0, 0]
        prepared.values = np.zeros((blocks, p.width, CFR_LANES), np.dtype(f"f{REAL_BYTES}"))
        values = prepared.values
        prepared.value = <vec *>&values[0, 0, 0]
        prepared.owners += (self, reach, *deals)
        return prepared


cdef int32_t *counts_of(const int32_t[::1] array) noexcept:
    return <int32_t *>&array[0]


cdef int16_t *numbers_of(const int16_t[:, ::1] array) noexcept:
    return <int16_t *>&array[0, 0]


cdef read_boards(Boards *boards, deal):
    cdef const int32_t[::1] first_child = deal.first_child
    cdef const double[::1] factor = deal.factor
    cdef const int16_t[:, ::1] live = deal.live
    cdef const int32_t[::1] live_count = deal.live_count
    cdef const int32_t[::1] own_count = deal.own_count
    cdef const int16_t[:, ::1] slot = deal.slot
    cdef const int32_t[:, ::1] rows = deal.rows
    cdef const int32_t[::1] row_count = deal.row_count
    cdef const int16_t[:, ::1] classes
    cdef const int32_t[::1] class_count
    boards.first_child = <int32_t *>&first_child[0]
    boards.factor = <double *>&factor[0]
    boards.live = <int16_t *>&live[0, 0]
    boards.live_count = <int32_t *>&live_count[0]
    boards.own_count = <int32_t *>&own_count[0]
    boards.slot = <int16_t *>&slot[0, 0]
    boards.rows = <int32_t *>&rows[0, 0]
    boards.row_count = <int32_t *>&row_count[0]
    if deal.showdowns is not None:
        boards.group_count = counts_of(deal.showdowns.group_count)
        boards.group_end = numbers_of(deal.showdowns.group_end)
        boards.cell_end = numbers_of(deal.showdowns.cell_end)
        boards.alike = numbers_of(deal.showdowns.alike)
        boards.suit_count = numbers_of(deal.showdowns.suit_count)
        boards.group_cards = numbers_of(deal.showdowns.group_cards)
        boards.card = numbers_of(deal.showdowns.card)
        boards.card_end = numbers_of(deal.showdowns.card_end)
        boards.part_slot = numbers_of(deal.showdowns.part_slot)
        boards.part_count = numbers_of(deal.showdowns.part_count)
        boards.hand_part = numbers_of(deal.showdowns.hand_part)
        boards.hand_card = numbers_of(deal.showdowns.hand_card)
        boards.by_card = numbers_of(deal.showdowns.by_card)
        boards.by_card_end = numbers_of(deal.showdowns.by_card_end)
        boards.by_size = numbers_of(deal.showdowns.by_size)
        boards.by_size_end = numbers_of(deal.showdowns.by_size_end)
        boards.part_hands = numbers_of(deal.showdowns.part_hands)
    boards.classes = NULL
    if deal.classes is not None:
        classes = deal.classes
        class_count = deal.class_count
        boards.classes = <int16_t *>&classes[0, 0]
        boards.class_count = <int32_t *>&class_count[0]
