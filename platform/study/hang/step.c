// The steps of small programs as guest code: a row of config/step_code.def a verb, or a function. The code is what `tensim run` runs: its cycles are golden.
#include "platform/study/hang/program.h"

#include "platform/tile/nodes.h"

// Registers of the code: address, value, loaded, then those of circular buffers; repeat has x10 on.
enum { AT = 5, VALUE = 6, GOT = 7, LOCAL = 28, OWN = 29, WANT = 30 };

// One verb.
typedef void ts_hang_step(struct ts_hang_steps *self, const struct ts_script_step *step);

static void store(struct ts_hang_steps *self, uint32_t address, uint32_t value)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm_li(self->code, VALUE, value);
    ts_rvasm(self->code, TS_RV_SW, 0, AT, VALUE, 0);
}

// A load whose value is waited for.
static void arrive(struct ts_hang_steps *self, uint32_t address)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_AND, 0, GOT, GOT, 0);
}

// Polls a word until it has the value (BNE), is below it (BGEU)...; `turned`: value first.
static void poll(struct ts_hang_steps *self, uint32_t address, uint32_t value, enum ts_rv_op again,
                 bool turned)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm_li(self->code, VALUE, value);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm_back(self->code, again, turned ? VALUE : GOT, turned ? GOT : VALUE, here);
}

static void fence(struct ts_hang_steps *self)
{
    ts_rvasm(self->code, TS_RV_FENCE, 0, 0, 0, 0);
}

static uint32_t arg(const struct ts_script_step *step, const char *key)
{
    return (uint32_t)ts_script_arg(step, key);
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

// --- circular buffers: own counts lie in the core's RAM, as kernels have them

static unsigned own_counts(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    unsigned i = arg(step, "buffer");
    ts_rvasm_li(self->code, LOCAL, TS_RV_LOCAL_BASE + 16 * i);
    return i;
}

static void low16(struct ts_hang_steps *self, unsigned r)
{
    ts_rvasm(self->code, TS_RV_SLLI, r, r, 0, 16);
    ts_rvasm(self->code, TS_RV_SRLI, r, r, 0, 16);
}

// --- the network

#define NIU(n) (TS_AT_NIUS + 0x10000u * (n))

static void issue(struct ts_hang_steps *self, const struct ts_script_step *step,
                  const struct ts_traffic_op *request)
{
    uint32_t base = NIU(request->noc) + TS_NOC_BUF_STRIDE * arg(step, "initiator");
    self->noc = true;
    poll(self, base + 4 * TS_NOC_CMD_CTRL, 0, TS_RV_BNE, false);
    for (uint32_t i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        store(self, base + 4 * i, request->word[i]);
    store(self, base + 4 * TS_NOC_CMD_CTRL, 1);
    if (arg(step, "settle"))
        fence(self);
}

// Inline: target and data lie where a read would have its source.
static void put_inline(struct ts_traffic_op *request, uint32_t data)
{
    memcpy(&request->word[TS_NOC_TARG_LO], &request->word[TS_NOC_RET_LO],
           3 * sizeof request->word[0]);
    request->word[TS_NOC_CTRL] |= TS_NOC_CTRL_WR_INLINE;
    request->word[TS_NOC_AT_LEN_BE] = 0xf;
    request->word[TS_NOC_AT_DATA] = data;
}

// Until a counter of the interface has a value.
static void do_noc_wait(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    static const struct {
        const char *key;
        uint32_t counter;
    } rows[] = {{"acks", TS_NOC_MST_WR_ACK_RECEIVED},
                {"sent", TS_NOC_MST_NONPOSTED_WR_REQ_SENT},
                {"reads", TS_NOC_MST_RD_RESP_RECEIVED},
                {"posted", TS_NOC_MST_POSTED_WR_REQ_SENT},
                {"atomics", TS_NOC_MST_ATOMIC_RESP_RECEIVED}};
    self->noc = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ts_script_given(step, rows[i].key))
            poll(self, NIU(arg(step, "noc")) + 0x200 + 4 * rows[i].counter, arg(step, rows[i].key),
                 TS_RV_BNE, false);
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

// Steps that are a line of code: config/step_code.def.
#define word(value)           ts_rvasm_word(self->code, value)
#define li(r, value)          ts_rvasm_li(self->code, r, value)
#define op(name, rd, a, b, i) ts_rvasm(self->code, TS_RV_##name, rd, a, b, i)
#define here()                const uint32_t begin = ts_rvasm_here(self->code)
#define back(name, a, b)      ts_rvasm_back(self->code, TS_RV_##name, a, b, begin)
#define low_half(r)           low16(self, r)
#define buffer()              const unsigned i = own_counts(self, step)
#define store(address, value) (store)(self, address, value)
#define arrive(address)       (arrive)(self, address)
#define fence()               (fence)(self)
#define arg(name)             (arg)(step, name)
#define xy(name)              ts_script_arg_xy(step, name)
#define given(name)           ts_script_given(step, name)
#define issue(request)        (issue)(self, step, request)
#define TS_STEP_CODE(of, verb, ...)                                                        \
    static void of##_##verb(struct ts_hang_steps *self, const struct ts_script_step *step) \
    {                                                                                      \
        (void)step;                                                                        \
        __VA_ARGS__;                                                                       \
    }
#include "config/step_code.def"
#undef store
#undef arrive
#undef fence
#undef arg

static ts_hang_step *const make[TS_DO_COUNT] = {
#define TS_STEP_CODE(of, verb, ...) [TS_DO_##of##_##verb] = of##_##verb,
#include "config/step_code.def"
    [TS_DO_BOTH_repeat] = do_repeat,
    [TS_DO_CORE_delay] = do_delay,
    [TS_DO_CORE_until] = do_until,
    [TS_DO_CORE_noc_wait] = do_noc_wait,
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
