/* One visit of a board by one block of betting lines, and the visits of all boards below: the steps of kernel.h.
 *
 * Threads take separate boards (when rows cannot collide) or separate blocks of lines; round/shares.h shares out the
 * work of one board.
 */
#ifndef CFR_VISIT_BOARD_H
#define CFR_VISIT_BOARD_H

#include "round/descend.h"
#include "round/hands.h"
#include "round/phases.h"
#include "round/strengths.h"
#include "round/symmetry.h"

static void visit_board(const traversal *t, place at, const vec *reach, const vec *traverser_reach, vec *value);

static void visit_entry(const visit *v, place at, int entry, vec *value) {
    const int hands = v->t->w.hands;
    visit_board(v->t, at, v->f->entry_opponent + entry * hands, v->f->entry_traverser + entry * hands, value);
}

/* Boards of the next round by threads: a task is a pair of a board, from `child` on, and an entry. With the round's last
 * board the values come to the leaves, unless a later piece adds to them. */
static void visit_side_by_side(const visit *v, int child, int boards_at_once) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block], tasks = boards_at_once * entries;
    const int ends_round = child + boards_at_once == end_of_children(v) && !is_in_pieces(v);
    for (int begin = 0; begin < tasks; begin += BATCH) {
        const int count = tasks - begin < BATCH ? tasks - begin : BATCH;
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->w.threads)
        for (int i = 0; i < count; i++) {
            const int entry = (begin + i) % entries;
            vec *value = t->w.waiting + (size_t)i * t->width;
            place at = place_below(v, child + (begin + i) / entries, entry);
            at.fork = 0;
            at.thread = omp_get_thread_num();
            memset((void *)value, 0, (size_t)t->width * sizeof(vec));
            visit_entry(v, at, entry, value);
        }
        add_waiting(v, begin, count, ends_round && begin + count == tasks);
    }
}

/* Visit the next round from a block whose lines move together; side by side if threads part here. */
static void descend_moved(const visit *v) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block], begin = first_child(v), end = end_of_children(v);
    const int at_once = t->disjoint || !learns(v->mode) ? end - begin : 1; /* boards that may run side by side */
    begin_values(v, v->f->entry_value);
    if (v->at.fork && at_once * entries > 1) {
        for (int child = begin; child < end; child += at_once)
            visit_side_by_side(v, child, at_once);
        if (!is_in_pieces(v))
            return;
    } else {
        for (int child = begin; child < end; child++)
            for (int entry = 0; entry < entries; entry++)
                visit_entry(v, place_below(v, child, entry), entry, v->f->entry_value + entry * t->width);
    }
    end_values(v, v->f->entry_value);
    share_out(v, t->width, unpack_values);
}

/* Visit the next round; each leaf of a block has a block of its own, or the lines move together. */
static void descend_blocks(const visit *v) {
    const int hands = v->t->w.hands;
    if (lines_move(v->tree, v->at.block)) {
        descend_moved(v);
        return;
    }
    begin_values(v, v->f->leaf_value);
    for (int child = first_child(v); child < end_of_children(v); child++)
        for (int k = 0; k < v->tree->leaves; k++)
            visit_board(v->t, place_below(v, child, k), v->f->leaf_opponent + k * hands,
                        v->f->leaf_traverser + k * hands, v->f->leaf_value + k * v->t->width);
    end_values(v, v->f->leaf_value);
}

/* Visit the last round only on lines that the opponent reaches: a fixed strategy leaves many lines out. */
static void descend_picked(const visit *v) {
    const traversal *t = v->t;
    const int vectors = pick_lanes(v);
    if (vectors == v->tree->children[v->at.block]) {
        if (lines_move(v->tree, v->at.block))
            pack_leaves(v, 0, *v->b.live_count);
        descend_blocks(v);
        return;
    }
    memset((void *)v->f->leaf_value, 0, (size_t)v->tree->leaves * t->width * sizeof(vec));
    memset((void *)v->f->picked_value, 0, (size_t)vectors * t->width * sizeof(vec));
    for (int child = first_child(v); child < end_of_children(v); child++)
        for (int j = 0; j < vectors; j++) {
            place at = place_below(v, child, 0);
            at.block = 0;
            at.lanes = &v->f->picked[j];
            visit_board(t, at, v->f->picked_opponent + j * t->w.hands, NULL, v->f->picked_value + j * t->width);
        }
    put_back_values(v, vectors);
}

/* Reach where the next round's blocks begin. */
static void reach_next(const visit *v, int begin, int end) {
    reach_leaves(v, begin, end);
    if (lines_move(v->tree, v->at.block))
        pack_leaves(v, begin, end);
}

/* Values of the leaves, from the next round; 0 if a later piece has to add to them first. */
static int descend(const visit *v) {
    const traversal *t = v->t;
    const int leaves = v->tree->leaves, next_is_last = v->at.round + 2 == t->w.rounds;
    if (t->planned && next_is_last && !v->at.fork && !is_in_pieces(v)) {
        reach_leaves(v, 0, *v->b.live_count);
        descend_picked(v);
    } else {
        share_out(v, *v->b.live_count, reach_next);
        descend_blocks(v);
    }
    if (is_in_pieces(v) && t->goes_on)
        return 0;
    for (int k = 0; k < leaves; k++)
        average_values(t, v->at.round, v->at.board, v->f->leaf_value + k * t->width, v->f);
    return 1;
}

/* Add to `value` the traverser's counterfactual values on one board and block of lines, or on picked lanes. */
static void visit_board(const traversal *t, place at, const vec *reach, const vec *traverser_reach, vec *value) {
    const frame *f = t->w.frames + at.thread * t->w.rounds + at.round;
    visit v = {.t = t, .at = at, .f = f, .reach = reach, .traverser_reach = traverser_reach, .value = value};
    if (!enter(&v))
        return;
    read_chips(&v);
    if (v.reached && has_own_rows(&v)) {
        update_hands(&v);
        return;
    }
    if (v.reached && has_strength_rows(&v)) {
        update_strengths(&v);
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
