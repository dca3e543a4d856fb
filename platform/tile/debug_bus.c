// The debug bus, the debug array and reads of backend configuration (control.h).
#include "platform/tile/tile.h"

enum {
    L1_MEM_REG0 = 0x048,
    L1_MEM_REG1 = 0x04c,
    L1_MEM_REG2 = 0x050,
    DBG_BUS_CTRL = 0x054,
    CREG_READ = 0x058,
    DBG_RD_DATA = 0x05c,
    ARRAY_RD_EN = 0x060,
    ARRAY_RD_CMD = 0x064,
    ARRAY_RD_DATA = 0x06c,
    CREG_RDDATA = 0x078,
};

// Fields of DBG_BUS_CTRL.
#define SIGNAL       0xffffu
#define DAISY_SHIFT  16
#define WORD_SHIFT   25
#define ENABLED      (1u << 29)
#define BUS_RESERVED 0xd9000000u
// Fields of DBG_L1_MEM_REG2, its modes, and where the bus writes.
#define L1_MODE     15u
#define L1_TRIGGER  (1u << 12)
#define L1_RESERVED 0xffffe000u
#define L1_SAME     0u
#define L1_FOLLOWS  1u // the next write goes to the 16 bytes behind
#define L1_PREPARE  15u
#define L1_END      0x100000u
// Fields of DBG_ARRAY_RD_CMD, and the array that is Dst.
#define ARRAY_ROW     0xfffu
#define ARRAY_PART    12
#define ARRAY_ID      16
#define ARRAY_DST     2
#define CREG_INDEX    0x7ffu
#define CORES_DAISY   7
#define COUNTER_DAISY 6
#define ROWS_DAISY    3
#define ROWS_SIGNAL   2 // and the two behind it
#define ROWS_SIGNALS  3
#define PC_MASK       0x3fffffffu

// The signal whose word 1 has the pc of a core.
static const uint8_t pc_signal[TS_RV_CORES] = {11, 13, 15, 17, 25};

// Puts a field into words that are zero there, of which there are `count`.
static void put(uint32_t *words, unsigned count, unsigned bit, uint32_t value)
{
    uint64_t wide = (uint64_t)value << bit % 32;
    words[bit / 32] |= (uint32_t)wide;
    if (bit / 32 + 1 < count)
        words[bit / 32 + 1] |= (uint32_t)(wide >> 32);
}

// X and its carriage return, then the same of Y, Z and W: the first bit of each.
static const uint8_t counter_bits[TS_ADC_DIMS][2] = {{0, 18}, {64, 80}, {96, 104}, {112, 120}};

static void counters(const struct ts_tile *tile, uint32_t signal, uint32_t words[4])
{
    const uint32_t group = signal / 2, thread = group == TS_ADC_PACK ? 2 : 0;
    const struct ts_adc_channel *channel =
        &tile->tensix.adcs.set[thread][group].channel[signal % 2];
    for (unsigned dim = 0; dim < TS_ADC_DIMS; dim++) {
        put(words, 4, counter_bits[dim][0], channel->v[dim]);
        put(words, 4, counter_bits[dim][1], channel->cr[dim]);
    }
}

// Row counters: the first bits of SrcA and its carriage return, of SrcB's, of Dst's, of the fidelity
// phase, by thread, counted from signal ROWS_SIGNAL on. A signal has 128 bits.
static const uint16_t row_bits[TS_THREADS][7] = {
    {0, 10, 60, 70, 120, 130, 316},
    {24, 30, 84, 90, 140, 150, 318},
    {40, 50, 100, 110, 160, 170, 320},
};

static void rows(struct ts_tile *tile, uint32_t signal, uint32_t words[4], ts_cycle now)
{
    uint32_t all[4 * ROWS_SIGNALS] = {0};
    for (unsigned thread = 0; thread < TS_THREADS; thread++) {
        const struct ts_rwc *at = ts_tensix_rwc(&tile->tensix, thread, now);
        const uint16_t value[] = {at->srca, at->srca_cr, at->srcb,    at->srcb_cr,
                                  at->dst,  at->dst_cr,  at->fidelity};
        for (unsigned i = 0; i < 7; i++)
            put(all, 4 * ROWS_SIGNALS, row_bits[thread][i], value[i]);
    }
    memcpy(words, all + 4 * (signal - ROWS_SIGNAL), 16);
}

// All 128 bits of the selected signal; false: not modelled.
static bool whole(struct ts_tile *tile, uint32_t words[4], ts_cycle now)
{
    const uint32_t control = tile->control.bus.control, signal = control & SIGNAL,
                   daisy = control >> DAISY_SHIFT & 0xff;
    memset(words, 0, 16);
    if (daisy == COUNTER_DAISY && signal < 2 * TS_ADC_GROUPS)
        counters(tile, signal, words);
    else if (daisy == ROWS_DAISY && signal - ROWS_SIGNAL < ROWS_SIGNALS)
        rows(tile, signal, words, now);
    else
        return false;
    return true;
}

static enum ts_rv_answer signal_load(struct ts_tile *tile, ts_cycle now, struct ts_rv_reply *reply)
{
    const uint32_t control = tile->control.bus.control, signal = control & SIGNAL,
                   daisy = control >> DAISY_SHIFT & 0xff, word = control >> WORD_SHIFT & 3;
    if (!(control & ENABLED))
        return ts_tile_refuse(
            reply, TS_CONTRACT,
            "load from the debug bus, which is not enabled (bit 29 of DBG_BUS_CTRL)");
    uint32_t words[4];
    if (whole(tile, words, now)) {
        reply->value = words[word];
        return TS_RV_DONE;
    }
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        if (daisy == CORES_DAISY && signal == pc_signal[core] && word == 1) {
            ts_rv_debug_attach(&tile->cores[core], now);
            reply->value = ts_rv_debug_pc(&tile->cores[core]) & PC_MASK;
            return TS_RV_DONE;
        }
    return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                          "debug bus: word %u of signal %u, daisy chain %u", word, signal, daisy);
}

static enum ts_rv_answer array_load(struct ts_tile *tile, ts_cycle now, struct ts_rv_reply *reply)
{
    const uint32_t command = tile->control.bus.array_command, row = command & ARRAY_ROW,
                   part = command >> ARRAY_PART & 15, array = command >> ARRAY_ID;
    if (!(tile->control.bus.array_enable & 1))
        return ts_tile_refuse(reply, TS_CONTRACT,
                              "load from the debug array, which is not enabled (DBG_ARRAY_RD_EN)");
    if (array != ARRAY_DST)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "debug array %u (command 0x%x): only that of Dst, 2, is specified; "
                              "MOVDBGA2D moves rows of SrcA there",
                              array, command);
    if (row >= TS_DST_ROWS || part >= TS_DST_COLS / 2)
        return ts_tile_refuse(reply, TS_CONTRACT, "debug array: no word %u of row %u of Dst", part,
                              row);
    const struct ts_dst *dst = ts_files_dst(&tile->files, now);
    reply->value = dst->bits[row][2 * part] | (uint32_t)dst->bits[row][2 * part + 1] << 16;
    return TS_RV_DONE;
}

bool ts_debug_bus_has(uint32_t offset)
{
    return (offset >= L1_MEM_REG0 && offset <= ARRAY_RD_CMD) || offset == ARRAY_RD_DATA ||
           offset == CREG_RDDATA;
}

enum ts_rv_answer ts_debug_bus_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    const struct ts_debug_bus *self = &tile->control.bus;
    switch (offset) {
    case DBG_RD_DATA:
        return signal_load(tile, now, reply);
    case ARRAY_RD_DATA:
        return array_load(tile, now, reply);
    case L1_MEM_REG0:
    case L1_MEM_REG1:
    case L1_MEM_REG2:
        reply->value = self->l1[(offset - L1_MEM_REG0) / 4];
        break;
    case DBG_BUS_CTRL:
        reply->value = self->control;
        break;
    case CREG_READ:
        reply->value = self->config_index;
        break;
    case CREG_RDDATA:
        reply->value = self->config_value;
        break;
    case ARRAY_RD_EN:
        reply->value = self->array_enable;
        break;
    default:
        reply->value = self->array_command;
        break;
    }
    return TS_RV_DONE;
}

// DBG_L1_MEM_REG2: a trigger writes the selected signal to L1.
static enum ts_rv_answer l1_control(struct ts_tile *tile, uint32_t value, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_debug_bus *self = &tile->control.bus;
    const uint32_t mode = value & L1_MODE, before = self->l1[2];
    if (value & L1_RESERVED || (mode != L1_SAME && mode != L1_FOLLOWS && mode != L1_PREPARE))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "DBG_L1_MEM_REG2 0x%x: only single writes of the debug bus (modes 0, "
                              "1 and 15) are modelled",
                              value);
    self->l1[2] = value;
    if (mode == L1_PREPARE)
        return TS_RV_DONE;
    if (mode == L1_FOLLOWS && before & ~value & L1_TRIGGER)
        self->l1_next++;
    if (!(value & ~before & L1_TRIGGER))
        return TS_RV_DONE;
    uint32_t words[4];
    if (!(self->control & ENABLED) || self->l1_next >= L1_END / 16)
        return ts_tile_refuse(reply, TS_CONTRACT,
                              "write of the debug bus to L1 at 0x%x: needs bit 29 of DBG_BUS_CTRL "
                              "and the first MiB",
                              self->l1_next * 16);
    if (!whole(tile, words, now))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "debug bus: all of signal %u, daisy chain %u, for L1",
                              self->control & SIGNAL, self->control >> DAISY_SHIFT & 0xff);
    ts_l1_write(&tile->l1, self->l1_next * 16, words, 16, now);
    return TS_RV_DONE;
}

enum ts_rv_answer ts_debug_bus_store(struct ts_tile *tile, uint32_t offset, uint32_t value,
                                     ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_debug_bus *self = &tile->control.bus;
    switch (offset) {
    case L1_MEM_REG2:
        return l1_control(tile, value, now, reply);
    case L1_MEM_REG0:
        if ((self->l1[2] & L1_MODE) == L1_PREPARE)
            self->l1_next = value;
        self->l1[0] = value;
        break;
    case L1_MEM_REG1:
        self->l1[1] = value;
        break;
    case DBG_BUS_CTRL:
        if (value & BUS_RESERVED)
            return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                                  "reserved bits of DBG_BUS_CTRL in 0x%08x", value);
        self->control = value;
        break;
    case CREG_READ:
        self->config_index = value;
        if (!ts_cfg_unit_external_read(&tile->cfg, value & CREG_INDEX, &self->config_value, now))
            return ts_tile_refuse(reply, TS_CONTRACT, "no configuration register %u",
                                  value & CREG_INDEX);
        break;
    case ARRAY_RD_EN:
        self->array_enable = value;
        break;
    case ARRAY_RD_CMD:
        self->array_command = value;
        break;
    default:
        break; // discarded: software orders its accesses with such stores
    }
    return TS_RV_DONE;
}
