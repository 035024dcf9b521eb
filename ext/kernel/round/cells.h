/* Choices of cells: in CFR-BR, hands of the opponent that tie and share a row play the last round alike.
 *
 * Mode RESPOND chooses. A cell's gradient is the sum of its hands' gradients, made of the edges of its parts. Mode MEET
 * meets the choices: a cell's worth to the traverser is that of any row with a pure plan. Choices have the shape
 * (cells, sequences), one bit for each lane.
 */
#ifndef CFR_CELLS_H
#define CFR_CELLS_H

#include "round/climb_state.h"

/* Mode MEET: the worth of one hand of each of the opponent's cells to the traverser, and of folds to the own plan. */
UNROLLED void read_choices_n(const climb *c, int shape, int sequences) {
    const terminals t = terminals_of(shape, c->traverser);
    for (int cell = 0, end = 0; end < c->lives; cell++) {
        const lane_bits *chosen = c->chosen + cell * c->opponent_sequences;
        const vec *plan = c->f.traverser_plan + row_of_cell(c, cell) * sequences;
        vec worth[MAX_SEQUENCES], value = {0};
        vec *show = c->f.show_worth + cell * sequences, *start = c->f.start_worth + cell * sequences;
        vec *fold = c->f.fold_worth + cell * t.fold_count;
        clear_n(worth, sequences);
        UNROLL for (int i = 0; i < t.shows; i++) worth[t.show_traverser[i]] =
            in_lanes(chosen[t.show_opponent[i]], c->f.chips[i]);
        for (int i = 0; i < sequences; i++) {
            show[i] = worth[i];
            worth[i] = (vec){0} - worth[i]; /* at the start no hand is beaten yet */
        }
        UNROLL for (int i = 0; i < t.fold_count; i++) {
            fold[i] = in_lanes(chosen[t.fold_opponent[i]], c->f.chips[t.shows + i]);
            worth[t.folds[i]] += fold[i];
            value += plan[t.folds[i]] * fold[i];
        }
        for (int i = 0; i < sequences; i++)
            start[i] = worth[i];
        c->f.fold_value[cell] = value;
        end = c->s.cell_end[cell];
    }
}
static __attribute__((noinline)) void read_choices_first(const climb *c) {
    read_choices_n(c, FIRST_TO_ACT, FOUR_BETS_SEQUENCES);
}
static __attribute__((noinline)) void read_choices_second(const climb *c) {
    read_choices_n(c, SECOND_TO_ACT, FOUR_BETS_SEQUENCES);
}
static void read_choices(const climb *c) {
    switch (c->traverser->shape) {
    case FIRST_TO_ACT: read_choices_first(c); break;
    case SECOND_TO_ACT: read_choices_second(c); break;
    default: read_choices_n(c, ANY_SHAPE, c->traverser->sequences);
    }
}

/* The worth of a cell's choices, given the worth of each column. */
UNROLLED vec chosen_worth(const climb_kind k, const lane_bits *chosen, const vec *restrict worth) {
    const int32_t *sequences = k.shape == FIRST_TO_ACT ? ADVANTAGES_OF_FIRST : ADVANTAGES_OF_SECOND;
    vec total = by_advantage(k) ? worth[0] : (vec){0};
    for (int i = by_advantage(k) ? 1 : k.skipped; i < k.stride; i++)
        total += in_lanes(chosen[by_advantage(k) ? sequences[i] : i], worth[i]);
    return total;
}

/* Mode RESPOND: a cell chooses what is best for the sum of its hands, whose edges `sum` has; the worth of folds to it. */
UNROLLED void choose_for_cell(const climb *c, const climb_kind k, int cell, vec *restrict sum) {
    const int folds = by_advantage(k) ? ADVANTAGES : c->traverser->fold_count;
    const vec *fold = c->f.fold_worth + row_of_cell(c, cell) * folds, reach = c->f.cell_reach[cell];
    lane_bits *chosen = c->chosen + cell * c->traverser->sequences;
    vec value = {0};
    if (by_advantage(k)) {
        add_scaled_n(sum, reach, fold, ADVANTAGES);
        best_of_advantages(k.shape, sum, chosen);
        value = chosen_worth(k, chosen, fold);
    } else {
        for (int i = 0; i < folds && k.hole == 2; i++)
            sum[c->traverser->folds[i]] += reach * fold[i];
        best_value(c->traverser, sum); /* for what it leaves in the sums */
        choose(c->traverser, sum, chosen);
        for (int i = 0; i < folds; i++)
            value += in_lanes(chosen[c->traverser->folds[i]], fold[i]);
    }
    c->f.fold_value[cell] = value;
}

/* Mode RESPOND: the choices of a tie group's cells, from `from` up to the climb's position, and the values of parts.
 * Two passes over the parts: a cell chooses when all edges of its parts are in its sum. */
UNROLLED void respond(const climb *c, const climb_kind k, const position *from, const position *at) {
    const vec *edge = c->f.edge;
    vec *sums = c->f.gradient;
    int part = from->part;
    memset((void *)(sums + from->cell * k.stride), 0, (size_t)(at->cell - from->cell) * k.stride * sizeof(vec));
    for (int card = from->card; card < at->card; card++, edge += k.stride)
        for (; part < c->s.card_end[card]; part++)
            add_scaled_n(columns_of(sums, index_of(c->s.part_cell[part]), k), splat(c->s.part_count[part]),
                         edge + k.skipped, k.stride - k.skipped);
    for (int cell = from->cell; cell < at->cell; cell++)
        choose_for_cell(c, k, cell, sums + cell * k.stride);
    edge = c->f.edge;
    part = from->part;
    for (int card = from->card; card < at->card; card++, edge += k.stride)
        for (; part < c->s.card_end[card]; part++) {
            const size_t cell = index_of(c->s.part_cell[part]);
            c->f.part_value[part] = chosen_worth(k, c->chosen + cell * c->traverser->sequences, edge);
        }
}

#endif
