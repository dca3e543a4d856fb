// cores/frontend/mop.c: see frontend.h.
#include "cores/frontend/frontend.h"

// Slots of template 0, in order; A1..A3 only with HasA123, B and SKIP_B only with HasB.
enum { A0, A1, A2, A3, B, SKIP_A0, SKIP_B };

// cfg index of each slot.
static const uint8_t word0[] = {
    [A0] = 3, [A1] = 4, [A2] = 5, [A3] = 6, [B] = 2, [SKIP_A0] = 7, [SKIP_B] = 8};

static bool is_nop(uint32_t word)
{
    return TS_OP_OF(word) == TS_OP_NOP; // plain NOP only, not DMANOP nor SFPNOP
}

void ts_mop_reset(struct ts_mop *self)
{
    memset(self, 0, sizeof *self);
    self->empty = true;
}

void ts_mop_configure(struct ts_mop *self, unsigned index, uint32_t value)
{
    self->cfg[index] = value;
    self->empty = !(self->cfg[0] & TS_MOP_COUNT) || !(self->cfg[1] & TS_MOP_COUNT);
    self->records = false;
    for (unsigned i = 2; i < TS_MOP_CFG_WORDS; i++)
        self->records |= ts_is_recording(self->cfg[i]);
}

// Moves to the next iteration of template 0, or ends.
static void next_iteration0(struct ts_mop *self)
{
    if (++self->inner >= self->inner_count) {
        self->active = false;
        return;
    }
    self->mask >>= 1;
    self->slot = self->mask & 1 ? SKIP_A0 : A0;
}

static void advance0(struct ts_mop *self)
{
    bool has_b = self->flags & 1;
    switch (self->slot) {
    case A0:
        if (self->flags & 2)
            self->slot = A1;
        else if (has_b)
            self->slot = B;
        else
            next_iteration0(self);
        break;
    case A1:
    case A2:
        self->slot++;
        break;
    case A3:
        if (has_b)
            self->slot = B;
        else
            next_iteration0(self);
        break;
    case SKIP_A0:
        if (has_b)
            self->slot = SKIP_B;
        else
            next_iteration0(self);
        break;
    default:
        next_iteration0(self);
    }
}

// From `slot` on, finds the next slot of template 1 that emits something, through the outer loop.
static void settle1(struct ts_mop *self, unsigned slot)
{
    while (self->outer < self->outer_count) {
        switch (slot) {
        case TS_MOP_START:
            if (!is_nop(self->cfg[2])) {
                self->slot = TS_MOP_START;
                return;
            }
            // fall through
        case TS_MOP_LOOP:
            if (self->inner < self->inner_count) {
                self->slot = TS_MOP_LOOP;
                if (!self->alternate)
                    self->repeats = (uint16_t)(self->inner_count - self->inner - 1);
                return;
            }
            // fall through
        case TS_MOP_END0:
            if (!is_nop(self->cfg[3])) {
                self->slot = TS_MOP_END0;
                return;
            }
            break;
        default: // TS_MOP_END1: exists only behind TS_MOP_END0
            if (!is_nop(self->cfg[4])) {
                self->slot = TS_MOP_END1;
                return;
            }
        }
        self->outer++;
        self->inner = 0;
        slot = TS_MOP_START;
    }
    self->active = false;
}

void ts_mop_ingest(struct ts_mop *self, uint32_t word)
{
    if (TS_OP_OF(word) == TS_OP_MOP_CFG) {
        self->mask_hi = (uint16_t)ts_decode_MOP_CFG(word).zmask_hi16;
        return;
    }
    struct ts_args_MOP a = ts_decode_MOP(word);
    self->active = true;
    self->kind = (uint8_t)a.mop_type;
    self->inner = self->outer = 0;
    if (a.mop_type == 0) {
        self->mask = (uint32_t)self->mask_hi << 16 | a.zmask_lo16;
        self->flags = self->cfg[1] & 3;
        self->inner_count = (uint16_t)(a.loop_count + 1);
        self->slot = self->mask & 1 ? SKIP_A0 : A0;
        return;
    }
    // A count in the word, unless 0, stands for the configured one, in this expansion only.
    uint16_t outer = word >> 10 & TS_MOP_COUNT, inner = word & TS_MOP_COUNT;
    self->outer_count = outer ? outer : self->cfg[0] & TS_MOP_COUNT;
    self->inner_count = inner ? inner : self->cfg[1] & TS_MOP_COUNT;
    self->alternate = !is_nop(self->cfg[6]);
    if (self->alternate)
        self->inner_count = (uint16_t)(self->inner_count * 2);
    // A hardware bug: nothing but end ops. With one of them a round more, with both 1024 more if there is one.
    if (self->outer_count && is_nop(self->cfg[2]) && self->inner_count == 0 &&
        !is_nop(self->cfg[3])) {
        if (self->end_129)
            self->outer_count = self->outer_count == 1 ? 129 : self->outer_count;
        else if (is_nop(self->cfg[4]))
            self->outer_count++;
        else if (self->outer_count == 1)
            self->outer_count += 1024;
    }
    settle1(self, TS_MOP_START);
}

static uint32_t next1(struct ts_mop *self)
{
    unsigned slot = self->slot;
    uint32_t word;
    switch (slot) {
    case TS_MOP_START:
        word = self->cfg[2];
        settle1(self, TS_MOP_LOOP);
        return word;
    case TS_MOP_LOOP: {
        bool last = self->inner + 1 >= self->inner_count;
        if (!last)
            word = self->cfg[self->alternate && self->inner & 1 ? 6 : 5];
        else
            word = self->cfg[self->outer + 1 < self->outer_count ? 8 : 7];
        ts_mop_repeat(self, 1);
        if (last || self->alternate)
            self->repeats = 0;
        if (last)
            settle1(self, TS_MOP_END0);
        return word;
    }
    case TS_MOP_END0:
        word = self->cfg[3];
        settle1(self, TS_MOP_END1);
        return word;
    default:
        word = self->cfg[4];
        self->outer++;
        self->inner = 0;
        settle1(self, TS_MOP_START);
        return word;
    }
}

uint32_t ts_mop_next(struct ts_mop *self)
{
    if (self->kind)
        return next1(self);
    uint32_t word = self->cfg[word0[self->slot]];
    advance0(self);
    return word;
}
