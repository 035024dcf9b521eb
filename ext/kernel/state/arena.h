/* Scratch memory: handed out zeroed and aligned to a cache line, freed all at once.
 *
 * Large pages hold the memory if the system has them: a traversal reads a few megabytes of scratch in no fixed order.
 */
#ifndef CFR_ARENA_H
#define CFR_ARENA_H

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "lanes/moves.h"

#define LARGE_PAGE ((size_t)2 << 20)

typedef struct {
    void **owned; /* memory from the system */
    int count;
    char *unused; /* the rest of the last one */
    size_t left;
} arena;

/* More memory from the system. calloc() knows that fresh memory is zero: pages that a traversal never uses cost
 * nothing.
 */
static int enlarge(arena *a, size_t wanted) {
    const size_t size = (wanted + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void **owned = realloc(a->owned, (size_t)(a->count + 1) * sizeof(void *));
    if (!owned)
        return 0;
    a->owned = owned;
    char *memory = calloc(size + LARGE_PAGE, 1);
    if (!memory)
        return 0;
    owned[a->count++] = memory;
    a->unused = memory + (LARGE_PAGE - (size_t)memory % LARGE_PAGE) % LARGE_PAGE;
    a->left = size;
#ifdef MADV_HUGEPAGE
    (void)madvise(a->unused, size, MADV_HUGEPAGE); /* only advice: a failure does no harm */
#endif
    return 1;
}

/* Room for `count` things of `size` bytes, at least one cache line; NULL if memory runs out. */
static void *take(arena *a, size_t count, size_t size) {
    size_t lines = (count * size + CACHE_LINE - 1) / CACHE_LINE, wanted = (lines ? lines : 1) * CACHE_LINE;
    if (wanted > a->left && !enlarge(a, wanted))
        return NULL;
    void *memory = a->unused;
    a->unused += wanted;
    a->left -= wanted;
    return memory;
}

static void release(arena *a) {
    for (int i = 0; i < a->count; i++)
        free(a->owned[i]);
    free(a->owned);
}

#endif
