/* Rows of a table: reads and writes. This file and layout/narrow.h alone know the numbers of a table.
 *
 * An entry has one number for each line of a block. `width` is the most lines of the blocks of a round: tables do not
 * keep lanes that no block fills. Numbers are of type `real`, or of a type in layout/narrow.h.
 */
#ifndef CFR_TABLES_H
#define CFR_TABLES_H

#include "layout/narrow.h"

enum { PREFETCH_ROWS = 4 }; /* rows ahead */

/* Whether a row can be read and written in place. */
static inline int is_plain(table_row row) { return row.width == CFR_LANES && row.numbers == PLAIN; }

/* All `count` entries, in the table itself or in `scratch`. A row that is not plain is read as a whole before any
 * write: a read next to a fresh write would wait for this write. */
static inline vec *read_row(table_row row, int count, vec *scratch) {
    if (is_plain(row))
        return row.entries;
    if (row.numbers != PLAIN)
        read_narrow(&row, count, scratch);
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
        write_narrow(&row, count, entries);
        return;
    }
    real *target = row.entries;
    for (int entry = 0; entry < count; entry++, target += row.width)
        if (fits_whole(row, entry, count))
            store(target, entries[entry]);
        else
            store_first(target, entries[entry], row.width);
}

static inline void prefetch_row(table_row row, int count) {
    const char *from = row.entries;
    const char *end = from + row_bytes(row.numbers, count, row.width);
    for (; from < end; from += CACHE_LINE)
        __builtin_prefetch(from, 1);
}

#endif
