/* Lanes to and from memory: whole vectors, the first lanes of a vector, and lanes picked from anywhere.
 *
 * Tables keep only the lanes that some block fills, and lines change their lanes from round to round. Only these
 * functions access the same memory as vectors and as single reals.
 */
#ifndef CFR_MOVES_H
#define CFR_MOVES_H

#include <stddef.h>

#include "lanes/vector.h"

#define CACHE_LINE ((size_t)64)

/* A whole vector. */
static inline void store(real *target, vec x) { *(loose_vec *)target = x; }
static inline vec load(const real *source) { return *(const loose_vec *)source; }

/* The same for the first `count` lanes alone; other lanes are read as 0. */
#if CFR_LANES == 16
static inline vec load_first(const real *source, int count) {
    return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), source);
}
static inline void store_first(real *target, vec x, int count) {
    _mm512_mask_storeu_ps(target, (__mmask16)((1u << count) - 1), (__m512)x);
}
#else
#if defined(__AVX2__) && CFR_REAL_BITS == 32
static inline __m256i first_words(int count) {
    static const int32_t words[2 * CFR_LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(words + CFR_LANES - count));
}
static inline vec load_first(const real *source, int count) {
    return (vec)_mm256_maskload_ps(source, first_words(count));
}
#else
static inline vec load_first(const real *source, int count) {
    vec x = {0};
    for (int lane = 0; lane < CFR_LANES; lane++)
        x[lane] = lane < count ? ((const loose_real *)source)[lane] : 0;
    return x;
}
#endif
static inline void store_first(real *target, vec x, int count) {
    for (int lane = 0; lane < CFR_LANES; lane++)
        if (lane < count)
            ((loose_real *)target)[lane] = x[lane];
}
#endif

/* CFR_LANES lanes from anywhere: number `lane[i]` of vector `place[i]`, then of the `count - 1` vectors that follow it.
 * Vectors are put together in registers: stores of single lanes would stall the next read of the vector. */
#if CFR_LANES == 16
static inline void pick(vec *target, const vec *source, const int32_t *place, const int32_t *lane, int count) {
    __m512i at = _mm512_add_epi32(_mm512_slli_epi32(_mm512_loadu_si512(place), 4), _mm512_loadu_si512(lane));
    for (int k = 0; k < count; k++)
        target[k] = (vec)_mm512_i32gather_ps(at, source + k, sizeof(real));
}
#else
static inline void pick(vec *target, const vec *source, const int32_t *place, const int32_t *lane, int count) {
    const loose_real *from[CFR_LANES];
    for (int i = 0; i < CFR_LANES; i++)
        from[i] = (const loose_real *)source + (size_t)place[i] * CFR_LANES + lane[i];
    for (int k = 0; k < count; k++) {
        int at = k * CFR_LANES;
        target[k] = (vec){from[0][at], from[1][at], from[2][at], from[3][at],
                          from[4][at], from[5][at], from[6][at], from[7][at]};
    }
}
#endif

/* Add picked lanes to their sources; only the first `size` lanes. */
static inline void put_back(vec *target, const vec *source, const int32_t *place, const int32_t *lane, int size) {
    loose_real *out = (loose_real *)target;
    const loose_real *reals = (const loose_real *)source;
    for (int i = 0; i < size; i++)
        out[(size_t)place[i] * CFR_LANES + lane[i]] += reals[i];
}

#endif
