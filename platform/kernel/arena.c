// The kernel's memory: chunks that only grow and are freed all at once.
#include "platform/kernel/internal.h"

#include <sys/mman.h>

#define CHUNK_BYTES  (256u * 1024)
#define HUGE_BYTES   (2048u * 1024) // chunks of a large model: one huge page each, if available
#define LARGE_CHUNKS 4              // a model with this many chunks is large
#define SPARSE_BYTES (64u << 20)    // the rings of a chip; calloc has them fresh from the system
#define DENSE_CHUNKS 16             // a model with so many before its rings has many tiles
#define PAGE_BYTES   4096u
#define MANY_PLACES  16            // of so many chips most do nothing most of the time
#define WAY_BYTES    (128u * 1024) // of a host's cache: this far apart, lines collide

struct ts_chunk {
    struct ts_chunk *next;
    void *block; // that it lies in
    size_t used, room;
    max_align_t bytes[];
};

void ts_arena_free(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < TS_PLACES; i++)
        for (unsigned kind = 0; kind < 2; kind++)
            for (struct ts_chunk *chunk = kind ? self->arenas[i].sparse : self->arenas[i].chunks,
                                 *next;
                 chunk; chunk = next) {
                next = chunk->next;
                free(chunk->block);
            }
}

static bool is_idle(const struct ts_kernel *self)
{
    return !ts_kernel_is_cluster(self) && self->expected > MANY_PLACES && self->place;
}

static bool small_pages(const struct ts_kernel *self)
{
    return is_idle(self) || ts_groups_makes_others(self);
}

// Threads move from tile to tile in every window. With small pages that touches more pages than the
// host's TLB holds. What other processes run, and systems of many chips, have small pages: most of a chip is never written.
static struct ts_chunk *add_chunk(const struct ts_kernel *kernel, struct ts_arena *self,
                                  size_t bytes)
{
    const bool large = self->chunk_count >= LARGE_CHUNKS;
    const bool idle = is_idle(kernel);
    const size_t align = idle ? PAGE_BYTES : HUGE_BYTES;
    size_t size = sizeof(struct ts_chunk) + (bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES), colour = 0;
    if (large) {
        // Continues where the last chunk ended, modulo a way: equal parts of a model (its tiles)
        // must not start at equal offsets of their pages.
        colour = self->chunks->used % WAY_BYTES;
        size = (size + colour + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    }
    char *block = calloc(1, size + (large ? align : 0)); // touches no page
    struct ts_chunk *chunk = (struct ts_chunk *)block;
    if (block == NULL)
        return NULL;
    if (large) {
        chunk = (struct ts_chunk *)(((uintptr_t)block + align - 1) / align * align);
        madvise(chunk, size, // only a hint
                small_pages(kernel) ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    }
    chunk->block = block;
    chunk->used = colour;
    chunk->room = size - sizeof *chunk - TS_ALIGNMENT;
    chunk->next = self->chunks;
    self->chunks = chunk;
    self->chunk_count++;
    return chunk;
}

// Rings, of which a model of few tiles writes few: with small pages the others are never there.
static struct ts_chunk *add_sparse(const struct ts_kernel *kernel, struct ts_arena *self,
                                   size_t bytes)
{
    const size_t size = sizeof(struct ts_chunk) + (bytes > SPARSE_BYTES ? bytes : SPARSE_BYTES);
    struct ts_chunk *chunk = calloc(1, size);
    if (chunk == NULL)
        return NULL;
    char *from = (char *)(((uintptr_t)chunk + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    madvise(from, (size - PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES, // only a hint
            self->chunk_count < DENSE_CHUNKS || small_pages(kernel) ? MADV_NOHUGEPAGE
                                                                    : MADV_HUGEPAGE);
    *chunk = (struct ts_chunk){self->sparse, chunk, 0, size - sizeof *chunk - TS_ALIGNMENT};
    return self->sparse = chunk;
}

static void *take(struct ts_kernel *self, size_t bytes, bool sparse)
{
    bytes = (bytes + TS_ALIGNMENT - 1) & ~(size_t)(TS_ALIGNMENT - 1);
    struct ts_arena *arena = &self->arenas[self->place];
    struct ts_chunk *chunk = sparse ? arena->sparse : arena->chunks;
    if (chunk == NULL || chunk->used + bytes > chunk->room)
        chunk = sparse ? add_sparse(self, arena, bytes + TS_ALIGNMENT)
                       : add_chunk(self, arena, bytes + TS_ALIGNMENT);
    if (chunk == NULL) {
        ts_fail(&self->error, TS_NO_MEMORY, "out of memory for the model");
        return NULL;
    }
    uintptr_t base = ((uintptr_t)chunk->bytes + TS_ALIGNMENT - 1) & ~(uintptr_t)(TS_ALIGNMENT - 1);
    void *memory = (char *)base + chunk->used;
    chunk->used += bytes;
    return memory;
}

void *ts_kernel_alloc(struct ts_kernel *self, size_t bytes)
{
    return take(self, bytes, false);
}

void *ts_kernel_alloc_sparse(struct ts_kernel *self, size_t bytes)
{
    return take(self, bytes + TS_ALIGNMENT,
                true); // their sizes are powers of 2: lines would collide
}

void ts_kernel_spread(struct ts_kernel *self)
{
    // An odd number of steps from the last one, so that the parts use all offsets of a way.
    struct ts_arena *arena = &self->arenas[self->place];
    if (arena->chunks && (arena->chunks->used - arena->spread) / TS_ALIGNMENT % 2 == 0)
        ts_kernel_alloc(self, 1);
    arena->spread = arena->chunks ? arena->chunks->used : 0;
}

char *ts_kernel_formatv(struct ts_kernel *self, const char *parent, const char *format,
                        va_list args)
{
    char own[256];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(own, sizeof own, format, again);
    va_end(again);
    size_t before = parent ? strlen(parent) + 1 : 0;
    char *text = ts_kernel_alloc(self, before + (size_t)length + 1);
    if (text == NULL)
        return self->no_name;
    if (parent) {
        memcpy(text, parent, before - 1);
        text[before - 1] = '.';
    }
    if ((size_t)length < sizeof own)
        memcpy(text + before, own, (size_t)length + 1);
    else
        vsnprintf(text + before, (size_t)length + 1, format, args);
    return text;
}

char *ts_kernel_format(struct ts_kernel *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = ts_kernel_formatv(self, NULL, format, args);
    va_end(args);
    return text;
}
