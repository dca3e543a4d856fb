// Records of pipeline states, and their edges: see record.h.
#include "cores/riscv/record.h"
#include "platform/base/hash.h"

#define RECORDS 200000u // no more: the core then stays with exec.c where it has none
#define EDGES   64u     // of a record
#define FAR     60000   // a state's times are less

#define CHUNK 65536u

struct ts_rv_chunk {
    struct ts_rv_chunk *next;
    size_t room;
    max_align_t bytes[]; // given away from the end
};

void *ts_rv_code_alloc(struct ts_rv_code *code, size_t bytes)
{
    struct ts_rv_chunk *chunk = code->chunks;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (chunk == NULL || chunk->room < bytes) {
        if ((chunk = calloc(1, sizeof *chunk + CHUNK)) == NULL)
            return NULL;
        chunk->room = CHUNK;
        chunk->next = code->chunks;
        code->chunks = chunk;
    }
    chunk->room -= bytes;
    return (char *)chunk->bytes + chunk->room;
}

void ts_rv_code_free(struct ts_rv_code *code)
{
    for (struct ts_rv_chunk *chunk = code->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

void ts_rv_record_setting(struct ts_rv_core *core)
{
    uint32_t cfg0 = core->csr[TS_RV_CSR_CFG0] &
                    (TS_RV_CFG0_DIS_CSR_SYNC | TS_RV_CFG0_DIS_TRISC_CACHE);
    bool trisc = core->id >= TS_RV_TRISC0 && core->id <= TS_RV_TRISC2;
    uint64_t hash = ts_hash_word(TS_HASH_START, (uint64_t)trisc << 32 | cfg0);
    uint32_t words[sizeof core->params / 4];
    memcpy(words, &core->params, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = ts_hash_word(hash, words[i]);
    core->setting = hash;
}

// *far: it is too far away for a state.
static inline uint16_t from(ts_cycle at, ts_cycle base, bool *far)
{
    *far |= at >= base + FAR;
    return (uint16_t)(at > base ? at - base : 0);
}

bool ts_rv_describe(const struct ts_rv_core *core, enum ts_rv_cut_kind kind,
                    struct ts_rv_state *state)
{
    const ts_cycle t = core->t;
    const uint32_t lag = core->params.forward_lag, credit = core->params.retire_credit;
    bool far = false;
    memset(state, 0, sizeof *state);
    state->setting = core->setting;
    state->line = *ts_rv_line_at(core, core->pc / 16);
    state->pc = core->pc;
    state->kind = (uint16_t)kind;
    state->retire = from(core->retire, t, &far);
    state->longest = from(core->longest, t, &far);
    for (uint32_t i = 0; i < TS_RV_RETIRE; i++)
        state->ring[i] = from(core->ring_retire[(core->seq + i) % TS_RV_RETIRE] + credit, t + i,
                              &far);
    for (uint64_t left = core->written; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const struct ts_rv_scoreboard *reg = &core->reg[i];
        if (reg->far <= t && reg->retire + lag <= t + 1)
            continue;
        if (state->count == TS_RV_STATE_REGS)
            return false;
        state->reg[state->count].reg = (uint8_t)i;
        state->reg[state->count].last = reg->far > t && reg->last + 1 == core->seq;
        state->reg[state->count].near = from(reg->near, t, &far);
        state->reg[state->count].far = from(reg->far, t, &far);
        state->reg[state->count].retire = from(reg->retire + lag, t + 1, &far);
        state->count++;
    }
    return !far && state->line != NULL;
}

static uint32_t span_of(const struct ts_rv_state *state)
{
    uint32_t span = state->longest > state->retire ? state->longest : state->retire;
    for (uint32_t i = 0; i < TS_RV_RETIRE; i++)
        span = state->ring[i] + i > span ? state->ring[i] + i : span;
    for (uint32_t i = 0; i < state->count; i++) {
        span = state->reg[i].far > span ? state->reg[i].far : span;
        span = state->reg[i].retire + 1u > span ? state->reg[i].retire + 1u : span;
    }
    return span;
}

static const struct ts_rv_edge none = {.key = TS_RV_ONCE};

static struct ts_rv_record *find(const struct ts_rv_state *state, struct ts_rv_record *const *in)
{
    for (struct ts_rv_record *record = *in; record != NULL; record = record->next)
        if (memcmp(&record->state, state, sizeof *state) == 0)
            return record;
    return NULL;
}

struct ts_rv_record *ts_rv_record_of(struct ts_rv_core *core, enum ts_rv_cut_kind kind)
{
    struct ts_rv_state state;
    if (!ts_rv_describe(core, kind, &state))
        return NULL;
    uint64_t words[sizeof state / 8];
    memcpy(words, &state, sizeof words);
    uint64_t hash = ts_hash_words(TS_HASH_START, words, sizeof words / sizeof *words);
    struct ts_rv_code *code = core->code;
    struct ts_rv_record **bucket = &code->record[hash >> 32 & (TS_RV_RECORD_BUCKETS - 1)];
    pthread_mutex_lock(&code->lock);
    struct ts_rv_record *record = find(&state, bucket);
    if (record == NULL && code->records < RECORDS &&
        (record = ts_rv_code_alloc(code, sizeof *record)) != NULL) {
        code->records++;
        record->state = state;
        atomic_init(&record->usual, &none);
        record->insn = &state.line->insn[state.pc / 4 % 4];
        record->span = span_of(&state);
        record->next = *bucket;
        *bucket = record;
    }
    pthread_mutex_unlock(&code->lock);
    return record;
}

void ts_rv_edge_add(struct ts_rv_code *code, struct ts_rv_record *to, const struct ts_rv_edge *edge,
                    const struct ts_rv_insn *insns)
{
    pthread_mutex_lock(&code->lock);
    struct ts_rv_edge *new = NULL;
    if (to->edges < EDGES && ts_rv_edge_find(to, edge->key) == NULL &&
        (new = ts_rv_code_alloc(code, sizeof *new + edge->count * sizeof *insns)) != NULL) {
        _Atomic(struct ts_rv_edge *) *bucket = &to->edge[ts_rv_bucket(edge->key)];
        *new = *edge;
        memcpy(new->code, insns, edge->count * sizeof *insns);
        new->next = atomic_load_explicit(bucket, memory_order_relaxed);
        atomic_store_explicit(bucket, new, memory_order_release);
        to->edges++;
    }
    pthread_mutex_unlock(&code->lock);
}

void ts_rv_leave(struct ts_rv_core *core)
{
    if (core->record == NULL)
        return;
    const struct ts_rv_state *state = &core->record->state;
    const ts_cycle t = core->t;
    const uint32_t lag = core->params.forward_lag, credit = core->params.retire_credit;
    core->insn = core->record->insn;
    core->record = NULL;
    core->seq = 2 * TS_RV_RETIRE; // far from 0, which unwritten registers hold
    core->retire = t + state->retire;
    core->longest = t + state->longest;
    memset(core->ring_result, 0, sizeof core->ring_result);
    for (uint32_t i = 0; i < TS_RV_RETIRE; i++)
        core->ring_retire[i] = state->ring[i] ? t + i + state->ring[i] - credit : 0;
    memset(core->reg, 0, sizeof core->reg);
    core->written = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        struct ts_rv_scoreboard *reg = &core->reg[state->reg[i].reg];
        reg->near = t + state->reg[i].near;
        reg->far = t + state->reg[i].far;
        reg->retire = state->reg[i].retire ? t + 1 + state->reg[i].retire - lag : 0;
        reg->last = state->reg[i].last ? core->seq - 1 : 0;
        core->written |= UINT64_C(1) << state->reg[i].reg;
    }
}
