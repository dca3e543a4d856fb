// The region (region.h): where it is, its stack, its blocks.
//
// Blocks have sizes in four steps per power of two; those of a size are linked when they are free. Large ones are whole
// pages, and give their memory back to the system when they are freed. All of this is in the region itself: a process that
// reads the region from a file goes on allocating where the other one stopped.
#include "platform/save/region.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

// Below every address at which systems place libraries, stacks and heaps of programs at fixed addresses; with
// AddressSanitizer above its shadow.
#if defined(__SANITIZE_ADDRESS__)
#define BASE UINT64_C(0x400000000000)
#else
#define BASE UINT64_C(0x3000000000)
#endif
#define STACK_BYTES (UINT64_C(256) << 20)
#define BLOCK_BYTES (UINT64_C(64) << 30) // of a heap
#define STEPS       4u                   // sizes per power of two
#define SIZES       (64u * STEPS)
#define LARGE       (UINT64_C(256) << 10)
#define SMALLEST    64u // from here on every step is a multiple of 16

// In front of every block.
struct head {
    uint32_t size;  // index
    uint32_t shift; // from the start of the block to the head: an aligned block
    uint64_t bytes; // from the head's end to the block's
};

struct header {
    atomic_flag lock;
    char *next, *end; // not allocated yet
    void *free[SIZES];
};

bool ts_region_interposed, ts_region_opened;
_Thread_local bool ts_region_here;
static _Thread_local uint32_t heap; // where it allocates
static struct header *region;       // of heap 0; NULL: closed
static uint64_t heaps;
static char *stack_top; // of the frames of the command

static struct header *header_of(uint64_t number)
{
    return (struct header *)((char *)region + number * BLOCK_BYTES);
}

bool ts_region_open(uint32_t count)
{
    const uint64_t size = STACK_BYTES + count * BLOCK_BYTES;
    if (!ts_region_interposed)
        return false;
    void *at = mmap((void *)BASE, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (void *)BASE)
        return false;
    region = (struct header *)(BASE + STACK_BYTES);
    heaps = count;
    for (uint64_t i = 0; i < heaps; i++) {
        header_of(i)->next = (char *)header_of(i) + TS_REGION_PAGE;
        header_of(i)->end = (char *)header_of(i) + BLOCK_BYTES;
    }
    ts_region_opened = true;
    _Static_assert(sizeof *region <= TS_REGION_PAGE, "a page of its own");
    return true;
}

bool ts_region_is_open(void)
{
    return region != NULL;
}

bool ts_region_has(const void *at)
{
    return (uint64_t)at - BASE < STACK_BYTES + heaps * BLOCK_BYTES;
}

void ts_region_enter(uint32_t number)
{
    heap = number;
}

bool ts_region_inside(bool inside)
{
    bool was = ts_region_here;
    ts_region_here = inside && region != NULL;
    return was;
}

// --- the stack ---

struct call {
    int (*main)(int, char **);
    int argc, result;
    char **argv;
};

static void *call(void *argument)
{
    struct call *self = argument;
    stack_top = __builtin_frame_address(0);
    ts_region_inside(true);
    self->result = self->main(self->argc, self->argv);
    ts_region_inside(false);
    return NULL;
}

int ts_region_call(int (*main)(int, char **), int argc, char **argv)
{
    struct call self = {main, argc, -1, argv};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, (void *)BASE, STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, call, &self) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return self.result;
}

struct ts_region_extent ts_region_stack(const void *frame)
{
    // A little more than the frames: what a caller may keep below its frame pointer.
    const uint64_t below = (uint64_t)frame - 256;
    return (struct ts_region_extent){(char *)(below & ~UINT64_C(15)), stack_top};
}

struct ts_region_extent ts_region_whole_stack(void)
{
    return (struct ts_region_extent){(char *)BASE, stack_top};
}

struct ts_region_extent ts_region_blocks(uint32_t number)
{
    const struct header *from = header_of(number);
    const uint64_t end = (uint64_t)from->next + TS_REGION_PAGE - 1;
    return (struct ts_region_extent){(char *)(uintptr_t)from,
                                     (char *)(end / TS_REGION_PAGE * TS_REGION_PAGE)};
}

// --- blocks ---

// The smallest size that holds so many bytes, with its index.
static uint64_t round_up(uint64_t bytes, uint32_t *index)
{
    if (bytes <= SMALLEST) {
        *index = 0;
        return SMALLEST;
    }
    const uint32_t power = 63u - (uint32_t)__builtin_clzll(bytes - 1);
    const uint64_t step = (UINT64_C(1) << power) / STEPS;
    const uint64_t steps = (bytes - (UINT64_C(1) << power) + step - 1) / step; // 1 to 4
    *index = power * STEPS + (uint32_t)steps;
    return (UINT64_C(1) << power) + steps * step;
}

static char *take(uint64_t bytes, uint32_t *index)
{
    struct header *self = header_of(heap);
    const uint64_t size = round_up(bytes, index);
    while (atomic_flag_test_and_set_explicit(&self->lock, memory_order_acquire))
        ;
    char *block = self->free[*index];
    bool fresh = block == NULL;
    if (block != NULL) {
        memcpy(&self->free[*index], block, sizeof(void *));
    } else if (size <= (uint64_t)(self->end - self->next)) {
        block = self->next;
        self->next += size;
    }
    atomic_flag_clear_explicit(&self->lock, memory_order_release);
    if (block != NULL && !fresh)
        memset(block, 0, sizeof(void *)); // the rest of a free block is zero
    return block;
}

void *ts_region_alloc(size_t bytes, size_t alignment)
{
    uint32_t index;
    const uint64_t more = sizeof(struct head) + (alignment > 16 ? alignment : 0);
    if (bytes > BLOCK_BYTES)
        return NULL;
    char *block = take(bytes + more, &index);
    if (block == NULL)
        return NULL;
    uint64_t at = (uint64_t)block + sizeof(struct head);
    if (alignment > 16)
        at = (at + alignment - 1) / alignment * alignment;
    struct head *head = (struct head *)at - 1;
    *head = (struct head){index, (uint32_t)((char *)head - block), bytes};
    return (void *)at;
}

void ts_region_free(void *block)
{
    const uint64_t number = ((uint64_t)block - (uint64_t)region) / BLOCK_BYTES;
    if (heap != 0 && heap != number)
        return;
    struct header *self = header_of(number);
    struct head head = ((struct head *)block)[-1];
    char *start = (char *)block - sizeof head - head.shift;
    const uint64_t size = head.size == 0 ? SMALLEST
                                         : (UINT64_C(1) << head.size / STEPS) / STEPS *
                                               (STEPS + head.size % STEPS);
    if (size >= LARGE) {
        uint64_t first = ((uint64_t)start + TS_REGION_PAGE - 1) / TS_REGION_PAGE * TS_REGION_PAGE,
                 last = ((uint64_t)start + size) / TS_REGION_PAGE * TS_REGION_PAGE;
        memset(start, 0, first - (uint64_t)start);
        memset((void *)last, 0, (uint64_t)start + size - last);
        madvise((void *)first, last - first, MADV_DONTNEED);
    } else {
        memset(start, 0, size);
    }
    while (atomic_flag_test_and_set_explicit(&self->lock, memory_order_acquire))
        ;
    memcpy(start, &self->free[head.size], sizeof(void *));
    self->free[head.size] = start;
    atomic_flag_clear_explicit(&self->lock, memory_order_release);
}

size_t ts_region_size(const void *block)
{
    return ((const struct head *)block)[-1].bytes;
}
