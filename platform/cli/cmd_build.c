// tensim build: compiles the kernels of a program file, and does not run them.
#include "platform/cli/run.h"
#include "platform/load/loader.h"
#include "platform/run/plan/plan.h"
#include "platform/tile/names.h"

#include <sys/stat.h>

struct arguments {
    struct ts_texts words;
    const char *path, *out, *sources, *editor;
    struct ts_texts params;
    const char *dprint;
    unsigned allow;
    char found[PATH_MAX], chip[PATH_MAX];
};

static void parse_chip(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (self->params.count == sizeof self->params.text / sizeof *self->params.text)
        argp_error(state, "--chip: at most 255 --param options with it");
    snprintf(self->chip, sizeof self->chip, "chip=%s", arg);
    self->params.text[self->params.count++] = self->chip;
}

static void parse_allow(void *input, char *arg, struct argp_state *state)
{
    if (!ts_plan_allow(arg, &((struct arguments *)input)->allow))
        argp_error(state, "--allow: '%s' is not a list of " TS_PLAN_ALLOW, arg);
}

#define A struct arguments
static const struct ts_take takes[] = {
    TS_MANY("param", A, params),        TS_CALL("chip", parse_chip),
    TS_TEXT("sources", A, sources),     TS_TEXT("out", A, out),
    TS_FORM("editor", TEXT, A, editor), TS_TEXT("dprint", A, dprint),
    TS_CALL("allow", parse_allow),      {0}};

// "out/reader.ncrisc.elf"; a number distinguishes two kernels of one source.
static bool copy_image(const char *out, const struct ts_plan *plan, uint32_t index, unsigned on,
                       struct ts_error *error)
{
    const struct ts_plan_kernel *kernel = &plan->kernels[index];
    const char *slash = strrchr(kernel->source, '/'), *base = slash ? slash + 1 : kernel->source;
    char path[PATH_MAX];
    size_t length;
    snprintf(path, sizeof path, "%.3800s/%u-%.*s.%s.elf", out, index, (int)strcspn(base, "."), base,
             ts_processor_thread[on]);
    void *bytes = ts_read_file(kernel->image[on], &length, error);
    bool good = bytes && ts_file_bytes(path, bytes, length, error);
    if (good)
        printf("%s\n", path);
    free(bytes);
    return good;
}

static void show(const struct ts_plan *plan, const char *out, struct ts_error *error)
{
    for (uint32_t i = 0; i < plan->kernel_count; i++)
        for (unsigned on = 0; on < TS_ON && error->code == TS_OK; on++) {
            if (plan->kernels[i].image[on][0] == '\0' || plan->kernels[i].boot)
                continue;
            if (out && plan->kernels[i].source)
                copy_image(out, plan, i, on, error);
            else
                printf("%s\n", plan->kernels[i].image[on]);
        }
}

// For the chip of the options. The images of the first one are shown: others of a system can have other ones.
static void build(const struct arguments *self, const struct ts_plan_options *how,
                  struct ts_error *error)
{
    struct ts_plan *plan = ts_plan_read(self->path, how, error);
    if (plan && ts_plan_compile(plan, how, error) && how->chip_id == 0) {
        if (self->out && mkdir(self->out, 0777) != 0 && errno != EEXIST)
            ts_fail(error, TS_SETUP, "%.300s: %s", self->out, strerror(errno));
        else
            show(plan, self->out, error);
        if (error->code == TS_OK && self->editor)
            ts_plan_commands(plan, how, self->editor, error);
    }
    ts_plan_free(plan);
}

int ts_cmd_build(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(&(struct ts_parser){.help = "build",
                                 .takes = takes,
                                 .to = offsetof(struct arguments, words)},
             argc, argv, &self);
    self.path = ts_program_path(self.words.text[0], self.found, sizeof self.found);
    struct ts_error error = {0};
    struct ts_plan_options how = {.params = self.params.text,
                                  .param_count = self.params.count,
                                  .sources = self.sources,
                                  .allow = self.allow,
                                  .print = self.dprint == NULL || strcmp(self.dprint, "off") != 0,
                                  .notes = stderr};
    struct ts_system system;
    ts_plan_on_system(self.path, &how, &system, &error);
    const uint32_t chips = how.system ? system.chips : 1;
    for (how.chip_id = 0; how.chip_id < chips && error.code == TS_OK; how.chip_id++)
        build(&self, &how, &error);
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}
