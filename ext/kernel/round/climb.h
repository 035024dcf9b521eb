/* Showdowns: the values of all own hands of a board of the last round, by one climb through the tie groups.
 *
 * Hands stand from the weakest to the strongest. D is the worth of the hands below a tie group, plus the worth of the
 * hands up to and with the group, minus the worth of all hands. D[c] is the same for hands that hold card c. A hand
 * gets D - D[c1] - D[c2]. The climb only keeps E[c] = D / 2 - D[c] of the cards in a tie group, the card's *edge*: a
 * hand gets E[c1] + E[c2]. Hands that tie and share a row add their worth part by part (cfr/kernel/showdowns.py), so
 * modes UPDATE and AVERAGE never look at single hands.
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

#include "lanes/columns.h"
#include "round/choices.h"

typedef struct {
    traversal_mode mode;
    int shape;
    int hole;      /* cards of a hand */
    int stride;    /* columns of a row: the traverser's sequences, or its advantages */
    int skipped;   /* first columns, which win nothing */
    int symmetric; /* whether hands of one class may follow each other */
} climb_kind;

/* Whether columns are advantages. */
UNROLLED int by_advantage(const climb_kind k) { return takes_best(k.mode) && k.shape != ANY_SHAPE; }

/* All that the climb reads and writes, in one structure that stays in registers. */
typedef struct {
    const seat_view *traverser;
    int hands, lives, rows, groups, first_card, opponent_sequences;
    const int16_t *cards, *live, *slot;
    showdown_view s;
    frame f;
    const vec *reach, *traverser_reach;
    vec *value;
    lane_bits *chosen;
} climb;

/* The position of the climb: numbers of cells, hands, cards of groups, and parts that it has passed. */
typedef struct {
    int cell, hand, card, part;
} position;

UNROLLED climb climb_of(const visit *v, int hole) {
    const workspace *w = &v->t->w;
    return (climb){
        .traverser = v->traverser,
        .hands = w->hands,
        .lives = *v->b.live_count,
        .rows = *v->b.row_count,
        .groups = v->t->deal[v->at.round].group_count[v->at.board],
        .first_card = w->first_card,
        .opponent_sequences = v->opponent->sequences,
        .cards = w->cards,
        .live = v->b.live,
        .slot = v->b.slot,
        .s = showdown_at(&v->t->deal[v->at.round], v->at.board, w->hands, hole),
        .f = *v->f,
        .reach = v->reach,
        .traverser_reach = v->traverser_reach,
        .value = v->value,
        .chosen = v->chosen,
    };
}

/* The columns that are not skipped, of one row of a table of rows. */
UNROLLED vec *columns_of(vec *table, size_t row, const climb_kind k) { return table + row * k.stride + k.skipped; }

UNROLLED weighed_rows parts_of(const climb *c, vec *table, const climb_kind k) {
    return (weighed_rows){table + k.skipped, c->s.part_slot, c->f.part_reach, k.stride, k.stride - k.skipped};
}

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

/* Live hand `n` of the opponent with its choices and its cards' rows of `sums`. */
UNROLLED chosen_hand met_hand(const climb *c, const climb_kind k, int n, vec *sums, const int16_t *rows) {
    return (chosen_hand){k.hole,
                         c->chosen + n * c->opponent_sequences,
                         c->reach[c->live[n]],
                         c->f.chips,
                         sums + rows[0] * k.stride,
                         sums + rows[k.hole - 1] * k.stride};
}

/* Mode MEET: add folds less showdowns of every hand of the opponent to the sums of its cards. */
UNROLLED void spread_choices(const climb *c, const climb_kind k) {
    const terminals t = terminals_of(k.shape, c->traverser);
    memset((void *)(c->f.card_sum + c->first_card * k.stride), 0,
           (size_t)(CARDS - c->first_card) * k.stride * sizeof(vec));
    for (int n = 0; n < c->lives; n++) {
        const int hand = c->live[n];
        c->f.hand_value[n] = (vec){0};
        if (any_nonzero(c->reach[hand])) {
            const size_t row = index_of(c->slot[hand]) * k.stride;
            c->f.hand_value[n] = spread_n(t, met_hand(c, k, n, c->f.card_sum, c->cards + hand * k.hole),
                                          c->f.traverser_plan + row, c->f.gradient + row, k.skipped, k.stride);
        }
    }
}

/* D and D[c] below the weakest hand. */
UNROLLED void begin_climb(const climb *c, const climb_kind k, vec *restrict running) {
    const int columns = k.stride - k.skipped;
    int part = 0;
    if (k.mode == MEET)
        spread_choices(c, k);
    if (k.mode == UPDATE)
        memset((void *)c->f.row_opponent, 0, (size_t)c->rows * sizeof(vec));
    clear_n(running, columns);
    for (int card = c->first_card; card < CARDS; card++) {
        vec *sums = columns_of(c->f.card_sum, card, k);
        if (k.mode != MEET) {
            weigh_n(sums, c->s.by_card + part, c->s.by_card_end[card] - part, parts_of(c, c->f.start_worth, k));
            part = c->s.by_card_end[card];
        }
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
            const size_t row = index_of(c->slot[c->live[c->s.cell_end[at->cell] - 1]]);
            somebody = 1;
            add_scaled_n(worth, x, columns_of(c->f.show_worth, row, k), columns);
            if (k.mode == UPDATE)
                c->f.row_opponent[row] += x;
        }
    } while (c->s.cell_end[at->cell++] < end);
    return somebody;
}

/* The same in mode MEET, hand by hand: the opponent's hands have choices of their own. */
UNROLLED void group_of_choices(const climb *c, const climb_kind k, position *at, int g, vec *restrict worth) {
    const terminals t = terminals_of(k.shape, c->traverser);
    clear_n(worth - k.skipped, k.stride);
    memset((void *)c->f.card_step, 0, (size_t)(c->s.group_cards[g] - at->card) * k.stride * sizeof(vec));
    for (; at->hand < c->s.group_end[g]; at->hand++)
        if (any_nonzero(c->reach[c->live[at->hand]]))
            show_n(t, met_hand(c, k, at->hand, c->f.card_step, c->s.hand_card + k.hole * at->hand), worth - k.skipped);
}

/* A part's winnings by its plan, given the edge of its card, and the part's gradient. */
UNROLLED void earn(const climb *c, const climb_kind k, int part, const vec *edge) {
    const size_t row = index_of(c->s.part_slot[part]);
    c->f.part_value[part] = dot_n(columns_of(c->f.traverser_plan, row, k), edge, k.stride - k.skipped);
    if (learns(k.mode))
        add_scaled_n(columns_of(c->f.gradient, row, k), splat(c->s.part_count[part]), edge, k.stride - k.skipped);
}

/* Let the sums of the cards of tie group `g` pass the group. Best responses need the edges of all its cards at once. */
UNROLLED void pass_cards(const climb *c, const climb_kind k, position *at, int g, int somebody, const vec *middle) {
    const int columns = k.stride - k.skipped, before = at->card;
    const weighed_rows shows = parts_of(c, c->f.show_worth, k);
    vec *restrict edge = c->f.edge + k.skipped;
    vec worth[MAX_SEQUENCES];
    int card = before, begin = at->part;
    for (const int last = c->s.group_cards[g]; card < last; card++) {
        const int end = c->s.card_end[card];
        vec *restrict sums = columns_of(c->f.card_sum, index_of(c->s.card[card]), k);
        if (k.mode == MEET)
            pass_hands_n(sums, splat(1), columns_of(c->f.card_step, card - before, k), middle, edge, columns);
        else if (!somebody)
            pass_nobody_n(sums, middle, edge, columns);
        else if (end == begin + 1) { /* the usual case */
            const vec *show = columns_of(c->f.show_worth, index_of(c->s.part_slot[begin]), k);
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

/* Best value of live hand `n`; `fold` is the worth of folds to its row. Two cards subtracted the hand itself twice. */
UNROLLED vec best_of_hand(const climb *c, const climb_kind k, int n, const vec *restrict fold) {
    const vec *one = c->f.edge + index_of(c->s.hand_card[k.hole * n]) * k.stride;
    const vec *two = c->f.edge + index_of(c->s.hand_card[k.hole * n + k.hole - 1]) * k.stride;
    const vec reach = c->reach[index_of(c->live[n])];
    lane_bits *chosen = k.mode == RESPOND ? c->chosen + n * c->traverser->sequences : NULL;
    if (by_advantage(k)) {
        vec a[ADVANTAGES];
        for (int i = 0; i < ADVANTAGES; i++)
            a[i] = (one[i] + two[i]) + reach * fold[i];
        return best_of_advantages(k.shape, a, k.mode == RESPOND ? c->chosen + n * FOUR_BETS_SEQUENCES : NULL);
    }
    vec gradient[MAX_SEQUENCES];
    gradient[0] = (vec){0};
    for (int i = k.skipped; i < k.stride; i++)
        gradient[i] = k.hole == 2 ? one[i] + two[i] : one[i];
    if (k.hole == 2)
        for (int i = 0; i < c->traverser->fold_count; i++)
            gradient[c->traverser->folds[i]] += reach * fold[i];
    const vec best = best_value(c->traverser, gradient);
    if (chosen)
        choose(c->traverser, gradient, chosen);
    return best;
}

/* Best values of the hands of the cells from `cell` up to the climb's position. */
UNROLLED void best_of_cells(const climb *c, const climb_kind k, position *at, int cell) {
    const int folds = by_advantage(k) ? ADVANTAGES : c->traverser->fold_count;
    vec *restrict value = c->value;
    int n = at->hand;
    for (; cell < at->cell; cell++) {
        const vec *fold = c->f.fold_worth + index_of(c->slot[c->live[n]]) * folds;
        vec in_registers[ADVANTAGES]; /* the same for all hands of the cell */
        if (by_advantage(k)) {
            for (int i = 0; i < ADVANTAGES; i++)
                in_registers[i] = fold[i];
            fold = in_registers;
        }
        for (const int end = c->s.cell_end[cell]; n < end; n += k.symmetric ? c->s.alike[n] : 1) {
            const vec best = best_of_hand(c, k, n, fold);
            value[index_of(c->live[n])] += k.symmetric ? best * splat(c->s.alike[n]) : best;
        }
    }
    at->hand = n;
}

/* Values of the own plan from values of parts: one for each hand, or the sum of a class for its first hand. */
UNROLLED void traverser_values(const climb *c, const climb_kind k) {
    const int once = by_advantage(k) && k.symmetric;
    vec *restrict target = c->value + (k.mode == MEASURE ? c->hands : 0);
    const vec *part_value = c->f.part_value;
    for (int n = 0; n < c->lives; n += once ? c->s.alike[n] : 1) {
        const size_t hand = index_of(c->live[n]), row = index_of(c->slot[hand]);
        const vec one = part_value[index_of(c->s.hand_part[k.hole * n])];
        const vec two = part_value[index_of(c->s.hand_part[k.hole * n + k.hole - 1])];
        if (k.mode == MEET) {
            target[hand] += one;
            if (k.hole == 2)
                target[hand] += two;
            target[hand] += c->f.hand_value[n];
        } else {
            const vec traverser = k.hole == 2 ? (one + two) + c->reach[hand] * c->f.fold_value[row] : one;
            target[hand] += once ? traverser * splat(c->s.alike[n]) : traverser;
        }
        if (learns(k.mode))
            c->f.row_reach[row] += c->traverser_reach[hand];
    }
}

/* Mode UPDATE: two cards subtracted the hand itself twice; folds add it once again. */
UNROLLED void traverser_folds(const climb *c, const climb_kind k) {
    for (int row = 0; row < c->rows; row++)
        for (int i = 0; i < c->traverser->fold_count; i++)
            c->f.gradient[row * k.stride + c->traverser->folds[i]] +=
                c->f.row_opponent[row] * c->f.fold_worth[row * c->traverser->fold_count + i];
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
        const int cell = at.cell;
        int somebody = 1;
        if (k.mode == MEET)
            group_of_choices(&c, k, &at, g, worth);
        else
            somebody = group_of_cells(&c, k, &at, c.s.group_end[g], worth);
        for (int i = 0; i < columns; i++) {
            middle[i] = (running[i] + worth[i]) * per_card;
            running[i] += worth[i] + worth[i];
        }
        pass_cards(&c, k, &at, g, somebody, middle);
        if (takes_best(k.mode))
            best_of_cells(&c, k, &at, cell);
    }
    if (plays_plan(k.mode))
        traverser_values(&c, k);
    if (k.mode == UPDATE && k.hole == 2)
        traverser_folds(&c, k);
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
CLIMB(climb_meet_first, MEET, FIRST_TO_ACT, 2, FOUR_BETS_SEQUENCES, 1, 0)
CLIMB(climb_meet_second, MEET, SECOND_TO_ACT, 2, FOUR_BETS_SEQUENCES, 1, 0)
CLIMB_BEST(climb_respond, RESPOND, 0)
CLIMB_BEST(climb_best, BEST, 0)
CLIMB_BEST(climb_best_symmetric, BEST, 1)
CLIMB_BEST(climb_measure, MEASURE, 0)
CLIMB_BEST(climb_measure_symmetric, MEASURE, 1)

static void climb_showdowns(const visit *v) {
    const int is_first = v->traverser->shape == FIRST_TO_ACT;
    const int symmetric = is_symmetric(&v->t->deal[v->at.round], v->at.board);
    if (v->mode != MEET)
        sum_reach(v);
    if (v->traverser->shape == ANY_SHAPE) {
        climb_general(v);
        return;
    }
#define EITHER(name) (is_first ? name##_first(v) : name##_second(v))
    switch (v->mode) {
    case UPDATE: climb_update(v); break;
    case AVERAGE: climb_average(v); break;
    case MEET: EITHER(climb_meet); break;
    case RESPOND: EITHER(climb_respond); break;
    case BEST: symmetric ? EITHER(climb_best_symmetric) : EITHER(climb_best); break;
    case MEASURE: symmetric ? EITHER(climb_measure_symmetric) : EITHER(climb_measure); break;
    }
#undef EITHER
}

#endif
