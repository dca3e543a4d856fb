// Which compiler a kernel is compiled with (plan.h): ours, or the one that its `compiler` names.
//
//   compiler: SFPI                the vendor's, where it is installed
//   compiler: riscv-tt-elf-g++    the same on PATH
//   compiler: /opt/x/bin/g++      a file, or another program on PATH: only if a person allows it, since it is executed
#include "platform/run/plan/plan.h"

#include <sys/stat.h>
#include <unistd.h>

#define VENDOR "riscv-tt-elf-g++"

// Folders that may have compiler/bin and include: an environment variable's, or in it; or a fixed one.
static const struct {
    const char *variable, *rest;
} homes[] = {{"SFPI", ""}, {"TT_METAL_HOME", "/runtime/sfpi"}, {NULL, "/opt/tenstorrent/sfpi"}};

static bool runs(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

static bool find_vendor(char *to, size_t size)
{
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const char *home = homes[i].variable ? getenv(homes[i].variable) : "";
        snprintf(to, size, "%s%s/compiler/bin/" VENDOR, home ? home : "", homes[i].rest);
        if (home && runs(to))
            return true;
    }
    return false;
}

static bool find_on_path(const char *name, char *to, size_t size)
{
    const char *folder = getenv("PATH");
    for (size_t length; folder && *folder; folder += length + (folder[length] == ':')) {
        length = strcspn(folder, ":");
        snprintf(to, size, "%.*s/%s", (int)length, folder, name);
        if (runs(to))
            return true;
    }
    return false;
}

// BIN/../../include, where the vendor's has its headers.
static void find_headers(struct ts_plan_compiler *self)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s", self->program);
    for (unsigned up = 0; up < 3; up++) {
        char *slash = strrchr(file, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
    snprintf(self->include, sizeof self->include, "%.4000s/include", file);
}

void ts_plan_compiler_read(const struct ts_plan *self, struct ts_yaml_node node,
                           struct ts_plan_kernel *to)
{
    struct ts_plan_compiler *compiler = &to->compiler;
    const char *name = ts_yaml_text(node, "");
    const bool vendor = strcmp(name, "SFPI") == 0, file = strchr(name, '/') != NULL;
    if (node.node == NULL)
        return;
    if (file)
        snprintf(compiler->program, sizeof compiler->program, "%s", name);
    if (to->source == NULL)
        ts_yaml_error(node, "an ELF file has been compiled: it needs no compiler");
    else if (!vendor && strcmp(name, VENDOR) != 0 && !(self->allow & TS_PLAN_ALLOW_COMPILER))
        ts_yaml_error(node,
                      "this file would execute '%.200s': if you trust it, give --allow=compiler "
                      "(SFPI and " VENDOR " need no permission)",
                      name);
    else if (!(vendor ? find_vendor(compiler->program, sizeof compiler->program)
               : file ? runs(name)
                      : find_on_path(name, compiler->program, sizeof compiler->program)))
        ts_yaml_error(node, "%.200s needs the %s compiler, which is not installed%s", to->source,
                      name,
                      vendor ? ": name its folder in the environment variable SFPI (not in "
                               "$TT_METAL_HOME/runtime/sfpi and /opt/tenstorrent/sfpi either)"
                             : "");
    const char *slash = strrchr(compiler->program, '/');
    compiler->vendor = slash && strcmp(slash + 1, VENDOR) == 0;
    if (compiler->vendor)
        find_headers(compiler);
}
