// The performance counters of a tile (control.h).
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"

#define MODE       0xffu
#define BY_PERIOD  1u
#define WITHOUT    2u // without cycles in OUT_L
#define SELECT_BIT 8
#define SELECT     0x1ffu
#define START      1u
#define STOP       2u

#define PERF_ALL 0x03c

static const struct {
    const char *name;
    uint16_t first, out; // offsets of PERF_CNT_*0 and of OUT_L
} banks[TS_PERF_BANKS] = {
    [TS_PERF_INSTRN] = {"INSTRN_THREAD", 0x000, 0x100},
    [TS_PERF_UNPACK] = {"TDMA_UNPACK", 0x00c, 0x108},
    [TS_PERF_FPU] = {"FPU", 0x018, 0x120},
    [TS_PERF_L1] = {"L1", 0x030, 0x118},
    [TS_PERF_PACK] = {"TDMA_PACK", 0x0f0, 0x110},
};

enum source { NONE, BUSY, BUSY_T0, STALLS, ZERO, FULL, PASSED };

static const struct row {
    uint8_t bank, source, index;
    uint16_t select;
    const char *name;
} rows[TS_PERF_ROWS] = {
#define TS_PERF(bank, select, name, source, index) {TS_PERF_##bank, source, index, select, name},
#include "config/perf_counters.def"
};

// --- counts ---

// What was put off is done first, up to `now`.
static void settle(struct ts_tile *tile, ts_cycle now)
{
    for (unsigned thread = 0; thread < TS_THREADS; thread++)
        ts_frontend_cut(&tile->front[thread], now);
    ts_promise_cut(&tile->tensix, now);
}

static uint64_t count(struct ts_tile *tile, const struct row *row, ts_cycle now)
{
    struct ts_account account;
    if (row->source == NONE)
        return 0;
    if (row->source == BUSY || row->source == BUSY_T0)
        return ts_component_account(&tile->tensix.unit[row->index]->component, now).busy;
    const struct ts_frontend *front = &tile->front[row->index];
    if (row->source == PASSED)
        return front->dispatched;
    account = ts_component_account(&front->component, now);
    if (row->source == ZERO)
        return account.lost[TS_STALL_SEMAPHORE_ZERO];
    if (row->source == FULL)
        return account.lost[TS_STALL_SEMAPHORE_MAX];
    return now - account.busy - account.lost[TS_STALL_IDLE];
}

static void take(struct ts_tile *tile, unsigned bank, uint64_t to[TS_PERF_ROWS], ts_cycle now)
{
    for (unsigned i = 0; i < TS_PERF_ROWS; i++)
        if (rows[i].bank == bank)
            to[i] = count(tile, &rows[i], now);
}

static bool other_threads(const struct ts_unit *unit)
{
    return unit->busy_until[1] != 0 || unit->busy_until[2] != 0;
}

// --- registers ---

static enum ts_rv_answer control(struct ts_tile *tile, unsigned bank, uint32_t before,
                                 uint32_t value, ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_perf *self = &tile->control.perf;
    const uint32_t rises = value & ~before & (START | STOP);
    if (rises == 0)
        return TS_RV_DONE;
    if (bank == TS_PERF_L1)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "performance counters of L1");
    if ((self->bank[bank].mode & MODE) == BY_PERIOD || (self->bank[bank].mode & MODE) > WITHOUT)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "performance counters %s: mode %u (0 and 2 are modelled)",
                              banks[bank].name, self->bank[bank].mode & MODE);
    settle(tile, now);
    if (rises & START) {
        self->bank[bank].started = self->bank[bank].running = true;
        self->bank[bank].from = now;
        take(tile, bank, self->from, now);
    }
    if (rises & STOP && self->bank[bank].running) {
        self->bank[bank].running = false;
        self->bank[bank].to = now;
        take(tile, bank, self->to, now);
    }
    return TS_RV_DONE;
}

static enum ts_rv_answer selected(struct ts_tile *tile, unsigned bank, ts_cycle now,
                                  struct ts_rv_reply *reply)
{
    const struct ts_perf *self = &tile->control.perf;
    const uint32_t select = self->bank[bank].mode >> SELECT_BIT & SELECT;
    for (unsigned i = 0; i < TS_PERF_ROWS; i++) {
        const struct row *row = &rows[i];
        if (row->bank != bank || row->select != select)
            continue;
        if (row->source == NONE)
            return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                                  "performance counter %s (select %u of %s)", row->name, select,
                                  banks[bank].name);
        if (row->source == BUSY_T0 && other_threads(tile->tensix.unit[row->index]))
            return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                                  "performance counter %s: T1 or T2 has used the unpacker too",
                                  row->name);
        uint64_t to = self->to[i];
        if (self->bank[bank].running) {
            settle(tile, now);
            to = count(tile, row, now);
        }
        reply->value = (uint32_t)(self->bank[bank].started ? to - self->from[i] : 0);
        return TS_RV_DONE;
    }
    return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "performance counter %u of %s", select,
                          banks[bank].name);
}

// The bank whose registers have this offset; the register in it.
static int bank_at(uint32_t offset, uint32_t *which, bool *out)
{
    *which = 0;
    *out = false;
    for (int i = 0; i < TS_PERF_BANKS; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t first = k ? banks[i].out : banks[i].first, count_of = k ? 2 : 3;
            if (offset >= first && offset < first + 4 * count_of) {
                *which = (offset - first) / 4;
                *out = k;
                return i;
            }
        }
    return -1;
}

bool ts_perf_has(uint32_t offset)
{
    uint32_t which;
    bool out;
    return offset == PERF_ALL || bank_at(offset, &which, &out) >= 0;
}

enum ts_rv_answer ts_perf_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                               struct ts_rv_reply *reply)
{
    struct ts_perf *self = &tile->control.perf;
    uint32_t which;
    bool out;
    if (offset == PERF_ALL) {
        reply->value = self->all;
        return TS_RV_DONE;
    }
    int bank = bank_at(offset, &which, &out);
    if (out && which == 1)
        return selected(tile, (unsigned)bank, now, reply);
    if (out) {
        const bool counts = self->bank[bank].started && (self->bank[bank].mode & MODE) != WITHOUT;
        const ts_cycle to = self->bank[bank].running ? now : self->bank[bank].to;
        reply->value = counts ? (uint32_t)(to - self->bank[bank].from) : 0;
        return TS_RV_DONE;
    }
    reply->value = which == 0   ? self->bank[bank].period
                   : which == 1 ? self->bank[bank].mode
                                : self->bank[bank].control;
    return TS_RV_DONE;
}

enum ts_rv_answer ts_perf_store(struct ts_tile *tile, uint32_t offset, uint32_t value, ts_cycle now,
                                struct ts_rv_reply *reply)
{
    struct ts_perf *self = &tile->control.perf;
    uint32_t which, before;
    bool out;
    if (offset == PERF_ALL) {
        before = self->all;
        self->all = value;
        enum ts_rv_answer answer = control(tile, TS_PERF_FPU, before, value, now, reply);
        return answer == TS_RV_DONE ? control(tile, TS_PERF_INSTRN, before, value, now, reply)
                                    : answer;
    }
    int bank = bank_at(offset, &which, &out);
    if (out)
        return TS_RV_DONE; // discarded
    switch (which) {
    case 0:
        self->bank[bank].period = value;
        return TS_RV_DONE;
    case 1:
        self->bank[bank].mode = value;
        return TS_RV_DONE;
    default:
        before = self->bank[bank].control;
        self->bank[bank].control = value;
        return control(tile, (unsigned)bank, before, value, now, reply);
    }
}
