/* Choices: the play of single hands in the last round, as bits for the lanes in which a hand plays each sequence.
 *
 * The opponent in CFR-BR has a strategy of its own for each hand; a bit for a line is enough for it. Choices have the
 * shape (live hands, sequences), gradients (sequences,).
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

/* The choices of a hand, from the `gradient` that best_value() left.
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

/* The choices of `count` hands that always call. */
static void choose_calls(const seat_view *seat, int count, lane_bits *chosen) {
    for (int n = 0; n < count; n++, chosen += seat->sequences) {
        memset(chosen, 0, (size_t)seat->sequences * sizeof(lane_bits));
        chosen[0] = ALL_LANES;
        for (int node = 0; node < seat->nodes; node++)
            chosen[seat->node_call[node]] = chosen[seat->node_parent[node]];
    }
}

/* One of the opponent's hands with its choices, and its cards' rows of sums; a hand of one card has the same row twice.
 * Columns are the traverser's sequences. */
typedef struct {
    int hole;
    const lane_bits *chosen;
    vec reach;
    const vec *chips; /* of showdowns, then of folds */
    vec *one, *two;
} chosen_hand;

/* Adds folds less showdowns to the sums of each card, and folds to the gradient. Returns the worth of the folds to the
 * traverser's same hand with this plan: the sums of a hand's two cards subtract this worth twice. */
UNROLLED vec spread_n(const terminals t, const chosen_hand h, const vec *restrict plan, vec *restrict gradient,
                      int skipped, int sequences) {
    vec *restrict one = h.one, *restrict two = h.two;
    vec worth[sequences], value = {0};
    UNROLL for (int i = skipped; i < sequences; i++) worth[i] = (vec){0};
    UNROLL for (int i = 0; i < t.shows; i++) worth[t.show_traverser[i]] -=
        in_lanes(h.chosen[t.show_opponent[i]], h.reach * h.chips[i]);
    UNROLL for (int i = 0; i < t.fold_count; i++) {
        vec fold = in_lanes(h.chosen[t.fold_opponent[i]], h.reach * h.chips[t.shows + i]);
        worth[t.folds[i]] += fold;
        if (h.hole == 2) {
            value += plan[t.folds[i]] * fold;
            gradient[t.folds[i]] += fold;
        }
    }
    UNROLL for (int i = skipped; i < sequences; i++) {
        one[i] += worth[i];
        if (h.hole == 2)
            two[i] += worth[i];
    }
    return value;
}

/* Adds showdowns to the sums of a tie group and to the sums of the hand's cards in this group. */
UNROLLED void show_n(const terminals t, const chosen_hand h, vec *restrict group) {
    vec *restrict one = h.one, *restrict two = h.two;
    UNROLL for (int i = 0; i < t.shows; i++) {
        int traverser = t.show_traverser[i];
        vec x = in_lanes(h.chosen[t.show_opponent[i]], h.reach * h.chips[i]);
        group[traverser] += x;
        one[traverser] += x;
        if (h.hole == 2)
            two[traverser] += x;
    }
}

#endif
