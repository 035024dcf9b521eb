/* Rows of tables in memory. All that reads or writes a table goes through here: the one place that knows its numbers.
 *
 * Today an entry is a vec, so that a row can be read where it lies.
 */
#ifndef CFR_TABLES_H
#define CFR_TABLES_H

#include "traversal.h"

enum { PREFETCH_ROWS = 4 }; /* so many rows ahead */

/* A row on one block of lines; no entry belongs to the empty sequence: sequence s is entry s - 1. */
typedef struct {
    vec *entries;
} table_row;

static inline table_row row_at(real *table, const betting *tree, const seat_view *seat, int row, int block) {
    return (table_row){(vec *)table + ((size_t)row * tree->blocks + block) * (seat->sequences - 1)};
}

UNROLLED vec read_entry(table_row row, int entry) { return row.entries[entry]; }
UNROLLED void write_entry(table_row row, int entry, vec value) { row.entries[entry] = value; }

/* All `count` entries, in the table itself or in `scratch`. */
UNROLLED const vec *read_row(table_row row, int count, vec *scratch) {
    (void)count, (void)scratch;
    return row.entries;
}

/* All `count` entries of lanes picked from several blocks; `row` is that of block 0. */
static inline void read_picked(table_row row, int count, const lane_set *lanes, vec *target) {
    int32_t at[CFR_LANES];
    for (int i = 0; i < CFR_LANES; i++)
        at[i] = lanes->block[i] * count;
    pick(target, row.entries, at, lanes->lane, count);
}

static inline void prefetch_row(table_row row, int count) { prefetch(row.entries, count); }

#endif
