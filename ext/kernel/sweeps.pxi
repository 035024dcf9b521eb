# Values of all own hands on one board, from folds and from showdowns.

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


cdef void sum_reach(const Pass *p, int r, int board, const vec *reach, vec *by_cell, vec *by_part) noexcept nogil:
    """Reach of all hands of each cell, and of those of each part that hold its very card."""
    cdef const Boards *deal = &p.boards[r]
    cdef size_t here = <size_t>board * p.hands
    cdef const int16_t *live = deal.live + here
    cdef const int16_t *cell_end = deal.cell_end + here
    cdef const int16_t *parts = deal.by_size + here * p.hole
    cdef const int16_t *ends = deal.by_size_end + board * 52
    cdef const int16_t *hands = deal.part_hands + here * p.hole
    cdef int n = 0, cell = 0, part = 0, size, lives = deal.live_count[board]
    for size in range(1, 52):
        if ends[size] > part:
            sum_hands(by_part, parts + part, ends[size] - part, hands, reach, size)
            hands += (ends[size] - part) * size
            part = ends[size]
    while n < lives:
        by_cell[cell] = sum_of(live + n, cell_end[cell] - n, reach)
        n = cell_end[cell]
        cell += 1


cdef inline bint symmetric(const Boards *deal, int board) noexcept nogil:
    """Whether a suit symmetry of the board exchanges hands, so that it stands for its orbit."""
    return deal.classes != NULL and deal.class_count[board] < deal.live_count[board]


cdef void choose(const Seat *seat, const vec *gradient, lane_bits *chosen) noexcept nogil:
    """Lanes in which each sequence is played, one bit each, by a hand for which best_value left ``gradient``.

    Where actions are as good it calls: against lines that nobody takes, this is the strategy worth learning to beat.
    """
    cdef int node, first, call
    cdef lane_bits entered
    chosen[0] = ALL_LANES
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


cdef void choose_calls(const Seat *seat, int count, lane_bits *chosen) noexcept nogil:
    """The choices of ``count`` hands that always call."""
    cdef int n, node, first
    for n in range(count):
        memset(chosen, 0, seat.sequences * sizeof(lane_bits))
        chosen[0] = ALL_LANES
        for node in range(seat.nodes):
            chosen[seat.node_call[node]] = chosen[seat.node_parent[node]]
        chosen += seat.sequences


cdef void best_hands(const Seat *seat, int hole, const int16_t *live, const int16_t *alike, const int16_t *cards,
                     int count, const vec *even, const vec *worth, const vec *reach, vec *value,
                     lane_bits *chosen) noexcept nogil:
    """Best values of the own hands of a cell; ``cards`` says which rows of ``even`` belong to them.

    Of hands that are ``alike`` the first gets the sum: average_values will share it out.
    """
    cdef int n = 0, i, sequences = seat.sequences
    cdef vec gradient[MAX_SEQUENCES]
    while n < count:
        for i in range(sequences):
            gradient[i] = even[cards[n * hole] * sequences + i]
        if hole == 2:
            for i in range(sequences):
                gradient[i] += even[cards[2 * n + 1] * sequences + i]
            for i in range(seat.fold_count):
                gradient[seat.folds[i]] += reach[live[n]] * worth[i]
        value[live[n]] += best_value(seat, gradient) * splat(<real>alike[n])
        if chosen != NULL:
            choose(seat, gradient, chosen + n * sequences)
        n += alike[n]


cdef inline void earn(const Pass *p, const int16_t *part_slot, const int16_t *part_count, int start, int end,
                      const vec *even, Frame *f, int first, int sequences) noexcept nogil:
    """What the parts from ``start`` to ``end`` of a card win, given its ``even``, and in mode update their gradients."""
    cdef int n, active = sequences - first
    for n in range(start, end):
        f.part_value[n] = dot(f.own_plan + part_slot[n] * sequences + first, even, active)
        if p.last_mode == MODE_UPDATE:
            add_scaled(f.gradient + part_slot[n] * sequences + first, splat(<real>part_count[n]), even, active)


cdef void sweep_showdowns(const Pass *p, int r, int board, const vec *reach, const vec *own_reach, vec *value,
                          lane_bits *chosen, Frame *f, int hole, int first, int sequences) noexcept nogil:
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
    sum_reach(p, r, board, reach, f.cell_reach, f.part_reach)
    if p.last_mode == MODE_UPDATE:
        memset(<void *>f.row_opponent, 0, deal.row_count[board] * sizeof(vec))
    for i in range(active):
        running[i] = splat(0)
    k = 0
    for n in range(p.first_card, 52):
        sums = f.by_card + n * sequences + first
        weigh(sums, by_card + k, by_card_end[n] - k, f.part_reach, part_slot, f.start_worth + first, sequences, active)
        k = by_card_end[n]
        add_scaled(running, splat(<real>deal.suit_count[4 * board + (n & 3)]), sums, active)
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
                best_hands(seat, hole, live + start, deal.alike + here + start, hand_card + hole * start,
                           cell_end[n] - start, f.even, f.fold_worth + k * seat.fold_count, reach,
                           value, NULL if chosen == NULL else chosen + start * sequences)
                start = cell_end[n]
    if p.last_mode == MODE_BEST:
        return
    for n in range(deal.live_count[board]):
        hand = live[n]
        k = slot[hand]
        if hole == 2:  # two cards took away the hand itself twice
            planned[hand] += (f.part_value[hand_part[2 * n]] + f.part_value[hand_part[2 * n + 1]]
                              + reach[hand] * f.fold_value[k])
        else:
            planned[hand] += f.part_value[hand_part[n]]
        if p.last_mode == MODE_UPDATE:
            f.row_reach[k] += own_reach[hand]
    if p.last_mode == MODE_UPDATE and hole == 2:
        for k in range(deal.row_count[board]):
            for i in range(seat.fold_count):
                f.gradient[k * sequences + seat.folds[i]] += f.row_opponent[k] * f.fold_worth[k * seat.fold_count + i]


cdef void sweep_best(const Pass *p, int r, int board, const vec *reach, vec *value, lane_bits *chosen,
                     Frame *f) noexcept nogil:
    """The climb of sweep_showdowns for best responses in a round of four bets, by advantages instead of gradients."""
    cdef const Boards *deal = &p.boards[r]
    cdef size_t here = <size_t>board * p.hands
    cdef best_board b
    cdef bint measured = p.last_mode == MODE_MEASURE
    sum_reach(p, r, board, reach, f.cell_reach, f.part_reach)
    b.groups, b.first_card = deal.group_count[board], p.first_card
    b.live, b.slot, b.cell_end, b.alike = deal.live + here, deal.slot + here, deal.cell_end + here, deal.alike + here
    b.suit_count = deal.suit_count + 4 * board
    b.group_end, b.group_cards = deal.group_end + here, deal.group_cards + here
    b.card, b.card_end = deal.card + 2 * here, deal.card_end + 2 * here
    b.part_slot, b.hand_part, b.hand_card = deal.part_slot + 2 * here, deal.hand_part + 2 * here, deal.hand_card + 2 * here
    b.by_card, b.by_card_end = deal.by_card + 2 * here, deal.by_card_end + board * 52
    b.start, b.show, b.fold, b.plan, b.fold_value = f.start_worth, f.show_worth, f.fold_worth, f.own_plan, f.fold_value
    b.reach, b.cell_reach, b.part_reach = reach, f.cell_reach, f.part_reach
    b.sums, b.even, b.part_value = f.by_card, f.even, f.part_value
    best_of_board(&b, p.tree[r].seats[p.seat].shape == FIRST_TO_BET, symmetric(deal, board), value,
                  value + p.hands if measured else NULL, chosen)


cdef void meet_choices(const Pass *p, int board, const lane_bits *chosen, const vec *reach, const vec *own_reach,
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
            if any_nonzero(reach[live[n]]):
                show(seat.shape, ends, chosen + n * theirs, reach[live[n]], f.chips, worth,
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
