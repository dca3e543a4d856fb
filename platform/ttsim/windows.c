// Windows from the host to the chip: three registers name a tile and an address.
//
//   2 MiB:  w0 = address[52:21]
//           w1 = address[63:53] | x_end << 11 | y_end << 17 | x_start << 23 | y_start[2:0] << 29
//           w2 = y_start[5:3] | NoC << 3 | multicast << 5 | ordering << 6 | linked << 8 | static VC << 9
//   4 GiB:  w0 = address[63:32], w1 = x | y << 6 | NoC << 24 | ordering << 27
//   Wormhole, of 2^N bytes, 1, 2 and 16 MiB: two registers, one behind the other:
//           address[35:N] | x_end | y_end | x_start | y_start (6 bits each) | NoC | multicast | ordering (2) | linked | static VC (2)
//
// Coordinates are translated ones. Multicast: the Tensix tiles of a rectangle, writes only; on NoC 1 of Blackhole its corners are
// given in the other order. Windows of Wormhole to NoC 1 are refused.
// Inaccuracies: an access takes no time and always arrives in order, so ordering and channels mean nothing.
#include "platform/lib/inside.h"
#include "platform/ttsim/clock.h"

#define DEBUG_CONTROL 0xffb12080u // RISC_DBG_CNTL_0
#define DEBUG_TRIGGER 0x80        // of its last byte
#define NIU_BASE      0xffffffffff000000u

struct target {
    struct tensim_xy first, last; // translated; one tile: the same
    uint64_t base;
    bool multicast;
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return (uint32_t)(word >> low & ((1ull << (high - low + 1)) - 1));
}

static enum tensim_code decode_wormhole(const struct ts_card *self, uint32_t index, unsigned shift,
                                        struct target *to, struct tensim_error *error)
{
    const uint32_t *word = self->pcie.window[index];
    const uint64_t all = word[0] | (uint64_t)word[1] << 32, rest = all >> (36 - shift);
    memset(to, 0, sizeof *to);
    to->base = all << shift & 0xfffffffff;
    to->first = to->last = (struct tensim_xy){rest & 63, rest >> 6 & 63};
    to->multicast = rest >> 25 & 1;
    if (to->multicast)
        to->first = (struct tensim_xy){rest >> 12 & 63, rest >> 18 & 63};
    // NoC 1, and what lies behind the static VC.
    return rest & 1u << 24 || rest >> 31
               ? ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                              "window %u: registers 0x%08x 0x%08x ask for NoC 1 or for more than "
                              "is documented",
                              index, word[0], word[1])
               : TENSIM_OK;
}

static enum tensim_code decode_blackhole(const struct ts_card *self, uint32_t index, unsigned shift,
                                         struct target *to, struct tensim_error *error)
{
    const uint32_t *word = self->pcie.window[index];
    memset(to, 0, sizeof *to);
    if (shift == 32) {
        to->base = (uint64_t)word[0] << 32;
        to->last = (struct tensim_xy){bits(word[1], 5, 0), bits(word[1], 11, 6)};
        if (word[1] & ~0x1b000fffu || word[2])
            return ts_card_fail(
                error, TENSIM_NOT_IMPLEMENTED,
                "window %u: registers 0x%08x 0x%08x 0x%08x ask for more than one tile", index,
                word[0], word[1], word[2]);
    } else {
        to->base = ((uint64_t)word[0] | (uint64_t)bits(word[1], 10, 0) << 32) << 21;
        to->last = (struct tensim_xy){bits(word[1], 16, 11), bits(word[1], 22, 17)};
        to->multicast = bits(word[2], 5, 5);
        if (word[2] & ~0x3ffu)
            return ts_card_fail(error, TENSIM_NOT_IMPLEMENTED,
                                "window %u: flags 0x%x of its third register are not modelled",
                                index, word[2] & ~0x3ffu);
    }
    to->first = to->last;
    if (to->multicast)
        to->first = (struct tensim_xy){bits(word[1], 28, 23),
                                       bits(word[1], 31, 29) | bits(word[2], 2, 0) << 3};
    if (to->multicast && bits(word[2], 3, 3)) {
        struct tensim_xy corner = to->first;
        to->first = to->last;
        to->last = corner;
    }
    return TENSIM_OK;
}

// Does the write tell a debug interface to act? Hosts do that several times without a read in between.
static bool triggers(uint64_t address, const unsigned char *bytes, uint32_t length)
{
    return address == DEBUG_CONTROL && length == 4 && bytes[3] & DEBUG_TRIGGER;
}

// The folder is looked into once for all tiles of a launch.
static void name_kernels(struct ts_card *self, struct tensim_xy at, uint64_t address,
                         uint32_t length)
{
    struct ts_tile *tile = ts_lib_tile(self->sim, at, NULL);
    if (tensim_cycle(self->sim) != self->named)
        ts_elf_cache_again(self->elf);
    self->named = tensim_cycle(self->sim);
    if (tile)
        ts_capture_name_kernels(self->elf, tile, address, length);
}

static struct ts_tile *ethernet(const struct ts_card *self, struct tensim_xy at)
{
    return self->chip->soc.node[at.y][at.x] == TS_NOC_NODE_ETHERNET
               ? ts_lib_tile(self->sim, at, NULL)
               : NULL;
}

static void write_site(struct ts_card *self, struct tensim_xy at, uint64_t address,
                       const void *bytes, uint32_t length, struct tensim_error *error)
{
    if (triggers(address, bytes, length) && ts_clock_let_act(self->clock, error) != TENSIM_OK)
        return;
    struct ts_tile *eth = ethernet(self, at);
    if (eth) {
        ts_eth_write(self, eth, address, bytes, length, error);
        ts_capture_wrote(self->capture, at, address, bytes, length, error);
        return;
    }
    if (tensim_site_write(self->sim, at, address, bytes, length, error) != TENSIM_OK)
        return;
    if (self->elf)
        name_kernels(self, at, address, length);
    ts_capture_wrote(self->capture, at, address, bytes, length, error);
}

static void read_site(struct ts_card *self, struct tensim_xy at, uint64_t address, void *bytes,
                      uint32_t length, struct tensim_error *error)
{
    struct ts_tile *eth = ethernet(self, at);
    if (eth)
        ts_eth_read(self, eth, address, length);
    if (tensim_site_read(self->sim, at, address, bytes, length, error) == TENSIM_OK)
        ts_capture_saw(self->capture, at, address, bytes, length);
}

// One tile. Registers of a tile take words.
static enum tensim_code access_site(struct ts_card *self, struct tensim_xy at, uint64_t address,
                                    const struct ts_access *access, struct tensim_error *error)
{
    struct tensim_site site;
    if (tensim_site(self->sim, at, &site, error) != TENSIM_OK)
        return error->code;
    uint32_t step = access->length;
    const struct ts_machine *machine = self->chip->soc.machine;
    bool registers = site.kind == TENSIM_SITE_TENSIX     ? address >= machine->l1_bytes
                     : site.kind == TENSIM_SITE_ETHERNET ? address >= machine->eth_l1_bytes
                                                         : false;
    if (registers && step % 4 == 0)
        step = 4;
    if (site.kind == TENSIM_SITE_DRAM && address >= NIU_BASE) {
        const char *why = ts_niu_access(self, at, 0, address - NIU_BASE, access->read, step);
        return why ? ts_card_fail(error, TENSIM_NOT_IMPLEMENTED, "%s %u-%u: %s", site.name, at.x,
                                  at.y, why)
                   : TENSIM_OK;
    }
    struct tensim_error why = {0};
    for (uint32_t done = 0; done < access->length && why.code == TENSIM_OK; done += step)
        if (access->read)
            read_site(self, at, address + done, (char *)access->read + done, step, &why);
        else
            write_site(self, at, address + done, (const char *)access->write + done, step, &why);
    if (why.code != TENSIM_OK)
        ts_card_fail(error, why.code, "host %s of %u bytes at 0x%llx of %s %u-%u: %.300s",
                     access->read ? "read" : "write", access->length, (unsigned long long)address,
                     site.name, at.x, at.y, why.text);
    return why.code;
}

static enum tensim_code multicast(struct ts_card *self, uint32_t index, const struct target *to,
                                  const struct ts_access *access, struct tensim_error *error)
{
    uint32_t receivers = 0;
    if (access->read)
        return ts_card_fail(error, TENSIM_CONTRACT, "window %u: a multicast window is read", index);
    if (to->first.x > to->last.x || to->first.y > to->last.y)
        return ts_card_fail(error, TENSIM_CONTRACT,
                            "window %u: multicast from %u-%u to %u-%u, which is not a rectangle",
                            index, to->first.x, to->first.y, to->last.x, to->last.y);
    for (uint32_t y = to->first.y; y <= to->last.y; y++)
        for (uint32_t x = to->first.x; x <= to->last.x; x++) {
            struct tensim_xy at;
            struct tensim_site site;
            if (tensim_translate(self->sim, (struct tensim_xy){x, y}, &at, NULL) != TENSIM_OK ||
                tensim_site(self->sim, at, &site, NULL) != TENSIM_OK ||
                site.kind != TENSIM_SITE_TENSIX)
                continue;
            receivers++;
            if (access_site(self, at, access->target, access, error) != TENSIM_OK)
                return error->code;
        }
    if (receivers == 0)
        return ts_card_fail(error, TENSIM_CONTRACT,
                            "window %u: no Tensix tile lies in the rectangle %u-%u to %u-%u", index,
                            to->first.x, to->first.y, to->last.x, to->last.y);
    return TENSIM_OK;
}

enum tensim_code ts_window_access(struct ts_card *self, unsigned bar, uint64_t offset,
                                  struct ts_access *access, struct tensim_error *error)
{
    typedef enum tensim_code decoder(const struct ts_card *, uint32_t, unsigned, struct target *,
                                     struct tensim_error *);
    static decoder *const decode[TS_MACHINES] = {decode_blackhole, decode_wormhole};
    struct target to;
    const struct ts_window_row *row = self->kind->windows, *end = row + 3;
    while (row < end && (row->bar != bar || offset < row->at ||
                         offset >= row->at + ((uint64_t)row->count << row->shift)))
        row++;
    if (row == end)
        return ts_card_fail(error, TENSIM_NOT_IMPLEMENTED, "no window is at BAR%u+0x%llx", bar,
                            (unsigned long long)offset);
    const uint64_t size = 1ull << row->shift;
    const uint32_t index = row->first + (uint32_t)((offset - row->at) >> row->shift);
    offset = (offset - row->at) & (size - 1);
    if (access->length > size - offset)
        return ts_card_fail(error, TENSIM_USAGE, "window %u: %u bytes at +0x%llx run past its end",
                            index, access->length, (unsigned long long)offset);
    if (decode[self->machine](self, index, row->shift, &to, error) != TENSIM_OK)
        return error->code;
    access->device = true;
    access->target = to.base | offset;
    if (to.multicast)
        return multicast(self, index, &to, access, error);
    if (tensim_translate(self->sim, to.last, &access->at, NULL) != TENSIM_OK)
        return ts_card_fail(error, TENSIM_CONTRACT, "window %u: there is no tile %u-%u", index,
                            to.last.x, to.last.y);
    return access_site(self, access->at, access->target, access, error);
}
