// Data formats of program files, and which register formats a compute kernel uses.
//
// Source: tt-metal, jit_build/data_format.cpp: what a circular buffer holds decides what the unpackers
// make of it and what the packer reads.
#include "cores/guest/include/launch.h"
#include "platform/run/plan/plan.h"

static const struct {
    const char *name, *vendor;
    uint8_t code, bits;
    bool block, integer, wide; // 8-bit exponent
} formats[] = {
#define TS_FORMAT(code, name, vendor, bits, mantissa, block, bias, most, integer, wide) \
    {name, vendor, code, bits, block, integer, wide},
#include "config/formats.def"
};
#define FORMATS (sizeof formats / sizeof *formats)

static size_t row_of(unsigned format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].code == format && formats[i].vendor)
            return i;
    return 0;
}

int ts_plan_format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].vendor &&
            (strcmp(formats[i].name, name) == 0 || strcmp(formats[i].vendor, name) == 0))
            return formats[i].code;
    return -1;
}

const char *ts_plan_format_name(unsigned format)
{
    return formats[row_of(format)].name;
}

bool ts_plan_format_integer(unsigned format)
{
    return formats[row_of(format)].integer;
}

static bool is_block(unsigned format)
{
    return formats[row_of(format)].block;
}

uint32_t ts_plan_format_bytes(unsigned format)
{
    return is_block(format) ? 0 : formats[row_of(format)].bits / 8u;
}

uint32_t ts_plan_format_tile_bytes(unsigned format)
{
    uint32_t bytes = ts_plan_format_bytes(format);
    return bytes ? 1024 * bytes : ts_datum_tile_bytes(format);
}

static bool wide(unsigned format)
{
    return formats[row_of(format)].wide;
}

// What a Float32 buffer is unpacked to: the exponent's width follows the other buffers.
static uint8_t fp32_as(const uint8_t all[TS_PROGRAM_CBS], bool fp32)
{
    uint8_t last = TS_PLAN_FORMAT_NONE;
    bool only_fp32 = true;
    for (unsigned i = 0; i < TS_PROGRAM_CBS; i++) {
        if (all[i] == TS_PLAN_FORMAT_NONE)
            continue;
        only_fp32 &= all[i] == TS_DF_FP32;
        if (all[i] != TS_DF_FP32 && (!ts_plan_format_integer(all[i]) || all[i] == TS_DF_INT8))
            last = all[i];
    }
    bool narrow = last != TS_PLAN_FORMAT_NONE && !wide(last);
    if (fp32 && (only_fp32 || !narrow))
        return TS_DF_TF32;
    return narrow ? TS_DF_FP16 : TS_DF_BF16;
}

static uint8_t pack_source(uint8_t format, uint8_t as, bool fp32, bool precise)
{
    if (format == TS_PLAN_FORMAT_NONE || format == TS_PLAN_FORMAT_UINT16)
        return format;
    if (is_block(format)) {
        if (precise)
            return fp32 ? TS_DF_FP32 : wide(format) ? TS_DF_BF16 : TS_DF_FP16;
        return wide(format) ? TS_DF_BFP8 : TS_DF_BFP8A;
    }
    if (format == TS_DF_FP32 && !fp32)
        return as;
    if (format == TS_DF_FP16 && fp32)
        return TS_DF_BF16;
    return format;
}

void ts_plan_format_infer(struct ts_plan_formats *self, const uint8_t all[TS_PROGRAM_CBS],
                          bool fp32, bool precise, uint64_t to_dest)
{
    uint8_t as = fp32_as(all, fp32);
    for (unsigned i = 0; i < TS_PROGRAM_CBS; i++) {
        self->unpack_src[i] = self->pack_dst[i] = all[i];
        self->unpack_dst[i] = all[i] != TS_DF_FP32 ? all[i] : to_dest >> i & 1 ? TS_DF_FP32 : as;
        self->pack_src[i] = pack_source(all[i], as, fp32, precise);
    }
}
