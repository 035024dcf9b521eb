/* The shape of a round of four bets, which limit hold'em has, seen by either seat.
 *
 * The nodes of such a round are always the same: code for every hand is spelled out and stays in registers. This file
 * has all facts about the shape. shape_of() compares a game's round with the shape; other rounds take the general way.
 * Sequences are numbered in preorder; a node's legal actions among fold, call and raise follow each other.
 */
#ifndef CFR_FOUR_BETS_H
#define CFR_FOUR_BETS_H

#include <string.h>

#include "layout/tree.h"

enum { ANY_SHAPE, FIRST_TO_ACT, SECOND_TO_ACT }; /* in a round of four bets; ANY_SHAPE in other rounds */
enum {
    FOUR_BETS_NODES = 5,
    FOUR_BETS_SHOWS = 9,
    FOUR_BETS_FOLDS = 8,
    FOUR_BETS_SEQUENCES = 14,
    ADVANTAGES = 9, /* see round/advantages.h */
};

typedef struct {
    int32_t node_parent[FOUR_BETS_NODES], node_first[FOUR_BETS_NODES], node_count[FOUR_BETS_NODES];
    int32_t show_traverser[FOUR_BETS_SHOWS], show_opponent[FOUR_BETS_SHOWS];
    int32_t folds[FOUR_BETS_FOLDS], fold_opponent[FOUR_BETS_FOLDS];
} four_bets;

static const four_bets OF_FIRST = {
    .node_parent = {0, 1, 5, 2, 11},
    .node_first = {1, 3, 6, 9, 12},
    .node_count = {2, 3, 3, 3, 2},
    .show_traverser = {1, 4, 5, 7, 8, 2, 10, 11, 13},
    .show_opponent = {1, 2, 4, 5, 7, 9, 10, 12, 13},
    .folds = {2, 3, 5, 6, 8, 9, 11, 12},
    .fold_opponent = {8, 2, 3, 5, 6, 10, 11, 13},
};
static const four_bets OF_SECOND = {
    .node_parent = {0, 2, 5, 0, 10},
    .node_first = {1, 3, 6, 8, 11},
    .node_count = {2, 3, 2, 3, 3},
    .show_traverser = {1, 2, 4, 5, 7, 9, 10, 12, 13},
    .show_opponent = {1, 4, 5, 7, 8, 2, 10, 11, 13},
    .folds = {2, 3, 5, 6, 8, 10, 11, 13},
    .fold_opponent = {3, 5, 6, 8, 2, 9, 11, 12},
};

static int same_numbers(const int32_t *one, const int32_t *two, int count) {
    return memcmp(one, two, (size_t)count * sizeof(int32_t)) == 0;
}

static int has_nodes(const seat_view *seat, const four_bets *known) {
    return seat->nodes == FOUR_BETS_NODES && seat->sequences == FOUR_BETS_SEQUENCES
           && same_numbers(seat->node_parent, known->node_parent, FOUR_BETS_NODES)
           && same_numbers(seat->node_first, known->node_first, FOUR_BETS_NODES)
           && same_numbers(seat->node_count, known->node_count, FOUR_BETS_NODES);
}

static int has_shape(const seat_view *seat, const four_bets *known) {
    return has_nodes(seat, known) && seat->shows == FOUR_BETS_SHOWS && seat->fold_count == FOUR_BETS_FOLDS
           && same_numbers(seat->show_traverser, known->show_traverser, FOUR_BETS_SHOWS)
           && same_numbers(seat->show_opponent, known->show_opponent, FOUR_BETS_SHOWS)
           && same_numbers(seat->folds, known->folds, FOUR_BETS_FOLDS)
           && same_numbers(seat->fold_opponent, known->fold_opponent, FOUR_BETS_FOLDS);
}

/* Who acts first in a round whose nodes are those of four bets, with showdowns or not. */
static int order_of(const seat_view *seat) {
    if (has_nodes(seat, &OF_FIRST))
        return FIRST_TO_ACT;
    return has_nodes(seat, &OF_SECOND) ? SECOND_TO_ACT : ANY_SHAPE;
}

/* The shape for a seat in a round with showdowns, for hands of two cards. */
static int shape_of(const seat_view *seat) {
    if (has_shape(seat, &OF_FIRST))
        return FIRST_TO_ACT;
    return has_shape(seat, &OF_SECOND) ? SECOND_TO_ACT : ANY_SHAPE;
}

/* Pairs of sequences, the traverser's own and the opponent's, that lead to a showdown or a fold, in the order of chips:
 * showdowns first. The pairs are constants if the shape is a constant. */
typedef struct {
    const int32_t *show_traverser, *show_opponent, *folds, *fold_opponent;
    int shows, fold_count;
} terminals;

UNROLLED terminals terminals_of(int shape, const seat_view *seat) {
    if (shape == ANY_SHAPE)
        return (terminals){seat->show_traverser, seat->show_opponent, seat->folds, seat->fold_opponent,
                           seat->shows,    seat->fold_count};
    const four_bets *known = shape == FIRST_TO_ACT ? &OF_FIRST : &OF_SECOND;
    return (terminals){known->show_traverser, known->show_opponent, known->folds, known->fold_opponent,
                       FOUR_BETS_SHOWS, FOUR_BETS_FOLDS};
}

#endif
