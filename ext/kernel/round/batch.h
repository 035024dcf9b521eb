/* A batch: several sampled boards that learn side by side. The rounds before the last do not see each other's updates.
 *
 * traverse() follows one board through all rounds, and the next board meets what it changed. That keeps few cores busy:
 * a sampled board has one flop and one turn. A batch goes round by round, with all boards in each step:
 *
 * 1. down: every board and block of lines before the last round reads the strategies of its rows, and hands reach down;
 * 2. last: every block of lines of the last round visits board after board, as ever;
 * 3. up: every board and block before the last round sums the gradients of its rows (up), then the rows learn (learn).
 *
 * No task of a step needs another one, and an entry of a table changes in the order of the boards. So any number of
 * threads computes the same bits, and a batch of one board computes those of traverse().
 */
#ifndef CFR_BATCH_H
#define CFR_BATCH_H

#include <time.h>

#include "round/visit_board.h"

enum { ROW_SHARES = 16 }; /* tasks that learn the rows of one block: a row belongs to one of them on all boards */

/* How a block of lines of a board is entered. */
typedef struct {
    const visit *above; /* the block from which the lines come; NULL at the root */
    int entry;          /* number of this block among those that follow it */
    const vec *reach, *traverser_reach;
    vec *value;
} entrance;

/* One board of a batch, and its scratch from step to step. Blocks are numbered through all rounds. */
typedef struct {
    traversal t; /* with the weight and the seed of this board */
    place root;
    entrance *entrances; /* (blocks,) */
    visit *visits;       /* (blocks before the last round,) */
    frame *frames;       /* (blocks before the last round,) */
    vec *value;          /* (blocks of the first round, hands) */
} batch_board;

/* Processor seconds of every task, step by step. */
typedef struct {
    double *seconds; /* room for all tasks, or NULL: nothing is measured */
    int32_t *tasks;  /* of each step */
    int steps;
} batch_trace;

typedef struct {
    batch_board *boards;
    int count;
    batch_trace trace;
} batch;

static int first_block(const workspace *w, int round) {
    int before = 0;
    for (int r = 0; r < round; r++)
        before += w->tree[r].blocks;
    return before;
}

/* Scratch of one board; 0 if memory runs out. */
static int make_batch_board(const workspace *w, arena *memory, batch_board *b) {
    const int last = w->rounds - 1, before = first_block(w, last);
    b->entrances = take(memory, first_block(w, w->rounds), sizeof(entrance));
    b->visits = take(memory, before, sizeof(visit));
    b->frames = take(memory, before, sizeof(frame));
    b->value = take(memory, (size_t)w->tree[0].blocks * w->hands, sizeof(vec));
    if (!b->entrances || !b->visits || !b->frames || !b->value)
        return 0;
    frame *f = b->frames;
    for (int round = 0; round < last; round++)
        for (int block = 0; block < w->tree[round].blocks; block++)
            if (!make_frame(memory, f++, &w->tree[round], w->hands, w->hole))
                return 0;
    return 1;
}

/* Scratch of the boards of a batch; NULL if memory runs out. */
static batch_board *make_batch(const workspace *w, arena *memory) {
    batch_board *boards = take(memory, w->batch, sizeof(batch_board));
    for (int i = 0; boards && i < w->batch; i++)
        if (!make_batch_board(w, memory, &boards[i]))
            return NULL;
    return boards;
}

/* The most tasks of a batch, in all steps together. */
static int tasks_of_batch(const workspace *w) {
    int tasks = w->tree[w->rounds - 1].blocks;
    for (int round = 0; round + 1 < w->rounds; round++)
        tasks += w->tree[round].blocks * (2 * w->batch + ROW_SHARES);
    return tasks;
}

/* Set up a board of a batch: a copy of a traversal, from `root` on. */
static void begin_board(batch_board *b, const traversal *t, int root, double step) {
    const int hands = t->w.hands;
    b->t = *t;
    b->root = (place){.round = 0, .board = root, .scale = t->scale * step};
    memset((void *)b->value, 0, (size_t)t->w.tree[0].blocks * hands * sizeof(vec));
    for (int block = 0; block < t->w.tree[0].blocks; block++)
        b->entrances[block] = (entrance){.reach = t->opponent_reach + block * hands,
                                         .traverser_reach = t->traverser_reach + block * hands,
                                         .value = b->value + block * hands};
}

static void enter_block(batch_board *b, const visit *above, int entry, const vec *reach, const vec *traverser,
                        vec *value) {
    const int block = first_block(&b->t.w, above->at.round + 1) + above->tree->child[above->at.block] + entry;
    b->entrances[block] = (entrance){above, entry, reach, traverser, value};
}

/* Step 1 of one board and block. */
static void step_down(const batch *all, int round, int task) {
    batch_board *b = &all->boards[task % all->count];
    const int block = task / all->count, number = first_block(&b->t.w, round) + block, hands = b->t.w.hands;
    const entrance in = b->entrances[number];
    visit *v = &b->visits[number];
    *v = (visit){.t = &b->t,
                 .f = &b->frames[number],
                 .reach = in.reach,
                 .traverser_reach = in.traverser_reach,
                 .value = in.value};
    v->at = in.above ? place_below(in.above, first_child(in.above), in.entry) : b->root;
    v->at.block = block;
    enter(v);
    read_chips(v);
    read_rows(v);
    reach_leaves(v, 0, *v->b.live_count);
    const frame *f = v->f;
    if (lines_move(v->tree, block)) {
        pack_leaves(v, 0, *v->b.live_count);
        begin_values(v, f->entry_value);
        for (int k = 0; k < v->tree->children[block]; k++)
            enter_block(b, v, k, f->entry_opponent + k * hands, f->entry_traverser + k * hands,
                        f->entry_value + k * hands);
    } else {
        begin_values(v, f->leaf_value);
        for (int k = 0; k < v->tree->leaves; k++)
            enter_block(b, v, k, f->leaf_opponent + k * hands, f->leaf_traverser + k * hands,
                        f->leaf_value + k * hands);
    }
}

/* Step 2 of one block: all boards. */
static void step_last(const batch *all, int round, int block) {
    for (int i = 0; i < all->count; i++) {
        const batch_board *b = &all->boards[i];
        const entrance in = b->entrances[first_block(&b->t.w, round) + block];
        const int begin = in.above ? first_child(in.above) : 0, end = in.above ? end_of_children(in.above) : 1;
        for (int child = begin; child < end; child++) {
            place at = in.above ? place_below(in.above, child, in.entry) : b->root;
            at.block = block;
            at.thread = omp_get_thread_num();
            visit_board(&b->t, at, in.reach, in.traverser_reach, in.value);
        }
    }
}

/* Step 3 of one board and block: gradients of rows, and values at entry. */
static void step_up(const batch *all, int round, int task) {
    const batch_board *b = &all->boards[task % all->count];
    const visit *v = &b->visits[first_block(&b->t.w, round) + task / all->count];
    if (lines_move(v->tree, v->at.block))
        unpack_values(v, 0, b->t.width);
    sweep(v);
}

/* The places of a board's rows that belong to a share; returns their number. */
static int rows_of_share(const visit *v, int share, int *places) {
    int found = 0;
    for (int k = 0; k < *v->b.row_count; k++)
        if (v->b.rows[k] % ROW_SHARES == share)
            places[found++] = k;
    return found;
}

/* Add what a board's rows of a share learn to their regrets, which may become negative, and to their averages. */
static void add_share(const visit *v, int share) {
    int places[MAX_HANDS];
    const int found = rows_of_share(v, share, places);
    traversal t = *v->t;
    t.keep_positive = t.keep_negative = 1;
    visit here = *v;
    here.t = &t;
    for (int n = 0; n < found; n++) {
        if (n + PREFETCH_ROWS < found) {
            prefetch_entries(t.source[v->at.round][t.seat], v, v->traverser, places[n + PREFETCH_ROWS]);
            prefetch_sums(v, places[n + PREFETCH_ROWS]);
        }
        update_rows(&here, places[n], places[n] + 1);
    }
}

/* Keep what the schedule keeps of the regrets of a board's rows of a share. Its factors are 1 or 0: a row of several
 * boards has its turn with each of them, and only the first changes anything. */
static void keep_share(const visit *v, int share) {
    int places[MAX_HANDS];
    const int found = rows_of_share(v, share, places), count = v->traverser->sequences - 1;
    const kept_shares kept = shares_kept(v->t);
    vec scratch[MAX_SEQUENCES];
    for (int n = 0; n < found; n++) {
        const table_row row = traverser_rows_at(v->t, &v->at, v->b.rows[places[n]]).regrets;
        vec *regrets = read_row(row, count, scratch);
        for (int a = 0; a < count; a++)
            regrets[a] = kept_of(regrets[a], kept);
        write_row(row, count, regrets);
    }
}

/* The rest of step 3 for a share of the rows of one block: all boards. Regrets are clamped once, after the last board.
 */
static void step_learn(const batch *all, int round, int task) {
    const int number = first_block(&all->boards[0].t.w, round) + task / ROW_SHARES;
    for (int i = 0; i < all->count; i++)
        add_share(&all->boards[i].visits[number], task % ROW_SHARES);
    for (int i = 0; i < all->count; i++)
        keep_share(&all->boards[i].visits[number], task % ROW_SHARES);
}

/* Processor seconds of this thread; where no clock counts them, those of the process. */
static double seconds_of_thread(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}

typedef void batch_step(const batch *all, int round, int task);

static void run_tasks(batch *all, batch_step *step, int round, int count) {
    double *seconds = all->trace.seconds;
#pragma omp parallel for schedule(dynamic, 1) num_threads(all->boards[0].t.w.threads)
    for (int task = 0; task < count; task++) {
        const double begin = seconds ? seconds_of_thread() : 0;
        step(all, round, task);
        if (seconds)
            seconds[task] = seconds_of_thread() - begin;
    }
    if (seconds) {
        all->trace.seconds += count;
        all->trace.tasks[all->trace.steps++] = count;
    }
}

/* Traverse the boards of a batch, which begin_board() has set up. */
static void traverse_batch(batch *all) {
    const workspace *w = &all->boards[0].t.w;
    const int last = w->rounds - 1;
    for (int round = 0; round < last; round++)
        run_tasks(all, step_down, round, all->count * w->tree[round].blocks);
    run_tasks(all, step_last, last, w->tree[last].blocks);
    for (int round = last - 1; round >= 0; round--) {
        run_tasks(all, step_up, round, all->count * w->tree[round].blocks);
        run_tasks(all, step_learn, round, ROW_SHARES * w->tree[round].blocks);
    }
}

#endif
