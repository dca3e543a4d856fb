// An Ethernet tile without its cores: L1 with what the base firmware leaves there, the status of a link that is down, and the
// few words that hosts exchange with that firmware.
//
// Source: tt-metal blackhole eth_fw_api.h and dev_msgs.h (places of the words), tt-umd.
// Inaccuracies: no core runs here. Firmware that the host loads and releases is not executed; its start-up message is
// answered. A kernel that the host launches is refused by name. All links are down: queues, MAC and PCS are not modelled.
#include "platform/ttsim/device.h"

#include <string.h>

#define HEARTBEAT  0x7cc70u
#define GO_MESSAGE 0x590u // of tt-metal's firmware: the signal is its top byte
#define GO_INIT    0x40u
#define GO_LAUNCH  0x80u
#define MAILBOXES  0x7d000u // four, 16 bytes each
#define CALL       0xca110000u
#define DONE       0xd0e50000u
#define RELEASE    2u // the call that starts a core

// What the base firmware has written when its start is over.
static const struct {
    uint32_t address;
    uint32_t word;
} words[] = {
    {0x7cc00, 0xc0dea000}, // its start has passed
    {0x7cc04, 2},          // the port is down
    {0x7cfbc, 0x00010600}, // version 1.6.0
};

// Registers that keep what the host writes.
static const struct {
    uint32_t address, reset;
} registers[TS_ETH_REGISTERS] = {
    {0xffb121b0, 1u << 11 | 1u << 12}, // soft reset: both cores are held
    {0xffb14000, 0},                   // where core 0 starts
    {0xffb14008, 0},                   // where core 1 starts
};

void ts_eth_reset(struct ts_eth_site *self)
{
    memset(self->l1, 0, TS_ETH_L1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        memcpy(self->l1 + words[i].address, &words[i].word, 4);
    for (size_t i = 0; i < TS_ETH_REGISTERS; i++)
        self->registers[i] = registers[i].reset;
}

// --- words with a meaning ---

static uint32_t word_at(const struct ts_eth_site *self, uint32_t address)
{
    uint32_t word;
    memcpy(&word, self->l1 + address, 4);
    return word;
}

static void set_word(struct ts_eth_site *self, uint32_t address, uint32_t word)
{
    memcpy(self->l1 + address, &word, 4);
}

// The firmware takes a call that starts a core: without cores there is nothing to start.
static const char *mailbox(struct ts_eth_site *self, uint32_t address)
{
    uint32_t word = word_at(self, address);
    if (word != (CALL | RELEASE))
        return word >> 16 == CALL >> 16
                   ? ts_card_absent(self->card, "call 0x%x to the firmware of an Ethernet tile",
                                    word)
                   : NULL;
    set_word(self, address, DONE | RELEASE);
    memset(self->l1 + address + 4, 0, 12);
    return NULL;
}

// A message to start up is done at once.
static const char *go_message(struct ts_eth_site *self, uint32_t address)
{
    uint32_t word = word_at(self, address);
    if (word >> 24 == GO_INIT)
        set_word(self, address, word & 0x00ffffff);
    return word >> 24 == GO_LAUNCH
               ? ts_card_absent(self->card, "kernels on Ethernet tiles (launch on %u-%u)",
                                self->at.x, self->at.y)
               : NULL;
}

static const struct {
    uint32_t address;
    const char *(*written)(struct ts_eth_site *self, uint32_t address);
} hooks[] = {
    {GO_MESSAGE, go_message},    {MAILBOXES, mailbox},        {MAILBOXES + 0x10, mailbox},
    {MAILBOXES + 0x20, mailbox}, {MAILBOXES + 0x30, mailbox},
};

static const char *write_l1(struct ts_eth_site *self, uint32_t address, const void *bytes,
                            uint32_t length)
{
    memcpy(self->l1 + address, bytes, length);
    const char *why = NULL;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks && why == NULL; i++)
        if (hooks[i].address + 4 > address && hooks[i].address < address + length)
            why = hooks[i].written(self, hooks[i].address);
    return why;
}

static void read_l1(struct ts_eth_site *self, uint32_t address, void *bytes, uint32_t length)
{
    if (address < HEARTBEAT + 4 && address + length > HEARTBEAT) // it changes from look to look
        set_word(self, HEARTBEAT, ++self->heartbeat);
    memcpy(bytes, self->l1 + address, length);
}

// --- registers ---

static const char *access_register(struct ts_eth_site *self, uint64_t address, void *read,
                                   const void *write, uint32_t length)
{
    if (length != 4 || address % 4)
        return "outside L1 only aligned words";
    if (address >= 0xffb20000 && address <= 0xffb3ffff)
        return ts_niu_access(self->card, self->at, address >= 0xffb30000, address & 0xffff, read,
                             length);
    for (size_t i = 0; i < TS_ETH_REGISTERS; i++) {
        if (registers[i].address != address)
            continue;
        uint32_t *at = &self->registers[i];
        if (read)
            memcpy(read, at, 4);
        else
            memcpy(at, write, 4);
        return NULL;
    }
    return ts_card_absent(self->card, "register 0x%llx of Ethernet tiles",
                          (unsigned long long)address);
}

static const char *read_tile(void *context, uint64_t address, void *bytes, uint32_t length,
                             uint64_t cycle)
{
    (void)cycle;
    if (address >= TS_ETH_L1 || length > TS_ETH_L1 - address)
        return access_register(context, address, bytes, NULL, length);
    read_l1(context, (uint32_t)address, bytes, length);
    return NULL;
}

static const char *write_tile(void *context, uint64_t address, const void *bytes, uint32_t length,
                              uint64_t cycle)
{
    (void)cycle;
    if (address >= TS_ETH_L1 || length > TS_ETH_L1 - address)
        return access_register(context, address, NULL, bytes, length);
    return write_l1(context, (uint32_t)address, bytes, length);
}

const struct tensim_device ts_eth_device = {.read = read_tile, .write = write_tile};
