// Programs for the cores of a chip's tiles: each sends a block to others, then all meet at a
// barrier, round after round. The tile with index 0 is the root.
#ifndef TENSIM_TESTS_CHIP_PROGRAMS_H
#define TENSIM_TESTS_CHIP_PROGRAMS_H

#include "cores/riscv/assemble.h"
#include "platform/chip/traffic.h"

enum { ZERO, T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A1 = 11, A2 = 12, A3 = 13 };

#define NIU(noc)  (0xffb20000u + 0x10000u * (noc))
#define ROUNDS    3
#define SOURCE    0x20000u
#define TARGET    0x30000u // + 4 KiB for each round
#define LENGTH    2048u
#define ARRIVED   0x15000u // at the root: increments
#define GO        0x15010u // the round that may start
#define DONE      0x14000u
#define DONE_WORD 0x600dd04eu

static inline void store(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm_li(p, T1, value);
    ts_rvasm(p, TS_RV_SW, 0, T0, T1, 0);
}

// Waits until the word at an address is `value`.
static inline void await(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm_li(p, T2, value);
    uint32_t top = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0);
    ts_rvasm_back(p, TS_RV_BNE, T1, T2, top);
}

// Programs an initiator from an op and starts it.
static inline void issue(struct ts_rvasm *p, unsigned initiator, const struct ts_traffic_op *op)
{
    uint32_t base = NIU(op->noc) + initiator * TS_NOC_BUF_STRIDE;
    await(p, base + 4 * TS_NOC_CMD_CTRL, 0);
    for (uint32_t i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        store(p, base + 4 * i, op->word[i]);
    store(p, base + 4 * TS_NOC_CMD_CTRL, 1);
}

static inline void await_counter(struct ts_rvasm *p, unsigned noc, enum ts_noc_counter counter,
                                 uint32_t value)
{
    await(p, NIU(noc) + 0x200 + 4 * counter, value);
}

static inline void program(struct ts_rvasm *p, const struct ts_chip *chip, uint32_t index)
{
    uint32_t count = chip->soc.tiles, acks = 0;
    struct ts_noc_xy me = chip->tiles[index], root = chip->tiles[0];
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct ts_noc_xy peer = chip->tiles[(index + round * round) % count];
        struct ts_traffic_op op = ts_traffic_write(chip, 0, me, peer, SOURCE,
                                                   TARGET + 0x1000 * round, LENGTH, 1, false);
        issue(p, 0, &op);
        await_counter(p, 0, TS_NOC_MST_WR_ACK_RECEIVED, ++acks);
        op = ts_traffic_increment(chip, 1, me, root, ARRIVED, 0x15020, 1, false);
        issue(p, 3, &op);
        await_counter(p, 1, TS_NOC_MST_ATOMIC_RESP_RECEIVED, round);
        if (index == 0) {
            await(p, ARRIVED, round * count);
            store(p, 0x15030, round);
            ts_rvasm_li(p, T0, 0x15030);
            ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0); // the store is in L1 before the NoC reads it
            ts_rvasm(p, TS_RV_AND, 0, T1, T1, 0);
            op = ts_traffic_multicast(chip, 0, me, (struct ts_noc_xy){1, 2},
                                      (struct ts_noc_xy){16, 11}, 0x15030, GO, 4,
                                      TS_NOC_CTRL_PATH_RESERVE | TS_NOC_CTRL_SRC_INCLUDE);
            issue(p, 0, &op);
            acks += count;
            await_counter(p, 0, TS_NOC_MST_WR_ACK_RECEIVED, acks);
        }
        await(p, GO, round);
    }
    store(p, DONE, DONE_WORD);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

#endif
