/* Vector arithmetic over betting lines.
 *
 * A `vec` holds CFR_LANES neighbouring betting lines of one round. The compiler lowers a `vec` to the target's
 * registers (two of SSE, one of AVX or, with 16 lanes, one of AVX-512 for float), lane by lane and without contraction.
 * Every build of the same real type therefore computes the same bits.
 */
#ifndef CFR_VECTOR_H
#define CFR_VECTOR_H

#include <float.h>
#include <stdint.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#ifndef CFR_REAL
#define CFR_REAL float
#define CFR_REAL_BITS 32
#endif
#ifndef CFR_LANES
#if defined(__AVX512DQ__) && CFR_REAL_BITS == 32
#define CFR_LANES 16
#else
#define CFR_LANES 8
#endif
#endif
#define CFR_SMALLEST (sizeof(CFR_REAL) == 4 ? (CFR_REAL)FLT_MIN : (CFR_REAL)DBL_MIN)

typedef CFR_REAL real;
typedef real vec __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real))));
typedef real loose_vec __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef real loose_real __attribute__((may_alias));
#if CFR_REAL_BITS == 32
typedef int32_t lane_numbers __attribute__((vector_size(CFR_LANES * sizeof(real))));
typedef uint32_t lane_words __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real))));
#else
typedef uint64_t lane_words __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real))));
typedef int64_t lane_numbers __attribute__((vector_size(CFR_LANES * sizeof(real))));
#endif
#if CFR_LANES == 16
typedef uint16_t lane_bits; /* one for each lane */
#else
typedef uint8_t lane_bits;
#endif
#define ALL_LANES ((lane_bits)~0)

/* Functions and loops that the compiler inlines, with constant counts, and unrolls. */
#define UNROLLED static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

static inline vec splat(real x) { return (vec){0} + x; }

/* Functions for which a target has its own instructions, with the same results. A `vec_mask` holds a truth value for
 * each lane. keep() has x in true lanes and 0 elsewhere. bits_of() turns a mask into one bit per lane, and in_lanes()
 * is keep() for such bits. */
#if CFR_LANES == 16
typedef __mmask16 vec_mask;
static inline vec_mask at_least(vec a, vec b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GE_OQ); }
static inline int any_nonzero(vec x) { return _mm512_cmp_ps_mask((__m512)x, _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0; }
static inline lane_bits bits_of(vec_mask mask) { return mask; }
static inline vec keep(vec_mask mask, vec x) { return (vec)_mm512_maskz_mov_ps(mask, (__m512)x); }
static inline vec in_lanes(lane_bits bits, vec x) { return keep(bits, x); }
static inline vec larger(vec a, vec b) { return (vec)_mm512_max_ps((__m512)a, (__m512)b); }
static inline vec positive(vec x) { return larger(x, (vec){0}); }
#else
typedef __typeof__((vec){0} > (vec){0}) vec_mask;
static inline vec_mask at_least(vec a, vec b) { return a >= b; }
static inline vec keep(vec_mask mask, vec x) { return (vec)(mask & (vec_mask)x); }
static inline vec in_lanes(lane_bits bits, vec x) {
    const lane_numbers one = {1, 2, 4, 8, 16, 32, 64, 128};
    return (vec)((lane_numbers)((one & bits) == one) & (lane_numbers)x);
}
#if defined(__AVX__) && CFR_REAL_BITS == 32
static inline int any_nonzero(vec x) { return __builtin_ia32_movmskps256((__v8sf)(x != (vec){0})) != 0; }
static inline lane_bits bits_of(vec_mask mask) { return (lane_bits)__builtin_ia32_movmskps256((__v8sf)mask); }
static inline vec larger(vec a, vec b) { return (vec)__builtin_ia32_maxps256((__v8sf)a, (__v8sf)b); }
static inline vec positive(vec x) { return larger(x, (vec){0}); }
#else
static inline lane_bits bits_of(vec_mask mask) {
    lane_bits bits = 0;
    for (int lane = 0; lane < CFR_LANES; lane++)
        bits |= (lane_bits)((mask[lane] & 1) << lane);
    return bits;
}
static inline int any_nonzero(vec x) {
    vec_mask some = x != (vec){0};
    int any = 0;
    for (int lane = 0; lane < CFR_LANES; lane++)
        any |= some[lane] != 0;
    return any;
}
static inline vec larger(vec a, vec b) { return (vec)((vec_mask)keep(a > b, a) | (vec_mask)keep(~(a > b), b)); }
static inline vec positive(vec x) { return keep(x > (vec){0}, x); }
#endif
#endif

/* 1 / x where x is a positive normal number, else 0: the inverse of a subnormal number may be infinite. */
static inline vec inverse_or_zero(vec x) {
    vec_mask some = at_least(x, splat(CFR_SMALLEST));
    return keep(some, splat(1) / (keep(some, x) + keep(~some, splat(1))));
}

/* `value` where inverse_or_zero(x) is 0: where x is not a positive normal number; else 0. */
static inline vec where_not_positive(vec x, real value) {
    return keep(~at_least(x, splat(CFR_SMALLEST)), splat(value));
}

/* The first `count` lanes are 1, the others 0. */
static inline vec first_lanes(int count) {
    vec mask = {0};
    for (int lane = 0; lane < CFR_LANES && lane < count; lane++)
        mask[lane] = 1;
    return mask;
}

#endif
