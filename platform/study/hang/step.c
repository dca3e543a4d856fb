// The steps of synchronisation programs: one function a verb; see program.h for the form. Those of the network are in step_noc.c.
#include "platform/study/hang/step_code.h"

#include "platform/tile/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 6 // of repeat
// --- Tensix words

// "SEMWAIT stall_res=64 sem_sel=2": the word.
static bool tensix_word(struct ts_yaml_node node, const char *text, uint32_t *word)
{
    char why[160];
    if (ts_assemble(text, word, why, sizeof why))
        return true;
    ts_yaml_error(node, "%s", why);
    return false;
}

static void do_tt(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    uint32_t word;
    (void)depth;
    if (tensix_word(node, ts_yaml_text(node, ""), &word))
        ts_rvasm_word(self->code, ts_word_to_inline(word));
}

static void do_code(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    ts_rvasm_word(self->code, (uint32_t)ts_yaml_int(node, 0, UINT32_MAX, 0));
}

// --- small helpers

static int core_named(struct ts_yaml_node node)
{
    const char *name = ts_yaml_text(node, "");
    int core = ts_rv_core_by_name(name);
    if (core < 0)
        ts_yaml_error(node, "no core '%s'", name);
    return core;
}

bool ts_hang_coordinates(struct ts_yaml_node node, struct ts_noc_xy *at)
{
    unsigned x, y;
    char rest;
    if (sscanf(ts_yaml_text(node, ""), "%u-%u%c", &x, &y, &rest) != 2 || x >= TS_NOC_WIDTH_MAX ||
        y >= TS_NOC_HEIGHT_MAX) {
        ts_yaml_error(node, "not the coordinates of a tile: x-y");
        return false;
    }
    *at = (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    return true;
}

// --- semaphores, mailboxes, memory

static void semaphore(struct ts_hang_steps *self, struct ts_yaml_node node, uint32_t value)
{
    store(self, TS_AT_SEMAPHORES + 4 * (uint32_t)ts_yaml_int(node, 0, 7, 0), value);
}
static void do_post(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    semaphore(self, node, 0);
}
static void do_get(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    semaphore(self, node, 1);
}

static void do_mail(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"to", "value", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    int to = core_named(ts_yaml_require(node, "to"));
    store(self, TS_AT_MAILBOXES + 0x1000 * (uint32_t)(to & 3), number_of(node, "value", 0));
}
static void do_read(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    arrive(self, TS_AT_MAILBOXES + 0x1000 * (uint32_t)(core_named(node) & 3));
}

static void do_until(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"semaphore", "l1", "is", "below", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    struct ts_yaml_node sem = ts_yaml_find(node, "semaphore"), below = ts_yaml_find(node, "below");
    uint32_t address = sem.node ? TS_AT_SEMAPHORES + 4 * (uint32_t)ts_yaml_int(sem, 0, 7, 0)
                                : l1_of(node, "l1");
    struct ts_yaml_node value = below.node ? below : ts_yaml_require(node, "is");
    poll(self, address, (uint32_t)ts_yaml_int(value, 0, UINT32_MAX, 0),
         below.node ? TS_RV_BGEU : TS_RV_BNE);
}

static void memory(struct ts_hang_steps *self, struct ts_yaml_node node, enum ts_rv_op op)
{
    static const char *const keys[] = {"l1", "value", NULL};
    ts_yaml_only(node, keys);
    ts_rvasm_li(self->code, AT, l1_of(node, "l1"));
    ts_yaml_require(node, "value");
    ts_rvasm_li(self->code, VALUE, number_of(node, "value", 0));
    ts_rvasm(self->code, op, 0, AT, VALUE, 0);
    fence(self);
}
static void do_write(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    memory(self, node, TS_RV_SW);
}
static void do_add(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    memory(self, node, TS_RV_AMOADD);
}
static void do_copy(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"from", "to", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    arrive(self, l1_of(node, "from"));
    ts_rvasm_li(self->code, AT, l1_of(node, "to"));
    ts_rvasm(self->code, TS_RV_SW, 0, AT, GOT, 0);
    fence(self);
}

static void do_fence(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)node, (void)depth;
    fence(self);
}

// The L0 data cache: on, or on without the flush that hardware makes now and then.
static void do_l0(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    bool frozen = strcmp(ts_yaml_text(node, ""), "frozen") == 0;
    ts_rvasm_li(self->code, VALUE, frozen ? TS_RV_CFG0_DIS_PERIODIC_FLUSH : 0);
    ts_rvasm_word(self->code, 0x7c001073u | VALUE << 15); // csrw cfg0, VALUE
}

static void do_delay(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    int64_t length = ts_yaml_int(node, 0, 100000000, 0);
    (void)depth;
    if (length <= 16) {
        for (int64_t i = 0; i < length; i++)
            ts_rvasm(self->code, TS_RV_ADDI, 0, 0, 0, 0);
        return;
    }
    ts_rvasm_li(self->code, VALUE, (uint32_t)length / 2);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_ADDI, VALUE, VALUE, 0, -1);
    ts_rvasm_back(self->code, TS_RV_BNE, VALUE, 0, here);
}

// --- the coprocessor

static void do_push(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"thread", "tt", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    uint32_t word, thread = (uint32_t)ts_yaml_int(ts_yaml_require(node, "thread"), 0, 2, 0);
    struct ts_yaml_node tt = ts_yaml_require(node, "tt");
    if (tensix_word(tt, ts_yaml_text(tt, ""), &word))
        store(self, 0xffe40000u + 0x10000 * thread, word);
}

static void do_sync(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    uint32_t address = strcmp(ts_yaml_text(node, ""), "mop") == 0 ? TS_AT_TTSYNC_MOP : TS_AT_TTSYNC;
    // Without the store the load may overtake pushes that are still in the core's queue.
    store(self, address, 0);
    arrive(self, address);
}

static void do_cfg(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"word", "value", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    uint32_t word = (uint32_t)ts_yaml_int(ts_yaml_require(node, "word"), 0, TS_CFG_WORDS - 1, 0);
    store(self, 0xffef0000u + 4 * word, number_of(node, "value", 0));
}
static void do_cfg_wait(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)node, (void)depth;
    arrive(self, 0xffef0004u);
}

static void do_mop(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"register", "value", "tt", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    uint32_t which = (uint32_t)ts_yaml_int(ts_yaml_require(node, "register"), 0, 8, 0);
    uint32_t value = number_of(node, "value", 0);
    struct ts_yaml_node tt = ts_yaml_find(node, "tt");
    if (!tt.node || tensix_word(tt, ts_yaml_text(tt, ""), &value))
        store(self, 0xffb80000u + 4 * which, value);
}

// --- circular buffers: own counts lie in the core's RAM, as kernels have them

static unsigned buffer_of(struct ts_hang_steps *self, struct ts_yaml_node node, uint32_t *pages)
{
    static const char *const keys[] = {"buffer", "pages", "unmasked", NULL};
    ts_yaml_only(node, keys);
    *pages = number_of(node, "pages", 1);
    struct ts_yaml_node name = ts_yaml_require(node, "buffer");
    for (unsigned i = 0; i < self->buffer_count; i++)
        if (strcmp(self->buffers[i].name, ts_yaml_text(name, "")) == 0) {
            ts_rvasm_li(self->code, LOCAL, TS_RV_LOCAL_BASE + 16 * i);
            return i;
        }
    ts_yaml_error(name, "no buffer '%s'", ts_yaml_text(name, ""));
    return 0;
}

static void low_half(struct ts_hang_steps *self, unsigned r)
{
    ts_rvasm(self->code, TS_RV_SLLI, r, r, 0, 16);
    ts_rvasm(self->code, TS_RV_SRLI, r, r, 0, 16);
}

static void do_wait_front(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    uint32_t pages;
    (void)depth;
    unsigned i = buffer_of(self, node, &pages);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, 4);
    ts_rvasm_li(self->code, AT, ts_hang_received(i));
    ts_rvasm_li(self->code, WANT, pages);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_SUB, GOT, GOT, OWN, 0);
    low_half(self, GOT);
    ts_rvasm_back(self->code, TS_RV_BLTU, GOT, WANT, here);
}

static void do_reserve_back(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    uint32_t pages;
    (void)depth;
    unsigned i = buffer_of(self, node, &pages);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, 0);
    ts_rvasm_li(self->code, AT, ts_hang_acked(i));
    ts_rvasm_li(self->code, WANT, pages);
    ts_rvasm_li(self->code, VALUE, self->buffers[i].pages);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_SUB, GOT, OWN, GOT, 0);
    if (!ts_yaml_bool(ts_yaml_find(node, "unmasked"), false))
        low_half(self, GOT);
    ts_rvasm(self->code, TS_RV_SUB, GOT, VALUE, GOT, 0);
    ts_rvasm_back(self->code, TS_RV_BLT, GOT, WANT, here); // signed, as kernels have it
}

// Own count on, and to L1.
static void count(struct ts_hang_steps *self, struct ts_yaml_node node, bool push)
{
    uint32_t pages;
    unsigned i = buffer_of(self, node, &pages);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, push ? 0 : 4);
    ts_rvasm(self->code, TS_RV_ADDI, OWN, OWN, 0, (int32_t)pages);
    low_half(self, OWN);
    ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, OWN, push ? 0 : 4);
    ts_rvasm_li(self->code, AT, push ? ts_hang_received(i) : ts_hang_acked(i));
    ts_rvasm(self->code, TS_RV_SW, 0, AT, OWN, 0);
    fence(self);
}
static void do_push_back(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    count(self, node, true);
}
static void do_pop_front(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    (void)depth;
    count(self, node, false);
}

// --- control

static void do_list(struct ts_hang_steps *self, struct ts_yaml_node list, unsigned depth);

static void do_repeat(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"times", "do", NULL};
    ts_yaml_only(node, keys);
    if (depth == DEPTH) {
        ts_yaml_error(node, "repeat in repeat: at most %d deep", DEPTH);
        return;
    }
    ts_rvasm_li(self->code, 10 + depth,
                (uint32_t)ts_yaml_int(ts_yaml_require(node, "times"), 1, INT32_MAX, 1));
    uint32_t here = ts_rvasm_here(self->code);
    do_list(self, ts_yaml_require(node, "do"), depth + 1);
    ts_rvasm(self->code, TS_RV_ADDI, 10 + depth, 10 + depth, 0, -1);
    ts_rvasm_back(self->code, TS_RV_BNE, 10 + depth, 0, here);
}

static const struct {
    const char *name;
    ts_hang_step *make;
} verbs[] = {
    {"mail", do_mail},
    {"read", do_read},
    {"delay", do_delay},
    {"post", do_post},
    {"get", do_get},
    {"until", do_until},
    {"write", do_write},
    {"add", do_add},
    {"copy", do_copy},
    {"fence", do_fence},
    {"l0", do_l0},
    {"tt", do_tt},
    {"code", do_code},
    {"push", do_push},
    {"sync", do_sync},
    {"cfg", do_cfg},
    {"cfg_wait", do_cfg_wait},
    {"mop", do_mop},
    {"cb_wait_front", do_wait_front},
    {"cb_pop_front", do_pop_front},
    {"cb_reserve_back", do_reserve_back},
    {"cb_push_back", do_push_back},
    {"noc_write", ts_hang_noc_write},
    {"noc_multicast", ts_hang_noc_multicast},
    {"noc_increment", ts_hang_noc_increment},
    {"noc_wait", ts_hang_noc_wait},
    {"repeat", do_repeat},
};
#define VERBS (sizeof verbs / sizeof *verbs)

// The code of a step begins here; several steps of one line are one.
static void note_line(struct ts_hang_steps *self, struct ts_yaml_node step)
{
    struct ts_tile_lines *lines = self->lines;
    int line = ts_yaml_line(step);
    if (lines->count == sizeof lines->line / sizeof *lines->line ||
        (lines->count && lines->line[lines->count - 1].line == line))
        return;
    lines->line[lines->count].pc = 4 * ts_rvasm_here(self->code);
    lines->line[lines->count++].line = line;
}

static void do_list(struct ts_hang_steps *self, struct ts_yaml_node list, unsigned depth)
{
    const char *names[VERBS + 1] = {NULL};
    for (unsigned v = 0; v < VERBS; v++)
        names[v] = verbs[v].name;
    for (size_t i = 0; self->error->code == TS_OK && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node row = ts_yaml_at(list, i);
        ts_yaml_only(row, names);
        if (self->error->code != TS_OK)
            return;
        const char *verb = ts_yaml_text(ts_yaml_key(row, 0), "");
        note_line(self, row);
        for (unsigned v = 0; v < VERBS; v++)
            if (strcmp(verb, verbs[v].name) == 0)
                verbs[v].make(self, ts_yaml_value(row, 0), depth);
    }
}

void ts_hang_steps(struct ts_hang_steps *self, struct ts_yaml_node list)
{
    for (unsigned i = 0; i < self->buffer_count; i++) {
        if (self->buffers[i].start == 0)
            continue;
        ts_rvasm_li(self->code, LOCAL, TS_RV_LOCAL_BASE + 16 * i);
        ts_rvasm_li(self->code, VALUE, self->buffers[i].start);
        ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, VALUE, 0);
        ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, VALUE, 4);
    }
    do_list(self, list, 0);
}
