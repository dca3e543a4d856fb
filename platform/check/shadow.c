// Shadow memory; see memory.h.
#include "platform/check/memory.h"

bool ts_shadow_init(struct ts_shadow *self, uint64_t bytes, unsigned shift)
{
    const uint64_t page = (uint64_t)(16 * TS_SHADOW_BLOCK * TS_SHADOW_PAGE) << shift;
    self->bytes = bytes;
    self->shift = (uint8_t)shift;
    self->pages = calloc((bytes + page - 1) / page, sizeof *self->pages);
    return self->pages != NULL;
}

void ts_shadow_free(struct ts_shadow *self)
{
    for (struct ts_shadow_page *page = self->made, *next; page; page = next) {
        next = page->next;
        for (unsigned i = 0; i < TS_SHADOW_PAGE; i++)
            free(page->blocks[i].each);
        free(page);
    }
    free(self->pages);
    *self = (struct ts_shadow){0};
}

static struct ts_shadow_block *block_at(const struct ts_shadow *self, uint64_t number)
{
    struct ts_shadow_page *page = self->pages[number / TS_SHADOW_PAGE];
    return page ? &page->blocks[number % TS_SHADOW_PAGE] : NULL;
}

// The same, and it is there from now on. NULL: out of memory.
static struct ts_shadow_block *make_block(struct ts_shadow *self, uint64_t number)
{
    struct ts_shadow_page **page = &self->pages[number / TS_SHADOW_PAGE];
    if (*page == NULL && (*page = calloc(1, sizeof **page)) != NULL) {
        (*page)->next = self->made;
        self->made = *page;
    }
    return block_at(self, number);
}

// The block's granules get marks of their own. False: out of memory.
static bool part(struct ts_shadow_block *block)
{
    if (block->each == NULL)
        block->each = malloc(TS_SHADOW_BLOCK * sizeof *block->each);
    for (unsigned i = 0; block->each && i < TS_SHADOW_BLOCK; i++)
        block->each[i] = block->all;
    block->split = block->each != NULL;
    return block->split;
}

static inline bool split(struct ts_shadow_block *block)
{
    return block->split || part(block);
}

// The parts of a granule that the bytes [from, to) of it touch.
static uint16_t mask_of(uint32_t from, uint32_t to, unsigned shift)
{
    uint32_t first = from >> shift, last = (to - 1) >> shift;
    return (uint16_t)((0xffffu >> (15 - last)) & (0xffffu << first));
}

// Accesses of units. One unit takes the words of all threads in turn, so a word that started after another one is behind
// it. MATRIX and VECTOR of a thread take its words in turn; what VECTOR loads too soon is in registers.c.
static bool units_ordered(const struct ts_check_access *access, const struct ts_touch *before)
{
    unsigned one = before->actor - TS_ACTOR_THREAD_FIRST,
             two = access->mark.actor - TS_ACTOR_THREAD_FIRST;
    if (one % TS_ACTOR_UNITS == two % TS_ACTOR_UNITS)
        return ts_known_covers(access->known, before->home, TS_ACTOR_GATE(one / TS_ACTOR_UNITS),
                               before->at);
    return one / TS_ACTOR_UNITS == two / TS_ACTOR_UNITS &&
           one % TS_ACTOR_UNITS + two % TS_ACTOR_UNITS == TS_ACTOR_MATRIX + TS_ACTOR_VECTOR &&
           (one % TS_ACTOR_UNITS == TS_ACTOR_MATRIX || two % TS_ACTOR_UNITS == TS_ACTOR_MATRIX);
}

// Are the two in order? Accesses of one actor are, but for requests, which only are themselves; so are all
// of one core, where the same bytes are concerned.
static bool ordered(const struct ts_check_access *access, const struct ts_touch *before)
{
    const struct ts_touch *mark = &access->mark;
    if (before->home == mark->home) {
        if (before->actor == mark->actor &&
            (mark->actor < TS_ACTOR_NOC_FIRST || before->at == mark->at))
            return true;
        if (mark->actor < TS_ACTOR_THREAD_FIRST && before->actor < TS_ACTOR_THREAD_FIRST &&
            before->actor / TS_REGIONS == mark->actor / TS_REGIONS)
            return true;
        if (mark->actor - TS_ACTOR_THREAD_FIRST < TS_ACTOR_NOC_FIRST - TS_ACTOR_THREAD_FIRST &&
            before->actor - TS_ACTOR_THREAD_FIRST < TS_ACTOR_NOC_FIRST - TS_ACTOR_THREAD_FIRST &&
            units_ordered(access, before))
            return true;
    }
    return ts_known_covers(access->known, before->home, before->actor, before->at);
}

struct walk {
    const struct ts_check_access *access;
    ts_shadow_clash *clash;
    void *context;
    // The last mark that was in order, of the write and of each read: bursts meet bursts.
    struct ts_touch good[3];
    uint64_t granule; // its address
    unsigned count;   // of granules that have the same marks, from this one on
    unsigned shift;   // of its parts
};

#define ALL 0xffffu   // parts of a granule
enum { WRITE, READ }; // marks of a granule: the write, the first read, the second

static bool differ(const struct ts_touch *a, const struct ts_touch *b)
{
    return a->at != b->at || a->home != b->home || a->actor != b->actor;
}

static bool in_order(struct walk *self, const struct ts_touch *before, unsigned which)
{
    if (!differ(before, &self->good[which]))
        return true;
    if (!ordered(self->access, before))
        return false;
    self->good[which] = *before;
    return true;
}

static void look(struct walk *self, const struct ts_touch *before, uint16_t mask, unsigned which)
{
    const unsigned both = before->mask & mask;
    if (!both || in_order(self, before, which))
        return;
    const unsigned first = (unsigned)__builtin_ctz(both), last = 31 - (unsigned)__builtin_clz(both);
    for (unsigned i = 0; i < self->count; i++)
        self->clash(self->context, self->access, before, which == WRITE,
                    self->granule + ((uint64_t)(16 * i + first) << self->shift),
                    (last + 1 - first) << self->shift);
}

// Remembers a read: in place of a read of the same actor, of a read that the actor knows to be done, or of the second read.
static void remember_read(struct walk *self, struct ts_granule *granule,
                          const struct ts_touch *mark)
{
    for (unsigned i = 0; i < 2; i++) {
        struct ts_touch *read = &granule->read[i];
        bool mine = read->home == mark->home && read->actor == mark->actor;
        if (read->mask == 0 || mine || (i == 0 && in_order(self, read, READ))) {
            *read = *mark;
            return;
        }
    }
    granule->read[1] = *mark;
}

static void touch(struct walk *self, struct ts_granule *granule, uint16_t mask)
{
    struct ts_touch mark = self->access->mark;
    mark.mask = mask;
    look(self, &granule->write, mask, WRITE);
    if (self->access->how == TS_HOW_TAKE)
        return;
    if (self->access->how == TS_HOW_READ) {
        remember_read(self, granule, &mark);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        look(self, &granule->read[i], mask, READ + i);
        granule->read[i].mask &= (uint16_t)~mask;
    }
    granule->write = mark;
}

// All granules of a block.
static void touch_block(struct walk *self, struct ts_shadow_block *block)
{
    self->count = block->split ? 1 : TS_SHADOW_BLOCK;
    if (!block->split) {
        touch(self, &block->all, ALL);
        return;
    }
    for (unsigned i = 0; i < TS_SHADOW_BLOCK; i++, self->granule += UINT64_C(16) << self->shift)
        touch(self, &block->each[i], ALL);
    if (self->access->how == TS_HOW_WRITE || self->access->how == TS_HOW_ATOMIC) {
        block->all = block->each[0];
        block->split = false;
    }
}

void ts_shadow_access(struct ts_shadow *self, const struct ts_check_access *access,
                      ts_shadow_clash *clash, void *context)
{
    struct walk walk = {.access = access, .clash = clash, .context = context, .shift = self->shift};
    const uint32_t size = 16u << self->shift;
    uint64_t end = access->address + access->length;
    if (end > self->bytes)
        end = self->bytes;
    for (uint64_t at = access->address, next; at < end; at = next) {
        const uint64_t number = at / size;
        struct ts_shadow_block *block = make_block(self, number / TS_SHADOW_BLOCK);
        walk.granule = number * size;
        if (at % (TS_SHADOW_BLOCK * size) == 0 && end - at >= TS_SHADOW_BLOCK * size) {
            next = at + TS_SHADOW_BLOCK * size;
            if (block)
                touch_block(&walk, block);
            continue;
        }
        next = (number + 1) * size;
        walk.count = 1;
        if (block && split(block))
            touch(&walk, &block->each[number % TS_SHADOW_BLOCK],
                  mask_of((uint32_t)(at % size),
                          next < end ? size : (uint32_t)(end - number * size), self->shift));
    }
}

void ts_shadow_clear(struct ts_shadow *self, uint64_t address, uint64_t length)
{
    const uint64_t size = 16u << self->shift, whole = TS_SHADOW_BLOCK * size;
    uint64_t end = address + length < self->bytes ? address + length : self->bytes;
    for (uint64_t at = address, next; at < end; at = next) {
        struct ts_shadow_block *block = block_at(self, at / whole);
        next = block == NULL || (at % whole == 0 && end - at >= whole) ? (at / whole + 1) * whole
                                                                       : (at / size + 1) * size;
        if (block && next - at == whole) {
            memset(&block->all, 0, sizeof block->all);
            block->split = false;
        } else if (block && split(block)) {
            memset(&block->each[at / size % TS_SHADOW_BLOCK], 0, sizeof *block->each);
        }
    }
}

const struct ts_touch *ts_shadow_writer(const struct ts_shadow *self, uint64_t address,
                                        uint32_t length)
{
    const uint32_t size = 16u << self->shift, from = (uint32_t)(address % size);
    const struct ts_shadow_block *block = block_at(self, address / size / TS_SHADOW_BLOCK);
    if (block == NULL)
        return NULL;
    const struct ts_granule *granule = block->split ? &block->each[address / size % TS_SHADOW_BLOCK]
                                                    : &block->all;
    uint16_t mask = mask_of(from, from + length < size ? from + length : size, self->shift);
    return granule->write.mask & mask ? &granule->write : NULL;
}
