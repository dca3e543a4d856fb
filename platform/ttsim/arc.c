// The ARC tile as drivers see it: boot status, telemetry, message queues. Its firmware is not executed: a message is
// answered when the host rings.
//
//   0x10000000  CSM: telemetry table and values, queue control block, queues
//   0x80030000  reset unit: scratch, scratch RAM, misc control (bit 16 rings)
//   0x80050000  NoC 0, 0x80058000  NoC 1: registers of the network interfaces
//   0x800b0000  a write rings
//
// Wormhole has CSM at 0x810000000 and the registers from 0x880000000 on, says in the reset unit (0x301d0, 0x301d4) where table
// and values are, and takes one message at a time: code in scratch 5, answer in scratch 3.
//
// Source: tt-kmd blackhole.c, telemetry.h; tt-zephyr-platforms, telemetry and msgqueue. Wormhole: tt-umd
// wormhole_tt_device.cpp, wormhole_arc_messenger.cpp; ttsim 1.10.0 src/tile.cpp.
// Inaccuracies: temperatures and firmware versions are constants; power messages have no effect.
#include "platform/ttsim/device.h"

#define CSM     0x10000000u // as the firmware sees it
#define TABLE   0x100u      // in CSM
#define VALUES  0x200u
#define CONTROL 0x300u
#define QUEUES  0x400u
#define COUNT   4u // queues
#define ENTRIES 8u
#define ENTRY   32u
#define HEADER  32u
#define STRIDE  (HEADER + 2 * ENTRIES * ENTRY)
#define RING    (1u << 16)
#define BUNDLE  (49 * 4) // in CSM: version of the firmware bundle, for hosts of Wormhole

// --- telemetry ---

struct tag {
    uint16_t tag;
    uint32_t value;
    const char *name;
};

#define AICLK 1350u // MHz, that of chip.clock_mhz
static const struct tag blackhole[] = {
#define TS_TELEMETRY(tag, value, name) {tag, value, name},
#include "config/telemetry.def"
};
static const struct tag wormhole[] = {
#define TS_TELEMETRY(tag, value, name) {tag, value, name},
#include "config/wormhole/telemetry.def"
};

// By machine.
static const struct {
    const struct tag *tags;
    uint32_t count, clock; // MHz
    uint64_t csm;          // at the tile
    uint32_t bundle,
        post;    // where hosts of Wormhole look for the version and the firmware's post code
    bool queues; // of messages
} kinds[TS_MACHINES] = {
    {blackhole, sizeof blackhole / sizeof *blackhole, AICLK, CSM, 0, 0, true},
    {wormhole, sizeof wormhole / sizeof *wormhole, 1000, 0x810000000, 0x12040000, 0xc0de0001,
     false},
};
#define HEARTBEAT 32

static void put(struct ts_arc *self, uint32_t offset, uint32_t word)
{
    memcpy(self->csm + offset, &word, 4);
}

static uint32_t get(const struct ts_arc *self, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, self->csm + offset, 4);
    return word;
}

// What differs from card to card.
static uint32_t of_card(const struct ts_card *card, uint32_t tag, uint32_t value)
{
    const struct ts_identity *is = &card->identity;
    return tag == 1                ? is->board_high
           : tag == 2              ? is->board_low
           : tag == 52             ? is->place
           : tag == 62 || tag == 3 ? is->asic
                                   : value;
}

void ts_arc_reset(struct ts_arc *self)
{
    const struct tag *tags = kinds[self->card->machine].tags;
    const uint32_t count = kinds[self->card->machine].count;
    memset(self->csm, 0, TS_ARC_CSM);
    put(self, BUNDLE, kinds[self->card->machine].bundle);
    put(self, TABLE, 1); // version
    put(self, TABLE + 4, count);
    for (uint32_t i = 0; i < count; i++) {
        put(self, TABLE + 8 + 4 * i, tags[i].tag | i << 16);
        put(self, VALUES + 4 * i, of_card(self->card, tags[i].tag, tags[i].value));
    }
    self->scratch[0] = kinds[self->card->machine].post;
    self->pointers[0] = CSM + TABLE;
    self->pointers[1] = CSM + VALUES;
    put(self, CONTROL, CSM + QUEUES);
    put(self, CONTROL + 4, ENTRIES | COUNT << 8);
    self->scratch_ram[2] = 5; // started, takes messages
    self->scratch_ram[11] = CSM + CONTROL;
    self->scratch_ram[12] = CSM + VALUES;
    self->scratch_ram[13] = CSM + TABLE;
}

// The heartbeat counts seconds of simulated time in tenths, as the firmware's timer.
static void beat(struct ts_arc *self, uint64_t cycle)
{
    const uint32_t machine = self->card->machine;
    for (uint32_t i = 0; i < kinds[machine].count; i++)
        if (kinds[machine].tags[i].tag == HEARTBEAT)
            put(self, VALUES + 4 * i,
                kinds[machine].tags[i].value +
                    (uint32_t)(cycle / (kinds[machine].clock * 100000ull)));
}

// --- messages ---

// Those that the firmware answers with one word; what they set is not modelled.
static const struct {
    uint8_t code;
    uint8_t machines; // a bit of each
    uint16_t answer;
    const char *name;
} messages[] = {
    {0x11, 3, 0, "nop"},
    {0x21, 3, 0, "power setting"},
    {0x2c, 2, 0, "address of the old telemetry"},
    {0x34, 2, 1000, "AI clock"},
    {0x51, 3, 0, "PCIe index"},
    {0x52, 3, 0, "go busy"},
    {0x53, 3, 0, "go short idle"},
    {0x54, 3, 0, "go long idle"},
    {0x56, 3, 0, "trigger reset"},
    {0x57, 3, 0, "get harvesting"},
    {0x58, 3, 1, "training of Ethernet and DRAM"},
    {0x90, 3, 0, "test"},
    {0xa0, 3, 0, "ASIC state 0"},
    {0xa3, 3, 0, "ASIC state 3"},
    {0xb6, 3, 0, "toggle GDDR reset; of Wormhole retrain PCIe"},
    {0xb7, 3, 0, "date"},
    {0xba, 3, 0, "deassert RISC-V reset"},
    {0xbc, 3, 0, "auto reset timeout"},
    {0xc1, 3, 0, "watchdog timeout"},
    {0xc7, 1, 0, "PCIe log"},
};

#define GET_HARVESTING 0x57

// Rows of Wormhole that are off, a bit each in the order of the die.
static uint32_t rows_off(const struct ts_soc *soc)
{
    static const uint8_t rows[] = {11, 1, 10, 2, 9, 3, 8, 4, 7, 5};
    uint32_t off = 0;
    for (uint32_t i = 0; soc->from_16 && i < sizeof rows; i++)
        for (uint32_t x = 0; x < soc->width; x++)
            off |= (uint32_t)(soc->node[rows[i]][x] == TS_NOC_NODE_HARVESTED) << i;
    return off;
}

// Of the message: its answer.
static const char *answer(struct ts_arc *self, uint32_t code, uint32_t *word)
{
    code &= 0xff;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (messages[i].code == code && messages[i].machines >> self->card->machine & 1) {
            *word = code == GET_HARVESTING ? rows_off(&self->card->chip->soc) : messages[i].answer;
            return NULL;
        }
    return ts_card_absent(self->card, "message 0x%x to the ARC", code);
}

// Pointers count to twice the entries, so that a full queue is not an empty one.
static const char *drain(struct ts_arc *self, uint32_t queue)
{
    uint32_t written = get(self, queue), read = get(self, queue + 0x10);
    uint32_t answered = get(self, queue + 0x14);
    uint32_t waiting = (written - read) % (2 * ENTRIES);
    if (waiting > ENTRIES)
        return "a message queue of the ARC holds more than its 8 entries";
    for (; waiting > 0; waiting--) {
        const uint32_t response = queue + HEADER + (ENTRIES + answered % ENTRIES) * ENTRY;
        uint32_t word;
        const char *why = answer(self, get(self, queue + HEADER + read % ENTRIES * ENTRY), &word);
        if (why)
            return why;
        memset(self->csm + response, 0, ENTRY);
        put(self, response, word);
        read = (read + 1) % (2 * ENTRIES);
        answered = (answered + 1) % (2 * ENTRIES);
    }
    put(self, queue + 0x10, read);
    put(self, queue + 0x14, answered);
    return NULL;
}

// Wormhole: a message in scratch registers.
static const char *take(struct ts_arc *self)
{
    const char *why = answer(self, self->scratch[5], &self->scratch[3]);
    self->scratch[5] &= 0xff; // exit code 0, and which one is done
    return why;
}

static const char *ring(struct ts_arc *self)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *why = drain(self, QUEUES + i * STRIDE);
        if (why)
            return why;
    }
    return NULL;
}

// --- registers ---

enum kind { SCRATCH, MISC, SCRATCH_RAM, POINTERS, NIU, BELL };

static const struct {
    uint8_t machine, noc;
    enum kind kind;
    uint64_t first, last;
} registers[] = {
    {0, 0, SCRATCH, 0x80030060, 0x8003007f},     {0, 0, MISC, 0x80030100, 0x80030103},
    {0, 0, SCRATCH_RAM, 0x80030400, 0x8003043f}, {0, 0, NIU, 0x80050000, 0x80057fff},
    {0, 1, NIU, 0x80058000, 0x8005ffff},         {0, 0, BELL, 0x800b0000, 0x800b0fff},
    {1, 0, SCRATCH, 0x880030060, 0x88003007f},   {1, 0, MISC, 0x880030100, 0x880030103},
    {1, 0, POINTERS, 0x8800301d0, 0x8800301db},  {1, 0, NIU, 0x880050000, 0x880057fff},
    {1, 1, NIU, 0x880058000, 0x88005ffff},       {1, 0, NIU, 0xfffb20000, 0xfffb2ffff},
    {1, 1, NIU, 0xfffb30000, 0xfffb3ffff},
};

static const char *store(uint32_t *at, void *read, const void *write)
{
    if (read)
        memcpy(read, at, 4);
    else
        memcpy(at, write, 4);
    return NULL;
}

static const char *misc(struct ts_arc *self, void *read, const void *write)
{
    store(&self->misc, read, write);
    if (read || !(self->misc & RING))
        return NULL;
    self->misc &= ~RING;
    return kinds[self->card->machine].queues ? ring(self) : take(self);
}

static const char *access_register(struct ts_arc *self, uint64_t address, void *read,
                                   const void *write, uint32_t length)
{
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        const uint64_t at = address - registers[i].first;
        if (registers[i].machine != self->card->machine || address < registers[i].first ||
            address > registers[i].last)
            continue;
        if (length != 4 || address % 4)
            return "registers of the ARC take aligned words";
        switch (registers[i].kind) {
        case SCRATCH:
            return store(&self->scratch[at / 4], read, write);
        case SCRATCH_RAM:
            return store(&self->scratch_ram[at / 4], read, write);
        case POINTERS:
            return read ? store(&self->pointers[at / 4], read, NULL)
                        : ts_card_absent(self->card, "writes to the ARC's register 0x%llx",
                                         (unsigned long long)address);
        case MISC:
            return misc(self, read, write);
        case NIU:
            return ts_niu_access(self->card, self->card->arc_at, registers[i].noc, at, read,
                                 length);
        case BELL:
            return read ? ts_card_absent(self->card, "reads of the ARC's message interrupt")
                        : ring(self);
        }
    }
    return ts_card_absent(self->card, "address 0x%llx of the ARC", (unsigned long long)address);
}

static const char *access_tile(struct ts_arc *self, uint64_t address, void *read, const void *write,
                               uint32_t length, uint64_t cycle)
{
    const uint64_t from = address - kinds[self->card->machine].csm;
    if (from < TS_ARC_CSM && length <= TS_ARC_CSM - from) {
        uint8_t *at = self->csm + from;
        if (write)
            memcpy(at, write, length);
        if (read == NULL)
            return NULL;
        beat(self, cycle);
        memcpy(read, at, length);
        return NULL;
    }
    return access_register(self, address, read, write, length);
}

static const char *read_tile(void *context, uint64_t address, void *bytes, uint32_t length,
                             uint64_t cycle)
{
    return access_tile(context, address, bytes, NULL, length, cycle);
}

static const char *write_tile(void *context, uint64_t address, const void *bytes, uint32_t length,
                              uint64_t cycle)
{
    return access_tile(context, address, NULL, bytes, length, cycle);
}

const struct tensim_device ts_arc_device = {.read = read_tile, .write = write_tile};
