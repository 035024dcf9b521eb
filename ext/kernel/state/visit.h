/* One visit of a board by one block of betting lines: its place, its views of the inputs, its scratch and results.
 *
 * Every function of a round takes a visit. Its arrays of reach have the shape (hands,), its values (width,).
 */
#ifndef CFR_VISIT_H
#define CFR_VISIT_H

#include "state/traversal.h"

/* The place of one visit. */
typedef struct {
    int round, board, block;
    const lane_set *lanes; /* lanes picked from several blocks, or NULL: those of `block` */
    double scale;          /* probability of the boards dealt so far */
    int fork;              /* whether threads may part here or below */
    int thread;
} place;

/* One visit of a board by one block of lines, or by lanes picked from several. */
typedef struct {
    const traversal *t;
    place at;
    traversal_mode mode; /* of this round */
    int is_last, reached;
    int by_advantage; /* best responses in a round of four bets: columns are advantages, else sequences */
    const betting *tree;
    const seat_view *traverser, *opponent;
    board_view b;
    const frame *f;
    const vec *reach, *traverser_reach; /* (hands,) of the opponent and of the traverser, without chance */
    vec *value;                         /* (width,) the traverser's counterfactual values, to be added to */
    lane_bits *chosen;                  /* (cells, sequences) of the seat with remembered choices, or NULL */
} visit;

#endif
