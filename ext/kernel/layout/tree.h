/* The betting of a game, round by round, in the layout of cfr/kernel/tree.py, which describes each array.
 *
 * All boards of a round see this betting, so the tree is small and stays in the nearest cache.
 */
#ifndef CFR_TREE_H
#define CFR_TREE_H

#include "lanes/vector.h"

enum {
    MAX_ROUNDS = 8,
    MAX_SEQUENCES = 64, /* of a seat in a round */
    MAX_HANDS = 1326,
};

/* One round as the traverser sees it; the other seat is the opponent. */
typedef struct {
    int nodes, sequences, shows, fold_count;
    int skipped; /* 1 where no terminal belongs to the empty sequence, else 0 */
    int shape;   /* of a round with showdowns, see layout/four_bets.h */
    int order;   /* the same of the nodes alone, in any round */
    const int32_t *node_parent, *node_first, *node_count, *node_call;
    const int32_t *show_traverser, *show_opponent; /* (shows,) */
    const int32_t *folds, *fold_opponent;          /* (fold_count,) */
    const int32_t *leaf_traverser, *leaf_opponent; /* (leaves of the round,) */
    const vec *show_chips;                         /* (shows, blocks) */
    const vec *fold_chips;                         /* (fold_count, blocks) */
} seat_view;

typedef struct {
    int blocks, leaves;
    int width;             /* numbers of a table's entry: the most lines of a block */
    const lane_words *ids; /* (blocks,) numbers of the lines */
    seat_view seats[2];
    const int32_t *lines;    /* (blocks,) lines in each block: its first lanes */
    const int32_t *child;    /* (blocks,) first block of the next round where these lines go on */
    const int32_t *children; /* (blocks,) number of such blocks: one for each leaf, or fewer if lines move together */
} betting;

static inline int largest(int a, int b) { return a > b ? a : b; }

/* Whether the lines of all leaves of a block move together into fewer blocks; if not, each leaf has its own block. */
static inline int lines_move(const betting *tree, int block) { return tree->children[block] < tree->leaves; }

#endif
