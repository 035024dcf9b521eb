/* Best responses of single hands in the last round of limit hold'em, where a round has four bets.
 *
 * Spelled out so that everything stays in registers: the general best_value and choose of _traverse.pyx for the gradient
 * one + two + reach * fold. Sequences are numbered in preorder; the fold, the call and the raise of a node, where they
 * are legal, follow each other.
 */
#ifndef CFR_BEST_H
#define CFR_BEST_H

#include "vector.h"

#define FOUR_BETS 14 /* sequences of a seat in such a round */

#define SEQUENCE(s) vec g##s = one[s] + two[s]
#define WITH_FOLD(s, place) vec g##s = has_reach ? one[s] + two[s] + reach * fold[place] : one[s] + two[s]
static inline vec largest(vec a, vec b, vec c) { return larger(larger(a, b), c); }

/* Lanes of `entered` in which a hand calls (0), folds (-1) or raises (1): where actions are as good, it calls. */
UNROLLED void choose_two(uint8_t entered, vec call, vec other, uint8_t *calls, uint8_t *others) {
    uint8_t bits = bits_of(call >= other);
    *calls = entered & bits;
    *others = entered & (uint8_t)~bits;
}
UNROLLED void choose_three(uint8_t entered, vec fold, vec call, vec raise, uint8_t *folds) {
    uint8_t passive = bits_of(larger(fold, call) >= raise), calls = bits_of(call >= fold);
    folds[0] = entered & passive & (uint8_t)~calls;
    folds[1] = entered & passive & calls;
    folds[2] = entered & (uint8_t)~passive;
}

UNROLLED vec best_first_of_four_bets(const vec *restrict one, const vec *restrict two, const vec *restrict fold,
                                     vec reach, int has_reach, uint8_t *restrict chosen) {
    SEQUENCE(13);
    WITH_FOLD(12, 7);
    WITH_FOLD(11, 6);
    g11 += larger(g12, g13);
    SEQUENCE(10);
    WITH_FOLD(9, 5);
    WITH_FOLD(2, 0);
    g2 += largest(g9, g10, g11);
    WITH_FOLD(8, 4);
    SEQUENCE(7);
    WITH_FOLD(6, 3);
    WITH_FOLD(5, 2);
    g5 += largest(g6, g7, g8);
    SEQUENCE(4);
    WITH_FOLD(3, 1);
    SEQUENCE(1);
    g1 += largest(g3, g4, g5);
    if (chosen) {
        chosen[0] = 255;
        choose_two(chosen[0], g1, g2, chosen + 1, chosen + 2);
        choose_three(chosen[1], g3, g4, g5, chosen + 3);
        choose_three(chosen[5], g6, g7, g8, chosen + 6);
        choose_three(chosen[2], g9, g10, g11, chosen + 9);
        choose_two(chosen[11], g13, g12, chosen + 13, chosen + 12);
    }
    return larger(g1, g2);
}

UNROLLED vec best_second_of_four_bets(const vec *restrict one, const vec *restrict two, const vec *restrict fold,
                                      vec reach, int has_reach, uint8_t *restrict chosen) {
    WITH_FOLD(13, 7);
    SEQUENCE(12);
    WITH_FOLD(11, 6);
    WITH_FOLD(10, 5);
    g10 += largest(g11, g12, g13);
    SEQUENCE(9);
    WITH_FOLD(8, 4);
    vec bet = largest(g8, g9, g10);
    SEQUENCE(7);
    WITH_FOLD(6, 3);
    WITH_FOLD(5, 2);
    g5 += larger(g6, g7);
    SEQUENCE(4);
    WITH_FOLD(3, 1);
    WITH_FOLD(2, 0);
    g2 += largest(g3, g4, g5);
    SEQUENCE(1);
    if (chosen) {
        chosen[0] = 255;
        choose_two(chosen[0], g1, g2, chosen + 1, chosen + 2);
        choose_three(chosen[2], g3, g4, g5, chosen + 3);
        choose_two(chosen[5], g7, g6, chosen + 7, chosen + 6);
        choose_three(chosen[0], g8, g9, g10, chosen + 8);
        choose_three(chosen[10], g11, g12, g13, chosen + 11);
    }
    return larger(g1, g2) + bet;
}
#undef SEQUENCE
#undef WITH_FOLD

/* Best values of the hands `live[0:count]` of one cell in such a round; `cards` are two rows of `even` for each hand.
 * `chosen`, unless NULL, receives each hand's choices: the lanes in which it plays each sequence, one bit each. */
UNROLLED void best_of_cell_n(const int16_t *restrict live, const int16_t *restrict cards, int count,
                             const vec *restrict even, const vec *restrict fold, const vec *restrict reach,
                             vec *restrict value, int first, int has_reach, uint8_t *restrict chosen) {
    for (int n = 0; n < count; n++) {
        const vec *one = even + cards[2 * n] * FOUR_BETS, *two = even + cards[2 * n + 1] * FOUR_BETS;
        uint8_t *choices = chosen ? chosen + n * FOUR_BETS : NULL;
        value[live[n]] += first ? best_first_of_four_bets(one, two, fold, reach[n], has_reach, choices)
                                : best_second_of_four_bets(one, two, fold, reach[n], has_reach, choices);
    }
}
static inline void best_of_cell(const int16_t *live, const int16_t *cards, int count, const vec *even, const vec *fold,
                                const vec *reach, vec *value, int first, int has_reach, uint8_t *chosen) {
#define CASE(is_first, some, choices) \
    best_of_cell_n(live, cards, count, even, fold, reach, value, is_first, some, choices)
    if (chosen && first)
        CASE(1, 1, chosen);
    else if (chosen)
        CASE(0, 1, chosen);
    else if (first && has_reach)
        CASE(1, 1, NULL);
    else if (first)
        CASE(1, 0, NULL);
    else if (has_reach)
        CASE(0, 1, NULL);
    else
        CASE(0, 0, NULL);
#undef CASE
}

#endif
