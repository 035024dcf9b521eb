/* Nearest centroid among many, a vector of centroids at a time, with the instruction set chosen at run time.
 *
 * Features and centroids are integers of at most 1023 in at most 16 dimensions, kept as float: every product, partial
 * sum and score (half the squared distance, up to a constant of x) is a multiple of one half of at most 2^23, so float
 * arithmetic is exact and the answer does not depend on vector width, order or fused operations. */
#ifndef CFR_NEAREST_H
#define CFR_NEAREST_H

#include <stdint.h>

#define MAX_DIMS 16
#define BLOCK 16 /* centroids in a block */
#define NEVER 67108864.0f /* above every score; the half norm of the fillers of a block */

/* A block is (1 + dims) x BLOCK floats: half the squared norms, then the coordinates, dimension by dimension. Group g
 * owns the fine blocks first_block[g] up to first_block[g + 1]; `labels` holds the label of each fine centroid. */
typedef struct {
    const float *coarse;
    int coarse_blocks;
    const float *fine;
    const int32_t *first_block;
    const int32_t *labels;
} centroid_tree;

#define LANES 4
#define NAME(x) x##_base
#include "nearest_lanes.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define CFR_NEAREST_WIDE 1
#pragma GCC push_options
#pragma GCC target("avx2")
#define LANES 8
#define NAME(x) x##_avx2
#include "nearest_lanes.h"
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")
#define LANES 16
#define NAME(x) x##_avx512
#include "nearest_lanes.h"
#pragma GCC pop_options
#endif

/* Labels of `count` feature vectors; entries of `out` that are negative beforehand stay. `level` caps the
 * instruction set: 0 base, 1 AVX2, 2 AVX-512. */
static void place_hands(const uint16_t *features, int count, int dims, const centroid_tree *tree, int level,
                        int32_t *out)
{
#ifdef CFR_NEAREST_WIDE
    if (level >= 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl")) {
        place_hands_avx512(features, count, dims, tree, out);
        return;
    }
    if (level >= 1 && __builtin_cpu_supports("avx2")) {
        place_hands_avx2(features, count, dims, tree, out);
        return;
    }
#endif
    (void)level;
    place_hands_base(features, count, dims, tree, out);
}

#endif
