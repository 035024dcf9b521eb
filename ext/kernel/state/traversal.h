/* The input of a traversal: a game, its boards and tables, and the scratch of its threads.
 *
 * Arrays of reach have the shape (blocks, hands), arrays of values (blocks, width): a vector of lines each.
 */
#ifndef CFR_TRAVERSAL_H
#define CFR_TRAVERSAL_H

#include "layout/boards.h"
#include "layout/tables.h"
#include "state/frame.h"
#include "state/modes.h"

/* A game, and scratch for its threads. */
typedef struct {
    int rounds, hands, hole, first_card, threads;
    int ends;             /* the most last boards of a root with remembered choices */
    int batch;            /* the most boards of a batch, see round/batch.h */
    const int16_t *cards; /* (hands, hole) */
    betting *tree;        /* (rounds,) */
    frame *frames;        /* (threads, rounds) */
    vec *waiting;         /* (BATCH, width) values of boards visited side by side */
    lane_bits
        *chosen; /* (batch * ends, last round's blocks, live hands, sequences), see round/choices.h; NULL before use */
} workspace;

/* One traversal, prepared: a workspace, and the boards and tables of the rounds from the first. */
typedef struct {
    workspace w;
    traversal_mode mode;
    int seat, first_round;
    int width;                       /* of arrays of values: hands, or twice as many */
    int disjoint;                    /* no two boards of a round share a row */
    int planned;                     /* tables hold realisation plans */
    int ends;                        /* last boards whose choices are remembered at once, in modes RESPOND and MEET */
    number_type numbers[MAX_ROUNDS]; /* of each round's tables */
    uint32_t seed;                   /* of the tables' rounding in this run */
    uint32_t first_row[MAX_ROUNDS];  /* number of each table's first row, for the rounding alone */
    vec *carried; /* (second round's blocks, width) values of earlier pieces of the second round's boards, or NULL */
    int goes_on;  /* whether a later piece follows: the first round then waits for it */
    double scale;
    real weight;                       /* of this traversal in the average strategy */
    real keep_positive, keep_negative; /* factors on regrets after this traversal's are added */
    boards deal[MAX_ROUNDS];
    void *source[MAX_ROUNDS][2];   /* regrets or probabilities: the strategy is their positive part, normalised */
    void *average[MAX_ROUNDS];     /* the traverser's average strategy, or NULL */
    void *accumulated[MAX_ROUNDS]; /* the traverser's accumulated regrets where its source predicts, or NULL */
    const vec *opponent_reach, *traverser_reach; /* (the first round's blocks, hands) */
    vec *value;                                  /* (the first round's blocks, width) */
} traversal;

enum { BATCH = 64 }; /* boards whose values wait for their turn to be added */

/* Scratch of all threads; 0 if memory runs out. */
static int make_frames(workspace *w, arena *memory) {
    if (!(w->frames = take(memory, (size_t)w->threads * w->rounds, sizeof(frame))))
        return 0;
    for (int i = 0; i < w->threads * w->rounds; i++)
        if (!make_frame(memory, &w->frames[i], &w->tree[i % w->rounds], w->hands, w->hole))
            return 0;
    return (w->waiting = take(memory, (size_t)BATCH * 2 * w->hands, sizeof(vec))) != NULL;
}

/* Room for choices, taken on first use; 0 if memory runs out. */
static int make_choices(workspace *w, arena *memory) {
    const betting *last = &w->tree[w->rounds - 1];
    size_t sequences = largest(last->seats[0].sequences, last->seats[1].sequences);
    if (!w->chosen)
        w->chosen = take(memory, (size_t)w->batch * w->ends * last->blocks * w->hands * sequences, sizeof(lane_bits));
    return w->chosen != NULL;
}

#endif
