// Random cases: kernels, parameters and all that is around a program; see fuzz.h.
#include "platform/base/hash.h"
#include "platform/chip/chip.h"
#include "tests/exact/maker.h"

// ---- kernels

static void set(struct maker *self, const char *key, const char *const *values, unsigned count)
{
    struct fuzz_case *to = self->to;
    if (to->setting_count < FUZZ_SETTINGS)
        snprintf(to->settings[to->setting_count++], sizeof to->settings[0], "%s=%s", key,
                 values[draw(self, count)]);
}
#define SET(key, ...)                                              \
    do {                                                           \
        static const char *const values_[] = {__VA_ARGS__};        \
        set(self, key, values_, sizeof values_ / sizeof *values_); \
    } while (0)

// The kernel's program file on a card: other workers and DRAM channels.
static void make_on_card(struct maker *self, bool multiplies)
{
    if (self->to->chip)
        set(self, "chip", &self->to->chip, 1);
    else
        SET("chip", "p100", "p150-110", "p300");
    SET("cores", "1x1", "2x1", "1x2", "2x2");
    SET("m", "64");
    SET("n", "64", "128");
    if (multiplies)
        SET("k", "64", "128");
    self->to->timing_only = !one_in(self, 3);
}

static void make_kernel(struct maker *self)
{
    static const char *const names[] = {"matmul",   "matmul",       "eltwise",    "sfpu",
                                        "reduce",   "norm",         "transpose",  "tilize",
                                        "untilize", "matmul_tiles", "matmul_seed"};
    struct fuzz_case *to = self->to;
    snprintf(to->kernel, sizeof to->kernel, "%s",
             names[draw(self, to->chip ? 9 : sizeof names / sizeof *names)]);
    const bool multiplies = strncmp(to->kernel, "matmul", 6) == 0;
    const bool grid = strcmp(to->kernel, "matmul") == 0 && one_in(self, 8) &&
                      wanted(self->choice, "chip");
    if (to->chip || (!grid && strchr(to->kernel, '_') == NULL && one_in(self, 12) &&
                     wanted(self->choice, "chip"))) {
        make_on_card(self, multiplies);
        return;
    }
    if (grid) {
        SET("grid", "2x1", "1x2", "2x2", "3x2");
        SET("m", "192");
        SET("n", "192");
    } else {
        SET("m", "32", "64");
        SET("n", "32", "64", "96");
    }
    if (multiplies)
        SET("k", "32", "64", "128");
    if (one_in(self, 3))
        SET("format", "bf16", "fp16", "bfp8", "fp32", "tf32");
    if (multiplies && one_in(self, 2))
        SET("fidelity", "lofi", "hifi2", "hifi3", "hifi4");
    if (one_in(self, 4) && (multiplies || strcmp(to->kernel, "eltwise") == 0))
        SET("dst", "16", "32");
    if (strcmp(to->kernel, "eltwise") == 0 && one_in(self, 2))
        SET("op", "add", "sub", "mul");
    if (multiplies && one_in(self, 4))
        SET("throttle", "1", "3", "5");
    if (!grid && one_in(self, 6) && wanted(self->choice, "isolate"))
        SET("run-type", "unpack_isolate", "math_isolate", "pack_isolate", "l1_congestion");
    if (!grid && one_in(self, 8))
        SET("tiles", "2", "3");
    to->timing_only = !one_in(self, 3);
}

// ---- parameters

// A value of a range: the corners, near the default, small, powers of 2, anything.
static int64_t value_of(struct maker *self, const struct ts_param *row, int64_t now)
{
    const int64_t span = row->high - row->low;
    int64_t value;
    switch (draw(self, 8)) {
    case 0:
        return row->low;
    case 1:
        return row->low + (span > 0);
    case 2:
        return one_in(self, 4) ? row->high : row->low + span % 1000;
    case 3:
        value = now + (int64_t)draw(self, 5) - 2;
        break;
    case 4:
    case 5:
        value = row->low + draw(self, 40);
        break;
    case 6:
        value = (INT64_C(1) << draw(self, 17)) + (int64_t)draw(self, 3) - 1;
        break;
    default:
        value = row->low + draw(self, 400);
    }
    return value < row->low ? row->low : value > row->high ? row->high : value;
}

static void make_params(struct maker *self)
{
    static const struct {
        const char *name;
        unsigned weight;
    } groups[] = {{"riscv", 4}, {"tensix", 4}, {"noc", 2}, {"dram", 1}, {"free", 1}};
    struct fuzz_case *to = self->to;
    struct ts_params params = {0};
    char path[512];
    struct ts_error error = {0};
    const bool chip = to->tiles > 1 || to->kernel[0];
    unsigned count = one_in(self, 4) ? 0 : 1 + draw(self, one_in(self, 3) ? 5 : 2);
    ts_chip_params_add(&params);
    ts_config_path(path, sizeof path, self->machine->numbers);
    ts_params_load(&params, path, &error);
    for (unsigned tries = 0; to->param_count < count && tries < 20; tries++) {
        unsigned at = draw(self, 12), g = 0;
        while (at >= groups[g].weight)
            at -= groups[g++].weight;
        if (!wanted(self->choice, groups[g].name) || (!chip && g >= 2 && g < 4))
            continue;
        for (size_t i = 0; i < params.count; i++) {
            const struct ts_param_group *group = &params.groups[i];
            if (strcmp(group->name, groups[g].name) != 0)
                continue;
            size_t k = draw(self, (uint32_t)group->count);
            snprintf(to->params[to->param_count++], sizeof to->params[0], "%s.%s=%lld", group->name,
                     group->rows[k].key,
                     (long long)value_of(self, &group->rows[k], group->values[k].value));
        }
    }
    ts_params_free(&params);
}

void fuzz_generate(struct fuzz_case *self, uint64_t seed, uint64_t number,
                   const struct fuzz_choice *choice)
{
    struct maker maker = {.to = self,
                          .random = ts_hash_word(ts_hash_word(TS_HASH_START, seed), number),
                          .choice = choice,
                          .machine = ts_soc_machine(choice->chip)};
    memset(self, 0, sizeof *self);
    self->chip = choice->chip;
    self->threads = 1;
    const bool kernels = wanted(choice, "kernel"),
               programs = wanted(choice, "program") || wanted(choice, "chip");
    if (kernels && (!programs || one_in(&maker, 12)))
        make_kernel(&maker);
    else
        maker_program(&maker);
    make_params(&maker);
    if (one_in(&maker, 4) && wanted(choice, "perturb")) {
        self->perturb_seed = draw(&maker, 1000);
        self->perturb_max = 1u << draw(&maker, 7);
    }
    if (one_in(&maker, 6))
        self->trace = true;
    if (self->tiles > 1 && one_in(&maker, 2))
        self->threads = 2;
}

// ---- as text

static bool write_core(const struct fuzz_case *self, unsigned tile, unsigned core, unsigned indent,
                       FILE *file)
{
    bool any = false, coded = false;
    unsigned depth = 0;
    for (unsigned i = 0; i < self->line_count; i++) {
        const struct fuzz_line *line = &self->lines[i];
        coded |= line->tile == tile && line->core == core && !line->base &&
                 strncmp(line->text, "code", 4) == 0;
    }
    for (unsigned i = 0; i < self->line_count; i++) {
        const struct fuzz_line *line = &self->lines[i];
        if (line->tile != tile || line->core != core || (line->base && !coded))
            continue;
        if (!any)
            fprintf(file, "%*s%s:\n", (int)indent, "", ts_rv_core_names[core]);
        any = true;
        unsigned at = line->depth < depth ? line->depth : depth;
        int column = (int)(indent + 2 + 4 * at);
        if (!line->loop) {
            fprintf(file, "%*s- %s\n", column, "", line->text);
            depth = at;
            continue;
        }
        unsigned next = i + 1; // a loop around nothing is nothing
        while (next < self->line_count &&
               (self->lines[next].tile != tile || self->lines[next].core != core))
            next++;
        if (next == self->line_count || self->lines[next].depth <= line->depth) {
            fprintf(file, "%*s- delay: 0\n", column, "");
            depth = at;
            continue;
        }
        fprintf(file, "%*s- repeat:\n%*stimes: %s\n%*sdo:\n", column, "", column + 4, "",
                line->text, column + 4, "");
        depth = at + 1;
    }
    return any;
}

void fuzz_write(const struct fuzz_case *self, FILE *file)
{
    bool tiles = self->tiles > 1, buffers = false;
    for (unsigned i = 0; i < self->line_count; i++)
        buffers |= strncmp(self->lines[i].text, "cb_", 3) == 0;
    for (unsigned i = 0; self->configured && i < MAKER_FORMATS; i++)
        fprintf(file, "%s  - cfg: {word: %u, value: 0x%x}\n", i ? "" : "setup:\n",
                maker_formats[i].word, maker_formats[i].value);
    if (buffers)
        fprintf(file, "buffers: {c0: {pages: 4}, c1: {pages: 2}}\n");
    fprintf(file, tiles ? "tiles:\n" : "cores:\n");
    for (unsigned tile = 0; tile < self->tiles; tile++) {
        bool any = false;
        if (tiles)
            fprintf(file, "  %u-%u:\n", maker_sites[tile].x, maker_sites[tile].y);
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            any |= write_core(self, tile, core, tiles ? 4 : 2, file);
        if (!any)
            fprintf(file, "%*sbrisc: [{delay: 0}]\n", tiles ? 4 : 2, "");
    }
}
