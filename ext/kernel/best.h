/* Best responses of all hands on one board of a last round with four bets, as limit hold'em has.
 *
 * Its nodes are always the same, so that everything is spelled out and stays in registers. Instead of a gradient for
 * each of a seat's 13 sequences, a hand needs only nine *advantages*: at each node all actions are compared with one of
 * them, the fold or at entry the check, whose worth is handed up to the action that led there. So an action counts only
 * where it is better than nothing, and what always counts is a single number, the first. All of them are linear in
 * the opponent's reach; they are made row by row, before the sums over hands.
 *
 * Sequences are numbered in preorder; the fold, the call and the raise of a node, where they are legal, follow each
 * other. For the showdowns see the top of _traverse.pyx.
 */
#ifndef CFR_BEST_H
#define CFR_BEST_H

#include "vector.h"

#define FOUR_BETS 14 /* sequences of a seat in such a round */
#define ADVANTAGES 9
enum { GENERAL_ROUND, FIRST_TO_BET, SECOND_TO_BET }; /* whether the traverser acts first in a round of four bets */

#define UNROLL _Pragma("GCC unroll 16")
static const int32_t SHOWS_OF_FIRST[9] = {1, 4, 5, 7, 8, 2, 10, 11, 13};
static const int32_t SHOWS_OF_SECOND[9] = {1, 2, 4, 5, 7, 9, 10, 12, 13};
static const int32_t FOLDS_OF_FIRST[8] = {2, 3, 5, 6, 8, 9, 11, 12};
static const int32_t FOLDS_MET_BY_FIRST[8] = {8, 2, 3, 5, 6, 10, 11, 13};
static const int32_t FOLDS_OF_SECOND[8] = {2, 3, 5, 6, 8, 10, 11, 13};
static const int32_t FOLDS_MET_BY_SECOND[8] = {3, 5, 6, 8, 2, 9, 11, 12};

/* The sequences that advantages belong to; the first belongs to the empty one. */
static const int32_t ADVANTAGES_OF_FIRST[ADVANTAGES] = {0, 2, 4, 5, 7, 8, 10, 11, 13};
static const int32_t ADVANTAGES_OF_SECOND[ADVANTAGES] = {0, 2, 4, 5, 7, 9, 10, 12, 13};

/* Advantages from what each sequence is worth, g[1:14]. */
UNROLLED void advantages(int first, const vec *restrict g, vec *restrict a) {
    if (first) {
        a[0] = g[1] + g[3];
        a[1] = (g[2] + g[9]) - a[0];
        a[2] = g[4] - g[3];
        a[3] = (g[5] + g[6]) - g[3];
        a[4] = g[7] - g[6];
        a[5] = g[8] - g[6];
        a[6] = g[10] - g[9];
        a[7] = (g[11] + g[12]) - g[9];
        a[8] = g[13] - g[12];
    } else {
        a[0] = g[1] + g[8];
        a[1] = (g[2] + g[3]) - g[1];
        a[2] = g[4] - g[3];
        a[3] = (g[5] + g[6]) - g[3];
        a[4] = g[7] - g[6];
        a[5] = g[9] - g[8];
        a[6] = (g[10] + g[11]) - g[8];
        a[7] = g[12] - g[11];
        a[8] = g[13] - g[11];
    }
}

/* What one opponent's hand with this plan is worth to each advantage of the traverser: by winning instead of a tie, at
 * the start, where it beats all hands, and by folds. `chips` are those of showdowns, then those of folds. */
UNROLLED void advantages_of_n(int first, const vec *restrict chips, const vec *restrict plan, vec *restrict show,
                              vec *restrict start, vec *restrict fold) {
    const int32_t *own = first ? SHOWS_OF_FIRST : SHOWS_OF_SECOND, *theirs = first ? SHOWS_OF_SECOND : SHOWS_OF_FIRST;
    const int32_t *folds = first ? FOLDS_OF_FIRST : FOLDS_OF_SECOND;
    const int32_t *met = first ? FOLDS_MET_BY_FIRST : FOLDS_MET_BY_SECOND;
    vec shows[FOUR_BETS] = {{0}}, by_fold[FOUR_BETS] = {{0}};
    UNROLL for (int t = 0; t < 9; t++)
        shows[own[t]] = chips[t] * plan[theirs[t]];
    UNROLL for (int t = 0; t < 8; t++)
        by_fold[folds[t]] = chips[9 + t] * plan[met[t]];
    advantages(first, shows, show);
    advantages(first, by_fold, fold);
    UNROLL for (int i = 0; i < ADVANTAGES; i++)
        start[i] = fold[i] - show[i];
}
static void advantages_of(int first, const vec *chips, const vec *plan, vec *show, vec *start, vec *fold) {
    if (first)
        advantages_of_n(1, chips, plan, show, start, fold);
    else
        advantages_of_n(0, chips, plan, show, start, fold);
}

/* How often a plan plays the sequences of the advantages. */
static inline void advantages_played(int first, const vec *restrict plan, vec *restrict played) {
    const int32_t *sequences = first ? ADVANTAGES_OF_FIRST : ADVANTAGES_OF_SECOND;
    played[0] = splat(1);
    for (int i = 1; i < ADVANTAGES; i++)
        played[i] = plan[sequences[i]];
}

/* Lanes of `entered` in which a hand calls (0), folds (-1) or raises (1): where actions are as good, it calls. */
UNROLLED void choose_two(lane_bits entered, vec call, vec other, lane_bits *calls, lane_bits *others) {
    lane_bits bits = bits_of(at_least(call, other));
    *calls = entered & bits;
    *others = entered & (lane_bits)~bits;
}
UNROLLED void choose_three(lane_bits entered, vec fold, vec call, vec raise, lane_bits *folds) {
    lane_bits passive = bits_of(at_least(larger(fold, call), raise)), calls = bits_of(at_least(call, fold));
    folds[0] = entered & passive & (lane_bits)~calls;
    folds[1] = entered & passive & calls;
    folds[2] = entered & (lane_bits)~passive;
}

/* Value of a hand that takes its best action everywhere; `chosen`, unless NULL, receives the lanes in which it plays
 * each sequence, one bit each. */
UNROLLED vec best_of_advantages(int first, const vec *restrict a, lane_bits *restrict chosen) {
    const vec nothing = {0};
    if (first) {
        vec third = a[3] + positive(larger(a[4], a[5])), check = positive(larger(a[2], third));
        vec fourth = a[7] + positive(a[8]), bet = a[1] + positive(larger(a[6], fourth));
        if (chosen) {
            chosen[0] = ALL_LANES;
            choose_two(chosen[0], check, bet, chosen + 1, chosen + 2);
            choose_three(chosen[1], nothing, a[2], third, chosen + 3);
            choose_three(chosen[5], nothing, a[4], a[5], chosen + 6);
            choose_three(chosen[2], nothing, a[6], fourth, chosen + 9);
            choose_two(chosen[11], a[8], nothing, chosen + 13, chosen + 12);
        }
        return a[0] + larger(check, bet);
    }
    vec third = a[3] + positive(a[4]), bet = a[1] + positive(larger(a[2], third));
    vec fourth = a[6] + positive(larger(a[7], a[8])), met = positive(larger(a[5], fourth));
    if (chosen) {
        chosen[0] = ALL_LANES;
        choose_two(chosen[0], nothing, bet, chosen + 1, chosen + 2);
        choose_three(chosen[2], nothing, a[2], third, chosen + 3);
        choose_two(chosen[5], a[4], nothing, chosen + 7, chosen + 6);
        choose_three(chosen[0], nothing, a[5], fourth, chosen + 8);
        choose_three(chosen[10], nothing, a[7], a[8], chosen + 11);
    }
    return (a[0] + positive(bet)) + met;
}

/* One board, as cfr/deals.py has it, and a row of advantages for each row of the opponent's plan. */
typedef struct {
    int groups, first_card;
    const int16_t *live, *slot, *cell_end, *alike, *suit_count, *group_end, *group_cards, *card, *card_end, *part_slot, *hand_part, *hand_card,
        *by_card, *by_card_end;
    const vec *start, *show, *fold; /* (rows, ADVANTAGES): of a hand that beats it, of winning instead of a tie, of folds */
    const vec *plan;                /* (rows, ADVANTAGES): of the own plan, or NULL */
    const vec *fold_value;          /* (rows,): plan times fold */
    const vec *reach, *cell_reach, *part_reach;
    vec *sums, *even, *part_value; /* (52, ADVANTAGES) twice; (parts,) */
} best_board;

/* The advantages of row `index`, which is not negative. */
UNROLLED const vec *row_at(const vec *table, int16_t index) { return table + (size_t)(uint16_t)index * ADVANTAGES; }

/* Adds the hands' best values to `value` and, where there is a plan, its values to `planned`. Where the board is
 * `symmetric`, the first of hands that are alike gets their sum. */
UNROLLED void best_of_board_n(const best_board b, int first, int symmetric, vec *restrict value, vec *restrict planned,
                              lane_bits *restrict chosen) {
    vec running[ADVANTAGES], middle[ADVANTAGES], worth[ADVANTAGES];
    const vec half = splat((real)0.5);
    int part = 0, entry = 0, cell = 0, n = 0;
    for (int i = 0; i < ADVANTAGES; i++)
        running[i] = (vec){0};
    for (int c = b.first_card; c < 52; c++) {
        weigh_n(b.sums + c * ADVANTAGES, b.by_card + part, b.by_card_end[c] - part, b.part_reach, b.part_slot, b.start,
                ADVANTAGES, ADVANTAGES);
        add_scaled_n(running, splat(b.suit_count[c & 3]), b.sums + c * ADVANTAGES, ADVANTAGES);
        part = b.by_card_end[c];
    }
    for (int i = 0; i < ADVANTAGES; i++)
        running[i] *= half;
    part = 0;
    for (int g = 0; g < b.groups; g++) {
        int start = n, end = b.group_end[g], this_cell = cell;
        for (int i = 0; i < ADVANTAGES; i++)
            worth[i] = (vec){0};
        do
            add_scaled_n(worth, b.cell_reach[cell], row_at(b.show, b.slot[b.live[b.cell_end[cell] - 1]]), ADVANTAGES);
        while (b.cell_end[cell++] < end);
        for (int i = 0; i < ADVANTAGES; i++) {
            middle[i] = (running[i] + worth[i]) * half;
            running[i] += worth[i] + worth[i];
        }
        vec *restrict even = b.even;
        for (; entry < b.group_cards[g]; entry++, even += ADVANTAGES) {
            int begin = part;
            part = b.card_end[entry];
            vec *restrict sums = (vec *)row_at(b.sums, b.card[entry]);
            if (part == begin + 1) /* mostly */
                climb_n(sums, b.part_reach[begin], row_at(b.show, b.part_slot[begin]), middle, even, ADVANTAGES);
            else {
                weigh_range_n(worth, begin, part, b.part_reach, b.part_slot, b.show, ADVANTAGES);
                climb_n(sums, splat(1), worth, middle, even, ADVANTAGES);
            }
            if (planned)
                for (int k = begin; k < part; k++)
                    b.part_value[k] = dot_n(row_at(b.plan, b.part_slot[k]), even, ADVANTAGES);
        }
        for (; this_cell < cell; this_cell++, start = n) {
            int16_t row = b.slot[b.live[start]];
            const vec *restrict fold = row_at(b.fold, row);
            for (n = start; n < b.cell_end[this_cell]; n += symmetric ? b.alike[n] : 1) {
                const vec *one = row_at(b.even, b.hand_card[2 * n]);
                const vec *two = row_at(b.even, b.hand_card[2 * n + 1]);
                int hand = (uint16_t)b.live[n];
                vec reach = b.reach[hand], a[ADVANTAGES];
                for (int i = 0; i < ADVANTAGES; i++) /* two cards took away the hand itself twice */
                    a[i] = (one[i] + two[i]) + reach * fold[i];
                vec best = best_of_advantages(first, a, chosen ? chosen + n * FOUR_BETS : NULL);
                value[hand] += symmetric ? best * splat(b.alike[n]) : best;
                if (planned) {
                    vec own = (b.part_value[b.hand_part[2 * n]] + b.part_value[b.hand_part[2 * n + 1]])
                              + reach * b.fold_value[row];
                    planned[hand] += symmetric ? own * splat(b.alike[n]) : own;
                }
            }
        }
    }
}
UNROLLED void best_of_board_for(const best_board *b, int first, int symmetric, vec *value, vec *planned,
                                lane_bits *chosen) {
    if (planned)
        best_of_board_n(*b, first, symmetric, value, planned, NULL);
    else if (chosen)
        best_of_board_n(*b, first, symmetric, value, NULL, chosen);
    else
        best_of_board_n(*b, first, symmetric, value, NULL, NULL);
}
static void best_of_board(const best_board *b, int first, int symmetric, vec *value, vec *planned, lane_bits *chosen) {
    if (first && symmetric)
        best_of_board_for(b, 1, 1, value, planned, chosen);
    else if (first)
        best_of_board_for(b, 1, 0, value, planned, chosen);
    else if (symmetric)
        best_of_board_for(b, 0, 1, value, planned, chosen);
    else
        best_of_board_for(b, 0, 0, value, planned, chosen);
}

#endif
