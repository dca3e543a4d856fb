// The PCI configuration space of the cards: one table of words. Device number i is chip i.
//
// Inaccuracies: no capabilities, no interrupts; a BAR that the host moves keeps its size and takes
// accesses at its new place.
#include "platform/ttsim/device.h"

// Each word: what it is at reset, which bits the host may write.
static const struct {
    uint32_t reset, writable;
} words[] = {
    [0x00 / 4] = {0, 0},                   // device, vendor: of the kind
    [0x04 / 4] = {0x00000000, 0x0000ffff}, // status, command
    [0x08 / 4] = {0x12000000, 0},          // class: processing accelerator; revision
    [0x0c / 4] = {0x00000000, 0x0000ffff}, // header type, cache line
    [0x10 / 4] = {0x00000004, 0xe0000000}, // BAR0: 512 MiB, 64 bits wide
    [0x14 / 4] = {0x00000001, 0xffffffff},
    [0x18 / 4] = {0x20000004, 0xfff00000}, // BAR2: 1 MiB
    [0x1c / 4] = {0x00000001, 0xffffffff},
    [0x20 / 4] = {0x00000004, 0}, // BAR4: of the kind
    [0x24 / 4] = {0x00000008, 0},
    [0x28 / 4] = {0, 0}, // CardBus
    [0x2c / 4] = {0, 0}, // subsystem
    [0x30 / 4] = {0, 0}, // expansion ROM
    [0x34 / 4] = {0, 0}, // capabilities
    [0x38 / 4] = {0, 0},
    [0x3c / 4] = {0x000000ff, 0x000000ff}, // interrupt line
};

#define WORDS (sizeof words / sizeof *words)
_Static_assert(WORDS == sizeof((struct ts_pcie *)0)->config / 4, "every word has a row");

void ts_config_reset(struct ts_card *self)
{
    for (uint32_t i = 0; i < WORDS; i++)
        self->pcie.config[i] = words[i].reset;
    self->pcie.config[0] = self->kind->id;
    self->pcie.config[2] |= self->kind->revision;
    for (uint32_t i = 0; i < 3; i++) // 64 GiB apart
        self->pcie.config[5 + 2 * i] += self->number << 4;
}

// bus << 8 | device << 3 | function.
static enum tensim_code check(uint32_t bdf, uint32_t offset, struct tensim_error *error)
{
    if (bdf >> 8 || bdf & 7)
        return ts_card_fail(error, TENSIM_USAGE,
                            "PCI configuration of bus %u, device %u, function %u: bus and function "
                            "must be 0",
                            bdf >> 8, bdf >> 3 & 31, bdf & 7);
    if (offset % 4)
        return ts_card_fail(error, TENSIM_USAGE, "PCI configuration at 0x%x: not a multiple of 4",
                            offset);
    if (offset / 4 >= WORDS)
        return ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                            "PCI configuration at 0x%x: only the header of 64 bytes is modelled",
                            offset);
    return TENSIM_OK;
}

enum tensim_code ts_config_read(struct ts_card *cards, uint32_t count, uint32_t bdf,
                                uint32_t offset, uint32_t *word, struct tensim_error *error)
{
    if (check(bdf, offset, error) != TENSIM_OK)
        return error->code;
    // No other device: what ends a host's search.
    *word = bdf >> 3 < count ? cards[bdf >> 3].pcie.config[offset / 4] : UINT32_MAX;
    return TENSIM_OK;
}

enum tensim_code ts_config_write(struct ts_card *cards, uint32_t count, uint32_t bdf,
                                 uint32_t offset, uint32_t word, struct tensim_error *error)
{
    if (check(bdf, offset, error) != TENSIM_OK)
        return error->code;
    if (bdf >> 3 >= count)
        return ts_card_fail(error, TENSIM_USAGE, "there is no PCI device %u", bdf >> 3);
    const uint64_t bar4 = ~(cards[bdf >> 3].kind->bar4 - 1);
    const uint32_t writable = offset == 0x20   ? (uint32_t)bar4
                              : offset == 0x24 ? (uint32_t)(bar4 >> 32)
                                               : words[offset / 4].writable;
    uint32_t *to = &cards[bdf >> 3].pcie.config[offset / 4];
    *to = (*to & ~writable) | (word & writable);
    return TENSIM_OK;
}
