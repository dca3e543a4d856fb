// What a waiting core would do next; see chip.h.
#include "platform/explain/chip.h"

#include "cores/riscv/alu.h"
#include "platform/explain/rounds.h"
#include "platform/tile/watchdog.h"

#define WAITS  1024 // that are left
#define DOUBTS 8
#define PAGE   4096u

// A page of L1 as the walk has left it.
struct page {
    uint8_t bytes[PAGE];
    bool vague[PAGE / 4];
};

// Vague: a value that is not known.
struct guess {
    struct ts_rv_walk walk;
    const struct ts_tile *tile;
    ts_foreseen_take *take;
    void *context;
    struct page *page[TS_L1_SIZE / PAGE];
    bool reg[32], local[TS_WALK_LOCAL / 4]; // vague
    bool loaded;                            // the value of this step's load is
    struct ts_noc_initiator initiators[TS_NOC_COUNT][TS_NOC_INITIATORS];
    uint32_t vague_words[TS_NOC_COUNT][TS_NOC_INITIATORS]; // a bit for each
    uint32_t reads[TS_NOC_COUNT];
    uint32_t gpr[TS_GPRS];
    struct ts_foreseen_queue queues[TS_ETH_QUEUES];
    struct ts_rounds rounds;
    uint32_t effects, waits;
    uint32_t looked; // the last address outside local RAM that was loaded
    // Branches that depend on a vague value and are no wait so far.
    uint32_t doubt[DOUBTS], doubts;
    bool unsure;   // a way or an address has depended on a vague value
    bool host[32]; // registers with what the host wrote
    bool launched; // what comes now begins with the host's next launch
    bool *idle;    // the first wait is for that
    uint32_t time;
};

static const struct ts_noc_niu *niu_of(const struct ts_tile *tile, unsigned noc)
{
    return tile->window[TS_DEVICE_NOC0 + noc].context;
}

static void add(struct guess *self, struct ts_foreseen would, bool sure)
{
    would.pc = self->walk.pc;
    would.waits = self->waits;
    self->unsure |= self->doubts != 0;
    would.sure = sure && !self->unsure;
    self->effects++;
    self->take(self->context, &would);
}

// --- accesses

// Has anybody but this core written the word, as far as it is known? Then it may change again.
static bool others_wrote(const struct guess *self, uint32_t address)
{
    const struct ts_tile *tile = self->tile;
    const struct ts_l1_writer writer = ts_l1_writer(&tile->l1, address);
    const unsigned core = self->walk.core->id;
    bool own_thread = core >= TS_RV_TRISC0 && writer.last.by == core - TS_RV_TRISC0;
    if (writer.state == TS_L1_KNOWN && writer.last.by == TS_BY_HOST)
        return false; // the host only looks
    if (writer.state == TS_L1_KNOWN)
        return writer.last.by != TS_BY_CORE + core && !own_thread;
    if (writer.state == TS_L1_NOBODY)
        return false;
    // Not recorded any more: what has a name is data, the rest are a program and its arguments.
    for (unsigned i = 0; i < tile->name_count; i++)
        if (!tile->names[i].dram && address - tile->names[i].address < tile->names[i].length)
            return true;
    return tile->name_count == 0;
}

// The page as the walk has it; NULL: out of memory, and from now on nothing is sure.
static struct page *own_page(struct guess *self, uint32_t address)
{
    struct page **page = &self->page[address / PAGE];
    if (*page)
        return *page;
    *page = malloc(sizeof **page);
    if (*page == NULL) {
        self->unsure = true;
        return NULL;
    }
    memcpy((*page)->bytes, self->tile->l1.bytes + address / PAGE * PAGE, PAGE);
    for (uint32_t i = 0; i < PAGE / 4; i++)
        (*page)->vague[i] = others_wrote(self, address / PAGE * PAGE + 4 * i);
    return *page;
}

static void store_l1(struct guess *self, uint32_t address, unsigned size, uint32_t value,
                     bool vague)
{
    struct page *page = own_page(self, address);
    if (page == NULL)
        return;
    memcpy(page->bytes + address % PAGE, &value, size);
    page->vague[address % PAGE / 4] = vague || (size < 4 && page->vague[address % PAGE / 4]);
}

// Is the value vague?
static bool load_l1(const struct guess *self, uint32_t address, unsigned size, uint32_t *value)
{
    const struct page *page = self->page[address / PAGE];
    const uint8_t *bytes = page ? page->bytes + address % PAGE : self->tile->l1.bytes + address;
    memcpy(value, bytes, size);
    return page ? page->vague[address % PAGE / 4] : others_wrote(self, address);
}

static bool on_network(uint32_t address)
{
    return ts_at_niu(address);
}

static bool load(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t *value)
{
    struct guess *self = walk->context;
    uint32_t offset = ts_niu_offset(self->tile, address);
    if (address != TS_RV_WALL_CLOCK)
        self->looked = address;
    self->loaded = false;
    if (ts_l1_contains(address, size)) {
        self->loaded = load_l1(self, address, size, value);
        return true;
    }
    if (offset < 0x20000 && offset % TS_NOC_BUF_STRIDE < 4 * TS_NOC_INITIATOR_WORDS &&
        offset % 0x10000 / TS_NOC_BUF_STRIDE < TS_NOC_INITIATORS) {
        unsigned noc = offset >> 16, index = offset % 0x10000 / TS_NOC_BUF_STRIDE;
        *value = ts_noc_initiator_word(self->tile->config.machine, &self->initiators[noc][index],
                                       offset % TS_NOC_BUF_STRIDE / 4);
        self->loaded = self->vague_words[noc][index] >> offset % TS_NOC_BUF_STRIDE / 4 & 1;
        return true;
    }
    if (!ts_tile_look((void *)self->tile, walk->core->id, address, size, value))
        *value = address == TS_RV_WALL_CLOCK ? self->time += 1u << 20 : 0; // delays end
    if (offset < 0x20000 && offset % 0x10000 == 0x200 + 4 * TS_NOC_MST_RD_RESP_RECEIVED)
        *value += self->reads[offset >> 16]; // every read is answered
    self->loaded = !on_network(address);     // its counters are only waited for
    return true;
}

static void send(struct guess *self, unsigned noc, unsigned index)
{
    const struct ts_noc_niu *niu = niu_of(self->tile, noc);
    struct ts_noc_packet request = {.kind = 0};
    if (niu == NULL)
        return;
    ts_noc_request_build(niu, &self->initiators[noc][index], &request);
    const uint32_t *word = self->initiators[noc][index].word;
    if (request.kind == TS_NOC_READ) { // nobody sees it; what it brings is not known
        uint32_t to = (uint32_t)request.back_address & ~3u;
        self->reads[noc]++;
        for (uint32_t i = 0; i < word[TS_NOC_AT_LEN_BE] && ts_l1_contains(to + i, 4); i += 4) {
            struct page *page = own_page(self, to + i);
            if (page)
                page->vague[(to + i) % PAGE / 4] = true;
        }
        return;
    }
    bool four = request.kind == TS_NOC_ATOMIC || request.inline_data;
    uint32_t value = 0;
    bool flag = request.kind == TS_NOC_WRITE && !four && word[TS_NOC_AT_LEN_BE] == 4 &&
                ts_l1_contains((uint32_t)request.source, 4);
    if (flag)
        flag = !load_l1(self, (uint32_t)request.source & ~3u, 4, &value);
    add(self,
        (struct ts_foreseen){.kind = TS_WOULD_SEND,
                             .address = request.address,
                             .length = four ? 4 : word[TS_NOC_AT_LEN_BE],
                             .to = ts_noc_mirror(niu->fabric, noc, request.to),
                             .start = ts_noc_mirror(niu->fabric, noc, request.start),
                             .valued = flag,
                             .adds = request.kind == TS_NOC_ATOMIC,
                             .value = value,
                             .broadcast = request.broadcast},
        !(self->vague_words[noc][index] & ~(1u << TS_NOC_AT_DATA)));
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
                                         .index = i},
                    true);
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
        add(self, (struct ts_foreseen){.kind = TS_WOULD_STORE, .address = address, .length = 4},
            true);
    }
}

static bool push(struct ts_rv_walk *walk, uint32_t word)
{
    push_word(walk->context, word);
    return true;
}

static void store_any(struct guess *self, uint32_t address, unsigned size, uint32_t value,
                      bool vague)
{
    uint32_t offset = ts_niu_offset(self->tile, address), word = offset % TS_NOC_BUF_STRIDE / 4;
    if (ts_l1_contains(address, size)) {
        store_l1(self, address, size, value, vague);
        add(self,
            (struct ts_foreseen){.kind = TS_WOULD_STORE,
                                 .address = address,
                                 .length = size,
                                 .valued = !vague,
                                 .value = value},
            true);
    } else if (offset < 0x20000 && word < TS_NOC_INITIATOR_WORDS &&
               offset % 0x10000 / TS_NOC_BUF_STRIDE < TS_NOC_INITIATORS) {
        unsigned noc = offset >> 16, index = offset % 0x10000 / TS_NOC_BUF_STRIDE;
        if (word == TS_NOC_CMD_CTRL) {
            send(self, noc, index);
            return;
        }
        ts_noc_initiator_set(self->tile->config.machine, &self->initiators[noc][index], word,
                             value);
        self->vague_words[noc][index] &= ~(1u << word);
        self->vague_words[noc][index] |= (uint32_t)vague << word;
    } else if (address - TS_AT_SEMAPHORES < 4 * TS_SEMAPHORES) {
        add(self,
            (struct ts_foreseen){.kind = value & 1 ? TS_WOULD_GET : TS_WOULD_POST,
                                 .index = (uint8_t)((address - TS_AT_SEMAPHORES) / 4)},
            !vague);
    } else if (address - TS_AT_MAILBOXES < 0x4000) {
        add(self,
            (struct ts_foreseen){.kind = TS_WOULD_MAIL,
                                 .index = (uint8_t)((address - TS_AT_MAILBOXES) >> 12)},
            true);
    } else if (address - TS_RV_PUSH_BASE < 0x30000) {
        push_word(self, value);
    } else {
        struct ts_foreseen would;
        if (self->tile->eth && ts_foreseen_sends(self->queues, address, value, vague, &would))
            add(self, would, would.sure);
        else
            self->effects++;
    }
}

static bool store(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t value)
{
    struct guess *self = walk->context;
    store_any(self, address, size, value, self->reg[walk->insn.rs2]);
    return true;
}

// --- values that are not known

static bool is_local(const struct guess *self, uint32_t address)
{
    return address - TS_RV_LOCAL_BASE < self->walk.core->local_size;
}

static void doubt(struct guess *self, uint32_t pc)
{
    for (uint32_t i = 0; i < self->doubts; i++)
        if (self->doubt[i] == pc)
            return;
    self->unsure |= self->doubts == DOUBTS;
    if (self->doubts < DOUBTS)
        self->doubt[self->doubts++] = pc;
}

// After a step: which values have become vague.
static void follow_values(struct guess *self)
{
    const struct ts_rv_walk *walk = &self->walk;
    const struct ts_rv_insn *in = &walk->insn;
    bool a = self->reg[in->rs1 % 32], b = self->reg[in->rs2 % 32], result = a || b;
    switch (in->cls) {
    case TS_RV_CLASS_BRANCH:
        if (result && !ts_rounds_waits_at(&self->tile->l1, walk->at, walk->other))
            doubt(self, walk->at);
        return;
    case TS_RV_CLASS_JUMP:
        self->unsure |= a && in->op != TS_RV_JAL;
        result = false;
        break;
    case TS_RV_CLASS_STORE:
        self->unsure |= a;
        if (is_local(self, walk->address))
            self->local[(walk->address - TS_RV_LOCAL_BASE) / 4] = b;
        return;
    case TS_RV_CLASS_LOAD:
    case TS_RV_CLASS_AMO:
        self->unsure |= a;
        result = is_local(self, walk->address) ? self->local[(walk->address - TS_RV_LOCAL_BASE) / 4]
                                               : self->loaded;
        break;
    case TS_RV_CLASS_CSR:
        result = true;
        break;
    case TS_RV_CLASS_FENCE:
    case TS_RV_CLASS_TTINSN:
        return;
    }
    if (in->rd > 0 && in->rd < 32)
        self->reg[in->rd] = result;
}

// An instruction that a walk does not follow: a division, and what is not computed here, floating point and most CSRs. False: the
// core ends there.
static bool pass(struct guess *self)
{
    struct ts_rv_walk *walk = &self->walk;
    uint32_t word;
    if (!ts_rv_code(&self->tile->l1, walk->pc, &word))
        return false;
    struct ts_rv_insn in = ts_rv_decode(word);
    switch (in.cls) {
    case TS_RV_CLASS_STORE:
        store_any(self, walk->r[in.rs1 % 32] + (uint32_t)in.imm, in.size, 0, true);
        break;
    case TS_RV_CLASS_DIV: // the bank of a page, where banks are no power of two
        if (in.rd > 0 && in.rd < 32) {
            self->reg[in.rd] = self->reg[in.rs1 % 32] || self->reg[in.rs2 % 32];
            walk->r[in.rd] = ts_rv_divide(in.op, walk->r[in.rs1 % 32], walk->r[in.rs2 % 32]);
        }
        break;
    case TS_RV_CLASS_FPU:
    case TS_RV_CLASS_FMISC:
    case TS_RV_CLASS_CSR:
    case TS_RV_CLASS_LOAD:
        if (in.rd > 0 && in.rd < 32)
            self->reg[in.rd] = true;
        break;
    default:
        return false;
    }
    walk->pc += 4;
    return true;
}

// --- waits

static bool of_host(const struct guess *self, uint32_t address)
{
    const struct ts_l1_writer writer = ts_l1_writer(&self->tile->l1, address);
    return ts_l1_contains(address, 1) && writer.state == TS_L1_KNOWN &&
           writer.last.by == TS_BY_HOST;
}

// After a step behind a wait: does firmware call what the host's launch message names?
static void follow_launch(struct guess *self)
{
    const struct ts_rv_insn *in = &self->walk.insn;
    if (in->cls == TS_RV_CLASS_JUMP && in->op != TS_RV_JAL && in->rd == 1 && self->waits &&
        self->host[in->rs1 % 32]) {
        *self->idle |= self->waits == 1;
        self->launched = true;
    }
    bool loads = in->cls == TS_RV_CLASS_LOAD;
    if (in->rd > 0 && in->rd < 32 && in->cls != TS_RV_CLASS_BRANCH && in->cls != TS_RV_CLASS_STORE)
        self->host[in->rd] = loads ? of_host(self, self->walk.address)
                                   : self->host[in->rs1 % 32] || self->host[in->rs2 % 32];
}

// At the head of a loop. False: the walk ends here.
static bool leave_wait(struct guess *self)
{
    bool several;
    uint32_t last;
    struct ts_round_place *out;
    if (!ts_rounds_endless(&self->rounds, self->walk.pc, &last))
        return true;
    out = ts_rounds_way_out(&self->rounds, last, self->effects, &several);
    if (out == NULL)
        return false;
    if (of_host(self, self->looked)) { // which does nothing now
        *self->idle |= self->waits == 0;
        self->launched = true;
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->doubts; i++) // those in the loop were of the wait
        if (!ts_rounds_reached(&self->rounds, self->doubt[i], last))
            self->doubt[kept++] = self->doubt[i];
    self->doubts = kept;
    self->unsure |= several;
    self->walk.pc = out->other;
    if (!on_network(self->looked)) { // a barrier ends by itself
        ts_rounds_changed(&self->rounds);
        self->waits++;
    }
    return self->waits < WAITS;
}

// Stores that the core has executed and that do not leave.
static void take_queue(struct guess *self, const struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < ts_rv_core_view(core).stores; i++) {
        const struct ts_rv_store *s = ts_rv_core_store(core, i);
        self->walk.pc = s->pc[0];
        if (!ts_l1_contains(s->address, 4))
            store_any(self, s->address, 4, s->data.word[0], false);
        for (unsigned w = 0; w < 4 && ts_l1_contains(s->address, 16); w++)
            if (s->mask >> (4 * w) & 15)
                store_any(self, s->address + 4 * w, 4, s->data.word[w], false);
    }
}

static enum ts_foresight at_end(const struct guess *self)
{
    return self->unsure || self->doubts ? TS_SIGHT_LIKELY : TS_SIGHT_SURE;
}

static enum ts_foresight walk_on(struct guess *self)
{
    for (uint32_t i = 0; i < TS_FORESEE_STEPS; i++) {
        if (!ts_rv_walk_step(&self->walk)) {
            if (pass(self))
                continue;
            return at_end(self);
        }
        ts_rounds_note(&self->rounds, &self->walk,
                       self->reg[self->walk.insn.rs1 % 32] || self->reg[self->walk.insn.rs2 % 32]);
        follow_values(self);
        follow_launch(self);
        if (self->walk.pc == self->walk.at)
            return at_end(self);
        if (self->walk.pc < self->walk.at && !leave_wait(self) && !self->launched)
            return TS_SIGHT_PART;
        if (self->launched)
            return at_end(self);
    }
    return TS_SIGHT_PART;
}

enum ts_foresight ts_foresee(const struct ts_tile *tile, unsigned core, ts_foreseen_take *take,
                             void *context, bool *idle)
{
    const struct ts_rv_core *c = &tile->cores[core];
    const struct ts_rv_view view = ts_rv_core_view(c);
    uint32_t pc = view.waits ? view.at : view.pc;
    if (view.ended)
        return TS_SIGHT_SURE; // it has ended
    struct guess *self = calloc(1, sizeof *self);
    if (self == NULL || !ts_rv_walk_start(&self->walk, c, pc)) {
        free(self);
        return TS_SIGHT_PART;
    }
    self->tile = tile;
    self->take = take;
    self->context = context;
    self->idle = idle;
    self->walk.context = self;
    self->walk.load = load;
    self->walk.store = store;
    self->walk.push = push;
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const struct ts_noc_niu *niu = niu_of(tile, noc);
        if (niu)
            memcpy(self->initiators[noc], niu->initiators, sizeof self->initiators[noc]);
        for (unsigned id = 0; niu && id < TS_NOC_IDS; id++)
            self->reads[noc] += niu->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id];
        for (unsigned i = 0; i < TS_NOC_INITIATORS; i++)
            self->initiators[noc][i].word[TS_NOC_CMD_CTRL] = 0;
    }
    for (unsigned i = 0; i < TS_ETH_QUEUES && tile->eth; i++)
        self->queues[i] = (struct ts_foreseen_queue){tile->eth->tx[i].size, tile->eth->tx[i].to,
                                                     false};
    if (core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2)
        memcpy(self->gpr, ts_tensix_own_gprs(&tile->tensix, core - TS_RV_TRISC0), sizeof self->gpr);
    take_queue(self, c);
    self->walk.pc = pc;
    enum ts_foresight sight = walk_on(self);
    for (uint32_t i = 0; i < TS_L1_SIZE / PAGE; i++)
        free(self->page[i]);
    free(self);
    return sight;
}
