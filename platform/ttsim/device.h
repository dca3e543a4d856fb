// Cards on a PCI bus, over the library's model of their chips. A card is a chip: device number i is chip i. What cards of
// Blackhole and Wormhole have otherwise is rows of tables: struct ts_card_kind, and the tables with a column `machine`.
//
//   host --- config space, BAR0, BAR2, BAR4 (pci.c, bars.c) ---+
//                                                               |--> tiles, DRAM (libtensim)
//   host memory <-- callbacks <-- PCIe tile (pcie.c) <-- NoC ---+
//                                 ARC tile (arc.c), firmware of Ethernet tiles (eth.c)
//
// Source: tt-kmd blackhole.c, wormhole.c; tt-umd (simulation); docs of ttsim's C interface; tt-isa-documentation BlackholeA0 and
// WormholeB0.
#pragma once

#include "platform/ttsim/capture.h"

#define TS_PCI_WINDOWS 210 // at most
#define TS_IATU        16  // outbound regions
#define TS_IATU_WORDS  9
#define TS_DMA_WORDS   64 // of the channel from 0x100 on
#define TS_ARC_CSM     0x80000u

// Reads and writes of the host's memory.
typedef void ts_host_read(uint64_t address, void *bytes, uint32_t length);
typedef void ts_host_write(uint64_t address, const void *bytes, uint32_t length);

// Windows of one size, in one BAR, one behind the other.
struct ts_window_row {
    uint8_t bar, shift; // the size, in bits
    uint16_t first, count;
    uint64_t at; // offset of the first one
};

// What a machine's cards have otherwise (kinds.c), by machine.
struct ts_card_kind {
    uint32_t id, revision; // device and vendor of the configuration space
    uint64_t bar4;         // its size
    struct ts_window_row windows[3];
    uint8_t window_words; // registers of a window
    uint8_t iatu_words;   // registers of a region that there are
    bool captures;        // launches can be
};
extern const struct ts_card_kind ts_card_kinds[TS_MACHINES];

struct ts_pcie {
    uint32_t config[16]; // words of the configuration space
    uint32_t window[TS_PCI_WINDOWS][3];
    uint32_t iatu[TS_IATU][TS_IATU_WORDS];
    uint32_t dma[TS_DMA_WORDS];
    uint32_t dbi; // word 0x78 of the PCIe core's own registers
    ts_host_read *read;
    ts_host_write *write;
    struct ts_pcie_params params;
    uint64_t
        free[2]; // reads, writes: when the link can take the next one, in thousandths of a cycle
};

// As telemetry and Ethernet tiles say it.
struct ts_identity {
    uint32_t board_high, board_low, place, asic;
};

struct ts_arc {
    uint8_t *csm;
    uint32_t scratch[8], scratch_ram[16], misc, pointers[3];
    struct ts_card *card;
};

struct ts_tile;

struct ts_card {
    struct tensim *sim;
    struct ts_chip *chip;
    uint32_t number;  // of the chip
    uint32_t machine; // index of ts_machines and ts_card_kinds
    const struct ts_card_kind *kind;
    struct ts_identity identity;
    struct tensim_xy pcie_at, arc_at;
    struct ts_pcie pcie;
    uint32_t heartbeat; // of Ethernet tiles
    struct ts_arc arc;
    struct ts_clock *clock;
    struct ts_capture *capture; // NULL: nothing is captured
    struct ts_elf_cache *elf;   // of kernels; NULL: they have no names
    uint64_t named;             // the cycle in which kernels were named last
    char refusal[200];          // the text of the last one that has numbers in it
};

// Builds the card around a complete chip, the one of that number. After a failure, too, ts_card_free follows.
enum tensim_code ts_card_init(struct ts_card *self, struct tensim *sim, uint32_t number,
                              ts_host_read *read, ts_host_write *write, struct tensim_error *error);
void ts_card_free(struct ts_card *self);
// "not implemented: " and what, with numbers: a refusal of a device.
const char *ts_card_absent(struct ts_card *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum tensim_code ts_card_fail(struct tensim_error *error, enum tensim_code code, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

// pci.c: the configuration space of all cards.
void ts_config_reset(struct ts_card *self);
enum tensim_code ts_config_read(struct ts_card *cards, uint32_t count, uint32_t bdf,
                                uint32_t offset, uint32_t *word, struct tensim_error *error);
enum tensim_code ts_config_write(struct ts_card *cards, uint32_t count, uint32_t bdf,
                                 uint32_t offset, uint32_t word, struct tensim_error *error);

// bars.c: the memory of the card as the host sees it.
struct ts_access {
    uint64_t address; // physical
    uint32_t length;
    void *read;        // to here; or NULL, and
    const void *write; // from here
    // Which memory behind the card it was; `device` false: registers of the card itself.
    bool device;
    uint32_t chip;
    struct tensim_xy at;
    uint64_t target;
};
enum tensim_code ts_bar_access(struct ts_card *cards, uint32_t count, struct ts_access *access,
                               struct tensim_error *error);

// windows.c: the window at `offset` of a BAR. No window: TENSIM_NOT_IMPLEMENTED.
enum tensim_code ts_window_access(struct ts_card *self, unsigned bar, uint64_t offset,
                                  struct ts_access *access, struct tensim_error *error);

// pcie.c: the tile between the networks and the host; its DMA channel.
extern const struct tensim_device ts_pcie_device; // the context is the card
extern _Thread_local bool ts_pcie_calls_host;     // this thread is in a callback of the host
enum tensim_code ts_dma_run(struct ts_card *self, struct tensim_error *error);
// The registers of a site's network interface.
const char *ts_niu_access(struct ts_card *self, struct tensim_xy at, uint32_t noc, uint64_t offset,
                          void *read, uint32_t length);

// arc.c: the context is struct ts_arc.
extern const struct tensim_device ts_arc_device;
void ts_arc_reset(struct ts_arc *self);

// eth.c: the card's firmware on Ethernet tiles; accesses of the host to such a tile. A link's other end is of `cards`.
void ts_eth_boot(struct ts_card *self, const struct ts_card *cards);
void ts_eth_read(struct ts_card *self, struct ts_tile *tile, uint64_t address, uint32_t length);
void ts_eth_write(struct ts_card *self, struct ts_tile *tile, uint64_t address, const void *bytes,
                  uint32_t length, struct tensim_error *error);
