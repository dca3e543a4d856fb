// Kernels of a program file.
#include "platform/run/plan/plan.h"

#include "platform/base/input.h"
#include "platform/tile/names.h"
#include <unistd.h>

// Where a kernel runs and which NoC that means, as the vendor's configurations have it.
static const struct {
    const char *name;
    enum ts_plan_on on;
    unsigned noc;
} places[] = {{"brisc", TS_PLAN_BRISC, 0},
              {"ncrisc", TS_PLAN_NCRISC, 1},
              {"reader", TS_PLAN_NCRISC, 0},
              {"writer", TS_PLAN_BRISC, 1},
              {"compute", TS_PLAN_COMPUTE, 0}};

static void read_place(struct ts_yaml_node node, struct ts_plan_kernel *to)
{
    const char *name = ts_yaml_text(node, "");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].name, name) == 0) {
            to->on = places[i].on;
            to->noc = places[i].noc;
            return;
        }
    ts_yaml_error(node,
                  "a kernel is on brisc, ncrisc, compute, reader (ncrisc on NoC 0) or writer "
                  "(brisc on NoC 1), not '%.40s'",
                  name);
}

static void read_options(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_kernel *to)
{
    static const unsigned codes[] = {0, 2, 3, 4};
    struct ts_yaml_node noc = ts_yaml_find(node, "noc"), fidelity = ts_yaml_find(node, "fidelity"),
                        list = ts_yaml_find(node, "unpack_to_dst"),
                        optimise = ts_yaml_find(node, "optimise");
    bool compute = to->on == TS_PLAN_COMPUTE;
    if (noc.node)
        to->noc = (unsigned)ts_yaml_int(noc, 0, 1, 0);
    to->dynamic_noc = ts_plan_flag(self, ts_yaml_find(node, "dynamic_noc"));
    int level = ts_word_index(TS_PLAN_FIDELITIES, ts_plan_choice(self, fidelity, "hifi4"));
    if (level < 0)
        ts_yaml_error(fidelity, "fidelity is lofi, hifi2, hifi3 or hifi4");
    to->fidelity = codes[level < 0 ? 3 : level];
    to->fp32 = ts_plan_flag(self, ts_yaml_find(node, "fp32"));
    to->full_sync = ts_plan_flag(self, ts_yaml_find(node, "full_sync"));
    to->approx = ts_plan_flag(self, ts_yaml_find(node, "approx"));
    to->precise = ts_plan_flag(self, ts_yaml_find(node, "precise"));
    to->optimise = ts_yaml_text(optimise, compute ? "O3" : "O2");
    if (ts_word_index("O0 O1 O2 O3 Os Og", to->optimise) < 0)
        ts_yaml_error(optimise, "optimise is O0, O1, O2, O3, Os or Og");
    struct ts_plan_scope scope = {.plan = self};
    struct ts_yaml_node throttle = ts_yaml_find(node, "throttle");
    double number;
    if (throttle.node && ts_plan_number(&scope, throttle, 0, 5, &number))
        to->throttle = (uint32_t)number;
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        double id;
        if (ts_plan_number(&scope, ts_yaml_at(list, i), 0, TS_PROGRAM_CBS - 1, &id))
            to->to_dest |= UINT64_C(1) << (unsigned)id;
    }
    static const char *const only[] = {"fidelity", "fp32",     "full_sync",     "approx",
                                       "precise",  "throttle", "unpack_to_dst", NULL};
    for (size_t i = 0; !compute && only[i]; i++)
        if (ts_yaml_find(node, only[i]).node)
            ts_yaml_error(ts_yaml_find(node, only[i]), "%s is of compute kernels", only[i]);
    if (compute && (noc.node || ts_yaml_find(node, "dynamic_noc").node))
        ts_yaml_error(noc.node ? noc : ts_yaml_find(node, "dynamic_noc"),
                      "a compute kernel has no NoC");
}

static void check_file(const struct ts_plan *self, struct ts_yaml_node node)
{
    char path[PATH_MAX];
    ts_plan_source(self, path, sizeof path, ts_yaml_text(node, ""));
    struct ts_error why = {0};
    FILE *file = ts_open_input(path, &why);
    if (file)
        fclose(file);
    else if (why.code != TS_OK)
        ts_yaml_error(node, "%s", why.text);
    else
        ts_yaml_error(node, "%.300s: cannot be read", path);
}

// A kernel's folder in tt-metal's build cache: an ELF file for each processor.
static void read_built(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_kernel *to)
{
    const bool compute = to->on == TS_PLAN_COMPUTE;
    const unsigned first = compute ? TS_ON_TRISC0 : (unsigned)to->on,
                   last = compute ? TS_ON_TRISC2 : first;
    char folder[PATH_MAX];
    ts_plan_source(self, folder, sizeof folder, ts_yaml_text(node, ""));
    for (unsigned p = first; p <= last; p++) {
        snprintf(to->image[p], PATH_MAX, "%.4000s/%s/%s.elf", folder, ts_processor_name[p],
                 ts_processor_name[p]);
        if (access(to->image[p], R_OK) != 0)
            ts_yaml_error(node, "%.300s: cannot be read", to->image[p]);
    }
}

// elf: FILE for a data movement kernel, {unpack: FILE, math: FILE, pack: FILE} for a compute kernel.
static void read_elf(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_kernel *to)
{
    static const char *const threads[] = {"unpack", "math", "pack", NULL};
    if (self->metal && ts_yaml_is_scalar(node)) {
        read_built(self, node, to);
        return;
    }
    if (to->on != TS_PLAN_COMPUTE) {
        unsigned processor = to->on == TS_PLAN_BRISC ? TS_ON_BRISC : TS_ON_NCRISC;
        check_file(self, node);
        ts_plan_source(self, to->image[processor], PATH_MAX, ts_yaml_text(node, ""));
        return;
    }
    ts_yaml_only(node, "", threads);
    for (unsigned i = 0; i < 3; i++) {
        struct ts_yaml_node file = ts_yaml_require(node, threads[i]);
        check_file(self, file);
        ts_plan_source(self, to->image[TS_ON_TRISC0 + i], PATH_MAX, ts_yaml_text(file, ""));
    }
}

static void expect_kind(struct ts_yaml_node node, bool list, bool map, const char *what)
{
    if (node.node && !(list && ts_yaml_is_list(node)) && !(map && ts_yaml_is_map(node)))
        ts_yaml_error(node, "%s", what);
}

// A macro that is there only when: {when: EXPRESSION, value: TEXT}.
static void check_defines(struct ts_plan *self, struct ts_yaml_node map)
{
    for (size_t i = 0; ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node value = ts_yaml_value(map, i);
        if (!ts_yaml_is_map(value)) {
            ts_yaml_text(value, "");
            continue;
        }
        ts_yaml_only(value, "when value", NULL);
        ts_yaml_require(value, "when");
        ts_plan_when(self, value);
        ts_yaml_text(ts_yaml_find(value, "value"), "");
    }
}

static void read_kernel(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_kernel *to)
{
    to->node = node;
    ts_yaml_only(node,
                 "source elf on noc dynamic_noc cores compile named args common defines "
                 "include fidelity fp32 full_sync approx precise throttle optimise "
                 "unpack_to_dst tensors buffers when varargs common_varargs compiler",
                 NULL);
    struct ts_yaml_node source = ts_yaml_find(node, "source"), elf = ts_yaml_find(node, "elf");
    read_place(ts_yaml_require(node, "on"), to);
    read_options(self, node, to);
    ts_plan_cores_any(self, ts_yaml_find(node, "cores"), &to->cores);
    if ((source.node != NULL) == (elf.node != NULL)) {
        ts_yaml_error(node, "a kernel has a source or an elf");
    } else if (source.node) {
        check_file(self, source);
        to->source = ts_yaml_text(source, "");
        if (self->metal)
            ts_yaml_error(
                source,
                "tt-metal's firmware runs kernels that tt-metal built: `elf', not `source'");
    } else {
        read_elf(self, elf, to);
    }
    to->compile = ts_yaml_find(node, "compile");
    to->named = ts_yaml_find(node, "named");
    to->args = ts_yaml_find(node, "args");
    to->common = ts_yaml_find(node, "common");
    to->varargs = ts_yaml_find(node, "varargs");
    to->common_varargs = ts_yaml_find(node, "common_varargs");
    to->defines = ts_yaml_find(node, "defines");
    to->include = ts_yaml_find(node, "include");
    to->tensors = ts_yaml_find(node, "tensors");
    to->buffers = ts_yaml_find(node, "buffers");
    ts_plan_compiler_read(self, ts_yaml_find(node, "compiler"), to);
    expect_kind(to->compile, true, true, "compile: a list of numbers and of {tensor: name}");
    expect_kind(to->named, false, true, "named: names with numbers");
    expect_kind(to->args, true, true, "args: a list of expressions, or names with expressions");
    expect_kind(to->common, true, true, "common: a list of expressions, or names with expressions");
    expect_kind(to->varargs, true, false, "varargs: a list of expressions");
    expect_kind(to->common_varargs, true, false, "common_varargs: a list of expressions");
    expect_kind(to->defines, false, true,
                "defines: names with their text, or with the name of a parameter");
    check_defines(self, to->defines);
    expect_kind(to->include, true, false, "include: a list of folders");
    expect_kind(to->tensors, false, true, "tensors: the kernel's names with those of the file");
    expect_kind(to->buffers, false, true, "buffers: the kernel's names with numbers of buffers");
}

void ts_plan_kernels_read(struct ts_plan *self, struct ts_yaml_node list)
{
    if (list.node && !ts_yaml_is_list(list)) {
        ts_yaml_error(list, "kernels: a list of {source: FILE, on: ...}");
        return;
    }
    if (list.node && ts_yaml_count(list) == 0)
        ts_yaml_error(list, "a program has at least one kernel");
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_yaml_at(list, i);
        if (self->kernel_count == TS_PLAN_KERNELS) {
            ts_yaml_error(node, "more than %d kernels", TS_PLAN_KERNELS);
            return;
        }
        if (!ts_yaml_is_map(node))
            ts_yaml_error(node, "a kernel is {source: FILE, on: ...}");
        else
            read_kernel(self, node, &self->kernels[self->kernel_count]);
        if (self->yaml.error->code != TS_OK)
            return;
        if (ts_plan_when(self, node))
            self->kernel_count++;
        else
            self->kernels[self->kernel_count] = (struct ts_plan_kernel){0};
    }
}
