// The ARC tile as drivers see it: boot status, telemetry, message queues. Its firmware is not executed: a message is
// answered when the host rings.
//
//   0x10000000  CSM: telemetry table and values, queue control block, queues
//   0x80030000  reset unit: scratch, scratch RAM, misc control (bit 16 rings)
//   0x80050000  NoC 0, 0x80058000  NoC 1: registers of the network interfaces
//   0x800b0000  a write rings
//
// Source: tt-kmd blackhole.c, telemetry.h; tt-zephyr-platforms, telemetry and msgqueue.
// Inaccuracies: temperatures and firmware versions are constants; power messages have no effect.
#include "platform/ttsim/device.h"

#include <string.h>

#define CSM     0x10000000u
#define APB     0x80000000u
#define TABLE   0x100u // in CSM
#define VALUES  0x200u
#define CONTROL 0x300u
#define QUEUES  0x400u
#define COUNT   4u // queues
#define ENTRIES 8u
#define ENTRY   32u
#define HEADER  32u
#define STRIDE  (HEADER + 2 * ENTRIES * ENTRY)
#define RING    (1u << 16)
#define AICLK   1350u // MHz, that of chip.clock_mhz

// --- telemetry ---

static const struct {
    uint16_t tag;
    uint32_t value;
    const char *name;
} telemetry[] = {
#define TS_TELEMETRY(tag, value, name) {tag, value, name},
#include "config/telemetry.def"
};

#define TAGS      (sizeof telemetry / sizeof *telemetry)
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
    memset(self->csm, 0, TS_ARC_CSM);
    put(self, TABLE, 1); // version
    put(self, TABLE + 4, TAGS);
    for (uint32_t i = 0; i < TAGS; i++) {
        put(self, TABLE + 8 + 4 * i, telemetry[i].tag | i << 16);
        put(self, VALUES + 4 * i, of_card(self->card, telemetry[i].tag, telemetry[i].value));
    }
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
    for (uint32_t i = 0; i < TAGS; i++)
        if (telemetry[i].tag == HEARTBEAT)
            put(self, VALUES + 4 * i, telemetry[i].value + (uint32_t)(cycle / (AICLK * 100000ull)));
}

// --- messages ---

// Those that the firmware answers with one word; what they set is not modelled.
static const struct {
    uint8_t code;
    uint8_t answer;
    const char *name;
} messages[] = {
    {0x11, 0, "nop"},
    {0x21, 0, "power setting"},
    {0x51, 0, "PCIe index"},
    {0x52, 0, "go busy"},
    {0x53, 0, "go short idle"},
    {0x54, 0, "go long idle"},
    {0x56, 0, "trigger reset"},
    {0x57, 0, "get harvesting"},
    {0x58, 1, "training of Ethernet and DRAM"},
    {0x90, 0, "test"},
    {0xa0, 0, "ASIC state 0"},
    {0xa3, 0, "ASIC state 3"},
    {0xb6, 0, "toggle GDDR reset"},
    {0xb7, 0, "date"},
    {0xba, 0, "deassert RISC-V reset"},
    {0xbc, 0, "auto reset timeout"},
    {0xc1, 0, "watchdog timeout"},
    {0xc7, 0, "PCIe log"},
};

static const char *answer(struct ts_arc *self, uint32_t request, uint32_t response)
{
    uint32_t code = get(self, request) & 0xff;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (messages[i].code == code) {
            memset(self->csm + response, 0, ENTRY);
            put(self, response, messages[i].answer);
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
        const char *why = answer(self, queue + HEADER + read % ENTRIES * ENTRY,
                                 queue + HEADER + (ENTRIES + answered % ENTRIES) * ENTRY);
        if (why)
            return why;
        read = (read + 1) % (2 * ENTRIES);
        answered = (answered + 1) % (2 * ENTRIES);
    }
    put(self, queue + 0x10, read);
    put(self, queue + 0x14, answered);
    return NULL;
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

enum kind { SCRATCH, MISC, SCRATCH_RAM, NIU, BELL };

static const struct {
    uint32_t first, last;
    enum kind kind;
    uint32_t noc;
} registers[] = {
    {0x30060, 0x3007f, SCRATCH, 0}, {0x30100, 0x30103, MISC, 0}, {0x30400, 0x3043f, SCRATCH_RAM, 0},
    {0x50000, 0x57fff, NIU, 0},     {0x58000, 0x5ffff, NIU, 1},  {0xb0000, 0xb0fff, BELL, 0},
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
    return ring(self);
}

static const char *access_register(struct ts_arc *self, uint32_t offset, void *read,
                                   const void *write, uint32_t length)
{
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        uint32_t at = offset - registers[i].first;
        if (offset < registers[i].first || offset > registers[i].last)
            continue;
        if (length != 4 || offset % 4)
            return "registers of the ARC take aligned words";
        switch (registers[i].kind) {
        case SCRATCH:
            return store(&self->scratch[at / 4], read, write);
        case SCRATCH_RAM:
            return store(&self->scratch_ram[at / 4], read, write);
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
    return ts_card_absent(self->card, "register 0x%x of the ARC", APB + offset);
}

static const char *access_tile(struct ts_arc *self, uint64_t address, void *read, const void *write,
                               uint32_t length, uint64_t cycle)
{
    if (address >= CSM && address < CSM + TS_ARC_CSM && length <= CSM + TS_ARC_CSM - address) {
        uint8_t *at = self->csm + (address - CSM);
        if (write)
            memcpy(at, write, length);
        if (read == NULL)
            return NULL;
        beat(self, cycle);
        memcpy(read, at, length);
        return NULL;
    }
    if (address >= APB && address <= UINT32_MAX)
        return access_register(self, (uint32_t)address - APB, read, write, length);
    return ts_card_absent(self->card, "address 0x%llx of the ARC", (unsigned long long)address);
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
