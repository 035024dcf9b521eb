/* Loops over the columns of a row, a vector each: sums, sums weighed by reach, products.
 *
 * A column is a sequence of the traverser, a fold or an advantage. Rows stand one after the other in an array of shape
 * (rows, columns). A function whose name ends in _n is inlined with a count, mostly a constant: the compiler unrolls
 * the loop and keeps sums in registers. `layout/known_counts.h` has twins for counts known at run time.
 */
#ifndef CFR_COLUMNS_H
#define CFR_COLUMNS_H

#include "lanes/vector.h"

UNROLLED void clear_n(vec *restrict target, int count) {
    for (int i = 0; i < count; i++)
        target[i] = (vec){0};
}

UNROLLED void add_n(vec *restrict target, const vec *restrict source, int count) {
    for (int i = 0; i < count; i++)
        target[i] += source[i];
}

UNROLLED void add_scaled_n(vec *restrict target, vec x, const vec *restrict source, int count) {
    for (int i = 0; i < count; i++)
        target[i] += x * source[i];
}

UNROLLED vec dot_n(const vec *restrict one, const vec *restrict two, int count) {
    vec of_even = one[0] * two[0], of_odd = {0};
    for (int i = 1; i < count; i += 2) {
        of_odd += one[i] * two[i];
        if (i + 1 < count)
            of_even += one[i + 1] * two[i + 1];
    }
    return of_even + of_odd;
}

/* Numbers in a deal's arrays are never negative: the cast saves a sign extension. */
static inline size_t index_of(int16_t number) { return (uint16_t)number; }

/* Some columns of a table of rows, `stride` apart, and some of its rows, each with its reach. */
typedef struct {
    const vec *table;
    const int16_t *row; /* of each part */
    const vec *reach;   /* of each part */
    int stride, count;
} weighed_rows;

/* Sum of the rows of the given parts, each times its reach. */
UNROLLED void weigh_n(vec *restrict sums, const int16_t *restrict parts, int size, const weighed_rows w) {
    vec total[w.count];
    clear_n(total, w.count);
    for (int n = 0; n < size; n++) {
        size_t part = index_of(parts[n]);
        add_scaled_n(total, w.reach[part], w.table + index_of(w.row[part]) * w.stride, w.count);
    }
    for (int i = 0; i < w.count; i++)
        sums[i] = total[i];
}

/* The same for the neighbouring parts `begin` to `end`. */
UNROLLED void weigh_range_n(vec *restrict sums, int begin, int end, const weighed_rows w) {
    clear_n(sums, w.count);
    for (int n = begin; n < end; n++)
        add_scaled_n(sums, w.reach[n], w.table + index_of(w.row[n]) * w.stride, w.count);
}

/* Sums of reach over `size` hands each, for `count` parts; the hands of the parts follow each other. */
UNROLLED void sum_hands_n(vec *restrict sums, const int16_t *restrict parts, int count, const int16_t *restrict hands,
                          const vec *restrict reach, int size) {
    for (int k = 0; k < count; k++, hands += size) {
        vec sum = reach[index_of(hands[0])];
        for (int i = 1; i < size; i++)
            sum += reach[index_of(hands[i])];
        sums[index_of(parts[k])] = sum;
    }
}
static inline void sum_hands(vec *restrict sums, const int16_t *restrict parts, int count,
                             const int16_t *restrict hands, const vec *restrict reach, int size) {
#define CALL(n) sum_hands_n(sums, parts, count, hands, reach, n)
    switch (size) {
    case 1: CALL(1); break;
    case 2: CALL(2); break;
    case 3: CALL(3); break;
    case 4: CALL(4); break;
    default: CALL(size);
    }
#undef CALL
}

/* Sum of reach over any hands. */
static inline vec sum_of(const int16_t *restrict hands, int count, const vec *restrict reach) {
    vec of_even = {0}, of_odd = {0};
    int n = 0;
    for (; n + 1 < count; n += 2) {
        of_even += reach[index_of(hands[n])];
        of_odd += reach[index_of(hands[n + 1])];
    }
    return n < count ? of_even + of_odd + reach[index_of(hands[n])] : of_even + of_odd;
}

/* What the edges of a card are worth to the traverser. */
typedef struct {
    const vec *plan; /* (columns,) */
    vec *gradient;   /* (columns,), or NULL */
    vec count;       /* of the traverser's hands that hold the card */
} earner;

/* Let one card's sums pass the tie group's hands, worth `reach * worth`, as pass_hands_n() does; returns the product of
 * plan and edges, as dot_n() does. No edge is stored. */
UNROLLED vec pass_and_earn_n(vec *restrict sums, vec reach, const vec *restrict worth, const vec *restrict middle,
                             const earner e, int count) {
    vec of_even = {0}, of_odd = {0};
    for (int i = 0; i < count; i++) {
        const vec step = reach * worth[i], half_way = sums[i] + step, edge = middle[i] - half_way;
        sums[i] = half_way + step;
        if (i == 0)
            of_even = e.plan[i] * edge;
        else if (i % 2)
            of_odd += e.plan[i] * edge;
        else
            of_even += e.plan[i] * edge;
        if (e.gradient)
            e.gradient[i] += e.count * edge;
    }
    return of_even + of_odd;
}

/* Let one card's sums pass the tie group's hands, worth `reach * worth`: `edge` is `middle` less the sums half way. */
UNROLLED void pass_hands_n(vec *restrict sums, vec reach, const vec *restrict worth, const vec *restrict middle,
                           vec *restrict edge, int count) {
    for (int i = 0; i < count; i++) {
        vec step = reach * worth[i], half_way = sums[i] + step;
        sums[i] = half_way + step;
        edge[i] = middle[i] - half_way;
    }
}

/* The same for a tie group without reach. */
UNROLLED void pass_nobody_n(const vec *restrict sums, const vec *restrict middle, vec *restrict edge, int count) {
    for (int i = 0; i < count; i++)
        edge[i] = middle[i] - sums[i];
}

#endif
