/* Rows of numbers that are narrower than `real`, float in this case.
 *
 * Writes round up or down at random: many small additions are right on average. The random bits depend on seed, row,
 * entry and line alone, not on the layout of lines.
 *
 * - bfloat16 is the upper half of a float.
 * - int8 is a multiple of the line's scale, a power of two. The exponents of the scales, with the bias of a float,
 *   stand behind the row's entries.
 * - uint8 is the same for numbers that are never negative.
 */
#ifndef CFR_NARROW_H
#define CFR_NARROW_H

#include <string.h>

#include "lanes/moves.h"
#include "layout/tree.h"

typedef enum { PLAIN, BFLOAT16, INT8, UINT8 } number_type; /* of a table: `real`, or one of the above */

/* A row on one block of lines. Sequence s is entry s - 1; the empty sequence has no entry. */
typedef struct {
    void *entries;
    int width;             /* numbers of an entry */
    uint32_t seed;         /* of what is written, unless numbers are plain */
    const lane_words *ids; /* which lines the block has */
    number_type numbers;   /* apart from the width: a load of both at once would wait for two stores */
} table_row;

static inline size_t row_bytes(number_type numbers, int count, int width) {
    if (numbers >= INT8)
        return (size_t)(count + 1) * width;
    return (size_t)count * width * (numbers == BFLOAT16 ? sizeof(uint16_t) : sizeof(real));
}

static inline uint32_t scrambled(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* Whether a whole vector from an entry on stays in the row: later entries then overwrite the surplus lanes. */
static inline int fits_whole(table_row row, int entry, int count) { return (count - entry) * row.width >= CFR_LANES; }

#if CFR_REAL_BITS == 32
static inline lane_words random_words(table_row row, int entry) {
    const lane_words random = (*row.ids ^ (row.seed + (uint32_t)entry)) * 0x9e3779b1u;
    return (random ^ random >> 15) * 0x85ebca6bu;
}

/* The halves of an entry as floats; `whole` is whether a whole vector from the entry on may be read. */
static inline vec widened(const uint16_t *source, int width, int whole) {
#if CFR_LANES == 16
    (void)whole;
    const __m256i halves = _mm256_maskz_loadu_epi16((__mmask16)((1u << width) - 1), source);
    return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
#else
#if defined(__AVX2__)
    if (whole) {
        const __m256i halves = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)source));
        return (vec)_mm256_and_si256(_mm256_slli_epi32(halves, 16), first_words(width));
    }
#endif
    (void)whole;
    lane_words words = {0};
    for (int lane = 0; lane < CFR_LANES; lane++)
        words[lane] = lane < width ? (uint32_t)source[lane] << 16 : 0;
    return (vec)words;
#endif
}

static void read_halves(table_row row, int count, vec *target) {
    const uint16_t *source = row.entries;
    for (int entry = 0; entry < count; entry++)
        target[entry] = widened(source + (size_t)entry * row.width, row.width, fits_whole(row, entry, count));
}

static void write_halves(table_row row, int count, const vec *source) {
    uint16_t *target = row.entries;
    for (int entry = 0; entry < count; entry++, target += row.width) {
        const lane_words words = ((lane_words)source[entry] + (random_words(row, entry) >> 16)) >> 16;
#if CFR_LANES == 16
        const __m256i halves = _mm512_cvtepi32_epi16((__m512i)words);
        if (fits_whole(row, entry, count))
            _mm256_storeu_si256((__m256i *)target, halves);
        else
            _mm256_mask_storeu_epi16(target, (__mmask16)((1u << row.width) - 1), halves);
#else
#if defined(__AVX2__)
        if (fits_whole(row, entry, count)) {
            const __m256i halves = _mm256_packus_epi32((__m256i)words, (__m256i)words);
            _mm_storeu_si128((__m128i *)target, _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 8)));
            continue;
        }
#endif
        for (int lane = 0; lane < row.width; lane++)
            target[lane] = (uint16_t)words[lane];
#endif
    }
}

static const uint32_t SIGN = 0x80000000u;

/* Entry `entry` of a row of bytes, signed or not; the last entry holds the exponents. */
static inline lane_numbers bytes_of(table_row row, int entry, int is_signed, int whole) {
    const int8_t *source = (const int8_t *)row.entries + (size_t)entry * row.width;
#if CFR_LANES == 16
    const __m128i bytes = _mm_maskz_loadu_epi8((__mmask16)((1u << row.width) - 1), source);
    lane_numbers numbers = (lane_numbers)_mm512_cvtepi8_epi32(bytes);
    (void)whole;
#else
    lane_numbers numbers = {0};
#if defined(__AVX2__)
    if (whole)
        numbers = (lane_numbers)_mm256_and_si256(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)source)),
                                                 first_words(row.width));
    else
#endif
        for (int lane = 0; lane < row.width; lane++)
            numbers[lane] = source[lane];
    (void)whole;
#endif
    return is_signed ? numbers : numbers & 0xff;
}

static inline void store_bytes(table_row row, int entry, lane_numbers numbers, int whole) {
    int8_t *target = (int8_t *)row.entries + (size_t)entry * row.width;
#if CFR_LANES == 16
    const __m128i bytes = _mm512_cvtepi32_epi8((__m512i)numbers);
    if (whole)
        _mm_storeu_si128((__m128i *)target, bytes);
    else
        _mm_mask_storeu_epi8(target, (__mmask16)((1u << row.width) - 1), bytes);
#else
#if defined(__AVX2__)
    if (whole) {
        const __m256i lowest = _mm256_set1_epi32(0x0c080400);
        const __m256i bytes = _mm256_shuffle_epi8((__m256i)numbers, lowest);
        const __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
        _mm_storel_epi64((__m128i *)target, _mm_unpacklo_epi32(low, high));
        return;
    }
#endif
    (void)whole;
    for (int lane = 0; lane < row.width; lane++)
        target[lane] = (int8_t)numbers[lane];
#endif
}

static inline vec magnitude(vec x) { return (vec)((lane_words)x & ~SIGN); }

static void read_bytes(table_row row, int count, vec *target) {
    const int is_signed = row.numbers == INT8;
    const vec scale = (vec)(bytes_of(row, count, 0, 0) << 23);
    for (int entry = 0; entry < count; entry++)
        target[entry] = __builtin_convertvector(bytes_of(row, entry, is_signed, fits_whole(row, entry, count)), vec) * scale;
}

/* A number in units of its scale as an integer of at most `largest`; the fraction is the probability to round up. */
static inline lane_numbers rounded(vec x, lane_words random, int largest) {
    const vec size = magnitude(x);
    lane_numbers low = __builtin_convertvector(size, lane_numbers);
    low -= (lane_numbers)(low >= largest) & 1;
    const vec share = __builtin_convertvector((lane_numbers)(random >> 8), vec) * splat(0x1p-24f);
    low += (lane_numbers)(size - __builtin_convertvector(low, vec) > share) & 1;
    const lane_numbers negative = (lane_numbers)x >> 31;
    return (low ^ negative) - negative;
}

static void write_bytes(table_row row, int count, const vec *source) {
    const int largest = row.numbers == INT8 ? INT8_MAX : UINT8_MAX;
    vec most = {0};
    for (int entry = 0; entry < count; entry++)
        most = larger(most, magnitude(source[entry]));
    const vec least = most * splat(1.0f / (real)largest);
    const lane_words exponent = ((lane_words)least + 0x7fffff) >> 23; /* up to a power of two */
    const vec inverse = (vec)((254 - exponent) << 23);
    for (int entry = 0; entry < count; entry++)
        store_bytes(row, entry, rounded(source[entry] * inverse, random_words(row, entry), largest),
                    fits_whole(row, entry, count));
    store_bytes(row, count, (lane_numbers)exponent, 0);
}

/* A row comes by its address: a copy of the structure, made of its fields, would wait for their stores. */
static __attribute__((noinline)) void read_narrow(const table_row *row, int count, vec *target) {
    if (row->numbers >= INT8)
        read_bytes(*row, count, target);
    else
        read_halves(*row, count, target);
}

static __attribute__((noinline)) void write_narrow(const table_row *row, int count, const vec *source) {
    if (row->numbers >= INT8)
        write_bytes(*row, count, source);
    else
        write_halves(*row, count, source);
}
#else
static void read_narrow(const table_row *row, int count, vec *target) { (void)row, (void)count, (void)target; }
static void write_narrow(const table_row *row, int count, const vec *source) { (void)row, (void)count, (void)source; }
#endif

#endif
