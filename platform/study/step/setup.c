// The state that a program begins with, and the numbers in Src and Dst.
#include "platform/study/step/step.h"

#include "platform/base/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- numbers ---

static uint32_t bits_of(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static double value_of(uint32_t bits)
{
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
}

// Blackhole's FP16 has no infinities: the largest exponent is one like the others.
static double fp16_value(uint16_t x)
{
    int exponent = x >> 10 & 31, mantissa = x & 0x3ff;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return x >> 15 ? -value : value;
}

static uint16_t bf16_of(double value)
{
    uint32_t bits = bits_of(value);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint16_t int8_of(double value)
{
    int number = (int)value;
    unsigned magnitude = (unsigned)(number < 0 ? -number : number) & 127u;
    return ts_fp16_from_int8((uint8_t)((number < 0 ? 128u : 0) | magnitude), false);
}

static uint32_t src_word(double value, unsigned format)
{
    return format == TS_FMT_BF16   ? ts_src_from_bf16(bf16_of(value))
           : format == TS_FMT_TF32 ? ts_src_from_fp32(bits_of(value))
           : format == TS_FMT_INT8 ? ts_src_from_fp16(int8_of(value))
                                   : ts_src_from_fp16(ts_fp16_from_fp32(bits_of(value)));
}

double ts_step_src_value(uint32_t word, unsigned format)
{
    return format == TS_FMT_INT8             ? ts_int_from_src(word)
           : ts_format_is_fp16_class(format) ? fp16_value(ts_fp16_from_src(word))
                                             : value_of(word);
}

static const uint32_t *config_of(const struct ts_tile *tile, unsigned thread)
{
    return ts_cfg_of(&tile->tensix.cfg, thread);
}

bool ts_step_dst_wide(const struct ts_tile *tile, unsigned thread)
{
    const uint32_t *cfg = config_of(tile, thread);
    return TS_CFG(cfg, ALU_ACC_CTRL_Fp32_enabled) || TS_CFG(cfg, ALU_ACC_CTRL_INT8_math_enabled);
}

// The format of what the matrix unit reads now decides how a 16-bit row is meant.
static unsigned matrix_format(const struct ts_tile *tile)
{
    const struct ts_src_file *file = &tile->files.streamed.srcs.a;
    return file->bank[file->matrix].format;
}

double ts_step_dst_value(const struct ts_tile *tile, unsigned thread, unsigned row, unsigned column)
{
    const struct ts_dst *dst = &tile->files.streamed.dst;
    if (ts_step_dst_wide(tile, thread)) {
        uint32_t cell = ts_fp32_from_cell(ts_dst_get32(dst, row, column));
        return TS_CFG(config_of(tile, thread), ALU_ACC_CTRL_INT8_math_enabled)
                   ? ts_sm32_to_int(cell)
                   : value_of(cell);
    }
    uint16_t cell = ts_dst_get16(dst, row, column);
    return ts_format_is_fp16_class(matrix_format(tile))
               ? fp16_value(ts_fp16_from_cell(cell))
               : value_of((uint32_t)ts_bf16_from_cell(cell) << 16);
}

// --- expressions: row, col, i, lane ---

struct names {
    const struct ts_step_setup *setup;
    uint32_t rows, columns;
};

static bool name_value(void *context, const char *name, struct ts_value *value)
{
    const struct names *self = context;
    bool down = strcmp(name, "row") == 0;
    bool across = strcmp(name, "col") == 0 || strcmp(name, "i") == 0 || strcmp(name, "lane") == 0;
    if (strcmp(name, "random") == 0) { // a fixed sequence in [-1, 1)
        if (!ts_value_init(value, self->rows, self->columns))
            return false;
        uint32_t state = 12345u + 7919u * self->setup->index + self->setup->kind;
        for (uint32_t i = 0; i < self->rows * self->columns; i++) {
            state = state * 1664525u + 1013904223u;
            value->at[i] = (double)(state >> 8) / (1 << 23) - 1;
        }
        return true;
    }
    if ((!down && !across) ||
        !ts_value_init(value, down ? self->rows : 1, down ? 1 : self->columns))
        return false;
    for (uint32_t i = 0; i < (down ? self->rows : self->columns); i++)
        value->at[i] = down ? self->setup->first + i : i;
    return true;
}

static bool evaluate(const struct ts_step_program *program, const struct ts_step_setup *setup,
                     uint32_t rows, uint32_t columns, struct ts_value *value,
                     struct ts_error *error)
{
    struct names context = {setup, rows, columns};
    const struct ts_eval_names names = {.name = name_value, .context = &context};
    char why[160];
    if (!ts_eval_matrix(setup->expression, &names, value, why, sizeof why)) {
        ts_fail(error, TS_SETUP, "%.200s:%d: %s: %s", program->name, setup->line, setup->expression,
                why);
        return false;
    }
    return true;
}

// --- lines ---

static void set_field(struct ts_tile *tile, const struct ts_step_setup *s)
{
    struct ts_cfg *cfg = &tile->tensix.cfg;
    uint32_t mask = TS_FIELD_MASK(s->bits) << s->shift;
    if (s->thread_field) {
        uint16_t word = cfg->thd[s->thread][s->address];
        ts_cfg_write_thd(cfg, s->thread, s->address,
                         (uint16_t)((word & ~mask) | s->value << s->shift));
        return;
    }
    for (unsigned bank = 0; bank < 2; bank++)
        ts_tensix_configure(&tile->tensix, TS_BY_HOST, bank, s->address,
                            (cfg->bank[bank][s->address] & ~mask) | s->value << s->shift, false, 0);
}

static void set_src(struct ts_tile *tile, const struct ts_step_setup *s,
                    const struct ts_value *value, unsigned format)
{
    struct ts_srcs *srcs = &tile->files.streamed.srcs;
    struct ts_src_file *file = s->index ? &srcs->b : &srcs->a;
    unsigned index = file->matrix;
    struct ts_src_bank *bank = &file->bank[index];
    for (unsigned row = s->first; row <= s->last; row++)
        for (unsigned column = 0; column < TS_SRC_COLS; column++)
            bank->w[row][column] = src_word(ts_value_at(value, row - s->first, column), format);
    ts_src_touch(bank, s->first, s->last - s->first + 1);
    if (bank->owner == TS_SRC_MATRIX)
        return;
    ts_src_hand_over(file, format);
    ts_files_handed_over(&tile->files, s->index, index, 0);
}

static void set_dst(struct ts_tile *tile, const struct ts_step_setup *s,
                    const struct ts_value *value, unsigned format)
{
    bool wide = ts_step_dst_wide(tile, s->thread);
    for (unsigned row = s->first; row <= s->last; row++)
        for (unsigned column = 0; column < TS_DST_COLS; column++) {
            double x = ts_value_at(value, row - s->first, column);
            uint32_t whole = format == TS_FMT_INT8 ? ts_sm32_from_int((int32_t)x) : bits_of(x);
            if (wide)
                ts_dst_set32(&tile->files.streamed.dst, row, column, ts_fp32_to_cell(whole));
            else
                ts_dst_set16(&tile->files.streamed.dst, row, column,
                             format == TS_FMT_INT8 ? ts_fp16_to_cell(int8_of(x))
                             : format == TS_FMT_FP16
                                 ? ts_fp16_to_cell(ts_fp16_from_fp32(bits_of(x)))
                                 : ts_bf16_to_cell(bf16_of(x)));
        }
}

static void set_l1(struct ts_tile *tile, const struct ts_step_setup *s,
                   const struct ts_value *value, unsigned format)
{
    unsigned bytes = format == TS_FMT_TF32 ? 4 : format == TS_FMT_INT8 ? 1 : 2;
    for (uint32_t i = 0; i < s->max && s->address + (i + 1) * bytes <= TS_L1_SIZE; i++) {
        double x = ts_value_at(value, 0, i);
        int whole = (int)x;
        uint32_t word = format == TS_FMT_TF32   ? bits_of(x)
                        : format == TS_FMT_BF16 ? bf16_of(x)
                        : format == TS_FMT_FP16
                            ? ts_fp16_from_fp32(bits_of(x))
                            : (whole < 0 ? 128u : 0) | ((unsigned)abs(whole) & 127u);
        ts_l1_write(&tile->l1, s->address + i * bytes, &word, bytes, 0);
    }
}

static bool set_numbers(const struct ts_step_program *program, const struct ts_step_setup *s,
                        struct ts_tile *tile, unsigned format, struct ts_error *error)
{
    bool table = s->kind == TS_STEP_SRC || s->kind == TS_STEP_DST;
    uint32_t columns = table ? 16 : s->kind == TS_STEP_L1 ? s->max : TS_LANES;
    struct ts_value value = {0};
    if (!evaluate(program, s, table ? s->last - s->first + 1 : 1, columns, &value, error))
        return false;
    if (s->kind == TS_STEP_SRC)
        set_src(tile, s, &value, format);
    else if (s->kind == TS_STEP_DST)
        set_dst(tile, s, &value, format);
    else if (s->kind == TS_STEP_L1)
        set_l1(tile, s, &value, format);
    else
        for (unsigned lane = 0; lane < TS_LANES; lane++)
            tile->vector.state.lreg[s->index][lane] = bits_of(ts_value_at(&value, 0, lane));
    free(value.at);
    return true;
}

bool ts_step_set_up(const struct ts_step_program *program, struct ts_tile *tile,
                    struct ts_error *error)
{
    unsigned format = TS_FMT_BF16;
    for (unsigned i = 0; i < program->setup_count; i++) {
        const struct ts_step_setup *s = &program->setups[i];
        switch (s->kind) {
        case TS_STEP_CFG:
            set_field(tile, s);
            break;
        case TS_STEP_GPR:
            ts_tensix_gprs(&tile->tensix, s->thread, 0)[s->index] = s->value;
            break;
        case TS_STEP_SEMAPHORE: {
            struct ts_sync_semaphore *semaphore = &tile->sync.semaphore[s->index];
            semaphore->value = semaphore->old_value = (uint8_t)s->value;
            semaphore->max = semaphore->old_max = (uint8_t)s->max;
            break;
        }
        case TS_STEP_MOP:
            ts_frontend_mop_config(&tile->front[s->thread], s->index, s->value, 0);
            break;
        case TS_STEP_FORMAT:
            format = s->value;
            break;
        case TS_STEP_SRC:
        case TS_STEP_DST:
        case TS_STEP_L1:
        case TS_STEP_LREG:
            if (!set_numbers(program, s, tile, format, error))
                return false;
            break;
        }
    }
    return true;
}
