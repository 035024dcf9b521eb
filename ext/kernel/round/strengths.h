/* Last boards on which the hands of a tie group share a row and no others do: a row is a strength; mode UPDATE.
 *
 * Within the round the strategy multiplies whole strengths. One hand of the opponent's strength wins the same as any
 * other, but for the cards that it holds, so sums over *parts*, the hands of a strength that hold one card
 * (cfr/kernel/showdowns.py), value every hand. D is the sum of the traverser's winnings from all hands of the opponent,
 * D[c] from those that hold card c; both have the shape (sequences,):
 *
 * 1. opponent: the plan of every strength gives its worth by showdowns and folds. D and D[c] begin with folds less
 *    showdowns: no hand is beaten yet;
 * 2. climb, strength by strength: showdowns of the strength count once (half way between lost and won). The edge
 *    E[c] = D / 2 - D[c] of a part's card, times the part's number of the traverser's hands, adds to the strength's
 *    gradient; the product of edge and plan is what a hand of the part wins. Only the D[c] differ from part to part of a
 *    strength, so D / 2 and the strength's showdowns enter both sums once for all parts. The strength's regrets are
 *    updated at once, and its showdowns count once more;
 * 3. a hand wins what its two parts win. Two cards subtract the hand itself twice; folds add it back.
 *
 * tests/spots/plain_spot.py is the plain twin; docs/method.md has the algebra.
 */
#ifndef CFR_STRENGTHS_H
#define CFR_STRENGTHS_H

#include "lanes/columns.h"
#include "round/phases.h"

/* One board's sums. */
typedef struct {
    showdown_view s;
    vec *show, *fold;       /* (strengths, shows), (strengths, folds) winnings from one hand */
    vec *start;             /* (strengths, sequences) folds less showdowns */
    vec *of_card, *running; /* (cards, sequences) D[c], (sequences,) D */
} strength_sums;

/* The strength that the climb has come to. */
typedef struct {
    int slot;        /* of its row */
    int begin, end;  /* its live hands */
    int first, last; /* its parts, each with the card of the same number */
    vec *middle;     /* (sequences,) D / 2 in the middle of the strength */
    vec *plan;       /* (sequences,) the traverser's */
    vec *gradient;   /* (sequences,) */
    vec worth;       /* product of plan and middle */
    vec shown;       /* product of plan and showdowns with one hand of the strength */
} strength_at;

/* Whether every tie group of the board has a row of its own, which all its hands share. */
static int has_strength_rows(const visit *v) {
    if (!v->is_last || v->mode != UPDATE || v->t->w.hole != 2 || !v->traverser->shows
        || v->t->accumulated[v->at.round])
        return 0;
    const boards *all = &v->t->deal[v->at.round];
    const int strengths = all->group_count[v->at.board];
    const int16_t *cell_end = all->cell_end + (size_t)v->at.board * v->t->w.hands;
    return strengths == *v->b.row_count && cell_end[strengths - 1] == *v->b.live_count;
}

static inline int slot_of_strength(const visit *v, const showdown_view *s, int strength) {
    return v->b.slot[v->b.live[s->group_end[strength] - 1]];
}

/* Step 1 for the strength with row number `slot` of the board. */
UNROLLED void read_strength(const visit *v, const round_shape s, const strength_sums *h, int slot) {
    const vec *show_chips = v->f->chips, *fold_chips = v->f->chips + s.ends.shows;
    vec *show = h->show + slot * s.ends.shows, *fold = h->fold + slot * s.ends.fold_count;
    vec *start = h->start + slot * s.sequences;
    vec ignored[MAX_SEQUENCES], scratch[MAX_SEQUENCES], plan[MAX_SEQUENCES];
    const table_row row = row_at(v->t, v->t->source[v->at.round][1 - v->t->seat], v->tree, v->opponent,
                                 v->b.rows[slot], v->at.block);
    plan[0] = splat(1);
    plan_nodes(s.opponent, read_row(row, v->opponent->sequences - 1, scratch), ignored, plan);
    clear_n(start, s.sequences);
    UNROLL for (int i = 0; i < s.ends.fold_count; i++) {
        fold[i] = fold_chips[i] * plan[s.ends.fold_opponent[i]];
        start[s.ends.folds[i]] = fold[i];
    }
    UNROLL for (int i = 0; i < s.ends.shows; i++) {
        show[i] = show_chips[i] * plan[s.ends.show_opponent[i]];
        start[s.ends.show_traverser[i]] -= show[i];
    }
}

/* Step 1. */
UNROLLED void read_strengths(const visit *v, const round_shape s, const strength_sums *h) {
    const weighed_rows parts = {h->start + 1, h->s.part_slot, v->f->part_reach, s.sequences, s.sequences - 1};
    int part = 0;
    for (int slot = 0; slot < *v->b.row_count; slot++) {
        prefetch_entries(v->t->source[v->at.round][1 - v->t->seat], v, v->opponent, slot + PREFETCH_ROWS);
        read_strength(v, s, h, slot);
    }
    clear_n(h->running, s.sequences);
    for (int card = v->t->w.first_card; card < CARDS; card++) {
        vec *sums = h->of_card + card * s.sequences + 1;
        weigh_n(sums, h->s.by_card + part, h->s.by_card_end[card] - part, parts);
        part = h->s.by_card_end[card];
        add_scaled_n(h->running + 1, splat(h->s.suit_count[card % SUITS]), sums, s.sequences - 1);
    }
    for (int i = 0; i < s.sequences; i++)
        h->running[i] *= splat((real)0.5);
}

/* D in the middle of a strength without cards removed, and after the strength. */
UNROLLED void pass_strength(const round_shape s, const strength_sums *h, strength_at *at, vec reach) {
    const vec *show = h->show + at->slot * s.ends.shows;
    UNROLL for (int i = 0; i < s.sequences; i++)
        at->middle[i] = h->running[i] * splat((real)0.5);
    at->shown = (vec){0};
    UNROLL for (int i = 0; i < s.ends.shows; i++) {
        const int sequence = s.ends.show_traverser[i];
        const vec half = reach * show[i] * splat((real)0.5);
        at->middle[sequence] += half;
        h->running[sequence] += half * splat(4);
        at->shown += at->plan[sequence] * show[i];
    }
    at->worth = dot_n(at->plan + 1, at->middle + 1, s.sequences - 1);
}

/* Step 2 for one part: what a hand of the part wins, and its D[c] in the gradient. */
UNROLLED void climb_part(const visit *v, const round_shape s, const strength_sums *h, const strength_at *at, int part) {
    const vec *show = h->show + at->slot * s.ends.shows;
    vec *restrict sums = h->of_card + index_of(h->s.card[part]) * s.sequences;
    const vec reach = v->f->part_reach[part], twice = reach + reach, count = splat(h->s.part_count[part]);
    vec gained = at->worth, lost = reach * at->shown;
    UNROLL for (int i = 1; i < s.sequences; i++) {
        if (i % 2)
            lost += at->plan[i] * sums[i];
        else
            gained -= at->plan[i] * sums[i];
        at->gradient[i] -= count * sums[i];
    }
    UNROLL for (int i = 0; i < s.ends.shows; i++)
        sums[s.ends.show_traverser[i]] += twice * show[i];
    v->f->part_value[part] = gained - lost;
}

/* Step 2 for the parts of one strength. */
UNROLLED void climb_parts(const visit *v, const round_shape s, const strength_sums *h, const strength_at *at) {
    const vec *show = h->show + at->slot * s.ends.shows;
    const vec cards = splat((real)(2 * (at->end - at->begin)));
    vec counted = {0};
    UNROLL for (int i = 1; i < s.sequences; i++)
        at->gradient[i] = cards * at->middle[i];
    for (int part = at->first; part < at->last; part++) {
        counted += splat(h->s.part_count[part]) * v->f->part_reach[part];
        climb_part(v, s, h, at, part);
    }
    UNROLL for (int i = 0; i < s.ends.shows; i++)
        at->gradient[s.ends.show_traverser[i]] -= counted * show[i];
}

/* Step 3: what the hands of the strength win. */
UNROLLED void value_hands(const visit *v, const round_shape s, const strength_sums *h, const strength_at *at) {
    const vec *fold = h->fold + at->slot * s.ends.fold_count, *part_value = v->f->part_value;
    vec *restrict value = v->value, by_fold = {0};
    UNROLL for (int i = 0; i < s.ends.fold_count; i++)
        by_fold += at->plan[s.ends.folds[i]] * fold[i];
    for (int n = at->begin; n < at->end; n++) {
        const size_t hand = index_of(v->b.live[n]);
        const vec one = part_value[index_of(h->s.hand_part[2 * n])], two = part_value[index_of(h->s.hand_part[2 * n + 1])];
        value[hand] += (one + two) + v->reach[hand] * by_fold;
    }
}

/* Steps 2 and 3 for one strength. */
UNROLLED void update_strength(const visit *v, const round_shape s, const strength_sums *h, strength_at *at, vec reach) {
    const int count = s.sequences - 1;
    const traverser_rows rows = traverser_rows_at(v->t, &v->at, v->b.rows[at->slot]);
    const vec *fold = h->fold + at->slot * s.ends.fold_count;
    vec strategy[MAX_SEQUENCES], regrets[MAX_SEQUENCES], average[MAX_SEQUENCES];
    row_update u = {.strategy = strategy, .realisation = at->plan, .gradient = at->gradient};
    u.regrets = read_row(rows.regrets, count, regrets);
    at->plan[0] = splat(1);
    plan_nodes(s.traverser, u.regrets, strategy, at->plan);
    pass_strength(s, h, at, reach);
    at->gradient[0] = (vec){0};
    climb_parts(v, s, h, at);
    value_hands(v, s, h, at);
    UNROLL for (int i = 0; i < s.ends.fold_count; i++)
        at->gradient[s.ends.folds[i]] += reach * fold[i];
    if (rows.average.entries) {
        const vec own = sum_of(v->b.live + at->begin, at->end - at->begin, v->traverser_reach);
        u.reach = own * splat(v->t->weight * (real)v->at.scale);
        u.average = read_row(rows.average, count, average);
    }
    update_nodes(v->t, s.traverser, u);
    write_row(rows.regrets, count, u.regrets);
    if (rows.average.entries)
        write_row(rows.average, count, u.average);
}

UNROLLED void update_strengths_n(const visit *v, const round_shape s) {
    const frame *f = v->f;
    vec running[MAX_SEQUENCES], middle[MAX_SEQUENCES], plan[MAX_SEQUENCES], gradient[MAX_SEQUENCES];
    const strength_sums h = {showdown_at(&v->t->deal[v->at.round], v->at.board, v->t->w.hands, v->t->w.hole),
                             f->show_worth, f->fold_worth, f->start_worth, f->card_sum, running};
    strength_at at = {.middle = middle, .plan = plan, .gradient = gradient};
    read_strengths(v, s, &h);
    for (int g = 0; g < *v->b.row_count; g++) {
        if (g + PREFETCH_ROWS < *v->b.row_count) {
            const int ahead = slot_of_strength(v, &h.s, g + PREFETCH_ROWS);
            prefetch_entries(v->t->source[v->at.round][v->t->seat], v, v->traverser, ahead);
            prefetch_sums(v, ahead);
        }
        at.slot = slot_of_strength(v, &h.s, g);
        at.end = h.s.group_end[g];
        at.last = h.s.group_cards[g];
        update_strength(v, s, &h, &at, f->cell_reach[g]);
        at.begin = at.end;
        at.first = at.last;
    }
}

#define UPDATE_STRENGTHS(name, shape) \
    static __attribute__((noinline)) void name(const visit *v) { update_strengths_n(v, round_shape_of(v, shape)); }
UPDATE_STRENGTHS(update_strengths_first, FIRST_TO_ACT)
UPDATE_STRENGTHS(update_strengths_second, SECOND_TO_ACT)
UPDATE_STRENGTHS(update_strengths_any, ANY_SHAPE)

/* All steps of mode UPDATE on such a board. */
static void update_strengths(const visit *v) {
    sum_reach(v);
    if (v->traverser->shape == FIRST_TO_ACT)
        update_strengths_first(v);
    else if (v->traverser->shape == SECOND_TO_ACT)
        update_strengths_second(v);
    else
        update_strengths_any(v);
}

#endif
