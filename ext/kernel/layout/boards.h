/* The boards of one round: cfr/kernel/chance.py (Boards) and showdowns.py (Showdowns) describe each array.
 *
 * The kernel has only this list of arrays. Structures, views of one board, and the names and types for the binding come
 * from this list. X(type, name, entries of one board), with `hands` and cards of a hand (`hole`).
 */
#ifndef CFR_BOARDS_H
#define CFR_BOARDS_H

#include <stddef.h>
#include <stdint.h>

#define SUITS 4
#define CARDS 52

#define BOARD_ARRAYS(X) \
    X(int32_t, first_child, 1) \
    X(double, factor, 1) \
    X(int32_t, live_count, 1) \
    X(int32_t, own_count, 1) \
    X(int32_t, row_count, 1) \
    X(int16_t, live, hands) \
    X(int16_t, slot, hands) \
    X(int32_t, rows, hands)

#define CLASS_ARRAYS(X) \
    X(int16_t, classes, hands) \
    X(int32_t, class_count, 1)

#define SHOWDOWN_ARRAYS(X) \
    X(int32_t, group_count, 1) \
    X(int16_t, group_end, hands) \
    X(int16_t, cell_end, hands) \
    X(int16_t, alike, hands) \
    X(int16_t, suit_count, SUITS) \
    X(int16_t, group_cards, hands) \
    X(int16_t, card, hands * hole) \
    X(int16_t, card_end, hands * hole) \
    X(int16_t, part_slot, hands * hole) \
    X(int16_t, part_cell, hands * hole) \
    X(int16_t, part_count, hands * hole) \
    X(int16_t, hand_part, hands * hole) \
    X(int16_t, hand_card, hands * hole) \
    X(int16_t, by_card, hands * hole) \
    X(int16_t, by_card_end, CARDS) \
    X(int16_t, by_size, hands * hole) \
    X(int16_t, by_size_end, CARDS) \
    X(int16_t, part_hands, hands * hole)

#define MEMBER(type, name, entries) const type *name;
typedef struct { /* all boards of a round; classes are NULL if no board stands for others */
    BOARD_ARRAYS(MEMBER)
    CLASS_ARRAYS(MEMBER)
    SHOWDOWN_ARRAYS(MEMBER)
} boards;

/* One board: the same arrays from its own entries on. */
typedef struct {
    BOARD_ARRAYS(MEMBER)
} board_view;
typedef struct {
    SHOWDOWN_ARRAYS(MEMBER)
} showdown_view;
#undef MEMBER

#define VIEW(type, name, entries) .name = all->name + number * (size_t)(entries),
static inline board_view board_at(const boards *all, size_t number, int hands) {
    return (board_view){BOARD_ARRAYS(VIEW)};
}
static inline showdown_view showdown_at(const boards *all, size_t number, int hands, int hole) {
    return (showdown_view){SHOWDOWN_ARRAYS(VIEW)};
}
#undef VIEW

/* Whether a suit symmetry of the board maps hands onto each other: such a board stands for its orbit. */
static inline int is_symmetric(const boards *all, int number) {
    return all->classes && all->class_count[number] < all->live_count[number];
}

/* For the binding: names, places of the pointers, and types as in Python's buffer protocol. */
typedef struct {
    const char *name, *format;
    size_t offset;
} array_field;
#define FORMAT_int16_t "h"
#define FORMAT_int32_t "i"
#define FORMAT_double "d"
#define FIELD(type, name, entries) {#name, FORMAT_##type, offsetof(boards, name)},
static const array_field BOARD_FIELDS[] = {BOARD_ARRAYS(FIELD){NULL, NULL, 0}};
static const array_field CLASS_FIELDS[] = {CLASS_ARRAYS(FIELD){NULL, NULL, 0}};
static const array_field SHOWDOWN_FIELDS[] = {SHOWDOWN_ARRAYS(FIELD){NULL, NULL, 0}};
#undef FIELD

#endif
