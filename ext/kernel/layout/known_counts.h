/* Loops over columns whose count is known at run time, with the counts of a round of four bets spelled out.
 *
 * Rounds of limit hold'em have these counts. The compiler unrolls the loops for them, and keeps a loop for others.
 * Arrays have the shape (columns,).
 */
#ifndef CFR_KNOWN_COUNTS_H
#define CFR_KNOWN_COUNTS_H

#include "lanes/columns.h"
#include "layout/four_bets.h"

#define BY_COUNT(count, call) \
    switch (count) { \
    case FOUR_BETS_FOLDS: call(FOUR_BETS_FOLDS); break; \
    case FOUR_BETS_SEQUENCES: call(FOUR_BETS_SEQUENCES); break; \
    default: call(count); \
    }

static inline void add(vec *restrict target, const vec *restrict source, int count) {
#define CALL(n) add_n(target, source, n)
    BY_COUNT(count, CALL)
#undef CALL
}

static inline void add_scaled(vec *restrict target, vec x, const vec *restrict source, int count) {
#define CALL(n) add_scaled_n(target, x, source, n)
    BY_COUNT(count, CALL)
#undef CALL
}

static inline vec dot(const vec *restrict one, const vec *restrict two, int count) {
    vec result = {0};
#define CALL(n) result = dot_n(one, two, n)
    BY_COUNT(count, CALL)
#undef CALL
    return result;
}

#endif
