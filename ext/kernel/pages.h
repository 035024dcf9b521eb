/* Memory in large pages, where the system has them: scratch of a few megabytes is read all over, all the time. */
#ifndef CFR_PAGES_H
#define CFR_PAGES_H

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)2 << 20)

/* `size` bytes, a multiple of LARGE_PAGE, aligned to one, or NULL; to be freed by free(). */
static inline void *large_pages(size_t size) {
    void *memory = aligned_alloc(LARGE_PAGE, size);
#ifdef MADV_HUGEPAGE
    if (memory)
        (void)madvise(memory, size, MADV_HUGEPAGE); /* a wish: without it all works */
#endif
    return memory;
}

#endif
