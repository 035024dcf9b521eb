/* The step from a board to the boards of the next round, and its threads.
 *
 * Threads take separate boards (when rows cannot collide) or separate blocks of lines; shares.h shares out the work of
 * one board. Values are added in board order, so any number of threads computes the same bits.
 */
#ifndef CFR_DESCEND_H
#define CFR_DESCEND_H

#include "lanes.h"
#include "shares.h"
#include "symmetry.h"

static void visit_board(const traversal *t, place at, const vec *reach, const vec *own_reach, vec *value);

/* The place in the next round: board `child` and number `entry` of the blocks that follow. */
static inline place place_below(const visit *v, int child, int entry) {
    place at = v->at;
    at.round++;
    at.board = child;
    at.block = v->tree->child[v->at.block] + entry;
    at.lanes = NULL;
    at.scale *= v->t->deal[at.round].factor[child];
    return at;
}

static inline int first_child(const visit *v) { return v->b.first_child[0]; }
static inline int end_of_children(const visit *v) { return v->b.first_child[1]; }

/* Whether the boards of the next round come in pieces, one run each: values then pass from piece to piece. */
static inline int is_in_pieces(const visit *v) { return v->t->carried && v->at.round == v->t->first_round; }

static inline vec *carried_to(const visit *v) { return v->t->carried + v->tree->child[v->at.block] * v->t->width; }

static inline size_t bytes_below(const visit *v) {
    return (size_t)v->tree->children[v->at.block] * v->t->width * sizeof(vec);
}

/* Values of the blocks that follow, before the first board of this run is added. */
static void begin_values(const visit *v, vec *values) {
    if (is_in_pieces(v))
        memcpy((void *)values, carried_to(v), bytes_below(v));
    else
        memset((void *)values, 0, bytes_below(v));
}

static void end_values(const visit *v, const vec *values) {
    if (is_in_pieces(v))
        memcpy((void *)carried_to(v), values, bytes_below(v));
}

static void visit_entry(const visit *v, place at, int entry, vec *value) {
    const int hands = v->t->w.hands;
    visit_board(v->t, at, v->f->entry_opponent + entry * hands, v->f->entry_own + entry * hands, value);
}

/* Add the values that wait to those of their entries, in the order of the tasks; threads share out the hands. */
static void add_waiting(const visit *v, int begin, int count) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block];
#pragma omp parallel for schedule(static) num_threads(t->w.threads)
    for (int first = 0; first < t->width; first += SHARE) {
        const int size = t->width - first < SHARE ? t->width - first : SHARE;
        for (int i = 0; i < count; i++)
            add(v->f->entry_value + (begin + i) % entries * t->width + first, t->w.waiting + i * t->width + first,
                size);
    }
}

/* Boards of the next round by threads: a task is a pair of a board, from `child` on, and an entry. */
static void visit_side_by_side(const visit *v, int child, int boards_at_once) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block], tasks = boards_at_once * entries;
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
        add_waiting(v, begin, count);
    }
}

/* Visit the next round from a block whose lines move together; side by side if threads part here. */
static void descend_moved(const visit *v) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block], begin = first_child(v), end = end_of_children(v);
    const int at_once = t->disjoint || !learns(v->mode) ? end - begin : 1; /* boards that may run side by side */
    share_out(v, t->w.hands, pack_leaves);
    begin_values(v, v->f->entry_value);
    if (v->at.fork && at_once * entries > 1)
        for (int child = begin; child < end; child += at_once)
            visit_side_by_side(v, child, at_once);
    else
        for (int child = begin; child < end; child++)
            for (int entry = 0; entry < entries; entry++)
                visit_entry(v, place_below(v, child, entry), entry, v->f->entry_value + entry * t->width);
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
            visit_board(v->t, place_below(v, child, k), v->f->leaf_opponent + k * hands, v->f->leaf_own + k * hands,
                        v->f->leaf_value + k * v->t->width);
    end_values(v, v->f->leaf_value);
}

/* Visit the last round only on lines that the opponent reaches: a fixed strategy leaves many lines out. */
static void descend_picked(const visit *v) {
    const traversal *t = v->t;
    const int vectors = pick_lanes(v);
    if (vectors == v->tree->children[v->at.block]) {
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

/* Reach of live hands at the leaves: the opponent's, and the traverser's own if it learns. */
static void reach_leaves(const visit *v, int begin, int end) {
    const int hands = v->t->w.hands, leaves = v->tree->leaves;
    for (int k = 0; k < leaves; k++)
        for (int n = begin; n < end; n++) {
            const int hand = v->b.live[n];
            v->f->leaf_opponent[k * hands + hand] =
                v->reached ? v->reach[hand] * v->f->leaf_plan[v->b.slot[hand] * leaves + k] : v->reach[hand];
        }
    if (!learns(v->mode))
        return;
    for (int k = 0; k < leaves; k++)
        for (int n = begin; n < end; n++) {
            const int hand = v->b.live[n];
            v->f->leaf_own[k * hands + hand] =
                v->own_reach[hand] * v->f->own_plan[v->b.slot[hand] * v->own->sequences + v->own->leaf_own[k]];
        }
}

/* Values of the leaves, from the next round; 0 if a later piece has to add to them first. */
static int descend(const visit *v) {
    const traversal *t = v->t;
    const int leaves = v->tree->leaves, next_is_last = v->at.round + 2 == t->w.rounds;
    share_out(v, *v->b.live_count, reach_leaves);
    if (t->planned && next_is_last && !v->at.fork && !is_in_pieces(v))
        descend_picked(v);
    else
        descend_blocks(v);
    if (is_in_pieces(v) && t->goes_on)
        return 0;
    for (int k = 0; k < leaves; k++)
        average_values(t, v->at.round, v->at.board, v->f->leaf_value + k * t->width, v->f);
    return 1;
}

#endif
