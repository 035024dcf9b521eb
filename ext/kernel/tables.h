/* Rows of tables in memory. All that reads or writes a table goes through here: the one place that knows its numbers.
 *
 * An entry has one number for each line of a block, and `width` is how many lines the blocks of a round have at most:
 * lanes that no block fills are not kept. Numbers are of type `real`, or bfloat16, the upper half of a float: then what
 * is written is rounded up or down at random, so that many small additions come out right on average. The random bits
 * depend on seed, row, entry and line alone, not on how lines are laid out.
 */
#ifndef CFR_TABLES_H
#define CFR_TABLES_H

#include "traversal.h"

enum { PREFETCH_ROWS = 4 }; /* so many rows ahead */

/* A row on one block of lines; no entry belongs to the empty sequence: sequence s is entry s - 1. */
typedef struct {
    void *entries;
    int width;             /* numbers of an entry */
    int halves;            /* whether they are bfloat16 */
    uint32_t seed;         /* of what is written, with halves */
    const lane_words *ids; /* which lines the block has */
} table_row;

static inline uint32_t scrambled(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static inline table_row row_at(const traversal *t, void *table, const betting *tree, const seat_view *seat, int row,
                               int block) {
    const size_t first = ((size_t)row * tree->blocks + block) * (seat->sequences - 1) * tree->width;
    char *entries = (char *)table + first * (t->halves ? sizeof(uint16_t) : sizeof(real));
    const uint32_t seed = t->halves ? scrambled(t->seed + 0x9e3779b9u * (uint32_t)row) : 0;
    return (table_row){table ? entries : NULL, tree->width, t->halves, seed, tree->ids + block};
}

/* Whether a row can be read and written where it lies. */
static inline int is_plain(table_row row) { return row.width == CFR_LANES && !row.halves; }

/* Whether a whole vector from an entry on stays in the row: later entries take the place of what is too much. */
static inline int fits_whole(table_row row, int entry, int count) {
    return (count - entry) * row.width >= CFR_LANES;
}

#if CFR_REAL_BITS == 32
static inline vec widened(const uint16_t *source, int width) {
#if CFR_LANES == 16
    const __m256i halves = _mm256_maskz_loadu_epi16((__mmask16)((1u << width) - 1), source);
    return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
#else
    lane_words words = {0};
    for (int lane = 0; lane < CFR_LANES; lane++)
        words[lane] = lane < width ? (uint32_t)source[lane] << 16 : 0;
    return (vec)words;
#endif
}

/* Number `entry` of a row, rounded at random: the upper halves of the words. */
static inline lane_words rounded(table_row row, int entry, vec value) {
    lane_words random = (*row.ids ^ (row.seed + (uint32_t)entry)) * 0x9e3779b1u;
    random = (random ^ random >> 15) * 0x85ebca6bu;
    return ((lane_words)value + (random >> 16)) >> 16;
}

static void read_halves(table_row row, int count, vec *target) {
    const uint16_t *source = row.entries;
    for (int entry = 0; entry < count; entry++)
        target[entry] = widened(source + (size_t)entry * row.width, row.width);
}

static void write_halves(table_row row, int count, const vec *source) {
    uint16_t *target = row.entries;
    for (int entry = 0; entry < count; entry++, target += row.width) {
        const lane_words words = rounded(row, entry, source[entry]);
#if CFR_LANES == 16
        const __m256i halves = _mm512_cvtepi32_epi16((__m512i)words);
        if (fits_whole(row, entry, count))
            _mm256_storeu_si256((__m256i *)target, halves);
        else
            _mm256_mask_storeu_epi16(target, (__mmask16)((1u << row.width) - 1), halves);
#else
        for (int lane = 0; lane < row.width; lane++)
            target[lane] = (uint16_t)words[lane];
#endif
    }
}
#else
static void read_halves(table_row row, int count, vec *target) { (void)row, (void)count, (void)target; }
static void write_halves(table_row row, int count, const vec *source) { (void)row, (void)count, (void)source; }
#endif

/* All `count` entries, in the table itself or in `scratch`: a row that is not plain is read as a whole before it is
 * written, since reading next to what was just written would wait for it. */
static inline vec *read_row(table_row row, int count, vec *scratch) {
    if (is_plain(row))
        return row.entries;
    if (row.halves)
        read_halves(row, count, scratch);
    else
        for (int entry = 0; entry < count; entry++)
            scratch[entry] = load_first((const real *)row.entries + (size_t)entry * row.width, row.width);
    return scratch;
}

/* Write back what read_row() gave. */
static inline void write_row(table_row row, int count, const vec *entries) {
    if (is_plain(row))
        return;
    if (row.halves) {
        write_halves(row, count, entries);
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
    const size_t size = (size_t)count * row.width * (row.halves ? sizeof(uint16_t) : sizeof(real));
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
    const char *end = from + (size_t)count * row.width * (row.halves ? sizeof(uint16_t) : sizeof(real));
    for (; from < end; from += CACHE_LINE)
        __builtin_prefetch(from, 1);
}

#endif
