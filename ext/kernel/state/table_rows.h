/* Where a traversal finds the rows of its tables, whose shape is (rows, blocks, entries, width).
 *
 * Entries are a seat's sequences without the empty one.
 */
#ifndef CFR_TABLE_ROWS_H
#define CFR_TABLE_ROWS_H

#include "state/visit.h"

static inline table_row row_at(const traversal *t, void *table, const betting *tree, const seat_view *seat, int row,
                               int block) {
    const int round = (int)(tree - t->w.tree);
    const number_type numbers = t->numbers[round];
    const size_t before = (size_t)row * tree->blocks + block;
    char *entries = (char *)table + before * row_bytes(numbers, seat->sequences - 1, tree->width);
    const uint32_t number = t->first_row[round] + (uint32_t)row;
    const uint32_t seed = numbers != PLAIN ? scrambled(t->seed + 0x9e3779b9u * number) : 0;
    return (table_row){table ? entries : NULL, tree->width, seed, tree->ids + block, numbers};
}

/* All `count` entries of lanes picked from several blocks; `row` is that of block 0. */
static inline void read_picked(table_row row, int count, const lane_set *lanes, vec *target) {
    int32_t at[CFR_LANES];
    if (is_plain(row)) {
        for (int i = 0; i < CFR_LANES; i++)
            at[i] = lanes->block[i] * count;
        pick(target, row.entries, at, lanes->lane, count);
        return;
    }
    vec scratch[MAX_SEQUENCES], here[MAX_SEQUENCES];
    const size_t size = row_bytes(row.numbers, count, row.width);
    char *const first = row.entries;
    memset(at, 0, sizeof(at));
    for (int i = 0; i < CFR_LANES; i++) {
        if (i && lanes->block[i] == lanes->block[i - 1])
            continue;
        lane_bits wanted = 0;
        for (int j = 0; j < CFR_LANES; j++)
            wanted |= (lane_bits)((lanes->block[j] == lanes->block[i]) << j);
        row.entries = first + lanes->block[i] * size;
        pick(here, read_row(row, count, scratch), at, lanes->lane, count);
        for (int entry = 0; entry < count; entry++)
            target[entry] = i ? in_lanes(wanted, here[entry]) + in_lanes(~wanted, target[entry]) : here[entry];
    }
}

/* The traverser's rows in the tables, for one hand or for all hands that share the row. */
typedef struct {
    table_row regrets, accumulated, average; /* the last two may have no entries */
} traverser_rows;

static inline traverser_rows traverser_rows_at(const traversal *t, const place *at, int row) {
    const betting *tree = &t->w.tree[at->round];
    const seat_view *traverser = &tree->seats[t->seat];
    traverser_rows found = {
        .regrets = row_at(t, t->source[at->round][t->seat], tree, traverser, row, at->block),
        .accumulated = row_at(t, t->accumulated[at->round], tree, traverser, row, at->block),
        .average = row_at(t, t->average[at->round], tree, traverser, row, at->block),
    };
    if (found.regrets.numbers == INT8)
        found.average.numbers = found.accumulated.numbers = UINT8; /* never negative */
    found.average.seed = ~found.regrets.seed;                      /* regrets and average round independently */
    found.accumulated.seed = scrambled(found.regrets.seed);
    return found;
}

#endif
