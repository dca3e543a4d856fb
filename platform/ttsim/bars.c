// The card's memory as the host sees it: one table of ranges.
//
// Inaccuracies: the inbound iATU, the device's DMA towards the host, and interrupts are not modelled. Window registers
// can be read back.
#include "platform/ttsim/device.h"

static bool is_word(const struct ts_access *access)
{
    return access->length == 4 && access->address % 4 == 0;
}

// A register of the card.
static enum tensim_code word(uint32_t *at, struct ts_access *access)
{
    if (access->read)
        memcpy(access->read, at, 4);
    else
        memcpy(at, access->write, 4);
    return TENSIM_OK;
}

// --- the ranges ---

static enum tensim_code windows_of_bar0(struct ts_card *self, uint64_t offset,
                                        struct ts_access *access, struct tensim_error *error)
{
    return ts_window_access(self, 0, offset, access, error);
}

static enum tensim_code windows_of_bar4(struct ts_card *self, uint64_t offset,
                                        struct ts_access *access, struct tensim_error *error)
{
    return ts_window_access(self, 4, offset, access, error);
}

static enum tensim_code window_registers(struct ts_card *self, uint64_t offset,
                                         struct ts_access *access, struct tensim_error *error)
{
    const uint32_t stride = 4u * self->kind->window_words;
    (void)error;
    return word(&self->pcie.window[offset / stride][offset % stride / 4], access);
}

// Hosts of Wormhole write both registers of a window at once.
static enum tensim_code window_pairs(struct ts_card *self, uint64_t offset,
                                     struct ts_access *access, struct tensim_error *error)
{
    uint32_t *at = &self->pcie.window[offset / 8][offset % 8 / 4];
    if (offset % access->length || (access->length != 4 && access->length != 8))
        return ts_card_fail(error, TENSIM_USAGE,
                            "%u bytes at window register +0x%llx: an aligned word or a pair",
                            access->length, (unsigned long long)offset);
    memcpy(access->read ? access->read : at, access->read ? at : access->write, access->length);
    return TENSIM_OK;
}

// The ARC tile as its NoC address space has it.
static enum tensim_code arc(struct ts_card *self, uint64_t address, struct ts_access *access,
                            struct tensim_error *error)
{
    access->device = true;
    access->at = self->arc_at;
    access->target = address;
    return access->read ? tensim_site_read(self->sim, self->arc_at, address, access->read,
                                           access->length, error)
                        : tensim_site_write(self->sim, self->arc_at, address, access->write,
                                            access->length, error);
}

static enum tensim_code arc_csm(struct ts_card *self, uint64_t offset, struct ts_access *access,
                                struct tensim_error *error)
{
    return arc(self, 0x810000000 + offset, access, error);
}

static enum tensim_code arc_apb(struct ts_card *self, uint64_t offset, struct ts_access *access,
                                struct tensim_error *error)
{
    return arc(self, 0x880000000 + offset, access, error);
}

// tt-kmd clears them; without a stride the windows are as they would be.
static enum tensim_code stride_registers(struct ts_card *self, uint64_t offset,
                                         struct ts_access *access, struct tensim_error *error)
{
    uint32_t none = 0;
    (void)self;
    enum tensim_code code = word(&none, access);
    return none == 0 ? code
                     : ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                                    "stride 0x%x of window %u: strided windows are not modelled",
                                    none, (unsigned)(offset / 4));
}

static enum tensim_code niu_registers(struct ts_card *self, uint32_t noc, uint64_t offset,
                                      struct ts_access *access, struct tensim_error *error)
{
    const char *why = ts_niu_access(self, self->pcie_at, noc, offset, access->read, access->length);
    return why ? ts_card_fail(error, TENSIM_NOT_IMPLEMENTED, "BAR0: %s", why) : TENSIM_OK;
}

static enum tensim_code niu0_registers(struct ts_card *self, uint64_t offset,
                                       struct ts_access *access, struct tensim_error *error)
{
    return niu_registers(self, 0, offset, access, error);
}

static enum tensim_code niu1_registers(struct ts_card *self, uint64_t offset,
                                       struct ts_access *access, struct tensim_error *error)
{
    return niu_registers(self, 1, offset, access, error);
}

#define DMA_DOORBELL 0x04

static enum tensim_code dma_registers(struct ts_card *self, uint64_t offset,
                                      struct ts_access *access, struct tensim_error *error)
{
    word(&self->pcie.dma[offset / 4], access);
    return access->write && offset == DMA_DOORBELL ? ts_dma_run(self, error) : TENSIM_OK;
}

#define IATU_STRIDE 0x200

static enum tensim_code iatu_registers(struct ts_card *self, uint64_t offset,
                                       struct ts_access *access, struct tensim_error *error)
{
    uint32_t region = (uint32_t)(offset / IATU_STRIDE), at = (uint32_t)(offset % IATU_STRIDE);
    if (at >= 4u * self->kind->iatu_words)
        return ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                            "iATU region %u, +0x%x: %s regions are modelled, up to +0x%x", region,
                            at, at >= IATU_STRIDE / 2 ? "only outbound" : "outbound",
                            4u * self->kind->iatu_words - 4);
    return word(&self->pcie.iatu[region][at / 4], access);
}

typedef enum tensim_code access_range(struct ts_card *self, uint64_t offset,
                                      struct ts_access *access, struct tensim_error *error);

// Wormhole's BAR4 is the upper end of its BAR0.
static access_range upper_bar0;

// `word`: registers, one aligned word at a time.
static const struct {
    uint8_t machine, bar;
    bool words;
    uint64_t first, last;
    access_range *access;
    const char *name;
} ranges[] = {
    {0, 0, false, 0x00000000, 0x193fffff, windows_of_bar0, "windows of 2 MiB"},
    {0, 0, true, 0x1fc00000, 0x1fc009d7, window_registers, "window registers"},
    {0, 0, true, 0x1fc009d8, 0x1fc00a57, stride_registers, "stride registers"},
    {0, 0, true, 0x1fd04000, 0x1fd04fff, niu0_registers, "registers of NoC 0"},
    {0, 0, true, 0x1fd14000, 0x1fd14fff, niu1_registers, "registers of NoC 1"},
    {0, 2, true, 0x00000100, 0x000001ff, dma_registers, "DMA channel"},
    {0, 2, true, 0x00001000, 0x00002fff, iatu_registers, "iATU"},
    {0, 4, false, 0x000000000, 0x7ffffffff, windows_of_bar4, "windows of 4 GiB"},
    {1, 0, false, 0x00000000, 0x1effffff, windows_of_bar0, "windows of 1, 2 and 16 MiB"},
    {1, 0, false, 0x1fc00000, 0x1fc005cf, window_pairs, "window registers"},
    {1, 0, false, 0x1fe80000, 0x1fefffff, arc_csm, "memory of the ARC"},
    {1, 0, true, 0x1ff00000, 0x1fffffff, arc_apb, "registers of the ARC"},
    {1, 2, true, 0x00001200, 0x000031ff, iatu_registers, "iATU"},
    {1, 4, false, 0x000000000, 0x001ffffff, upper_bar0, "upper end of BAR0"},
};

static const struct {
    uint8_t bar;
    uint64_t size;
} bars[] = {{0, 0x20000000}, {2, 0x100000}, {4, 0}};

static uint64_t base_of(const struct ts_card *self, unsigned bar)
{
    const uint32_t *words = &self->pcie.config[4 + bar];
    return (words[0] & ~15u) | (uint64_t)words[1] << 32;
}

static enum tensim_code access_bar(struct ts_card *self, unsigned bar, uint64_t offset,
                                   struct ts_access *access, struct tensim_error *error)
{
    const char *kind = access->read ? "read" : "write";
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (ranges[i].machine != self->machine || ranges[i].bar != bar ||
            offset < ranges[i].first || offset > ranges[i].last)
            continue;
        if (access->length - 1 > ranges[i].last - offset)
            return ts_card_fail(error, TENSIM_USAGE, "%s of %u bytes at BAR%u+0x%llx: %s end first",
                                kind, access->length, bar, (unsigned long long)offset,
                                ranges[i].name);
        if (ranges[i].words && !is_word(access))
            return ts_card_fail(error, TENSIM_USAGE,
                                "%s of %u bytes at BAR%u+0x%llx (%s): one aligned word at a time",
                                kind, access->length, bar, (unsigned long long)offset,
                                ranges[i].name);
        return ranges[i].access(self, offset - ranges[i].first, access, error);
    }
    return ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                        "%s of %u bytes at BAR%u+0x%llx: nothing is modelled there", kind,
                        access->length, bar, (unsigned long long)offset);
}

static enum tensim_code upper_bar0(struct ts_card *self, uint64_t offset, struct ts_access *access,
                                   struct tensim_error *error)
{
    return access_bar(self, 0, bars[0].size - self->kind->bar4 + offset, access, error);
}

enum tensim_code ts_bar_access(struct ts_card *cards, uint32_t count, struct ts_access *access,
                               struct tensim_error *error)
{
    for (uint32_t chip = 0; chip < count; chip++)
        for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
            struct ts_card *self = &cards[chip];
            uint64_t offset = access->address - base_of(self, bars[i].bar);
            if (offset >= (bars[i].size ? bars[i].size : self->kind->bar4))
                continue;
            if (tensim_choose_chip(self->sim, access->chip = chip, error) != TENSIM_OK)
                return error->code;
            return access_bar(self, bars[i].bar, offset, access, error);
        }
    return ts_card_fail(
        error, TENSIM_USAGE, "%s of %u bytes at physical address 0x%llx: no BAR is there",
        access->read ? "read" : "write", access->length, (unsigned long long)access->address);
}
