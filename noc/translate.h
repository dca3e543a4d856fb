// Coordinate translation: from the coordinates that software writes to the destination of a
// request.
//
// Source: BlackholeA0/NoC/Coordinates.md (Translation Algorithm), MemoryMap.md (NIU and NoC router
// configuration).
#pragma once

#include "noc/packet.h"

// Configuration registers, as words from NIU_BASE + 0x100.
enum ts_noc_config {
    TS_NOC_CFG_NIU = 0x00,      // NIU_CFG_0: bit 12 clock off, bit 14 translation
    TS_NOC_CFG_ROUTER_1 = 0x02, // broadcast opt-out by column
    TS_NOC_CFG_ROUTER_3 = 0x04, // and by row
    TS_NOC_CFG_X_TABLE = 0x06,  // 6 words of 6 entries of 5 bits, or 4 words of 8 entries of 4
    TS_NOC_CFG_Y_TABLE = 0x0c,
    TS_NOC_CFG_LOGICAL = 0x12, // NOC_ID_LOGICAL
    TS_NOC_CFG_COL_MASK = 0x14,
    TS_NOC_CFG_ROW_MASK = 0x15,
    TS_NOC_CFG_DDR_TABLE = 0x16, // and bits 10, 11 of the last word
    TS_NOC_CFG_DDR_SWAP = 0x1c,
    TS_NOC_CFG_RTZ = 0x1e,
    TS_NOC_CFG_RTZ_CLEAR = 0x1f,
    TS_NOC_CFG_WORDS = 0x20
};

#define TS_NOC_CFG_NIU_CLOCK_OFF (1u << 12)
#define TS_NOC_CFG_NIU_TRANSLATE (1u << 14)

// `bits`: of an entry (the machine's noc_entry_bits).
void ts_noc_table_set(uint32_t *table, uint32_t bits, uint32_t index, uint32_t value);
// The hardware's translation of a coordinate pair under this configuration.
struct ts_noc_xy ts_noc_translate(const uint32_t config[TS_NOC_CFG_WORDS], uint32_t bits,
                                  uint32_t x, uint32_t y);
