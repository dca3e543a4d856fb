// Code with labels, and circular buffers (peak_code.h).
#include "platform/study/silicon/peak_code.h"

#include "platform/study/silicon/peak_words.h"

#include <stdlib.h>

#define PUSH_AT 0xffe40000u
#define CLOCK   0xffb121f0u

struct peak_item {
    uint32_t word; // of a branch: the label
    enum ts_rv_op op;
    uint8_t a, b;
    enum { PLAIN, BRANCH, JUMP } kind;
};

static void *grow(void *array, unsigned count, size_t size)
{
    if ((count & (count - 1)) == 0) // full: 0, 1, 2, 4 ...
        array = realloc(array, (count ? 2 * count : 1) * size);
    if (array == NULL)
        abort();
    return array;
}

static void add(struct peak_code *k, struct peak_item item)
{
    k->items = grow(k->items, k->count, sizeof *k->items);
    k->items[k->count++] = item;
}

void peak_free(struct peak_code *k)
{
    free(k->items);
    free(k->labels);
    *k = (struct peak_code){0};
}

unsigned peak_label(struct peak_code *k)
{
    k->labels = grow(k->labels, k->label_count, sizeof *k->labels);
    k->labels[k->label_count] = -1;
    return k->label_count++;
}

void peak_here(struct peak_code *k, unsigned label)
{
    k->labels[label] = (int32_t)k->count;
}

unsigned peak_mark(struct peak_code *k)
{
    unsigned label = peak_label(k);
    peak_here(k, label);
    return label;
}

void peak_word(struct peak_code *k, uint32_t word)
{
    add(k, (struct peak_item){.word = word});
}

void peak_tensix(struct peak_code *k, uint32_t word)
{
    peak_word(k, ts_word_to_inline(word));
}

void peak_branch(struct peak_code *k, enum ts_rv_op op, unsigned a, unsigned b, unsigned label)
{
    add(k, (struct peak_item){label, op, (uint8_t)a, (uint8_t)b, BRANCH});
}

void peak_call(struct peak_code *k, unsigned link, unsigned label)
{
    add(k, (struct peak_item){label, TS_RV_JAL, (uint8_t)link, 0, JUMP});
}

static enum ts_rv_op inverse(enum ts_rv_op op)
{
    static const enum ts_rv_op pairs[][2] = {
        {TS_RV_BEQ, TS_RV_BNE}, {TS_RV_BLT, TS_RV_BGE}, {TS_RV_BLTU, TS_RV_BGEU}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 2; j++)
            if (pairs[i][j] == op)
                return pairs[i][!j];
    return op;
}

// Places of all items, until no branch has to become longer.
static void lay_out(const struct peak_code *k, uint32_t *place, bool *far)
{
    for (bool changed = true; changed;) {
        changed = false;
        place[0] = 0;
        for (unsigned i = 0; i < k->count; i++)
            place[i + 1] = place[i] + (far[i] ? 2 : 1);
        for (unsigned i = 0; i < k->count; i++) {
            if (k->items[i].kind != BRANCH || far[i])
                continue;
            int32_t way = ((int32_t)place[k->labels[k->items[i].word]] - (int32_t)place[i]) * 4;
            far[i] = way < -4096 || way >= 4096;
            changed |= far[i];
        }
    }
}

bool peak_assemble(const struct peak_code *k, struct ts_rvasm *out)
{
    for (unsigned i = 0; i < k->label_count; i++)
        if (k->labels[i] < 0)
            return false;
    uint32_t *place = calloc(k->count + 1, sizeof *place);
    bool *far = calloc(k->count + 1, sizeof *far);
    if (place == NULL || far == NULL)
        abort();
    lay_out(k, place, far);
    for (unsigned i = 0; i < k->count; i++) {
        const struct peak_item *item = &k->items[i];
        if (item->kind == PLAIN) {
            ts_rvasm_word(out, item->word);
            continue;
        }
        int32_t way = ((int32_t)place[k->labels[item->word]] - (int32_t)place[i]) * 4;
        if (item->kind == JUMP) {
            ts_rvasm(out, TS_RV_JAL, item->a, 0, 0, way);
        } else if (far[i]) {
            ts_rvasm(out, inverse(item->op), 0, item->a, item->b, 8);
            ts_rvasm(out, TS_RV_JAL, 0, 0, 0, way - 4);
        } else {
            ts_rvasm(out, item->op, 0, item->a, item->b, way);
        }
    }
    free(place);
    free(far);
    return !out->overflow;
}

void peak_li(struct peak_code *k, unsigned rd, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    uint32_t high = value - (uint32_t)low;
    if (high)
        peak_do(k, TS_RV_LUI, rd, 0, 0, (int32_t)high);
    if (low || !high)
        peak_addi(k, rd, high ? rd : ZERO, low);
}

void peak_add_number(struct peak_code *k, unsigned rd, unsigned rs, int32_t number)
{
    if (number >= -2048 && number <= 2047) {
        peak_addi(k, rd, rs, number);
        return;
    }
    peak_li(k, T4, (uint32_t)number);
    peak_do(k, TS_RV_ADD, rd, rs, T4, 0);
}

void peak_get(struct peak_code *k, unsigned rd, uint32_t address)
{
    peak_li(k, T0, address);
    peak_load(k, rd, T0, 0);
}

void peak_put(struct peak_code *k, uint32_t address, unsigned value)
{
    peak_li(k, T0, address);
    peak_store(k, value, T0, 0);
}

void peak_set(struct peak_code *k, uint32_t address, uint32_t number)
{
    peak_li(k, T0, address);
    peak_li(k, T1, number);
    peak_store(k, T1, T0, 0);
}

void peak_push(struct peak_code *k, uint32_t word)
{
    peak_set(k, PUSH_AT, word);
}

static void drain(struct peak_code *k, uint32_t address, unsigned reg)
{
    peak_set(k, address, 0);
    peak_li(k, T1, address);
    peak_load(k, reg, T1, 0);
    peak_do(k, TS_RV_AND, ZERO, ZERO, reg, 0);
}

void peak_sync(struct peak_code *k, unsigned reg)
{
    drain(k, 0xffe80004, reg);
}

void peak_mop(struct peak_code *k, const uint32_t words[9])
{
    drain(k, 0xffe80008, T1);
    peak_li(k, T0, 0xffb80000);
    for (int32_t i = 0; i < 9; i++) {
        peak_li(k, T1, words[i]);
        peak_store(k, T1, T0, 4 * i);
    }
}

void peak_idle(struct peak_code *k, uint32_t address)
{
    unsigned done = peak_label(k);
    peak_li(k, T0, address);
    unsigned again = peak_mark(k);
    peak_load(k, T1, T0, 0);
    peak_do(k, TS_RV_ANDI, T1, T1, 0, 0xff);
    peak_branch(k, TS_RV_BEQ, T1, ZERO, done);
    peak_fence(k);
    peak_jump(k, again);
    peak_here(k, done);
}

void peak_await(struct peak_code *k, uint32_t address, unsigned value, unsigned reg)
{
    peak_li(k, T0, address);
    unsigned again = peak_mark(k);
    peak_fence(k);
    peak_load(k, reg, T0, 0);
    peak_branch(k, TS_RV_BNE, reg, value, again);
    peak_fence(k);
}

void peak_stamp(struct peak_code *k, uint32_t address)
{
    for (unsigned half = 0; half < 2; half++) {
        peak_get(k, T1, CLOCK + 8 * half);
        peak_put(k, address + 4 * half, T1);
    }
}

// ---- circular buffers

enum { SIZE, LIMIT = 4, PAGE = 8, PAGES = 12, READ_AT = 16, WRITE_AT = 20, COUNTS = 24 };

uint32_t peak_interface(unsigned core)
{
    return core == TS_RV_BRISC ? 0xffb00048u : core == TS_RV_NCRISC ? 0xffb00464u : 0xffb00020u;
}

void peak_buffer(struct peak_code *k, unsigned core, const struct peak_buffer *buffer)
{
    const unsigned shift = core == TS_RV_BRISC || core == TS_RV_NCRISC ? 0 : 4;
    const uint32_t size = buffer->page * buffer->pages, at = buffer->address;
    const uint32_t words[8] = {size >> shift,
                               (at + size) >> shift,
                               buffer->page >> shift,
                               buffer->pages,
                               at >> shift,
                               at >> shift,
                               0,
                               0};
    peak_li(k, T0, peak_interface(core) + 32 * buffer->index);
    for (int32_t i = 0; i < 8; i++) {
        peak_li(k, T1, words[i]);
        peak_store(k, T1, T0, 4 * i);
    }
}

static void words_of(struct peak_code *k, unsigned core, unsigned index)
{
    peak_li(k, T6, peak_interface(core) + 32 * index);
}

static void number(struct peak_code *k, unsigned rd, struct peak_count count)
{
    if (count.reg)
        peak_move(k, rd, count.reg);
    else
        peak_li(k, rd, count.number);
}

static void low_half(struct peak_code *k, unsigned rd, unsigned rs)
{
    peak_do(k, TS_RV_SLLI, rd, rs, 0, 16);
    peak_do(k, TS_RV_SRLI, rd, rd, 0, 16);
}

void peak_reserve(struct peak_code *k, unsigned core, unsigned index, struct peak_count count)
{
    unsigned done = peak_label(k);
    words_of(k, core, index);
    peak_load(k, T5, T6, COUNTS);
    peak_do(k, TS_RV_SRLI, T5, T5, 0, 16);
    unsigned again = peak_mark(k);
    peak_li(k, T4, PEAK_ACKED(index));
    peak_do(k, TS_RV_LHU, T4, T4, 0, 0);
    peak_do(k, TS_RV_SUB, T3, T5, T4, 0);
    peak_load(k, T2, T6, PAGES);
    peak_do(k, TS_RV_SUB, T3, T2, T3, 0);
    number(k, T1, count);
    peak_branch(k, TS_RV_BGE, T3, T1, done);
    peak_fence(k);
    peak_jump(k, again);
    peak_here(k, done);
    peak_fence(k);
}

void peak_wait_front(struct peak_code *k, unsigned core, unsigned index, struct peak_count count)
{
    unsigned done = peak_label(k);
    words_of(k, core, index);
    peak_load(k, T5, T6, COUNTS);
    low_half(k, T4, T5);
    number(k, T1, count);
    unsigned again = peak_mark(k);
    peak_li(k, T3, PEAK_ARRIVED(index));
    peak_do(k, TS_RV_LHU, T3, T3, 0, 0);
    peak_do(k, TS_RV_SUB, T2, T3, T4, 0);
    number(k, T1, count);
    peak_branch(k, TS_RV_BGEU, T2, T1, done);
    peak_fence(k);
    peak_jump(k, again);
    peak_here(k, done);
    peak_fence(k);
}

// Moves a place on by pages; T6 has the buffer's words, T3 to T5 are used.
static void step(struct peak_code *k, int32_t place, struct peak_count count)
{
    unsigned inside = peak_label(k);
    peak_load(k, T5, T6, place);
    peak_load(k, T4, T6, PAGE);
    if (count.reg || count.number != 1) {
        number(k, T3, count);
        peak_do(k, TS_RV_MUL, T4, T4, T3, 0);
    }
    peak_do(k, TS_RV_ADD, T5, T5, T4, 0);
    peak_load(k, T4, T6, LIMIT);
    peak_branch(k, TS_RV_BLTU, T5, T4, inside);
    peak_load(k, T4, T6, SIZE);
    peak_do(k, TS_RV_SUB, T5, T5, T4, 0);
    peak_here(k, inside);
    peak_store(k, T5, T6, place);
}

// The coprocessor also stores the count, behind the thread's words: `half` is of a GPR.
static void store_behind(struct peak_code *k, unsigned count, unsigned half, unsigned unit,
                         uint32_t address)
{
    peak_do(k, TS_RV_SLLI, T4, count, 0, 8);
    peak_li(k, T5, OP(SETDMAREG) | half);
    peak_do(k, TS_RV_ADD, T4, T4, T5, 0);
    peak_li(k, T5, PUSH_AT);
    peak_store(k, T4, T5, 0);
    peak_tensix(k, STALL(32, unit));
    peak_push(k, OP(STOREREG) | (half / 2) << 18 | ((address >> 2) & 0x3ffff));
}

static void add_count(struct peak_code *k, unsigned rd, struct peak_count count)
{
    if (!count.reg && count.number == 1) {
        peak_addi(k, rd, rd, 1);
        return;
    }
    number(k, T4, count);
    peak_do(k, TS_RV_ADD, rd, rd, T4, 0);
}

void peak_push_back(struct peak_code *k, unsigned core, unsigned index, struct peak_count count,
                    bool by_tensix)
{
    words_of(k, core, index);
    step(k, WRITE_AT, count);
    peak_load(k, T3, T6, COUNTS);
    low_half(k, T2, T3);
    peak_do(k, TS_RV_SRLI, T1, T3, 0, 16);
    add_count(k, T1, count);
    peak_do(k, TS_RV_SLLI, T1, T1, 0, 16);
    peak_do(k, TS_RV_OR, T3, T1, T2, 0);
    peak_store(k, T3, T6, COUNTS);
    peak_do(k, TS_RV_SRLI, T1, T1, 0, 16);
    peak_li(k, T4, PEAK_ARRIVED(index));
    peak_store(k, T1, T4, 0);
    if (by_tensix)
        store_behind(k, T1, 48, C_PACK, PEAK_ARRIVED(index));
    peak_fence(k);
}

void peak_pop_front(struct peak_code *k, unsigned core, unsigned index, struct peak_count count,
                    bool by_tensix)
{
    words_of(k, core, index);
    peak_load(k, T3, T6, COUNTS);
    low_half(k, T2, T3);
    peak_do(k, TS_RV_SRLI, T1, T3, 0, 16);
    add_count(k, T2, count);
    low_half(k, T2, T2);
    peak_do(k, TS_RV_SLLI, T1, T1, 0, 16);
    peak_do(k, TS_RV_OR, T3, T1, T2, 0);
    peak_store(k, T3, T6, COUNTS);
    peak_li(k, T4, PEAK_ACKED(index));
    peak_store(k, T2, T4, 0);
    if (by_tensix)
        store_behind(k, T2, 8, C_UNPACK, PEAK_ACKED(index));
    step(k, READ_AT, count);
    peak_fence(k);
}

void peak_write_at(struct peak_code *k, unsigned core, unsigned index, unsigned rd)
{
    words_of(k, core, index);
    peak_load(k, rd, T6, WRITE_AT);
}

void peak_read_at(struct peak_code *k, unsigned core, unsigned index, unsigned rd)
{
    words_of(k, core, index);
    peak_load(k, rd, T6, READ_AT);
}
