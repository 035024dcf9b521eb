/* One traversal of the public tree for one seat, in one of the modes of state/modes.h; over any tree of boards.
 *
 * A vector runs over betting lines. On a board, every live hand owns one vector per block of lines, and its row of the
 * strategy table is one contiguous stream. A visit of (round, board, block of lines) does, in this order:
 *
 * 1. rows: the tables give the realisation plan of both seats' sequences (cfr/kernel/tree.py). The opponent's plan
 *    gives the worth of one of its hands at showdowns and folds to each of the traverser's sequences (round/plans.h,
 *    round/advantages.h);
 * 2. down: opponent's reach times plan at each leaf, then the next round's boards, then their values (round/descend.h);
 * 3. sweep: worths times reach, summed per card, and at showdowns from the weakest hand to the strongest, give the
 *    gradient of the traverser's sequences, per hand or per row, and the value at entry (round/climb.h,
 *    round/folds.h);
 * 4. rows: gradients summed per row roll up through the traverser's nodes into regrets and the average strategy
 *    (round/updates.h).
 *
 * Drawers, each of which includes only those before: `lanes/` (vectors), `layout/` (how betting, boards and rows lie in
 * memory), `state/` (what a traversal carries), `round/` (the steps above).
 *
 * Mode RESPOND is for the opponent in CFR-BR: the kernel remembers its choices on the last board, one for all
 * hands that tie and share a row. A later traversal of the other seat in mode MEET meets these choices instead of a table (round/choices.h).
 */
#ifndef CFR_KERNEL_H
#define CFR_KERNEL_H

#include "round/batch.h"
#include "round/visit_board.h"

/* Traverse from board `root` of the first round; `step` is a factor on values and on added regrets. */
static void traverse(const traversal *t, int root, double step) {
    const workspace *w = &t->w;
    const int blocks = w->tree[t->first_round].blocks;
    memset((void *)t->value, 0, (size_t)blocks * t->width * sizeof(vec));
    for (int block = 0; block < blocks; block++) {
        const place at = {t->first_round, root, block, NULL, t->scale * step, w->threads > 1, 0};
        vec *value = t->value + block * t->width;
        visit_board(t, at, t->opponent_reach + block * w->hands, t->traverser_reach + block * w->hands, value);
        if (t->first_round == w->rounds - 1) /* no earlier round does it */
            average_values(t, at.round, root, value, w->frames + at.round);
    }
}

#endif
