// The tile on its two NoCs: its memory as the network sees it, the NIUs' registers as the cores see
// them, and their interrupts (tile.h).
//
// Source: tt-isa-documentation BlackholeA0/NoC/MemoryMap.md, Interrupts.md.
#include "platform/tile/bus_order.h"
#include "platform/tile/lints.h"
#include "platform/tile/names.h"
#include "platform/tile/nodes.h"
#include "platform/tile/windows.h"

#define NIU_BASE(noc) (TS_AT_NIUS + 0x10000u * (noc))

// --- the tile's memory, seen from the network ---

static const char *explain(const struct ts_error *error)
{
    switch (error->code) {
    case TS_NOT_IMPLEMENTED:
        return TS_NOC_ABSENT "this register of the tile";
    default:
        return "the tile refuses the access";
    }
}

// Reports an access to the local RAM of a core that is held in reset.
static void check_local(struct ts_tile *tile, uint32_t address, ts_cycle now)
{
    int core = ts_local_core(tile, address);
    if (core >= 0 && tile->control.soft_reset & ts_control_reset_bit(tile, (unsigned)core))
        ts_tile_lint(tile, TS_REPORT_LOCAL_RAM_RESET, TS_BY_NOC, TS_NO_PC, now, "0x%x, of %s",
                     address, ts_rv_core_names[core]);
}

static const char *read_tile(void *context, uint64_t address, void *bytes, uint32_t length,
                             ts_cycle now)
{
    struct ts_tile *tile = context;
    if (address < tile->l1_size && length <= tile->l1_size - address) {
        memcpy(bytes, tile->l1.bytes + address, length);
        return NULL;
    }
    struct ts_error error = {TS_OK, ""};
    check_local(tile, (uint32_t)address, now);
    return ts_tile_read(tile, (uint32_t)address, bytes, length, now, &error) ? NULL
                                                                             : explain(&error);
}

static const char *write_tile(void *context, uint64_t address, const void *bytes, uint32_t length,
                              ts_cycle now)
{
    struct ts_tile *tile = context;
    if (address < tile->l1_size && length <= tile->l1_size - address) {
        if (length <= TS_L1_LAST_BYTES)
            ts_words_arrive(tile, (uint32_t)address, bytes, length, now);
        ts_l1_write(&tile->l1, (uint32_t)address, bytes, length, now);
        ts_l1_note(&tile->l1, (uint32_t)address, length, TS_BY_NOC, tile->noc_writer, now);
        return NULL;
    }
    struct ts_error error = {TS_OK, ""};
    check_local(tile, (uint32_t)address, now);
    return ts_tile_write(tile, (uint32_t)address, bytes, length, now, &error) ? NULL
                                                                              : explain(&error);
}

static void sign_tile(void *context, struct ts_noc_xy from, ts_cycle issued)
{
    struct ts_tile *tile = context;
    tile->noc_issued = issued;
    tile->noc_writer = from.x | (uint32_t)from.y << 8;
}

// Only L1 has banks to wait for.
static ts_cycle begin_transfer(void *context, unsigned noc, bool write, uint64_t address,
                               uint32_t length, ts_cycle now)
{
    struct ts_tile *tile = context;
    if (address >= TS_L1_SIZE || !tile->tensix.banks)
        return now;
    const uint32_t flit = tile->noc_flit;
    return ts_l1_flow(tile->tensix.banks, (write ? TS_L1_NOC_IN : TS_L1_NOC_OUT) + noc,
                      (uint32_t)address, flit / TS_L1_GRANULE, (length + flit - 1) / flit, now,
                      tile->domain->now);
}

static const char *name_place(void *context, bool dram, uint64_t address, char *text, size_t size)
{
    return ts_tile_far_name(context, dram, address, text, size);
}

const struct ts_noc_memory ts_tile_memory = {.read = read_tile,
                                             .write = write_tile,
                                             .begin = begin_transfer,
                                             .name = name_place,
                                             .writer = sign_tile};

// --- the NIUs' registers, seen from the cores ---

static enum ts_rv_answer load(void *context, unsigned core, uint32_t address, unsigned size,
                              ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_noc_niu *niu = context;
    struct ts_error error = {TS_OK, ""};
    (void)core, (void)size;
    if (ts_noc_niu_load(niu, (address - NIU_BASE(niu->noc)) & ~3u, now, &reply->value, &error) !=
        TS_OK)
        return ts_tile_refuse(reply, error.code, "%.290s", error.text);
    reply->value >>= address % 4 * 8;
    reply->settled = true;
    reply->object = &niu->status;
    return TS_RV_DONE;
}

static enum ts_rv_answer store(void *context, unsigned core, uint32_t address, unsigned size,
                               const uint32_t *words, unsigned count, ts_cycle now,
                               struct ts_rv_reply *reply)
{
    struct ts_noc_niu *niu = context;
    struct ts_error error = {TS_OK, ""};
    const uint32_t offset = address - NIU_BASE(niu->noc), home = ts_noc_niu_home(niu, offset);
    (void)size;
    for (unsigned i = 0; i < count; i++) {
        if (ts_noc_niu_store(niu, offset, words[i], core, now, &error) != TS_OK)
            return ts_tile_refuse(reply, error.code, "%.290s", error.text);
        if (home % TS_NOC_BUF_STRIDE == 4 * TS_NOC_CMD_CTRL && words[i] & 1)
            ts_words_issued(niu->context, niu, home / TS_NOC_BUF_STRIDE, core, now);
    }
    return TS_RV_DONE;
}

// NoC 0 raises the tile's second hardware interrupt, NoC 1 its third.
static void interrupt(void *context, unsigned noc, bool raised, ts_cycle now)
{
    struct ts_tile *tile = context;
    tile->pic.hw[1 + noc] = raised;
    if (raised)
        ts_pic_poll(tile, now);
}

static struct ts_check_trip *issued(void *context, const struct ts_noc_niu *niu, unsigned core,
                                    const struct ts_noc_packet *request, uint32_t packets,
                                    ts_cycle now)
{
    struct ts_tile *tile = context;
    struct ts_check_trip *trip = tile->check
                                     ? ts_tile_issued(tile, niu, core, request, packets, now)
                                     : NULL;
    bool posted = request->kind == TS_NOC_ATOMIC && request->posted;
    bool borrows = request->vc_static && !request->broadcast &&
                   request->vc >> 1 == TS_NOC_CLASS_BROADCAST;
    if ((!posted && !borrows) || core >= TS_RV_CORES)
        return trip;
    struct ts_noc_xy to = ts_noc_mirror(niu->fabric, niu->noc, request->to);
    enum ts_report report = !posted              ? TS_REPORT_UNICAST_VC
                            : request->broadcast ? TS_REPORT_POSTED_MULTICAST
                                                 : TS_REPORT_POSTED_ATOMIC;
    const bool dram = niu->fabric->node[to.y][to.x] == TS_NOC_NODE_DRAM;
    char name[80];
    if (ts_tile_far_name(tile, dram, request->address, name, sizeof name) == NULL)
        snprintf(name, sizeof name, "0x%llx", (unsigned long long)request->address);
    ts_tile_lint(tile, report, TS_BY_CORE + core, ts_store_pc(tile, core), now,
                 "%s, NoC %u, to %s of %u-%u", ts_rv_core_names[core], niu->noc, name, to.x, to.y);
    return trip;
}

void ts_tile_join(struct ts_tile *self, struct ts_noc_niu niu[TS_NOC_COUNT])
{
    static const enum ts_device devices[TS_NOC_COUNT] = {TS_DEVICE_NOC0, TS_DEVICE_NOC1};
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        ts_tile_plug(self, devices[noc], &(struct ts_window){load, store, &niu[noc]});
        niu[noc].interrupt = interrupt;
        niu[noc].issued = issued;
        niu[noc].check = self->check;
        ts_perturb_init(&niu[noc].perturb, self->config.perturb_max, self->config.perturb_seed,
                        (uint64_t)(self->x | self->y << 8) << 8 | (56 + noc));
        if (self->holds)
            ts_perturb_only(&niu[noc].perturb, self->holds, ts_perturb_place(TS_PERTURB_NOC, noc),
                            self->x, self->y);
    }
}
