// One complete Tensix tile, five cores to NIU. tile.c draws it and builds it: read that file first.
//
// The tile is one struct, in the kernel's memory: parts that work together are adjacent.
#pragma once

#include "cores/frontend/frontend.h"
#include "cores/riscv/view.h"
#include "noc/eth.h"
#include "platform/tile/control.h"
#include "units/backend.h"
#include "units/cfg.h"
#include "units/matrix/unit.h"
#include "units/misc.h"
#include "units/mover.h"
#include "units/pack/unit.h"
#include "units/scalar/scalar.h"
#include "units/unpack/unit.h"
#include "units/vector/unit.h"

// What crossed the network, for explanations: the requests that a tile's cores issued, by target
// and call site, and the words of its L1 that small writes and atomics of others changed.
//
// Both tables are small; what was not used for the longest time makes room.

#define TS_SENT        64u
#define TS_GOT         32u
#define TS_WORDS_SMALL 64u // bytes: larger requests are counted by call site, not by address

// Requests of one core to one place. Coordinates are those of NoC 0.
struct ts_sent {
    uint64_t count;
    ts_cycle first, at; // and the last one
    uint64_t address;
    uint32_t pc, length;
    uint32_t amount; // of the last atomic
    uint32_t source; // of the last write: where its bytes lie here; of a read: where they go
    struct ts_noc_xy to, start;
    uint8_t kind; // enum ts_noc_kind
    uint8_t noc, core;
    bool broadcast, linked;
    bool loopback; // a multicast that includes its sender
    struct ts_noc_xy from;
};

// A word that the network changed.
struct ts_got {
    uint32_t word;  // address / 4 + 1; 0: none
    uint32_t count; // changes
    uint32_t after; // value after the last one
    uint16_t from;  // x | y << 8 of the last one
    ts_cycle at, issued;
    uint32_t
        again; // changes since the tile's last one that found the value they brought already there
    uint32_t seen;           // the value that a core of the tile saw last
    bool looked;             // a core of the tile has loaded it
    bool settled;            // the tile has changed the word since then, and `lost` knows
    struct ts_l1_last reset; // who of the tile changed it last
    struct ts_lost { // the tile itself changed the word when not all that came had been seen
        uint32_t from, to, count; // what came unseen, or how many changes were seen as one
        bool merged;              // the latter
        uint32_t since;           // changes of the tile since then that lost nothing
        struct ts_l1_last by;
        ts_cycle arrived;
    } lost; // count 0: never
};

struct ts_words {
    struct ts_sent sent[TS_SENT];
    struct ts_got got[TS_GOT];
};

struct ts_tile;
// A core of the tile has issued the request of an initiator.
void ts_words_issued(struct ts_tile *tile, const struct ts_noc_niu *niu, unsigned initiator,
                     unsigned core, ts_cycle now);
// The network is about to write a few bytes to L1.
void ts_words_arrive(struct ts_tile *tile, uint32_t address, const void *bytes, uint32_t length,
                     ts_cycle now);
// A core of the tile has loaded a word that the network changed.
void ts_words_looked(void *tile, uint32_t address, uint32_t value);
// What the tile has lost of a word, up to now.
struct ts_lost ts_words_lost(const struct ts_tile *tile, uint32_t address);
// The record of a word; NULL: none.
const struct ts_got *ts_words_got(const struct ts_tile *tile, uint32_t address);
// Does a request write (or increment) any of these bytes of the tile at x, y?
bool ts_sent_hits(const struct ts_sent *sent, struct ts_noc_xy at, uint64_t address, uint32_t size);

// Mailboxes between the cores, and PC buffers from BRISC to the TRISCs.
//
// 16 mailboxes, one from each of B, T0, T1, T2 to each of them. Each holds four words, and one core
// may have at most four unread words in all. A PC buffer holds 16 words. A read from an empty one
// waits, a write to a full one waits; the region waits, not the core.
//
// Source: BabyRISCV/Mailboxes.md, PCBufs.md.

#define TS_MAIL_CORES  4 // B, T0, T1, T2
#define TS_MAIL_DEPTH  4
#define TS_PCBUF_DEPTH 16
#define TS_PCBUFS      3

struct ts_queue {
    struct ts_object words; // what a reader waits for
    uint32_t first, count;
    uint32_t value[TS_PCBUF_DEPTH];
    ts_cycle ready[TS_PCBUF_DEPTH];
};

struct ts_queues {
    struct ts_queue mail[TS_MAIL_CORES][TS_MAIL_CORES]; // [from][to]
    struct ts_object mail_room[TS_MAIL_CORES];          // what a writer waits for
    struct ts_queue pcbuf[TS_PCBUFS];
    struct ts_object pcbuf_room[TS_PCBUFS];
    struct ts_object pcbuf_drained[TS_PCBUFS]; // what BRISC's load waits for
    bool reader_waits[TS_PCBUFS];              // the TRISC is in a load from the empty buffer
    uint32_t override;                         // RISCV_DEBUG_REG_TRISC_PC_BUF_OVERRIDE
    uint32_t latency;                          // of a word
    uint64_t sent;                             // counter
};

void ts_queues_init(struct ts_queues *self, struct ts_domain *domain, uint32_t latency);

enum ts_rv_answer ts_mail_load(struct ts_queues *self, unsigned core, uint32_t address,
                               ts_cycle now, struct ts_rv_reply *reply);
enum ts_rv_answer ts_mail_store(struct ts_queues *self, unsigned core, uint32_t address,
                                uint32_t word, ts_cycle now, struct ts_rv_reply *reply);
// BRISC's side of buffer `index`; `idle`: the coprocessor has no work of that thread.
enum ts_rv_answer ts_pcbuf_store(struct ts_queues *self, unsigned index, uint32_t word,
                                 ts_cycle now, struct ts_rv_reply *reply);
enum ts_rv_answer ts_pcbuf_wait(struct ts_queues *self, unsigned index, bool idle, ts_cycle now,
                                struct ts_rv_reply *reply);
// The TRISC's side.
enum ts_rv_answer ts_pcbuf_load(struct ts_queues *self, unsigned index, ts_cycle now,
                                struct ts_rv_reply *reply);
// Is OverrideEn and OverrideBusy set for the buffer? (Manual TTSync then does not wait.)
bool ts_pcbuf_overridden(const struct ts_queues *self, unsigned index);
// When a core enters reset, the words it wrote to its mailboxes are lost. When it leaves reset, the
// content of its PC buffer is lost.
void ts_queues_held(struct ts_queues *self, unsigned core, ts_cycle now);
void ts_queues_released(struct ts_queues *self, unsigned core, ts_cycle now);

// The tile's interrupt controller at 0xFFB13000, and the pc snapshots behind it.
//
// Source: PIC.md, BabyRISCV/README.md (pc snapshot).
// Inaccuracies: of the four hardware interrupts only the NoCs' are raised; a core that has run
// ahead takes an interrupt late; the snapshot shows the pc the core has reached, which may be
// ahead.

struct ts_tile;

struct ts_pic {
    uint32_t sw_enable[2], hw_enable[2]; // BRISC, NCRISC
    uint32_t number[2];                  // of the interrupt being handled
    uint32_t sw[32], hw[4];
    uint32_t sw_pc[32], hw_pc[4];
    uint32_t next[2]; // round robin
};

enum ts_rv_answer ts_pic_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                              struct ts_rv_reply *reply);
enum ts_rv_answer ts_pic_store(struct ts_tile *tile, uint32_t offset, uint32_t value, ts_cycle now,
                               struct ts_rv_reply *reply);
// Interrupts a core that is not in a handler if something enabled is raised.
void ts_pic_poll(struct ts_tile *tile, ts_cycle now);

enum ts_device {
#define TS_DEVICE(id, name) TS_DEVICE_##id,
#include "config/devices.def"
    TS_DEVICE_COUNT
};

// A device in the address space: two functions and a context. An empty window faults "not
// implemented" by its name.
struct ts_window {
    enum ts_rv_answer (*load)(void *context, unsigned core, uint32_t address, unsigned size,
                              ts_cycle now, struct ts_rv_reply *reply);
    enum ts_rv_answer (*store)(void *context, unsigned core, uint32_t address, unsigned size,
                               const uint32_t *words, unsigned count, ts_cycle now,
                               struct ts_rv_reply *reply);
    void *context;
};

// An accessor that is not a baby core: the NoC, the host, ThCon.
#define TS_OUTSIDE TS_RV_CORES

struct ts_tile_config {
    const struct ts_hosting *hosting; // of the kernel that is made for the tile; NULL: nothing
    const struct ts_machine *machine; // whose tile it is
    uint32_t clock_mhz;               // cycles to seconds
    struct ts_rv_params params;
    bool run_ahead, automaton, park; // all true except in tests of exactness
    struct ts_tensix_timing tensix;
    struct ts_bits bits;           // as silicon, or as the reference
    uint64_t perturb_seed;         // --perturb; see platform/base/perturb.h
    uint32_t perturb_max;          // 0: off
    const char *perturb_holds;     // NULL: at random; copied
    bool strict;                   // lints are faults
    uint64_t lints;                // those that are shown (units/isa/lints.h); 0: the default
    bool unchecked;                // no lints, no record of writers: to measure what they cost
    struct ts_check_options check; // --check
    bool timing_only;              // the coprocessor's cycles without its arithmetic
    // For free (free.h): the data phases of unpackers, words of the matrix and the vector unit, cores.
    bool free_unpack, free_matrix, free_vector, free_l1;
    uint32_t free_cores; // bit per core
    uint32_t free_later; // of these, the cores that are free from ts_tile_free_core on
};

#define TS_TILE_BUFFERS    32
#define TS_OVERLAY_STREAMS 64
#define TS_FROM_LINK       0x10000u

// A registered circular buffer (buffers.h).
struct ts_buffer {
    char name[16];
    uint32_t received, acked, pages;
    uint8_t pushed_by, popped_by; // TS_BY_*: the last to count
    uint32_t was_received, was_acked;
};

// Lines of a program that is not an ELF: from each pc on, up to `end`.
struct ts_tile_lines {
    const char *file;
    uint32_t end, count;
    struct {
        uint32_t pc;
        int line;
    } line[256];
};

// The ELF that a core runs, for symbols: bytes that live as long as the tile, or a file; or lines.
struct ts_tile_program {
    const void *bytes;
    size_t length;
    char path[256];
    const struct ts_tile_lines *lines;
    uint32_t at, moved; // where its code lies, and how far from where it was linked; 0: there
};

// What a program calls a part of L1, or of DRAM.
struct ts_tile_name {
    uint32_t address, length;
    uint32_t page; // bytes; 0: it has no pages
    bool dram;     // in all channels
    char text[48]; // "semaphore ready", "tensor x"
};

#define TS_TILE_SAYS 24

// A report of a lint (lints.h).
struct ts_said {
    enum ts_report report;
    uint8_t by;     // TS_BY_*
    uint32_t pc;    // of the core's instruction; TS_NO_PC: not known
    ts_cycle cycle; // the first time
    uint64_t count; // from the same place
    char text[320];
};

// Runtime arguments of a core's kernel: its own, and those common to all cores. A load behind them, from the start of the kernel
// on, is a lint (`guard_from` of the core).
struct ts_tile_args {
    const char *kernel;
    ts_cycle since;
    uint32_t address[2], count[2];
};

struct ts_tile {
    struct ts_domain *domain;
    struct ts_tile_config config;
    uint32_t x, y; // NoC 0 coordinates
    uint32_t chip; // of a system
    bool system;   // of several chips
    // An Ethernet tile: its channel and its queues; -1, NULL: a Tensix tile.
    int channel;
    struct ts_eth *eth;
    uint32_t l1_size; // that the NoC, Ethernet and the host reach
    // L1, and the code in it that cores have decoded
    struct ts_l1 l1;
    const struct ts_rv_line **lines;
    struct ts_rv_code *code;
    // the baby cores
    uint8_t local[TS_RV_CORES][8192];
    struct ts_rv_core cores[TS_RV_CORES];
    // the bus: their upper address space
    struct ts_rv_bus bus;
    uint8_t device[TS_RV_MMIO_PAGES]; // enum ts_device by page
    struct ts_window window[TS_DEVICE_COUNT];
    ts_cycle device_free[TS_DEVICE_COUNT];      // a register region takes one access per cycle
    ts_cycle slow_free;                         // the path all slow aliases share
    struct ts_perturb perturb[2 * TS_RV_CORES]; // of loads, then of stores
    // mailboxes and PC buffers, tile control, interrupts
    struct ts_queues queues;
    struct ts_control control;
    struct ts_pic pic;
    // the coprocessor: what all units share, the front ends, the control units
    struct ts_tensix tensix;
    struct ts_backend backend;
    struct ts_frontend front[TS_THREADS];
    struct ts_sync_unit sync;
    struct ts_cfg_unit cfg;
    struct ts_scalar_unit scalar;
    struct ts_misc_unit misc;
    struct ts_mover_unit mover;
    // the data path: SrcA, SrcB and Dst, and the units that use them
    struct ts_files files;
    struct ts_unpack_unit unpack[2];
    struct ts_matrix_unit matrix;
    struct ts_vector_unit vector;
    struct ts_pack_unit pack;
    struct ts_perturb transfer[3]; // of the unpackers' and the packer's ports of L1
    // the NoC: bytes that it moves in a cycle; x | y << 8 of the tile that writes through it now; the
    // overlay's streams
    uint32_t noc_flit;
    uint32_t
        noc_writer; // of the write that the NoC makes now: x | y << 8; TS_FROM_LINK: an Ethernet queue makes it
    ts_cycle noc_issued; // and when it was issued
    uint32_t overlay[TS_OVERLAY_STREAMS][TS_OVERLAY_UPDATE];
    struct ts_overlay_write {
        ts_cycle at; // 0: nobody from outside has written the stream
        uint32_t from;
    } overlay_writes[TS_OVERLAY_STREAMS];
    uint8_t
        outside_by; // whose store from outside it is: of a thread (its scalar unit), or the NoC (TS_BY_*)
    // for explanations: requests and remote words, names, lints, circular buffers, programs, the
    // follower (NULL: none)
    struct ts_words words;
    const struct ts_tile_name *names;
    unsigned name_count;
    struct ts_said said[TS_TILE_SAYS];
    unsigned said_count;
    uint32_t said_pc; // of the current report, where the caller knows better; TS_NO_PC
    struct ts_buffer buffers[TS_TILE_BUFFERS];
    unsigned buffer_count;
    // Where the counters of all numbers of buffers are, declared or not; count 0: not known.
    struct {
        uint32_t received, acked, count;
        uint32_t step; // bytes from one to the next
    } counters;
    struct ts_tile_program programs[TS_RV_CORES];
    struct ts_tile_args args[TS_RV_CORES];
    const struct ts_follow *follow;
    struct ts_check *check; // NULL: none
    bool unusual;           // a check or --perturb sees all accesses of cores outside L1
    char *holds;            // of --perturb
    bool kernels;           // of a program file: none of them ends in an ebreak
};

// Builds a complete tile in the domain, in the kernel's memory: all cores held, memory zero.
// `config` NULL: the default. NULL: error says why.
struct ts_tile *ts_tile_new(struct ts_domain *domain, const struct ts_tile_config *config,
                            struct ts_error *error);
// The same in a domain of its own, tile[x-y], which is its place on a chip.
struct ts_tile *ts_tile_new_at(struct ts_kernel *kernel, uint32_t x, uint32_t y,
                               const struct ts_tile_config *config, struct ts_error *error);
// The same on a chip of several, or an Ethernet tile.
struct ts_tile_site {
    uint32_t chip, x, y;
    int channel;        // of Ethernet; -1: a Tensix tile
    const char *prefix; // of the domain's name: "chip1/", or ""
};
struct ts_tile *ts_tile_new_on(struct ts_kernel *kernel, const struct ts_tile_site *site,
                               const struct ts_tile_config *config, struct ts_error *error);
// Call before ts_kernel_free. NULL: does nothing.
void ts_tile_free(struct ts_tile *self);
struct ts_tile_config ts_tile_config_default(void);
// The parameter groups a tile needs, and its configuration from loaded ones.
void ts_tile_params_add(struct ts_params *params);
struct ts_tile_config ts_tile_config_from(const struct ts_params *params);

void ts_tile_plug(struct ts_tile *self, enum ts_device device, const struct ts_window *window);

// niu.c: the tile's memory as the network sees it, the tile being the context.
extern const struct ts_noc_memory ts_tile_memory;
// niu.c: connects the tile with its two NIUs, once a chip has them.
void ts_tile_join(struct ts_tile *self, struct ts_noc_niu niu[TS_NOC_COUNT]);

// eth.c: gives an Ethernet tile its queues, once a chip has taken it.
void ts_tile_join_eth(struct ts_tile *self, const struct ts_eth_params *params, uint32_t clock_mhz);
// Loads and stores of cores beyond the 512 KiB of an Ethernet tile: the first such store; 0: none.
uint32_t ts_tile_beyond(const struct ts_tile *self);

// outside.c. Access from outside, without timing: L1, and the registers the NoC can reach. False:
// error says why.
bool ts_tile_read(struct ts_tile *self, uint32_t address, void *bytes, uint32_t length,
                  ts_cycle now, struct ts_error *error);
bool ts_tile_write(struct ts_tile *self, uint32_t address, const void *bytes, uint32_t length,
                   ts_cycle now, struct ts_error *error);

// True if a core can start there.
bool ts_tile_startable(unsigned core, uint32_t pc, struct ts_error *error);
// Sets where a core starts when it leaves soft reset, by software or by the host: its reset PC
// register, and the bit of the override register that makes it count.
bool ts_tile_entry(struct ts_tile *self, unsigned core, uint32_t pc, struct ts_error *error);
// The same, and takes the core out of, or into, soft reset.
bool ts_tile_start(struct ts_tile *self, unsigned core, uint32_t pc, ts_cycle now,
                   struct ts_error *error);
void ts_tile_hold(struct ts_tile *self, unsigned core, ts_cycle now);
// A core that was released just now finds registers as if it had been called: where to return to, a stack.
void ts_tile_called(struct ts_tile *self, unsigned core, uint32_t from, uint32_t stack);
// A core's kernel begins: a core of free_later is free from now on. What boots the core was not.
void ts_tile_free_core(struct ts_tile *self, unsigned core);

// bus.c
extern const struct ts_rv_bus_ops ts_tile_bus_ops;
void ts_tile_map(struct ts_tile *self);
enum ts_rv_answer ts_tile_load(struct ts_tile *self, unsigned core, uint32_t address, unsigned size,
                               ts_cycle now, struct ts_rv_reply *reply);
enum ts_rv_answer ts_tile_store(struct ts_tile *self, unsigned core, uint32_t address,
                                unsigned size, const uint32_t *words, unsigned count, ts_cycle now,
                                struct ts_rv_reply *reply);
enum ts_rv_answer ts_tile_refuse(struct ts_rv_reply *reply, enum ts_code code, const char *format,
                                 ...) __attribute__((format(printf, 3, 4)));
