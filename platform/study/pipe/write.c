// Declarations of a program as text (write.h).
//
// A declaration is one list of keys and values. YAML writes all of them; the other forms write the first ones as the arguments of a
// type and the rest as attributes.
#include "platform/study/pipe/write.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_pipe_form_names[] = {"yaml", "pto", "cpp", NULL};

enum { KEYS = 24, VALUE = 200 };

struct keys {
    const char *key[KEYS];
    char value[KEYS][VALUE];
    bool text[KEYS];       // to be quoted
    unsigned count, first; // those before `first` are arguments of the type
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

// Keys from `first` on: k: v of YAML, k = v of PTO, k(v) of C++.
static void write_keys(const struct keys *self, unsigned first, enum ts_pipe_form form, FILE *file)
{
    static const char *const between[] = {": ", " = ", "("};
    for (unsigned i = first; i < self->count; i++) {
        const char *quote = self->text[i] ? "\"" : "";
        fprintf(file, "%s%s%s%s%s%s%s", i > first ? ", " : "", self->key[i], between[form], quote,
                self->value[i], quote, form == TS_FORM_CPP ? ")" : "");
    }
}

// The arguments of a type.
static void write_arguments(const struct keys *self, FILE *file)
{
    for (unsigned i = 0; i < self->first; i++)
        fprintf(file, "%s%s", i ? ", " : "<", self->value[i]);
    fputc('>', file);
}

// One declaration: `kind` and `type` of PTO, the template of C++.
static void write_declaration(const struct keys *keys, enum ts_pipe_form form, const char *name,
                              const char *kind, const char *type, const char *template,
                              const char *suffix, FILE *file)
{
    const bool rest = keys->count > keys->first;
    if (form == TS_FORM_YAML) {
        fprintf(file, "  - {name: %s, ", name);
        write_keys(keys, 0, form, file);
        fputs("}\n", file);
        return;
    }
    if (form == TS_FORM_PTO)
        fprintf(file, "  %%%s = pto.%s : !pto.%s", name, kind, type);
    if (form == TS_FORM_PTO)
        write_arguments(keys, file);
    if (rest) {
        fputs(form == TS_FORM_PTO ? " {" : "[[", file);
        write_keys(keys, keys->first, form, file);
        fputs(form == TS_FORM_PTO ? "}" : "]] ", file);
    }
    if (form == TS_FORM_CPP) {
        fputs(template, file);
        write_arguments(keys, file);
        fprintf(file, " %s%s;", name, suffix);
    }
    fputc('\n', file);
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
        add(keys, "layout", "%s", ts_layout_name(tile->layout));
    if (tile->has_addr)
        add(keys, "addr", "%u", tile->addr);
}

static void pipe_keys(const struct ts_ring_config *pipe, struct keys *keys)
{
    if (pipe->layout != TS_LAYOUT_ND)
        add(keys, "layout", "%s", ts_layout_name(pipe->layout));
    if (pipe->has_gm)
        add(keys, "gm", "%llu", (unsigned long long)pipe->gm);
    if (pipe->has_ub)
        add(keys, "ub", "%u", pipe->ub);
    if (pipe->has_l1)
        add(keys, "l1", "%u", pipe->l1);
    if (pipe->gm_size)
        add(keys, "gm_size", "%llu", (unsigned long long)pipe->gm_size);
    if (pipe->variant != (pipe->tmpipe ? TS_VARIANT_D : TS_VARIANT_A))
        add(keys, "variant", "%s", ts_variant_name(pipe->variant));
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
    return form == TS_FORM_PTO ? pto[type] : form == TS_FORM_CPP ? cpp[type] : ts_dtype_name(type);
}

// A word of an enumeration: vec, in C++ Prefix::VEC with a suffix.
static void add_word(struct keys *self, const char *key, enum ts_pipe_form form, const char *prefix,
                     const char *word, const char *suffix)
{
    char upper[40];
    size_t i = 0;
    for (; word[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)word[i]);
    upper[i] = '\0';
    if (form == TS_FORM_CPP)
        add(self, key, "%s%s%s", prefix, upper, suffix);
    else
        add(self, key, "%s", word);
}

// A tile's or tensor's own: place (a tile's), element type, rows, columns.
static void add_shape(struct keys *self, enum ts_pipe_form form, const enum ts_mem *mem,
                      enum ts_dtype type, uint32_t rows, uint32_t cols)
{
    if (mem) {
        const char *name = ts_mem_tile_name(*mem);
        if (form == TS_FORM_CPP) // TileType's names: Acc, Vec
            add(self, "loc", "TileType::%c%s", toupper((unsigned char)*name), name + 1);
        else
            add(self, "loc", "%s", name);
    }
    add(self, "type", "%s", dtype_name(type, form));
    add(self, "rows", "%u", rows);
    add(self, "cols", "%u", cols);
    self->first = self->count;
}

static void write_tensor(const struct ts_pipe_program *self, uint32_t id, enum ts_pipe_form form,
                         FILE *file)
{
    const struct ts_tensor_decl *t = &self->machine.tensors[id];
    struct keys keys = {0};
    add_shape(&keys, form, NULL, t->type, t->rows, t->cols);
    tensor_keys(self, id, &keys);
    write_declaration(&keys, form, t->name, t->window ? "window" : "tensor", "tensor",
                      t->window ? "GlobalWindow" : "GlobalTensor", "", file);
}

static void write_tile(const struct ts_tile_decl *t, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    char many[16] = "";
    add_shape(&keys, form, &t->mem, t->type, t->rows, t->cols);
    tile_keys(t, &keys);
    if (t->count > 1 && form != TS_FORM_CPP)
        add(&keys, "count", "%u", t->count);
    else if (t->count > 1)
        snprintf(many, sizeof many, "[%u]", t->count);
    write_declaration(&keys, form, t->name, "alloc_tile", "tile_buf", "Tile", many, file);
}

// A TMPipe's tile by its shape.
static void add_end(struct keys *self, const char *key, const struct ts_ring_config *p, bool prod,
                    enum ts_pipe_form form)
{
    bool c2v = p->direction == TS_DIR_C2V || p->direction == TS_DIR_C2V_GM;
    enum ts_mem mem = prod ? (c2v ? TS_MEM_L0C : TS_MEM_UB) : (c2v ? TS_MEM_UB : TS_MEM_L1);
    struct keys tile = {0};
    add_shape(&tile, form, &mem, (enum ts_dtype)p->tile_type, prod ? p->prod_rows : p->cons_rows,
              prod ? p->prod_cols : p->cons_cols);
    char *text = NULL;
    size_t size;
    FILE *to = ts_pipe_or_die(open_memstream(&text, &size));
    fputs(form == TS_FORM_YAML ? "{" : form == TS_FORM_PTO ? "!pto.tile_buf" : "Tile", to);
    if (form == TS_FORM_YAML)
        write_keys(&tile, 0, form, to);
    else
        write_arguments(&tile, to);
    fputs(form == TS_FORM_YAML ? "}" : "", to);
    fclose(to);
    add(self, key, "%s", text);
    free(text);
}

static void add_tmpipe(struct keys *keys, const struct ts_ring_config *p, enum ts_pipe_form form)
{
    static const char *const fifos[] = {"gm", "vec", "mat", "ctrl"};
    static const char *const ratios[] = {"v1c1_vec0", "v1c1_vec1", "v2c1_vecs"};
    if (form == TS_FORM_YAML)
        add(keys, "kind", "tmpipe");
    add(keys, "flag", "%u", p->flag);
    add_word(keys, "fifo", form, "FIFOType::", fifos[p->fifo], "_FIFO");
    add(keys, "depth", "%u", p->slots);
    add(keys, "period", "%u", p->sync_period);
    add_end(keys, "prod", p, true, form);
    if (p->fifo != TS_CTRL_FIFO)
        add_end(keys, "cons", p, false, form);
    else if (form != TS_FORM_YAML)
        add(keys, "cons", "%s",
            form == TS_FORM_PTO ? "ctrl" : "Tile<TileType::Ctrl, int32_t, 1, 1>");
    add(keys, "unit_flag", "%s", p->unit_flag ? "true" : "false");
    add(keys, "local_slots", "%u", p->local_slots);
    add_word(keys, "ratio", form, "VecCubeRatio::", ratios[p->ratio], "");
}

static void add_tpipe(struct keys *keys, const struct ts_ring_config *p, enum ts_pipe_form form)
{
    add(keys, "flag", "%u", p->flag);
    add_word(keys, "dir", form, "Direction::DIR_", ts_direction_name(p->direction), "");
    add(keys, "slot_size", "%u", p->slot_size);
    add(keys, "slots", "%u", p->slots);
    add(keys, "local_slots", "%u", p->local_slots);
    add(keys, "no_split", "%s", p->no_split ? "true" : "false");
    add(keys, "unit_flag", "%s", p->unit_flag ? "true" : "false");
}

static void write_pipe(const struct ts_ring_config *p, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    const char *kind = p->tmpipe ? "tmpipe" : "tpipe";
    (p->tmpipe ? add_tmpipe : add_tpipe)(&keys, p, form);
    keys.first = keys.count;
    pipe_keys(p, &keys);
    write_declaration(&keys, form, p->name, kind, kind, p->tmpipe ? "TMPipe" : "TPipe", "", file);
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
                                     ts_published_name((enum ts_published)i));
}

static void expect_value(const struct ts_pipe_program *self, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "{verdict: %s, finds: [",
                                   ts_pipe_verdict_name(self->expected));
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
