/* Rows of tables in memory. All reads and writes of a table use this file, which alone knows a table's numbers.
 *
 * An entry has one number for each line of a block. `width` is the most lines of the blocks of a round: tables do not
 * keep lanes that no block fills. Numbers are of type `real`, or of a type in narrow.h.
 */
#ifndef CFR_TABLES_H
#define CFR_TABLES_H

#include "narrow.h"

enum { PREFETCH_ROWS = 4 }; /* rows ahead */

static inline table_row row_at(const traversal *t, void *table, const betting *tree, const seat_view *seat, int row,
                               int block) {
    const int round = (int)(tree - t->w.tree);
    const number_type numbers = t->numbers[round];
    const size_t before = (size_t)row * tree->blocks + block;
    char *entries = (char *)table + before * row_bytes(numbers, seat->sequences - 1, tree->width);
    const uint32_t number = t->first_row[round] + (uint32_t)row;
    const uint32_t seed = numbers != PLAIN ? scrambled(t->seed + 0x9e3779b9u * number) : 0;
    return (table_row){table ? entries : NULL, tree->width, numbers, seed, tree->ids + block};
}

/* Whether a row can be read and written in place. */
static inline int is_plain(table_row row) { return row.width == CFR_LANES && row.numbers == PLAIN; }

/* All `count` entries, in the table itself or in `scratch`. A row that is not plain is read as a whole before any
 * write: a read next to a fresh write would wait for this write. */
static inline vec *read_row(table_row row, int count, vec *scratch) {
    if (is_plain(row))
        return row.entries;
    if (row.numbers != PLAIN)
        read_narrow(row, count, scratch);
    else
        for (int entry = 0; entry < count; entry++)
            scratch[entry] = load_first((const real *)row.entries + (size_t)entry * row.width, row.width);
    return scratch;
}

/* Write back the entries from read_row(). */
static inline void write_row(table_row row, int count, const vec *entries) {
    if (is_plain(row))
        return;
    if (row.numbers != PLAIN) {
        write_narrow(row, count, entries);
        return;
    }
    real *target = row.entries;
    for (int entry = 0; entry < count; entry++, target += row.width)
        if (fits_whole(row, entry, count))
            store(target, entries[entry]);
        else
            store_first(target, entries[entry], row.width);
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

static inline void prefetch_row(table_row row, int count) {
    const char *from = row.entries;
    const char *end = from + row_bytes(row.numbers, count, row.width);
    for (; from < end; from += CACHE_LINE)
        __builtin_prefetch(from, 1);
}

#endif
