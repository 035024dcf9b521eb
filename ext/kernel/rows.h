/* Work done once for a row of the table: its plan, the worth of the row's hands to the traverser, the row's update. */
#ifndef CFR_ROWS_H
#define CFR_ROWS_H

#include "columns.h"
#include "tables.h"

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

/* A seat's nodes in preorder, as in seat_view; constants if the shape of the round is known. */
typedef struct {
    int count;
    const int32_t *parent, *first, *actions;
} node_list;

UNROLLED node_list nodes_of(const seat_view *seat) {
    return (node_list){seat->nodes, seat->node_parent, seat->node_first, seat->node_count};
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
    realisation[0] = splat(1);
    plan_nodes(nodes_of(seat), read_row(row, seat->sequences - 1, scratch), strategy, realisation);
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
        show[seat->show_own[i]] = x;
        start[seat->show_own[i]] = (vec){0} - x;
    }
    for (int i = 0; i < seat->fold_count; i++)
        start[seat->folds[i]] += fold[i];
}

/* Input and output of update_nodes(). */
typedef struct {
    const vec *strategy, *realisation; /* (sequences,) */
    vec *gradient;                     /* (sequences,) used up */
    vec reach;                         /* of the row's hands, times the weight of the average */
    vec *regrets;                      /* (sequences - 1,) */
    vec *accumulated, *average;        /* the same, or NULL */
} row_update;

/* Factors on regrets by their sign. */
typedef struct {
    vec positive, negative;
} kept_shares;

static inline kept_shares shares_kept(const traversal *t) {
    return (kept_shares){splat(t->keep_positive), splat(t->keep_negative)};
}

static inline vec kept_of(vec regret, kept_shares kept) {
    const vec gained = positive(regret);
    return gained * kept.positive + (regret - gained) * kept.negative;
}

/* Roll the gradient up into regrets, discounted by sign, and the weighted average strategy; gradient[0] then holds the
 * value at entry.
 *
 * `regrets` are accumulated regrets plus this traversal's if the former are separate (predictive regret matching+). */
UNROLLED void update_nodes(const traversal *t, const node_list nodes, const row_update u) {
    const kept_shares kept = shares_kept(t);
    UNROLL for (int node = nodes.count - 1; node >= 0; node--) {
        const int begin = nodes.first[node], end = begin + nodes.actions[node];
        vec value = {0};
        for (int a = begin; a < end; a++)
            value += u.strategy[a] * u.gradient[a];
        for (int a = begin; a < end; a++) {
            if (!u.accumulated) {
                u.regrets[a - 1] = kept_of(u.regrets[a - 1] + u.gradient[a] - value, kept);
            } else {
                vec gained = positive(u.accumulated[a - 1] + u.gradient[a] - value);
                u.accumulated[a - 1] = gained;
                u.regrets[a - 1] = gained + (u.gradient[a] - value);
            }
        }
        if (u.average)
            for (int a = begin; a < end; a++)
                u.average[a - 1] += u.reach * u.realisation[a];
        u.gradient[nodes.parent[node]] += value;
    }
}

/* The traverser's rows in the tables, for one hand or for all hands that share the row. */
typedef struct {
    table_row regrets, accumulated, average; /* the last two may have no entries */
} own_rows;

static inline own_rows own_rows_at(const traversal *t, const place *at, int row) {
    const betting *tree = &t->w.tree[at->round];
    const seat_view *own = &tree->seats[t->seat];
    own_rows found = {
        .regrets = row_at(t, t->source[at->round][t->seat], tree, own, row, at->block),
        .accumulated = row_at(t, t->accumulated[at->round], tree, own, row, at->block),
        .average = row_at(t, t->average[at->round], tree, own, row, at->block),
    };
    if (found.regrets.numbers == INT8)
        found.average.numbers = found.accumulated.numbers = UINT8; /* never negative */
    found.average.seed = ~found.regrets.seed; /* regrets and average round independently */
    found.accumulated.seed = scrambled(found.regrets.seed);
    return found;
}

/* update_nodes() on rows of tables; the caller sets all other members of `u`. */
static void update_row(const traversal *t, const seat_view *seat, const own_rows rows, row_update u) {
    vec regrets[MAX_SEQUENCES], accumulated[MAX_SEQUENCES], average[MAX_SEQUENCES];
    const int count = seat->sequences - 1;
    u.regrets = read_row(rows.regrets, count, regrets);
    if (rows.accumulated.entries)
        u.accumulated = read_row(rows.accumulated, count, accumulated);
    if (rows.average.entries)
        u.average = read_row(rows.average, count, average);
    update_nodes(t, nodes_of(seat), u);
    write_row(rows.regrets, count, u.regrets);
    if (rows.accumulated.entries)
        write_row(rows.accumulated, count, u.accumulated);
    if (rows.average.entries)
        write_row(rows.average, count, u.average);
}

#endif
