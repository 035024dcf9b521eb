/* Vector arithmetic over betting lines.
 *
 * A `vec` holds CFR_LANES neighbouring betting lines of one round. The compiler lowers it to whatever the target has
 * (two SSE, one AVX or half an AVX-512 register for float), lane by lane and without contraction, so that every build
 * of the same real type computes the same bits.
 */
#ifndef CFR_VECTOR_H
#define CFR_VECTOR_H

#include <stdint.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#ifndef CFR_REAL
#define CFR_REAL float
#define CFR_REAL_BITS 32
#endif
#define CFR_LANES 8

typedef CFR_REAL real;
typedef real vec __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real))));
typedef real loose_vec __attribute__((vector_size(CFR_LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef __typeof__((vec){0} > (vec){0}) vec_mask;

static inline vec splat(real x) { return (vec){0} + x; }

/* a where mask, else b. */
static inline vec choose(vec_mask mask, vec a, vec b) {
    return (vec)((mask & (vec_mask)a) | (~mask & (vec_mask)b));
}

static inline vec positive(vec x) { return (vec)((x > (vec){0}) & (vec_mask)x); }

static inline vec larger(vec a, vec b) { return choose(a > b, a, b); }

/* 1 / x where x is positive, else 0. */
static inline vec inverse_or_zero(vec x) {
    vec_mask some = x > (vec){0};
    return (vec)(some & (vec_mask)(splat(1) / choose(some, x, splat(1))));
}

/* `value` where x is not positive, else 0. */
static inline vec where_not_positive(vec x, real value) { return (vec)(~(x > (vec){0}) & (vec_mask)splat(value)); }

/* The first `count` lanes are 1, the others 0. */
static inline vec first_lanes(int count) {
    vec mask = {0};
    for (int lane = 0; lane < CFR_LANES && lane < count; lane++)
        mask[lane] = 1;
    return mask;
}

static inline int any_nonzero(vec x) {
    vec_mask some = x != (vec){0};
#if defined(__AVX__) && CFR_REAL_BITS == 32
    return __builtin_ia32_movmskps256((__v8sf)some) != 0;
#endif
    int any = 0;
    for (int lane = 0; lane < CFR_LANES; lane++)
        any |= some[lane] != 0;
    return any;
}

/* Ask for `count` vectors that will be wanted soon. */
static inline void prefetch(const vec *first, int count) {
    for (int i = 0; i < count; i += 2)
        __builtin_prefetch(first + i, 1);
}

/* To and from single reals: only these may see the same memory both ways. */
static inline void store(real *target, vec x) { *(loose_vec *)target = x; }
static inline vec load(const real *source) { return *(const loose_vec *)source; }

#endif
