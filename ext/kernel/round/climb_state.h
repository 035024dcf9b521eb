/* What a climb through the showdowns of a board reads and writes, and where it is (round/climb.h).
 *
 * Tables have the shape (rows, columns), or (cells, columns) where the opponent's cells have choices.
 */
#ifndef CFR_CLIMB_STATE_H
#define CFR_CLIMB_STATE_H

#include "lanes/columns.h"
#include "round/choices.h"

typedef struct {
    traversal_mode mode;
    int shape;
    int hole;      /* cards of a hand */
    int stride;    /* columns of a row: the traverser's sequences, or its advantages */
    int skipped;   /* first columns, which win nothing */
    int symmetric; /* whether hands of one class may follow each other */
} climb_kind;

/* Whether columns are advantages. */
UNROLLED int by_advantage(const climb_kind k) { return takes_best(k.mode) && k.shape != ANY_SHAPE; }

/* Whether cells have choices. */
UNROLLED int by_cell(const climb_kind k) { return k.mode == MEET || k.mode == RESPOND; }

/* All that the climb reads and writes, in one structure that stays in registers. */
typedef struct {
    const seat_view *traverser;
    int hands, lives, rows, groups, first_card, opponent_sequences;
    const int16_t *cards, *live, *slot;
    showdown_view s;
    frame f;
    const vec *reach, *traverser_reach;
    vec *value;
    lane_bits *chosen;
} climb;

/* The position of the climb: numbers of cells, hands, cards of groups, and parts that it has passed. */
typedef struct {
    int cell, hand, card, part;
} position;

UNROLLED climb climb_of(const visit *v, int hole) {
    const workspace *w = &v->t->w;
    return (climb){
        .traverser = v->traverser,
        .hands = w->hands,
        .lives = *v->b.live_count,
        .rows = *v->b.row_count,
        .groups = v->t->deal[v->at.round].group_count[v->at.board],
        .first_card = w->first_card,
        .opponent_sequences = v->opponent->sequences,
        .cards = w->cards,
        .live = v->b.live,
        .slot = v->b.slot,
        .s = showdown_at(&v->t->deal[v->at.round], v->at.board, w->hands, hole),
        .f = *v->f,
        .reach = v->reach,
        .traverser_reach = v->traverser_reach,
        .value = v->value,
        .chosen = v->chosen,
    };
}

/* The columns that are not skipped, of one row of a table of rows. */
UNROLLED vec *columns_of(vec *table, size_t row, const climb_kind k) { return table + row * k.stride + k.skipped; }

/* The number of each part's place in tables of the opponent's worth: its row, or its cell, which has choices. */
UNROLLED const int16_t *places_of(const climb *c, const climb_kind k) {
    return k.mode == MEET ? c->s.part_cell : c->s.part_slot;
}

UNROLLED weighed_rows parts_of(const climb *c, vec *table, const climb_kind k) {
    return (weighed_rows){table + k.skipped, places_of(c, k), c->f.part_reach, k.stride, k.stride - k.skipped};
}

/* The traverser's row of a cell. */
UNROLLED size_t row_of_cell(const climb *c, int cell) { return index_of(c->slot[c->live[c->s.cell_end[cell] - 1]]); }

#endif
