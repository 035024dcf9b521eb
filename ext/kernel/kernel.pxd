"""What the binding (``traverse.pyx``) uses of the kernel's C: ``kernel.h`` and its drawers describe each name."""

from libc.stdint cimport int16_t, int32_t, uint32_t

cdef extern from "kernel.h" nogil:
    ctypedef float real
    ctypedef float vec
    ctypedef uint32_t lane_words
    ctypedef int traversal_mode
    ctypedef int number_type
    enum:
        CFR_LANES, MAX_ROUNDS, MAX_SEQUENCES, MAX_HANDS, ANY_SHAPE
        UPDATE, MEET, RESPOND, AVERAGE, BEST, MEASURE
        PLAIN, BFLOAT16, INT8, UINT8

    ctypedef struct seat_view:
        int nodes, sequences, shows, fold_count, skipped, shape, order
        const int32_t *node_parent
        const int32_t *node_first
        const int32_t *node_count
        const int32_t *node_call
        const int32_t *show_traverser
        const int32_t *show_opponent
        const int32_t *folds
        const int32_t *fold_opponent
        const int32_t *leaf_traverser
        const int32_t *leaf_opponent
        const vec *show_chips
        const vec *fold_chips

    ctypedef struct betting:
        int blocks, leaves, width
        const lane_words *ids
        seat_view seats[2]
        const int32_t *lines
        const int32_t *child
        const int32_t *children

    ctypedef struct boards:
        pass

    ctypedef struct array_field:
        const char *name
        const char *format
        size_t offset

    ctypedef struct arena:
        pass

    ctypedef struct workspace:
        int rounds, hands, hole, first_card, threads, ends, batch
        const int16_t *cards
        betting *tree

    ctypedef struct traversal:
        workspace w
        traversal_mode mode
        int seat, first_round, width, disjoint, planned, ends, goes_on
        number_type numbers[MAX_ROUNDS]
        uint32_t seed
        uint32_t first_row[MAX_ROUNDS]
        vec *carried
        double scale
        real weight, keep_positive, keep_negative
        boards deal[MAX_ROUNDS]
        void *source[MAX_ROUNDS][2]
        void *average[MAX_ROUNDS]
        void *accumulated[MAX_ROUNDS]
        const vec *opponent_reach
        const vec *traverser_reach
        vec *value

    ctypedef struct batch_board:
        traversal t
        vec *value

    ctypedef struct batch_trace:
        double *seconds
        int32_t *tasks
        int steps

    ctypedef struct batch:
        batch_board *boards
        int count
        batch_trace trace

    const array_field *BOARD_FIELDS
    const array_field *CLASS_FIELDS
    const array_field *SHOWDOWN_FIELDS
    int order_of(const seat_view *)
    int shape_of(const seat_view *)
    void *take(arena *, size_t, size_t)
    void release(arena *)
    bint make_frames(workspace *, arena *)
    bint make_choices(workspace *, arena *)
    void traverse(const traversal *, int, double)
    batch_board *make_batch(const workspace *, arena *)
    int tasks_of_batch(const workspace *)
    void begin_board(batch_board *, const traversal *, int, double)
    void traverse_batch(batch *)
