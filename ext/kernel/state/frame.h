/* Scratch of one thread for one round of the game, and its layout: a vector of lines for each hand, row or card.
 *
 * Every visit of a board of this round by this thread uses the same frame.
 */
#ifndef CFR_FRAME_H
#define CFR_FRAME_H

#include "layout/boards.h"
#include "layout/four_bets.h"
#include "state/arena.h"

/* The sources of the lanes of a vector; only the first `size` lanes are wanted. */
typedef struct {
    int size;
    int32_t block[CFR_LANES], lane[CFR_LANES]; /* of tables and chips */
    int32_t leaf[CFR_LANES];                   /* place of the leaf's first vector of reach */
    int32_t value[CFR_LANES];                  /* place of the leaf's first vector of values */
    int32_t leaf_lane[CFR_LANES];              /* lane in these vectors */
} lane_set;

/* Scratch of one thread for one round: X(name, number of vectors). The numbers depend on the larger of both seats'
 * `sequences`, `folds` and `shows`, and on `leaves`, `entries` (blocks that follow one block if lines move together),
 * `hands` and `parts`. Arrays of values have twice as many vectors as hands, for mode MEASURE. */
#define FRAME_VECTORS(X) \
    X(chips, 2 * sequences) /* (shows + folds,) times the probability of the board */ \
    X(leaf_plan, hands * leaves) /* (rows, leaves) the opponent's plan at the leaves */ \
    X(show_worth, hands * sequences) /* (rows or cells, columns) the traverser's winnings from one hand at showdowns */ \
    X(start_worth, hands * sequences) /* (rows or cells, columns) winnings from a hand that beats all: folds minus shows */ \
    X(fold_worth, hands * folds) /* (rows or cells, folds or columns) winnings by folds */ \
    X(traverser_plan, hands * sequences) /* (rows, columns) */ \
    X(fold_value, hands) /* (rows or cells,) own plan times fold worth */ \
    X(strategy, hands * sequences) /* (rows, sequences) probability of each sequence's last action */ \
    X(gradient, hands * sequences) /* (rows, sequences) */ \
    X(row_reach, hands) /* (rows,) the traverser's */ \
    X(row_opponent, hands) /* (rows,) the opponent's */ \
    X(card_sum, CARDS * sequences) /* (cards, columns) D[c] */ \
    X(edge, CARDS * sequences) /* (cards, columns) E[c]; in the last round of the cards of one tie group */ \
    X(cell_reach, hands) /* (cells,) the opponent's */ \
    X(part_reach, parts) /* (parts,) the opponent's */ \
    X(part_value, parts) /* (parts,) */ \
    X(leaf_opponent, leaves * hands) /* (leaves, hands) reach */ \
    X(leaf_traverser, leaves * hands) \
    X(leaf_value, leaves * 2 * hands) /* (leaves, width) */ \
    X(entry_opponent, entries * hands) /* (entries, hands) reach */ \
    X(entry_traverser, entries * hands) \
    X(entry_value, entries * 2 * hands) /* (entries, width) */ \
    X(class_sum, hands) /* (classes,) */ \
    X(picked_opponent, leaves * hands) /* (lane sets, hands) reach */ \
    X(picked_value, leaves * 2 * hands) /* (lane sets, width) */

#define MEMBER(name, vectors) vec *name;
typedef struct {
    FRAME_VECTORS(MEMBER)
    lane_set *picked; /* (leaves,) */
} frame;
#undef MEMBER

/* A thread's scratch for a round; 0 if memory runs out. */
static int make_frame(arena *memory, frame *f, const betting *tree, size_t hands, int hole) {
    const seat_view *one = &tree->seats[0], *two = &tree->seats[1];
    const size_t leaves = tree->leaves;
    const size_t sequences = largest(one->sequences, two->sequences), shows = largest(one->shows, two->shows);
    const size_t folds = largest(largest(one->fold_count, two->fold_count), ADVANTAGES);
    const size_t parts = shows ? hands * hole : 0;
    size_t entries = 0;
    for (int block = 0; block < tree->blocks; block++)
        if (lines_move(tree, block))
            entries = largest(entries, tree->children[block]);
#define TAKE(name, vectors) \
    if (!(f->name = take(memory, vectors, sizeof(vec)))) \
        return 0;
    FRAME_VECTORS(TAKE)
#undef TAKE
    return (f->picked = take(memory, leaves, sizeof(lane_set))) != NULL;
}

#endif
