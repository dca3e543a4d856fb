// The steps of small programs as guest code: one function a verb. Those of the network are in
// step_noc.c. The code is what `tensim run` runs: its cycles are golden.
#include "platform/study/hang/step_code.h"

#include "platform/tile/nodes.h"

#include <stdio.h>

// --- words

// The next words of the core's thread, which has a list of its own.
static void do_issue(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    for (uint32_t n = arg(step, "words"); n && self->words.next < self->words.count; n--)
        ts_rvasm_word(self->code, ts_word_to_inline(self->words.word[self->words.next++]));
}

// --- semaphores, mailboxes, memory

static void do_until(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    static const struct {
        const char *key;
        enum ts_rv_op again;
        bool turned; // value before word
    } rows[] = {{"is", TS_RV_BNE, false},     {"is_not", TS_RV_BEQ, false},
                {"below", TS_RV_BGEU, false}, {"at_most", TS_RV_BLTU, true},
                {"above", TS_RV_BGEU, true},  {"at_least", TS_RV_BLTU, false}};
    uint32_t address = ts_script_given(step, "semaphore")
                           ? TS_AT_SEMAPHORES + 4 * arg(step, "semaphore")
                           : arg(step, "l1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ts_script_given(step, rows[i].key))
            poll(self, address, arg(step, rows[i].key), rows[i].again, rows[i].turned);
}

static void do_write(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    ts_rvasm_li(self->code, AT, arg(step, "l1"));
    ts_rvasm_li(self->code, VALUE, arg(step, "value"));
    ts_rvasm(self->code, step->verb == TS_DO_CORE_add ? TS_RV_AMOADD : TS_RV_SW, 0, AT, VALUE, 0);
    fence(self);
}
static void do_load(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    ts_rvasm_li(self->code, AT, arg(step, "l1"));
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    if (arg(step, "use"))
        ts_rvasm(self->code, TS_RV_AND, 0, GOT, GOT, 0);
}
static void do_copy(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    arrive(self, arg(step, "from"));
    ts_rvasm_li(self->code, AT, arg(step, "to"));
    ts_rvasm(self->code, TS_RV_SW, 0, AT, GOT, 0);
    fence(self);
}

// The L0 data cache: on, or on without the flush that hardware makes now and then.
static void do_l0(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    ts_rvasm_li(self->code, VALUE, arg(step, "mode") ? TS_RV_CFG0_DIS_PERIODIC_FLUSH : 0);
    ts_rvasm_word(self->code, 0x7c001073u | VALUE << 15); // csrw cfg0, VALUE
}

static void do_delay(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    int64_t length = ts_script_arg(step, "instructions");
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

static void do_sync(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    uint32_t address = arg(step, "what") ? TS_AT_TTSYNC_MOP : TS_AT_TTSYNC;
    // Without the store the load may overtake pushes that are still in the core's queue.
    store(self, address, 0);
    arrive(self, address);
}

// --- circular buffers: own counts lie in the core's RAM, as kernels have them

static unsigned buffer_of(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    unsigned i = arg(step, "buffer");
    ts_rvasm_li(self->code, LOCAL, TS_RV_LOCAL_BASE + 16 * i);
    return i;
}

static void low_half(struct ts_hang_steps *self, unsigned r)
{
    ts_rvasm(self->code, TS_RV_SLLI, r, r, 0, 16);
    ts_rvasm(self->code, TS_RV_SRLI, r, r, 0, 16);
}

static void do_wait_front(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    unsigned i = buffer_of(self, step);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, 4);
    ts_rvasm_li(self->code, AT, ts_hang_received(i));
    ts_rvasm_li(self->code, WANT, arg(step, "pages"));
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_SUB, GOT, GOT, OWN, 0);
    low_half(self, GOT);
    ts_rvasm_back(self->code, TS_RV_BLTU, GOT, WANT, here);
}

static void do_reserve_back(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    unsigned i = buffer_of(self, step);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, 0);
    ts_rvasm_li(self->code, AT, ts_hang_acked(i));
    ts_rvasm_li(self->code, WANT, arg(step, "pages"));
    ts_rvasm_li(self->code, VALUE, self->script->buffers[i].pages);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_SUB, GOT, OWN, GOT, 0);
    if (!arg(step, "unmasked"))
        low_half(self, GOT);
    ts_rvasm(self->code, TS_RV_SUB, GOT, VALUE, GOT, 0);
    ts_rvasm_back(self->code, TS_RV_BLT, GOT, WANT, here); // signed, as kernels have it
}

// Own count on, and to L1.
static void do_count(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    bool push = step->verb == TS_DO_CORE_cb_push_back;
    unsigned i = buffer_of(self, step);
    ts_rvasm(self->code, TS_RV_LW, OWN, LOCAL, 0, push ? 0 : 4);
    ts_rvasm(self->code, TS_RV_ADDI, OWN, OWN, 0, (int32_t)arg(step, "pages"));
    low_half(self, OWN);
    ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, OWN, push ? 0 : 4);
    ts_rvasm_li(self->code, AT, push ? ts_hang_received(i) : ts_hang_acked(i));
    ts_rvasm(self->code, TS_RV_SW, 0, AT, OWN, 0);
    fence(self);
}

// --- control

static void do_list(struct ts_hang_steps *self, const struct ts_script_list *list);

// Does the core push the words of its thread itself?
static bool issues(const struct ts_script_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->steps[i].verb == TS_DO_CORE_issue || issues(&list->steps[i].body))
            return true;
    return false;
}

static void do_repeat(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    if (issues(&step->body)) { // other words each time: written out
        for (uint32_t n = arg(step, "times"); n && !self->code->overflow; n--)
            do_list(self, &step->body);
        return;
    }
    unsigned counter = 10 + self->depth++; // a register for each level
    ts_rvasm_li(self->code, counter, arg(step, "times"));
    uint32_t here = ts_rvasm_here(self->code);
    do_list(self, &step->body);
    ts_rvasm(self->code, TS_RV_ADDI, counter, counter, 0, -1);
    ts_rvasm_back(self->code, TS_RV_BNE, counter, 0, here);
    self->depth--;
}

// Steps that are a store or a load.
#define word(value)           ts_rvasm_word(self->code, value)
#define store(address, value) (store)(self, address, value)
#define arrive(address)       (arrive)(self, address)
#define arg(name)             (arg)(step, name)
#define TS_STEP_CODE(of, verb, code)                                                       \
    static void of##_##verb(struct ts_hang_steps *self, const struct ts_script_step *step) \
    {                                                                                      \
        (void)step;                                                                        \
        code;                                                                              \
    }
#include "config/step_code.def"
#undef word
#undef store
#undef arrive
#undef arg

static ts_hang_step *const make[TS_DO_COUNT] = {
#define TS_STEP_CODE(of, verb, code) [TS_DO_##of##_##verb] = of##_##verb,
#include "config/step_code.def"
    [TS_DO_BOTH_repeat] = do_repeat,
    [TS_DO_CORE_delay] = do_delay,
    [TS_DO_CORE_until] = do_until,
    [TS_DO_CORE_write] = do_write,
    [TS_DO_CORE_add] = do_write,
    [TS_DO_CORE_load] = do_load,
    [TS_DO_CORE_copy] = do_copy,
    [TS_DO_CORE_l0] = do_l0,
    [TS_DO_CORE_issue] = do_issue,
    [TS_DO_CORE_sync] = do_sync,
    [TS_DO_CORE_cb_wait_front] = do_wait_front,
    [TS_DO_CORE_cb_pop_front] = do_count,
    [TS_DO_CORE_cb_reserve_back] = do_reserve_back,
    [TS_DO_CORE_cb_push_back] = do_count,
    [TS_DO_CORE_noc_write] = ts_hang_noc_write,
    [TS_DO_CORE_noc_read] = ts_hang_noc_read,
    [TS_DO_CORE_noc_multicast] = ts_hang_noc_multicast,
    [TS_DO_CORE_noc_increment] = ts_hang_noc_increment,
    [TS_DO_CORE_noc_wait] = ts_hang_noc_wait,
};

// The code of a step begins here; several steps of one line are one.
static void note_line(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    struct ts_tile_lines *lines = self->lines;
    int line = ts_yaml_line(step->node);
    if (lines->count == sizeof lines->line / sizeof *lines->line ||
        (lines->count && lines->line[lines->count - 1].line == line))
        return;
    lines->line[lines->count].pc = 4 * ts_rvasm_here(self->code);
    lines->line[lines->count++].line = line;
}

static void do_list(struct ts_hang_steps *self, const struct ts_script_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_script_step *step = &list->steps[i];
        bool full = step->verb == TS_DO_CORE_drain; // a full FIFO holds the core by itself
        if (make[step->verb]) {
            note_line(self, step);
            make[step->verb](self, step);
        } else if (!full) {
            ts_script_refuse(step->node, "a small program",
                             "does not run this step: --explore does");
        }
    }
}

// The words of a thread's own list, repetitions written out.
static void gather(struct ts_hang_steps *self, const struct ts_script_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_script_step *step = &list->steps[i];
        if (step->verb == TS_DO_BOTH_repeat)
            for (uint32_t n = arg(step, "times"); n && self->words.count < TS_RVASM_WORDS; n--)
                gather(self, &step->body);
        else if (step->verb != TS_DO_BOTH_tt)
            ts_script_refuse(step->node, "a small program",
                             "does not run this step: --explore does");
        else if (self->words.count < TS_RVASM_WORDS)
            self->words.word[self->words.count++] = arg(step, "word");
    }
}

void ts_hang_steps(struct ts_hang_steps *self, const struct ts_script_list *list,
                   const struct ts_script_list *thread)
{
    for (unsigned i = 0; i < self->script->buffer_count; i++) {
        const struct ts_script_object *buffer = &self->script->buffers[i];
        if (buffer->start == 0 && buffer->filled == 0)
            continue;
        ts_rvasm_li(self->code, LOCAL, TS_RV_LOCAL_BASE + 16 * i);
        ts_rvasm_li(self->code, VALUE, buffer->start + buffer->filled);
        ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, VALUE, 0);
        if (buffer->filled)
            ts_rvasm_li(self->code, VALUE, buffer->start);
        ts_rvasm(self->code, TS_RV_SW, 0, LOCAL, VALUE, 4);
    }
    gather(self, thread);
    if (!issues(list))
        while (self->words.next < self->words.count)
            ts_rvasm_word(self->code, ts_word_to_inline(self->words.word[self->words.next++]));
    do_list(self, list);
}
