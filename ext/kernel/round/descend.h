/* Steps on the way from a board to the boards of the next round and back, without the visits in between.
 *
 * Reach at the leaves has the shape (leaves, hands), values (blocks that follow, width). Values are added in board
 * order, so any number of threads computes the same bits.
 */
#ifndef CFR_DESCEND_H
#define CFR_DESCEND_H

#include "layout/known_counts.h"
#include "round/moved_lines.h"
#include "round/shares.h"

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
            v->f->leaf_traverser[k * hands + hand] =
                v->traverser_reach[hand]
                * v->f->traverser_plan[v->b.slot[hand] * v->traverser->sequences + v->traverser->leaf_traverser[k]];
        }
}

/* Add the values that wait to those of their entries, in the order of the tasks, and after the last task move the sums
 * to the leaves; threads share out the hands. */
static void add_waiting(const visit *v, int begin, int count, int is_last) {
    const traversal *t = v->t;
    const int entries = v->tree->children[v->at.block];
#pragma omp parallel for schedule(static) num_threads(t->w.threads)
    for (int first = 0; first < t->width; first += SHARE) {
        const int size = t->width - first < SHARE ? t->width - first : SHARE;
        for (int i = 0; i < count; i++)
            add(v->f->entry_value + (begin + i) % entries * t->width + first, t->w.waiting + i * t->width + first,
                size);
        if (is_last)
            unpack_values(v, first, first + size);
    }
}

#endif
