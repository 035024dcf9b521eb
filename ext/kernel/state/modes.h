/* The modes of a traversal: what happens at the traverser's own nodes.
 *
 * Other headers ask the questions below and compare modes only for steps of a single mode.
 */
#ifndef CFR_MODES_H
#define CFR_MODES_H

typedef enum {
    UPDATE,  /* regret matching on the traverser's tables */
    MEET,    /* the same, but the opponent plays its choices of mode RESPOND in the last round */
    RESPOND, /* UPDATE before the last round, best play by cells in the last round, where choices are remembered */
    AVERAGE, /* values of the traverser's own plan */
    BEST,    /* values of the best response */
    MEASURE, /* both at once: arrays of values are twice as wide, BEST first, then AVERAGE */
} traversal_mode;

/* The mode of one round: RESPOND and MEET differ from UPDATE in the last round only. */
static inline traversal_mode mode_in_round(traversal_mode mode, int is_last) {
    return !is_last && (mode == MEET || mode == RESPOND) ? UPDATE : mode;
}

/* The following functions take the mode of one round. */
static inline int learns(traversal_mode mode) { return mode == UPDATE || mode == MEET; }
static inline int takes_best(traversal_mode mode) { return mode == RESPOND || mode == BEST || mode == MEASURE; }
static inline int plays_plan(traversal_mode mode) { return mode != RESPOND && mode != BEST; }

#endif
