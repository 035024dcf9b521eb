/* What the choices of one of the opponent's hands are worth to the traverser in the last round.
 *
 * Choices are bits: the lanes in which the hand plays each of its sequences. Written once for any round; where it has
 * four bets, the terminals are constants and the compiler unrolls every loop over them.
 */
#ifndef CFR_CHOICES_H
#define CFR_CHOICES_H

#include "best.h"

/* Pairs of sequences, the traverser's own and the opponent's, that lead to a showdown or a fold; in the order of chips,
 * showdowns first. */
typedef struct {
    const int32_t *show_own, *show_theirs, *fold_own, *fold_theirs;
    int shows, folds;
} terminals;

#define TERMINALS_OF_FIRST (terminals){SHOWS_OF_FIRST, SHOWS_OF_SECOND, FOLDS_OF_FIRST, FOLDS_MET_BY_FIRST, 9, 8}
#define TERMINALS_OF_SECOND (terminals){SHOWS_OF_SECOND, SHOWS_OF_FIRST, FOLDS_OF_SECOND, FOLDS_MET_BY_SECOND, 9, 8}

/* Adds folds less showdowns to the sums of each card, and folds to the gradient; returns what the folds are worth to
 * the same hand: two cards take it away twice. */
UNROLLED vec spread_n(const terminals t, const lane_bits *restrict chosen, vec reach, const vec *restrict chips,
                      vec *restrict one, vec *restrict two, const vec *restrict plan, vec *restrict gradient, int hole,
                      int first, int sequences) {
    vec worth[sequences], value = {0};
    UNROLL for (int i = first; i < sequences; i++)
        worth[i] = (vec){0};
    UNROLL for (int i = 0; i < t.shows; i++)
        worth[t.show_own[i]] -= in_lanes(chosen[t.show_theirs[i]], reach * chips[i]);
    UNROLL for (int i = 0; i < t.folds; i++) {
        vec fold = in_lanes(chosen[t.fold_theirs[i]], reach * chips[t.shows + i]);
        worth[t.fold_own[i]] += fold;
        if (hole == 2) {
            value += plan[t.fold_own[i]] * fold;
            gradient[t.fold_own[i]] += fold;
        }
    }
    UNROLL for (int i = first; i < sequences; i++) {
        one[i] += worth[i];
        if (hole == 2)
            two[i] += worth[i];
    }
    return value;
}
static inline vec spread(int shape, const terminals t, const lane_bits *chosen, vec reach, const vec *chips, vec *one,
                         vec *two, const vec *plan, vec *gradient, int hole, int first, int sequences) {
#define CALL(t, hole, first, sequences) \
    spread_n(t, chosen, reach, chips, one, two, plan, gradient, hole, first, sequences)
    if (shape == FIRST_TO_BET)
        return CALL(TERMINALS_OF_FIRST, 2, 1, FOUR_BETS);
    if (shape == SECOND_TO_BET)
        return CALL(TERMINALS_OF_SECOND, 2, 1, FOUR_BETS);
    return CALL(t, hole, first, sequences);
#undef CALL
}

/* Adds showdowns to the sums of a tie group and to those of the hand's cards in it. */
UNROLLED void show_n(const terminals t, const lane_bits *restrict chosen, vec reach, const vec *restrict chips,
                     vec *restrict group, vec *restrict one, vec *restrict two, int hole) {
    UNROLL for (int i = 0; i < t.shows; i++) {
        int own = t.show_own[i];
        vec x = in_lanes(chosen[t.show_theirs[i]], reach * chips[i]);
        group[own] += x;
        one[own] += x;
        if (hole == 2)
            two[own] += x;
    }
}
static inline void show(int shape, const terminals t, const lane_bits *chosen, vec reach, const vec *chips, vec *group,
                        vec *one, vec *two, int hole) {
    if (shape == FIRST_TO_BET)
        show_n(TERMINALS_OF_FIRST, chosen, reach, chips, group, one, two, 2);
    else if (shape == SECOND_TO_BET)
        show_n(TERMINALS_OF_SECOND, chosen, reach, chips, group, one, two, 2);
    else
        show_n(t, chosen, reach, chips, group, one, two, hole);
}

#endif
