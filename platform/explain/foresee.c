// What a waiting core would do next; see foresee.h.
#include "platform/explain/foresee.h"

#include "cores/riscv/walk.h"
#include "platform/tile/watchdog.h"

#include <stdlib.h>
#include <string.h>

#define FORESEE_STEPS 40000
#define OVERLAY       256u // words of L1 that the walk has written
#define SPINS         64u
#define PATIENCE      3  // equal rounds before a wait is left
#define WAITS         64 // that are left

#define NIU_BASE   0xffb20000u
#define SEMAPHORES 0xffe80020u
#define MAILBOX    0xffec0000u
#define PUSH       0xffe40000u

struct guess {
    struct ts_rv_walk walk;
    const struct ts_tile *tile;
    struct ts_foresight *to;
    struct {
        uint32_t word, value; // address / 4 + 1
    } overlay[OVERLAY];
    struct ts_noc_initiator initiators[TS_NOC_COUNT][TS_NOC_INITIATORS];
    uint32_t gpr[TS_GPRS];
    struct { // branches, by pc: with which operands, how often
        uint32_t pc, a, b, times, effects;
    } spin[SPINS];
    uint32_t effects, waits;
};

static const struct ts_noc_niu *niu_of(const struct ts_tile *tile, unsigned noc)
{
    return tile->window[TS_DEVICE_NOC0 + noc].context;
}

static void add(struct guess *self, struct ts_foreseen would)
{
    would.pc = self->walk.pc;
    would.waits = self->waits;
    self->effects++;
    for (uint32_t i = 0; i < self->to->count; i++) {
        const struct ts_foreseen *old = &self->to->would[i];
        if (old->kind == would.kind && old->address == would.address && old->to.x == would.to.x &&
            old->to.y == would.to.y && old->index == would.index && old->value == would.value)
            return;
    }
    if (self->to->count < TS_FORESEEN)
        self->to->would[self->to->count++] = would;
}

// --- accesses

static void overlay(struct guess *self, uint32_t address, unsigned size, uint32_t value)
{
    uint32_t word = address / 4 + 1, slot = word % OVERLAY;
    for (unsigned i = 0; i < 8 && self->overlay[slot].word != word && self->overlay[slot].word; i++)
        slot = (slot + 1) % OVERLAY;
    if (self->overlay[slot].word != word) {
        self->overlay[slot].word = word;
        memcpy(&self->overlay[slot].value, self->tile->l1.bytes + (address & ~3u), 4);
    }
    memcpy((char *)&self->overlay[slot].value + address % 4, &value, size);
}

static void load_l1(const struct guess *self, uint32_t address, unsigned size, uint32_t *value)
{
    uint32_t word = address / 4 + 1, slot = word % OVERLAY;
    memcpy(value, self->tile->l1.bytes + address, size);
    for (unsigned i = 0; i < 8 && self->overlay[slot].word; i++, slot = (slot + 1) % OVERLAY)
        if (self->overlay[slot].word == word)
            memcpy(value, (const char *)&self->overlay[slot].value + address % 4, size);
}

static bool load(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t *value)
{
    struct guess *self = walk->context;
    uint32_t offset = address - NIU_BASE;
    if (ts_l1_contains(address, size)) {
        load_l1(self, address, size, value);
        return true;
    }
    if (offset < 0x20000 && offset % TS_NOC_BUF_STRIDE < 4 * TS_NOC_INITIATOR_WORDS &&
        offset % 0x10000 / TS_NOC_BUF_STRIDE < TS_NOC_INITIATORS) {
        *value = self->initiators[offset >> 16][offset % 0x10000 / TS_NOC_BUF_STRIDE]
                     .word[offset % TS_NOC_BUF_STRIDE / 4];
        return true;
    }
    if (!ts_tile_look((void *)self->tile, walk->core->id, address, size, value))
        *value = 0; // not known
    return true;
}

static void send(struct guess *self, unsigned noc, unsigned index)
{
    const struct ts_noc_niu *niu = niu_of(self->tile, noc);
    struct ts_noc_packet request = {.kind = 0};
    if (niu == NULL)
        return;
    ts_noc_request_build(niu, &self->initiators[noc][index], &request);
    if (request.kind == TS_NOC_READ) {
        self->effects++;
        return;
    }
    const uint32_t *word = self->initiators[noc][index].word;
    bool four = request.kind == TS_NOC_ATOMIC || request.inline_data;
    uint32_t value = 0;
    bool flag = request.kind == TS_NOC_WRITE && !four && word[TS_NOC_AT_LEN_BE] == 4 &&
                ts_l1_contains((uint32_t)request.source, 4);
    if (flag)
        load_l1(self, (uint32_t)request.source & ~3u, 4, &value);
    add(self, (struct ts_foreseen){.kind = TS_WOULD_SEND,
                                   .address = (uint32_t)request.address,
                                   .length = four ? 4 : word[TS_NOC_AT_LEN_BE],
                                   .to = ts_noc_mirror(niu->fabric, noc, request.to),
                                   .start = ts_noc_mirror(niu->fabric, noc, request.start),
                                   .valued = flag,
                                   .value = value,
                                   .broadcast = request.broadcast});
}

// A word for the coprocessor: what it does to semaphores, and counters that it stores to L1.
static void push_word(struct guess *self, uint32_t word)
{
    uint8_t op = TS_OP_OF(word);
    self->effects++;
    if (op == TS_OP_SEMPOST || op == TS_OP_SEMGET) {
        for (uint8_t i = 0; i < TS_SEMAPHORES; i++)
            if (word >> (2 + i) & 1)
                add(self,
                    (struct ts_foreseen){.kind = op == TS_OP_SEMPOST ? TS_WOULD_POST : TS_WOULD_GET,
                                         .index = i});
    } else if (op == TS_OP_SETDMAREG) {
        struct ts_args_SETDMAREG a = ts_decode_SETDMAREG(word);
        uint32_t *gpr = &self->gpr[a.reg_index_16b / 2 % TS_GPRS];
        uint32_t shift = a.reg_index_16b & 1 ? 16 : 0;
        uint32_t half = a.payload_sig_sel | (uint32_t)a.payload_sig_sel_size << 14;
        *gpr = (*gpr & ~(0xffffu << shift)) | half << shift;
    } else if (op == TS_OP_STOREIND && ts_decode_STOREIND(word).mem_hier_sel) {
        struct ts_args_STOREIND a = ts_decode_STOREIND(word);
        uint32_t offset = self->gpr[a.offset_index / 2 % TS_GPRS] >> (a.offset_index & 1 ? 16 : 0);
        uint32_t address = self->gpr[a.addr_reg_index % TS_GPRS] * 16 + (offset & 0xffff);
        add(self, (struct ts_foreseen){.kind = TS_WOULD_STORE, .address = address, .length = 4});
    }
}

static bool push(struct ts_rv_walk *walk, uint32_t word)
{
    push_word(walk->context, word);
    return true;
}

static bool store(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t value)
{
    struct guess *self = walk->context;
    uint32_t offset = address - NIU_BASE, word = offset % TS_NOC_BUF_STRIDE / 4;
    if (ts_l1_contains(address, size)) {
        overlay(self, address, size, value);
        add(self, (struct ts_foreseen){.kind = TS_WOULD_STORE,
                                       .address = address,
                                       .length = size,
                                       .valued = size == 4,
                                       .value = value});
    } else if (offset < 0x20000 && word < TS_NOC_INITIATOR_WORDS &&
               offset % 0x10000 / TS_NOC_BUF_STRIDE < TS_NOC_INITIATORS) {
        unsigned noc = offset >> 16, index = offset % 0x10000 / TS_NOC_BUF_STRIDE;
        if (word == TS_NOC_CMD_CTRL)
            send(self, noc, index);
        else
            self->initiators[noc][index].word[word] = value;
    } else if (address - SEMAPHORES < 4 * TS_SEMAPHORES) {
        add(self, (struct ts_foreseen){.kind = value & 1 ? TS_WOULD_GET : TS_WOULD_POST,
                                       .index = (uint8_t)((address - SEMAPHORES) / 4)});
    } else if (address - MAILBOX < 0x4000) {
        add(self, (struct ts_foreseen){.kind = TS_WOULD_MAIL,
                                       .index = (uint8_t)((address - MAILBOX) >> 12)});
    } else if (address - PUSH < 0x30000) {
        push_word(self, value);
    } else {
        self->effects++;
    }
    return true;
}

// --- waits

// After a branch: has it been here before, with the same operands and nothing done in between? Then
// this is a wait, and it ends now.
static bool leave_wait(struct guess *self)
{
    const struct ts_rv_walk *walk = &self->walk;
    uint32_t slot = walk->at / 4 % SPINS;
    if (self->spin[slot].pc != walk->at || self->spin[slot].a != walk->a ||
        self->spin[slot].b != walk->b || self->spin[slot].effects != self->effects)
        self->spin[slot].times = 0;
    self->spin[slot].pc = walk->at;
    self->spin[slot].a = walk->a;
    self->spin[slot].b = walk->b;
    self->spin[slot].effects = self->effects;
    if (++self->spin[slot].times < PATIENCE)
        return true;
    self->spin[slot].times = 0;
    self->walk.pc = walk->other;
    return ++self->waits < WAITS;
}

// Stores that the core has executed and that do not leave.
static void take_queue(struct guess *self, const struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < core->store_count; i++) {
        const struct ts_rv_store *s = &core->stores[(core->store_head + i) % TS_RV_STORES];
        self->walk.pc = s->pc[0];
        if (!ts_l1_contains(s->address, 4))
            store(&self->walk, s->address, 4, s->data.word[0]);
        for (unsigned w = 0; w < 4 && ts_l1_contains(s->address, 16); w++)
            if (s->mask >> (4 * w) & 15)
                store(&self->walk, s->address + 4 * w, 4, s->data.word[w]);
    }
}

void ts_foresee(const struct ts_tile *tile, unsigned core, struct ts_foresight *foresight)
{
    const struct ts_rv_core *c = &tile->cores[core];
    struct guess *self = calloc(1, sizeof *self);
    foresight->count = 0;
    if (self == NULL || c->held || c->paused || c->spinning ||
        !ts_rv_walk_start(&self->walk, c, c->pc)) {
        free(self);
        return;
    }
    self->tile = tile;
    self->to = foresight;
    self->walk.context = self;
    self->walk.load = load;
    self->walk.store = store;
    self->walk.push = push;
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const struct ts_noc_niu *niu = niu_of(tile, noc);
        if (niu)
            memcpy(self->initiators[noc], niu->initiators, sizeof self->initiators[noc]);
        for (unsigned i = 0; i < TS_NOC_INITIATORS; i++)
            self->initiators[noc][i].word[TS_NOC_CMD_CTRL] = 0;
    }
    if (core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2)
        memcpy(self->gpr, ts_tensix_own_gprs(&tile->tensix, core - TS_RV_TRISC0), sizeof self->gpr);
    take_queue(self, c);
    self->walk.pc = c->pc;
    for (uint32_t i = 0; i < FORESEE_STEPS; i++) {
        if (!ts_rv_walk_step(&self->walk) || self->walk.pc == self->walk.at)
            break; // not followed, or its end
        if (self->walk.insn.cls == TS_RV_CLASS_BRANCH && !leave_wait(self))
            break;
    }
    free(self);
}

bool ts_foreseen_hits(const struct ts_foreseen *self, struct ts_noc_xy here, struct ts_noc_xy at,
                      uint32_t address)
{
    if (self->kind == TS_WOULD_STORE)
        return here.x == at.x && here.y == at.y && address / 4 == self->address / 4;
    if (self->kind != TS_WOULD_SEND)
        return false;
    struct ts_sent sent = {.count = 1,
                           .kind = TS_NOC_WRITE,
                           .address = self->address,
                           .length = self->length,
                           .to = self->to,
                           .start = self->start,
                           .broadcast = self->broadcast};
    return ts_sent_hits(&sent, at, address);
}
