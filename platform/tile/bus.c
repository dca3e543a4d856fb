// The cores' path to everything except L1 and their own local RAM: implements the memory map.
#include "platform/tile/bus_order.h"
#include "platform/tile/follow.h"
#include "platform/tile/hooks.h"
#include "platform/tile/lints.h"
#include "platform/tile/nodes.h"
#include "platform/tile/windows.h"

#define TS_MAP_B   1u
#define TS_MAP_T   14u
#define TS_MAP_NC  16u
#define TS_MAP_ALL 31u

static const char *const device_names[TS_DEVICE_COUNT] = {
#define TS_DEVICE(id, name) name,
#include "config/devices.def"
};

struct map_row {
    uint32_t first, last, cores;
    uint8_t device, region;
};

#define ROW(device, first, last, cores, region) \
    {first, last, cores, TS_DEVICE_##device, TS_RV_REGION_##region},
static const struct map_row blackhole_rows[] = {
#define TS_MAP ROW
#include "config/blackhole/memmap.def"
};
static const struct map_row wormhole_rows[] = {
#define TS_MAP ROW
#include "config/wormhole/memmap.def"
};
static const struct map_row blackhole_eth_rows[] = {
#define TS_MAP ROW
#include "config/blackhole/memmap_eth.def"
};
static const struct map_row wormhole_eth_rows[] = {
#define TS_MAP ROW
#include "config/wormhole/memmap_eth.def"
};
#undef ROW

void ts_tile_map(struct ts_tile *self)
{
#define MAP(rows)                           \
    {                                       \
        rows, sizeof(rows) / sizeof *(rows) \
    }
    static const struct {
        const struct map_row *rows;
        size_t count;
    } maps[] = {MAP(blackhole_rows), MAP(wormhole_rows), MAP(blackhole_eth_rows),
                MAP(wormhole_eth_rows)};
#undef MAP
    _Static_assert(sizeof maps / sizeof *maps == 2 * TS_MACHINES, "two maps for each machine");
    const unsigned map = (unsigned)(self->config.machine - ts_machines) +
                         (self->channel < 0 ? 0 : TS_MACHINES);
    const struct map_row *rows = maps[map].rows;
    for (size_t i = 0; i < maps[map].count; i++)
        for (uint32_t page = (rows[i].first - TS_RV_MMIO_BASE) >> 12;
             page <= (rows[i].last - TS_RV_MMIO_BASE) >> 12; page++) {
            self->device[page] = rows[i].device;
            for (unsigned core = 0; core < TS_RV_CORES; core++)
                if (rows[i].cores >> core & 1)
                    self->bus.region[core][page] = rows[i].region;
        }
}

enum ts_rv_answer ts_tile_refuse(struct ts_rv_reply *reply, enum ts_code code, const char *format,
                                 ...)
{
    TS_VSNPRINTF(reply->text, sizeof reply->text, format);
    reply->code = code;
    return TS_RV_REFUSE;
}

static const uint8_t slow_cores[] = {TS_RV_BRISC, TS_RV_NCRISC, TS_RV_TRISC0, TS_RV_TRISC1,
                                     TS_RV_TRISC2};

int ts_local_core(const struct ts_tile *self, uint32_t address)
{
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    if (address < TS_RV_MMIO_BASE || page >= TS_RV_MMIO_PAGES ||
        self->device[page] < TS_DEVICE_SLOW_B || self->device[page] > TS_DEVICE_SLOW_T2)
        return -1;
    return slow_cores[self->device[page] - TS_DEVICE_SLOW_B];
}

static uint8_t *slow_bytes(struct ts_tile *self, enum ts_device device, uint32_t address,
                           unsigned size)
{
    unsigned core = slow_cores[device - TS_DEVICE_SLOW_B];
    uint32_t offset = (address - 0xffb14000u) %
                      self->cores[core].local_size; // a TRISC's 4 KiB appear twice
    (void)size;
    return self->local[core] + offset;
}

static uint32_t queue_delay(ts_cycle *free, ts_cycle now, uint32_t busy)
{
    ts_cycle start = *free > now ? *free : now;
    *free = start + busy;
    return (uint32_t)(start - now);
}

// Register regions accept one access per cycle from all cores together; the slow aliases share one
// path.
static uint32_t contend(struct ts_tile *self, enum ts_device device, unsigned core, ts_cycle now)
{
    if (core == TS_OUTSIDE)
        return 0;
    if (device >= TS_DEVICE_SLOW_B && device <= TS_DEVICE_SLOW_T2)
        return queue_delay(&self->slow_free, now, self->config.params.slow_busy);
    if (device == TS_DEVICE_CONTROL || device == TS_DEVICE_PIC || device == TS_DEVICE_NOC0 ||
        device == TS_DEVICE_NOC1 || device == TS_DEVICE_OVERLAY || device == TS_DEVICE_ETH ||
        device == TS_DEVICE_ETH_CONTROL)
        return queue_delay(&self->device_free[device], now, self->config.params.mmio_busy);
    return 0;
}

static enum ts_rv_answer nothing_there(struct ts_rv_reply *reply, enum ts_device device,
                                       const char *verb, uint32_t address)
{
    return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "%s 0x%08x: this tile has no %s", verb,
                          address, device_names[device]);
}

static enum ts_rv_answer for_fetches(struct ts_rv_reply *reply, const char *verb, uint32_t address)
{
    return ts_tile_refuse(reply, TS_CONTRACT, "%s 0x%08x: %s is for fetches and what fills it",
                          verb, address, device_names[TS_DEVICE_IRAM]);
}

// What the NoC, and the host through it, can reach.
static bool outside(enum ts_device device)
{
    return device >= TS_DEVICE_CONTROL && device <= TS_DEVICE_ETH_CONTROL;
}

// True if the coprocessor has no work of this thread.
static bool thread_idle(struct ts_tile *self, unsigned thread, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    return ts_semaphore_load(self, TS_RV_TRISC0 + thread, TS_AT_TTSYNC, 4, now, &reply) ==
           TS_RV_DONE;
}

static enum ts_rv_answer sync_load(struct ts_tile *self, unsigned core, unsigned buffer,
                                   uint32_t address, ts_cycle now, struct ts_rv_reply *reply)
{
    if (core == TS_RV_BRISC)
        return ts_pcbuf_wait(&self->queues, buffer, thread_idle(self, buffer, now), now, reply);
    unsigned thread = core - TS_RV_TRISC0;
    uint32_t offset = address & 0xffff;
    if (offset < 4)
        return ts_pcbuf_load(&self->queues, thread, now, reply);
    if (offset < 0x20 && ts_pcbuf_overridden(&self->queues, thread))
        return TS_RV_DONE;
    return ts_semaphore_load(self, core, address, 4, now, reply);
}

static enum ts_rv_answer sync_store(struct ts_tile *self, unsigned core, unsigned buffer,
                                    uint32_t address, uint32_t word, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    if (core == TS_RV_BRISC)
        return ts_pcbuf_store(&self->queues, buffer, word, now, reply);
    uint32_t offset = address & 0xffff;
    if (offset < 0x20)
        return TS_RV_DONE; // discarded; only its position in the order counts
    return ts_semaphore_store(self, core, address, 4, &word, 1, now, reply);
}

enum ts_rv_answer ts_tile_load(struct ts_tile *self, unsigned core, uint32_t address, unsigned size,
                               ts_cycle now, struct ts_rv_reply *reply)
{
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    enum ts_device device = address >= TS_RV_MMIO_BASE && page < TS_RV_MMIO_PAGES
                                ? (enum ts_device)self->device[page]
                                : TS_DEVICE_NONE;
    enum ts_rv_answer answer;
    uint32_t shift = address % 4 * 8;
    if (core == TS_OUTSIDE && !outside(device))
        device = TS_DEVICE_NONE;
    switch (device) {
    case TS_DEVICE_CONTROL:
        reply->delay = contend(self, device, core, now);
        answer = ts_control_load(self, address & 0xfff, now + reply->delay, reply);
        break;
    case TS_DEVICE_PIC:
        reply->delay = contend(self, device, core, now);
        answer = ts_pic_load(self, address & 0xfff, now, reply);
        break;
    case TS_DEVICE_SLOW_B:
    case TS_DEVICE_SLOW_NC:
    case TS_DEVICE_SLOW_T0:
    case TS_DEVICE_SLOW_T1:
    case TS_DEVICE_SLOW_T2:
        reply->delay = contend(self, device, core, now);
        memcpy(&reply->value, slow_bytes(self, device, address, size), size);
        return TS_RV_DONE;
    case TS_DEVICE_PCBUF0:
    case TS_DEVICE_PCBUF1:
    case TS_DEVICE_PCBUF2:
        answer = sync_load(self, core, device - TS_DEVICE_PCBUF0, address, now, reply);
        break;
    case TS_DEVICE_MAILBOX:
        answer = ts_mail_load(&self->queues, core, address, now, reply);
        if (__builtin_expect(self->follow != NULL, 0) && answer == TS_RV_DONE && !(address & 4))
            self->follow->mail(self->follow->context, core, address >> 12 & 3, false);
        break;
    case TS_DEVICE_NONE:
    case TS_DEVICE_LOCAL:
        return ts_tile_refuse(reply, TS_CONTRACT, "load from unmapped address 0x%08x", address);
    case TS_DEVICE_IRAM:
        return for_fetches(reply, "load from", address);
    default:
        if (self->window[device].load == NULL)
            return nothing_there(reply, device, "load from", address);
        reply->delay = contend(self, device, core, now);
        return self->window[device].load(self->window[device].context, core, address, size, now,
                                         reply);
    }
    reply->value >>= shift;
    return answer;
}

enum ts_rv_answer ts_tile_store(struct ts_tile *self, unsigned core, uint32_t address,
                                unsigned size, const uint32_t *words, unsigned count, ts_cycle now,
                                struct ts_rv_reply *reply)
{
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    enum ts_device device = address >= TS_RV_MMIO_BASE && page < TS_RV_MMIO_PAGES
                                ? (enum ts_device)self->device[page]
                                : TS_DEVICE_NONE;
    if (core == TS_OUTSIDE && !outside(device))
        device = TS_DEVICE_NONE;
    if (device >= TS_DEVICE_SLOW_B && device <= TS_DEVICE_SLOW_T2) {
        reply->delay = contend(self, device, core, now);
        memcpy(slow_bytes(self, device, address, size), words, size);
        return TS_RV_DONE;
    }
    if (device == TS_DEVICE_NONE || device == TS_DEVICE_LOCAL)
        return ts_tile_refuse(reply, TS_CONTRACT, "store to unmapped address 0x%08x", address);
    if (device == TS_DEVICE_IRAM)
        return for_fetches(reply, "store to", address);
    // A store to Dst writes one element, as wide as the format of the view.
    if (size != 4 && device != TS_DEVICE_DST)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "store of %u bytes to 0x%08x (%s): registers take words", size,
                              address, device_names[device]);
    switch (device) {
    case TS_DEVICE_CONTROL:
        reply->delay = contend(self, device, core, now);
        return ts_control_store(self, address & 0xfff, words[0], now, reply);
    case TS_DEVICE_PIC:
        reply->delay = contend(self, device, core, now);
        return ts_pic_store(self, address & 0xfff, words[0], now, reply);
    case TS_DEVICE_PCBUF0:
    case TS_DEVICE_PCBUF1:
    case TS_DEVICE_PCBUF2:
        return sync_store(self, core, device - TS_DEVICE_PCBUF0, address, words[0], now, reply);
    case TS_DEVICE_MAILBOX: {
        enum ts_rv_answer answer = ts_mail_store(&self->queues, core, address, words[0], now,
                                                 reply);
        if (answer == TS_RV_DONE && ts_is_trisc(core))
            ts_tile_mailed(self, core, address >> 12 & 3, now);
        if (__builtin_expect(self->follow != NULL, 0) && answer == TS_RV_DONE)
            self->follow->mail(self->follow->context, core, address >> 12 & 3, true);
        return answer;
    }
    default:
        break;
    }
    if (self->window[device].store == NULL)
        return nothing_there(reply, device, "store to", address);
    reply->delay = contend(self, device, core, now);
    // The overlay acknowledges a store as late as it would answer a load.
    if (device == TS_DEVICE_OVERLAY)
        reply->delay += self->config.params.load_mmio - 2;
    return self->window[device].store(self->window[device].context, core, address, size, words,
                                      count, now, reply);
}

// --perturb: the access must retry later.
static bool perturbed(struct ts_tile *self, unsigned core, bool store, ts_cycle now,
                      struct ts_rv_reply *reply)
{
    struct ts_perturb *perturb = &self->perturb[core + (store ? TS_RV_CORES : 0)];
    if (perturb->max == 0 || !ts_perturb_holds(perturb, now))
        return false;
    reply->reason = TS_STALL_EVENT;
    reply->object = &self->cores[core].poll;
    reply->until = perturb->until;
    return true;
}

static enum ts_rv_answer bus_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_tile *self = context;
    if (__builtin_expect(!self->unusual, 1))
        return ts_tile_load(context, core, address, size, now, reply);
    if (perturbed(self, core, false, now, reply))
        return TS_RV_WAIT;
    enum ts_rv_answer answer = ts_tile_load(context, core, address, size, now, reply);
    if (answer == TS_RV_DONE)
        ts_perturb_passed(&self->perturb[core]);
    if (answer == TS_RV_DONE && self->check)
        ts_tile_ordered_load(self, core, address, reply->value, now + reply->delay);
    if (self->config.perturb_max)
        reply->settled = false; // the next one is delayed at random
    return answer;
}

static enum ts_rv_answer bus_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_tile *self = context;
    if (__builtin_expect(!self->unusual, 1)) {
        if (address == TS_RV_PUSH_BASE && size == 4) // nothing shared on its path
            return ts_push_store(self, core, address, size, words, count, now, reply);
        return ts_tile_store(context, core, address, size, words, count, now, reply);
    }
    if (perturbed(self, core, true, now, reply))
        return TS_RV_WAIT;
    unsigned held = 0; // before the store, which may let them go
    for (unsigned other = 0; other < TS_RV_CORES; other++)
        held |= (unsigned)self->cores[other].held << other;
    enum ts_rv_answer answer = ts_tile_store(context, core, address, size, words, count, now,
                                             reply);
    if (answer == TS_RV_DONE)
        ts_perturb_passed(&self->perturb[core + TS_RV_CORES]);
    if (answer == TS_RV_DONE && self->check)
        ts_tile_ordered_store(self, core, address, words, count, held, now);
    if (self->config.perturb_max)
        reply->settled = false; // the next one is delayed at random
    return answer;
}

static uint32_t bus_status(void *context, unsigned core, unsigned which, ts_cycle reached,
                           ts_cycle now)
{
    return ts_tile_status(context, core, which, reached, now);
}

static void bus_returned(void *context, unsigned core, ts_cycle now)
{
    (void)core;
    ts_pic_poll(context, now);
}

const struct ts_rv_bus_ops ts_tile_bus_ops = {bus_load,     bus_store,     bus_status,
                                              bus_returned, ts_tile_stale, ts_tile_guarded};
