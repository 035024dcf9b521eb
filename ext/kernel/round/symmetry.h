/* Boards that stand for their orbit under suit symmetry.
 *
 * The boards below such a board are only one of each orbit. Hands that a symmetry maps onto each other then share the
 * mean of their values, of shape (width,).
 */
#ifndef CFR_SYMMETRY_H
#define CFR_SYMMETRY_H

#include "state/visit.h"

/* Average `value` over hands that a suit symmetry of the board maps onto each other. */
static void average_classes(const traversal *t, int round, int board, vec *value, const frame *f) {
    const boards *all = &t->deal[round];
    const int16_t *live = all->live + (size_t)board * t->w.hands;
    const int16_t *classes = all->classes + (size_t)board * t->w.hands;
    const int count = all->class_count[board], lives = all->live_count[board];
    int sizes[MAX_HANDS];
    memset(sizes, 0, (size_t)count * sizeof(int));
    memset((void *)f->class_sum, 0, (size_t)count * sizeof(vec));
    for (int n = 0; n < lives; n++) {
        const int of_hand = classes[live[n]];
        sizes[of_hand]++;
        f->class_sum[of_hand] += value[live[n]];
    }
    for (int i = 0; i < count; i++)
        f->class_sum[i] *= splat((real)1 / (real)sizes[i]);
    for (int n = 0; n < lives; n++)
        value[live[n]] = f->class_sum[classes[live[n]]];
}

/* Average all values of a board: in mode MEASURE the best values and the own plan's. */
static void average_values(const traversal *t, int round, int board, vec *value, const frame *f) {
    if (is_symmetric(&t->deal[round], board))
        for (int begin = 0; begin < t->width; begin += t->w.hands)
            average_classes(t, round, board, value + begin, f);
}

#endif
