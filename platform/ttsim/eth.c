// What the card's own firmware does on an Ethernet tile, as hosts see it: words in L1 about the port, a heartbeat,
// mailboxes, and a table of functions that kernels may call. The tile itself, its two cores and its queues are those of
// libtensim; firmware and kernels that a host loads run on them.
//
//   0x7cc00  postcode, port, training   0x7cc70  heartbeat   0x7ce04  link up
//   0x7cf00  five functions             0x7cfbc  version     0x7cfc0, 0x7cfe0  this chip, the chip at the other end
//   0x7d000  four mailboxes of a word and three arguments: host, core 1, CMFW, other
//
// Source: tt-metal blackhole eth_fw_api.h, tt-umd blackhole_eth.hpp (places of the words), ttsim 1.10.0.
// Inaccuracies: this firmware is a model, none of its code is executed. It takes no time and no core: core 0 rests until a
// host starts it. The functions return at once. Of calls, "release core", the link check and the set-up of the dynamic NoC
// are answered. The heartbeat moves when the host reads it. A link that goes down later does not change the words. An Ethernet tile
// of Wormhole is its memory, its core does not start.
#include "cores/riscv/view.h"
#include "platform/ttsim/device.h"

#include <stdlib.h>
#include <string.h>

#define PORT        0x7cc04u
#define TRAINING    0x7cc08u
#define HEARTBEAT   0x7cc70u
#define LINK_UP     0x7ce04u
#define FUNCTIONS   0x7cf00u
#define RETURN_CODE 0x7cf20u // ret
#define REST_CODE   0x7cf24u // where core 0 is when a host's firmware has returned: a jump to itself
#define LOCAL       0x7cfc0u
#define REMOTE      0x7cfe0u
#define MAILBOXES   0x7d000u // four, 16 bytes each
#define MAILBOX_END 0x7d040u
#define CALL        0xca110000u
#define DONE        0xd0e50000u
#define SOFT_RESET  0xffb121b0u
#define START       0xffb14000u
#define CORE_0      (1u << 11)
#define STACK       0xffb02000u // at the end of a core's local memory

enum { LINK_CHECK = 1, RELEASE_CORE = 2, DYNAMIC_NOC = 0xf }; // calls

// --- after its start ---

static void put(struct ts_tile *tile, uint32_t address, uint32_t word)
{
    memcpy(tile->l1.bytes + address, &word, sizeof word);
}

// Who a chip is: place on its board, channel, board, ASIC.
static void put_chip(struct ts_tile *tile, uint32_t at, const struct ts_card *card,
                     uint32_t channel)
{
    put(tile, at, card->identity.place << 8 | channel << 16 | channel << 24);
    put(tile, at + 4, card->identity.board_high);
    put(tile, at + 8, card->identity.board_low);
    put(tile, at + 0x14, 0);
    put(tile, at + 0x18, card->identity.asic);
}

static void boot(const struct ts_card *self, const struct ts_card *cards, struct ts_tile *tile)
{
    static const uint32_t words[][2] = {
        {0x7cc00, 0xc0dea000}, // its start has passed
        {HEARTBEAT, 0xabcd0000},       {FUNCTIONS, RETURN_CODE},
        {FUNCTIONS + 4, RETURN_CODE},  {FUNCTIONS + 8, RETURN_CODE},
        {FUNCTIONS + 12, RETURN_CODE}, {FUNCTIONS + 16, RETURN_CODE},
        {RETURN_CODE, 0x00008067},     {REST_CODE, 0x0000006f},
        {0x7cfbc, 0x00010600}, // version 1.6.0
    };
    const struct ts_eth *eth = tile->eth, *other = eth->other;
    const bool up = other && eth->up;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(tile, words[i][0], words[i][1]);
    put(tile, PORT, up ? 1 : 2);
    if (!up)
        return;
    put(tile, TRAINING, 2); // it has passed
    put(tile, LINK_UP, 1);
    put_chip(tile, LOCAL, self, eth->channel);
    put_chip(tile, REMOTE, &cards[other->chip], other->channel);
    tile->control.soft_reset &= ~CORE_0; // the firmware's
}

void ts_eth_boot(struct ts_card *self, const struct ts_card *cards)
{
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++)
        if (self->chip->eth[i])
            boot(self, cards, self->chip->eth[i]);
}

// --- words with a meaning ---

void ts_eth_read(struct ts_card *self, struct ts_tile *tile, uint64_t address, uint32_t length)
{
    if (address < HEARTBEAT + 4 && address + length > HEARTBEAT)
        put(tile, HEARTBEAT, 0xabcd0000 | (++self->heartbeat & 0xffff));
}

static bool write_word(struct ts_card *self, const struct ts_tile *tile, uint32_t address,
                       uint32_t word, struct tensim_error *error)
{
    return tensim_site_write(self->sim, (struct tensim_xy){tile->x, tile->y}, address, &word, 4,
                             error) == TENSIM_OK;
}

// A core that the host starts finds a stack and a place to return to, as if the card's firmware had called it.
static void give_stack(struct ts_tile *tile, unsigned core, bool was_held)
{
    if (was_held)
        ts_tile_called(tile, core, REST_CODE, STACK);
}

static void release_core(struct ts_card *self, struct ts_tile *tile, uint32_t start,
                         struct tensim_error *error)
{
    const uint32_t others = tile->control.soft_reset & ~CORE_0;
    if (write_word(self, tile, SOFT_RESET, others | CORE_0, error) &&
        write_word(self, tile, START, start, error) &&
        write_word(self, tile, SOFT_RESET, others, error))
        give_stack(tile, TS_RV_BRISC, true);
}

static void mailbox(struct ts_card *self, struct ts_tile *tile, uint32_t at,
                    struct tensim_error *error)
{
    uint32_t words[4];
    memcpy(words, tile->l1.bytes + at, sizeof words);
    const uint32_t call = words[0] & 0xffff;
    if (words[0] >> 16 != CALL >> 16)
        return;
    if (call != LINK_CHECK && call != RELEASE_CORE && call != DYNAMIC_NOC) {
        ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                     "not implemented: call 0x%x to the firmware of an Ethernet tile", words[0]);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (!write_word(self, tile, at + 4 * i, i ? 0 : DONE | call, error))
            return;
    if (call == RELEASE_CORE)
        release_core(self, tile, words[1], error);
}

void ts_eth_write(struct ts_card *self, struct ts_tile *tile, uint64_t address, const void *bytes,
                  uint32_t length, struct tensim_error *error)
{
    const bool held[2] = {ts_rv_core_view(&tile->cores[TS_RV_BRISC]).held,
                          ts_rv_core_view(&tile->cores[TS_RV_NCRISC]).held};
    const struct tensim_xy at = {tile->x, tile->y};
    if (tensim_site_write(self->sim, at, address, bytes, length, error) != TENSIM_OK)
        return;
    if (address == SOFT_RESET) {
        give_stack(tile, TS_RV_BRISC, held[0]);
        give_stack(tile, TS_RV_NCRISC, held[1]);
    }
    for (uint32_t box = MAILBOXES; box < MAILBOX_END; box += 16)
        if (box + 4 > address && box < address + length && error->code == TENSIM_OK)
            mailbox(self, tile, box, error);
}

// --- a tile that is not modelled ---

// What hosts look for: version 6.14 of the firmware, training that ended without a cable, a function that returns.
bool ts_eth_memory(struct ts_card *self, uint32_t channel)
{
    static const uint32_t words[][2] = {
        {0x210, 6u << 16 | 14u << 12}, {0x1104, 3}, {0x9020, 0x440}, {0x440, 0x00008067}};
    struct ts_card_eth *eth = &self->eth[channel];
    *eth = (struct ts_card_eth){.bytes = calloc(1, self->chip->soc.machine->eth_l1_bytes),
                                .soft_reset = CORE_0,
                                .card = self};
    for (size_t i = 0; eth->bytes && i < sizeof words / sizeof *words; i++)
        memcpy(eth->bytes + words[i][0], &words[i][1], sizeof words[i][1]);
    return eth->bytes != NULL;
}

static const char *access_eth(struct ts_card_eth *self, uint64_t address, void *read,
                              const void *write, uint32_t length)
{
    const uint32_t size = self->card->chip->soc.machine->eth_l1_bytes;
    uint32_t word;
    if (address < size && length <= size - address) {
        memcpy(read ? read : self->bytes + address, read ? self->bytes + address : write, length);
        return NULL;
    }
    if (address != SOFT_RESET || length != 4)
        return ts_card_absent(self->card, "register 0x%llx of an Ethernet tile of Wormhole",
                              (unsigned long long)address);
    memcpy(read ? read : &word, read ? (const void *)&self->soft_reset : write, 4);
    return read || word & CORE_0 ? NULL
                                 : "not implemented: the core of an Ethernet tile of Wormhole";
}

static const char *read_eth(void *context, uint64_t address, void *bytes, uint32_t length,
                            uint64_t cycle)
{
    (void)cycle;
    return access_eth(context, address, bytes, NULL, length);
}

static const char *write_eth(void *context, uint64_t address, const void *bytes, uint32_t length,
                             uint64_t cycle)
{
    (void)cycle;
    return access_eth(context, address, NULL, bytes, length);
}

const struct tensim_device ts_eth_device = {.read = read_eth, .write = write_eth};
