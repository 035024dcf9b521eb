/* Lines that change their lanes from round to round.
 *
 * The leaves of a block are put together into fewer blocks, or a fixed strategy leaves many lines out: full vectors are
 * the kernel's speed. Reach has the shape (leaves or entries, hands), values (leaves or entries, width).
 */
#ifndef CFR_MOVED_LINES_H
#define CFR_MOVED_LINES_H

#include "state/visit.h"

/* Move leaves (leaves, hands) of a block to the entries (blocks, hands) of the next round's blocks that follow it: those
 * of the live hands from number `begin` to `end`. */
static void pack_reach(const visit *v, const vec *leaves, vec *entries, int begin, int end) {
    const int hands = v->t->w.hands, lines = v->tree->lines[v->at.block], blocks = v->tree->children[v->at.block];
    const int width = v->tree[1].width;
    const vec mask = first_lanes(lines), kept = first_lanes(width);
    real row[MAX_SEQUENCES * CFR_LANES] = {0};
    for (int n = begin; n < end; n++) {
        const int hand = v->b.live[n];
        for (int k = 0; k < v->tree->leaves; k++)
            store(row + k * lines, leaves[k * hands + hand] * mask);
        for (int b = 0; b < blocks; b++)
            entries[b * hands + hand] = load(row + b * width) * kept;
    }
}

static void pack_leaves(const visit *v, int begin, int end) {
    pack_reach(v, v->f->leaf_opponent, v->f->entry_opponent, begin, end);
    if (learns(v->mode))
        pack_reach(v, v->f->leaf_traverser, v->f->entry_traverser, begin, end);
}

/* Move the entries' values (blocks, width) to the values of the leaves (leaves, width). */
static void unpack_values(const visit *v, int begin, int end) {
    const vec *entries = v->f->entry_value;
    vec *leaves = v->f->leaf_value;
    const int width = v->t->width, lines = v->tree->lines[v->at.block], blocks = v->tree->children[v->at.block];
    const int per_block = v->tree[1].width;
    const vec mask = first_lanes(lines);
    real row[MAX_SEQUENCES * CFR_LANES] = {0};
    for (int n = begin; n < end; n++) {
        for (int b = 0; b < blocks; b++)
            store(row + b * per_block, entries[b * width + n]);
        for (int k = 0; k < v->tree->leaves; k++)
            leaves[k * width + n] = load(row + k * lines) * mask;
    }
}

/* List the lanes of the leaves that the opponent reaches, as leaf * CFR_LANES + lane; returns their number. */
static int reached_lanes(const visit *v, int32_t *order) {
    const int hands = v->t->w.hands;
    real reached[CFR_LANES];
    int found = 0;
    for (int k = 0; k < v->tree->leaves; k++) {
        vec sum = {0};
        for (int n = 0; n < *v->b.live_count; n++)
            sum += v->f->leaf_opponent[k * hands + v->b.live[n]];
        store(reached, sum);
        for (int lane = 0; lane < CFR_LANES; lane++)
            if (reached[lane] != 0)
                order[found++] = k * CFR_LANES + lane;
    }
    return found;
}

/* Find the sources of the lanes of one picked vector; lanes that fill the vector up repeat the first reached lane. */
static void find_lanes(const visit *v, lane_set *lanes, const int32_t *order, int begin) {
    const int block = v->at.block, moved = lines_move(v->tree, block);
    const int step = moved ? v->tree->lines[block] : CFR_LANES; /* from leaf to leaf */
    const int per_block = moved ? v->tree[1].width : CFR_LANES;
    for (int i = 0; i < CFR_LANES; i++) {
        const int from = i < lanes->size ? order[begin + i] : order[0];
        const int leaf = from / CFR_LANES, lane = from % CFR_LANES, line = leaf * step + lane;
        lanes->leaf_lane[i] = lane;
        lanes->leaf[i] = leaf * v->t->w.hands;
        lanes->value[i] = leaf * v->t->width;
        lanes->block[i] = v->tree->child[block] + line / per_block;
        lanes->lane[i] = line % per_block;
    }
}

/* Pick the lanes of the leaves that the opponent reaches, with its reach; returns the number of vectors. Nothing is
 * picked if this number is the number of blocks that follow. */
static int pick_lanes(const visit *v) {
    const frame *f = v->f;
    const int16_t *live = v->b.live;
    const int lives = *v->b.live_count, hands = v->t->w.hands;
    int32_t order[MAX_SEQUENCES * CFR_LANES];
    const int found = reached_lanes(v, order), vectors = (found + CFR_LANES - 1) / CFR_LANES;
    if (vectors == v->tree->children[v->at.block])
        return vectors;
    for (int j = 0; j < vectors; j++) {
        lane_set *lanes = &f->picked[j];
        const int rest = found - j * CFR_LANES;
        lanes->size = rest < CFR_LANES ? rest : CFR_LANES;
        find_lanes(v, lanes, order, j * CFR_LANES);
        for (int n = 0; n < lives; n++) {
            vec *target = f->picked_opponent + j * hands + live[n];
            pick(target, f->leaf_opponent + live[n], lanes->leaf, lanes->leaf_lane, 1);
            if (lanes->size < CFR_LANES) /* lanes that fill the last vector up have no reach */
                *target *= first_lanes(lanes->size);
        }
    }
    return vectors;
}

/* Add the values of picked vectors to the values of the leaves: best values, then the own plan's in mode MEASURE. */
static void put_back_values(const visit *v, int vectors) {
    const int width = v->t->width;
    for (int j = 0; j < vectors; j++) {
        const lane_set *lanes = &v->f->picked[j];
        for (int n = 0; n < *v->b.live_count; n++)
            for (int hand = v->b.live[n]; hand < width; hand += v->t->w.hands)
                put_back(v->f->leaf_value + hand, v->f->picked_value + j * width + hand, lanes->value, lanes->leaf_lane,
                         lanes->size);
    }
}

#endif
