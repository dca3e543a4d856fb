// What cores' loads and stores outside L1 do to the order of accesses, for checks (platform/check).
//
// A store to a region gives away what its core knows, with its earlier stores to the same region: not those to L1, which
// may still be on their way. A load acquires.
//
// Source: BabyRISCV/MemoryOrdering.md, ManualTTSync.md; NoC/Counters.md.
// Inaccuracies: the NoC's counter of writes sent counts as: their sources have been read.
#include "platform/tile/bus_order.h"

#include "platform/tile/nodes.h"
#include "platform/tile/windows.h"
#include "units/lint.h"

// ---- the NoC's counters

#define BIT(phase) (1u << (phase))
#define READ       BIT(TS_PHASE_READ)
#define SENT       BIT(TS_PHASE_SENT)
#define ACKED      BIT(TS_PHASE_ACKED)
#define ATOMIC     BIT(TS_PHASE_ATOMIC)
#define POSTED     BIT(TS_PHASES)

// A counter that equals what is due says that all requests are through these phases.
static const struct {
    uint8_t counter, due, phases;
} totals[] = {
    {TS_NOC_MST_RD_RESP_RECEIVED, TS_PHASE_READ, READ},
    {TS_NOC_MST_WR_ACK_RECEIVED, TS_PHASE_ACKED, SENT | ACKED},
    {TS_NOC_MST_NONPOSTED_WR_REQ_SENT, TS_PHASE_SENT, SENT},
    {TS_NOC_MST_POSTED_WR_REQ_SENT, TS_PHASES, POSTED},
    {TS_NOC_MST_ATOMIC_RESP_RECEIVED, TS_PHASE_ATOMIC, ATOMIC},
};

#define COUNTERS 0x200u // the first one, from the NIU's base on

static void load_niu(struct ts_check *check, unsigned core, unsigned noc, uint32_t offset,
                     uint32_t value, ts_cycle now)
{
    uint32_t counter = (offset - COUNTERS) / 4;
    if (offset < COUNTERS || counter >= TS_NOC_COUNTERS)
        return;
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (counter == totals[i].counter && value == check->due[noc][totals[i].due])
            ts_check_counted(check, core, noc, totals[i].phases, TS_ACTOR_IDS, now);
    uint32_t id = counter - TS_NOC_MST_REQS_OUTSTANDING_ID;
    if (id < TS_NOC_IDS && value == 0)
        ts_check_counted(check, core, noc, READ | SENT | ACKED | ATOMIC, id, now);
    id = counter - TS_NOC_MST_WRITE_REQS_OUTGOING_ID;
    if (id < TS_NOC_IDS && value == 0)
        ts_check_counted(check, core, noc, SENT, id, now);
}

struct ts_check_trip *ts_tile_issued(struct ts_tile *self, const struct ts_noc_niu *niu,
                                     unsigned core, const struct ts_noc_packet *request,
                                     uint32_t packets, ts_cycle now)
{
    static const uint8_t phases[] = {[TS_NOC_READ] = TS_PHASE_READ,
                                     [TS_NOC_ATOMIC] = TS_PHASE_ATOMIC,
                                     [TS_NOC_WRITE] = TS_PHASE_SENT};
    uint32_t receivers = request->broadcast ? ts_noc_request_receivers(niu, request) : 1;
    uint32_t pc = core < TS_RV_CORES ? ts_store_pc(self, core) : TS_SITE_NO_PC;
    // Linked requests keep one channel, as a static one does: 7, which no request names.
    const unsigned channel = request->vc_static ? request->vc : request->linked ? 7 : 8;
    struct ts_check_trip *trip = ts_check_issue(
        self->check, core, pc, niu->noc, (enum ts_actor_phase)phases[request->kind],
        request->posted, request->id, channel, request->posted ? 0 : packets * receivers, packets,
        now);
    const bool reads = request->kind == TS_NOC_READ;
    if (core < TS_RV_CORES)
        ts_check_asks(self->check, trip, reads, request->address,
                      (uint32_t)request->to.x << 16 | request->to.y,
                      reads && ts_rv_polls_far(&self->cores[core], pc));
    if (request->kind != TS_NOC_ATOMIC && !request->inline_data &&
        ts_checks_for(self->check, TS_CHECK_MEMORY))
        ts_memory_issued(
            self->check, trip,
            &(struct ts_memory_request){
                .dram = !request->broadcast &&
                        ts_noc_fabric_node(niu->fabric, niu->noc, request->to) == TS_NOC_NODE_DRAM,
                .reads = reads,
                .address = request->address,
                .local = reads ? request->back_address : request->source,
                .length = request->length});
    return trip;
}

// ---- semaphores, mailboxes, PC buffers

enum { DRAINED = 0x4, MOP_DRAINED = 0x8, SEMAPHORES = 0x20, MAIL_STATUS = 0x4 };

static struct ts_check_queue *mailbox(struct ts_check *check, unsigned from, unsigned to)
{
    return &check->mailboxes[(from & 3) * 4 + (to & 3)];
}

// A poll of a semaphore that ends with this value tells of posts up to the smallest one that it ends with, and of gets.
static void load_semaphore(struct ts_tile *self, unsigned core, uint32_t address, uint32_t value,
                           ts_cycle now)
{
    struct ts_check *check = self->check;
    const unsigned number = ((address & 0xffff) - SEMAPHORES) / 4 & 7;
    uint32_t below, above;
    if (!ts_rv_poll_ends(&self->cores[core], self->cores[core].bus_pc, address, value, 15, &below,
                         &above))
        return;
    ts_check_waited_core(check, core, &check->posts[number], 0, below, now);
    ts_check_waited_core(check, core, &check->gets[number], 0, above, now);
}

static void load_sync(struct ts_tile *self, unsigned core, unsigned buffer, uint32_t address,
                      uint32_t value, ts_cycle now)
{
    struct ts_check *check = self->check;
    uint32_t offset = address & 0xffff;
    if (core == TS_RV_BRISC)
        ts_check_thread_done(check, core, buffer, now);
    else if (offset < DRAINED)
        ts_check_take(check, core, &check->buffers[core - TS_RV_TRISC0], now);
    else if (offset == DRAINED || offset == MOP_DRAINED) {
        if (offset == DRAINED)
            ts_check_thread_done(check, core, core - TS_RV_TRISC0, now);
        ts_registers_mop_done(check, core);
    } else if (offset >= SEMAPHORES)
        load_semaphore(self, core, address, value, now);
}

void ts_tile_ordered_load(struct ts_tile *self, unsigned core, uint32_t address, uint32_t value,
                          ts_cycle now)
{
    struct ts_check *check = self->check;
    enum ts_device device = (enum ts_device)self->device[(address - TS_RV_MMIO_BASE) >> 12];
    uint32_t below, above;
    switch (device) {
    case TS_DEVICE_NOC0:
    case TS_DEVICE_NOC1:
        load_niu(check, core, device - TS_DEVICE_NOC0, (address - TS_AT_NIUS) & 0xffff, value, now);
        break;
    case TS_DEVICE_PCBUF0:
    case TS_DEVICE_PCBUF1:
    case TS_DEVICE_PCBUF2:
        load_sync(self, core, device - TS_DEVICE_PCBUF0, address, value, now);
        break;
    case TS_DEVICE_MAILBOX:
        if (!(address & MAIL_STATUS))
            ts_check_take(check, core, mailbox(check, address >> 12, core), now);
        break;
    case TS_DEVICE_SLOW_B:
    case TS_DEVICE_SLOW_NC:
    case TS_DEVICE_SLOW_T0:
    case TS_DEVICE_SLOW_T1:
    case TS_DEVICE_SLOW_T2:
        ts_check_slow(check, core, self->cores[core].bus_pc, address & ~3u, 4, false, now);
        break;
    case TS_DEVICE_OVERLAY:
        if (ts_rv_poll_ends(&self->cores[core], self->cores[core].bus_pc, address, value,
                            UINT32_MAX, &below, &above))
            ts_check_overlay_load(check, core, address, value, below, now);
        break;
    case TS_DEVICE_ETH:
        ts_eth_loaded(self->eth, address, core, now);
        break;
    case TS_DEVICE_GPR:
    case TS_DEVICE_CFG:
    case TS_DEVICE_MOP:
    case TS_DEVICE_TDMA: // a read-back: its stores there have arrived
        ts_check_learn(check, core, TS_ACTOR_CORE(core, TS_REGION_TENSIX), (uint32_t)now, now);
        break;
    default:
        break;
    }
}

// ---- registers of the coprocessor

// Does Auto TTSync put the core's accesses in order with its words?
static bool tracked(const struct ts_tile *self, unsigned core, enum ts_device device)
{
    if (!ts_is_trisc(core))
        return false;
    const uint16_t *thd = self->front[core - TS_RV_TRISC0].backend->thd[core - TS_RV_TRISC0];
    return TS_THD(thd, TENSIX_TRISC_SYNC_TrackTensixInstructions) &&
           ((device == TS_DEVICE_GPR && TS_THD(thd, TENSIX_TRISC_SYNC_TrackGPR)) ||
            (device == TS_DEVICE_CFG && TS_THD(thd, TENSIX_TRISC_SYNC_TrackGlobalCfg)));
}

static void store_register(struct ts_tile *self, unsigned core, enum ts_device device,
                           uint32_t address, uint32_t value, ts_cycle now)
{
    struct ts_check *check = self->check;
    const struct ts_machine *machine = self->tensix.cfg.machine;
    const uint32_t pc = ts_store_pc(self, core), number = (address & 0xffff) / 4,
                   word = number % machine->cfg_words, home = ts_machine_home(machine, word),
                   place = (word >= machine->cfg_global ? 0 : number / machine->cfg_words * 1024) +
                           word;
    const unsigned first = ts_is_trisc(core) ? core - TS_RV_TRISC0 : 0;
    if (core >= TS_RV_CORES || tracked(self, core, device))
        return;
    if (device == TS_DEVICE_GPR)
        ts_registers_gpr(check, core, pc, first + (address & 0xfff) / 4 / TS_GPRS,
                         (address & 0xfff) / 4 % TS_GPRS, (uint32_t)now);
    else if (device == TS_DEVICE_MOP)
        ts_registers_mop_stored(check, core, pc, (address & 0xfff) / 4, (uint32_t)now);
    else if (number < 2u * machine->cfg_words && !ts_registers_kept(check, place, value)) {
        ts_registers_stored(check, core, pc, place, ts_lint_user(home), ts_lint_latched(home),
                            (uint32_t)now);
        for (unsigned i = 0; i < 2; i++)
            if (ts_cfg_base_context(i, home) >= 0)
                ts_registers_base_stored(check, core, pc, place, i,
                                         (unsigned)ts_cfg_base_context(i, home), (uint32_t)now);
    }
}

static void push(struct ts_tile *self, unsigned core, const uint32_t *words, unsigned count,
                 ts_cycle now)
{
    for (unsigned i = 0; ts_is_trisc(core) && i < count; i++)
        if (TS_OP_OF(words[i]) == TS_OP_MOP)
            ts_registers_mop(self->check, core, ts_store_pc(self, core), (uint32_t)now);
}

void ts_tile_ordered_store(struct ts_tile *self, unsigned core, uint32_t address,
                           const uint32_t *words, unsigned count, unsigned held, ts_cycle now)
{
    struct ts_check *check = self->check;
    enum ts_device device = (enum ts_device)self->device[(address - TS_RV_MMIO_BASE) >> 12];
    uint32_t offset = address & 0xffff;
    struct ts_known known;
    switch (device) {
    case TS_DEVICE_PCBUF0:
    case TS_DEVICE_PCBUF1:
    case TS_DEVICE_PCBUF2:
        known = ts_check_known_core(check, core, TS_REGION_SYNC, now);
        if (core == TS_RV_BRISC)
            ts_check_send(check, core, TS_REGION_SYNC, ts_store_pc(self, core),
                          &check->buffers[device - TS_DEVICE_PCBUF0], now);
        else if (offset >= SEMAPHORES)
            ts_check_semaphore(check, (offset - SEMAPHORES) / 4 & 7, words[0] & 1, &known);
        break;
    case TS_DEVICE_MAILBOX:
        ts_check_send(check, core, TS_REGION_MAILBOX, ts_store_pc(self, core),
                      mailbox(check, core, address >> 12), now);
        break;
    case TS_DEVICE_SLOW_B:
    case TS_DEVICE_SLOW_NC:
    case TS_DEVICE_SLOW_T0:
    case TS_DEVICE_SLOW_T1:
    case TS_DEVICE_SLOW_T2:
        ts_check_slow(check, core, ts_store_pc(self, core), address & ~3u, 4, true, now);
        break;
    case TS_DEVICE_OVERLAY:
        known = ts_check_known_core(check, core, TS_REGION_OVERLAY, now);
        ts_check_overlay_store(check, address, &known);
        break;
    case TS_DEVICE_GPR:
    case TS_DEVICE_CFG:
    case TS_DEVICE_MOP:
        store_register(self, core, device, address, words[0], now);
        break;
    case TS_DEVICE_PUSH0:
    case TS_DEVICE_PUSH1:
    case TS_DEVICE_PUSH2:
        push(self, core, words, count, now);
        break;
    case TS_DEVICE_CONTROL: // it may let others go
        for (unsigned other = 0; other < TS_RV_CORES; other++)
            if (other != core && held >> other & 1)
                ts_check_start(check, core, other, now);
        break;
    default:
        break;
    }
}
