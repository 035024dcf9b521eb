/* Best responses of single hands in a last round of four bets, by nine numbers for each hand.
 *
 * A hand needs only nine *advantages* instead of a gradient for each of a seat's 13 sequences. Each node compares its
 * actions with one of them: the fold, or the check at entry. The worth of this action is added to the action that led
 * to the node. Every other action counts only if it is better. The first advantage is the one number that always
 * counts. All advantages are linear in the opponent's reach; they are made row by row, before the sums over hands.
 */
#ifndef CFR_ADVANTAGES_H
#define CFR_ADVANTAGES_H

#include "layout/four_bets.h"

/* The sequences that advantages belong to; the first advantage belongs to the empty sequence. */
static const int32_t ADVANTAGES_OF_FIRST[ADVANTAGES] = {0, 2, 4, 5, 7, 8, 10, 11, 13};
static const int32_t ADVANTAGES_OF_SECOND[ADVANTAGES] = {0, 2, 4, 5, 7, 9, 10, 12, 13};

/* Advantages from the worth of each sequence, g[1:14]. */
UNROLLED void advantages_n(int shape, const vec *restrict g, vec *restrict a) {
    if (shape == FIRST_TO_ACT) {
        a[0] = g[1] + g[3];
        a[1] = (g[2] + g[9]) - a[0];
        a[2] = g[4] - g[3];
        a[3] = (g[5] + g[6]) - g[3];
        a[4] = g[7] - g[6];
        a[5] = g[8] - g[6];
        a[6] = g[10] - g[9];
        a[7] = (g[11] + g[12]) - g[9];
        a[8] = g[13] - g[12];
    } else {
        a[0] = g[1] + g[8];
        a[1] = (g[2] + g[3]) - g[1];
        a[2] = g[4] - g[3];
        a[3] = (g[5] + g[6]) - g[3];
        a[4] = g[7] - g[6];
        a[5] = g[9] - g[8];
        a[6] = (g[10] + g[11]) - g[8];
        a[7] = g[12] - g[11];
        a[8] = g[13] - g[11];
    }
}

/* The worth of one of the opponent's hands with this plan to each advantage of the traverser: by a win instead of a
 * tie, at the start, where this hand beats all hands, and by folds. `chips` holds chips of showdowns, then of folds. */
UNROLLED void advantages_of_n(int shape, const vec *restrict chips, const vec *restrict plan, vec *restrict show,
                              vec *restrict start, vec *restrict fold) {
    const terminals t = terminals_of(shape, NULL);
    vec shows[FOUR_BETS_SEQUENCES] = {{0}}, by_fold[FOUR_BETS_SEQUENCES] = {{0}};
    UNROLL for (int i = 0; i < t.shows; i++) shows[t.show_traverser[i]] = chips[i] * plan[t.show_opponent[i]];
    UNROLL for (int i = 0; i < t.fold_count; i++) by_fold[t.folds[i]] = chips[t.shows + i] * plan[t.fold_opponent[i]];
    advantages_n(shape, shows, show);
    advantages_n(shape, by_fold, fold);
    UNROLL for (int i = 0; i < ADVANTAGES; i++) start[i] = fold[i] - show[i];
}
static void advantages_of(int shape, const vec *chips, const vec *plan, vec *show, vec *start, vec *fold) {
    if (shape == FIRST_TO_ACT)
        advantages_of_n(FIRST_TO_ACT, chips, plan, show, start, fold);
    else
        advantages_of_n(SECOND_TO_ACT, chips, plan, show, start, fold);
}

/* The probabilities of a plan at the sequences of the advantages. */
static inline void advantages_played(int shape, const vec *restrict plan, vec *restrict played) {
    const int32_t *sequences = shape == FIRST_TO_ACT ? ADVANTAGES_OF_FIRST : ADVANTAGES_OF_SECOND;
    played[0] = splat(1);
    for (int i = 1; i < ADVANTAGES; i++)
        played[i] = plan[sequences[i]];
}

/* Lanes of `entered` in which a hand calls, and in which the hand takes the other action; ties go to the call. */
UNROLLED void choose_two(lane_bits entered, vec call, vec other, lane_bits *calls, lane_bits *others) {
    lane_bits bits = bits_of(at_least(call, other));
    *calls = entered & bits;
    *others = entered & (lane_bits)~bits;
}
/* The same of a node's fold, call and raise, `chosen` in this order. */
UNROLLED void choose_three(lane_bits entered, vec fold, vec call, vec raise, lane_bits *chosen) {
    lane_bits passive = bits_of(at_least(larger(fold, call), raise)), calls = bits_of(at_least(call, fold));
    chosen[0] = entered & passive & (lane_bits)~calls;
    chosen[1] = entered & passive & calls;
    chosen[2] = entered & (lane_bits)~passive;
}

UNROLLED vec best_of_first(const vec *restrict a, lane_bits *restrict chosen) {
    const vec nothing = {0};
    vec third = a[3] + positive(larger(a[4], a[5])), check = positive(larger(a[2], third));
    vec fourth = a[7] + positive(a[8]), bet = a[1] + positive(larger(a[6], fourth));
    if (chosen) {
        chosen[0] = ALL_LANES;
        choose_two(chosen[0], check, bet, chosen + 1, chosen + 2);
        choose_three(chosen[1], nothing, a[2], third, chosen + 3);
        choose_three(chosen[5], nothing, a[4], a[5], chosen + 6);
        choose_three(chosen[2], nothing, a[6], fourth, chosen + 9);
        choose_two(chosen[11], a[8], nothing, chosen + 13, chosen + 12);
    }
    return a[0] + larger(check, bet);
}

UNROLLED vec best_of_second(const vec *restrict a, lane_bits *restrict chosen) {
    const vec nothing = {0};
    vec third = a[3] + positive(a[4]), bet = a[1] + positive(larger(a[2], third));
    vec fourth = a[6] + positive(larger(a[7], a[8])), met = positive(larger(a[5], fourth));
    if (chosen) {
        chosen[0] = ALL_LANES;
        choose_two(chosen[0], nothing, bet, chosen + 1, chosen + 2);
        choose_three(chosen[2], nothing, a[2], third, chosen + 3);
        choose_two(chosen[5], a[4], nothing, chosen + 7, chosen + 6);
        choose_three(chosen[0], nothing, a[5], fourth, chosen + 8);
        choose_three(chosen[10], nothing, a[7], a[8], chosen + 11);
    }
    return (a[0] + positive(bet)) + met;
}

/* Value of a hand that takes its best action everywhere; `chosen`, unless NULL, receives the lanes in which it plays
 * each sequence, one bit each. */
UNROLLED vec best_of_advantages(int shape, const vec *restrict a, lane_bits *restrict chosen) {
    return shape == FIRST_TO_ACT ? best_of_first(a, chosen) : best_of_second(a, chosen);
}

#endif
