// What the card's own firmware does on an Ethernet tile, as hosts see it: words in L1 about the port, a heartbeat,
// mailboxes, and a table of functions that kernels may call. The tile itself, its two cores and its queues are those of
// libtensim; firmware and kernels that a host loads run on them. Words and places of Blackhole:
//
//   0x7cc00  postcode, port, training   0x7cc70  heartbeat   0x7ce04  link up
//   0x7cf00  five functions             0x7cfbc  version     0x7cfc0, 0x7cfe0  this chip, the chip at the other end
//   0x7d000  four mailboxes of a word and three arguments: host, core 1, CMFW, other
//
// Source: tt-metal blackhole eth_fw_api.h, tt-umd blackhole_eth.hpp (places of the words), ttsim 1.10.0.
// Inaccuracies: this firmware is a model, none of its code is executed. It takes no time and no core: core 0 rests until a
// host starts it. The functions return at once. Of calls, "release core", the link check and the set-up of the dynamic NoC
// are answered. The heartbeat moves when the host reads it. A link that goes down later does not change the words. Of Wormhole's,
// whose places are others, there is what hosts look for: version 6.14, training that ended without a cable, a function that returns;
// its service that moves data is not answered.
#include "platform/ttsim/device.h"

#define PORT        0x7cc04u
#define TRAINING    0x7cc08u
#define HEARTBEAT   0x7cc70u
#define LINK_UP     0x7ce04u
#define LOCAL       0x7cfc0u
#define REMOTE      0x7cfe0u
#define MAILBOXES   0x7d000u // four, 16 bytes each
#define MAILBOX_END 0x7d040u
#define CALL        0xca110000u
#define DONE        0xd0e50000u
#define SOFT_RESET  0xffb121b0u
#define START       0xffb14000u
#define CORE_0      (1u << 11)
#define RETURNS     0x00008067u // ret
#define RESTS       0x0000006fu // a jump to itself

enum { LINK_CHECK = 1, RELEASE_CORE = 2, DYNAMIC_NOC = 0xf }; // calls

// Of each machine: where core 0 is when a host's firmware has returned, the end of a core's local memory, words of L1.
static const struct firmware {
    uint32_t rest, stack, words[12][2];
} firmwares[TS_MACHINES] = {
    {0x7cf24,
     0xffb02000,
     {{0x7cc00, 0xc0dea000}, // its start has passed
      {PORT, 2},
      {HEARTBEAT, 0xabcd0000},
      {0x7cf00, 0x7cf20},
      {0x7cf04, 0x7cf20},
      {0x7cf08, 0x7cf20},
      {0x7cf0c, 0x7cf20},
      {0x7cf10, 0x7cf20},
      {0x7cf20, RETURNS},
      {0x7cf24, RESTS},
      {0x7cfbc, 0x00010600}}}, // version 1.6.0
    {0x444,
     0xffb01000,
     {{0x210, 6u << 16 | 14u << 12},
      {0x1104, 3},
      {0x9020, 0x440},
      {0x440, RETURNS},
      {0x444, RESTS}}},
};

static const struct firmware *firmware_of(const struct ts_tile *tile)
{
    return &firmwares[tile->config.machine - ts_machines];
}

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
    const uint32_t(*words)[2] = firmware_of(tile)->words;
    const struct ts_eth *eth = tile->eth, *other = eth->other;
    const bool up = other && eth->up;
    for (; words[0][0]; words++)
        put(tile, words[0][0], words[0][1]);
    if (!up)
        return;
    put(tile, PORT, 1);
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
        ts_tile_called(tile, core, firmware_of(tile)->rest, firmware_of(tile)->stack);
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
