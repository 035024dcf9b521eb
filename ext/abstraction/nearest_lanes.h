/* The body of nearest.h for vectors of LANES floats (4, 8 or 16). nearest.h includes this file once per instruction
 * set, with LANES and NAME(x) defined, and switches on sets other than the default. */

typedef float NAME(floats) __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t NAME(ints) __attribute__((vector_size(4 * LANES), aligned(4)));

#define PARTS (BLOCK / LANES)

/* Keep the lower score lane by lane; of equal scores, the lower index. */
#define KEEP_LEAST(score, index, other_score, other_index)                                                  \
    do {                                                                                                    \
        const NAME(floats) other = (other_score);                                                           \
        const NAME(ints) other_at = (other_index);                                                          \
        const NAME(ints) better = (other < score) | ((other == score) & (other_at < index));                \
        score = (NAME(floats))(((NAME(ints))other & better) | ((NAME(ints))score & ~better));               \
        index = (other_at & better) | (index & ~better);                                                    \
    } while (0)

static inline __attribute__((always_inline)) int32_t NAME(nearest)(const float *x, const float *block,
                                                                    int num_blocks, int dims)
{
    NAME(floats) least[PARTS];
    NAME(ints) where[PARTS], lane;
    for (int i = 0; i < LANES; i++)
        lane[i] = i;
    for (int part = 0; part < PARTS; part++) {
        least[part] = (NAME(floats)){0} + NEVER;
        where[part] = (NAME(ints)){0};
    }
    for (int b = 0; b < num_blocks; b++, block += (1 + dims) * BLOCK) {
#pragma GCC unroll 4
        for (int part = 0; part < PARTS; part++) {
            const float *column = block + part * LANES;
            NAME(floats) score = *(const NAME(floats) *)column;
#pragma GCC unroll 16
            for (int d = 0; d < dims; d++)
                score -= x[d] * *(const NAME(floats) *)(column + (1 + d) * BLOCK);
            const NAME(ints) better = score < least[part];
            least[part] = (NAME(floats))(((NAME(ints))score & better) | ((NAME(ints))least[part] & ~better));
            where[part] = (((NAME(ints)){0} + b) & better) | (where[part] & ~better);
        }
    }
    NAME(floats) score = least[0];
    NAME(ints) index = where[0] * BLOCK + lane;
#pragma GCC unroll 4
    for (int part = 1; part < PARTS; part++)
        KEEP_LEAST(score, index, least[part], where[part] * BLOCK + lane + part * LANES);
#ifdef __clang__
    for (int i = 1; i < LANES; i++)
        if (score[i] < score[0] || (score[i] == score[0] && index[i] < index[0])) {
            score[0] = score[i];
            index[0] = index[i];
        }
#else
#pragma GCC unroll 4
    for (int step = LANES / 2; step > 0; step /= 2)
        KEEP_LEAST(score, index, __builtin_shuffle(score, lane ^ step), __builtin_shuffle(index, lane ^ step));
#endif
    return index[0];
}

static inline __attribute__((always_inline)) void NAME(place)(const uint16_t *features, int count, int dims,
                                                               const centroid_tree *tree, int32_t *out)
{
    float x[MAX_DIMS];
    for (int i = 0; i < count; i++) {
        if (out[i] < 0)
            continue;
        for (int d = 0; d < dims; d++)
            x[d] = features[i * dims + d];
        const int32_t group = NAME(nearest)(x, tree->coarse, tree->coarse_blocks, dims);
        const int32_t first = tree->first_block[group], blocks = tree->first_block[group + 1] - first;
        const int32_t inside = NAME(nearest)(x, tree->fine + first * (1 + dims) * BLOCK, blocks, dims);
        out[i] = tree->labels[first * BLOCK + inside];
    }
}

static void NAME(place_hands)(const uint16_t *features, int count, int dims, const centroid_tree *tree, int32_t *out)
{
    if (dims == 8)
        NAME(place)(features, count, 8, tree, out);
    else if (dims == 16)
        NAME(place)(features, count, 16, tree, out);
    else
        NAME(place)(features, count, dims, tree, out);
}

#undef KEEP_LEAST
#undef PARTS
#undef LANES
#undef NAME
