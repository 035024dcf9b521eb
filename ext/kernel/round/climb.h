/* Showdowns: the values of all own hands of a board of the last round, by one climb through the tie groups.
 *
 * Hands stand from the weakest to the strongest. D is the worth of the hands below a tie group, plus the worth of the
 * hands up to and with the group, minus the worth of all hands. D[c] is the same for hands that hold card c. A hand
 * gets D - D[c1] - D[c2]. The climb only keeps E[c] = D / 2 - D[c] of the cards in a tie group, the card's *edge*: a
 * hand gets E[c1] + E[c2]. Hands that tie and share a row add their worth part by part (cfr/kernel/showdowns.py), so
 * modes UPDATE, AVERAGE and MEET never look at single hands. In mode MEET the opponent plays the choices of its cells.
 *
 * On a board that stands for its orbit under suit symmetry, one card stands for all cards of its class, and only its
 * sums are kept. Best responses look only at the first hand of a class and give it the sum of the class's values, which
 * average_values() shares out.
 *
 * The climb is written once. Its specialisations are constants: the compiler drops all steps that a mode does not need
 * and unrolls every loop over columns.
 */
#ifndef CFR_CLIMB_H
#define CFR_CLIMB_H

#include "round/cells.h"

/* Reach of all hands of each cell, and of each part's hands that hold the very card. */
static void sum_reach(const visit *v) {
    const showdown_view s = showdown_at(&v->t->deal[v->at.round], v->at.board, v->t->w.hands, v->t->w.hole);
    const int16_t *hands = s.part_hands;
    int part = 0;
    for (int size = 1; size < CARDS; size++)
        if (s.by_size_end[size] > part) {
            sum_hands(v->f->part_reach, s.by_size + part, s.by_size_end[size] - part, hands, v->reach, size);
            hands += (s.by_size_end[size] - part) * size;
            part = s.by_size_end[size];
        }
    for (int n = 0, cell = 0; n < *v->b.live_count; n = s.cell_end[cell++])
        v->f->cell_reach[cell] = sum_of(v->b.live + n, s.cell_end[cell] - n, v->reach);
}

/* D and D[c] below the weakest hand. */
UNROLLED void begin_climb(const climb *c, const climb_kind k, vec *restrict running) {
    const int columns = k.stride - k.skipped;
    int part = 0;
    if (k.mode == UPDATE)
        memset((void *)c->f.row_opponent, 0, (size_t)c->rows * sizeof(vec));
    clear_n(running, columns);
    for (int card = c->first_card; card < CARDS; card++) {
        vec *sums = columns_of(c->f.card_sum, card, k);
        weigh_n(sums, c->s.by_card + part, c->s.by_card_end[card] - part, parts_of(c, c->f.start_worth, k));
        part = c->s.by_card_end[card];
        add_scaled_n(running, splat(c->s.suit_count[card % SUITS]), sums, columns);
    }
    for (int i = 0; i < columns; i++)
        running[i] *= splat((real)1 / (real)k.hole);
}

/* Showdowns of the tie group that ends with live hand `end`, cell by cell; returns whether the group has reach. */
UNROLLED int group_of_cells(const climb *c, const climb_kind k, position *at, int end, vec *restrict worth) {
    const int columns = k.stride - k.skipped;
    int somebody = by_advantage(k); /* advantages skip this test */
    clear_n(worth, columns);
    do {
        const vec x = c->f.cell_reach[at->cell];
        if (by_advantage(k) || any_nonzero(x)) {
            const size_t place = k.mode == MEET ? (size_t)at->cell : row_of_cell(c, at->cell);
            somebody = 1;
            add_scaled_n(worth, x, columns_of(c->f.show_worth, place, k), columns);
            if (k.mode == UPDATE)
                c->f.row_opponent[place] += x;
        }
    } while (c->s.cell_end[at->cell++] < end);
    return somebody;
}

/* What the edge of a part is worth: to its row's plan, and in its row's gradient. */
UNROLLED earner earner_of(const climb *c, const climb_kind k, int part) {
    const size_t row = index_of(c->s.part_slot[part]);
    return (earner){
        .plan = columns_of(c->f.traverser_plan, row, k),
        .gradient = learns(k.mode) ? columns_of(c->f.gradient, row, k) : NULL,
        .count = splat(c->s.part_count[part]),
    };
}

/* A part's winnings by its plan, given the edge of its card, and the part's gradient. */
UNROLLED void earn(const climb *c, const climb_kind k, int part, const vec *edge) {
    const earner e = earner_of(c, k, part);
    c->f.part_value[part] = dot_n(e.plan, edge, k.stride - k.skipped);
    if (e.gradient)
        add_scaled_n(e.gradient, e.count, edge, k.stride - k.skipped);
}

/* Let the sums of the cards of tie group `g` pass the group. Best responses need the edges of all its cards at once. */
UNROLLED void pass_cards(const climb *c, const climb_kind k, position *at, int g, int somebody, const vec *middle) {
    const int columns = k.stride - k.skipped;
    const weighed_rows shows = parts_of(c, c->f.show_worth, k);
    vec *restrict edge = c->f.edge + k.skipped;
    vec worth[MAX_SEQUENCES];
    int card = at->card, begin = at->part;
    for (const int last = c->s.group_cards[g]; card < last; card++) {
        const int end = c->s.card_end[card];
        vec *restrict sums = columns_of(c->f.card_sum, index_of(c->s.card[card]), k);
        if (!somebody)
            pass_nobody_n(sums, middle, edge, columns);
        else if (end == begin + 1) { /* the usual case */
            const vec *show = columns_of(c->f.show_worth, index_of(places_of(c, k)[begin]), k);
            if (plays_plan(k.mode) && !takes_best(k.mode)) { /* nobody asks for the edges */
                const earner e = earner_of(c, k, begin);
                c->f.part_value[begin] = pass_and_earn_n(sums, c->f.part_reach[begin], show, middle, e, columns);
                begin = end;
                continue;
            }
            pass_hands_n(sums, c->f.part_reach[begin], show, middle, edge, columns);
        } else {
            weigh_range_n(worth, begin, end, shows);
            pass_hands_n(sums, splat(1), worth, middle, edge, columns);
        }
        if (plays_plan(k.mode))
            for (int part = begin; part < end; part++)
                earn(c, k, part, edge);
        if (takes_best(k.mode))
            edge += k.stride;
        begin = end;
    }
    at->card = card;
    at->part = begin;
}

/* The gradient or the advantages of live hand `n`, and how many there are; `fold` is the worth of folds to its row. Two
 * cards subtracted the hand itself twice. */
UNROLLED int gradient_of(const climb *c, const climb_kind k, int n, const vec *restrict fold, vec *restrict gradient) {
    const vec *one = c->f.edge + index_of(c->s.hand_card[k.hole * n]) * k.stride;
    const vec *two = c->f.edge + index_of(c->s.hand_card[k.hole * n + k.hole - 1]) * k.stride;
    const vec reach = c->reach[index_of(c->live[n])];
    if (by_advantage(k)) {
        for (int i = 0; i < ADVANTAGES; i++)
            gradient[i] = (one[i] + two[i]) + reach * fold[i];
        return ADVANTAGES;
    }
    gradient[0] = (vec){0};
    for (int i = k.skipped; i < k.stride; i++)
        gradient[i] = k.hole == 2 ? one[i] + two[i] : one[i];
    if (k.hole == 2)
        for (int i = 0; i < c->traverser->fold_count; i++)
            gradient[c->traverser->folds[i]] += reach * fold[i];
    return k.stride;
}

/* Best values of the hands of the cells from `cell` up to the climb's position. */
UNROLLED void best_of_cells(const climb *c, const climb_kind k, position *at, int cell) {
    const int folds = by_advantage(k) ? ADVANTAGES : c->traverser->fold_count;
    vec *restrict value = c->value;
    int n = at->hand;
    for (; cell < at->cell; cell++) {
        const int end = c->s.cell_end[cell];
        const vec *fold = c->f.fold_worth + index_of(c->slot[c->live[n]]) * folds;
        vec in_registers[ADVANTAGES]; /* the same for all hands of the cell */
        if (by_advantage(k)) {
            for (int i = 0; i < ADVANTAGES; i++)
                in_registers[i] = fold[i];
            fold = in_registers;
        }
        for (; n < end; n += k.symmetric ? c->s.alike[n] : 1) {
            vec gradient[MAX_SEQUENCES];
            gradient_of(c, k, n, fold, gradient);
            const vec best =
                by_advantage(k) ? best_of_advantages(k.shape, gradient, NULL) : best_value(c->traverser, gradient);
            value[index_of(c->live[n])] += k.symmetric ? best * splat(c->s.alike[n]) : best;
        }
    }
    at->hand = n;
}

/* Values of the own plan or choices from values of parts: one for each hand, or the sum of a class for its first hand. */
UNROLLED void traverser_values(const climb *c, const climb_kind k) {
    const int once = by_advantage(k) && k.symmetric;
    vec *restrict target = c->value + (k.mode == MEASURE ? c->hands : 0);
    const vec *part_value = c->f.part_value;
    for (int n = 0, cell = 0; n < c->lives; n += once ? c->s.alike[n] : 1) {
        const size_t hand = index_of(c->live[n]), row = index_of(c->slot[hand]);
        const vec one = part_value[index_of(c->s.hand_part[k.hole * n])];
        const vec two = part_value[index_of(c->s.hand_part[k.hole * n + k.hole - 1])];
        if (by_cell(k))
            cell += n == c->s.cell_end[cell];
        const vec folds = c->f.fold_value[by_cell(k) ? (size_t)cell : row];
        const vec traverser = k.hole == 2 ? (one + two) + c->reach[hand] * folds : one;
        target[hand] += once ? traverser * splat(c->s.alike[n]) : traverser;
        if (learns(k.mode))
            c->f.row_reach[row] += c->traverser_reach[hand];
    }
}

/* Modes UPDATE and MEET: two cards subtracted the hand itself twice; folds add it once again. */
UNROLLED void traverser_folds(const climb *c, const climb_kind k, int cells) {
    const int folds = c->traverser->fold_count;
    for (int place = 0; place < (k.mode == MEET ? cells : c->rows); place++) {
        vec *gradient = c->f.gradient + (k.mode == MEET ? row_of_cell(c, place) : (size_t)place) * k.stride;
        const vec opponent = k.mode == MEET ? c->f.cell_reach[place] : c->f.row_opponent[place];
        for (int i = 0; i < folds; i++)
            gradient[c->traverser->folds[i]] += opponent * c->f.fold_worth[place * folds + i];
    }
}

UNROLLED void climb_n(const climb c, const climb_kind k) {
    const int columns = k.stride - k.skipped;
    const vec per_card = splat((real)1 / (real)k.hole);
    vec running[MAX_SEQUENCES]; /* D */
    vec middle[MAX_SEQUENCES];  /* D per card of a hand, in the middle of a tie group */
    vec worths[MAX_SEQUENCES], *const worth = worths + k.skipped;
    position at = {0, 0, 0, 0};
    begin_climb(&c, k, running);
    for (int g = 0; g < c.groups; g++) {
        const position before = at;
        const int somebody = group_of_cells(&c, k, &at, c.s.group_end[g], worth);
        for (int i = 0; i < columns; i++) {
            middle[i] = (running[i] + worth[i]) * per_card;
            running[i] += worth[i] + worth[i];
        }
        pass_cards(&c, k, &at, g, somebody, middle);
        if (k.mode == RESPOND)
            respond(&c, k, &before, &at);
        else if (takes_best(k.mode))
            best_of_cells(&c, k, &at, before.cell);
    }
    if (plays_plan(k.mode) || k.mode == RESPOND)
        traverser_values(&c, k);
    if (learns(k.mode) && k.hole == 2)
        traverser_folds(&c, k, at.cell);
}

/* All climbs. Mode RESPOND needs a sampled board, where every hand has a class of its own. */
#define CLIMB(name, ...) \
    static __attribute__((noinline)) void name(const visit *v) { \
        const climb_kind k = {__VA_ARGS__}; \
        climb_n(climb_of(v, k.hole), k); \
    }
#define CLIMB_BEST(name, mode, symmetric) \
    CLIMB(name##_first, mode, FIRST_TO_ACT, 2, ADVANTAGES, 0, symmetric) \
    CLIMB(name##_second, mode, SECOND_TO_ACT, 2, ADVANTAGES, 0, symmetric)

CLIMB(climb_general, v->mode, ANY_SHAPE, v->t->w.hole, v->traverser->sequences, v->traverser->skipped, 1)
CLIMB(climb_update, UPDATE, FIRST_TO_ACT, 2, FOUR_BETS_SEQUENCES, 1, 0)
CLIMB(climb_average, AVERAGE, FIRST_TO_ACT, 2, FOUR_BETS_SEQUENCES, 1, 0)
CLIMB(climb_meet, MEET, FIRST_TO_ACT, 2, FOUR_BETS_SEQUENCES, 1, 0)
CLIMB_BEST(climb_respond, RESPOND, 0)
CLIMB_BEST(climb_best, BEST, 0)
CLIMB_BEST(climb_best_symmetric, BEST, 1)
CLIMB_BEST(climb_measure, MEASURE, 0)
CLIMB_BEST(climb_measure_symmetric, MEASURE, 1)

static void climb_showdowns(const visit *v) {
    const int is_first = v->traverser->shape == FIRST_TO_ACT;
    const int symmetric = is_symmetric(&v->t->deal[v->at.round], v->at.board);
    sum_reach(v);
    if (v->mode == MEET) {
        const climb c = climb_of(v, v->t->w.hole);
        read_choices(&c);
    }
    if (v->traverser->shape == ANY_SHAPE) {
        climb_general(v);
        return;
    }
#define EITHER(name) (is_first ? name##_first(v) : name##_second(v))
    switch (v->mode) {
    case UPDATE: climb_update(v); break;
    case AVERAGE: climb_average(v); break;
    case MEET: climb_meet(v); break;
    case RESPOND: EITHER(climb_respond); break;
    case BEST: symmetric ? EITHER(climb_best_symmetric) : EITHER(climb_best); break;
    case MEASURE: symmetric ? EITHER(climb_measure_symmetric) : EITHER(climb_measure); break;
    }
#undef EITHER
}

#endif
