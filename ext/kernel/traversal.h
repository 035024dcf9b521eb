/* The input of a traversal, and the scratch of its threads. */
#ifndef CFR_TRAVERSAL_H
#define CFR_TRAVERSAL_H

#include "advantages.h"
#include "arena.h"
#include "boards.h"
#include "modes.h"

enum { BATCH = 64 }; /* boards whose values wait for their turn to be added */

typedef enum { PLAIN, BFLOAT16, INT8, UINT8 } number_type; /* of a table: `real`, or see tables.h */

/* The sources of the lanes of a vector; only the first `size` lanes are wanted. */
typedef struct {
    int size;
    int32_t block[CFR_LANES], lane[CFR_LANES]; /* of tables and chips */
    int32_t leaf[CFR_LANES];                   /* place of the leaf's first vector of reach */
    int32_t value[CFR_LANES];                  /* place of the leaf's first vector of values */
    int32_t leaf_lane[CFR_LANES];              /* lane in these vectors */
} lane_set;

/* Scratch of one thread for one round: X(name, number of vectors). The numbers depend on the larger of both seats'
 * `sequences`, `folds` and `shows`, and on `leaves`, `entries` (blocks that follow one block if lines move together),
 * `hands` and `parts`. Arrays of values have twice as many vectors as hands, for mode MEASURE. */
#define FRAME_VECTORS(X) \
    X(chips, 2 * sequences) /* (shows + folds,) times the probability of the board */ \
    X(leaf_plan, hands * leaves) /* (rows, leaves) the opponent's plan at the leaves */ \
    X(show_worth, hands * sequences) /* (rows, columns) the traverser's winnings from one hand at showdowns */ \
    X(start_worth, hands * sequences) /* (rows, columns) winnings from a hand that beats all: folds minus shows */ \
    X(fold_worth, hands * folds) /* (rows, folds or columns) winnings by folds */ \
    X(own_plan, hands * sequences) /* (rows, columns) */ \
    X(fold_value, hands) /* (rows,) own plan times fold worth */ \
    X(strategy, hands * sequences) /* (rows, sequences) probability of each sequence's last action */ \
    X(gradient, hands * sequences) /* (rows, sequences) */ \
    X(row_reach, hands) /* (rows,) the traverser's */ \
    X(row_opponent, hands) /* (rows,) the opponent's */ \
    X(card_sum, CARDS * sequences) /* (cards, columns) D[c] */ \
    X(edge, CARDS * sequences) /* (cards, columns) E[c]; in the last round of the cards of one tie group */ \
    X(card_step, shows ? CARDS * sequences : 0) /* (cards, columns) what a tie group adds to D[c] */ \
    X(cell_reach, hands) /* (cells,) the opponent's */ \
    X(part_reach, parts) /* (parts,) the opponent's */ \
    X(part_value, parts) /* (parts,) */ \
    X(hand_value, shows ? hands : 0) /* (live hands,) worth of folds against the same hand */ \
    X(leaf_opponent, leaves * hands) /* (leaves, hands) reach */ \
    X(leaf_own, leaves * hands) \
    X(leaf_value, leaves * 2 * hands) /* (leaves, width) */ \
    X(entry_opponent, entries * hands) /* (entries, hands) reach */ \
    X(entry_own, entries * hands) \
    X(entry_value, entries * 2 * hands) /* (entries, width) */ \
    X(class_sum, hands) /* (classes,) */ \
    X(picked_opponent, leaves * hands) /* (lane sets, hands) reach */ \
    X(picked_value, leaves * 2 * hands) /* (lane sets, width) */

#define MEMBER(name, vectors) vec *name;
typedef struct {
    FRAME_VECTORS(MEMBER)
    lane_set *picked; /* (leaves,) */
} frame;
#undef MEMBER

/* A game, and scratch for its threads. */
typedef struct {
    int rounds, hands, hole, first_card, threads;
    int ends;             /* the most last boards of a root with remembered choices */
    int batch;            /* the most boards of a batch, see batch.h */
    const int16_t *cards; /* (hands, hole) */
    betting *tree;        /* (rounds,) */
    frame *frames;        /* (threads, rounds) */
    vec *waiting;         /* (BATCH, width) values of boards visited side by side */
    lane_bits *chosen;    /* (batch * ends, last round's blocks, live hands, sequences), see choices.h; NULL before use */
} workspace;

/* One traversal, prepared: a workspace, and the boards and tables of the rounds from the first. */
typedef struct {
    workspace w;
    traversal_mode mode;
    int seat, first_round;
    int width;    /* of arrays of values: hands, or twice as many */
    int disjoint; /* no two boards of a round share a row */
    int planned;  /* tables hold realisation plans */
    int ends;     /* last boards whose choices are remembered at once, in modes RESPOND and MEET */
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
    const vec *opponent_reach, *own_reach; /* (the first round's blocks, hands) */
    vec *value;                            /* (the first round's blocks, width) */
} traversal;

static inline int largest(int a, int b) { return a > b ? a : b; }

/* Whether the lines of all leaves of a block move together into fewer blocks; if not, each leaf has its own block. */
static inline int lines_move(const betting *tree, int block) { return tree->children[block] < tree->leaves; }

/* A thread's scratch for a round; 0 if memory runs out. */
static int make_frame(const workspace *w, arena *memory, frame *f, const betting *tree) {
    const seat_view *one = &tree->seats[0], *two = &tree->seats[1];
    const size_t hands = w->hands, leaves = tree->leaves;
    const size_t sequences = largest(one->sequences, two->sequences), shows = largest(one->shows, two->shows);
    const size_t folds = largest(largest(one->fold_count, two->fold_count), ADVANTAGES);
    const size_t parts = shows ? hands * w->hole : 0;
    size_t entries = 0;
    for (int block = 0; block < tree->blocks; block++)
        if (lines_move(tree, block))
            entries = largest(entries, tree->children[block]);
#define TAKE(name, vectors) \
    if (!(f->name = take(memory, vectors, sizeof(vec)))) \
        return 0;
    FRAME_VECTORS(TAKE)
#undef TAKE
    return (f->picked = take(memory, leaves, sizeof(lane_set))) != NULL;
}

/* Scratch of all threads; 0 if memory runs out. */
static int make_frames(workspace *w, arena *memory) {
    if (!(w->frames = take(memory, (size_t)w->threads * w->rounds, sizeof(frame))))
        return 0;
    for (int i = 0; i < w->threads * w->rounds; i++)
        if (!make_frame(w, memory, &w->frames[i], &w->tree[i % w->rounds]))
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

/* The place of one visit. */
typedef struct {
    int round, board, block;
    const lane_set *lanes; /* lanes picked from several blocks, or NULL: those of `block` */
    double scale;          /* probability of the boards dealt so far */
    int fork;              /* whether threads may part here or below */
    int thread;
} place;

/* One visit of a board by one block of lines, or by lanes picked from several. */
typedef struct {
    const traversal *t;
    place at;
    traversal_mode mode; /* of this round */
    int is_last, reached;
    int by_advantage; /* best responses in a round of four bets: columns are advantages, else sequences */
    const betting *tree;
    const seat_view *own, *opponent;
    board_view b;
    const frame *f;
    const vec *reach, *own_reach; /* (hands,) of the opponent and of the traverser, without chance */
    vec *value;                   /* (width,) the traverser's counterfactual values, to be added to */
    lane_bits *chosen;            /* (live hands, sequences) of the seat with remembered choices, or NULL */
} visit;

#endif
