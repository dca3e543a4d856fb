// The PCIe tile: requests of the networks to the host's memory, and the card's DMA channel.
//
//   address[63:58]  0 to 3: straight to the host's address; 4 to 7: through the outbound iATU;
//                   62: the PCIe core's own registers; top 16 MiB: the tile's network interface
//   Wormhole        0x800000000: through the outbound iATU; 0xfffb20000, 0xfffb30000: the tile's network interfaces
//
// Time: config/pcie.def. Each direction of the link takes one request after the other, for both networks.
// Inaccuracies: the host sees a write when the tile has it. The DMA channel is done when its doorbell is. Addresses that no
// iATU region covers go to the host as they are.
#include "platform/ttsim/device.h"

#include <pthread.h>

#define WINDOW   ((1ull << 58) - 1)
#define DBI_WORD 0x78

// The address space of the tile: registers from DBI on.
enum place { DIRECT, TRANSLATED, DBI, NIU };

static const struct {
    uint8_t machine, noc;
    enum place place;
    uint64_t first, last, mask;
} places[] = {
    {0, 0, DIRECT, 0, 4 * (WINDOW + 1) - 1, WINDOW},
    {0, 0, TRANSLATED, 4 * (WINDOW + 1), 8 * (WINDOW + 1) - 1, WINDOW},
    {0, 0, DBI, 62 * (WINDOW + 1), 63 * (WINDOW + 1) - 1, WINDOW},
    {0, 0, NIU, 0xffffffffff000000, UINT64_MAX, 0xffffff},
    {1, 0, TRANSLATED, 0x800000000, 0x8fffdffff, UINT32_MAX},
    {1, 0, NIU, 0xfffb20000, 0xfffb2ffff, 0xffff},
    {1, 1, NIU, 0xfffb30000, 0xfffb3ffff, 0xffff},
};
#define PLACES (sizeof places / sizeof *places)

static size_t place_of(const struct ts_card *self, uint64_t address)
{
    size_t i = 0;
    while (i < PLACES && (places[i].machine != self->machine || address < places[i].first ||
                          address > places[i].last))
        i++;
    return i;
}

// Words of an iATU region.
enum { CTRL1, CTRL2, BASE_LOW, BASE_HIGH, LIMIT_LOW, TARGET_LOW, TARGET_HIGH, CTRL3, LIMIT_HIGH };
#define IATU_ENABLE (1u << 31)
// Words of the DMA channel.
enum { DMA_ENABLE, DMA_DOORBELL, DMA_SIZE = 7, SOURCE_LOW, SOURCE_HIGH, DMA_TO_LOW, DMA_TO_HIGH };

static uint64_t pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

// --- towards the host ---

_Thread_local bool ts_pcie_calls_host;

// NULL: *offset is the host's address.
static const char *translate(const struct ts_pcie *self, unsigned words, uint64_t *offset,
                             uint32_t length)
{
    uint64_t from = *offset;
    bool found = false;
    for (unsigned i = 0; i < TS_IATU; i++) {
        const uint32_t *r = self->iatu[i];
        uint64_t base = pair(r[BASE_LOW], r[BASE_HIGH]),
                 limit = pair(r[LIMIT_LOW], r[words > LIMIT_HIGH ? LIMIT_HIGH : BASE_HIGH]);
        if (!(r[CTRL2] & IATU_ENABLE) || from < base || from + length - 1 > limit)
            continue;
        if (found)
            return "two regions of the outbound iATU cover the address";
        found = true;
        *offset = pair(r[TARGET_LOW], r[TARGET_HIGH]) + (from - base);
    }
    return NULL;
}

static const char *host(struct ts_card *self, uint64_t offset, bool translated, void *read,
                        const void *write, uint32_t length)
{
    const char *why = translated ? translate(&self->pcie, self->kind->iatu_words, &offset, length)
                                 : NULL;
    if (why)
        return why;
    if (self->pcie.read == NULL || self->pcie.write == NULL)
        return "the host has not given its memory (libttsim_set_pci_dma_mem_callbacks)";
    static pthread_mutex_t one_at_a_time =
        PTHREAD_MUTEX_INITIALIZER; // chips run on several threads
    pthread_mutex_lock(&one_at_a_time);
    ts_pcie_calls_host = true;
    if (read)
        self->pcie.read(offset, read, length);
    else
        self->pcie.write(offset, write, length);
    ts_pcie_calls_host = false;
    pthread_mutex_unlock(&one_at_a_time);
    return NULL;
}

const char *ts_niu_access(struct ts_card *self, struct tensim_xy at, uint32_t noc, uint64_t offset,
                          void *read, uint32_t length)
{
    uint32_t word;
    struct ts_error error = {0};
    if (read == NULL)
        return ts_card_absent(self, "writes to the network interface of %u-%u", at.x, at.y);
    if (length != 4 || offset % 4)
        return "registers of the network interface take aligned words";
    struct ts_noc_site *site = ts_chip_site(self->chip,
                                            (struct ts_noc_xy){(uint8_t)at.x, (uint8_t)at.y});
    if (offset <= UINT32_MAX)
        ts_noc_niu_load(&site->niu[noc], (uint32_t)offset, tensim_cycle(self->sim), &word, &error);
    if (offset > UINT32_MAX || error.code != TS_OK)
        return ts_card_absent(self, "register +0x%llx of the network interface of %u-%u",
                              (unsigned long long)offset, at.x, at.y);
    memcpy(read, &word, 4);
    return NULL;
}

static const char *dbi(struct ts_card *self, uint64_t offset, void *read, const void *write,
                       uint32_t length)
{
    if (offset != DBI_WORD || length != 4)
        return ts_card_absent(self, "register 0x%llx of the PCIe core", (unsigned long long)offset);
    if (read)
        memcpy(read, &self->pcie.dbi, 4);
    else
        memcpy(&self->pcie.dbi, write, 4);
    return NULL;
}

static const char *access_tile(struct ts_card *self, uint64_t address, void *read,
                               const void *write, uint32_t length)
{
    const size_t i = place_of(self, address);
    if (i == PLACES)
        return ts_card_absent(self, "window %u of the PCIe tile (address 0x%llx)",
                              (unsigned)(address >> 58), (unsigned long long)address);
    const uint64_t offset = address & places[i].mask;
    if (places[i].place == NIU)
        return ts_niu_access(self, self->pcie_at, places[i].noc, offset, read, length);
    if (places[i].place == DBI)
        return dbi(self, offset, read, write, length);
    ts_capture_reached_host(self->capture);
    return host(self, offset, places[i].place == TRANSLATED, read, write, length);
}

static const char *read_tile(void *context, uint64_t address, void *bytes, uint32_t length,
                             uint64_t cycle)
{
    (void)cycle;
    return access_tile(context, address, bytes, NULL, length);
}

static const char *write_tile(void *context, uint64_t address, const void *bytes, uint32_t length,
                              uint64_t cycle)
{
    (void)cycle;
    return access_tile(context, address, NULL, bytes, length);
}

#define MILLI 1000u

// Registers of the tile itself answer at once.
static struct tensim_turn turn_at_tile(void *context, bool write, uint64_t address, uint32_t length,
                                       uint64_t cycle)
{
    struct ts_card *card = context;
    struct ts_pcie *self = &card->pcie;
    const size_t i = place_of(card, address);
    const struct ts_pcie_params *p = &self->params;
    if (i == PLACES || places[i].place >= DBI)
        return (struct tensim_turn){cycle, cycle, 64 * MILLI, 0};
    const uint64_t rate = (uint64_t)(write ? p->write_rate : p->read_rate);
    uint64_t *free = &self->free[write], start = cycle * MILLI;
    start = *free > start ? *free : start;
    *free = start + (uint64_t)length * MILLI * MILLI / rate;
    const uint64_t turn = start / MILLI;
    return (struct tensim_turn){turn, turn + (write ? 0 : (uint64_t)p->read_latency),
                                (uint32_t)rate, write ? (uint32_t)p->acknowledge : 0};
}

// A host that waits for its memory to change sees it at once.
const struct tensim_device ts_pcie_device = {
    .read = read_tile, .write = write_tile, .turn = turn_at_tile, .ends = true};

// --- DMA from the host ---

enum tensim_code ts_dma_run(struct ts_card *self, struct tensim_error *error)
{
    uint32_t *word = self->pcie.dma, left = word[DMA_SIZE];
    uint64_t from = pair(word[SOURCE_LOW], word[SOURCE_HIGH]),
             to = pair(word[DMA_TO_LOW], word[DMA_TO_HIGH]);
    uint8_t bytes[4096];
    if (word[DMA_DOORBELL] != 1 || !(word[DMA_ENABLE] & 1))
        return ts_card_fail(error, TENSIM_CONTRACT,
                            "DMA: doorbell 0x%x, enable 0x%x: 1 starts a channel that is enabled",
                            word[DMA_DOORBELL], word[DMA_ENABLE]);
    while (left > 0) {
        uint32_t most = (uint32_t)(sizeof bytes - to % sizeof bytes);
        uint32_t part = left < most ? left : most;
        struct ts_access access = {.length = part, .write = bytes};
        const char *why = host(self, from, false, bytes, NULL, part);
        if (why)
            return ts_card_fail(error, TENSIM_CONTRACT, "DMA of %u bytes from 0x%llx: %s", part,
                                (unsigned long long)from, why);
        if (ts_window_access(self, 0, to, &access, error) != TENSIM_OK)
            return error->code;
        from += part;
        to += part;
        left -= part;
    }
    word[DMA_SIZE] = 0; // done
    return TENSIM_OK;
}
