// tensim new: a commented program file with its kernels, to start from.
#include "platform/cli/common.h"
#include "platform/load/loader.h"
#include "platform/out/file.h"
#include "platform/run/plan/plan.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define FALLBACK "eltwise"

struct arguments {
    struct ts_texts words;
    const char *name, *like;
};

static const struct ts_take takes[] = {TS_TEXT("like", struct arguments, like), {0}};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

// What programs share is named ../common/FILE; in the new folder it lies next to the rest.
#define SHARED "../common/"

static bool copy_file(const char *from, const char *to, struct ts_error *error)
{
    size_t length;
    char *bytes = ts_read_file(from, &length, error);
    if (bytes == NULL)
        return false;
    for (char *at; (at = memmem(bytes, length, SHARED, strlen(SHARED))) != NULL;) {
        const char *rest = at + strlen(SHARED);
        memmove(at, rest, (size_t)(bytes + length - rest));
        length -= strlen(SHARED);
    }
    bool good = ts_file_bytes(to, bytes, length, error);
    free(bytes);
    if (good)
        printf("%s\n", to);
    return good;
}

// The shared files that a text names: after ../common/, in a shared file after #include.
static void copy_shared(const char *text, size_t length, const char *before, const char *folder,
                        const char *to, struct ts_error *error)
{
    const char *end = text + length, *at = text;
    while (error->code == TS_OK && (at = memmem(at, (size_t)(end - at), before, strlen(before)))) {
        char name[64], from[PATH_MAX], target[PATH_MAX];
        at += strlen(before);
        snprintf(name, sizeof name, "%.*s", (int)(end - at < 60 ? end - at : 60), at);
        name[strcspn(name, "\" \n")] = '\0';
        snprintf(from, sizeof from, "%.3800s/common/%s", folder, name);
        snprintf(target, sizeof target, "%.3800s/%s", to, name);
        if (access(from, R_OK) != 0 || access(target, F_OK) == 0)
            continue;
        size_t size;
        char *more = copy_file(from, target, error) ? ts_read_file(from, &size, error) : NULL;
        if (more)
            copy_shared(more, size, "#include \"", folder, to, error);
        free(more);
    }
}

static int copy_folder(const char *folder, const char *from, const char *to)
{
    struct ts_error error = {0};
    struct dirent **entries = NULL;
    int count = scandir(from, &entries, is_visible, alphasort);
    char source[PATH_MAX], target[PATH_MAX];
    for (int i = 0; i < count; i++) {
        snprintf(source, sizeof source, "%.3800s/%s", from, entries[i]->d_name);
        snprintf(target, sizeof target, "%.3800s/%s", to, entries[i]->d_name);
        size_t length;
        char *text = error.code == TS_OK && copy_file(source, target, &error)
                         ? ts_read_file(source, &length, &error)
                         : NULL;
        if (text)
            copy_shared(text, length, SHARED, folder, to, &error);
        free(text);
        free(entries[i]);
    }
    free(entries);
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}

// How the kernels are compiled, for editors.
static int write_commands(const char *folder)
{
    struct ts_error error = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/program.yaml", folder);
    struct ts_plan_options how = {.print = true, .unchecked = true, .bare = true};
    struct ts_system system;
    struct ts_plan *plan = NULL;
    if (ts_plan_on_system(path, &how, &system, &error))
        plan = ts_plan_read(path, &how, &error);
    if (plan && ts_plan_commands(plan, &how, folder, &error))
        printf("%s/compile_commands.json\n%s/.clangd\n", folder, folder);
    ts_plan_free(plan);
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}

int ts_cmd_new(int argc, char **argv)
{
    struct arguments self = {.like = FALLBACK};
    ts_parse(
        &(struct ts_parser){.help = "new", .takes = takes, .to = offsetof(struct arguments, words)},
        argc, argv, &self);
    self.name = self.words.text[0];
    char folder[PATH_MAX], from[PATH_MAX], file[PATH_MAX], names[400];
    ts_config_path(folder, sizeof folder, "programs");
    snprintf(from, sizeof from, "%.3800s/%.200s", folder, self.like);
    snprintf(file, sizeof file, "%.4000s/program.yaml", from);
    if (strchr(self.like, '/') || access(file, R_OK) != 0) {
        ts_plan_names(names, sizeof names);
        return ts_complain(TS_USAGE, "--like %.100s: there are %s", self.like, names);
    }
    if (mkdir(self.name, 0777) != 0)
        return ts_complain(TS_SETUP, "%.300s: %s", self.name,
                           errno == EEXIST ? "is there already; choose another name"
                                           : strerror(errno));
    int code = copy_folder(folder, from, self.name);
    if (code == TS_OK)
        code = write_commands(self.name);
    if (code == TS_OK)
        printf("run it: tensim run %s/program.yaml\n"
               "from Python: tensim.run(\"%s\")\n",
               self.name, self.name);
    return code;
}
