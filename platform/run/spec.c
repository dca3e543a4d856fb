// Options of a kernel by name: which kernel has them, which values they take (spec.h).
#include "platform/run/spec.h"

#include "platform/base/yaml.h"
#include "platform/run/formats.h"
#include "units/isa/lints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ts_job_option ts_job_options[TS_JOB_OPTIONS] = {
#define TS_JOB_OPTION(id, key, name, argument, group, programs, sweep, low, high, otherwise, \
                      choices, text, front)                                                  \
    {key, name, argument,  TS_GROUP_##group, programs, sweep,                                \
     low, high, otherwise, choices,          text,     front},
#include "config/job_option.def"
#undef TS_JOB_OPTION
};

// --- lists of words
// -----------------------------------------------------------------------------------------------

static void add_word(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

// --- the table
// ----------------------------------------------------------------------------------------------------

bool ts_option_applies(enum ts_job_option_id id, const struct ts_job_kind *kind)
{
    const char *programs = ts_job_options[id].programs;
    return programs == NULL || ts_word_index(programs, kind->name) >= 0;
}

void ts_option_choices(enum ts_job_option_id id, const struct ts_job_kind *kind, char *text,
                       size_t size)
{
    text[0] = '\0';
    if (id == TS_OPTION_OP)
        for (size_t i = 0; kind->ops && kind->ops[i]; i++)
            add_word(text, size, kind->ops[i]);
    else if (id == TS_OPTION_FORMAT)
        add_word(text, size, kind->formats);
    else if (id == TS_OPTION_OUT_FORMAT)
        add_word(text, size, kind->out_formats);
    else if (ts_job_options[id].choices)
        add_word(text, size, ts_job_options[id].choices);
}

// The defaults that depend on the kernel.
static const char *default_of(enum ts_job_option_id id, const struct ts_job_kind *kind)
{
    bool int8 = ts_word_index(kind->formats, "int8") >= 0;
    if (id == TS_OPTION_OP)
        return kind->ops[0];
    if (id == TS_OPTION_FIDELITY)
        return int8 ? "lofi; hifi4 for int8" : "lofi";
    if (id == TS_OPTION_DST)
        return int8 ? "16; 32 for int8" : "16";
    if (id == TS_OPTION_OUT_FORMAT && strcmp(kind->name, "matmul") == 0)
        return "bf16; fp16 for 5-bit exponents, int32 for int8, with --grid the operands'";
    if (id == TS_OPTION_OUT_FORMAT)
        return ts_word_index(kind->out_formats, "fp16") < 0    ? "bf16"
               : ts_word_index(kind->out_formats, "int16") > 0 ? "bf16; fp16 for 5-bit exponents, "
                                                                 "the operands' for integers"
               : int8 ? "bf16; fp16 for 5-bit exponents, int32 for int8"
                      : "bf16; fp16 for 5-bit exponents";
    return ts_job_options[id].otherwise;
}

void ts_option_help(enum ts_job_option_id id, const struct ts_job_kind *kind, char *text,
                    size_t size)
{
    char choices[256];
    ts_option_choices(id, kind, choices, sizeof choices);
    const char *otherwise = default_of(id, kind);
    snprintf(text, size, "%s%s%s%s%s%s", ts_job_options[id].text, choices[0] ? ": " : "", choices,
             otherwise ? " (default " : "", otherwise ? otherwise : "", otherwise ? ")" : "");
}

void ts_option_sweeps(const struct ts_job_kind *kind, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++)
        if (ts_job_options[id].sweep && ts_option_applies(id, kind))
            add_word(text, size, ts_job_options[id].name);
}

// --- values
// -------------------------------------------------------------------------------------------------------

// A value being set in a spec.
struct setting {
    struct ts_job_spec *spec;
    enum ts_job_option_id id;
    const struct ts_job_option *option;
    const struct ts_job_kind *kind;
    const char *value;
    char *text;
    size_t size;
};

static bool whole(const struct setting *s, int64_t *to)
{
    if (ts_parse_int(s->value, to) && *to >= s->option->low && *to <= s->option->high)
        return true;
    snprintf(s->text, s->size, "--%s: '%s' is not a number from %lld to %lld", s->option->name,
             s->value, (long long)s->option->low, (long long)s->option->high);
    return false;
}

static bool number(const struct setting *s, uint32_t *to)
{
    int64_t value;
    if (!whole(s, &value))
        return false;
    *to = (uint32_t)value;
    return true;
}

static bool real(const struct setting *s, double *to)
{
    char *end;
    double value = strtod(s->value, &end);
    if (end != s->value && *end == '\0' && value >= (double)s->option->low &&
        value <= (double)s->option->high) {
        *to = value;
        return true;
    }
    snprintf(s->text, s->size, "--%s: '%s' is not a number from %lld to %lld", s->option->name,
             s->value, (long long)s->option->low, (long long)s->option->high);
    return false;
}

// Two numbers from 1 on, as 2x4.
static bool pair(const struct setting *s, uint32_t *first, uint32_t *second)
{
    unsigned a, b;
    int end = 0;
    if (s->value[strspn(s->value, "0123456789x")] == '\0' && strlen(s->value) < 12 &&
        sscanf(s->value, "%ux%u%n", &a, &b, &end) == 2 && s->value[end] == '\0' && a && b) {
        *first = a;
        *second = b;
        return true;
    }
    snprintf(s->text, s->size, "--%s: '%s' is not %s, two numbers from 1 on", s->option->name,
             s->value, s->option->argument);
    return false;
}

static bool choose(const struct setting *s, uint32_t *to)
{
    char choices[256];
    ts_option_choices(s->id, s->kind, choices, sizeof choices);
    int index = ts_word_index(choices, s->value);
    if (index >= 0) {
        *to = (uint32_t)index;
        return true;
    }
    snprintf(s->text, s->size, "--%s: %s has no '%s'; choose from %s", s->option->name,
             s->kind->name, s->value, choices);
    return false;
}

// Integer formats that no kernel takes are known names: building the job refuses them as not
// implemented.
static bool format(const struct setting *s, unsigned *to)
{
    int code = ts_datum_by_name(s->value);
    uint32_t index;
    if ((code < 0 || !ts_datum_integer((unsigned)code)) && !choose(s, &index))
        return false;
    *to = (unsigned)code;
    return true;
}

// What follows from the operands' format unless it is given: integers take all four phases to
// multiply all of their bits (tt-isa-documentation, MVMUL), and their sums are 32 bits wide; the
// result is 16 bits wide, with 5-bit exponents if the operands have them.
static void follow_format(struct ts_job_spec *spec)
{
    bool int8 = spec->format == TS_DF_INT8, int16 = spec->format == TS_DF_INT16;
    bool moves = strcmp(spec->program, "transpose") == 0;
    if (!ts_spec_given(spec, TS_OPTION_OUT_FORMAT))
        spec->out_format = int16 || (int8 && moves)         ? spec->format
                           : ts_datum_integer(spec->format) ? TS_DF_INT32
                                                            : ts_job_partial_format(spec);
    if (!ts_spec_given(spec, TS_OPTION_DST))
        spec->dst32 = ts_datum_integer(spec->format) && !int16;
    if (!ts_spec_given(spec, TS_OPTION_FIDELITY))
        spec->phases = int8 ? 4 : 1;
}

// CYCLE[:LEVEL], one or more of them; an option that is given again goes on with the list.
static bool add_flips(const struct setting *s)
{
    struct ts_flip *flips = s->spec->flips;
    unsigned count = 0;
    while (flips[count].at != 0)
        count++;
    for (const char *from = s->value;; from++) {
        char *end;
        struct ts_flip flip = {.level = -1};
        bool good = *from >= '1' && *from <= '9';
        flip.at = strtoull(from, &end, 10);
        if (good && *end == ':') {
            good = end[1] >= '0' && end[1] <= '0' + TS_THROTTLE_MAX;
            flip.level = end[1] - '0';
            end += good ? 2 : 0;
        }
        if (!good || (*end != ',' && *end != '\0') || flip.at > INT64_MAX) {
            snprintf(s->text, s->size, "--flip: '%s' is not CYCLE[:LEVEL], cycles from 1 on",
                     s->value);
            return false;
        }
        if (count == TS_FLIPS || (count > 0 && flip.at <= flips[count - 1].at)) {
            snprintf(s->text, s->size, "--flip: at most %d changes, in the order of their cycles",
                     TS_FLIPS);
            return false;
        }
        flips[count++] = flip;
        from = end;
        if (*end == '\0')
            return true;
    }
}

static bool perturb(const struct setting *s)
{
    struct ts_perturb_how how;
    if (!ts_perturb_parse(s->value, &how)) {
        snprintf(s->text, s->size, "--perturb: '%s' is not " TS_PERTURB_FORM, s->value);
        return false;
    }
    s->spec->perturb_seed = how.seed;
    s->spec->perturb_max = how.max;
    s->spec->perturb_holds = how.holds;
    return true;
}

static bool lints(const struct setting *s)
{
    char text[TS_LINTS_TEXT];
    if (ts_lints_parse(s->value, &s->spec->lints, text, sizeof text))
        return true;
    snprintf(s->text, s->size, "--lint: %s", text);
    return false;
}

// The kernel behind one of matmul's names.
static bool choose_kernel(const struct setting *s)
{
    static const char *const programs[] = {"matmul", "matmul_tiles", "matmul_seed"};
    uint32_t to;
    if (!choose(s, &to))
        return false;
    s->spec->program = ts_job_kind_find(programs[to])->name;
    return true;
}

static bool assign(const struct setting *s)
{
    struct ts_job_spec *spec = s->spec;
    uint32_t to = 0;
    bool good = true;
    switch (s->id) {
    case TS_OPTION_M:
        return number(s, &spec->m);
    case TS_OPTION_N:
        return number(s, &spec->n);
    case TS_OPTION_K:
        return number(s, &spec->k);
    case TS_OPTION_REPEAT:
        return number(s, &spec->repeat);
    case TS_OPTION_BLOCKS:
        return number(s, &spec->blocks);
    case TS_OPTION_THROTTLE:
        return number(s, &spec->throttle);
    case TS_OPTION_TILES:
        return number(s, &spec->tiles);
    case TS_OPTION_SEED:
        good = number(s, &to);
        spec->seed = to;
        return good;
    case TS_OPTION_MEAN:
        return real(s, &spec->mean);
    case TS_OPTION_SPREAD:
        return real(s, &spec->spread);
    case TS_OPTION_SUB_BLOCK:
        return pair(s, &spec->sub_h, &spec->sub_w);
    case TS_OPTION_GRID:
        return pair(s, &spec->grid_columns, &spec->grid_rows);
    case TS_OPTION_KERNEL:
        return choose_kernel(s);
    case TS_OPTION_OP:
        good = choose(s, &to);
        spec->op = good ? s->kind->ops[to] : spec->op;
        return good;
    case TS_OPTION_BROADCAST:
        good = choose(s, &to);
        spec->broadcast = good ? s->value : spec->broadcast;
        return good;
    case TS_OPTION_FIDELITY:
        good = choose(s, &to);
        spec->phases = to + 1;
        return good;
    case TS_OPTION_DST:
        good = choose(s, &to);
        spec->dst32 = to == 1;
        return good;
    case TS_OPTION_TRANSPOSE:
        good = choose(s, &to);
        spec->transposed = to == 1;
        return good;
    case TS_OPTION_RUN_TYPE:
        good = choose(s, &to);
        spec->run_type = (enum ts_run_type)to;
        return good;
    case TS_OPTION_STORAGE:
        good = choose(s, &to);
        spec->in0_dram = to >= 2;
        spec->out_dram = to % 2 == 1;
        return good;
    case TS_OPTION_FORMAT:
        return format(s, &spec->format);
    case TS_OPTION_OUT_FORMAT:
        return format(s, &spec->out_format);
    case TS_OPTION_FLIP:
        return add_flips(s);
    case TS_OPTION_PERTURB:
        return perturb(s);
    case TS_OPTION_TILE:
        good = choose(s, &to);
        spec->tile_h = to & 1 ? TS_TILE / 2 : TS_TILE; // as the choices are listed
        spec->tile_w = to & 2 ? TS_TILE / 2 : TS_TILE;
        return good;
    case TS_OPTION_TO_DST:
        spec->to_dst = true;
        return true;
    case TS_OPTION_TIMING_ONLY:
        spec->timing_only = true;
        return true;
    case TS_OPTION_STEP_BY_STEP:
        spec->step_by_step = true;
        return true;
    case TS_OPTION_STRICT:
        spec->strict = true;
        return true;
    case TS_OPTION_LINT:
        return lints(s);
    case TS_OPTION_CORES:
    case TS_OPTION_FROM:
    case TS_OPTION_CHIP:
        snprintf(s->text, s->size, "%s runs a program file of config/programs, not a kernel",
                 s->option->name);
        return false;
    case TS_JOB_OPTIONS:
        break;
    }
    return false;
}

bool ts_spec_given(const struct ts_job_spec *spec, enum ts_job_option_id id)
{
    return spec->given >> id & 1;
}

bool ts_spec_option(struct ts_job_spec *spec, enum ts_job_option_id id, const char *value,
                    char *text, size_t size)
{
    const struct ts_job_option *option = &ts_job_options[id];
    const struct ts_job_kind *kind = ts_job_kind_find(spec->program);
    if (!ts_option_applies(id, kind)) {
        snprintf(text, size, "%s has no --%s; these kernels have it: %s", kind->name, option->name,
                 option->programs);
        return false;
    }
    if (!assign(&(struct setting){spec, id, option, kind, value, text, size}))
        return false;
    spec->given |= UINT64_C(1) << id;
    if (id == TS_OPTION_FORMAT)
        follow_format(spec);
    return true;
}

int ts_option_find(const char *name)
{
    for (int id = 0; id < TS_JOB_OPTIONS; id++)
        if (strcmp(ts_job_options[id].name, name) == 0)
            return id;
    return -1;
}

static bool no_parameter(const struct ts_job_spec *spec, const char *name, char *text, size_t size)
{
    char names[256];
    ts_option_sweeps(ts_job_kind_find(spec->program), names, sizeof names);
    snprintf(text, size, "%s has no parameter '%s'; choose from %s", spec->program, name, names);
    return false;
}

bool ts_spec_set(struct ts_job_spec *spec, const char *name, const char *value, char *text,
                 size_t size)
{
    int id = ts_option_find(name);
    return id < 0 ? no_parameter(spec, name, text, size)
                  : ts_spec_option(spec, (enum ts_job_option_id)id, value, text, size);
}

bool ts_spec_vary(struct ts_job_spec *spec, const char *name, const char *value, char *text,
                  size_t size)
{
    int id = ts_option_find(name);
    const struct ts_job_kind *kind = ts_job_kind_find(spec->program);
    if (id < 0 || !ts_job_options[id].sweep || !ts_option_applies((enum ts_job_option_id)id, kind))
        return no_parameter(spec, name, text, size);
    return ts_spec_option(spec, (enum ts_job_option_id)id, value, text, size);
}
