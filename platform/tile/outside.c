// A tile from outside, without timing: the host and the NoC read and write it, start and hold cores
// (tile.h).
#include "platform/tile/tile.h"

static bool answered(enum ts_rv_answer answer, const struct ts_rv_reply *reply, const char *what,
                     uint32_t address, struct ts_error *error)
{
    if (answer == TS_RV_WAIT)
        return ts_refuse(error, TS_SETUP, "%s at 0x%08x would wait", what, address);
    return answer == TS_RV_DONE || ts_refuse(error, reply->code, "%s", reply->text);
}

bool ts_tile_read(struct ts_tile *self, uint32_t address, void *bytes, uint32_t length,
                  ts_cycle now, struct ts_error *error)
{
    if (address < self->l1_size && length <= self->l1_size - address) {
        memcpy(bytes, self->l1.bytes + address, length);
        return true;
    }
    if (address % 4 != 0 || length != 4) {
        return ts_refuse(error, TS_SETUP,
                         "read of %u bytes at 0x%08x: outside L1 only aligned words", length,
                         address);
    }
    struct ts_rv_reply reply = {0};
    bool done = answered(ts_tile_load(self, TS_OUTSIDE, address, 4, now, &reply), &reply, "read",
                         address, error);
    if (done)
        memcpy(bytes, &reply.value, 4);
    return done;
}

// Flags, commands and launch messages, which come while cores run; not programs and data.
static void note_host(struct ts_tile *self, uint32_t address, uint32_t length, ts_cycle now)
{
    struct ts_l1 *l1 = &self->l1;
    if (ts_control_all_held(self))
        return;
    if (length > TS_L1_LAST_BYTES && length <= 1024)
        ts_l1_note(l1, address, length, TS_BY_HOST, TS_NO_PC, now);
    for (uint32_t at = address & ~3u;
         l1->last && address && length <= TS_L1_LAST_BYTES && at < address + length; at += 4)
        ts_l1_note_quietly(l1->last, at, TS_BY_HOST, TS_NO_PC, now); // a host owns no buffer
}

bool ts_tile_write(struct ts_tile *self, uint32_t address, const void *bytes, uint32_t length,
                   ts_cycle now, struct ts_error *error)
{
    if (address < self->l1_size && length <= self->l1_size - address) {
        ts_l1_write(&self->l1, address, bytes, length, now);
        note_host(self, address, length, now);
        if (self->check)
            ts_check_host(self->check, TS_OBJECT_L1, address, length);
        return true;
    }
    if (address < TS_RV_MMIO_BASE) {
        return ts_refuse(error, TS_SETUP, "write of %u bytes at 0x%08x: outside L1", length,
                         address);
    }
    if (address % 4 != 0 || length != 4) {
        return ts_refuse(error, TS_SETUP,
                         "write of %u bytes at 0x%08x: outside L1 only aligned words", length,
                         address);
    }
    struct ts_rv_reply reply = {0};
    uint32_t word;
    memcpy(&word, bytes, 4);
    return answered(ts_tile_store(self, TS_OUTSIDE, address, 4, &word, 1, now, &reply), &reply,
                    "write", address, error);
}

static uint32_t soft_reset_with(const struct ts_tile *self, unsigned core, bool held)
{
    uint32_t bit = ts_control_reset_bit(self, core);
    return held ? self->control.soft_reset | bit : self->control.soft_reset & ~bit;
}

bool ts_tile_startable(unsigned core, uint32_t pc, struct ts_error *error)
{
    if (core == TS_RV_BRISC && pc != 0) {
        ts_fail(error, TS_SETUP, "brisc always starts at 0, not at 0x%x", pc);
        return false;
    }
    if (pc >= TS_L1_SIZE || pc % 4 != 0) {
        ts_fail(error, TS_SETUP, "%s cannot start at 0x%x: not a word of L1",
                ts_rv_core_names[core], pc);
        return false;
    }
    return true;
}

bool ts_tile_entry(struct ts_tile *self, unsigned core, uint32_t pc, struct ts_error *error)
{
    if (!ts_tile_startable(core, pc, error))
        return false;
    ts_control_set_entry(self, core, pc);
    return true;
}

bool ts_tile_start(struct ts_tile *self, unsigned core, uint32_t pc, ts_cycle now,
                   struct ts_error *error)
{
    if (!ts_tile_entry(self, core, pc, error))
        return false;
    struct ts_rv_reply reply = {0};
    ts_control_store(self, 0x1b0, soft_reset_with(self, core, false), now, &reply);
    return true;
}

void ts_tile_hold(struct ts_tile *self, unsigned core, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    ts_control_store(self, 0x1b0, soft_reset_with(self, core, true), now, &reply);
}

void ts_tile_called(struct ts_tile *self, unsigned core, uint32_t from, uint32_t stack)
{
    struct ts_rv_core *of = &self->cores[core];
    if (of->held)
        return;
    of->r[1] = from;
    of->r[2] = stack;
}
