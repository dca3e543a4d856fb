// The allocation functions of the program: those of the region for threads inside (region.h), else the C library's. Linked
// into tensim only. Threads are made outside: the C library keeps their memory after they have ended.
#include "platform/save/region.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

static size_t (*next_size)(void *);
static int (*next_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

#if defined(__SANITIZE_ADDRESS__)
// Those of AddressSanitizer. What the dynamic linker allocates while their names are looked up is never freed.
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);
static char early[16384] __attribute__((aligned(16)));
static size_t early_used;

static void look_up(void)
{
    static bool looking;
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

static void *outside_malloc(size_t bytes)
{
    look_up();
    return next_malloc ? next_malloc(bytes) : early_block(bytes);
}

static void *outside_calloc(size_t count, size_t size)
{
    look_up();
    return next_calloc ? next_calloc(count, size) : early_block(count * size);
}

static void outside_free(void *block)
{
    if (!is_early(block))
        next_free(block);
}

static void *outside_realloc(void *block, size_t bytes)
{
    look_up();
    return next_realloc(is_early(block) ? NULL : block, bytes);
}

static void *outside_memalign(size_t alignment, size_t bytes)
{
    look_up();
    return next_memalign(alignment, bytes);
}
#else
// glibc's own, by the names that it has for this.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
#define outside_malloc   __libc_malloc
#define outside_calloc   __libc_calloc
#define outside_realloc  __libc_realloc
#define outside_memalign __libc_memalign
#define outside_free     __libc_free

static void look_up(void)
{
    if (next_create)
        return;
    *(void **)&next_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    *(void **)&next_create = dlsym(RTLD_NEXT, "pthread_create");
}
#endif

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

// They are called before AddressSanitizer is ready.
#define EARLY __attribute__((no_sanitize_address))

// Most processes have no region: one look at a flag, which is all that they pay.
EARLY static inline bool is_here(void)
{
    return __builtin_expect(ts_region_opened, 0) && ts_region_here;
}

EARLY void *malloc(size_t bytes)
{
    return is_here() ? inside(bytes, 0) : outside_malloc(bytes);
}

EARLY void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!is_here())
        return outside_calloc(count, size);
    if (!__builtin_mul_overflow(count, size, &bytes))
        return inside(bytes, 0);
    errno = ENOMEM;
    return NULL;
}

EARLY void free(void *block)
{
    if (__builtin_expect(ts_region_opened, 0) && ts_region_has(block))
        ts_region_free(block);
    else
        outside_free(block);
}

EARLY void *realloc(void *block, size_t bytes)
{
    if (!is_here() && !(ts_region_opened && ts_region_has(block)))
        return outside_realloc(block, bytes);
    size_t before = block == NULL          ? 0
                    : ts_region_has(block) ? ts_region_size(block)
                                           : malloc_usable_size(block);
    void *larger = malloc(bytes);
    if (larger == NULL)
        return NULL;
    if (block)
        memcpy(larger, block, before < bytes ? before : bytes);
    free(block);
    return larger;
}

EARLY void *memalign(size_t alignment, size_t bytes)
{
    return is_here() ? inside(bytes, alignment) : outside_memalign(alignment, bytes);
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

#if defined(__SANITIZE_ADDRESS__)
// The C library's call malloc, which is ours; those of AddressSanitizer allocate on their own, outside.
EARLY char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

EARLY char *strdup(const char *text)
{
    return strndup(text, strlen(text));
}

EARLY void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes))
        return realloc(block, bytes);
    errno = ENOMEM;
    return NULL;
}
#endif

size_t malloc_usable_size(void *block)
{
    look_up();
    return ts_region_has(block) ? ts_region_size(block) : next_size(block);
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
