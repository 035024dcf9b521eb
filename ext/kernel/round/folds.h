/* Boards without showdowns: the values of the traverser's hands, from folds and from the values of leaves.
 *
 * Folds of the opponent's hands are summed for each card, shape (cards, folds), so that a hand needs only its two cards'
 * sums. Values of leaves have the shape (leaves, width).
 */
#ifndef CFR_FOLDS_H
#define CFR_FOLDS_H

#include "layout/known_counts.h"
#include "round/choices.h"
#include "round/shares.h"

/* The edges of all cards in the worth of folds: the winnings from all hands, divided by the cards of a hand, less the
 * winnings from hands with the very card. */
static void edges_of_folds(const visit *v) {
    const workspace *w = &v->t->w;
    const frame *f = v->f;
    const int count = v->traverser->fold_count, hole = w->hole;
    const vec per_card = splat((real)1 / (real)hole);
    vec total[MAX_SEQUENCES];
    memset((void *)(f->card_sum + w->first_card * count), 0, (size_t)(CARDS - w->first_card) * count * sizeof(vec));
    for (int n = 0; n < *v->b.live_count; n++) {
        const int hand = v->b.live[n];
        const vec x = v->reach[hand];
        if (any_nonzero(x))
            for (int k = 0; k < hole; k++)
                add_scaled(f->card_sum + w->cards[hand * hole + k] * count, x, f->fold_worth + v->b.slot[hand] * count,
                           count);
    }
    clear_n(total, count);
    for (int card = w->first_card; card < CARDS; card++)
        add(total, f->card_sum + card * count, count);
    for (int i = 0; i < count; i++)
        total[i] *= per_card;
    for (int card = w->first_card; card < CARDS; card++)
        for (int i = 0; i < count; i++)
            f->edge[card * count + i] = total[i] * per_card - f->card_sum[card * count + i];
}

/* The worth of folds to each sequence of a hand; two cards subtracted the hand itself twice. */
static inline void gradient_of_folds(const visit *v, int hand, vec *gradient) {
    const workspace *w = &v->t->w;
    const int32_t *folds = v->traverser->folds;
    const int16_t *cards = w->cards + hand * w->hole;
    const int count = v->traverser->fold_count;
    const vec *one = v->f->edge + cards[0] * count;
    clear_n(gradient, v->traverser->sequences);
    if (w->hole == 2) {
        const vec *two = v->f->edge + cards[1] * count;
        const vec *worth = v->f->fold_worth + v->b.slot[hand] * count;
        const vec x = v->reach[hand];
        for (int i = 0; i < count; i++)
            gradient[folds[i]] = one[i] + two[i] + x * worth[i];
    } else
        for (int i = 0; i < count; i++)
            gradient[folds[i]] = one[i];
}

/* Mode MEASURE: a hand's winnings by its own plan, given the gradient of folds. */
static inline vec value_of_plan(const visit *v, int hand, const vec *gradient) {
    const seat_view *traverser = v->traverser;
    const vec *plan = v->f->traverser_plan + v->b.slot[hand] * traverser->sequences;
    const vec *leaf_value = v->f->leaf_value + v->t->w.hands + hand;
    vec x = {0};
    for (int i = 0; i < traverser->fold_count; i++)
        x += plan[traverser->folds[i]] * gradient[traverser->folds[i]];
    for (int k = 0; k < v->tree->leaves; k++)
        x += plan[traverser->leaf_traverser[k]] * leaf_value[k * v->t->width];
    return x;
}

/* The values of own hands, and what each adds to its row. */
static void sweep_hands(const visit *v, int begin, int end) {
    const seat_view *traverser = v->traverser;
    const int sequences = traverser->sequences;
    vec *restrict value = v->value;
    vec gradient[MAX_SEQUENCES];
    for (int n = begin; n < end; n++) {
        const int hand = v->b.live[n], slot = v->b.slot[hand];
        gradient_of_folds(v, hand, gradient);
        if (v->mode == MEASURE)
            value[v->t->w.hands + hand] += value_of_plan(v, hand, gradient);
        for (int k = 0; k < v->tree->leaves; k++)
            gradient[traverser->leaf_traverser[k]] += v->f->leaf_value[k * v->t->width + hand];
        if (takes_best(v->mode)) {
            value[hand] += best_value(traverser, gradient);
            continue;
        }
        value[hand] += dot(v->f->traverser_plan + slot * sequences, gradient, sequences);
        if (learns(v->mode)) {
            add(v->f->gradient + slot * sequences, gradient, sequences);
            v->f->row_reach[slot] += v->traverser_reach[hand];
        }
    }
}

static void sweep_folds(const visit *v) {
    const int hands = *v->b.own_count;
    edges_of_folds(v);
    if (*v->b.row_count == *v->b.live_count)
        share_out(v, hands, sweep_hands);
    else /* hands share rows */
        sweep_hands(v, 0, hands);
}

#endif
