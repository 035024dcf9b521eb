/* Both seats' nodes and the terminals of a round, as constants where the round is one of four bets.
 *
 * Code for every row or hand is written once, over these lists. Where the lists are constants, the compiler unrolls every
 * loop and keeps a row's (sequences,) vectors in registers.
 */
#ifndef CFR_KNOWN_SHAPE_H
#define CFR_KNOWN_SHAPE_H

#include "layout/four_bets.h"
#include "state/visit.h"

/* A seat's nodes in preorder, as in seat_view. */
typedef struct {
    int count;
    const int32_t *parent, *first, *actions;
} node_list;

UNROLLED node_list nodes_of(const seat_view *seat) {
    return (node_list){seat->nodes, seat->node_parent, seat->node_first, seat->node_count};
}

UNROLLED node_list known_nodes(const four_bets *known) {
    return (node_list){FOUR_BETS_NODES, known->node_parent, known->node_first, known->node_count};
}

/* The traverser's terminals, both seats' nodes, and the larger number of sequences. */
typedef struct {
    int sequences, stride;
    node_list traverser, opponent;
    terminals ends;
} round_shape;

UNROLLED round_shape round_shape_of(const visit *v, int shape) {
    const seat_view *traverser = v->traverser, *opponent = v->opponent;
    if (shape == ANY_SHAPE)
        return (round_shape){traverser->sequences,   largest(traverser->sequences, opponent->sequences),
                             nodes_of(traverser),    nodes_of(opponent),
                             terminals_of(ANY_SHAPE, traverser)};
    const int is_first = shape == FIRST_TO_ACT;
    return (round_shape){FOUR_BETS_SEQUENCES, FOUR_BETS_SEQUENCES, known_nodes(is_first ? &OF_FIRST : &OF_SECOND),
                         known_nodes(is_first ? &OF_SECOND : &OF_FIRST), terminals_of(shape, traverser)};
}

#endif
