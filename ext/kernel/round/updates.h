/* Updates of rows: the gradient of a row's sequences becomes regrets and the average strategy.
 *
 * Gradients, strategies and plans have the shape (sequences,), a row's regrets and averages (sequences - 1,).
 */
#ifndef CFR_UPDATES_H
#define CFR_UPDATES_H

#include "round/plans.h"

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

/* update_nodes() on rows of tables; the caller sets all other members of `u`. */
static void update_row(const traversal *t, const seat_view *seat, const traverser_rows rows, row_update u) {
    vec regrets[MAX_SEQUENCES], accumulated[MAX_SEQUENCES], average[MAX_SEQUENCES];
    const int count = seat->sequences - 1;
    u.regrets = read_row(rows.regrets, count, regrets);
    if (rows.accumulated.entries)
        u.accumulated = read_row(rows.accumulated, count, accumulated);
    if (rows.average.entries)
        u.average = read_row(rows.average, count, average);
    switch (seat->order) {
    case FIRST_TO_ACT: update_nodes(t, known_nodes(&OF_FIRST), u); break;
    case SECOND_TO_ACT: update_nodes(t, known_nodes(&OF_SECOND), u); break;
    default: update_nodes(t, nodes_of(seat), u);
    }
    write_row(rows.regrets, count, u.regrets);
    if (rows.accumulated.entries)
        write_row(rows.accumulated, count, u.accumulated);
    if (rows.average.entries)
        write_row(rows.average, count, u.average);
}

#endif
