"""One traversal of the public tree for one seat: update, average, best, measure or respond; over any tree of boards.

A vector runs over betting lines. On a board, every live hand owns one vector per block of lines, and its row of the
strategy table is one contiguous stream. A visit of (round, board, block of lines) does, in this order:

1. rows: the realisation plan of both seats' sequences (cfr/tree.py) from the tables; from the opponent's, what one of its
   hands is worth at showdowns and folds to each sequence of the traverser;
2. down: opponent's reach times plan at each leaf, then the next round's boards, then their values;
3. sweep: these worths times reach, summed per card, and at showdowns from the weakest hand to the strongest;
4. up: the gradient of the traverser's sequences, per hand or per row, and the value at entry;
5. rows: gradients summed per row roll up through the traverser's nodes into regrets and the average strategy.

Only steps 4 and 5 know the mode. Mode measure is best, and on the way computes what each hand would win by its own plan:
these values follow those of best, so that arrays of values are ``width`` wide, twice as many as there are hands.

Card removal: with D the worth of the hands below the tie group, plus those up to and with it, minus all, and D[c] the
same of hands that hold card c, a hand gets D - D[c1] - D[c2]. So it is enough to keep E[c] = D / 2 - D[c] of the cards
in a tie group: a hand gets E[c1] + E[c2]. Hands that tie and share a row add what they add part by part
(cfr/deals.py, Showdowns), and that is how update and average get by without looking at single hands.

Mode respond is update in all rounds but the last, and best there: the traverser is the opponent of CFR-BR. What each of
its hands chooses on the last board is remembered, one bit for each sequence and line, and a later update of the other
seat can be told to meet these choices there instead of a table.

Threads take separate boards (when rows cannot collide) or separate blocks of lines, and their values are added in
board order: any number of threads computes the same bits.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

cdef extern from "stdlib.h" nogil:
    void *aligned_alloc(size_t alignment, size_t size)

cdef extern from "vector.h" nogil:
    ctypedef float real
    ctypedef float vec
    enum: CFR_LANES
    vec splat(real)
    vec positive(vec)
    vec larger(vec, vec)
    vec inverse_or_zero(vec)
    vec where_not_positive(vec, real)
    vec first_lanes(int)
    bint any_nonzero(vec)
    void add(vec *, const vec *, int)
    void add_scaled(vec *, vec, const vec *, int)
    vec dot(const vec *, const vec *, int)
    void weigh(vec *, const int16_t *, int, const vec *, const int16_t *, const vec *, int, int)
    void climb(vec *, vec, const vec *, const vec *, vec *, int)
    void pass_by(const vec *, const vec *, vec *, int)
    void prefetch(const vec *, int)
    void pick(vec *, const vec *, const int32_t *, const int32_t *, int)
    void put_back(vec *, const vec *, const int32_t *, const int32_t *, int)
    void count_nonzero(int32_t *, vec)
    void store(real*, vec)
    vec load(const real*)

cdef extern from "best.h" nogil:
    enum: FOUR_BETS
    void choose_two(uint8_t, vec, vec, uint8_t *, uint8_t *)
    void choose_three(uint8_t, vec, vec, vec, uint8_t *)
    void best_of_cell(const int16_t *, const int16_t *, int, const vec *, const vec *, const vec *, vec *, bint, bint,
                      uint8_t *)

cdef extern from "choices.h" nogil:
    enum: GENERAL_ROUND, FIRST_TO_BET, SECOND_TO_BET
    ctypedef struct terminals:
        const int32_t *show_own
        const int32_t *show_theirs
        const int32_t *fold_own
        const int32_t *fold_theirs
        int shows, folds
    vec spread(int, terminals, const uint8_t *, vec, const vec *, vec *, vec *, const vec *, vec *, int, int, int)
    void show(int, terminals, const uint8_t *, vec, const vec *, vec *, vec *, vec *, int)

LANES = CFR_LANES
REAL_BYTES = <int>sizeof(real)
UPDATE, AVERAGE, BEST, MEASURE, RESPOND = 0, 1, 2, 3, 4

cdef enum:
    MODE_UPDATE = 0
    MODE_AVERAGE = 1
    MODE_BEST = 2
    MODE_MEASURE = 3
    MODE_RESPOND = 4
    MAX_ROUNDS = 8
    MAX_SEQUENCES = 64
    PREFETCH = 4  # rows
    BATCH = 64  # boards whose values wait for their turn to be added


cdef struct Seat:
    int nodes, sequences, first, shape, show_terms, fold_count
    int32_t *node_parent
    int32_t *node_first
    int32_t *node_count
    int32_t *node_call
    int32_t *show_own
    int32_t *show_opponent
    vec *show_chips         # (show terms, blocks)
    int32_t *folds          # (fold_count,): own sequences with folds
    int32_t *fold_opponent
    vec *fold_chips         # (fold_count, blocks)
    int32_t *leaf_own
    int32_t *leaf_opponent


cdef struct Round:
    int lines, blocks, leaves, repacked
    Seat seats[2]


cdef struct Boards:  # one round of the deal (cfr/deals.py), H hands wide
    int32_t *first_child
    double *factor
    int16_t *live
    int32_t *live_count
    int32_t *own_count
    int16_t *slot
    int32_t *rows
    int32_t *row_count
    int16_t *group_end
    int32_t *group_count
    int16_t *cell_end
    int16_t *group_cards
    int16_t *card
    int16_t *card_end
    int16_t *part_slot
    int16_t *part_count
    int16_t *hand_part
    int16_t *hand_card
    int16_t *by_card
    int16_t *by_card_end
    int16_t *classes
    int32_t *class_count


cdef struct Lanes:  # where the lanes of a vector come from, of which the first ``size`` are wanted
    int size
    int32_t block[CFR_LANES]
    int32_t place[CFR_LANES]  # of the leaf's first vector of reach
    int32_t value_place[CFR_LANES]  # of its first vector of values
    int32_t lane[CFR_LANES]


cdef struct Frame:  # what one thread needs while it visits one round
    vec *chips          # (showdowns + folds,) times the probability of the board
    vec *opponent_plan  # (opponent's sequences,)
    vec *leaf_plan      # (rows, leaves): the opponent's plan at the leaves
    vec *show_worth     # (rows, own sequences): chips that the traverser wins at showdowns against one hand
    vec *start_worth    # (rows, own sequences): what it gets from a hand that beats it: folds minus shows
    vec *fold_worth     # (rows, folds): what it gets by folds
    vec *own_plan       # (rows, own sequences)
    vec *fold_value     # (rows,): own plan times fold worth
    vec *strategy       # (rows, own sequences): probability of the sequence's last action
    vec *gradient       # (rows, own sequences)
    vec *row_reach      # (rows,) of the traverser
    vec *row_opponent   # (rows,)
    vec *by_card        # (52, own sequences): D[c]
    vec *even           # (52, own sequences): E[c], in the last round of the cards of one tie group; 0 before first
    vec *sorted_reach   # (hands,) in the order of Boards.live
    vec *cell_reach     # (cells,)
    vec *part_reach     # (parts,)
    vec *part_value     # (parts,)
    vec *step           # (52, own sequences): what the tie group adds to D[c]
    vec *hand_value     # (hands,): what folds are worth against the same hand
    vec *leaf_opponent  # (leaves, hands)
    vec *leaf_own
    vec *leaf_value     # (leaves, width)
    vec *entry_opponent  # (next round's blocks, hands), where lines are repacked
    vec *entry_own
    vec *entry_value    # (next round's blocks, width)
    vec *class_sum      # (hands,)
    Lanes *packed       # (leaves,)
    vec *packed_opponent  # (leaves, hands)
    vec *packed_value   # (leaves, width)


cdef struct Pass:  # everything a traversal reads
    int seat, mode, last_mode, rounds, hands, width, hole, first_card, threads, disjoint, planned
    real weight
    real keep_positive, keep_negative  # factors on regrets once this iteration's are added
    int16_t *cards      # (hands, hole)
    Round *tree
    Boards boards[MAX_ROUNDS]
    real *source[MAX_ROUNDS][2]   # regrets or probabilities: the strategy is their positive part, normalised
    real *average[MAX_ROUNDS]     # the traverser's average strategy
    real *accumulated[MAX_ROUNDS] # the traverser's accumulated regrets where the source predicts, else NULL
    Frame *frames       # (threads, rounds)
    vec *waiting        # (BATCH, width) values of boards visited side by side
    uint8_t *chosen     # (last round's blocks, hands in the order of live, sequences of who responds), or NULL


cdef inline void match(const vec *row, int count, vec entered, vec *strategy, vec *realisation) noexcept nogil:
    """Regret matching: the positive part of a node's row, normalised; uniform where nothing is positive.

    Realisations are these probabilities times that of the sequence by which the node is ``entered``.
    """
    cdef int a
    cdef vec total = positive(row[0])
    for a in range(1, count):
        total += positive(row[a])
    cdef vec inverse = inverse_or_zero(total)
    cdef vec uniform = where_not_positive(total, <real>1 / <real>count)
    cdef vec probability
    for a in range(count):
        probability = positive(row[a]) * inverse + uniform
        strategy[a] = probability
        realisation[a] = entered * probability


cdef void plan(const Seat *seat, const vec *row, bint planned, vec *strategy, vec *realisation) noexcept nogil:
    """Strategy and realisation plan of one row; sequence 0 is the empty one."""
    cdef int node, a, first, count
    cdef vec entered
    realisation[0] = splat(1)
    if planned:
        for a in range(1, seat.sequences):
            realisation[a] = row[a - 1]
        return
    for node in range(seat.nodes):
        first = seat.node_first[node]
        count = seat.node_count[node]
        entered = realisation[seat.node_parent[node]]
        if count == 2:  # constants, so that the compiler unrolls
            match(row + first - 1, 2, entered, strategy + first, realisation + first)
        elif count == 3:
            match(row + first - 1, 3, entered, strategy + first, realisation + first)
        else:
            match(row + first - 1, count, entered, strategy + first, realisation + first)


cdef inline vec *row_of(real *table, const Round *tree, const Seat *seat, int row, int block) noexcept nogil:
    return <vec *>table + (<size_t>row * tree.blocks + block) * (seat.sequences - 1)


cdef inline void prefetch_row(real *table, const Round *tree, const Seat *seat, const int32_t *rows, int k, int count,
                              int block) noexcept nogil:
    if k < count:
        prefetch(row_of(table, tree, seat, rows[k], block), seat.sequences - 1)


cdef void worths(const Seat *seat, const vec *chips, const vec *plan, vec *show, vec *start,
                 vec *fold) noexcept nogil:
    """What one opponent's hand of a row is worth to each of the traverser's sequences.

    ``chips`` are those of showdowns, then those of folds. A sequence has at most one of each: the opponent's answer.
    """
    cdef int t
    cdef vec x
    for t in range(seat.sequences):
        show[t] = splat(0)
        start[t] = splat(0)
    for t in range(seat.show_terms):
        x = chips[t] * plan[seat.show_opponent[t]]
        show[seat.show_own[t]] = x
        start[seat.show_own[t]] = splat(0) - x
    chips += seat.show_terms
    for t in range(seat.fold_count):
        fold[t] = chips[t] * plan[seat.fold_opponent[t]]
        start[seat.folds[t]] += fold[t]


cdef void total_of(int hole, int first_card, int count, const vec *by_card, vec *total) noexcept nogil:
    """Sum over all hands from the sums of hands that hold each card."""
    cdef int c, i
    for i in range(count):
        total[i] = splat(0)
    for c in range(first_card, 52):
        add(total, by_card + c * count, count)
    for i in range(count):
        total[i] *= splat(<real>1 / <real>hole)


cdef inline vec best_value(const Seat *seat, vec *gradient) noexcept nogil:
    """Value at entry of a hand that takes the best action at each of its nodes; ``gradient`` is used up."""
    cdef int node, a, first
    cdef vec best
    for node in range(seat.nodes - 1, -1, -1):
        first = seat.node_first[node]
        best = gradient[first]
        for a in range(first + 1, first + seat.node_count[node]):
            best = larger(best, gradient[a])
        gradient[seat.node_parent[node]] += best
    return gradient[0]


cdef void sweep_folds(const Pass *p, int r, int board, const vec *reach, const vec *own_reach, vec *value,
                      Frame *f) noexcept nogil:
    """Values of all own hands of a board without showdowns, from folds and the leaves' values."""
    cdef const Boards *deal = &p.boards[r]
    cdef const Seat *seat = &p.tree[r].seats[p.seat]
    cdef int count = seat.fold_count, sequences = seat.sequences, leaves = p.tree[r].leaves
    cdef int hole = p.hole, width = p.width
    cdef int n, s, i, k, hand
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef const int16_t *slot = deal.slot + <size_t>board * p.hands
    cdef const int16_t *cards
    cdef vec gradient[MAX_SEQUENCES]
    cdef vec total[MAX_SEQUENCES]
    cdef vec x, share = splat(<real>1 / <real>hole)
    cdef const vec *one
    cdef const vec *two
    cdef const vec *row
    memset(<void *>(f.by_card + p.first_card * count), 0, (52 - p.first_card) * count * sizeof(vec))
    for n in range(deal.live_count[board]):
        hand = live[n]
        x = reach[hand]
        if any_nonzero(x):
            for k in range(hole):
                add_scaled(f.by_card + p.cards[hand * hole + k] * count, x, f.fold_worth + slot[hand] * count, count)
    total_of(hole, p.first_card, count, f.by_card, total)
    for k in range(p.first_card, 52):
        for i in range(count):
            f.even[k * count + i] = total[i] * share - f.by_card[k * count + i]
    for n in range(deal.own_count[board]):
        hand = live[n]
        for s in range(sequences):
            gradient[s] = splat(0)
        cards = p.cards + hand * hole
        one = f.even + cards[0] * count
        if hole == 2:  # two cards took away the hand itself twice
            two = f.even + cards[1] * count
            row = f.fold_worth + slot[hand] * count
            x = reach[hand]
            for i in range(count):
                gradient[seat.folds[i]] = one[i] + two[i] + x * row[i]
        else:
            for i in range(count):
                gradient[seat.folds[i]] = one[i]
        if p.mode == MODE_MEASURE:
            row = f.own_plan + slot[hand] * sequences
            x = splat(0)
            for i in range(count):
                x += row[seat.folds[i]] * gradient[seat.folds[i]]
            for k in range(leaves):
                x += row[seat.leaf_own[k]] * f.leaf_value[k * width + p.hands + hand]
            value[p.hands + hand] += x
        for k in range(leaves):
            gradient[seat.leaf_own[k]] += f.leaf_value[k * width + hand]
        if p.mode >= MODE_BEST:
            value[hand] += best_value(seat, gradient)
            continue
        value[hand] += dot(f.own_plan + slot[hand] * sequences, gradient, sequences)
        if p.mode == MODE_UPDATE:
            add(f.gradient + slot[hand] * sequences, gradient, sequences)
            f.row_reach[slot[hand]] += own_reach[hand]


cdef void reach_by_part(const Pass *p, int r, int board, const vec *reach, vec *in_order, vec *by_cell,
                        vec *by_part) noexcept nogil:
    """Reach of each hand in the order of ``live``, and its sums over cells and over parts."""
    cdef const Boards *deal = &p.boards[r]
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *cell_end = deal.cell_end + here
    cdef const int16_t *hand_part = deal.hand_part + here * p.hole
    cdef int n = 0, cell = 0, cards = deal.group_cards[here + deal.group_count[board] - 1]
    cdef int lives = deal.live_count[board]
    cdef vec x, sum
    memset(<void *>by_part, 0, deal.card_end[here * p.hole + cards - 1] * sizeof(vec))
    while n < lives:
        sum = splat(0)
        while n < cell_end[cell]:
            x = reach[live[n]]
            in_order[n] = x
            sum += x
            if p.hole == 2:
                by_part[hand_part[2 * n]] += x
                by_part[hand_part[2 * n + 1]] += x
            else:
                by_part[hand_part[n]] += x
            n += 1
        by_cell[cell] = sum
        cell += 1


cdef void choose(const Seat *seat, const vec *gradient, uint8_t *chosen) noexcept nogil:
    """Lanes in which each sequence is played, one bit each, by a hand for which best_value left ``gradient``.

    Where actions are as good it calls: against lines that nobody takes, this is the strategy worth learning to beat.
    """
    cdef int node, first, call
    cdef uint8_t entered
    chosen[0] = 255
    for node in range(seat.nodes):
        first = seat.node_first[node]
        call = seat.node_call[node]
        entered = chosen[seat.node_parent[node]]
        if seat.node_count[node] == 3:
            choose_three(entered, gradient[first], gradient[first + 1], gradient[first + 2], chosen + first)
        elif seat.node_count[node] == 2:
            first += first == call  # the other one
            choose_two(entered, gradient[call], gradient[first], chosen + call, chosen + first)
        else:
            chosen[first] = entered


cdef void choose_calls(const Seat *seat, int count, uint8_t *chosen) noexcept nogil:
    """The choices of ``count`` hands that always call."""
    cdef int n, node, first
    for n in range(count):
        memset(chosen, 0, seat.sequences)
        chosen[0] = 255
        for node in range(seat.nodes):
            chosen[seat.node_call[node]] = chosen[seat.node_parent[node]]
        chosen += seat.sequences


cdef void best_hands(const Seat *seat, int hole, const int16_t *live, const int16_t *cards, int count,
                     const vec *even, const vec *worth, const vec *reach, vec *value, uint8_t *chosen) noexcept nogil:
    """Best values of the own hands of a cell; ``cards`` says which rows of ``even`` belong to them."""
    cdef int n, i, sequences = seat.sequences
    cdef vec gradient[MAX_SEQUENCES]
    for n in range(count):
        for i in range(sequences):
            gradient[i] = even[cards[n * hole] * sequences + i]
        if hole == 2:
            for i in range(sequences):
                gradient[i] += even[cards[2 * n + 1] * sequences + i]
            for i in range(seat.fold_count):
                gradient[seat.folds[i]] += reach[n] * worth[i]
        value[live[n]] += best_value(seat, gradient)
        if chosen != NULL:
            choose(seat, gradient, chosen + n * sequences)


cdef inline void earn(const Pass *p, const int16_t *part_slot, const int16_t *part_count, int start, int end,
                      const vec *even, Frame *f, int first, int sequences) noexcept nogil:
    """What the parts from ``start`` to ``end`` of a card win, given its ``even``, and in mode update their gradients."""
    cdef int n, active = sequences - first
    for n in range(start, end):
        f.part_value[n] = dot(f.own_plan + part_slot[n] * sequences + first, even, active)
        if p.last_mode == MODE_UPDATE:
            add_scaled(f.gradient + part_slot[n] * sequences + first, splat(<real>part_count[n]), even, active)


cdef void sweep_showdowns(const Pass *p, int r, int board, const vec *reach, const vec *own_reach, vec *value,
                          uint8_t *chosen, Frame *f, int hole, int first, int sequences) noexcept nogil:
    """Values of all own hands of a board of the last round: one climb through the tie groups."""
    cdef const Boards *deal = &p.boards[r]
    cdef const Seat *seat = &p.tree[r].seats[p.seat]
    cdef int active = sequences - first
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *slot = deal.slot + here
    cdef const int16_t *group_end = deal.group_end + here
    cdef const int16_t *cell_end = deal.cell_end + here
    cdef const int16_t *group_cards = deal.group_cards + here
    cdef const int16_t *card = deal.card + here * hole
    cdef const int16_t *card_end = deal.card_end + here * hole
    cdef const int16_t *part_slot = deal.part_slot + here * hole
    cdef const int16_t *part_count = deal.part_count + here * hole
    cdef const int16_t *hand_part = deal.hand_part + here * hole
    cdef const int16_t *hand_card = deal.hand_card + here * hole
    cdef const int16_t *by_card = deal.by_card + here * hole
    cdef const int16_t *by_card_end = deal.by_card_end + board * 52
    cdef int n, g, i, k, hand, entry = 0, start, cell = 0, first_cell, part = 0, groups = deal.group_count[board]
    cdef vec running[MAX_SEQUENCES]  # D
    cdef vec middle[MAX_SEQUENCES]   # D / hole of the tie group
    cdef vec worth[MAX_SEQUENCES]
    cdef vec x, share = splat(<real>1 / <real>hole)
    cdef bint some
    cdef vec *planned = value + (p.hands if p.last_mode == MODE_MEASURE else 0)
    cdef vec *sums
    cdef vec *even
    reach_by_part(p, r, board, reach, f.sorted_reach, f.cell_reach, f.part_reach)
    if p.last_mode == MODE_UPDATE:
        memset(<void *>f.row_opponent, 0, deal.row_count[board] * sizeof(vec))
    for i in range(active):
        running[i] = splat(0)
    k = 0
    for n in range(p.first_card, 52):
        sums = f.by_card + n * sequences + first
        weigh(sums, by_card + k, by_card_end[n] - k, f.part_reach, part_slot, f.start_worth + first, sequences, active)
        k = by_card_end[n]
        add(running, sums, active)
    for i in range(active):
        running[i] *= share
    for g in range(groups):
        first_cell = cell
        some = False
        for i in range(active):
            worth[i] = splat(0)
        while True:
            x = f.cell_reach[cell]
            if any_nonzero(x):
                some = True
                k = slot[live[cell_end[cell] - 1]]
                add_scaled(worth, x, f.show_worth + k * sequences + first, active)
                if p.last_mode == MODE_UPDATE:
                    f.row_opponent[k] += x
            cell += 1
            if cell_end[cell - 1] == group_end[g]:
                break
        for i in range(active):
            middle[i] = (running[i] + worth[i]) * share
            running[i] += worth[i] + worth[i]
        even = f.even + first
        while entry < group_cards[g]:
            k = part
            part = card_end[entry]
            sums = f.by_card + card[entry] * sequences + first
            if not some:
                pass_by(sums, middle, even, active)
            elif part == k + 1:  # mostly
                climb(sums, f.part_reach[k], f.show_worth + part_slot[k] * sequences + first, middle, even, active)
            else:
                for i in range(active):
                    worth[i] = splat(0)
                for n in range(k, part):
                    add_scaled(worth, f.part_reach[n], f.show_worth + part_slot[n] * sequences + first, active)
                climb(sums, splat(1), worth, middle, even, active)
            if p.last_mode != MODE_BEST:
                earn(p, part_slot, part_count, k, part, even, f, first, sequences)
            if p.last_mode >= MODE_BEST:
                even += sequences
            entry += 1
        if p.last_mode >= MODE_BEST:
            start = cell_end[first_cell - 1] if first_cell else 0
            for n in range(first_cell, cell):
                k = slot[live[start]]
                if seat.shape != GENERAL_ROUND:
                    best_of_cell(live + start, hand_card + 2 * start, cell_end[n] - start, f.even,
                                 f.fold_worth + k * seat.fold_count, f.sorted_reach + start, value,
                                 seat.shape == FIRST_TO_BET, any_nonzero(f.cell_reach[n]),
                                 NULL if chosen == NULL else chosen + start * sequences)
                else:
                    best_hands(seat, hole, live + start, hand_card + hole * start, cell_end[n] - start, f.even,
                               f.fold_worth + k * seat.fold_count, f.sorted_reach + start, value,
                               NULL if chosen == NULL else chosen + start * sequences)
                start = cell_end[n]
    if p.last_mode == MODE_BEST:
        return
    for n in range(deal.live_count[board]):
        hand = live[n]
        k = slot[hand]
        if hole == 2:  # two cards took away the hand itself twice
            planned[hand] += (f.part_value[hand_part[2 * n]] + f.part_value[hand_part[2 * n + 1]]
                              + f.sorted_reach[n] * f.fold_value[k])
        else:
            planned[hand] += f.part_value[hand_part[n]]
        if p.last_mode == MODE_UPDATE:
            f.row_reach[k] += own_reach[hand]
    if p.last_mode == MODE_UPDATE and hole == 2:
        for k in range(deal.row_count[board]):
            for i in range(seat.fold_count):
                f.gradient[k * sequences + seat.folds[i]] += f.row_opponent[k] * f.fold_worth[k * seat.fold_count + i]


cdef void meet_choices(const Pass *p, int board, const uint8_t *chosen, const vec *reach, const vec *own_reach,
                       vec *value, Frame *f, int hole, int first, int sequences) noexcept nogil:
    """Update all own hands of a board of the last round against what each opponent's hand has chosen there.

    The climb of sweep_showdowns, but hands of the opponent do not share rows: each adds to its cards by itself.
    """
    cdef const Boards *deal = &p.boards[p.rounds - 1]
    cdef const Seat *seat = &p.tree[p.rounds - 1].seats[p.seat]
    cdef int active = sequences - first, theirs = p.tree[p.rounds - 1].seats[1 - p.seat].sequences
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *slot = deal.slot + here
    cdef const int16_t *group_end = deal.group_end + here
    cdef const int16_t *group_cards = deal.group_cards + here
    cdef const int16_t *card = deal.card + here * hole
    cdef const int16_t *card_end = deal.card_end + here * hole
    cdef const int16_t *hand_part = deal.hand_part + here * hole
    cdef const int16_t *hand_card = deal.hand_card + here * hole
    cdef const int16_t *cards
    cdef int n, g, i, k, hand, entry = 0, begin, part = 0, lives = deal.live_count[board], other = hole - 1
    cdef vec worth[MAX_SEQUENCES]
    cdef vec running[MAX_SEQUENCES]  # D
    cdef vec middle[MAX_SEQUENCES]   # D / hole of the tie group
    cdef vec share = splat(<real>1 / <real>hole)
    cdef terminals ends
    ends.show_own, ends.show_theirs, ends.shows = seat.show_own, seat.show_opponent, seat.show_terms
    ends.fold_own, ends.fold_theirs, ends.folds = seat.folds, seat.fold_opponent, seat.fold_count
    memset(<void *>(f.by_card + p.first_card * sequences), 0, (52 - p.first_card) * sequences * sizeof(vec))
    for n in range(lives):
        hand = live[n]
        f.sorted_reach[n] = reach[hand]
        f.hand_value[n] = splat(0)
        if any_nonzero(reach[hand]):
            cards = p.cards + hand * hole
            k = slot[hand] * sequences
            f.hand_value[n] = spread(seat.shape, ends, chosen + n * theirs, reach[hand], f.chips,
                                     f.by_card + cards[0] * sequences, f.by_card + cards[other] * sequences,
                                     f.own_plan + k, f.gradient + k, hole, first, sequences)
    for i in range(active):
        running[i] = splat(0)
    for n in range(p.first_card, 52):
        add(running, f.by_card + n * sequences + first, active)
    for i in range(active):
        running[i] *= share
    n = 0
    for g in range(deal.group_count[board]):
        for i in range(sequences):
            worth[i] = splat(0)
        memset(<void *>f.step, 0, (group_cards[g] - entry) * sequences * sizeof(vec))
        while n < group_end[g]:
            if any_nonzero(f.sorted_reach[n]):
                show(seat.shape, ends, chosen + n * theirs, f.sorted_reach[n], f.chips, worth,
                     f.step + hand_card[hole * n] * sequences, f.step + hand_card[hole * n + other] * sequences, hole)
            n += 1
        for i in range(active):
            middle[i] = (running[i] + worth[first + i]) * share
            running[i] += worth[first + i] + worth[first + i]
        begin = entry
        while entry < group_cards[g]:
            k = part
            part = card_end[entry]
            climb(f.by_card + card[entry] * sequences + first, splat(1), f.step + (entry - begin) * sequences + first,
                  middle, f.even + first, active)
            earn(p, deal.part_slot + here * hole, deal.part_count + here * hole, k, part, f.even + first, f, first,
                 sequences)
            entry += 1
    for n in range(lives):
        hand = live[n]
        for k in range(hole):
            value[hand] += f.part_value[hand_part[hole * n + k]]
        value[hand] += f.hand_value[n]
        f.row_reach[slot[hand]] += own_reach[hand]


cdef void update_row(const Pass *p, const Seat *seat, const vec *strategy, const vec *realisation, vec *gradient,
                     vec reach, vec *regrets, vec *accumulated, vec *average) noexcept nogil:
    """Roll a row's gradient up into regrets, discounted by sign, and the weighted average strategy.

    Where regrets are ``accumulated`` apart (predictive regret matching+), ``regrets`` are those plus this iteration's.
    """
    cdef int node, a, first, end
    cdef vec value, regret, gained
    for node in range(seat.nodes - 1, -1, -1):
        first = seat.node_first[node]
        end = first + seat.node_count[node]
        value = splat(0)
        for a in range(first, end):
            value += strategy[a] * gradient[a]
        for a in range(first, end):
            if accumulated == NULL:
                regret = regrets[a - 1] + gradient[a] - value
                gained = positive(regret)
                regrets[a - 1] = gained * splat(p.keep_positive) + (regret - gained) * splat(p.keep_negative)
            else:
                gained = positive(accumulated[a - 1] + gradient[a] - value)
                accumulated[a - 1] = gained
                regrets[a - 1] = gained + (gradient[a] - value)
            if average != NULL:
                average[a - 1] += reach * realisation[a]
        gradient[seat.node_parent[node]] += value


cdef void average_over_classes(const Pass *p, const Boards *deal, int board, vec *value, Frame *f) noexcept nogil:
    """Give hands that a suit symmetry of the board exchanges their common mean: boards stand for their orbits."""
    cdef int n, c, count = deal.class_count[board]
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef const int16_t *classes = deal.classes + <size_t>board * p.hands
    cdef int sizes[1326]
    memset(sizes, 0, count * sizeof(int))
    memset(<void *>f.class_sum, 0, count * sizeof(vec))
    for n in range(deal.live_count[board]):
        c = classes[live[n]]
        sizes[c] += 1
        f.class_sum[c] += value[live[n]]
    for c in range(count):
        f.class_sum[c] *= splat(<real>1 / <real>sizes[c])
    for n in range(deal.live_count[board]):
        value[live[n]] = f.class_sum[classes[live[n]]]


cdef void pack(const Pass *p, int r, const vec *leaves, vec *entries) noexcept nogil:
    """Leaves (leaves, hands, one block) to the next round's entries (blocks, hands)."""
    cdef const Round *tree = &p.tree[r]
    cdef int hand, k, b, blocks = p.tree[r + 1].blocks
    cdef real row[MAX_SEQUENCES * CFR_LANES]
    memset(row, 0, sizeof(row))
    cdef vec mask = first_lanes(tree.lines)
    for hand in range(p.hands):
        for k in range(tree.leaves):
            store(row + k * tree.lines, leaves[k * p.hands + hand] * mask)
        for b in range(blocks):
            entries[b * p.hands + hand] = load(row + b * CFR_LANES)


cdef void unpack_add(const Pass *p, int r, const vec *entries, vec *leaves) noexcept nogil:
    """Add the next round's entry values (blocks, hands) to the leaves (leaves, hands, one block) they came from."""
    cdef const Round *tree = &p.tree[r]
    cdef int n, k, b, blocks = p.tree[r + 1].blocks
    cdef real row[MAX_SEQUENCES * CFR_LANES]
    memset(row, 0, sizeof(row))
    cdef vec mask = first_lanes(tree.lines)
    for n in range(p.width):
        for b in range(blocks):
            store(row + b * CFR_LANES, entries[b * p.width + n])
        for k in range(tree.leaves):
            leaves[k * p.width + n] += load(row + k * tree.lines) * mask


cdef void visit_entry(const Pass *p, int r, int board, int block, double scale, bint fork, const Frame *above,
                      vec *value, int thread) noexcept nogil:
    visit(p, r, board, block, NULL, above.entry_opponent + block * p.hands, above.entry_own + block * p.hands, value,
          scale, fork, thread)


cdef void visit_waiting(const Pass *p, int r, int first, int task, int blocks, double scale, const Frame *above,
                        vec *waiting, int thread) noexcept nogil:
    cdef int board = first + task // blocks
    memset(<void *>waiting, 0, p.width * sizeof(vec))
    visit_entry(p, r, board, task % blocks, scale * p.boards[r].factor[board], False, above, waiting, thread)


cdef void children_repacked(const Pass *p, int r, int board, double scale, bint fork, Frame *f,
                            int thread) noexcept nogil:
    """Visit the next round where its lines are packed together; side by side if this is where threads part."""
    cdef const Boards *below = &p.boards[r + 1]
    cdef int first = p.boards[r].first_child[board], last = p.boards[r].first_child[board + 1]
    cdef int blocks = p.tree[r + 1].blocks
    cdef int step = last - first if p.disjoint or p.mode != MODE_UPDATE else 1  # boards that may run side by side
    cdef int child, block, task, start, count
    pack(p, r, f.leaf_opponent, f.entry_opponent)
    if p.mode == MODE_UPDATE:
        pack(p, r, f.leaf_own, f.entry_own)
    memset(<void *>f.entry_value, 0, blocks * p.width * sizeof(vec))
    if fork and step * blocks > 1:
        child = first
        while child < last:
            start = 0
            while start < step * blocks:
                count = min(step * blocks - start, <int>BATCH)
                for task in prange(count, schedule="dynamic", chunksize=1, num_threads=p.threads):
                    visit_waiting(p, r + 1, child, start + task, blocks, scale, f, p.waiting + task * p.width,
                                  threadid())
                for task in range(count):
                    add(f.entry_value + (start + task) % blocks * p.width, p.waiting + task * p.width, p.width)
                start += count
            child += step
    else:
        for child in range(first, last):
            for block in range(blocks):
                visit_entry(p, r + 1, child, block, scale * below.factor[child], fork, f,
                            f.entry_value + block * p.width, thread)
    unpack_add(p, r, f.entry_value, f.leaf_value)


cdef int pack_lanes(const Pass *p, int r, int board, int block, Frame *f) noexcept nogil:
    """Gather the lanes of the leaves that the opponent reaches, from the most hands to the fewest; how many vectors."""
    cdef const Boards *deal = &p.boards[r]
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef int lives = deal.live_count[board], leaves = p.tree[r].leaves, hands = p.hands
    cdef int32_t counts[MAX_SEQUENCES * CFR_LANES]
    cdef int32_t order[MAX_SEQUENCES * CFR_LANES]
    cdef int k, n, i, j, lane, found = 0, vectors
    cdef Lanes *lanes
    memset(counts, 0, sizeof(counts))
    for k in range(leaves):
        for n in range(lives):
            count_nonzero(counts + k * CFR_LANES, f.leaf_opponent[k * hands + live[n]])
    for lane in range(leaves * CFR_LANES):
        if counts[lane]:
            i = found
            while i > 0 and counts[order[i - 1]] < counts[lane]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = lane
            found += 1
    vectors = (found + CFR_LANES - 1) // CFR_LANES
    if vectors == leaves:  # nothing to leave out
        return leaves
    for j in range(vectors):
        lanes = &f.packed[j]
        lanes.size = min(found - j * CFR_LANES, <int>CFR_LANES)
        for i in range(CFR_LANES):
            lane = order[j * CFR_LANES + i] if i < lanes.size else order[0]
            lanes.block[i] = lane // CFR_LANES * p.tree[r].blocks + block
            lanes.place[i] = lane // CFR_LANES * hands
            lanes.value_place[i] = lane // CFR_LANES * p.width
            lanes.lane[i] = lane % CFR_LANES
        for n in range(lives):
            pick(f.packed_opponent + j * hands + live[n], f.leaf_opponent + live[n], lanes.place, lanes.lane, 1)
    if found < vectors * CFR_LANES:  # nobody is on the lanes that fill the last vector up
        for n in range(lives):
            f.packed_opponent[(vectors - 1) * hands + live[n]] *= first_lanes(found - (vectors - 1) * CFR_LANES)
    return vectors


cdef void children(const Pass *p, int r, int board, int block, double scale, bint fork, Frame *f,
                   int thread) noexcept nogil:
    """Visit the next round, where every line simply goes on."""
    cdef int child, k
    for child in range(p.boards[r].first_child[board], p.boards[r].first_child[board + 1]):
        for k in range(p.tree[r].leaves):
            visit(p, r + 1, child, k * p.tree[r].blocks + block, NULL, f.leaf_opponent + k * p.hands,
                  f.leaf_own + k * p.hands, f.leaf_value + k * p.width,
                  scale * p.boards[r + 1].factor[child], fork, thread)


cdef void children_packed(const Pass *p, int r, int board, int block, double scale, Frame *f,
                          int thread) noexcept nogil:
    """Visit the last round only on lines that the opponent reaches: a fixed strategy leaves many of them out."""
    cdef int child, j, n, hand, vectors = pack_lanes(p, r, board, block, f)
    if vectors == p.tree[r].leaves:
        children(p, r, board, block, scale, False, f, thread)
        return
    cdef const Lanes *lanes
    memset(<void *>f.packed_value, 0, vectors * p.width * sizeof(vec))
    for child in range(p.boards[r].first_child[board], p.boards[r].first_child[board + 1]):
        for j in range(vectors):
            visit(p, r + 1, child, 0, &f.packed[j], f.packed_opponent + j * p.hands, NULL,
                  f.packed_value + j * p.width, scale * p.boards[r + 1].factor[child], False, thread)
    for j in range(vectors):
        lanes = &f.packed[j]
        for n in range(p.boards[r].live_count[board]):
            hand = p.boards[r].live[<size_t>board * p.hands + n]
            while hand < p.width:  # its best value, then in mode measure that of its own plan
                put_back(f.leaf_value + hand, f.packed_value + j * p.width + hand, lanes.value_place, lanes.lane,
                         lanes.size)
                hand += p.hands


cdef inline void plan_of(const Pass *p, int r, int seat, int row, int block, const Lanes *lanes, vec *strategy,
                         vec *realisation) noexcept nogil:
    """Realisation plan of a row on one block of lines, or on lanes picked from several."""
    cdef const Round *tree = &p.tree[r]
    cdef const Seat *shape = &tree.seats[seat]
    cdef int32_t place[CFR_LANES]
    cdef int i
    if lanes == NULL:
        plan(shape, row_of(p.source[r][seat], tree, shape, row, block), p.planned, strategy, realisation)
        return
    for i in range(CFR_LANES):
        place[i] = lanes.block[i] * (shape.sequences - 1)
    realisation[0] = splat(1)
    pick(realisation + 1, row_of(p.source[r][seat], tree, shape, row, 0), place, lanes.lane, shape.sequences - 1)


cdef inline vec chips_on(const vec *chips, int block, const Lanes *lanes) noexcept nogil:
    cdef vec picked
    if lanes == NULL:
        return chips[block]
    pick(&picked, chips, lanes.block, lanes.lane, 1)
    return picked


cdef void visit(const Pass *p, int r, int board, int block, const Lanes *lanes, const vec *reach, const vec *own_reach, vec *value,
                double scale, bint fork, int thread) noexcept nogil:
    """Add to ``value[hand]`` the traverser's counterfactual values on one board and block of lines, or on ``lanes``.

    ``reach`` is the opponent's, without chance; ``scale`` is the probability of the boards dealt so far.
    """
    cdef const Round *tree = &p.tree[r]
    cdef const Boards *deal = &p.boards[r]
    cdef const Seat *seat = &tree.seats[p.seat]
    cdef const Seat *opponent = &tree.seats[1 - p.seat]
    cdef Frame *f = p.frames + thread * p.rounds + r
    cdef int n, k, hand
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *slot = deal.slot + here
    cdef int rows = deal.row_count[board], lives = deal.live_count[board]
    cdef bint reached = False, last = r == p.rounds - 1
    cdef int mode = p.last_mode if last else p.mode
    cdef uint8_t *chosen = NULL
    cdef bint met = False  # the opponent's choices
    cdef vec x
    cdef vec *scratch
    cdef vec *accumulated = NULL
    cdef vec *average = NULL

    for n in range(lives):
        if any_nonzero(reach[live[n]]):
            reached = True
            break
    if last and p.chosen != NULL:
        met = mode == MODE_UPDATE
        n = (opponent if met else seat).sequences
        chosen = p.chosen + <size_t>block * p.hands * n
        if not reached and not met:
            choose_calls(seat, lives, chosen)
    if not reached and mode != MODE_UPDATE:
        return
    x = splat(<real>scale)
    for n in range(seat.show_terms):
        f.chips[n] = chips_on(seat.show_chips + n * tree.blocks, block, lanes) * x
    for n in range(seat.fold_count):
        f.chips[seat.show_terms + n] = chips_on(seat.fold_chips + n * tree.blocks, block, lanes) * x
    for k in range(rows):
        if lanes == NULL:
            if not met:
                prefetch_row(p.source[r][1 - p.seat], tree, opponent, deal.rows + here, k + PREFETCH, rows,
                             block)
            if mode != MODE_BEST:
                prefetch_row(p.source[r][p.seat], tree, seat, deal.rows + here, k, rows, block)
        if mode == MODE_UPDATE:
            if p.average[r] != NULL:
                prefetch_row(p.average[r], tree, seat, deal.rows + here, k, rows, block)
            if p.accumulated[r] != NULL:
                prefetch_row(p.accumulated[r], tree, seat, deal.rows + here, k, rows, block)
        if met or not reached:
            continue
        plan_of(p, r, 1 - p.seat, deal.rows[here + k], block, lanes, f.strategy, f.opponent_plan)
        worths(seat, f.chips, f.opponent_plan, f.show_worth + k * seat.sequences,
               f.start_worth + k * seat.sequences, f.fold_worth + k * seat.fold_count)
        for n in range(tree.leaves):
            f.leaf_plan[k * tree.leaves + n] = f.opponent_plan[seat.leaf_opponent[n]]
    if mode != MODE_BEST:
        for k in range(rows):
            scratch = f.own_plan + k * seat.sequences
            plan_of(p, r, p.seat, deal.rows[here + k], block, lanes, f.strategy + k * seat.sequences, scratch)
            if met:
                continue
            f.fold_value[k] = splat(0)
            for n in range(seat.fold_count):
                f.fold_value[k] += scratch[seat.folds[n]] * f.fold_worth[k * seat.fold_count + n]
    if mode == MODE_UPDATE:
        memset(<void *>f.gradient, 0, rows * seat.sequences * sizeof(vec))
        memset(<void *>f.row_reach, 0, rows * sizeof(vec))

    if tree.leaves:
        for k in range(tree.leaves):
            for n in range(lives):
                hand = live[n]
                f.leaf_opponent[k * p.hands + hand] = (
                    reach[hand] * f.leaf_plan[slot[hand] * tree.leaves + k] if reached else reach[hand])
        if mode == MODE_UPDATE:
            for k in range(tree.leaves):
                for n in range(lives):
                    hand = live[n]
                    f.leaf_own[k * p.hands + hand] = (
                        own_reach[hand] * f.own_plan[slot[hand] * seat.sequences + seat.leaf_own[k]])
        memset(<void *>f.leaf_value, 0, tree.leaves * p.width * sizeof(vec))
        if tree.repacked:
            children_repacked(p, r, board, scale, fork, f, thread)
        elif p.planned and p.tree[r + 1].leaves == 0:
            children_packed(p, r, board, block, scale, f, thread)
        else:
            children(p, r, board, block, scale, fork, f, thread)
        if deal.classes != NULL and deal.class_count[board] < lives:
            for k in range(tree.leaves):
                average_over_classes(p, deal, board, f.leaf_value + k * p.width, f)
                if mode == MODE_MEASURE:
                    average_over_classes(p, deal, board, f.leaf_value + k * p.width + p.hands, f)

    if reached and met:
        if seat.shape != GENERAL_ROUND:  # constants, so that the compiler unrolls all loops over sequences
            meet_choices(p, board, chosen, reach, own_reach, value, f, 2, 1, FOUR_BETS)
        else:
            meet_choices(p, board, chosen, reach, own_reach, value, f, p.hole, seat.first, seat.sequences)
    elif reached and seat.show_terms:
        if seat.shape != GENERAL_ROUND:
            sweep_showdowns(p, r, board, reach, own_reach, value, chosen, f, 2, 1, FOUR_BETS)
        else:
            sweep_showdowns(p, r, board, reach, own_reach, value, chosen, f, p.hole, seat.first, seat.sequences)
    elif reached:
        sweep_folds(p, r, board, reach, own_reach, value, f)
    elif mode == MODE_UPDATE:
        for n in range(deal.own_count[board]):
            f.row_reach[slot[live[n]]] += own_reach[live[n]]
    if mode == MODE_UPDATE:
        x = splat(p.weight * <real>scale)
        for k in range(rows):
            scratch = row_of(p.source[r][p.seat], tree, seat, deal.rows[here + k], block)
            if p.accumulated[r] != NULL:
                accumulated = row_of(p.accumulated[r], tree, seat, deal.rows[here + k], block)
            if p.average[r] != NULL:
                average = row_of(p.average[r], tree, seat, deal.rows[here + k], block)
            update_row(p, seat, f.strategy + k * seat.sequences, f.own_plan + k * seat.sequences,
                       f.gradient + k * seat.sequences, f.row_reach[k] * x, scratch, accumulated, average)


cdef void *block_of(size_t count, size_t size) except NULL:
    """Zeroed memory aligned to a cache line; never empty."""
    cdef size_t wanted = max((count * size + 63) // 64, <size_t>1) * 64
    cdef void *memory = aligned_alloc(64, wanted)
    if memory == NULL:
        raise MemoryError(f"{wanted} bytes for the traversal's scratch")
    memset(memory, 0, wanted)
    return memory


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

    def run(self, int root=0, double weight=1, double keep_positive=1, double keep_negative=0):
        """Traverse from board ``root`` of the first round.

        Args:
            root: the board.
            weight: of this iteration in the average strategy.
            keep_positive, keep_negative: factors on regrets of that sign once a row is updated.
        """
        cdef Pass *p = &self.pass_
        cdef int block, blocks = p.tree[self.first].blocks
        p.weight = <real>weight
        p.keep_positive = <real>keep_positive
        p.keep_negative = <real>keep_negative
        with nogil:
            memset(<void *>self.value, 0, blocks * p.width * sizeof(vec))
            for block in range(blocks):
                visit(p, self.first, root, block, NULL, self.opponent_reach + block * p.hands,
                      self.own_reach + block * p.hands, self.value + block * p.width, self.scale, p.threads > 1, 0)


cdef class Traversal:
    """The kernel for one game: its tree, and scratch memory for ``threads`` threads.

    Args:
        tree: a ``cfr.tree.Tree`` laid out for ``LANES`` lanes; only its arrays are read.
        cards: ``(hands, hole)`` int16 card codes of every hand.
        threads: how many threads a traversal uses.
    """

    cdef Round *tree
    cdef Frame *frames
    cdef vec *waiting
    cdef int16_t *cards
    cdef readonly int rounds, hands, hole, first_card, threads
    cdef uint8_t *chosen  # see Pass; NULL until somebody responds
    cdef list owned  # addresses of everything allocated

    def __cinit__(self, tree, const int16_t[:, ::1] cards, int threads):
        cdef int r, s
        cdef Py_ssize_t i, j
        self.owned = []
        self.rounds = len(tree.rounds)
        self.hands = cards.shape[0]
        self.hole = cards.shape[1]
        self.first_card = min(cards[i, j] for i in range(self.hands) for j in range(self.hole))
        self.threads = threads
        self.chosen = NULL
        if self.rounds > MAX_ROUNDS or self.hands > 1326 or threads < 1:
            raise ValueError(f"cannot traverse {self.rounds} rounds of {self.hands} hands with {threads} threads")
        self.tree = <Round *>self._own(block_of(self.rounds, sizeof(Round)))
        self.cards = <int16_t *>self._own(block_of(self.hands * self.hole, sizeof(int16_t)))
        for i in range(self.hands):
            for j in range(self.hole):
                self.cards[i * self.hole + j] = cards[i, j]
        for r in range(self.rounds):
            source = tree.rounds[r]
            self.tree[r].lines = source.lines
            self.tree[r].blocks = source.stride // CFR_LANES
            self.tree[r].leaves = source.leaves
            self.tree[r].repacked = source.repacked
            for s in range(2):
                self._read_seat(&self.tree[r].seats[s], source.seats[s])
        self.frames = <Frame *>self._own(block_of(threads * self.rounds, sizeof(Frame)))
        for i in range(threads):
            for r in range(self.rounds):
                self._make_frame(&self.frames[i * self.rounds + r], r)
        self.waiting = <vec *>self._own(block_of(BATCH * 2 * self.hands, sizeof(vec)))

    def __dealloc__(self):
        for address in self.owned or ():
            free(<void *><size_t>address)

    cdef void *_own(self, void *memory):
        self.owned.append(<size_t>memory)
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
        cdef int32_t *target = <int32_t *>self._own(block_of(len(values), sizeof(int32_t)))
        for i in range(len(values)):
            target[i] = values[i]
        return target

    cdef vec *_lanes(self, const double[:, ::1] values) except NULL:
        cdef Py_ssize_t t, i, stride = values.shape[1]
        cdef real *target = <real *>self._own(block_of(values.shape[0] * stride, sizeof(real)))
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
        cdef int entries = self.tree[r + 1].blocks if tree.repacked else 0
        f.chips = self._vectors(2 * sequences)
        f.opponent_plan = self._vectors(sequences)
        f.leaf_plan = self._vectors(self.hands * tree.leaves)
        f.show_worth = self._vectors(self.hands * sequences)
        f.start_worth = self._vectors(self.hands * sequences)
        f.fold_worth = self._vectors(self.hands * folds)
        f.own_plan = self._vectors(self.hands * sequences)
        f.fold_value = self._vectors(self.hands)
        f.strategy = self._vectors(self.hands * sequences)
        f.gradient = self._vectors(self.hands * sequences)
        f.row_reach = self._vectors(self.hands)
        f.row_opponent = self._vectors(self.hands)
        f.by_card = self._vectors(52 * sequences)
        f.even = self._vectors(52 * sequences)
        f.sorted_reach = self._vectors(self.hands)
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
        f.packed = <Lanes *>self._own(block_of(tree.leaves, sizeof(Lanes)))
        f.packed_opponent = self._vectors(tree.leaves * self.hands)
        f.packed_value = self._vectors(tree.leaves * 2 * self.hands)

    cdef uint8_t *_choices(self) except NULL:
        cdef Round *last = self.tree + self.rounds - 1
        if self.chosen == NULL:
            self.chosen = <uint8_t *>self._own(
                block_of(<size_t>last.blocks * self.hands * max(last.seats[0].sequences, last.seats[1].sequences), 1))
        return self.chosen

    cdef vec *_vectors(self, size_t count):
        return <vec *>self._own(block_of(count, sizeof(vec)))

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
            planned: the tables hold realisation plans (``cfr.tree.Tree.plans``); never in mode UPDATE.
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
        p.chosen = self._choices() if met or mode == MODE_RESPOND else NULL
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
        boards.group_cards = numbers_of(deal.showdowns.group_cards)
        boards.card = numbers_of(deal.showdowns.card)
        boards.card_end = numbers_of(deal.showdowns.card_end)
        boards.part_slot = numbers_of(deal.showdowns.part_slot)
        boards.part_count = numbers_of(deal.showdowns.part_count)
        boards.hand_part = numbers_of(deal.showdowns.hand_part)
        boards.hand_card = numbers_of(deal.showdowns.hand_card)
        boards.by_card = numbers_of(deal.showdowns.by_card)
        boards.by_card_end = numbers_of(deal.showdowns.by_card_end)
    boards.classes = NULL
    if deal.classes is not None:
        classes = deal.classes
        class_count = deal.class_count
        boards.classes = <int16_t *>&classes[0, 0]
        boards.class_count = <int32_t *>&class_count[0]
