# Rows of the strategy table: realisation plans, what one opponent's hand of a row is worth, and updates.

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


cdef inline const vec *sequences_of(const Pass *p, int r, int seat, int row, int block, const Lanes *lanes,
                                    vec *strategy, vec *realisation) noexcept nogil:
    """The same but for sequence 0: where the table has it, if it has, else in ``realisation``."""
    cdef const Round *tree = &p.tree[r]
    if lanes == NULL and p.planned:
        return row_of(p.source[r][seat], tree, &tree.seats[seat], row, block) - 1
    plan_of(p, r, seat, row, block, lanes, strategy, realisation)
    return realisation


cdef inline vec chips_on(const vec *chips, int block, const Lanes *lanes) noexcept nogil:
    cdef vec picked
    if lanes == NULL:
        return chips[block]
    pick(&picked, chips, lanes.block, lanes.lane, 1)
    return picked


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
