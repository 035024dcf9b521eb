/* Work on many rows or hands of one board, shared out among the threads where they may part.
 *
 * A spot has one flop or turn with more than a thousand rows above its many rivers: one thread would hold up the others.
 */
#ifndef CFR_SHARES_H
#define CFR_SHARES_H

#include "state/visit.h"
#if defined(_OPENMP)
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
#endif

enum {
    SHARE = 64,        /* rows or hands that a thread takes at a time: they fit in the nearest cache */
    LEAST_SHARED = 512 /* rows of a board: with fewer, waking the threads takes longer than they save */
};

/* Call `work(v, begin, end)` for parts of 0 to `count`; no part may depend on another. */
static inline void share_out(const visit *v, int count, void (*work)(const visit *, int, int)) {
    if (!v->at.fork || *v->b.row_count < LEAST_SHARED) {
        work(v, 0, count);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(v->t->w.threads)
    for (int begin = 0; begin < count; begin += SHARE)
        work(v, begin, begin + SHARE < count ? begin + SHARE : count);
}

#endif
