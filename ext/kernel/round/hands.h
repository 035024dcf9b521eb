/* Last boards on which every live hand has a row of its own, as in spots and lossless games; mode UPDATE.
 *
 * The climb of round/climb.h works on rows that many hands share, and reads the board's rows several times. This file
 * reads, values and updates a hand in one go, while its row is in the cache:
 *
 * 1. down: the opponent's plan of every hand times its reach gives the sums T of a terminal's winnings from all hands,
 *    and D[c] from hands that hold card c; showdowns count as lost, since no hand is beaten yet;
 * 2. up, tie group by tie group: the opponent's hands of the group count half (T and D rise by their worth once); the
 *    traverser's hands of the group then get T - D[c1] - D[c2] for each showdown, and their regrets are updated; the
 *    group then counts whole.
 *
 * Two cards subtract the hand itself twice. A hand ties with itself at showdowns and counts nothing; folds add it back.
 */
#ifndef CFR_HANDS_H
#define CFR_HANDS_H

#include "lanes/columns.h"
#include "round/known_shape.h"
#include "round/updates.h"

/* The sums of one board. */
typedef struct {
    vec *show_total, *fold_total; /* (shows,), (folds,) T */
    vec *show_of_card;            /* (cards, shows) D[c] */
    vec *fold_of_card;            /* (cards, folds) D[c], then T / 2 - D[c] */
    const vec *show_chips, *fold_chips;
    vec *plan; /* (live hands, stride) of the opponent times reach */
} hand_sums;

/* Whether every hand of the board has a row of its own and the board stands for itself alone. */
static int has_own_rows(const visit *v) {
    return v->is_last && v->mode == UPDATE && v->t->w.hole == 2 && v->traverser->shows
           && !v->t->accumulated[v->at.round] && *v->b.row_count == *v->b.live_count
           && !is_symmetric(&v->t->deal[v->at.round], v->at.board);
}

static inline const int16_t *cards_of(const visit *v, int hand) { return v->t->w.cards + 2 * hand; }

static inline int row_of_hand(const visit *v, int hand) { return v->b.rows[v->b.slot[hand]]; }

/* Count the showdowns of a hand of the opponent once more: the climb has passed half of it, or all. */
UNROLLED void pass_hand(const visit *v, const round_shape s, const hand_sums h, int n) {
    const int16_t *cards = cards_of(v, v->b.live[n]);
    vec *one = h.show_of_card + cards[0] * s.ends.shows, *two = h.show_of_card + cards[1] * s.ends.shows;
    const vec *plan = h.plan + n * s.stride;
    if (!any_nonzero(plan[0]))
        return;
    UNROLL for (int i = 0; i < s.ends.shows; i++) {
        const vec worth = h.show_chips[i] * plan[s.ends.show_opponent[i]];
        h.show_total[i] += worth;
        one[i] += worth;
        two[i] += worth;
    }
}

/* Step 1: all hands of the opponent, with no showdown won yet. */
UNROLLED void sum_opponent(const visit *v, const round_shape s, const hand_sums h) {
    const traversal *t = v->t;
    void *table = t->source[v->at.round][1 - t->seat];
    vec ignored[MAX_SEQUENCES], scratch[MAX_SEQUENCES];
    const size_t cards_from = t->w.first_card, cards = CARDS - cards_from;
    memset((void *)(h.show_of_card + cards_from * s.ends.shows), 0, cards * s.ends.shows * sizeof(vec));
    memset((void *)(h.fold_of_card + cards_from * s.ends.fold_count), 0, cards * s.ends.fold_count * sizeof(vec));
    clear_n(h.show_total, s.ends.shows);
    clear_n(h.fold_total, s.ends.fold_count);
    for (int n = 0; n < *v->b.live_count; n++) {
        const int hand = v->b.live[n];
        const int16_t *held = cards_of(v, hand);
        vec *plan = h.plan + n * s.stride;
        if (n + PREFETCH_ROWS < *v->b.live_count)
            prefetch_row(
                row_at(t, table, v->tree, v->opponent, row_of_hand(v, v->b.live[n + PREFETCH_ROWS]), v->at.block),
                v->opponent->sequences - 1);
        plan[0] = v->reach[hand];
        if (!any_nonzero(plan[0]))
            continue;
        const table_row row = row_at(t, table, v->tree, v->opponent, row_of_hand(v, hand), v->at.block);
        plan_nodes(s.opponent, read_row(row, v->opponent->sequences - 1, scratch), ignored, plan);
        vec *one = h.show_of_card + held[0] * s.ends.shows, *two = h.show_of_card + held[1] * s.ends.shows;
        UNROLL for (int i = 0; i < s.ends.shows; i++) {
            const vec worth = h.show_chips[i] * plan[s.ends.show_opponent[i]];
            h.show_total[i] -= worth;
            one[i] -= worth;
            two[i] -= worth;
        }
        one = h.fold_of_card + held[0] * s.ends.fold_count, two = h.fold_of_card + held[1] * s.ends.fold_count;
        UNROLL for (int i = 0; i < s.ends.fold_count; i++) {
            const vec worth = h.fold_chips[i] * plan[s.ends.fold_opponent[i]];
            h.fold_total[i] += worth;
            one[i] += worth;
            two[i] += worth;
        }
    }
    for (int card = t->w.first_card; card < CARDS; card++)
        for (int i = 0; i < s.ends.fold_count; i++) {
            vec *sum = h.fold_of_card + card * s.ends.fold_count + i;
            *sum = h.fold_total[i] * splat((real)0.5) - *sum;
        }
}

/* The gradient of the traverser's live hand `n`, in the middle of its tie group. */
UNROLLED void gradient_of_hand(const visit *v, const round_shape s, const hand_sums h, int n, vec *gradient) {
    const int16_t *cards = cards_of(v, v->b.live[n]);
    const vec *one = h.show_of_card + cards[0] * s.ends.shows, *two = h.show_of_card + cards[1] * s.ends.shows;
    const vec *plan = h.plan + n * s.stride;
    clear_n(gradient, s.sequences);
    UNROLL for (int i = 0; i < s.ends.shows; i++) gradient[s.ends.show_traverser[i]] +=
        h.show_total[i] - one[i] - two[i];
    one = h.fold_of_card + cards[0] * s.ends.fold_count, two = h.fold_of_card + cards[1] * s.ends.fold_count;
    UNROLL for (int i = 0; i < s.ends.fold_count; i++) gradient[s.ends.folds[i]] += one[i] + two[i];
    if (any_nonzero(plan[0]))
        UNROLL for (int i = 0; i < s.ends.fold_count; i++) gradient[s.ends.folds[i]] +=
            h.fold_chips[i] * plan[s.ends.fold_opponent[i]];
}

/* Step 2 for one hand of the traverser. */
UNROLLED void update_hand(const visit *v, const round_shape s, const hand_sums h, int n) {
    const int hand = v->b.live[n], count = s.sequences - 1;
    const traverser_rows rows = traverser_rows_at(v->t, &v->at, row_of_hand(v, hand));
    vec strategy[MAX_SEQUENCES], realisation[MAX_SEQUENCES], gradient[MAX_SEQUENCES];
    vec regrets[MAX_SEQUENCES], average[MAX_SEQUENCES];
    row_update u = {.strategy = strategy, .realisation = realisation, .gradient = gradient};
    u.reach = splat(1); /* the realisation includes reach */
    u.regrets = read_row(rows.regrets, count, regrets);
    if (rows.average.entries)
        u.average = read_row(rows.average, count, average);
    realisation[0] = v->traverser_reach[hand] * splat(v->t->weight * (real)v->at.scale);
    plan_nodes(s.traverser, u.regrets, strategy, realisation);
    gradient_of_hand(v, s, h, n, gradient);
    update_nodes(v->t, s.traverser, u);
    v->value[hand] += gradient[0];
    write_row(rows.regrets, count, u.regrets);
    if (rows.average.entries)
        write_row(rows.average, count, u.average);
}

/* Prefetch the rows that live hand `n` of the traverser will change. */
static inline void prefetch_hand(const visit *v, int n) {
    if (n >= *v->b.live_count)
        return;
    const traverser_rows rows = traverser_rows_at(v->t, &v->at, row_of_hand(v, v->b.live[n]));
    prefetch_row(rows.regrets, v->traverser->sequences - 1);
    if (rows.average.entries)
        prefetch_row(rows.average, v->traverser->sequences - 1);
}

UNROLLED void update_hands_n(const visit *v, const round_shape s) {
    const frame *f = v->f;
    const showdown_view groups = showdown_at(&v->t->deal[v->at.round], v->at.board, v->t->w.hands, v->t->w.hole);
    const int count = v->t->deal[v->at.round].group_count[v->at.board];
    vec show_total[MAX_SEQUENCES], fold_total[MAX_SEQUENCES];
    const hand_sums h = {show_total,   fold_total, f->card_sum, f->edge, f->chips, f->chips + s.ends.shows,
                         f->show_worth};
    sum_opponent(v, s, h);
    for (int g = 0, begin = 0; g < count; begin = groups.group_end[g++]) {
        const int end = groups.group_end[g];
        for (int n = begin; n < end; n++)
            pass_hand(v, s, h, n);
        for (int n = begin; n < end; n++) {
            prefetch_hand(v, n + PREFETCH_ROWS);
            update_hand(v, s, h, n);
        }
        for (int n = begin; n < end; n++)
            pass_hand(v, s, h, n);
    }
}

#define UPDATE_HANDS(name, shape) \
    static __attribute__((noinline)) void name(const visit *v) { update_hands_n(v, round_shape_of(v, shape)); }
UPDATE_HANDS(update_hands_first, FIRST_TO_ACT)
UPDATE_HANDS(update_hands_second, SECOND_TO_ACT)
UPDATE_HANDS(update_hands_any, ANY_SHAPE)

/* All steps of mode UPDATE on such a board. */
static void update_hands(const visit *v) {
    if (v->traverser->shape == FIRST_TO_ACT)
        update_hands_first(v);
    else if (v->traverser->shape == SECOND_TO_ACT)
        update_hands_second(v);
    else
        update_hands_any(v);
}

#endif
