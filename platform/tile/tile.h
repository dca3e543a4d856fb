// One Tensix tile: five baby cores, L1, and everything in their address space. Read tile.c first.
//
//   brisc trisc0 trisc1 trisc2 ncrisc          coprocessor, NoC
//      |     |      |      |      |                |  plugged into windows
//      +-----+------+--bus-+------+----------------+
//      |         |         |        |          |
//      L1   mailboxes   tile      PIC     local RAMs
//           PC buffers  control           (slow path)
//
// What other folders own (the coprocessor's GPRs, configuration, MOP registers, instruction FIFOs,
// semaphores and TTSync, Dst; TDMA-RISC; the NoC interfaces) is plugged in as a window: two
// functions and a context. A window with nothing in it faults "not implemented" by its name.
#ifndef TENSIM_TILE_TILE_H
#define TENSIM_TILE_TILE_H

#include "cores/riscv/core.h"
#include "platform/base/perturb.h"
#include "platform/mem/l1.h"
#include "platform/tile/control.h"
#include "platform/tile/pic.h"
#include "platform/tile/queues.h"
#include "units/isa/timing.h"

enum ts_device {
    TS_DEVICE_NONE,
    TS_DEVICE_LOCAL,
    TS_DEVICE_TDMA,
    TS_DEVICE_CONTROL,
    TS_DEVICE_PIC,
    TS_DEVICE_SLOW_B,
    TS_DEVICE_SLOW_NC,
    TS_DEVICE_SLOW_T0,
    TS_DEVICE_SLOW_T1,
    TS_DEVICE_SLOW_T2,
    TS_DEVICE_NOC0,
    TS_DEVICE_NOC1,
    TS_DEVICE_OVERLAY,
    TS_DEVICE_MOP,
    TS_DEVICE_DST,
    TS_DEVICE_GPR,
    TS_DEVICE_PUSH0,
    TS_DEVICE_PUSH1,
    TS_DEVICE_PUSH2,
    TS_DEVICE_PCBUF0, // for a TRISC also TTSync and the semaphores
    TS_DEVICE_PCBUF1,
    TS_DEVICE_PCBUF2,
    TS_DEVICE_MAILBOX,
    TS_DEVICE_CFG,
    TS_DEVICE_COUNT
};

const char *ts_device_name(enum ts_device device);

// What somebody plugs into the address space.
struct ts_window {
    enum ts_rv_answer (*load)(void *context, unsigned core, uint32_t address, unsigned size,
                              ts_cycle now, struct ts_rv_reply *reply);
    enum ts_rv_answer (*store)(void *context, unsigned core, uint32_t address, unsigned size,
                               const uint32_t *words, unsigned count, ts_cycle now,
                               struct ts_rv_reply *reply);
    void *context;
};

// Somebody who is not a baby core: the NoC, the host, ThCon.
#define TS_OUTSIDE TS_RV_CORES

struct ts_tile_config {
    struct ts_rv_params params;
    bool run_ahead, park; // both true unless exactness itself is tested
    struct ts_tensix_timing tensix;
    uint64_t perturb_seed; // --perturb; see platform/base/perturb.h
    uint32_t perturb_max;  // 0: off
    bool strict;           // lints are faults
    uint32_t lints;        // those that are shown (units/isa/lints.h); 0: the default
    bool unchecked;        // no lints, no record of writers: to measure what they cost
    bool timing_only;      // the coprocessor's cycles without its arithmetic
};

#define TS_TILE_BUFFERS 32

// A circular buffer that somebody told of (buffers.h).
struct ts_buffer {
    char name[16];
    uint32_t received, acked, pages;
    uint8_t pushed_by, popped_by; // TS_BY_*: who counted last
    uint32_t was_received, was_acked;
};

// The ELF that a core runs, for symbols: bytes that live as long as the tile, or a file.
struct ts_tile_program {
    const void *bytes;
    size_t length;
    char path[256];
};

struct ts_follow;

struct ts_tile {
    struct ts_domain *domain;
    struct ts_tile_config config;
    uint32_t x, y;
    struct ts_l1 l1;
    struct ts_rv_line *lines;
    uint8_t local[TS_RV_CORES][8192];
    struct ts_rv_core cores[TS_RV_CORES];
    struct ts_rv_bus bus;
    uint8_t device[TS_RV_MMIO_PAGES]; // enum ts_device by page
    struct ts_window window[TS_DEVICE_COUNT];
    ts_cycle device_free[TS_DEVICE_COUNT];      // a register region takes one access per cycle
    ts_cycle slow_free;                         // the path all slow aliases share
    struct ts_perturb perturb[2 * TS_RV_CORES]; // of loads, then of stores
    struct ts_queues queues;
    struct ts_control control;
    struct ts_pic pic;
    // Coprocessor hooks beside the windows; may be NULL.
    uint32_t (*status)(void *context, unsigned core, unsigned which, ts_cycle now);
    // DBG_FEATURE_DISABLE was written
    void (*features)(void *context, uint32_t value, ts_cycle now);
    void (*soft_reset)(void *context, uint32_t before, uint32_t after, ts_cycle now);
    void (*stale)(void *context, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);
    void *tensix;
    // What people call things, for explanations.
    struct ts_buffer buffers[TS_TILE_BUFFERS];
    unsigned buffer_count;
    struct ts_tile_program programs[TS_RV_CORES];
    const struct ts_follow *follow; // NULL: nobody
    uint32_t noc_writer;            // x | y << 8 of whoever writes through the NoC now
};

// Builds one tile in the domain: all cores held, memory zero. The struct is the caller's.
bool ts_tile_init(struct ts_tile *self, struct ts_domain *domain,
                  const struct ts_tile_config *config);
void ts_tile_free(struct ts_tile *self);
struct ts_tile_config ts_tile_config_default(void);
// The parameter groups a tile needs, and its configuration from loaded ones.
void ts_tile_params_add(struct ts_params *params);
struct ts_tile_config ts_tile_config_from(const struct ts_params *params);

void ts_tile_plug(struct ts_tile *self, enum ts_device device, const struct ts_window *window);

// Access from outside, without timing: L1, and the registers the NoC can reach. False: error says
// why.
bool ts_tile_read(struct ts_tile *self, uint32_t address, void *bytes, uint32_t length,
                  ts_cycle now, struct ts_error *error);
bool ts_tile_write(struct ts_tile *self, uint32_t address, const void *bytes, uint32_t length,
                   ts_cycle now, struct ts_error *error);

// Whether a core can start there.
bool ts_tile_startable(unsigned core, uint32_t pc, struct ts_error *error);
// Sets where a core starts (reset PC registers) and takes it out of, or into, soft reset.
bool ts_tile_start(struct ts_tile *self, unsigned core, uint32_t pc, ts_cycle now,
                   struct ts_error *error);
void ts_tile_hold(struct ts_tile *self, unsigned core, ts_cycle now);

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

#endif
