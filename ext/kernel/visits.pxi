# The tree of boards and of betting lines.

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


cdef void average_values(const Pass *p, int r, int board, vec *value, Frame *f) noexcept nogil:
    """The same for all values of a board: best ones and, in mode measure, those of the own plan."""
    cdef const Boards *deal = &p.boards[r]
    cdef int first = 0
    while first < p.width and symmetric(deal, board):
        average_over_classes(p, deal, board, value + first, f)
        first += p.hands


cdef void pack(const Pass *p, int r, int block, const vec *leaves, vec *entries) noexcept nogil:
    """Leaves (leaves, hands) of a block to the entries (blocks, hands) of the next round's blocks that follow it."""
    cdef const Round *tree = &p.tree[r]
    cdef int hand, k, b, lines = tree.lines[block], blocks = tree.children[block]
    cdef real row[MAX_SEQUENCES * CFR_LANES]
    memset(row, 0, sizeof(row))
    cdef vec mask = first_lanes(lines)
    for hand in range(p.hands):
        for k in range(tree.leaves):
            store(row + k * lines, leaves[k * p.hands + hand] * mask)
        for b in range(blocks):
            entries[b * p.hands + hand] = load(row + b * CFR_LANES)


cdef void unpack_add(const Pass *p, int r, int block, const vec *entries, vec *leaves) noexcept nogil:
    """Add the entry values (blocks, hands) of the blocks that follow one to its leaves (leaves, hands)."""
    cdef const Round *tree = &p.tree[r]
    cdef int n, k, b, lines = tree.lines[block], blocks = tree.children[block]
    cdef real row[MAX_SEQUENCES * CFR_LANES]
    memset(row, 0, sizeof(row))
    cdef vec mask = first_lanes(lines)
    for n in range(p.width):
        for b in range(blocks):
            store(row + b * CFR_LANES, entries[b * p.width + n])
        for k in range(tree.leaves):
            leaves[k * p.width + n] += load(row + k * lines) * mask


cdef void visit_entry(const Pass *p, int r, int board, int first, int entry, double scale, bint fork,
                      const Frame *above, vec *value, int thread) noexcept nogil:
    visit(p, r, board, first + entry, NULL, above.entry_opponent + entry * p.hands, above.entry_own + entry * p.hands,
          value, scale, fork, thread)


cdef void visit_waiting(const Pass *p, int r, int first_board, int task, int first, int blocks, double scale,
                        const Frame *above, vec *waiting, int thread) noexcept nogil:
    cdef int board = first_board + task // blocks
    memset(<void *>waiting, 0, p.width * sizeof(vec))
    visit_entry(p, r, board, first, task % blocks, scale * p.boards[r].factor[board], False, above, waiting, thread)


cdef void children_repacked(const Pass *p, int r, int board, int above, double scale, bint fork, Frame *f,
                            int thread) noexcept nogil:
    """Visit the next round where the lines of a block are moved together; side by side if threads part here."""
    cdef const Boards *below = &p.boards[r + 1]
    cdef int first = p.boards[r].first_child[board], last = p.boards[r].first_child[board + 1]
    cdef int first_block = p.tree[r].child[above], blocks = p.tree[r].children[above]
    cdef int step = last - first if p.disjoint or p.mode != MODE_UPDATE else 1  # boards that may run side by side
    cdef int child, block, task, start, count
    pack(p, r, above, f.leaf_opponent, f.entry_opponent)
    if p.mode == MODE_UPDATE:
        pack(p, r, above, f.leaf_own, f.entry_own)
    memset(<void *>f.entry_value, 0, blocks * p.width * sizeof(vec))
    if fork and step * blocks > 1:
        child = first
        while child < last:
            start = 0
            while start < step * blocks:
                count = min(step * blocks - start, <int>BATCH)
                for task in prange(count, schedule="dynamic", chunksize=1, num_threads=p.threads):
                    visit_waiting(p, r + 1, child, start + task, first_block, blocks, scale, f,
                                  p.waiting + task * p.width, threadid())
                for task in range(count):
                    add(f.entry_value + (start + task) % blocks * p.width, p.waiting + task * p.width, p.width)
                start += count
            child += step
    else:
        for child in range(first, last):
            for block in range(blocks):
                visit_entry(p, r + 1, child, first_block, block, scale * below.factor[child], fork, f,
                            f.entry_value + block * p.width, thread)
    unpack_add(p, r, above, f.entry_value, f.leaf_value)


cdef int pack_lanes(const Pass *p, int r, int board, int block, Frame *f) noexcept nogil:
    """Gather the lanes of the leaves that the opponent reaches; how many vectors."""
    cdef const Round *tree = &p.tree[r]
    cdef const Boards *deal = &p.boards[r]
    cdef const int16_t *live = deal.live + <size_t>board * p.hands
    cdef int lives = deal.live_count[board], leaves = tree.leaves, hands = p.hands
    cdef real reached[CFR_LANES]
    cdef int32_t order[MAX_SEQUENCES * CFR_LANES]
    cdef int step = tree.lines[block] if tree.children[block] < leaves else <int>CFR_LANES  # from leaf to leaf
    cdef int k, n, i, j, lane, found = 0, vectors
    cdef vec sum
    cdef Lanes *lanes
    for k in range(leaves):
        sum = splat(0)
        for n in range(lives):
            sum += f.leaf_opponent[k * hands + live[n]]
        store(reached, sum)
        for lane in range(CFR_LANES):
            if reached[lane] != 0:
                order[found] = k * CFR_LANES + lane
                found += 1
    vectors = (found + CFR_LANES - 1) // CFR_LANES
    if vectors == tree.children[block]:  # nothing to leave out
        return vectors
    for j in range(vectors):
        lanes = &f.packed[j]
        lanes.size = min(found - j * CFR_LANES, <int>CFR_LANES)
        for i in range(CFR_LANES):
            lane = order[j * CFR_LANES + i] if i < lanes.size else order[0]
            k = lane // CFR_LANES
            lanes.leaf_lane[i] = lane % CFR_LANES
            lanes.place[i] = k * hands
            lanes.value_place[i] = k * p.width
            lane = k * step + lane % CFR_LANES
            lanes.block[i] = tree.child[block] + lane // CFR_LANES
            lanes.lane[i] = lane % CFR_LANES
        for n in range(lives):
            pick(f.packed_opponent + j * hands + live[n], f.leaf_opponent + live[n], lanes.place, lanes.leaf_lane, 1)
    if found < vectors * CFR_LANES:  # nobody is on the lanes that fill the last vector up
        for n in range(lives):
            f.packed_opponent[(vectors - 1) * hands + live[n]] *= first_lanes(found - (vectors - 1) * CFR_LANES)
    return vectors


cdef void children(const Pass *p, int r, int board, int block, double scale, bint fork, Frame *f,
                   int thread) noexcept nogil:
    """Visit the next round, where each leaf of a block has a block of its own or lines are moved together."""
    cdef const Round *tree = &p.tree[r]
    cdef int child, k
    if tree.children[block] < tree.leaves:
        children_repacked(p, r, board, block, scale, fork, f, thread)
        return
    for child in range(p.boards[r].first_child[board], p.boards[r].first_child[board + 1]):
        for k in range(tree.leaves):
            visit(p, r + 1, child, tree.child[block] + k, NULL, f.leaf_opponent + k * p.hands,
                  f.leaf_own + k * p.hands, f.leaf_value + k * p.width,
                  scale * p.boards[r + 1].factor[child], fork, thread)


cdef void children_packed(const Pass *p, int r, int board, int block, double scale, Frame *f,
                          int thread) noexcept nogil:
    """Visit the last round only on lines that the opponent reaches: a fixed strategy leaves many of them out."""
    cdef int child, j, n, hand, vectors = pack_lanes(p, r, board, block, f)
    if vectors == p.tree[r].children[block]:
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
                put_back(f.leaf_value + hand, f.packed_value + j * p.width + hand, lanes.value_place, lanes.leaf_lane,
                         lanes.size)
                hand += p.hands


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
    cdef lane_bits *chosen = NULL
    cdef bint met = False  # the opponent's choices
    cdef bint compared = last and mode >= MODE_BEST and seat.shape != GENERAL_ROUND  # by advantages (ext/best.h)
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
        chosen = p.chosen + (<size_t>(board % p.ends) * tree.blocks + block) * p.hands * n
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
        if compared:
            advantages_of(seat.shape == FIRST_TO_BET, f.chips,
                          sequences_of(p, r, 1 - p.seat, deal.rows[here + k], block, lanes, f.strategy, f.opponent_plan),
                          f.show_worth + k * ADVANTAGES, f.start_worth + k * ADVANTAGES, f.fold_worth + k * ADVANTAGES)
            continue
        plan_of(p, r, 1 - p.seat, deal.rows[here + k], block, lanes, f.strategy, f.opponent_plan)
        worths(seat, f.chips, f.opponent_plan, f.show_worth + k * seat.sequences,
               f.start_worth + k * seat.sequences, f.fold_worth + k * seat.fold_count)
        for n in range(tree.leaves):
            f.leaf_plan[k * tree.leaves + n] = f.opponent_plan[seat.leaf_opponent[n]]
    if mode == MODE_MEASURE and compared:
        for k in range(rows):
            scratch = f.own_plan + k * ADVANTAGES
            advantages_played(seat.shape == FIRST_TO_BET, sequences_of(p, r, p.seat, deal.rows[here + k], block, lanes,
                                                                       f.strategy, f.opponent_plan), scratch)
            f.fold_value[k] = dot(scratch, f.fold_worth + k * ADVANTAGES, ADVANTAGES)
    elif mode != MODE_BEST:
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
        if p.planned and p.tree[r + 1].leaves == 0 and not fork:
            children_packed(p, r, board, block, scale, f, thread)
        else:
            children(p, r, board, block, scale, fork, f, thread)
        for k in range(tree.leaves):
            average_values(p, r, board, f.leaf_value + k * p.width, f)

    if reached and met:
        if seat.shape != GENERAL_ROUND:  # constants, so that the compiler unrolls all loops over sequences
            meet_choices(p, board, chosen, reach, own_reach, value, f, 2, 1, FOUR_BETS)
        else:
            meet_choices(p, board, chosen, reach, own_reach, value, f, p.hole, seat.first, seat.sequences)
    elif reached and compared:
        sweep_best(p, r, board, reach, value, chosen, f)
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
