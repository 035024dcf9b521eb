/* The phases of a visit: set up, read the rows, sweep the hands, update the rows.
 *
 * round/visit_board.h puts the phases of one board together; round/batch.h runs each phase for all boards of a batch.
 */
#ifndef CFR_PHASES_H
#define CFR_PHASES_H

#include "round/climb.h"
#include "round/folds.h"
#include "round/updates.h"

/* Set up a visit; 0 if the visit has nothing to do. */
static int enter(visit *v) {
    const traversal *t = v->t;
    v->tree = &t->w.tree[v->at.round];
    v->traverser = &v->tree->seats[t->seat];
    v->opponent = &v->tree->seats[1 - t->seat];
    v->b = board_at(&t->deal[v->at.round], v->at.board, t->w.hands);
    v->is_last = v->at.round == t->w.rounds - 1;
    v->mode = mode_in_round(t->mode, v->is_last);
    v->by_advantage = v->is_last && takes_best(v->mode) && v->traverser->shape != ANY_SHAPE;
    for (int n = 0; n < *v->b.live_count && !v->reached; n++)
        v->reached = any_nonzero(v->reach[v->b.live[n]]);
    if (v->mode == MEET || v->mode == RESPOND) {
        const int sequences = (v->mode == MEET ? v->opponent : v->traverser)->sequences;
        const size_t place = (size_t)(v->at.board % t->ends) * v->tree->blocks + v->at.block;
        v->chosen = t->w.chosen + place * t->w.hands * sequences;
        if (!v->reached && v->mode == RESPOND)
            choose_calls(v->traverser, *v->b.live_count, v->chosen);
    }
    return v->reached || learns(v->mode);
}

static inline void prefetch_entries(void *table, const visit *v, const seat_view *seat, int k) {
    if (table && k < *v->b.row_count)
        prefetch_row(row_at(v->t, table, v->tree, seat, v->b.rows[k], v->at.block), seat->sequences - 1);
}

static inline void prefetch_sums(const visit *v, int k) {
    prefetch_entries(v->t->average[v->at.round], v, v->traverser, k);
    prefetch_entries(v->t->accumulated[v->at.round], v, v->traverser, k);
}

/* Prefetch the table rows of row number `k` of the board, and the opponent's rows some places later. */
static inline void prefetch_tables(const visit *v, int k) {
    const traversal *t = v->t;
    const int round = v->at.round;
    if (!v->at.lanes) {
        if (v->mode != MEET)
            prefetch_entries(t->source[round][1 - t->seat], v, v->opponent, k + PREFETCH_ROWS);
        if (plays_plan(v->mode))
            prefetch_entries(t->source[round][t->seat], v, v->traverser, k);
    }
    if (learns(v->mode))
        prefetch_sums(v, k);
}

/* The worth to the traverser of one hand of the opponent's row number `k`, and the row's plan at the leaves. */
static inline void read_opponent_row(const visit *v, int k) {
    const frame *f = v->f;
    const seat_view *traverser = v->traverser;
    const int row = v->b.rows[k], seat = 1 - v->t->seat, leaves = v->tree->leaves;
    vec strategy[MAX_SEQUENCES], scratch[MAX_SEQUENCES];
    if (v->by_advantage) {
        const vec *plan = played_of(v->t, &v->at, seat, row, strategy, scratch);
        advantages_of(traverser->shape, f->chips, plan, f->show_worth + k * ADVANTAGES, f->start_worth + k * ADVANTAGES,
                      f->fold_worth + k * ADVANTAGES);
        return;
    }
    plan_of(v->t, &v->at, seat, row, strategy, scratch);
    worths_of(traverser, f->chips, scratch, f->show_worth + k * traverser->sequences,
              f->start_worth + k * traverser->sequences, f->fold_worth + k * traverser->fold_count);
    for (int i = 0; i < leaves; i++)
        f->leaf_plan[k * leaves + i] = scratch[traverser->leaf_opponent[i]];
}

/* The chips of showdowns, then of folds, times the probability of the board. */
static void read_chips(const visit *v) {
    const seat_view *traverser = v->traverser;
    const vec scale = splat((real)v->at.scale);
    for (int i = 0; i < traverser->shows; i++)
        v->f->chips[i] = chips_on(traverser->show_chips + i * v->tree->blocks, &v->at) * scale;
    for (int i = 0; i < traverser->fold_count; i++)
        v->f->chips[traverser->shows + i] = chips_on(traverser->fold_chips + i * v->tree->blocks, &v->at) * scale;
}

static void read_opponent(const visit *v, int begin, int end) {
    for (int k = begin; k < end; k++) {
        prefetch_tables(v, k);
        if (v->reached && v->mode != MEET)
            read_opponent_row(v, k);
    }
}

/* The traverser's own plan, and the worth of folds to this plan. */
static void read_traverser(const visit *v, int begin, int end) {
    const frame *f = v->f;
    const seat_view *traverser = v->traverser;
    const int seat = v->t->seat;
    vec strategy[MAX_SEQUENCES], scratch[MAX_SEQUENCES];
    for (int k = begin; k < end; k++) {
        if (v->by_advantage) {
            vec *plan = f->traverser_plan + k * ADVANTAGES;
            advantages_played(traverser->shape, played_of(v->t, &v->at, seat, v->b.rows[k], strategy, scratch), plan);
            f->fold_value[k] = dot_n(plan, f->fold_worth + k * ADVANTAGES, ADVANTAGES);
            continue;
        }
        vec *plan = f->traverser_plan + k * traverser->sequences, value = {0};
        plan_of(v->t, &v->at, seat, v->b.rows[k], f->strategy + k * traverser->sequences, plan);
        if (v->mode == MEET)
            continue;
        for (int i = 0; i < traverser->fold_count; i++)
            value += plan[traverser->folds[i]] * f->fold_worth[k * traverser->fold_count + i];
        f->fold_value[k] = value;
    }
}

/* Add gradients of the board's rows to their regrets, and their reach to the average strategy. */
static void update_rows(const visit *v, int begin, int end) {
    const traversal *t = v->t;
    const int sequences = v->traverser->sequences;
    const vec weight = splat(t->weight * (real)v->at.scale);
    for (int k = begin; k < end; k++) {
        const row_update u = {
            .strategy = v->f->strategy + k * sequences,
            .realisation = v->f->traverser_plan + k * sequences,
            .gradient = v->f->gradient + k * sequences,
            .reach = v->f->row_reach[k] * weight,
        };
        update_row(t, v->traverser, traverser_rows_at(t, &v->at, v->b.rows[k]), u);
    }
}

/* Both seats' rows, and room for what they learn. */
static void read_both(const visit *v, int begin, int end) {
    const int sequences = v->traverser->sequences;
    read_opponent(v, begin, end);
    if (plays_plan(v->mode))
        read_traverser(v, begin, end);
    if (learns(v->mode)) {
        memset((void *)(v->f->gradient + begin * sequences), 0, (size_t)(end - begin) * sequences * sizeof(vec));
        memset((void *)(v->f->row_reach + begin), 0, (size_t)(end - begin) * sizeof(vec));
    }
}

/* Step 1. */
static void read_rows(const visit *v) { share_out(v, *v->b.row_count, read_both); }

/* Step 3. */
static void sweep(const visit *v) {
    if (v->reached && v->traverser->shows)
        climb_showdowns(v);
    else if (v->reached)
        sweep_folds(v);
    else
        for (int n = 0; n < *v->b.own_count; n++)
            v->f->row_reach[v->b.slot[v->b.live[n]]] += v->traverser_reach[v->b.live[n]];
}

#endif
