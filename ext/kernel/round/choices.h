/* Choices: pure play in the last round, as bits for the lanes in which each sequence is played.
 *
 * The opponent in CFR-BR chooses for each cell, the hands that tie and share a row; a bit for a line is enough for it.
 * Choices have the shape (cells, sequences), gradients (sequences,).
 */
#ifndef CFR_CHOICES_H
#define CFR_CHOICES_H

#include "round/advantages.h"
#include "state/traversal.h"

/* Value at entry of a hand that takes the best action at each of its nodes; `gradient` is used up. */
static inline vec best_value(const seat_view *seat, vec *gradient) {
    for (int node = seat->nodes - 1; node >= 0; node--) {
        int begin = seat->node_first[node];
        vec best = gradient[begin];
        for (int a = begin + 1; a < begin + seat->node_count[node]; a++)
            best = larger(best, gradient[a]);
        gradient[seat->node_parent[node]] += best;
    }
    return gradient[0];
}

/* The choices of a cell, from the `gradient` that best_value() left.
 *
 * Ties go to the call: on lines that nobody takes, a calling opponent is the one to learn against. */
static void choose(const seat_view *seat, const vec *gradient, lane_bits *chosen) {
    chosen[0] = ALL_LANES;
    for (int node = 0; node < seat->nodes; node++) {
        int begin = seat->node_first[node], call = seat->node_call[node];
        lane_bits entered = chosen[seat->node_parent[node]];
        if (seat->node_count[node] == 3)
            choose_three(entered, gradient[begin], gradient[begin + 1], gradient[begin + 2], chosen + begin);
        else if (seat->node_count[node] == 2) {
            int other = begin == call ? begin + 1 : begin;
            choose_two(entered, gradient[call], gradient[other], chosen + call, chosen + other);
        } else
            chosen[begin] = entered;
    }
}

/* The choices of `count` cells that always call. */
static void choose_calls(const seat_view *seat, int count, lane_bits *chosen) {
    for (int n = 0; n < count; n++, chosen += seat->sequences) {
        memset(chosen, 0, (size_t)seat->sequences * sizeof(lane_bits));
        chosen[0] = ALL_LANES;
        for (int node = 0; node < seat->nodes; node++)
            chosen[seat->node_call[node]] = chosen[seat->node_parent[node]];
    }
}

#endif
