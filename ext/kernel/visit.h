/* One visit of a board by one block of betting lines: the steps of kernel.h. */
#ifndef CFR_VISIT_H
#define CFR_VISIT_H

#include "climb.h"
#include "descend.h"
#include "folds.h"
#include "hands.h"
#include "rows.h"

/* Set up a visit; 0 if the visit has nothing to do. */
static int enter(visit *v) {
    const traversal *t = v->t;
    v->tree = &t->w.tree[v->at.round];
    v->own = &v->tree->seats[t->seat];
    v->opponent = &v->tree->seats[1 - t->seat];
    v->b = board_at(&t->deal[v->at.round], v->at.board, t->w.hands);
    v->is_last = v->at.round == t->w.rounds - 1;
    v->mode = mode_in_round(t->mode, v->is_last);
    v->by_advantage = v->is_last && takes_best(v->mode) && v->own->shape != ANY_SHAPE;
    for (int n = 0; n < *v->b.live_count && !v->reached; n++)
        v->reached = any_nonzero(v->reach[v->b.live[n]]);
    if (v->mode == MEET || v->mode == RESPOND) {
        const int sequences = (v->mode == MEET ? v->opponent : v->own)->sequences;
        const size_t place = (size_t)(v->at.board % t->ends) * v->tree->blocks + v->at.block;
        v->chosen = t->w.chosen + place * t->w.hands * sequences;
        if (!v->reached && v->mode == RESPOND)
            choose_calls(v->own, *v->b.live_count, v->chosen);
    }
    return v->reached || learns(v->mode);
}

static inline void prefetch_entries(void *table, const visit *v, const seat_view *seat, int k) {
    if (table && k < *v->b.row_count)
        prefetch_row(row_at(v->t, table, v->tree, seat, v->b.rows[k], v->at.block), seat->sequences - 1);
}

static inline void prefetch_sums(const visit *v, int k) {
    prefetch_entries(v->t->average[v->at.round], v, v->own, k);
    prefetch_entries(v->t->accumulated[v->at.round], v, v->own, k);
}

/* Prefetch the table rows of row number `k` of the board, and the opponent's rows some places later. */
static inline void prefetch_tables(const visit *v, int k) {
    const traversal *t = v->t;
    const int round = v->at.round;
    if (!v->at.lanes) {
        if (v->mode != MEET)
            prefetch_entries(t->source[round][1 - t->seat], v, v->opponent, k + PREFETCH_ROWS);
        if (plays_plan(v->mode))
            prefetch_entries(t->source[round][t->seat], v, v->own, k);
    }
    if (learns(v->mode))
        prefetch_sums(v, k);
}

/* The worth to the traverser of one hand of the opponent's row number `k`, and the row's plan at the leaves. */
static inline void read_opponent_row(const visit *v, int k) {
    const frame *f = v->f;
    const seat_view *own = v->own;
    const int row = v->b.rows[k], seat = 1 - v->t->seat, leaves = v->tree->leaves;
    vec strategy[MAX_SEQUENCES], scratch[MAX_SEQUENCES];
    if (v->by_advantage) {
        const vec *plan = played_of(v->t, &v->at, seat, row, strategy, scratch);
        advantages_of(own->shape, f->chips, plan, f->show_worth + k * ADVANTAGES, f->start_worth + k * ADVANTAGES,
                      f->fold_worth + k * ADVANTAGES);
        return;
    }
    plan_of(v->t, &v->at, seat, row, strategy, scratch);
    worths_of(own, f->chips, scratch, f->show_worth + k * own->sequences, f->start_worth + k * own->sequences,
              f->fold_worth + k * own->fold_count);
    for (int i = 0; i < leaves; i++)
        f->leaf_plan[k * leaves + i] = scratch[own->leaf_opponent[i]];
}

/* The chips of showdowns, then of folds, times the probability of the board. */
static void read_chips(const visit *v) {
    const seat_view *own = v->own;
    const vec scale = splat((real)v->at.scale);
    for (int i = 0; i < own->shows; i++)
        v->f->chips[i] = chips_on(own->show_chips + i * v->tree->blocks, &v->at) * scale;
    for (int i = 0; i < own->fold_count; i++)
        v->f->chips[own->shows + i] = chips_on(own->fold_chips + i * v->tree->blocks, &v->at) * scale;
}

static void read_opponent(const visit *v, int begin, int end) {
    for (int k = begin; k < end; k++) {
        prefetch_tables(v, k);
        if (v->reached && v->mode != MEET)
            read_opponent_row(v, k);
    }
}

/* The traverser's own plan, and the worth of folds to this plan. */
static void read_own(const visit *v, int begin, int end) {
    const frame *f = v->f;
    const seat_view *own = v->own;
    const int seat = v->t->seat;
    vec strategy[MAX_SEQUENCES], scratch[MAX_SEQUENCES];
    for (int k = begin; k < end; k++) {
        if (v->by_advantage) {
            vec *plan = f->own_plan + k * ADVANTAGES;
            advantages_played(own->shape, played_of(v->t, &v->at, seat, v->b.rows[k], strategy, scratch), plan);
            f->fold_value[k] = dot_n(plan, f->fold_worth + k * ADVANTAGES, ADVANTAGES);
            continue;
        }
        vec *plan = f->own_plan + k * own->sequences, value = {0};
        plan_of(v->t, &v->at, seat, v->b.rows[k], f->strategy + k * own->sequences, plan);
        if (v->mode == MEET)
            continue;
        for (int i = 0; i < own->fold_count; i++)
            value += plan[own->folds[i]] * f->fold_worth[k * own->fold_count + i];
        f->fold_value[k] = value;
    }
}

/* Add gradients of the board's rows to their regrets, and their reach to the average strategy. */
static void update_rows(const visit *v, int begin, int end) {
    const traversal *t = v->t;
    const int sequences = v->own->sequences;
    const vec weight = splat(t->weight * (real)v->at.scale);
    for (int k = begin; k < end; k++) {
        const row_update u = {
            .strategy = v->f->strategy + k * sequences,
            .realisation = v->f->own_plan + k * sequences,
            .gradient = v->f->gradient + k * sequences,
            .reach = v->f->row_reach[k] * weight,
        };
        update_row(t, v->own, own_rows_at(t, &v->at, v->b.rows[k]), u);
    }
}

/* Step 1. */
static void read_rows(const visit *v) {
    const int rows = *v->b.row_count;
    share_out(v, rows, read_opponent);
    if (plays_plan(v->mode))
        share_out(v, rows, read_own);
    if (learns(v->mode)) {
        memset((void *)v->f->gradient, 0, (size_t)rows * v->own->sequences * sizeof(vec));
        memset((void *)v->f->row_reach, 0, (size_t)rows * sizeof(vec));
    }
}

/* Step 3. */
static void sweep(const visit *v) {
    if (v->reached && v->own->shows)
        climb_showdowns(v);
    else if (v->reached)
        sweep_folds(v);
    else
        for (int n = 0; n < *v->b.own_count; n++)
            v->f->row_reach[v->b.slot[v->b.live[n]]] += v->own_reach[v->b.live[n]];
}

/* Add to `value` the traverser's counterfactual values on one board and block of lines, or on picked lanes. */
static void visit_board(const traversal *t, place at, const vec *reach, const vec *own_reach, vec *value) {
    const frame *f = t->w.frames + at.thread * t->w.rounds + at.round;
    visit v = {.t = t, .at = at, .f = f, .reach = reach, .own_reach = own_reach, .value = value};
    if (!enter(&v))
        return;
    read_chips(&v);
    if (v.reached && has_own_rows(&v)) {
        update_hands(&v);
        return;
    }
    read_rows(&v);
    if (v.tree->leaves && !descend(&v))
        return;
    sweep(&v);
    if (learns(v.mode))
        share_out(&v, *v.b.row_count, update_rows);
}

#endif
