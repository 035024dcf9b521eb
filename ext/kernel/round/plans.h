/* Plans of rows: the strategy of a row, its realisation plan, and what an opponent's plan is worth to the traverser.
 *
 * A plan has the shape (sequences,): the product of a seat's own probabilities on the way to each sequence.
 */
#ifndef CFR_PLANS_H
#define CFR_PLANS_H

#include "round/known_shape.h"
#include "state/table_rows.h"

/* Regret matching at the node that begins with sequence `node_first`: the positive part of its entries, normalised, or
 * uniform if nothing is positive. A realisation is this strategy times the realisation `entered` of the node. */
UNROLLED void match_n(const vec *entries, int node_first, vec entered, vec *strategy, vec *realisation, int count) {
    const vec *actions = entries + node_first - 1;
    vec total = positive(actions[0]);
    for (int a = 1; a < count; a++)
        total += positive(actions[a]);
    const vec inverse = inverse_or_zero(total), uniform = where_not_positive(total, (real)1 / (real)count);
    for (int a = 0; a < count; a++) {
        vec probability = positive(actions[a]) * inverse + uniform;
        strategy[node_first + a] = probability;
        realisation[node_first + a] = entered * probability;
    }
}

/* Strategy and realisation plan of a row of regrets, sums or probabilities; the caller sets realisation[0], for the
 * empty sequence. */
UNROLLED void plan_nodes(const node_list nodes, const vec *row, vec *strategy, vec *realisation) {
    UNROLL for (int node = 0; node < nodes.count; node++) {
        const int first = nodes.first[node], actions = nodes.actions[node];
        const vec entered = realisation[nodes.parent[node]];
        if (actions == 2)
            match_n(row, first, entered, strategy, realisation, 2);
        else if (actions == 3)
            match_n(row, first, entered, strategy, realisation, 3);
        else
            match_n(row, first, entered, strategy, realisation, actions);
    }
}
static void plan_row(const seat_view *seat, table_row row, vec *strategy, vec *realisation) {
    vec scratch[MAX_SEQUENCES];
    const vec *entries = read_row(row, seat->sequences - 1, scratch);
    realisation[0] = splat(1);
    switch (seat->order) {
    case FIRST_TO_ACT: plan_nodes(known_nodes(&OF_FIRST), entries, strategy, realisation); break;
    case SECOND_TO_ACT: plan_nodes(known_nodes(&OF_SECOND), entries, strategy, realisation); break;
    default: plan_nodes(nodes_of(seat), entries, strategy, realisation);
    }
}

/* Realisation plan of a row of a seat's table, and the strategy, unless the table holds plans. */
static inline void plan_of(const traversal *t, const place *at, int seat, int row, vec *strategy, vec *realisation) {
    const betting *tree = &t->w.tree[at->round];
    const seat_view *view = &tree->seats[seat];
    const int entries = view->sequences - 1;
    const table_row found = row_at(t, t->source[at->round][seat], tree, view, row, at->lanes ? 0 : at->block);
    realisation[0] = splat(1);
    if (at->lanes)
        read_picked(found, entries, at->lanes, realisation + 1);
    else if (t->planned) {
        const vec *plan = read_row(found, entries, realisation + 1);
        if (plan != realisation + 1)
            memcpy((void *)(realisation + 1), plan, (size_t)entries * sizeof(vec));
    } else
        plan_row(view, found, strategy, realisation);
}

/* The same without sequence 0: in the table itself if the table holds plain plans, else in `realisation`. */
static inline const vec *played_of(const traversal *t, const place *at, int seat, int row, vec *strategy,
                                   vec *realisation) {
    const betting *tree = &t->w.tree[at->round];
    if (!at->lanes && t->planned) {
        const seat_view *view = &tree->seats[seat];
        return read_row(row_at(t, t->source[at->round][seat], tree, view, row, at->block), view->sequences - 1,
                        realisation + 1)
               - 1;
    }
    plan_of(t, at, seat, row, strategy, realisation);
    return realisation;
}

/* The chips of a terminal, given the chips on all blocks. */
static inline vec chips_on(const vec *chips, const place *at) {
    vec picked;
    if (!at->lanes)
        return chips[at->block];
    pick(&picked, chips, at->lanes->block, at->lanes->lane, 1);
    return picked;
}

/* The worth of one of the opponent's hands with this plan to each of the traverser's sequences; `chips` holds chips of
 * showdowns, then of folds. A sequence leads to at most one showdown and one fold: the opponent's answers. Only rounds
 * with showdowns read `show` and `start`. */
static void worths_of(const seat_view *seat, const vec *chips, const vec *plan, vec *show, vec *start, vec *fold) {
    for (int i = 0; i < seat->fold_count; i++)
        fold[i] = chips[seat->shows + i] * plan[seat->fold_opponent[i]];
    if (!seat->shows)
        return;
    for (int i = 0; i < seat->sequences; i++)
        show[i] = start[i] = (vec){0};
    for (int i = 0; i < seat->shows; i++) {
        vec x = chips[i] * plan[seat->show_opponent[i]];
        show[seat->show_traverser[i]] = x;
        start[seat->show_traverser[i]] = (vec){0} - x;
    }
    for (int i = 0; i < seat->fold_count; i++)
        start[seat->folds[i]] += fold[i];
}

#endif
