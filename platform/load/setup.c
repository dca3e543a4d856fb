// The state that a program begins with, and the numbers in Src and Dst (setup.h).
#include "platform/load/setup.h"

#include "platform/base/eval.h"
#include "platform/base/floats.h"

// --- numbers ---

static uint32_t bits_of(double value)
{
    return ts_float_bits((float)value);
}

static double value_of(uint32_t bits)
{
    return (double)ts_bits_float(bits);
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

double ts_setup_src_value(uint32_t word, unsigned format)
{
    return format == TS_FMT_INT8             ? ts_int_from_src(word)
           : ts_format_is_fp16_class(format) ? fp16_value(ts_fp16_from_src(word))
                                             : value_of(word);
}

static const uint32_t *config_of(const struct ts_tile *tile, unsigned thread)
{
    return ts_cfg_of(&tile->tensix.cfg, thread);
}

bool ts_setup_dst_wide(const struct ts_tile *tile, unsigned thread)
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

double ts_setup_dst_value(const struct ts_tile *tile, unsigned thread, unsigned row,
                          unsigned column)
{
    const struct ts_dst *dst = &tile->files.streamed.dst;
    if (ts_setup_dst_wide(tile, thread)) {
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

// Of the sequence that `random` begins with.
static uint32_t kind_of(const struct ts_setup *setup)
{
    return setup->what == TS_DO_SETUP_dst    ? 2
           : setup->what == TS_DO_SETUP_l1   ? 3
           : setup->what == TS_DO_SETUP_lreg ? 4
                                             : 1;
}

struct names {
    const struct ts_setup *setup;
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
        uint32_t state = 12345u + 7919u * self->setup->index + kind_of(self->setup);
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

static bool evaluate(const struct ts_setups *program, const struct ts_setup *setup, uint32_t rows,
                     uint32_t columns, struct ts_value *value, struct ts_error *error)
{
    struct names context = {setup, rows, columns};
    const struct ts_eval_names names = {.name = name_value, .context = &context};
    char why[160];
    if (!ts_eval_matrix(setup->expression, &names, value, why, sizeof why))
        return ts_refuse(error, TS_SETUP, "%.200s:%d: %s: %s", program->file, setup->line,
                         setup->expression, why);
    return true;
}

// --- applying ---

static void set_field(struct ts_tile *tile, const struct ts_setup *s)
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

static void set_src(struct ts_tile *tile, const struct ts_setup *s, const struct ts_value *value,
                    unsigned format)
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

static void set_dst(struct ts_tile *tile, const struct ts_setup *s, const struct ts_value *value,
                    unsigned format)
{
    bool wide = ts_setup_dst_wide(tile, s->thread);
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

static void set_l1(struct ts_tile *tile, const struct ts_setup *s, const struct ts_value *value,
                   unsigned format)
{
    unsigned bytes = format == TS_FMT_TF32 ? 4 : format == TS_FMT_INT8 ? 1 : 2;
    for (uint32_t i = 0; i < s->count && s->address + (i + 1) * bytes <= TS_L1_SIZE; i++) {
        double x = ts_value_at(value, 0, i);
        int whole = (int)x;
        uint32_t word = format == TS_FMT_TF32   ? bits_of(x)
                        : format == TS_FMT_BF16 ? bf16_of(x)
                        : format == TS_FMT_FP16
                            ? ts_fp16_from_fp32(bits_of(x))
                            : (whole < 0 ? 128u : 0) | ((unsigned)abs(whole) & 127u);
        ts_l1_write(&tile->l1, s->address + i * bytes, &word, bytes, 0);
        if (tile->check)
            ts_check_host(tile->check, TS_OBJECT_L1, s->address + i * bytes, bytes);
    }
}

static bool set_numbers(const struct ts_setups *program, const struct ts_setup *s,
                        struct ts_tile *tile, unsigned format, struct ts_error *error)
{
    bool src = s->what == TS_DO_SETUP_srca || s->what == TS_DO_SETUP_srcb;
    bool table = src || s->what == TS_DO_SETUP_dst;
    uint32_t columns = table ? 16 : s->what == TS_DO_SETUP_l1 ? s->count : TS_LANES;
    struct ts_value value = {0};
    if (!evaluate(program, s, table ? s->last - s->first + 1 : 1, columns, &value, error))
        return false;
    if (src)
        set_src(tile, s, &value, format);
    else if (table)
        set_dst(tile, s, &value, format);
    else if (s->what == TS_DO_SETUP_l1)
        set_l1(tile, s, &value, format);
    else
        for (unsigned lane = 0; lane < TS_LANES; lane++)
            tile->vector.state.lreg[s->index][lane] = bits_of(ts_value_at(&value, 0, lane));
    free(value.at);
    return true;
}

bool ts_setups_apply(const struct ts_setups *self, struct ts_tile *tile, struct ts_error *error)
{
    static const unsigned formats[] = {TS_FMT_BF16, TS_FMT_FP16, TS_FMT_TF32, TS_FMT_INT8};
    unsigned format = TS_FMT_BF16;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        struct ts_sync_semaphore *to = &tile->sync.semaphore[i];
        if (!self->semaphores[i].declared)
            continue;
        to->value = to->old_value = (uint8_t)self->semaphores[i].value;
        to->max = to->old_max = (uint8_t)self->semaphores[i].max;
    }
    for (unsigned i = 0; i < self->count; i++) {
        const struct ts_setup *s = &self->rows[i];
        switch (s->what) {
        case TS_DO_SETUP_cfg:
            set_field(tile, s);
            break;
        case TS_DO_SETUP_gpr:
            ts_tensix_gprs(&tile->tensix, s->thread, 0)[s->index] = s->value;
            break;
        case TS_DO_SETUP_mop:
            ts_frontend_mop_config(&tile->front[s->thread], s->index, s->value, 0);
            break;
        case TS_DO_SETUP_format:
            format = formats[s->value];
            break;
        default:
            if (!set_numbers(self, s, tile, format, error))
                return false;
            break;
        }
    }
    return true;
}

// --- reading ---

static struct ts_setup *add(struct ts_setups *self, const struct ts_script_step *step)
{
    if (self->count == TS_SETUPS) {
        ts_yaml_error(step->node, "more than %d steps of set-up", TS_SETUPS);
        self->count--;
    }
    struct ts_setup *to = &self->rows[self->count++];
    *to = (struct ts_setup){.what = step->verb, .line = ts_yaml_line(step->node)};
    return to;
}

static void add_field(struct ts_setups *self, const struct ts_script_step *step,
                      struct ts_yaml_node node, const char *name, uint32_t value)
{
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *field = &ts_cfg_fields[i];
        if (strcmp(field->name, name) != 0)
            continue;
        struct ts_setup *to = add(self, step);
        to->what = TS_DO_SETUP_cfg;
        to->thread = (unsigned)ts_script_arg(step, "thread");
        to->address = field->addr;
        to->shift = field->shift;
        to->bits = field->bits;
        to->thread_field = field->thread;
        to->value = value;
        if (value & ~TS_FIELD_MASK(field->bits))
            ts_yaml_error(node, "%s has %u bits: %u is too large", name, field->bits, value);
        return;
    }
    ts_yaml_error(node, "no configuration field '%s' (config/cfgregs.def)", name);
}

// By name, or a complete word of Config by its number.
static void add_cfg(struct ts_setups *self, const struct ts_script_step *step)
{
    uint32_t value = (uint32_t)ts_script_arg(step, "value");
    if (ts_script_given(step, "field") == ts_script_given(step, "word")) {
        ts_yaml_error(step->node, "cfg needs either a field or a word");
    } else if (ts_script_given(step, "field")) {
        add_field(self, step, ts_script_node(step, "field"), ts_script_arg_text(step, "field"),
                  value);
    } else {
        struct ts_setup *to = add(self, step);
        to->address = (unsigned)ts_script_arg(step, "word");
        to->bits = 32;
        to->value = value;
    }
}

// "+8", "cr+32", "c+8", "0" of a counter into the fields of a descriptor.
static void add_counter(struct ts_setups *self, const struct ts_script_step *step, const char *key)
{
    static const struct {
        const char *name, *group, *incr, *cr, *clear, *ctocr;
    } counters[] = {
        {"srca", "AB", "SrcAIncr", "SrcACR", "SrcAClear", NULL},
        {"srcb", "AB", "SrcBIncr", "SrcBCR", "SrcBClear", NULL},
        {"dst", "DST", "DestIncr", "DestCR", "DestClear", "DestCToCR"},
        {"phase", "DST", "FidelityIncr", NULL, "FidelityClear", NULL},
    };
    struct ts_yaml_node node = ts_script_node(step, key);
    const char *how = ts_yaml_text(node, ""), *plus = strchr(how, '+');
    size_t i = 0, length = plus ? (size_t)(plus - how) : strlen(how);
    int64_t by = 0;
    while (strcmp(counters[i].name, key) != 0)
        i++;
    const char *mode = length == 0 && plus                         ? counters[i].incr
                       : strcmp(how, "0") == 0                     ? counters[i].clear
                       : length == 2 && strncmp(how, "cr", 2) == 0 ? counters[i].cr
                       : length == 1 && how[0] == 'c' && plus      ? counters[i].ctocr
                                                                   : NULL;
    if (mode == NULL || (plus && (!ts_parse_int(plus + 1, &by) || by < 0 || by > 1023))) {
        ts_yaml_error(node, "'%s' is not +N, cr, cr+N, c+N or 0", how);
        return;
    }
    char name[64];
    if (mode != counters[i].incr) {
        snprintf(name, sizeof name, "ADDR_MOD_%s_SEC%u_%s", counters[i].group,
                 (unsigned)ts_script_arg(step, "index"), mode);
        add_field(self, step, node, name, 1);
    }
    if (plus) {
        snprintf(name, sizeof name, "ADDR_MOD_%s_SEC%u_%s", counters[i].group,
                 (unsigned)ts_script_arg(step, "index"), counters[i].incr);
        add_field(self, step, node, name, (uint32_t)by);
    }
}

static void add_addr_mod(struct ts_setups *self, const struct ts_script_step *step)
{
    static const char *const keys[] = {"srca", "srcb", "dst", "phase"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ts_script_given(step, keys[i]))
            add_counter(self, step, keys[i]);
}

static void add_numbers(struct ts_setups *self, const struct ts_script_step *step)
{
    struct ts_setup *to = add(self, step);
    snprintf(to->expression, sizeof to->expression, "%s", ts_script_arg_text(step, "value"));
    if (step->verb == TS_DO_SETUP_l1) {
        to->address = (unsigned)ts_script_arg(step, "address");
        to->count = (uint32_t)ts_script_arg(step, "count");
    } else if (step->verb == TS_DO_SETUP_lreg) {
        to->index = (unsigned)ts_script_arg(step, "register");
    } else {
        int64_t rows = ts_script_arg(step, "rows");
        to->thread = (unsigned)ts_script_arg(step, "thread");
        to->index = step->verb == TS_DO_SETUP_srcb;
        to->first = (unsigned)(rows & 0xffff);
        to->last = (unsigned)(rows >> 16);
    }
}

static void add_value(struct ts_setups *self, const struct ts_script_step *step)
{
    struct ts_setup *to = add(self, step);
    if (step->verb == TS_DO_SETUP_format) {
        to->value = (uint32_t)ts_script_arg(step, "name");
        return;
    }
    to->thread = (unsigned)ts_script_arg(step, "thread");
    to->index = (unsigned)ts_script_arg(step, "register");
    bool word = step->verb == TS_DO_SETUP_mop && ts_script_given(step, "tt");
    to->value = (uint32_t)ts_script_arg(step, word ? "tt" : "value");
}

void ts_setups_read(struct ts_setups *self, const struct ts_script *script)
{
    self->count = 0;
    snprintf(self->file, sizeof self->file, "%s", script->yaml.path);
    memcpy(self->semaphores, script->semaphores, sizeof self->semaphores);
    for (size_t i = 0; i < script->setup.count; i++) {
        const struct ts_script_step *step = &script->setup.steps[i];
        switch (step->verb) {
        case TS_DO_SETUP_cfg:
            add_cfg(self, step);
            break;
        case TS_DO_SETUP_addr_mod:
            add_addr_mod(self, step);
            break;
        case TS_DO_SETUP_gpr:
        case TS_DO_SETUP_mop:
        case TS_DO_SETUP_format:
            add_value(self, step);
            break;
        default:
            add_numbers(self, step);
            break;
        }
    }
}
