// Declarations of a program as text (write.h).
//
// What the forms share is one list of keys and values for each declaration; a form says which of
// them are positions of a type and writes the others as attributes.
#include "platform/study/pipe/write.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

const char *const ts_pipe_form_names[] = {"yaml", "pto", "cpp", NULL};

enum { KEYS = 24, VALUE = 200 };

struct keys {
    const char *key[KEYS];
    char value[KEYS][VALUE];
    bool text[KEYS]; // to be quoted
    unsigned count;
};

static void add(struct keys *self, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct keys *self, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(self->value[self->count], VALUE, format, args);
    va_end(args);
    self->key[self->count++] = key;
}

static void add_text(struct keys *self, const char *key, const char *value)
{
    self->text[self->count] = true;
    add(self, key, "%s", value);
}

// Writes the keys from `first` on: {k: v} of YAML, {k = v} of PTO, [[k(v)]] of C++.
static void write_keys(const struct keys *self, unsigned first, enum ts_pipe_form form, FILE *file)
{
    static const char *const between[] = {": ", " = ", "("};
    for (unsigned i = first; i < self->count; i++) {
        const char *quote = self->text[i] ? "\"" : "";
        fprintf(file, "%s%s%s%s%s%s%s", i > first ? ", " : "", self->key[i], between[form], quote,
                self->value[i], quote, form == TS_FORM_CPP ? ")" : "");
    }
}

// The keys in brackets, if there are any.
static void write_between(const char *open, const struct keys *keys, enum ts_pipe_form form,
                          const char *close, FILE *file)
{
    if (keys->count == 0)
        return;
    fputs(open, file);
    write_keys(keys, 0, form, file);
    fputs(close, file);
}

// --- what a declaration says beyond its type ---

static void tensor_keys(const struct ts_pipe_program *self, uint32_t id, struct keys *keys)
{
    static const char *const inits[] = {"zero", "random", "ints", "iota", "value", "file"};
    const struct ts_tensor_decl *tensor = &self->machine.tensors[id];
    const struct ts_pipe_data *data = &self->data[id];
    if (data->init != TS_INIT_ZERO)
        add(keys, "init", "%s", inits[data->init]);
    if (data->low != (data->init == TS_INIT_INTS ? -2 : -1))
        add(keys, "low", "%.17g", data->low);
    if (data->high != (data->init == TS_INIT_INTS ? 2 : 1))
        add(keys, "high", "%.17g", data->high);
    if (data->value != 0)
        add(keys, "value", "%.17g", data->value);
    if (data->seed != 19)
        add(keys, "seed", "%llu", (unsigned long long)data->seed);
    if (data->file)
        add_text(keys, "file", data->file);
    if (data->expect)
        add_text(keys, "expect", data->expect);
    if (data->save)
        add_text(keys, "save", data->save);
    if (data->tolerance != 0.001)
        add(keys, "tolerance", "%.17g", data->tolerance);
    if (tensor->out != (data->expect || data->save))
        add(keys, "out", "%s", tensor->out ? "true" : "false");
}

static void tile_keys(const struct ts_tile_decl *tile, struct keys *keys)
{
    if (tile->vrows != tile->rows)
        add(keys, "valid_rows", "%u", tile->vrows);
    if (tile->vcols != tile->cols)
        add(keys, "valid_cols", "%u", tile->vcols);
    if (tile->layout != TS_LAYOUT_ND)
        add(keys, "layout", "%s", ts_layout_names[tile->layout]);
    if (tile->has_addr)
        add(keys, "addr", "%u", tile->addr);
}

static void pipe_keys(const struct ts_ring_config *pipe, struct keys *keys)
{
    if (pipe->layout != TS_LAYOUT_ND)
        add(keys, "layout", "%s", ts_layout_names[pipe->layout]);
    if (pipe->has_gm)
        add(keys, "gm", "%llu", (unsigned long long)pipe->gm);
    if (pipe->has_ub)
        add(keys, "ub", "%u", pipe->ub);
    if (pipe->has_l1)
        add(keys, "l1", "%u", pipe->l1);
    if (pipe->gm_size)
        add(keys, "gm_size", "%llu", (unsigned long long)pipe->gm_size);
    if (pipe->variant != (pipe->tmpipe ? TS_VARIANT_D : TS_VARIANT_A))
        add(keys, "variant", "%s", ts_variant_names[pipe->variant]);
    if (pipe->tile_stride)
        add(keys, "local_stride", "tile");
    if (pipe->tmpipe && pipe->no_split)
        add(keys, "no_split", "true");
}

// --- declarations ---

static const char *dtype_name(enum ts_dtype type, enum ts_pipe_form form)
{
    static const char *const pto[] = {"f32", "f16", "bf16", "i8", "i16", "i32"};
    static const char *const cpp[] = {"float",  "half",    "bfloat16_t",
                                      "int8_t", "int16_t", "int32_t"};
    return form == TS_FORM_PTO ? pto[type] : form == TS_FORM_CPP ? cpp[type] : ts_dtype_names[type];
}

static void write_upper(const char *text, FILE *file)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), file);
}

// Acc, Vec: TileType's names.
static void write_location(enum ts_mem mem, FILE *file)
{
    const char *name = ts_mem_tile_name(mem);
    fprintf(file, "TileType::%c%s", toupper((unsigned char)*name), name + 1);
}

static void write_tensor(const struct ts_pipe_program *self, uint32_t id, enum ts_pipe_form form,
                         FILE *file)
{
    const struct ts_tensor_decl *t = &self->machine.tensors[id];
    struct keys keys = {0};
    const char *type = dtype_name(t->type, form);
    tensor_keys(self, id, &keys);
    switch (form) {
    case TS_FORM_YAML:
        fprintf(file, "  - {name: %s, type: %s, rows: %u, cols: %u%s", t->name, type, t->rows,
                t->cols, keys.count ? ", " : "");
        write_keys(&keys, 0, form, file);
        fputs("}\n", file);
        return;
    case TS_FORM_PTO:
        fprintf(file, "  %%%s = pto.%s : !pto.tensor<%s, %u, %u>", t->name,
                t->window ? "window" : "tensor", type, t->rows, t->cols);
        write_between(" {", &keys, form, "}", file);
        fputc('\n', file);
        return;
    default:
        write_between("[[", &keys, form, "]] ", file);
        fprintf(file, "%s<%s, %u, %u> %s;\n", t->window ? "GlobalWindow" : "GlobalTensor", type,
                t->rows, t->cols, t->name);
    }
}

static void write_tile(const struct ts_tile_decl *t, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    const char *type = dtype_name(t->type, form);
    tile_keys(t, &keys);
    if (t->count > 1 && form != TS_FORM_CPP)
        add(&keys, "count", "%u", t->count);
    switch (form) {
    case TS_FORM_YAML:
        fprintf(file, "  - {name: %s, loc: %s, type: %s, rows: %u, cols: %u%s", t->name,
                ts_mem_tile_name(t->mem), type, t->rows, t->cols, keys.count ? ", " : "");
        write_keys(&keys, 0, form, file);
        fputs("}\n", file);
        return;
    case TS_FORM_PTO:
        fprintf(file, "  %%%s = pto.alloc_tile : !pto.tile_buf<%s, %s, %u, %u>", t->name,
                ts_mem_tile_name(t->mem), type, t->rows, t->cols);
        write_between(" {", &keys, form, "}", file);
        fputc('\n', file);
        return;
    default:
        write_between("[[", &keys, form, "]] ", file);
        fputs("Tile<", file);
        write_location(t->mem, file);
        fprintf(file, ", %s, %u, %u> %s", type, t->rows, t->cols, t->name);
        if (t->count > 1)
            fprintf(file, "[%u]", t->count);
        fputs(";\n", file);
    }
}

// A TMPipe's tile by its shape.
static void write_end(const struct ts_ring_config *p, bool prod, enum ts_pipe_form form, FILE *file)
{
    bool c2v = p->direction == TS_DIR_C2V || p->direction == TS_DIR_C2V_GM;
    enum ts_mem mem = prod ? (c2v ? TS_MEM_L0C : TS_MEM_UB) : (c2v ? TS_MEM_UB : TS_MEM_L1);
    uint32_t rows = prod ? p->prod_rows : p->cons_rows, cols = prod ? p->prod_cols : p->cons_cols;
    const char *type = dtype_name((enum ts_dtype)p->tile_type, form);
    if (form == TS_FORM_YAML) {
        fprintf(file, "{loc: %s, type: %s, rows: %u, cols: %u}", ts_mem_tile_name(mem), type, rows,
                cols);
    } else if (form == TS_FORM_PTO) {
        fprintf(file, "!pto.tile_buf<%s, %s, %u, %u>", ts_mem_tile_name(mem), type, rows, cols);
    } else {
        fputs("Tile<", file);
        write_location(mem, file);
        fprintf(file, ", %s, %u, %u>", type, rows, cols);
    }
}

static const char *const ratio_names[] = {"v1c1_vec0", "v1c1_vec1", "v2c1_vecs"};

static void write_tmpipe(const struct ts_ring_config *p, enum ts_pipe_form form, FILE *file)
{
    bool ctrl = p->fifo == TS_CTRL_FIFO;
    if (form == TS_FORM_YAML) {
        fprintf(file, "kind: tmpipe, flag: %u, fifo: %s, depth: %u, period: %u, prod: ", p->flag,
                ts_fifo_names[p->fifo], p->slots, p->sync_period);
        write_end(p, true, form, file);
        if (!ctrl) {
            fputs(", cons: ", file);
            write_end(p, false, form, file);
        }
        fprintf(file, ", unit_flag: %s, local_slots: %u, ratio: %s",
                p->unit_flag ? "true" : "false", p->local_slots, ratio_names[p->ratio]);
        return;
    }
    fprintf(file, form == TS_FORM_PTO ? "!pto.tmpipe<%u, " : "TMPipe<%u, FIFOType::", p->flag);
    if (form == TS_FORM_PTO) {
        fputs(ts_fifo_names[p->fifo], file);
    } else {
        write_upper(ts_fifo_names[p->fifo], file);
        fputs("_FIFO", file);
    }
    fprintf(file, ", %u, %u, ", p->slots, p->sync_period);
    write_end(p, true, form, file);
    fputs(", ", file);
    if (ctrl)
        fputs(form == TS_FORM_PTO ? "ctrl" : "Tile<TileType::Ctrl, int32_t, 1, 1>", file);
    else
        write_end(p, false, form, file);
    fprintf(file, ", %s, %u, ", p->unit_flag ? "true" : "false", p->local_slots);
    if (form == TS_FORM_CPP) {
        fputs("VecCubeRatio::", file);
        write_upper(ratio_names[p->ratio], file);
    } else {
        fputs(ratio_names[p->ratio], file);
    }
    fputc('>', file);
}

static void write_tpipe(const struct ts_ring_config *p, enum ts_pipe_form form, FILE *file)
{
    const char *dir = ts_direction_names[p->direction];
    const char *no_split = p->no_split ? "true" : "false", *uf = p->unit_flag ? "true" : "false";
    if (form == TS_FORM_YAML) {
        fprintf(file,
                "flag: %u, dir: %s, slot_size: %u, slots: %u, local_slots: %u, no_split: %s, "
                "unit_flag: %s",
                p->flag, dir, p->slot_size, p->slots, p->local_slots, no_split, uf);
        return;
    }
    if (form == TS_FORM_PTO) {
        fprintf(file, "!pto.tpipe<%u, %s", p->flag, dir);
    } else {
        fprintf(file, "TPipe<%u, Direction::DIR_", p->flag);
        write_upper(dir, file);
    }
    fprintf(file, ", %u, %u, %u, %s, %s>", p->slot_size, p->slots, p->local_slots, no_split, uf);
}

static void write_pipe(const struct ts_ring_config *p, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    pipe_keys(p, &keys);
    if (form == TS_FORM_YAML)
        fprintf(file, "  - {name: %s, ", p->name);
    else if (form == TS_FORM_PTO)
        fprintf(file, "  %%%s = pto.%s : ", p->name, p->tmpipe ? "tmpipe" : "tpipe");
    else if (keys.count) {
        fputs("[[", file);
        write_keys(&keys, 0, form, file);
        fputs("]] ", file);
    }
    (p->tmpipe ? write_tmpipe : write_tpipe)(p, form, file);
    if (form == TS_FORM_CPP) {
        fprintf(file, " %s;\n", p->name);
        return;
    }
    if (keys.count) {
        fputs(form == TS_FORM_YAML ? ", " : " {", file);
        write_keys(&keys, 0, form, file);
    }
    fputs(form == TS_FORM_YAML ? "}\n" : keys.count ? "}\n" : "\n", file);
}

// --- the program's own keys ---

static void timing_value(const struct ts_pipe_program *self, char *to, size_t room)
{
    struct ts_timing preset;
    size_t used = 0;
    to[0] = 0;
    if (!ts_pipe_preset(self->preset, &preset))
        return;
#define TS_PARAM(key, unit, low, high, text)                                                   \
    if (self->machine.timing.key != preset.key && used < room)                                 \
        used += (size_t)snprintf(to + used, room - used, "%s%s: %lld", used ? ", " : "", #key, \
                                 (long long)self->machine.timing.key);
#include "config/pipe_timing.def"
#undef TS_PARAM
}

static void published_value(const struct ts_pipe_program *self, char *to, size_t room)
{
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < TS_PUBLISHED_COUNT; i++)
        if (self->published >> i & 1)
            used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "",
                                     ts_published_names[i]);
}

static void expect_value(const struct ts_pipe_program *self, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "{verdict: %s, finds: [",
                                   ts_pipe_verdict_names[self->expected]);
    for (int id = 0, first = 1; id < TS_FINDING_COUNT; id++)
        if (self->expects_finding[id]) {
            used += (size_t)snprintf(to + used, room - used, "%s%s", first ? "" : ", ",
                                     ts_finding_code((enum ts_finding_id)id));
            first = 0;
        }
    used += (size_t)snprintf(to + used, room - used, "], cycles: %llu, peak: {",
                             (unsigned long long)self->expected_cycles);
    for (uint32_t i = 0; i < self->peak_count && used < room; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%s: %lld", i ? ", " : "",
                                 self->peaks[i].name, (long long)self->peaks[i].value);
    if (used < room)
        snprintf(to + used, room - used, "}}");
}

static void top_keys(const struct ts_pipe_program *self, struct keys *keys)
{
    const struct ts_machine *machine = &self->machine;
    char text[VALUE];
    add(keys, "profile", "%s", ts_profile_name(machine->profile));
    add(keys, "preset", "%s", self->preset);
    if (machine->auto_sync)
        add(keys, "sync", "auto");
    if (machine->strict)
        add(keys, "strict", "true");
    if (machine->unsafe)
        add(keys, "unsafe", "true");
    if (!machine->data)
        add(keys, "data", "false");
    if (machine->clusters != 1)
        add(keys, "clusters", "%u", machine->clusters);
    if (machine->dispatches != 1)
        add(keys, "dispatches", "%u", machine->dispatches);
    if (self->limit != (ts_cycle)1 << 60)
        add(keys, "limit", "%llu", (unsigned long long)self->limit);
    published_value(self, text, sizeof text);
    if (text[0])
        add(keys, "published", "[%s]", text);
    timing_value(self, text, sizeof text);
    if (text[0])
        add(keys, "timing", "{%s}", text);
    if (self->has_expectation) {
        expect_value(self, text, sizeof text);
        add(keys, "expect", "%s", text);
    }
}

static void write_head(const struct ts_pipe_program *self, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    top_keys(self, &keys);
    if (form == TS_FORM_PTO) {
        for (unsigned i = 0; i < keys.count; i++)
            keys.text[i] = true;
        fputs("module attributes {", file);
        fprintf(file, "name = \"%s\", ", self->name);
        write_keys(&keys, 0, form, file);
        fputs("} {\n", file);
        return;
    }
    bool cpp = form == TS_FORM_CPP;
    fprintf(file, cpp ? "#pragma tensim name %s\n" : "name: %s\n", self->name);
    for (unsigned i = 0; i < keys.count; i++)
        fprintf(file, cpp ? "#pragma tensim %s %s\n" : "%s: %s\n", keys.key[i], keys.value[i]);
}

static void write_tensors(const struct ts_pipe_program *self, enum ts_pipe_form form, bool window,
                          FILE *file)
{
    bool first = form == TS_FORM_YAML;
    for (uint32_t i = 0; i < self->machine.tensor_count; i++) {
        if (self->machine.tensors[i].window != window)
            continue;
        if (first)
            fputs(window ? "windows:\n" : "tensors:\n", file);
        first = false;
        write_tensor(self, i, form, file);
    }
}

void ts_pipe_write(const struct ts_pipe_program *self, enum ts_pipe_form form, FILE *file)
{
    const struct ts_machine *machine = &self->machine;
    write_head(self, form, file);
    write_tensors(self, form, false, file);
    write_tensors(self, form, true, file);
    if (form == TS_FORM_YAML && machine->tile_count)
        fputs("tiles:\n", file);
    for (uint32_t i = 0; i < machine->tile_count; i++)
        write_tile(&machine->tiles[i], form, file);
    if (form == TS_FORM_YAML && machine->pipe_count)
        fputs("pipes:\n", file);
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        write_pipe(&machine->pipes[i], form, file);
    for (unsigned side = 0; side < 2; side++)
        ts_write_code(self, form, side, file);
    if (form == TS_FORM_PTO)
        fputs("}\n", file);
}
