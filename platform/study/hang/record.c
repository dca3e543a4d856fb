// From a run to a program of `tensim run --explore`: the words that pass the gates; see record.h.
#include "platform/study/hang/recorder.h"

#include "platform/base/hash.h"
#include "platform/tile/buffers.h"

#define TEXTS 4096 // places of the table: more than there are different operations

uint32_t ts_record_text(struct ts_recorder *self, const char *text)
{
    uint32_t at = (uint32_t)ts_hash_bytes(TS_HASH_START, text, strlen(text)) % TEXTS;
    for (; self->text_table[at]; at = (at + 1) % TEXTS)
        if (strcmp(self->text[self->text_table[at] - 1], text) == 0)
            return self->text_table[at] - 1;
    if (self->text_count == TEXTS - 1)
        return 0; // the table is full: as an operation that does nothing
    TS_MORE(self->text, self->text_count, self->text_room, "the small program");
    snprintf(self->text[self->text_count], TS_RECORD_TEXT, "%s", text);
    self->text_table[at] = ++self->text_count;
    return self->text_count - 1;
}

struct ts_record_op *ts_record_add(struct ts_recorder *self, unsigned lane, uint32_t push,
                                   uint16_t alike, const char *format, ...)
{
    struct ts_record_lane *to = &self->lane[lane];
    char text[TS_RECORD_TEXT];
    TS_VSNPRINTF(text, sizeof text, format);
    uint32_t number = ts_record_text(self, text);
    const struct ts_record_op *last = to->count ? &to->op[to->count - 1] : NULL;
    if (last && alike && last->alike == alike && last->push == push)
        return NULL;
    if (to->count == 16 * TS_RECORD_OPS) {
        to->left_out++;
        return NULL;
    }
    TS_MORE(to->op, to->count, to->room, "the small program");
    to->op[to->count] = (struct ts_record_op){.text = number, .alike = alike, .push = push};
    return &to->op[to->count++];
}

static struct ts_record_place place_of(const struct ts_recorder *self, uint64_t number)
{
    return (struct ts_record_place){(uint32_t)number, (uint32_t)self->tile->domain->now};
}

// An operation of a Tensix thread, of the word that passes its gate now.
__attribute__((format(printf, 4, 5))) static void add(struct ts_recorder *self, unsigned lane,
                                                      uint16_t alike, const char *format, ...)
{
    const struct ts_frontend *front = &self->tile->front[lane - TS_RV_CORES];
    const struct ts_record_lane *to = &self->lane[lane];
    char text[TS_RECORD_TEXT];
    TS_VSNPRINTF(text, sizeof text, format);
    uint32_t push = ts_frontend_push_number(front, true);
    if (push == UINT32_MAX) // of BRISC, or not known: with what came before
        push = to->count ? to->op[to->count - 1].push : 0;
    struct ts_record_op *op = ts_record_add(self, lane, push, alike, "%s", text);
    if (op)
        op->place = place_of(self, front->perturb.count);
}

// --- Tensix threads

// Notes the semaphores and mutexes that a word uses; false: it does nothing.
static bool sync_word(struct ts_recorder *self, uint32_t word, unsigned select)
{
    const uint8_t op = TS_OP_OF(word), max = (uint8_t)ts_decode_SEMINIT(word).max_value;
    for (unsigned i = 0; i < TS_SEMAPHORES && op == TS_OP_SEMINIT; i++)
        if (select >> i & 1 && max > self->max[i])
            self->max[i] = max;
    self->semaphores |= select;
    if (op == TS_OP_ATGETM || op == TS_OP_ATRELM)
        self->mutexes |= 1u << (ts_decode_ATGETM(word).mutex_index & 7);
    return select || op == TS_OP_ATGETM || op == TS_OP_ATRELM || op == TS_OP_STALLWAIT;
}

uint32_t ts_record_pages(struct ts_recorder *self, const struct ts_buffer *buffer, bool full,
                         uint32_t count)
{
    uint32_t *was = &self->counter[buffer - self->tile->buffers][full];
    uint32_t pages = (count - *was) & 0xffff;
    *was = count;
    return pages <= 1000 ? pages : 0;
}

// A store of a buffer's counter?
static void store_word(struct ts_recorder *self, unsigned lane, uint32_t word)
{
    struct ts_args_STOREIND a = ts_decode_STOREIND(word);
    const uint32_t *gpr = ts_tensix_own_gprs(&self->tile->tensix, lane - TS_RV_CORES);
    uint32_t offset = gpr[a.offset_index >> 1] >> 16 * (a.offset_index & 1) & 0xffff;
    bool full;
    const struct ts_buffer *buffer = ts_buffers_at(self->tile, gpr[a.addr_reg_index] * 16 + offset,
                                                   &full);
    if (!a.mem_hier_sel || a.auto_inc_spec || buffer == NULL)
        return;
    uint32_t pages = ts_record_pages(self, buffer, full, gpr[a.data_reg_index]);
    if (pages)
        add(self, lane, 0, "%s: {buffer: %s, pages: %u}", full ? "cb_publish" : "cb_return",
            buffer->name, pages);
}

// What BRISC does to the coprocessor before it starts the other cores is the initial state.
static bool setting_up(struct ts_recorder *self, uint32_t word)
{
    for (unsigned core = TS_RV_TRISC0; core < TS_RV_CORES; core++)
        if (!ts_rv_core_view(&self->tile->cores[core]).held)
            return false;
    if (TS_OP_OF(word) != TS_OP_SEMINIT)
        return true;
    struct ts_args_SEMINIT a = ts_decode_SEMINIT(word);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (a.sem_sel >> i & 1) {
            self->value[i] = (uint8_t)a.init_value;
            self->max[i] = (uint8_t)a.max_value;
        }
    return true;
}

static void on_word(void *context, unsigned thread, uint32_t word)
{
    struct ts_recorder *self = context;
    unsigned lane = TS_RV_CORES + thread;
    if (setting_up(self, word))
        return;
    struct ts_script_effect effect = ts_script_effect(word);
    if (effect.kind == TS_EFFECT_STORE) {
        store_word(self, lane, word);
        return;
    }
    if (effect.kind == TS_EFFECT_NONE || effect.kind == TS_EFFECT_FRONT ||
        (effect.kind == TS_EFFECT_SYNC && !sync_word(self, word, effect.semaphores)))
        return; // configuration, counters: nobody waits for them here
    bool idle = effect.kind == TS_EFFECT_WORK ||
                (effect.kind == TS_EFFECT_MATRIX && !effect.clears);
    const uint32_t needs = effect.needs;
    const uint16_t marks = (uint16_t)(effect.held | needs << 10 | 1u << 15);
    char text[TS_RECORD_TEXT];
    ts_disasm_fields(effect.core, text, sizeof text);
    add(self, lane, idle ? marks : 0, "%s", text);
}

// --- what reaches the registers and L1

static void keep(struct ts_recorder *self, struct ts_record_held *held, uint64_t number)
{
    TS_MORE(held->place, held->count, held->room, "the small program");
    held->place[held->count++] = place_of(self, number);
}

static void on_semaphore(void *context, unsigned core, unsigned index, bool get)
{
    struct ts_recorder *self = context;
    (void)index, (void)get;
    keep(self, &self->core[core].sent, self->tile->perturb[TS_RV_CORES + core].count);
}

static void on_mail(void *context, unsigned core, unsigned other, bool send)
{
    struct ts_recorder *self = context;
    (void)other;
    if (send)
        keep(self, &self->core[core].sent, self->tile->perturb[TS_RV_CORES + core].count);
}

static void on_pages(void *context, unsigned by, unsigned buffer, bool push, uint32_t pages)
{
    struct ts_recorder *self = context;
    (void)buffer, (void)push, (void)pages;
    if (by >= TS_THREADS)
        keep(self, &self->core[by - TS_BY_CORE].stored,
             self->tile->cores[by - TS_BY_CORE].perturb.count);
}

struct ts_recorder *ts_recorder_new(struct ts_tile *tile)
{
    struct ts_recorder *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->tile = tile;
    self->text_table = ts_need(calloc(TEXTS, sizeof *self->text_table), "the small program");
    ts_record_text(self, "repeat: {times: 1, do: []}");
    self->follow = (struct ts_follow){self, on_word, on_semaphore, on_mail, on_pages, NULL};
    ts_follow_start(tile, &self->follow);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        struct ts_record_core *to = &self->core[core];
        to->recorder = self;
        to->log = (struct ts_rv_log){ts_record_commit, to};
        tile->cores[core].log = &to->log;
        tile->cores[core].run_ahead = false; // an access arrives when the clock is there
    }
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        self->counter[i][true] = tile->buffers[i].was_received;
        self->counter[i][false] = tile->buffers[i].was_acked;
    }
    return self;
}

void ts_recorder_free(struct ts_recorder *self)
{
    if (self == NULL)
        return;
    ts_follow_start(self->tile, NULL);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        self->tile->cores[core].log = NULL;
        free(self->core[core].sent.place);
        free(self->core[core].stored.place);
    }
    for (unsigned lane = 0; lane < TS_RECORD_LANES; lane++)
        free(self->lane[lane].op);
    free(self->text);
    free(self->text_table);
    free(self);
}

void ts_record_rest(struct ts_recorder *self, unsigned thread)
{
    const struct ts_frontend *front = &self->tile->front[thread];
    for (unsigned i = 0; i < front->gate_count; i++)
        on_word(self, thread, front->gate[i].word);
    for (unsigned i = 0; i < front->replay_count; i++)
        on_word(self, thread,
                front->before_replay[(front->replay_first + i) % TS_FRONT_REPLAY].word);
    struct ts_record_lane *lane = &self->lane[TS_RV_CORES + thread];
    for (unsigned i = 0; i < front->fifo_count; i++) {
        uint32_t before = lane->count;
        on_word(self, thread, front->fifo[(front->fifo_first + i) % TS_FRONT_FIFO].word);
        for (uint32_t k = before; k < lane->count; k++)
            lane->op[k].push = front->pushes - front->fifo_count + i;
    }
}
