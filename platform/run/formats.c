// Which formats a kernel takes, and what follows from them (formats.h).
#include "platform/run/formats.h"

#include "units/files/format.h"

#include <stdio.h>
#include <string.h>

unsigned ts_job_partial_format(const struct ts_job_spec *spec)
{
    bool narrow = spec->format == TS_DF_FP16 || spec->format == TS_DF_FP8 ||
                  spec->format == TS_DF_BFP8A || spec->format == TS_DF_BFP4A ||
                  spec->format == TS_DF_BFP2A;
    return narrow ? TS_DF_FP16 : TS_DF_BF16;
}

bool ts_job_partials(const struct ts_job_spec *s, unsigned *format)
{
    bool adds = s->out_format == TS_DF_FP32 || s->out_format == TS_DF_BF16 ||
                s->out_format == TS_DF_FP16;
    *format = s->dst32 ? TS_DF_FP32 : ts_job_partial_format(s);
    return s->blocks > 1 && strcmp(s->program, "matmul") == 0 && !(s->dst32 && adds);
}

// Which image of the kernel: the general one for what the plain one leaves out.
void ts_job_image(const struct ts_job_spec *s, char *name, size_t size)
{
    bool packs = s->dst32 && (s->out_format == TS_DF_FP16 || s->out_format == TS_DF_TF32);
    bool integers = ts_datum_integer(s->format) &&
                    (s->format != TS_DF_INT8 || s->out_format != TS_DF_INT32 ||
                     strcmp(s->program, "transpose") == 0);
    unsigned partials;
    bool general = s->tile_h * s->tile_w < TS_TILE * TS_TILE || integers || packs ||
                   s->transposed || s->to_dst || (s->dst32 && ts_job_partials(s, &partials));
    snprintf(name, size, "%s%s", s->program, general ? "_general" : "");
}

void ts_job_pack_image(const struct ts_job_spec *s, char *name, size_t size)
{
    if (s->dst32 && ts_format_is_bfp(s->out_format) && ts_format_is_fp16_class(s->out_format))
        snprintf(name, size, "%s_narrow", s->program);
    else
        ts_job_image(s, name, size);
}

// Sums of integers are not added in L1, nor brought back to Dst.
bool ts_blocks_fit(const struct ts_job_spec *s, char *text, size_t size)
{
    if (s->blocks == 1 || !ts_datum_integer(s->out_format))
        return true;
    snprintf(text, size, "the packer does not add blocks of %s in L1: --blocks 1",
             ts_datum_name(s->out_format));
    return false;
}

// A copy to a 32-bit Dst moves TF32 only: other formats would be written as 16 bits. TF32 is not
// copied to a 16-bit Dst: its low bits would be read as the value.
bool ts_copy_fits(const struct ts_job_spec *s, char *text, size_t size)
{
    if (!s->dst32 && s->format == TS_DF_TF32) {
        snprintf(text, size, "this kernel takes tf32 with a 32-bit Dst only: --dst 32");
        return false;
    }
    bool straight = s->format == TS_DF_FP32 || ts_datum_integer(s->format);
    if (s->to_dst && !(s->dst32 && straight)) {
        snprintf(text, size,
                 "--unpack-to-dst takes fp32 and int32 with --dst 32, not %s with %u bits",
                 ts_datum_name(s->format), s->dst32 ? 32 : 16);
        return false;
    }
    if (!s->dst32 || s->format == TS_DF_FP32 || s->format == TS_DF_TF32 || s->to_dst ||
        s->format == TS_DF_INT8)
        return true;
    snprintf(text, size, "with a 32-bit Dst this kernel takes fp32 and tf32 only, not %s",
             ts_datum_name(s->format));
    return false;
}

// Integers: which kernels take which, to what, in which width of Dst. int16 is moved unchanged, int32
// too, without passing Src.
static const struct {
    const char *program, *op; // NULL: every operation
    unsigned format, out_format;
    bool dst32, to_dst;
} integers[] = {
    {"matmul", NULL, TS_DF_INT8, TS_DF_INT32, true, false},
    {"matmul", NULL, TS_DF_INT8, TS_DF_INT8, true, false},
    {"eltwise", NULL, TS_DF_INT8, TS_DF_INT32, true, false},
    {"eltwise", NULL, TS_DF_INT8, TS_DF_INT8, true, false},
    {"reduce", NULL, TS_DF_INT8, TS_DF_INT32, true, false},
    {"reduce", NULL, TS_DF_INT8, TS_DF_INT8, true, false},
    {"transpose", NULL, TS_DF_INT8, TS_DF_INT32, true, false},
    {"transpose", NULL, TS_DF_INT8, TS_DF_INT8, true, false},
    {"transpose", NULL, TS_DF_INT16, TS_DF_INT16, false, false},
    {"tilize", NULL, TS_DF_INT16, TS_DF_INT16, false, false},
    {"untilize", NULL, TS_DF_INT16, TS_DF_INT16, false, false},
    {"sfpu", "copy", TS_DF_INT16, TS_DF_INT16, false, false},
    {"sfpu", "copy", TS_DF_INT32, TS_DF_INT32, true, true},
};

const char *ts_integers_refused(const struct ts_job_spec *s)
{
    bool known = false;
    if (!ts_datum_integer(s->format) && !ts_datum_integer(s->out_format))
        return NULL;
    if (s->grid_rows)
        return "integers over a grid of tiles";
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (strcmp(integers[i].program, s->program) != 0 ||
            (integers[i].op && strcmp(integers[i].op, s->op) != 0) ||
            integers[i].format != s->format || integers[i].out_format != s->out_format)
            continue;
        known = true;
        if (integers[i].dst32 == s->dst32 && integers[i].to_dst == s->to_dst)
            return NULL;
    }
    return known ? "with another width of Dst, or another way to it (--dst, --unpack-to-dst)"
                 : "the kernel does not take this pair of integer formats";
}
