// Declarations of a program as text (write.h).
//
// A declaration is one list of keys and values. YAML has them all as keys; in the other forms the first of
// them are positions of a type, the others attributes.
#include "platform/study/pipe/write.h"
#include "platform/base/format.h"
#include "platform/study/pipe/read.h"

#include <ctype.h>

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
    TS_FORMAT(self->value[self->count], VALUE, format);
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

// A name of YAML; in C++ one of an enumeration.
static void add_name(struct keys *self, enum ts_pipe_form form, const char *key, const char *name,
                     const char *scope, const char *tail)
{
    char text[64];
    bool cpp = form == TS_FORM_CPP;
    snprintf(text, sizeof text, "%s", name);
    for (char *c = text; *c && cpp; c++)
        *c = (char)toupper((unsigned char)*c);
    add(self, key, "%s%s%s", cpp ? scope : "", text, cpp ? tail : "");
}

static void declare(const struct keys *keys, unsigned positions, enum ts_pipe_form form,
                    const char *name, const char *pto, const char *cpp, FILE *file)
{
    if (form == TS_FORM_YAML) {
        fprintf(file, "  - {name: %s, ", name);
        write_keys(keys, 0, form, file);
        fputs("}\n", file);
        return;
    }
    bool more = keys->count > positions, attributes = more && form == TS_FORM_CPP;
    fputs(attributes ? "[[" : "", file);
    if (attributes)
        write_keys(keys, positions, form, file);
    fputs(attributes ? "]] " : "", file);
    if (form == TS_FORM_PTO)
        fprintf(file, "  %%%s = pto.%s<", name, pto);
    else
        fprintf(file, "%s<", cpp);
    for (unsigned i = 0; i < positions; i++)
        fprintf(file, "%s%s", i ? ", " : "", keys->value[i]);
    if (form == TS_FORM_CPP) {
        fprintf(file, "> %s;\n", name);
        return;
    }
    fputs(more ? "> {" : ">", file);
    if (more)
        write_keys(keys, positions, form, file);
    fputs(more ? "}\n" : "\n", file);
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

static void add_shape(struct keys *keys, enum ts_pipe_form form, enum ts_dtype type, uint32_t rows,
                      uint32_t cols)
{
    add(keys, "type", "%s", ts_dtype_spellings[type][form]);
    add(keys, "rows", "%u", rows);
    add(keys, "cols", "%u", cols);
}

// Acc, Vec: TileType's names.
static void add_location(struct keys *keys, enum ts_pipe_form form, enum ts_mem mem)
{
    const char *name = ts_mems[mem].tile;
    if (form == TS_FORM_CPP)
        add(keys, "loc", "TileType::%c%s", toupper((unsigned char)*name), name + 1);
    else
        add(keys, "loc", "%s", name);
}

static void write_tensor(const struct ts_pipe_program *self, uint32_t id, enum ts_pipe_form form,
                         FILE *file)
{
    const struct ts_tensor_decl *t = &self->machine.tensors[id];
    struct keys keys = {0};
    add_shape(&keys, form, t->type, t->rows, t->cols);
    tensor_keys(self, id, &keys);
    declare(&keys, 3, form, t->name, t->window ? "window : !pto.tensor" : "tensor : !pto.tensor",
            t->window ? "GlobalWindow" : "GlobalTensor", file);
}

static void write_tile(const struct ts_tile_decl *t, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    char name[60];
    bool array = t->count > 1 && form == TS_FORM_CPP;
    add_location(&keys, form, t->mem);
    add_shape(&keys, form, t->type, t->rows, t->cols);
    tile_keys(t, &keys);
    if (t->count > 1 && !array)
        add(&keys, "count", "%u", t->count);
    snprintf(name, sizeof name, array ? "%s[%u]" : "%s", t->name, t->count);
    declare(&keys, 4, form, name, "alloc_tile : !pto.tile_buf", "Tile", file);
}

// A TMPipe's tile by its shape.
static void add_end(struct keys *keys, const struct ts_ring_config *p, bool prod,
                    enum ts_pipe_form form)
{
    bool c2v = p->direction == TS_DIR_C2V || p->direction == TS_DIR_C2V_GM;
    enum ts_mem mem = prod ? (c2v ? TS_MEM_L0C : TS_MEM_UB) : (c2v ? TS_MEM_UB : TS_MEM_L1);
    struct keys tile = {0};
    add_location(&tile, form, mem);
    add_shape(&tile, form, (enum ts_dtype)p->tile_type, prod ? p->prod_rows : p->cons_rows,
              prod ? p->prod_cols : p->cons_cols);
    add(keys, prod ? "prod" : "cons",
        form == TS_FORM_YAML  ? "{loc: %s, type: %s, rows: %s, cols: %s}"
        : form == TS_FORM_PTO ? "!pto.tile_buf<%s, %s, %s, %s>"
                              : "Tile<%s, %s, %s, %s>",
        tile.value[0], tile.value[1], tile.value[2], tile.value[3]);
}

static void add_tmpipe(struct keys *keys, const struct ts_ring_config *p, enum ts_pipe_form form)
{
    static const char *const ratios[] = {"v1c1_vec0", "v1c1_vec1", "v2c1_vecs"};
    if (form == TS_FORM_YAML)
        add(keys, "kind", "tmpipe");
    add(keys, "flag", "%u", p->flag);
    add_name(keys, form, "fifo", ts_fifo_names[p->fifo], "FIFOType::", "_FIFO");
    add(keys, "depth", "%u", p->slots);
    add(keys, "period", "%u", p->sync_period);
    add_end(keys, p, true, form);
    if (p->fifo != TS_CTRL_FIFO)
        add_end(keys, p, false, form);
    else if (form != TS_FORM_YAML)
        add(keys, "cons", "%s",
            form == TS_FORM_PTO ? "ctrl" : "Tile<TileType::Ctrl, int32_t, 1, 1>");
    add(keys, "unit_flag", "%s", p->unit_flag ? "true" : "false");
    add(keys, "local_slots", "%u", p->local_slots);
    add_name(keys, form, "ratio", ratios[p->ratio], "VecCubeRatio::", "");
}

static void add_tpipe(struct keys *keys, const struct ts_ring_config *p, enum ts_pipe_form form)
{
    add(keys, "flag", "%u", p->flag);
    add_name(keys, form, "dir", ts_direction_names[p->direction], "Direction::DIR_", "");
    add(keys, "slot_size", "%u", p->slot_size);
    add(keys, "slots", "%u", p->slots);
    add(keys, "local_slots", "%u", p->local_slots);
    add(keys, "no_split", "%s", p->no_split ? "true" : "false");
    add(keys, "unit_flag", "%s", p->unit_flag ? "true" : "false");
}

static void write_pipe(const struct ts_ring_config *p, enum ts_pipe_form form, FILE *file)
{
    struct keys keys = {0};
    (p->tmpipe ? add_tmpipe : add_tpipe)(&keys, p, form);
    unsigned positions = keys.count;
    pipe_keys(p, &keys);
    declare(&keys, positions, form, p->name,
            p->tmpipe ? "tmpipe : !pto.tmpipe" : "tpipe : !pto.tpipe",
            p->tmpipe ? "TMPipe" : "TPipe", file);
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
                                     ts_finding_rows[id].code);
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
    add(keys, "profile", "%s", ts_profile_names[machine->profile]);
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
