// The allocation functions of the program: those of the region for threads inside (region.h), else the C library's. Linked
// into tensim only. Threads are made outside: the C library keeps their memory after they have ended.
#include "platform/save/region.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);
static size_t (*next_size)(void *);
static int (*next_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// What the dynamic linker allocates while the names are being looked up; never freed.
static char early[16384] __attribute__((aligned(16)));
static size_t early_used;
static bool looking;

static void *early_block(size_t bytes)
{
    void *block = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    if (early_used > sizeof early)
        abort();
    return block;
}

static bool is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void look_up(void)
{
    if (next_create || looking)
        return;
    looking = true;
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next_memalign = dlsym(RTLD_NEXT, "memalign");
    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    *(void **)&next_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    *(void **)&next_create = dlsym(RTLD_NEXT, "pthread_create");
    looking = false;
}

__attribute__((constructor)) static void say(void)
{
    look_up();
    ts_region_interposed = true;
}

static void *inside(size_t bytes, size_t alignment)
{
    void *block = ts_region_alloc(bytes, alignment);
    if (block == NULL)
        errno = ENOMEM;
    return block;
}

void *malloc(size_t bytes)
{
    if (__builtin_expect(ts_region_here, 0))
        return inside(bytes, 0);
    if (__builtin_expect(next_malloc == NULL, 0))
        look_up();
    return next_malloc ? next_malloc(bytes) : early_block(bytes);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_expect(ts_region_here, 0)) {
        if (!__builtin_mul_overflow(count, size, &bytes))
            return inside(bytes, 0);
        errno = ENOMEM;
        return NULL;
    }
    if (__builtin_expect(next_calloc == NULL, 0))
        look_up();
    return next_calloc ? next_calloc(count, size) : early_block(count * size);
}

void free(void *block)
{
    if (__builtin_expect(ts_region_has(block), 0))
        ts_region_free(block);
    else if (__builtin_expect(!is_early(block), 1))
        next_free(block);
}

void *realloc(void *block, size_t bytes)
{
    if (__builtin_expect(!ts_region_here && !ts_region_has(block) && !is_early(block), 1)) {
        if (__builtin_expect(next_realloc == NULL, 0))
            look_up();
        return next_realloc(block, bytes);
    }
    size_t before = block == NULL          ? 0
                    : ts_region_has(block) ? ts_region_size(block)
                    : is_early(block)      ? (size_t)(early + early_used - (char *)block)
                                           : malloc_usable_size(block);
    void *larger = malloc(bytes);
    if (larger == NULL)
        return NULL;
    if (block)
        memcpy(larger, block, before < bytes ? before : bytes);
    free(block);
    return larger;
}

void *memalign(size_t alignment, size_t bytes)
{
    if (__builtin_expect(ts_region_here, 0))
        return inside(bytes, alignment);
    if (__builtin_expect(next_memalign == NULL, 0))
        look_up();
    return next_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || alignment == 0)
        return EINVAL;
    void *made = memalign(alignment, bytes);
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

size_t malloc_usable_size(void *block)
{
    if (ts_region_has(block))
        return ts_region_size(block);
    return is_early(block) ? 0 : next_size(block);
}

// A thread is where its maker is.
struct start {
    void *(*start)(void *);
    void *argument;
};

static void *start_inside(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    ts_region_inside(true);
    return start.start(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    look_up();
    bool was = ts_region_inside(false);
    struct start *both = was ? malloc(sizeof *both) : NULL;
    if (was && both == NULL)
        return EAGAIN;
    if (was)
        *both = (struct start){start, argument};
    int result = next_create(thread, attributes, was ? start_inside : start, was ? both : argument);
    ts_region_inside(was);
    return result;
}
