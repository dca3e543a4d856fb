#include "noc/translate.h"

static uint32_t table_get(const uint32_t *table, uint32_t bits, uint32_t index)
{
    return table[index / (32 / bits)] >> index % (32 / bits) * bits & ((1u << bits) - 1);
}

void ts_noc_table_set(uint32_t *table, uint32_t bits, uint32_t index, uint32_t value)
{
    const uint32_t shift = index % (32 / bits) * bits, mask = (1u << bits) - 1;
    uint32_t *word = &table[index / (32 / bits)];
    *word = (*word & ~(mask << shift)) | (value & mask) << shift;
}

// Columns that the DRAM table replaces.
static bool is_ddr(const uint32_t *config, uint32_t x)
{
    uint32_t last = config[TS_NOC_CFG_DDR_TABLE + 5];
    return (x == 9 && last >> 10 & 1) || (x == 0 && last >> 11 & 1);
}

struct ts_noc_xy ts_noc_translate(const uint32_t config[TS_NOC_CFG_WORDS], uint32_t bits,
                                  uint32_t x, uint32_t y)
{
    if ((config[TS_NOC_CFG_NIU] & TS_NOC_CFG_NIU_TRANSLATE) == 0)
        return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    uint32_t x31 = x & 31, y31 = y & 31;
    if (config[TS_NOC_CFG_DDR_SWAP] >> y31 & 1 && is_ddr(config, x31 ^ 9))
        x = x31 ^ 9;
    else if ((config[TS_NOC_CFG_ROW_MASK] >> y31 & 1) == 0)
        x = table_get(config + TS_NOC_CFG_X_TABLE, bits, x31);
    if (is_ddr(config, x31))
        y = table_get(config + TS_NOC_CFG_DDR_TABLE, bits, y31);
    else if ((config[TS_NOC_CFG_COL_MASK] >> x31 & 1) == 0)
        y = table_get(config + TS_NOC_CFG_Y_TABLE, bits, y31);
    return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
}
