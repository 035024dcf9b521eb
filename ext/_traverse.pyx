"""One traversal of the public tree for one seat: update, average or best; over any tree of boards.

A vector runs over betting lines. On a board, every live hand owns one vector per block of lines, and its row of the
strategy table is one contiguous stream. A visit of (round, board, block of lines) does, in this order:

1. rows: the realisation plan of both seats' sequences (cfr/tree.py) from the tables;
2. down: opponent's reach times plan at each leaf, then the next round's boards, then their values;
3. sweep: opponent's reach summed per card gives the value of folds, and in strength order that of showdowns;
4. up: per hand, the gradient of the traverser's sequences and the value at entry;
5. rows: gradients summed per row roll up through the traverser's nodes into regrets and the average strategy.

Only step 5 and the value at entry know the mode. Card removal: with V the opponent's reach that does not collide with
the traverser's hand, wins minus losses of a hand is D - D[c1] - D[c2], where D (and D[c] for hands that hold card c)
is reach below the tie group, plus reach up to and with it, minus the total.

Threads take separate boards (when rows cannot collide) or separate blocks of lines, and their values are added in
board order: any number of threads computes the same bits.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free
from libc.string cimport memset

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
    void prefetch(const vec *, int)
    void store(real*, vec)
    vec load(const real*)

LANES = CFR_LANES
REAL_BYTES = <int>sizeof(real)
UPDATE, AVERAGE, BEST = 0, 1, 2

cdef enum:
    MODE_UPDATE = 0
    MODE_AVERAGE = 1
    MODE_BEST = 2
    MAX_ROUNDS = 8
    MAX_SEQUENCES = 64
    PREFETCH = 4  # rows
    BATCH = 64  # boards whose values wait for their turn to be added


cdef struct Seat:
    int nodes, sequences, watched_count, show_count, fold_first, terms, extras
    int32_t *node_parent
    int32_t *node_first
    int32_t *node_count
    int32_t *watched
    int32_t *term_source     # (terms,): term s < sequences is of own sequence s, the others are extras
    int32_t *extra_sequence  # (extras,)
    int32_t *leaf_own
    int32_t *leaf_opponent
    vec *coefficient  # (terms, blocks)


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
    int16_t *classes
    int32_t *class_count


cdef struct Frame:  # what one thread needs while it visits one round
    vec *opponent_plan  # (opponent's sequences,)
    vec *watched_plan   # (rows, watched): the opponent's plan at the watched sequences
    vec *leaf_plan      # (rows, leaves): the opponent's plan at the leaves
    vec *own_plan       # (rows, own sequences)
    vec *strategy       # (rows, own sequences): probability of the sequence's last action
    vec *gradient       # (rows, own sequences)
    vec *row_reach      # (rows,)
    vec *card_total     # (52, watched)
    vec *total          # (watched,)
    vec *card_climb     # (52, shows)
    vec *climb          # (shows,)
    vec *group          # (hands, shows)
    vec *coefficient    # (terms,)
    vec *leaf_opponent  # (leaves, hands)
    vec *leaf_own
    vec *leaf_value
    vec *entry_opponent  # (next round's blocks, hands), where lines are repacked
    vec *entry_own
    vec *entry_value
    vec *class_sum      # (hands,)


cdef struct Pass:  # everything a traversal reads
    int seat, mode, rounds, hands, hole, threads, disjoint
    real weight
    int16_t *cards      # (hands, hole)
    Round *tree
    Boards boards[MAX_ROUNDS]
    real *source[MAX_ROUNDS][2]   # regrets or probabilities: the strategy is their positive part, normalised
    real *average[MAX_ROUNDS]     # the traverser's average strategy
    Frame *frames       # (threads, rounds)
    vec *waiting        # (BATCH, hands) values of boards visited side by side


cdef inline void match(const vec *row, int count, vec *strategy) noexcept nogil:
    """Regret matching: the positive part of a node's row, normalised; uniform where nothing is positive."""
    cdef int a
    cdef vec total = positive(row[0])
    for a in range(1, count):
        total += positive(row[a])
    cdef vec inverse = inverse_or_zero(total)
    cdef vec uniform = where_not_positive(total, <real>1 / <real>count)
    for a in range(count):
        strategy[a] = positive(row[a]) * inverse + uniform


cdef void plan(const Seat *seat, const vec *row, vec *strategy, vec *realisation) noexcept nogil:
    """Strategy and realisation plan of one row; sequence 0 is the empty one."""
    cdef int node, a, first
    realisation[0] = splat(1)
    for node in range(seat.nodes):
        first = seat.node_first[node]
        match(row + first - 1, seat.node_count[node], strategy + first)
        for a in range(first, first + seat.node_count[node]):
            realisation[a] = realisation[seat.node_parent[node]] * strategy[a]


cdef inline vec *row_of(real *table, const Round *tree, const Seat *seat, int row, int block) noexcept nogil:
    return <vec *>table + (<size_t>row * tree.blocks + block) * (seat.sequences - 1)


cdef inline void prefetch_row(real *table, const Round *tree, const Seat *seat, const int32_t *rows, int k, int count,
                              int block) noexcept nogil:
    if k < count:
        prefetch(row_of(table, tree, seat, rows[k], block), seat.sequences - 1)


cdef void sum_by_card(const Pass *p, const Boards *deal, int board, int count, const vec *reach,
                      Frame *f) noexcept nogil:
    """Total of the opponent's reach at each watched sequence, and of the hands that hold each card."""
    cdef int n, d, j, hand, hole = p.hole
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef const int16_t *slot = deal.slot + <size_t>board * p.hands
    cdef const int16_t *cards = p.cards
    cdef const vec *plans = f.watched_plan
    cdef const vec *row
    cdef vec *by_card = f.card_total
    cdef vec *total = f.total
    cdef vec *first
    cdef vec *second
    cdef vec x, y
    memset(<void *>by_card, 0, 52 * count * sizeof(vec))
    memset(<void *>total, 0, count * sizeof(vec))
    for n in range(deal.live_count[board]):
        hand = live[n]
        x = reach[hand]
        if not any_nonzero(x):
            continue
        row = plans + slot[hand] * count
        first = by_card + cards[hand * hole] * count
        if hole == 2:
            second = by_card + cards[hand * 2 + 1] * count
            for d in range(count):
                y = x * row[d]
                first[d] += y
                second[d] += y
        else:
            for d in range(count):
                first[d] += x * row[d]
    for j in range(52):
        for d in range(count):
            total[d] += by_card[j * count + d]
    if hole == 2:
        for d in range(count):
            total[d] *= splat(<real>0.5)


cdef inline void climb(const int16_t *cards, int hole, int shows, const vec *group, vec *sums,
                       vec *by_card) noexcept nogil:
    """Add one opponent's hand to the running sums of the showdown sweep."""
    cdef int d
    cdef vec y
    cdef vec *first = by_card + cards[0] * shows
    cdef vec *second
    if hole == 2:
        second = by_card + cards[1] * shows
        for d in range(shows):
            y = group[d]
            sums[d] += y
            first[d] += y
            second[d] += y
    else:
        for d in range(shows):
            sums[d] += group[d]
            first[d] += group[d]


cdef inline void outcome_values(const Seat *seat, const int16_t *cards, int hole, vec reach, const vec *row,
                                const Frame *f, vec *values) noexcept nogil:
    """What one of the traverser's hands gets per chip at showdowns, then at folds."""
    cdef int d, shows = seat.show_count, watched = seat.watched_count, first_fold = seat.fold_first
    cdef const vec *running = f.climb
    cdef const vec *running1 = f.card_climb + cards[0] * shows
    cdef const vec *running2 = f.card_climb + cards[hole - 1] * shows
    cdef const vec *total = f.total
    cdef const vec *total1 = f.card_total + cards[0] * watched
    cdef const vec *total2 = f.card_total + cards[hole - 1] * watched
    cdef vec *folds = values + shows - first_fold
    if hole == 2:
        for d in range(shows):
            values[d] = running[d] - running1[d] - running2[d]
        for d in range(first_fold, watched):
            folds[d] = total[d] - total1[d] - total2[d] + reach * row[d]
    else:
        for d in range(shows):
            values[d] = running[d] - running1[d]
        for d in range(first_fold, watched):
            folds[d] = total[d] - total1[d]


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


cdef vec hand_value(const Pass *p, const Seat *seat, int leaves, int hand, int slot, vec reach, vec own_reach,
                    const Frame *f) noexcept nogil:
    """Value at entry of one of the traverser's hands; in mode UPDATE adds its gradient to its row."""
    cdef vec values[2 * MAX_SEQUENCES]
    cdef vec gradient[MAX_SEQUENCES]
    cdef int outcomes = seat.show_count + seat.watched_count - seat.fold_first
    cdef int s, k, e, sequences = seat.sequences, hands = p.hands
    cdef const int32_t *source = seat.term_source
    cdef const vec *coefficient = f.coefficient
    cdef const vec *leaf = f.leaf_value + hand
    cdef const vec *own = f.own_plan + slot * sequences
    cdef vec *sums = f.gradient + slot * sequences
    cdef vec value
    outcome_values(seat, p.cards + hand * p.hole, p.hole, reach, f.watched_plan + slot * seat.watched_count, f, values)
    for k in range(leaves):
        values[outcomes + k] = leaf[k * hands]
    for s in range(sequences):
        gradient[s] = coefficient[s] * values[source[s]]
    for e in range(sequences, sequences + seat.extras):
        gradient[seat.extra_sequence[e - sequences]] += coefficient[e] * values[source[e]]
    if p.mode == MODE_BEST:
        return best_value(seat, gradient)
    value = own[0] * gradient[0]
    for s in range(1, sequences):
        value += own[s] * gradient[s]
    if p.mode == MODE_UPDATE:
        for s in range(sequences):
            sums[s] += gradient[s]
        f.row_reach[slot] += own_reach
    return value


cdef void sweep(const Pass *p, int r, int board, const vec *reach, const vec *own_reach, vec *value,
                Frame *f) noexcept nogil:
    """Values of all own hands of a board; in the last round, one climb through the tie groups."""
    cdef const Boards *deal = &p.boards[r]
    cdef const Seat *seat = &p.tree[r].seats[p.seat]
    cdef int shows = seat.show_count, watched = seat.watched_count, leaves = p.tree[r].leaves, hole = p.hole
    cdef int n, d, g, start, end, hand
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef const int16_t *slot = deal.slot + <size_t>board * p.hands
    cdef const int16_t *group_end = deal.group_end + <size_t>board * p.hands
    cdef const int16_t *cards = p.cards
    cdef vec x, none = splat(0)
    cdef const vec *row
    cdef vec *group
    cdef vec *running = f.climb
    cdef vec *by_card = f.card_climb
    sum_by_card(p, deal, board, watched, reach, f)
    if shows == 0:
        for n in range(deal.own_count[board]):
            hand = live[n]
            x = own_reach[hand] if p.mode == MODE_UPDATE else none
            value[hand] += hand_value(p, seat, leaves, hand, slot[hand], reach[hand], x, f)
        return
    for d in range(shows):
        running[d] = none - f.total[d]
    for n in range(52):
        for d in range(shows):
            by_card[n * shows + d] = none - f.card_total[n * watched + d]
    start = 0
    for g in range(deal.group_count[board]):
        end = group_end[g]
        group = f.group
        for n in range(start, end):
            hand = live[n]
            x = reach[hand]
            if not any_nonzero(x):
                continue
            row = f.watched_plan + slot[hand] * watched
            for d in range(shows):
                group[d] = x * row[d]
            climb(cards + hand * hole, hole, shows, group, running, by_card)
            group += shows
        for n in range(start, end):
            hand = live[n]
            x = own_reach[hand] if p.mode == MODE_UPDATE else none
            value[hand] += hand_value(p, seat, leaves, hand, slot[hand], reach[hand], x, f)
        group = f.group
        for n in range(start, end):
            if not any_nonzero(reach[live[n]]):
                continue
            climb(cards + live[n] * hole, hole, shows, group, running, by_card)
            group += shows
        start = end


cdef void update_row(const Seat *seat, const vec *strategy, const vec *realisation, vec *gradient, vec reach,
                     vec *regrets, vec *average) noexcept nogil:
    """Roll a row's gradient up: regret matching+ (Tammelin 2014) and the weighted average strategy."""
    cdef int node, a, first, end
    cdef vec value
    for node in range(seat.nodes - 1, -1, -1):
        first = seat.node_first[node]
        end = first + seat.node_count[node]
        value = splat(0)
        for a in range(first, end):
            value += strategy[a] * gradient[a]
        for a in range(first, end):
            regrets[a - 1] = positive(regrets[a - 1] + gradient[a] - value)
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
    cdef int hand, k, b, blocks = p.tree[r + 1].blocks
    cdef real row[MAX_SEQUENCES * CFR_LANES]
    memset(row, 0, sizeof(row))
    cdef vec mask = first_lanes(tree.lines)
    for hand in range(p.hands):
        for b in range(blocks):
            store(row + b * CFR_LANES, entries[b * p.hands + hand])
        for k in range(tree.leaves):
            leaves[k * p.hands + hand] += load(row + k * tree.lines) * mask


cdef void visit_entry(const Pass *p, int r, int board, int block, double scale, bint fork, const Frame *above,
                      vec *value, int thread) noexcept nogil:
    visit(p, r, board, block, above.entry_opponent + block * p.hands, above.entry_own + block * p.hands, value,
          scale, fork, thread)


cdef void visit_waiting(const Pass *p, int r, int first, int task, int blocks, double scale, const Frame *above,
                        vec *waiting, int thread) noexcept nogil:
    cdef int board = first + task // blocks
    memset(<void *>waiting, 0, p.hands * sizeof(vec))
    visit_entry(p, r, board, task % blocks, scale * p.boards[r].factor[board], False, above, waiting, thread)


cdef void add_values(int hands, const vec *source, vec *target) noexcept nogil:
    cdef int hand
    for hand in range(hands):
        target[hand] += source[hand]


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
    memset(<void *>f.entry_value, 0, blocks * p.hands * sizeof(vec))
    if fork and step * blocks > 1:
        child = first
        while child < last:
            start = 0
            while start < step * blocks:
                count = min(step * blocks - start, <int>BATCH)
                for task in prange(count, schedule="dynamic", chunksize=1, num_threads=p.threads):
                    visit_waiting(p, r + 1, child, start + task, blocks, scale, f, p.waiting + task * p.hands,
                                  threadid())
                for task in range(count):
                    add_values(p.hands, p.waiting + task * p.hands,
                               f.entry_value + (start + task) % blocks * p.hands)
                start += count
            child += step
    else:
        for child in range(first, last):
            for block in range(blocks):
                visit_entry(p, r + 1, child, block, scale * below.factor[child], fork, f,
                            f.entry_value + block * p.hands, thread)
    unpack_add(p, r, f.entry_value, f.leaf_value)


cdef void visit(const Pass *p, int r, int board, int block, const vec *reach, const vec *own_reach, vec *value,
                double scale, bint fork, int thread) noexcept nogil:
    """Add to ``value[hand]`` the traverser's counterfactual values on one board and block of lines.

    ``reach`` is the opponent's, without chance; ``scale`` is the probability of the boards dealt so far.
    """
    cdef const Round *tree = &p.tree[r]
    cdef const Boards *deal = &p.boards[r]
    cdef const Seat *seat = &tree.seats[p.seat]
    cdef const Seat *opponent = &tree.seats[1 - p.seat]
    cdef Frame *f = p.frames + thread * p.rounds + r
    cdef int n, k, t, child, hand, hands = p.hands
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *slot = deal.slot + here
    cdef int rows = deal.row_count[board], lives = deal.live_count[board]
    cdef bint reached = False
    cdef vec x
    cdef real *table
    cdef vec *scratch

    for n in range(lives):
        if any_nonzero(reach[live[n]]):
            reached = True
            break
    if not reached and p.mode != MODE_UPDATE:
        return
    for k in range(rows):
        prefetch_row(p.source[r][1 - p.seat], tree, opponent, deal.rows + here, k + PREFETCH, rows, block)
        if p.mode != MODE_BEST:
            prefetch_row(p.source[r][p.seat], tree, seat, deal.rows + here, k, rows, block)
        if p.mode == MODE_UPDATE:
            prefetch_row(p.average[r], tree, seat, deal.rows + here, k, rows, block)
        table = p.source[r][1 - p.seat]
        plan(opponent, row_of(table, tree, opponent, deal.rows[here + k], block), f.strategy, f.opponent_plan)
        for n in range(seat.watched_count):
            f.watched_plan[k * seat.watched_count + n] = f.opponent_plan[seat.watched[n]]
        for n in range(tree.leaves):
            f.leaf_plan[k * tree.leaves + n] = f.opponent_plan[seat.leaf_opponent[n]]
    if p.mode != MODE_BEST:
        table = p.source[r][p.seat]
        for k in range(rows):
            plan(seat, row_of(table, tree, seat, deal.rows[here + k], block), f.strategy + k * seat.sequences,
                 f.own_plan + k * seat.sequences)
    if p.mode == MODE_UPDATE:
        memset(<void *>f.gradient, 0, rows * seat.sequences * sizeof(vec))
        memset(<void *>f.row_reach, 0, rows * sizeof(vec))

    if tree.leaves:
        for k in range(tree.leaves):
            for n in range(lives):
                hand = live[n]
                f.leaf_opponent[k * hands + hand] = (
                    reach[hand] * f.leaf_plan[slot[hand] * tree.leaves + k])
        if p.mode == MODE_UPDATE:
            for k in range(tree.leaves):
                for n in range(lives):
                    hand = live[n]
                    f.leaf_own[k * hands + hand] = (
                        own_reach[hand] * f.own_plan[slot[hand] * seat.sequences + seat.leaf_own[k]])
        memset(<void *>f.leaf_value, 0, tree.leaves * hands * sizeof(vec))
        if tree.repacked:
            children_repacked(p, r, board, scale, fork, f, thread)
        else:
            for child in range(deal.first_child[board], deal.first_child[board + 1]):
                for k in range(tree.leaves):
                    visit(p, r + 1, child, k * tree.blocks + block, f.leaf_opponent + k * hands,
                          f.leaf_own + k * hands, f.leaf_value + k * hands,
                          scale * p.boards[r + 1].factor[child], fork, thread)
        if deal.classes != NULL and deal.class_count[board] < lives:
            for k in range(tree.leaves):
                average_over_classes(p, deal, board, f.leaf_value + k * hands, f)

    if reached:
        # Leaves' values have chance in them already; folds and showdowns get it here.
        for t in range(seat.terms):
            x = seat.coefficient[t * tree.blocks + block]
            if seat.term_source[t] < seat.show_count + seat.watched_count - seat.fold_first:
                x *= splat(<real>scale)
            f.coefficient[t] = x
        sweep(p, r, board, reach, own_reach, value, f)
    elif p.mode == MODE_UPDATE:
        for n in range(deal.own_count[board]):
            f.row_reach[slot[live[n]]] += own_reach[live[n]]
    if p.mode == MODE_UPDATE:
        x = splat(p.weight * <real>scale)
        for k in range(rows):
            table = p.source[r][p.seat]
            scratch = row_of(table, tree, seat, deal.rows[here + k], block)
            table = p.average[r]
            update_row(seat, f.strategy + k * seat.sequences, f.own_plan + k * seat.sequences,
                       f.gradient + k * seat.sequences, f.row_reach[k] * x, scratch,
                       row_of(table, tree, seat, deal.rows[here + k], block))


cdef void *block_of(size_t count, size_t size) except NULL:
    """Zeroed memory aligned to a cache line; never empty."""
    cdef size_t wanted = max((count * size + 63) // 64, <size_t>1) * 64
    cdef void *memory = aligned_alloc(64, wanted)
    if memory == NULL:
        raise MemoryError(f"{wanted} bytes for the traversal's scratch")
    memset(memory, 0, wanted)
    return memory


cdef int32_t *copy_ints(const int32_t[::1] source) except NULL:
    cdef int32_t *target = <int32_t *>block_of(source.shape[0], sizeof(int32_t))
    cdef Py_ssize_t i
    for i in range(source.shape[0]):
        target[i] = source[i]
    return target


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
    cdef readonly int rounds, hands, hole, threads
    cdef list owned  # addresses of everything allocated

    def __cinit__(self, tree, const int16_t[:, ::1] cards, int threads):
        cdef int r, s
        cdef Py_ssize_t i, j
        self.owned = []
        self.rounds = len(tree.rounds)
        self.hands = cards.shape[0]
        self.hole = cards.shape[1]
        self.threads = threads
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
                self._read_seat(&self.tree[r].seats[s], source.seats[s], source.stride)
        self.frames = <Frame *>self._own(block_of(threads * self.rounds, sizeof(Frame)))
        for i in range(threads):
            for r in range(self.rounds):
                self._make_frame(&self.frames[i * self.rounds + r], r)
        self.waiting = <vec *>self._own(block_of(BATCH * self.hands, sizeof(vec)))

    def __dealloc__(self):
        for address in self.owned or ():
            free(<void *><size_t>address)

    cdef void *_own(self, void *memory):
        self.owned.append(<size_t>memory)
        return memory

    cdef _read_seat(self, Seat *seat, source, int stride):
        cdef const double[:, ::1] coefficient = source.term_coefficient
        cdef Py_ssize_t t, i
        cdef real *target
        seat.nodes = len(source.node_first)
        seat.sequences = source.sequences
        seat.watched_count = len(source.watched)
        seat.show_count = source.show_count
        seat.fold_first = source.fold_first
        seat.terms = len(source.term_source)
        seat.extras = len(source.extra_sequence)
        if seat.sequences > MAX_SEQUENCES or 2 * seat.watched_count > MAX_SEQUENCES:
            raise ValueError(f"a round with {seat.sequences} sequences is too large for the kernel")
        seat.node_parent = <int32_t *>self._own(copy_ints(source.node_parent))
        seat.node_first = <int32_t *>self._own(copy_ints(source.node_first))
        seat.node_count = <int32_t *>self._own(copy_ints(source.node_count))
        seat.watched = <int32_t *>self._own(copy_ints(source.watched))
        seat.term_source = <int32_t *>self._own(copy_ints(source.term_source))
        seat.extra_sequence = <int32_t *>self._own(copy_ints(source.extra_sequence))
        seat.leaf_own = <int32_t *>self._own(copy_ints(source.leaf_own))
        seat.leaf_opponent = <int32_t *>self._own(copy_ints(source.leaf_opponent))
        target = <real *>self._own(block_of(seat.terms * stride, sizeof(real)))
        for t in range(seat.terms):
            for i in range(stride):
                target[t * stride + i] = coefficient[t, i]
        seat.coefficient = <vec *>target

    cdef _make_frame(self, Frame *f, int r):
        cdef Round *tree = &self.tree[r]
        cdef int sequences = max(tree.seats[0].sequences, tree.seats[1].sequences)
        cdef int watched = max(tree.seats[0].watched_count, tree.seats[1].watched_count)
        cdef int shows = max(tree.seats[0].show_count, tree.seats[1].show_count)
        cdef int terms = max(tree.seats[0].terms, tree.seats[1].terms)
        cdef int entries = self.tree[r + 1].blocks if tree.repacked else 0
        f.opponent_plan = self._vectors(sequences)
        f.watched_plan = self._vectors(self.hands * watched)
        f.leaf_plan = self._vectors(self.hands * tree.leaves)
        f.own_plan = self._vectors(self.hands * sequences)
        f.strategy = self._vectors(self.hands * sequences)
        f.gradient = self._vectors(self.hands * sequences)
        f.row_reach = self._vectors(self.hands)
        f.card_total = self._vectors(52 * watched)
        f.total = self._vectors(watched)
        f.card_climb = self._vectors(52 * shows)
        f.climb = self._vectors(shows)
        f.group = self._vectors(self.hands * shows)
        f.coefficient = self._vectors(terms)
        f.leaf_opponent = self._vectors(tree.leaves * self.hands)
        f.leaf_own = self._vectors(tree.leaves * self.hands)
        f.leaf_value = self._vectors(tree.leaves * self.hands)
        f.entry_opponent = self._vectors(entries * self.hands)
        f.entry_own = self._vectors(entries * self.hands)
        f.entry_value = self._vectors(entries * self.hands)
        f.class_sum = self._vectors(self.hands)

    cdef vec *_vectors(self, size_t count):
        return <vec *>self._own(block_of(count, sizeof(vec)))

    def run(self, deals, sources, averages, real[:, :, :, ::1] reach, int seat, int mode, int root=0,
            double scale=1, double weight=1, bint disjoint=True):
        """Traverse from board ``root`` of the first round; see ``cfr.traversal`` for the checked, typed entrance.

        Args:
            deals: per round, a ``cfr.deals.Boards``.
            sources: per round, the two seats' tables ``(rows, blocks, node-actions, LANES)`` of ``real``; in mode
                UPDATE the traverser's are regrets and change in place.
            averages: per round, the traverser's average strategy (same shape), changed in mode UPDATE, else unused.
            reach: ``(2, blocks, hands, LANES)`` reach of each seat at the root.
            seat: the traverser.
            mode: UPDATE, AVERAGE or BEST.
            scale: probability of the root's boards, and whatever else values are to be multiplied with.
            weight: of this iteration in the average strategy.
            disjoint: no two boards of a round share a row, so that boards can be updated side by side.

        Returns:
            ``(blocks, hands, LANES)`` counterfactual values as a bytearray-backed memoryview of ``real``.
        """
        cdef Pass p
        cdef int r, s, block, blocks = self.tree[0].blocks
        cdef real[:, :, :, ::1] table
        cdef real[:, :, ::1] values
        p.seat = seat
        p.mode = mode
        p.rounds = self.rounds
        p.hands = self.hands
        p.hole = self.hole
        p.threads = self.threads
        p.disjoint = disjoint
        p.weight = <real>weight
        p.cards = self.cards
        p.tree = self.tree
        p.frames = self.frames
        p.waiting = self.waiting
        for r in range(self.rounds):
            read_boards(&p.boards[r], deals[r])
            for s in range(2):
                table = sources[r][s]
                p.source[r][s] = &table[0, 0, 0, 0] if table.size else NULL
            if mode == MODE_UPDATE:
                table = averages[r]
                p.average[r] = &table[0, 0, 0, 0] if table.size else NULL
        import numpy
        result = numpy.zeros((blocks, self.hands, CFR_LANES), dtype=numpy.float32 if sizeof(real) == 4 else numpy.float64)
        values = result
        cdef bint fork = self.threads > 1
        with nogil:
            for block in range(blocks):
                visit(&p, 0, root, block, <vec *>&reach[1 - seat, block, 0, 0], <vec *>&reach[seat, block, 0, 0],
                      <vec *>&values[block, 0, 0], scale, fork, 0)
        return result


cdef read_boards(Boards *boards, deal):
    cdef const int32_t[::1] first_child = deal.first_child
    cdef const double[::1] factor = deal.factor
    cdef const int16_t[:, ::1] live = deal.live
    cdef const int32_t[::1] live_count = deal.live_count
    cdef const int32_t[::1] own_count = deal.own_count
    cdef const int16_t[:, ::1] slot = deal.slot
    cdef const int32_t[:, ::1] rows = deal.rows
    cdef const int32_t[::1] row_count = deal.row_count
    cdef const int16_t[:, ::1] group_end = deal.group_end
    cdef const int32_t[::1] group_count = deal.group_count
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
    boards.group_end = <int16_t *>&group_end[0, 0]
    boards.group_count = <int32_t *>&group_count[0]
    boards.classes = NULL
    if deal.classes is not None:
        classes = deal.classes
        class_count = deal.class_count
        boards.classes = <int16_t *>&classes[0, 0]
        boards.class_count = <int32_t *>&class_count[0]
