// The loss account of a run: the tiles' sums as lines with cause, object and text (loss.h).
#include "platform/account/account.h"
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"

#define MATH_KERNEL "math kernel" // an object

const struct ts_cause ts_causes[TS_LOSS_CAUSES] = {
#define TS_STALL(id, name, text, color) [TS_STALL_##id] = {name, text, color, TS_RESOURCE_OTHER},
#include "config/stall.def"
#define TS_CAUSE(id, name, text, color, resource) \
    [TS_LOSS_##id] = {name, text, color, TS_RESOURCE_##resource},
#include "config/causes.def"
};

// --- names ---

static void name_node(unsigned node, char *text, size_t size)
{
    if (node < TS_NODE_GATE)
        snprintf(text, size, "%s", ts_rv_core_names[node - TS_NODE_CORE]);
    else if (node < TS_NODE_UNPACK)
        snprintf(text, size, "t%u", node - TS_NODE_GATE);
    else if (node < TS_NODE_PACK)
        snprintf(text, size, "unpack%u", node - TS_NODE_UNPACK);
    else if (node == TS_NODE_PACK)
        snprintf(text, size, "pack");
    else
        snprintf(text, size, "niu%u", node - TS_NODE_NIU);
}

static void name_object(const struct ts_loss *self, const struct ts_loss_owner *owner, char *text,
                        size_t size)
{
    static const char *const kinds[] = {"read", "write", "atomic", "request"};
    char node[16];
    bool full;
    name_node(owner->node, node, sizeof node);
    const struct ts_buffer *buffer = owner->cause == TS_LOSS_BUFFER
                                         ? ts_buffers_at(self->tile, owner->detail, &full)
                                         : NULL;
    if (owner->object) {
        const char *dot = strstr(owner->object->path, "].");
        snprintf(text, size, "%s", dot ? dot + 2 : owner->object->path);
    } else if (buffer) {
        snprintf(text, size, "%s, polled by %s", buffer->name, node);
    } else if (owner->cause == TS_LOSS_NOC || owner->cause == TS_LOSS_DRAM) {
        snprintf(text, size, "%s%s of %s on noc%u", owner->cause == TS_LOSS_DRAM ? "DRAM " : "",
                 kinds[owner->detail >> 4 & 3], node, owner->detail & 1);
    } else if (owner->cause == TS_LOSS_OTHER_TILE || owner->cause == TS_LOSS_SIGNAL ||
               owner->cause == TS_LOSS_POLL) {
        char name[80];
        if (owner->detail < TS_L1_SIZE)
            ts_tile_word_name(self->tile, owner->detail, name, sizeof name);
        else
            ts_tile_register_name(self->tile, owner->detail, name, sizeof name);
        snprintf(text, size, "%.40s, polled by %s", name, node);
    } else {
        snprintf(text, size, "%s", node);
    }
}

// What the unit itself waits for meanwhile.
static const char *via_text(const struct ts_loss_owner *owner)
{
    switch (owner->via) {
    case TS_STALL_SRC_NOT_VALID:
        return owner->flags & TS_LOSS_VIA_B ? " (the unit waits for SrcB)"
                                            : " (the unit waits for SrcA)";
    case TS_STALL_SEMAPHORE_MAX:
    case TS_STALL_SEMAPHORE_ZERO:
        return " (the thread waits for a semaphore)";
    default:
        return "";
    }
}

static void describe(const struct ts_loss *self, const struct ts_loss_owner *owner, char *text,
                     size_t size)
{
    char object[72];
    name_object(self, owner, object, sizeof object);
    int used = owner->cause < TS_STALL_COUNT
                   ? snprintf(text, size, "%s: %s", object, ts_causes[owner->cause].text)
                   : snprintf(text, size, ts_causes[owner->cause].text, object);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s", via_text(owner));
}

// --- resources ---

static enum ts_resource unit_named(const char *name)
{
    return strstr(name, "matrix")   ? TS_RESOURCE_MATRIX
           : strstr(name, "vector") ? TS_RESOURCE_VECTOR
           : strstr(name, "unpack") ? TS_RESOURCE_UNPACK
           : strstr(name, "pack")   ? TS_RESOURCE_PACK
                                    : TS_RESOURCE_OTHER;
}

// The unit that a thread feeds.
static enum ts_resource unit_of(unsigned node, bool vector)
{
    const enum ts_resource units[TS_THREADS] = {
        TS_RESOURCE_UNPACK, vector ? TS_RESOURCE_VECTOR : TS_RESOURCE_MATRIX, TS_RESOURCE_PACK};
    return units[node - TS_NODE_GATE];
}

static enum ts_resource resource_of(const struct ts_loss *self, const struct ts_loss_owner *owner,
                                    bool vector)
{
    switch (owner->cause) {
    case TS_LOSS_CODE:
        return TS_RESOURCE_CORE + owner->node;
    case TS_LOSS_ISSUE:
        return unit_of(owner->node, vector);
    case TS_LOSS_WORK:
        return owner->node == TS_NODE_PACK ? TS_RESOURCE_PACK : TS_RESOURCE_UNPACK;
    case TS_LOSS_POLL: // nobody in the tile writes it
        return self->niu && owner->detail < TS_L1_SIZE ? TS_RESOURCE_MOVERS : TS_RESOURCE_OTHER;
    case TS_STALL_DST_HAZARD:
        return unit_of(TS_NODE_GATE + 1, vector);
    case TS_STALL_UNIT_BUSY:
        return owner->object ? unit_named(owner->object->path) : TS_RESOURCE_OTHER;
    default:
        return ts_causes[owner->cause].resource;
    }
}

// --- lines ---

static void add(struct ts_loss_account *self, unsigned cause, enum ts_resource resource,
                const char *object, const char *text, int64_t cycles)
{
    if (cycles == 0)
        return;
    uint32_t i = 0;
    for (; i < self->count; i++)
        if (self->lines[i].cause == cause && strcmp(self->lines[i].object, object) == 0 &&
            strcmp(self->lines[i].text, text) == 0)
            break;
    if (!TS_GROW(self->lines, i, self->room)) {
        self->short_of_memory = true;
        return;
    }
    if (i == self->count) {
        struct ts_loss_line *line = &self->lines[self->count++];
        *line = (struct ts_loss_line){.resource = resource, .cause = cause};
        snprintf(line->object, sizeof line->object, "%s", object);
        snprintf(line->text, sizeof line->text, "%s", text);
    }
    self->lines[i].cycles += cycles;
}

static void add_plain(struct ts_loss_account *self, unsigned cause, enum ts_resource resource,
                      const char *object, int64_t cycles)
{
    char text[200];
    snprintf(text, sizeof text, ts_causes[cause].text, object);
    add(self, cause, resource, object, text, cycles);
}

void ts_loss_entry_line(const struct ts_loss_root *root, const struct ts_loss_entry *entry,
                        struct ts_loss_line *line)
{
    char text[160];
    const bool before = entry->owner.flags & TS_LOSS_BEFORE &&
                        root->results_at_end != root->results_at_begin;
    *line = (struct ts_loss_line){.cause = before ? TS_LOSS_START_UP : entry->owner.cause};
    name_object(root->loss, &entry->owner, line->object, sizeof line->object);
    describe(root->loss, &entry->owner, text, sizeof text);
    snprintf(line->text, sizeof line->text, before ? ts_causes[TS_LOSS_START_UP].text : "%s", text);
}

static void add_entry(struct ts_loss_account *self, const struct ts_loss_root *root,
                      const struct ts_loss_entry *entry, bool vector)
{
    const enum ts_resource resource = resource_of(root->loss, &entry->owner, vector);
    const bool any = root->results_at_end != root->results_at_begin;
    const int64_t tail = any && entry->results == root->results_at_end ? entry->tail : 0;
    char text[160], all[200];
    struct ts_loss_line line;
    ts_loss_entry_line(root, entry, &line);
    add(self, line.cause, resource, line.object, line.text, entry->cycles - tail);
    describe(root->loss, &entry->owner, text, sizeof text);
    // Before the first result there is no last one.
    snprintf(all, sizeof all,
             ts_causes[line.cause == TS_LOSS_START_UP ? TS_LOSS_START_UP : TS_LOSS_END].text, text);
    add(self, TS_LOSS_END, resource, line.object, all, tail);
}

// --- words ---

#define PASSED(name, is)                                             \
    static uint64_t name(const uint64_t passed[256], unsigned asked) \
    {                                                                \
        uint64_t sum = 0;                                            \
        for (unsigned op = 0; op < 256; op++)                        \
            sum += is ? passed[op] : 0;                              \
        return sum;                                                  \
    }
PASSED(words_of, ts_op_hot[op].unit == asked)
PASSED(computed, ts_op_effects[op].kind &asked)

// Which unit of the math thread is the limit: the one with more work.
static bool by_vector(const uint64_t passed[256])
{
    return words_of(passed, TS_UNIT_VECTOR) > computed(passed, TS_MATRIX_LONG);
}

// The words that passed a gate, without those that took no cycle (config/free.def).
static void count_words(const struct ts_loss_root *root, uint64_t passed[256])
{
    const struct ts_tile *tile = root->loss->tile;
    for (unsigned op = 0; op < 256; op++)
        passed[op] = tile->backend.at_once >> ts_op_hot[op].unit & 1 ? 0 : root->closed.passed[op];
}

// The words that passed a gate. Returns their cycles.
static int64_t add_words(struct ts_loss_account *self, const struct ts_loss_root *root,
                         const struct ts_numbers *numbers, bool vector)
{
    const struct ts_loss_sums *sums = &root->closed;
    uint64_t passed[256];
    count_words(root, passed);
    int64_t all = sums->moved, matrix = (int64_t)words_of(passed, TS_UNIT_MATRIX),
            sfpu = (int64_t)words_of(passed, TS_UNIT_VECTOR);
    for (unsigned op = 0; op < 256; op++)
        all += (int64_t)passed[op];
    int64_t useful = vector ? sfpu : (int64_t)computed(passed, TS_MATRIX_LONG);
    if (useful == 0 &&
        !root->loss->tile->backend.at_once) // it only moves data to Dst: that is its work
        useful = matrix;
    int64_t repeated = vector ? 0 : (int64_t)computed(passed, TS_MATRIX_PHASES),
            phases = numbers->phases;
    int64_t fidelity = phases > 1 ? repeated - repeated / phases : 0;
    int64_t other = vector ? matrix : sfpu, nops = 0;
    if (numbers->throttle || numbers->flips)
        nops = (int64_t)passed[TS_OP_NOP];
    char thread[8];
    name_node(root->node, thread, sizeof thread);
    self->reached += useful - fidelity;
    add_plain(self, TS_LOSS_FIDELITY, TS_RESOURCE_MATRIX, "matrix", fidelity);
    add_plain(self, TS_LOSS_OTHER_UNIT, vector ? TS_RESOURCE_MATRIX : TS_RESOURCE_VECTOR,
              vector ? "matrix" : "vector", other);
    add_plain(self, TS_LOSS_THROTTLE, TS_RESOURCE_OTHER, thread, nops);
    add_plain(self, TS_LOSS_ISSUE, unit_of(root->node, vector), thread,
              all - useful - other - nops);
    return all;
}

// --- tiles ---

static void add_tile(struct ts_loss_account *self, const struct ts_job *job,
                     const struct ts_loss_root *root, bool vector)
{
    const struct ts_loss_sums *sums = &root->closed;
    int64_t window = (int64_t)(root->end - root->begin), booked = 0;
    char object[16];
    for (uint32_t i = 0; i < sums->count; i++) {
        add_entry(self, root, &sums->entries[i], vector);
        booked += sums->entries[i].cycles;
    }
    name_node(root->node, object, sizeof object);
    if (root->node == TS_NODE_NIU) {
        self->reached += window - booked;
    } else if (root->node >= TS_NODE_UNPACK) {
        self->reached += sums->work;
        add_plain(self, TS_STALL_UNIT_BUSY, unit_named(object), object,
                  window - booked - sums->work);
    } else {
        booked += add_words(self, root, &job->numbers, vector);
        add_plain(self, TS_LOSS_FILL, TS_RESOURCE_OTHER, object, window - booked);
    }
}

static void add_outside(struct ts_loss_account *self, const struct ts_work *work, uint32_t i,
                        const struct ts_loss_root *root, ts_cycle first, ts_cycle last)
{
    char tile[32];
    snprintf(tile, sizeof tile, "tile %u-%u", work->jobs[i].tile->x, work->jobs[i].tile->y);
    ts_cycle end = root->end;
    if (work->program) {
        ts_cycle own = work->jobs[i].ended;
        own = own < last ? own : last;
        add(self, TS_LOSS_START_UP, TS_RESOURCE_OTHER, MATH_KERNEL,
            "other kernels begin before the math kernel", (int64_t)(root->begin - first));
        if (own > end)
            add(self, TS_LOSS_END, TS_RESOURCE_MOVERS, "data movement kernels",
                "after the math kernel's end: the others have not ended", (int64_t)(own - end));
        end = own > end ? own : end;
        add_plain(self, TS_LOSS_IMBALANCE, TS_RESOURCE_NO_WORK, tile, (int64_t)(last - end));
        return;
    }
    add_plain(self, TS_LOSS_IMBALANCE, TS_RESOURCE_NO_WORK, tile,
              (int64_t)(root->begin - first + last - end));
}

// Does a program mostly move data? Then its NoC ports are the limit.
static bool moves(const struct ts_work *work)
{
    return work->program && work->computes < 0.7;
}

static const struct ts_loss_root *root_of(const struct ts_work *work, uint32_t i, bool moving)
{
    const struct ts_loss *loss = work->jobs[i].loss;
    const struct ts_loss_root *root = loss == NULL ? NULL : moving ? &loss->move : &loss->compute;
    return root && root->ended ? root : NULL;
}

// A core of a program whose math kernel computes nothing, nor moves anything to the packer.
static bool is_idle(const struct ts_work *work, uint32_t i)
{
    const struct ts_loss_root *math = root_of(work, i, false);
    return work->program && math && math->results_at_end == math->results_at_begin &&
           work->jobs[i].tile->pack.bytes == 0;
}

// Such cores stand together where others compute: what their kernels wait for is not the cause.
static void add_idle(struct ts_loss_account *self, const struct ts_loss_root *root, uint32_t count)
{
    char text[96];
    int64_t moved = 0;
    if (root->node == TS_NODE_NIU) {
        moved = (int64_t)(root->end - root->begin);
        for (uint32_t i = 0; i < root->closed.count; i++)
            moved -= root->closed.entries[i].cycles;
    }
    snprintf(text, sizeof text, "%u of %u cores have no work: their math kernels compute nothing",
             count, self->tiles);
    self->reached += moved;
    add(self, TS_LOSS_IMBALANCE, TS_RESOURCE_NO_WORK, "cores without work", text,
        (int64_t)self->wall - moved);
    for (uint32_t i = 0; i < self->count; i++)
        self->lines[i].alone |= strcmp(self->lines[i].text, text) == 0;
}

static int larger(const void *a, const void *b)
{
    const struct ts_loss_line *x = a, *y = b;
    return TS_COMPARE(y->cycles, x->cycles)
               ?: strcmp(ts_causes[x->cause].name, ts_causes[y->cause].name)
               ?: strcmp(x->object, y->object)
               ?: strcmp(x->text, y->text);
}

// Of the tiles [from, to).
static struct ts_loss_account *account_of(const struct ts_work *work, uint32_t from, uint32_t to)
{
    const bool moving = moves(work);
    struct ts_loss_account *self = calloc(1, sizeof *self);
    ts_cycle first = TS_NEVER, last = 0;
    uint32_t idle = 0;
    bool vector = false;
    for (uint32_t i = from; self && i < to; i++) {
        const struct ts_loss_root *root = root_of(work, i, moving);
        if (root == NULL)
            continue;
        idle += is_idle(work, i);
        if (self->tiles++ == 0)
            vector = !moving && by_vector(root->closed.passed);
        first = root->begin < first ? root->begin : first;
        last = root->end > last ? root->end : last;
        self->unit = moving                         ? TS_RESOURCE_NOC
                     : root->node == TS_NODE_PACK   ? TS_RESOURCE_PACK
                     : root->node == TS_NODE_UNPACK ? TS_RESOURCE_UNPACK
                     : vector                       ? TS_RESOURCE_VECTOR
                                                    : TS_RESOURCE_MATRIX;
    }
    if (self == NULL || self->tiles == 0) {
        free(self);
        return NULL;
    }
    if (work->program) {
        first = work->first;
        last = work->last;
    }
    self->first = first;
    self->wall = last - first;
    self->all = (int64_t)self->wall * self->tiles;
    for (uint32_t i = from; i < to; i++) {
        const struct ts_loss_root *root = root_of(work, i, moving);
        if (root == NULL)
            continue;
        if (idle < self->tiles && is_idle(work, i)) {
            add_idle(self, root, idle);
            continue;
        }
        add_tile(self, &work->jobs[i], root, vector);
        add_outside(self, work, i, root, first, last);
    }
    if (self->short_of_memory) {
        ts_loss_account_free(self);
        return NULL;
    }
    if (self->count)
        qsort(self->lines, self->count, sizeof *self->lines, larger);
    return self;
}

struct ts_loss_root *ts_loss_account_root(const struct ts_work *work, uint32_t tile)
{
    return (struct ts_loss_root *)(uintptr_t)root_of(work, tile, moves(work));
}

void ts_loss_word_lines(const struct ts_work *work, uint32_t tile,
                        struct ts_loss_line lines[TS_LOSS_WORDS], double parts[TS_LOSS_WORDS][256])
{
    enum { REACHED, FIDELITY, OTHER, NOPS, REST };
    static const uint8_t kinds[TS_LOSS_WORDS] = {TS_LOSS_WORK, TS_LOSS_FIDELITY, TS_LOSS_OTHER_UNIT,
                                                 TS_LOSS_THROTTLE, TS_LOSS_ISSUE};
    const struct ts_numbers *numbers = &work->jobs[tile].numbers;
    const uint64_t *passed = root_of(work, tile, false)->closed.passed;
    const bool vector = by_vector(passed), moves_only = computed(passed, TS_MATRIX_LONG) == 0;
    const char *other = vector ? "matrix" : "vector";
    const char *objects[TS_LOSS_WORDS] = {vector ? "vector" : "matrix", "matrix", other, "t1",
                                          "t1"};
    for (unsigned i = 0; i < TS_LOSS_WORDS; i++) {
        lines[i] = (struct ts_loss_line){.cause = kinds[i]};
        snprintf(lines[i].object, sizeof lines[i].object, "%s", objects[i]);
        snprintf(lines[i].text, sizeof lines[i].text, ts_causes[kinds[i]].text, objects[i]);
    }
    for (unsigned op = 0; op < 256; op++) {
        const unsigned unit = ts_op_hot[op].unit, kind = ts_op_effects[op].kind;
        const bool matrix = unit == TS_UNIT_MATRIX, sfpu = unit == TS_UNIT_VECTOR,
                   useful = vector       ? sfpu
                            : moves_only ? matrix
                                         : (kind & TS_MATRIX_LONG) != 0;
        const bool nop = (numbers->throttle || numbers->flips) && op == TS_OP_NOP;
        parts[FIDELITY][op] = !vector && kind & TS_MATRIX_PHASES && numbers->phases > 1
                                  ? 1 - 1.0 / numbers->phases
                                  : 0;
        parts[REACHED][op] = useful - parts[FIDELITY][op];
        parts[OTHER][op] = vector ? matrix : sfpu;
        parts[NOPS][op] = nop;
        parts[REST][op] = 1.0 - useful - parts[OTHER][op] - nop;
    }
}

struct ts_loss_account *ts_loss_account_new(const struct ts_work *work)
{
    return account_of(work, 0, ts_work_tiles(work));
}

struct ts_loss_account *ts_loss_account_tile(const struct ts_work *work, uint32_t tile)
{
    return account_of(work, tile, tile + 1);
}

void ts_loss_account_free(struct ts_loss_account *self)
{
    if (self)
        free(self->lines);
    free(self);
}

// movers: chains that end at a core that moves data, at a transfer or at another tile. blocks: words that copy partial sums back
// to Dst, of a kernel that computes products. dispatch: kernels that begin before the math kernel.
json_t *ts_loss_shares(const struct ts_work *work)
{
    const struct ts_loss_account *self = work->loss;
    double movers = 0, blocks = 0, dispatch = 0, all = (double)self->all;
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_loss_line *line = &self->lines[i];
        const unsigned of = line->resource;
        if (of == TS_RESOURCE_CORE + TS_RV_BRISC || of == TS_RESOURCE_CORE + TS_RV_NCRISC ||
            of == TS_RESOURCE_NOC || of == TS_RESOURCE_DRAM || of == TS_RESOURCE_MOVERS)
            movers += (double)line->cycles;
        else if (strcmp(line->object, MATH_KERNEL) == 0)
            dispatch += (double)line->cycles;
    }
    for (uint32_t i = 0; self->unit == TS_RESOURCE_MATRIX && i < ts_work_tiles(work); i++) {
        const struct ts_loss_root *root = root_of(work, i, false);
        const uint64_t *passed = root ? root->closed.passed : NULL;
        if (passed && passed[TS_OP_MVMUL])
            blocks += (double)(passed[TS_OP_MOVA2D] + passed[TS_OP_MOVB2D]);
    }
    return json_pack("{s:f, s:f, s:f}", "movers", 100 * movers / all, "blocks", 100 * blocks / all,
                     "dispatch", 100 * dispatch / all);
}
