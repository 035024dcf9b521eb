# What a traversal reads and what it needs on the way.

cdef extern from "pages.h" nogil:
    enum: LARGE_PAGE
    void *large_pages(size_t size)

cdef extern from "vector.h" nogil:
    ctypedef float real
    ctypedef float vec
    ctypedef unsigned short lane_bits
    enum: CFR_LANES, ALL_LANES
    vec splat(real)
    vec positive(vec)
    vec larger(vec, vec)
    vec inverse_or_zero(vec)
    vec where_not_positive(vec, real)
    vec first_lanes(int)
    bint any_nonzero(vec)
    void add(vec *, const vec *, int)
    void add_scaled(vec *, vec, const vec *, int)
    vec dot(const vec *, const vec *, int)
    void weigh(vec *, const int16_t *, int, const vec *, const int16_t *, const vec *, int, int)
    void sum_hands(vec *, const int16_t *, int, const int16_t *, const vec *, int)
    vec sum_of(const int16_t *, int, const vec *)
    void climb(vec *, vec, const vec *, const vec *, vec *, int)
    void pass_by(const vec *, const vec *, vec *, int)
    void prefetch(const vec *, int)
    void pick(vec *, const vec *, const int32_t *, const int32_t *, int)
    void put_back(vec *, const vec *, const int32_t *, const int32_t *, int)
    void store(real*, vec)
    vec load(const real*)

cdef extern from "best.h" nogil:
    enum: FOUR_BETS, ADVANTAGES, GENERAL_ROUND, FIRST_TO_BET, SECOND_TO_BET
    void advantages_of(bint, const vec *, const vec *, vec *, vec *, vec *)
    void advantages_played(bint, const vec *, vec *)
    void choose_two(lane_bits, vec, vec, lane_bits *, lane_bits *)
    void choose_three(lane_bits, vec, vec, vec, lane_bits *)
    ctypedef struct best_board:
        int groups, first_card
        const int16_t *live
        const int16_t *slot
        const int16_t *cell_end
        const int16_t *alike
        const int16_t *suit_count
        const int16_t *group_end
        const int16_t *group_cards
        const int16_t *card
        const int16_t *card_end
        const int16_t *part_slot
        const int16_t *hand_part
        const int16_t *hand_card
        const int16_t *by_card
        const int16_t *by_card_end
        const vec *start
        const vec *show
        const vec *fold
        const vec *plan
        const vec *fold_value
        const vec *reach
        const vec *cell_reach
        const vec *part_reach
        vec *sums
        vec *even
        vec *part_value
    void best_of_board(const best_board *, bint, bint, vec *, vec *, lane_bits *)

cdef extern from "choices.h" nogil:
    ctypedef struct terminals:
        const int32_t *show_own
        const int32_t *show_theirs
        const int32_t *fold_own
        const int32_t *fold_theirs
        int shows, folds
    vec spread(int, terminals, const lane_bits *, vec, const vec *, vec *, vec *, const vec *, vec *, int, int, int)
    void show(int, terminals, const lane_bits *, vec, const vec *, vec *, vec *, vec *, int)

cdef enum:
    MODE_UPDATE = 0
    MODE_AVERAGE = 1
    MODE_BEST = 2
    MODE_MEASURE = 3
    MODE_RESPOND = 4
    MAX_ROUNDS = 8
    MAX_SEQUENCES = 64
    PREFETCH = 4  # rows
    BATCH = 64  # boards whose values wait for their turn to be added


cdef struct Seat:
    int nodes, sequences, first, shape, show_terms, fold_count
    int32_t *node_parent
    int32_t *node_first
    int32_t *node_count
    int32_t *node_call
    int32_t *show_own
    int32_t *show_opponent
    vec *show_chips         # (show terms, blocks)
    int32_t *folds          # (fold_count,): own sequences with folds
    int32_t *fold_opponent
    vec *fold_chips         # (fold_count, blocks)
    int32_t *leaf_own
    int32_t *leaf_opponent


cdef struct Round:
    int blocks, leaves
    Seat seats[2]
    int32_t *lines     # (blocks,) lines in each block: its first lanes
    int32_t *child     # (blocks,) the next round's block where these lines go on,
    int32_t *children  # (blocks,) and how many follow it: one for each leaf, or fewer where lines are moved together


cdef struct Boards:  # one round of the deal (cfr/deals.py), H hands wide
    int32_t *first_child
    double *factor
    int16_t *live
    int32_t *live_count
    int32_t *own_count
    int16_t *slot
    int32_t *rows
    int32_t *row_count
    int16_t *group_end
    int32_t *group_count
    int16_t *cell_end
    int16_t *alike
    int16_t *suit_count  # (n, 4)
    int16_t *group_cards
    int16_t *card
    int16_t *card_end
    int16_t *part_slot
    int16_t *part_count
    int16_t *hand_part
    int16_t *hand_card
    int16_t *by_card
    int16_t *by_card_end
    int16_t *by_size
    int16_t *by_size_end
    int16_t *part_hands
    int16_t *classes
    int32_t *class_count


cdef struct Lanes:  # where the lanes of a vector come from, of which the first ``size`` are wanted
    int size
    int32_t block[CFR_LANES]  # of tables
    int32_t lane[CFR_LANES]
    int32_t place[CFR_LANES]  # of the leaf's first vector of reach
    int32_t value_place[CFR_LANES]  # of its first vector of values
    int32_t leaf_lane[CFR_LANES]


cdef struct Frame:  # what one thread needs while it visits one round
    vec *chips          # (showdowns + folds,) times the probability of the board
    vec *opponent_plan  # (opponent's sequences,)
    vec *leaf_plan      # (rows, leaves): the opponent's plan at the leaves
    vec *show_worth     # (rows, own sequences): chips that the traverser wins at showdowns against one hand
    vec *start_worth    # (rows, own sequences): what it gets from a hand that beats it: folds minus shows
    vec *fold_worth     # (rows, folds): what it gets by folds
    vec *own_plan       # (rows, own sequences)
    vec *fold_value     # (rows,): own plan times fold worth
    vec *strategy       # (rows, own sequences): probability of the sequence's last action
    vec *gradient       # (rows, own sequences)
    vec *row_reach      # (rows,) of the traverser
    vec *row_opponent   # (rows,)
    vec *by_card        # (52, own sequences): D[c]
    vec *even           # (52, own sequences): E[c], in the last round of the cards of one tie group; 0 before first
    vec *cell_reach     # (cells,)
    vec *part_reach     # (parts,)
    vec *part_value     # (parts,)
    vec *step           # (52, own sequences): what the tie group adds to D[c]
    vec *hand_value     # (hands,): what folds are worth against the same hand
    vec *leaf_opponent  # (leaves, hands)
    vec *leaf_own
    vec *leaf_value     # (leaves, width)
    vec *entry_opponent  # (blocks that follow one, hands), where lines are moved together
    vec *entry_own
    vec *entry_value    # (blocks that follow one, width)
    vec *class_sum      # (hands,)
    Lanes *packed       # (leaves,)
    vec *packed_opponent  # (leaves, hands)
    vec *packed_value   # (leaves, width)


cdef struct Pass:  # everything a traversal reads
    int seat, mode, last_mode, rounds, hands, width, hole, first_card, threads, disjoint, planned
    real weight
    real keep_positive, keep_negative  # factors on regrets once this iteration's are added
    int16_t *cards      # (hands, hole)
    Round *tree
    Boards boards[MAX_ROUNDS]
    real *source[MAX_ROUNDS][2]   # regrets or probabilities: the strategy is their positive part, normalised
    real *average[MAX_ROUNDS]     # the traverser's average strategy
    real *accumulated[MAX_ROUNDS] # the traverser's accumulated regrets where the source predicts, else NULL
    Frame *frames       # (threads, rounds)
    vec *waiting        # (BATCH, width) values of boards visited side by side
    lane_bits *chosen   # (ends, last round's blocks, hands in the order of live, sequences of who responds), or NULL
    int ends            # last boards of each root
