// Compiles kernels with the bare-metal RISC-V compiler, several at a time, and keeps the images.
//
//   $XDG_CACHE_HOME/tensim/KEY/   prelude.h   image.elf   deps
//
// KEY is a hash of the compiler's command, the prelude, the kernel's text and what is linked; `deps` has a hash of
// every file that was included, so a changed header is noticed. The images that were used last stay (images.c).
// Errors are shown as the compiler prints them.
#include "platform/base/hash.h"
#include "platform/base/json.h"
#include "platform/base/private.h"
#include "platform/load/loader.h"
#include "platform/out/file.h"
#include "platform/run/plan/hashes.h"
#include "platform/run/plan/remedies.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILER "riscv64-unknown-elf-g++"
#define OUTPUTS  3 // the last words of a command: what it writes

extern char **environ;

// Where an image lies, which firmware goes with it, and whose RAM it has (struct ts_machine).
static const struct {
    const char *name, *firmware, *start;
    uint32_t base, room, core;
} processors[TS_ON + 2] = {
    [TS_ON_BRISC] = {"brisc", "brisc.cpp", "start_brisc.o", TS_PROGRAM_BRISC,
                     TS_PROGRAM_NCRISC - TS_PROGRAM_BRISC, 0},
    [TS_ON_NCRISC] = {"ncrisc", "other.cpp", "start.o", TS_PROGRAM_NCRISC,
                      TS_PROGRAM_TRISC0 - TS_PROGRAM_NCRISC, 4},
    [TS_ON_TRISC0] = {"unpack", "other.cpp", "start.o", TS_PROGRAM_TRISC0,
                      TS_PROGRAM_TRISC1 - TS_PROGRAM_TRISC0, 1},
    [TS_ON_TRISC1] = {"math", "other.cpp", "start.o", TS_PROGRAM_TRISC1,
                      TS_PROGRAM_TRISC2 - TS_PROGRAM_TRISC1, 2},
    [TS_ON_TRISC2] = {"pack", "other.cpp", "start.o", TS_PROGRAM_TRISC2,
                      TS_PROGRAM - TS_PROGRAM_TRISC2, 3},
    // Of Ethernet tiles.
    [TS_ON] = {"erisc0", "erisc.cpp", "start_brisc.o", TS_ETH_CODE(0), TS_ETH_CODE_ROOM, 0},
    [TS_ON + 1] = {"erisc1", "erisc.cpp", "start.o", TS_ETH_CODE(1), TS_ETH_CODE_ROOM, 0},
};

static const char *const flags[] = {"-mabi=ilp32",
                                    "-mno-relax",
                                    "-msmall-data-limit=0",
                                    "-std=c++20",
                                    "-ffreestanding",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-fno-threadsafe-statics",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fno-use-cxa-atexit",
                                    "-ffunction-sections",
                                    "-fdata-sections",
                                    "-fno-tree-loop-distribute-patterns",
                                    "-ffast-math",
                                    "-fno-finite-math-only",
                                    "-fno-associative-math",
                                    "--param=min-pagesize=0",
                                    "-g",
                                    "-fno-var-tracking", // lines, not variables
                                    "-Wall",
                                    "-Wno-volatile",
                                    "-Wno-unused", // three threads share a source
                                    "-nostdlib",
                                    "-nostartfiles",
                                    "-Wl,--gc-sections,--no-warn-rwx-segments"};

struct unit {
    const struct ts_plan_kernel *kernel;
    unsigned processor;
    char source[PATH_MAX], folder[PATH_MAX];
    char prelude[PATH_MAX], image[PATH_MAX], fresh[PATH_MAX + 8], deps[PATH_MAX], log[PATH_MAX];
    char **words; // to be freed, and each of them; NULL behind the last
    unsigned count, room;
    bool full;    // out of memory: a word is missing
    pid_t pid;    // 0: not running
    bool done;    // the image is there, and right
    bool unrolls; // by the script for what this compiler does not take
};

// All images of a program.
struct batch {
    struct unit *units;
    unsigned count;
    struct ts_hashes hashes;
    char cache[PATH_MAX];
};

__attribute__((format(printf, 2, 3))) static void word(struct unit *self, const char *format, ...)
{
    va_list arguments;
    if (!TS_GROW(self->words, self->count + 1, self->room)) {
        self->full = true;
        return;
    }
    va_start(arguments, format);
    if (vasprintf(&self->words[self->count], format, arguments) >= 0)
        self->count++;
    else
        self->full = true;
    va_end(arguments);
    self->words[self->count] = NULL;
}

// --- the cache ---

// Is the image there, and are all files as they were when it was made?
static bool is_fresh(const struct unit *self, struct ts_hashes *hashes)
{
    FILE *file = access(self->image, R_OK) == 0 ? fopen(self->deps, "r") : NULL;
    char path[PATH_MAX];
    unsigned long long then;
    bool same = file != NULL;
    while (same && fscanf(file, "%llx %4095[^\n]", &then, path) == 2) {
        uint64_t now;
        same = ts_hashes_of(hashes, path, &now) && now == then;
    }
    if (file)
        fclose(file);
    if (same)
        utimensat(AT_FDCWD, self->image, NULL, 0); // it is in use
    return same;
}

// Make's rule "image: file file \ file" as a list with hashes.
static bool write_deps(const struct unit *self, struct ts_hashes *hashes, struct ts_error *error)
{
    char rule[PATH_MAX + 16];
    size_t length;
    snprintf(rule, sizeof rule, "%s.d", self->fresh);
    char *text = ts_read_file(rule, &length, error);
    struct ts_file *file = text ? ts_file_open(self->deps, error) : NULL;
    char *rest = NULL, *colon = text ? memchr(text, ':', length) : NULL;
    if (text && length > 0)
        text[length - 1] = '\0';
    for (char *path = colon ? strtok_r(colon + 1, " \\\n", &rest) : NULL; file && path;
         path = strtok_r(NULL, " \\\n", &rest)) {
        uint64_t hash;
        if (ts_hashes_of(hashes, path, &hash))
            fprintf(ts_file_stream(file), "%llx %s\n", (unsigned long long)hash, path);
    }
    free(text);
    unlink(rule);
    return file != NULL && ts_file_close(file, error);
}

// --- one image ---

static void make_command(struct unit *self, const struct ts_plan *plan)
{
    char sdk[PATH_MAX], folder[PATH_MAX];
    unsigned p = self->processor;
    ts_sdk_path(sdk, sizeof sdk, "");
    const bool compute = self->kernel->on == TS_PLAN_COMPUTE;
    const struct ts_plan_compiler *compiler = &self->kernel->compiler;
    word(self, "%s", compiler->program[0] ? compiler->program : COMPILER);
    const struct ts_machine *machine = plan->soc.machine;
    if (compiler->vendor)
        word(self, "-mcpu=%s%s", machine->cpu, compute ? "-tensix" : "");
    else
        word(self, "-march=%s", machine->march);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        word(self, "%s", flags[i]);
    word(self, "-%s", self->kernel->optimise);
    const struct ts_yaml_node includes[] = {self->kernel->include, plan->include};
    for (unsigned list = 0; list < 2; list++)
        for (size_t i = 0; includes[list].node && i < ts_yaml_count(includes[list]); i++) {
            ts_plan_source(plan, folder, sizeof folder,
                           ts_yaml_text(ts_yaml_at(includes[list], i), ""));
            word(self, "-I%s", folder);
        }
    // Not -I: warnings are for the kernel's text, not for ours and the compiler's.
    if (compiler->include[0]) {
        word(self, "-isystem");
        word(self, "%s", compiler->include);
    }
    const char *const parts[] = {"metal", "include", machine->headers, "generated"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (i == 0 || strcmp(parts[i], parts[i - 1]) != 0) {
            word(self, "-isystem");
            word(self, "%s%s", sdk, parts[i]);
        }
    word(self, "-Wl,--defsym=BASE=0x%x,--defsym=ROOM=0x%x,--defsym=RAM=%u", processors[p].base,
         processors[p].room, machine->local_bytes[processors[p].core]);
    // As tt-metal's, they run in the core's instruction RAM, if it has one.
    const bool iram = p >= TS_ON && machine->iram_bytes;
    word(self, "-T%s%s", sdk, iram ? "guest_iram.ld" : "guest.ld");
    word(self, "%s%s/%s", sdk, machine->headers, iram ? "start_iram.o" : processors[p].start);
    word(self, "-include%sprogram/%s", sdk, processors[p].firmware);
    word(
        self,
        "-xc++"); // whatever its name: the linker's scripts and objects are not for programs to choose
    word(self, "%s", self->source);
    word(self, "-xnone");
    word(self, "%s%s/memory.o", sdk, machine->headers);
    word(self, "%sgenerated/libgcc.a", sdk);
}

// What is linked, which the compiler does not list: the script and the objects of the SDK.
static uint64_t hash_linked(const struct unit *self, struct ts_hashes *hashes, uint64_t key)
{
    uint64_t hash;
    for (unsigned i = 0; i < self->count; i++) {
        const char *file = self->words[i], *end = strrchr(file, '.');
        if (end && ts_word_index(".o .a .ld", end) >= 0 &&
            ts_hashes_of(hashes, strncmp(file, "-T", 2) == 0 ? file + 2 : file, &hash))
            key = ts_hash_word(key, hash);
    }
    return key;
}

static bool prepare(struct unit *self, const struct ts_plan *plan,
                    const struct ts_plan_options *options, const char *cache,
                    struct ts_hashes *hashes, struct ts_error *error)
{
    char *prelude = NULL, kernel[PATH_MAX];
    size_t length = 0;
    FILE *memory = open_memstream(&prelude, &length);
    uint64_t key = TS_HASH_START, source;
    if (memory == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    ts_plan_source(plan, kernel, sizeof kernel, self->kernel->source);
    if (realpath(kernel, self->source) == NULL) { // a name alone could be an option
        fclose(memory);
        free(prelude);
        return ts_refuse(error, TS_SETUP, "%.300s: %s", kernel, strerror(errno));
    }
    ts_plan_prelude(plan, self->kernel, (enum ts_processor)self->processor, options->print, memory);
    fclose(memory);
    make_command(self, plan);
    if (self->full) {
        free(prelude);
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    }
    for (unsigned i = 0; i < self->count; i++)
        key = ts_hash_bytes(key, self->words[i], strlen(self->words[i]) + 1);
    key = ts_hash_bytes(key, prelude, length);
    if (ts_hashes_of(hashes, self->source, &source))
        key = ts_hash_word(key, source);
    key = hash_linked(self, hashes, key);
    snprintf(self->folder, sizeof self->folder, "%.3000s/%016llx", cache, (unsigned long long)key);
    mkdir(self->folder, 0700);
    snprintf(self->image, sizeof self->image, "%.3900s/image.elf", self->folder);
    snprintf(self->deps, sizeof self->deps, "%.3900s/deps", self->folder);
    snprintf(self->prelude, sizeof self->prelude, "%.3900s/prelude.h", self->folder);
    snprintf(self->fresh, sizeof self->fresh, "%.3900s/image.%d", self->folder, (int)getpid());
    snprintf(self->log, sizeof self->log, "%.3900s/log.%d", self->folder, (int)getpid());
    self->done = is_fresh(self, hashes);
    bool good = self->done || ts_file_bytes(self->prelude, prelude, length, error);
    free(prelude);
    // The prelude comes before the firmware.
    unsigned last = self->count;
    word(self, "-include%s", self->prelude);
    if (self->full)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    char *moved = self->words[last];
    memmove(self->words + 2, self->words + 1, (last - 1) * sizeof *self->words);
    self->words[1] = moved;
    // OUTPUTS words.
    word(self, "-MD");
    word(self, "-MF%s.d", self->fresh);
    word(self, "-o%s", self->fresh);
    if (self->full)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    return good && !self->full;
}

static bool start(struct unit *self, struct ts_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, self->log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int wrong = posix_spawnp(&self->pid, self->words[0], &actions, NULL, self->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (wrong)
        ts_fail(error, TS_SETUP, "%s: %s%s", self->words[0], strerror(wrong),
                self->kernel->compiler.program[0] ? "" : " (apt install gcc-riscv64-unknown-elf)");
    return wrong == 0;
}

// GCC before 14 wants a number in `#pragma GCC unroll', kernels have template arguments: once more, with a script that makes
// them numbers.
static bool unroll(struct unit *self, struct ts_error *error)
{
    char script[PATH_MAX];
    ts_sdk_path(script, sizeof script, "program/unroll");
    self->unrolls = true;
    word(self, "-no-integrated-cpp");
    word(self, "-wrapper");
    word(self, "sh,%s", script);
    return self->full ? ts_refuse(error, TS_NO_MEMORY, "out of memory") : start(self, error);
}

// After its process ended: what it printed, and the image in its place.
static bool finish(struct unit *self, int status, const struct ts_plan_options *options,
                   struct ts_hashes *hashes, struct ts_error *error)
{
    struct ts_error ignored = {0};
    size_t length = 0;
    char *text = ts_read_file(self->log, &length, &ignored);
    static const char refused[] = "'#pragma GCC unroll' requires";
    const bool again = text && !self->unrolls &&
                       memmem(text, length, refused, sizeof refused - 1) != NULL;
    if (text && length > 0 && options->notes && !again)
        fwrite(text, 1, length, options->notes);
    free(text);
    unlink(self->log);
    self->pid = 0;
    if (again)
        return unroll(self, error);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        struct ts_error said = {0};
        struct ts_yaml_node node = self->kernel->node;
        struct ts_error *kept = node.file->error;
        node.file->error = &said;
        ts_yaml_error(node, "%.200s does not compile for %s", self->kernel->source,
                      processors[self->processor].name);
        node.file->error = kept;
        return ts_refuse(error, TS_SETUP, "%s", said.text);
    }
    return write_deps(self, hashes, error) && rename(self->fresh, self->image) == 0;
}

// --- all of them ---

static bool run_all(struct batch *batch, const struct ts_plan_options *options,
                    struct ts_error *error)
{
    struct unit *units = batch->units;
    const unsigned count = batch->count;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned running = 0, next = 0;
    bool made = false;
    while (running > 0 || (next < count && error->code == TS_OK)) {
        while (next < count && running < (unsigned)(threads > 1 ? threads : 1) &&
               error->code == TS_OK) {
            struct unit *unit = &units[next++];
            bool begun = false; // the same image, for another tile
            for (unsigned i = 0; i + 1 < next; i++)
                begun |= units[i].pid != 0 && strcmp(units[i].image, unit->image) == 0;
            if (!begun && !unit->done && !is_fresh(unit, &batch->hashes) && start(unit, error))
                running++;
        }
        if (running == 0)
            continue;
        // In their order, so that messages have one.
        for (unsigned i = 0; i < next; i++) {
            int status;
            if (units[i].pid == 0)
                continue;
            while (waitpid(units[i].pid, &status, 0) < 0 && errno == EINTR)
                ;
            finish(&units[i], status, options, &batch->hashes, error);
            running -= units[i].pid == 0;
            made = true;
            break;
        }
    }
    if (made)
        ts_images_trim(batch->cache, TS_IMAGES_BYTES, TS_IMAGES_SECONDS);
    return error->code == TS_OK;
}

static unsigned list_units(struct ts_plan *self, struct unit *units)
{
    unsigned count = 0;
    for (uint32_t k = 0; k < self->kernel_count; k++) {
        const struct ts_plan_kernel *kernel = &self->kernels[k];
        unsigned first = kernel->on == TS_PLAN_COMPUTE ? TS_ON_TRISC0 : (unsigned)kernel->on;
        unsigned last = kernel->on == TS_PLAN_COMPUTE ? TS_ON_TRISC2 : first;
        for (unsigned p = first; kernel->source && kernel->cores.count && p <= last; p++) {
            units[count].kernel = kernel;
            units[count++].processor = p;
        }
    }
    for (uint32_t i = 0; i < self->eth_count; i++) {
        units[count].kernel = &self->eth[i].kernel;
        units[count++].processor = TS_ON + self->eth[i].core;
    }
    return count;
}

static void prepare_all(struct batch *batch, struct ts_plan *self,
                        const struct ts_plan_options *options, struct ts_error *error)
{
    *batch = (struct batch){
        .units = calloc(self->kernel_count * 3 + self->eth_count + 1, sizeof *batch->units)};
    self->print = options->print;
    if (batch->units == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    else if (ts_private_folder("XDG_CACHE_HOME", ".cache", batch->cache, sizeof batch->cache,
                               error))
        batch->count = list_units(self, batch->units);
    for (unsigned i = 0; i < batch->count && error->code == TS_OK; i++)
        prepare(&batch->units[i], self, options, batch->cache, &batch->hashes, error);
}

static void free_batch(struct batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        while (batch->units[i].count > 0)
            free(batch->units[i].words[--batch->units[i].count]);
        free(batch->units[i].words);
    }
    free(batch->units);
    ts_hashes_free(&batch->hashes);
}

bool ts_plan_compile(struct ts_plan *self, const struct ts_plan_options *options,
                     struct ts_error *error)
{
    struct batch batch;
    if (self->llk.on) // its images are embedded
        return true;
    prepare_all(&batch, self, options, error);
    if (error->code == TS_OK)
        run_all(&batch, options, error);
    for (unsigned i = 0; i < batch.count; i++) {
        struct ts_plan_kernel *kernel = (struct ts_plan_kernel *)batch.units[i].kernel;
        unsigned p = batch.units[i].processor;
        memcpy(kernel->image[p < TS_ON ? p : 0], batch.units[i].image, PATH_MAX);
    }
    free_batch(&batch);
    return error->code == TS_OK && ts_remedies_check(self, error);
}

// --- for editors ---

// clangd does not know all of gcc's flags, and takes the language's version away with -march.
static const char clangd[] =
    "# For clangd; compile_commands.json has how tensim compiles the kernels.\n"
    "CompileFlags:\n"
    "  Add: [--target=riscv32, -march=rv32im, -std=c++20]\n"
    "  Remove: [-march=*, -mno-relax, -fno-tree-loop-distribute-patterns, --param=*]\n";

bool ts_plan_commands(struct ts_plan *self, const struct ts_plan_options *options,
                      const char *folder, struct ts_error *error)
{
    struct batch batch;
    prepare_all(&batch, self, options, error);
    const struct unit *units = batch.units;
    json_t *rows = json_array();
    char path[PATH_MAX], whole[PATH_MAX];
    for (unsigned i = 0; i < batch.count && error->code == TS_OK; i++) {
        // An editor shows a compute kernel once: as the math thread sees it.
        if (units[i].kernel->on == TS_PLAN_COMPUTE && units[i].processor != TS_ON_TRISC1)
            continue;
        json_t *words = json_array();
        for (unsigned k = 0; k + OUTPUTS < units[i].count; k++)
            json_array_append_new(words, json_string(units[i].words[k]));
        ts_json_add(rows, "{s:s, s:s, s:o}", "directory", realpath(folder, whole) ? whole : folder,
                    "file", units[i].source, "arguments", words);
    }
    free_batch(&batch);
    char *text = json_dumps(rows, JSON_INDENT(1));
    json_decref(rows);
    snprintf(path, sizeof path, "%.3900s/compile_commands.json", folder);
    bool good = error->code == TS_OK && text && ts_file_bytes(path, text, strlen(text), error);
    free(text);
    snprintf(path, sizeof path, "%.3900s/.clangd", folder);
    return good && ts_file_bytes(path, clangd, strlen(clangd), error);
}
