#include "platform/bench/command.h"

#include "cores/guest/include/movers.h"
#include "platform/base/private.h"
#include "platform/chip/soc.h"
#include "platform/run/guest.h"

#include <dirent.h>
#include <unistd.h>

#define ROUNDS 20 // of movers

const struct ts_workload ts_workloads[] = {
#define TS_WORKLOAD(...) {__VA_ARGS__},
#include "config/workloads.def"
};
const size_t ts_workload_count = sizeof ts_workloads / sizeof *ts_workloads;

bool ts_workload_by_wall(const struct ts_workload *self)
{
    return self->threads > 1 || self->traced || strcmp(self->name, "trace_off") == 0;
}

// --- runs ---

// Cuts the text into settings.
static void split(struct ts_workload_run *run)
{
    char *rest = run->text, *word;
    while ((word = strtok_r(rest, " ", &rest)) && run->setting_count < TS_WORKLOAD_SETTINGS)
        run->settings[run->setting_count++] = word;
}

size_t ts_workload_runs(const struct ts_workload *self, const struct ts_workload_files *files,
                        bool quick, struct ts_workload_run runs[TS_WORKLOAD_RUNS])
{
    size_t count = 0;
    uint32_t repeat = quick && self->repeat > 10 ? self->repeat / 10 : self->repeat;
    memset(runs, 0, TS_WORKLOAD_RUNS * sizeof *runs);
    if (self->kernel == NULL) {
        runs[0].scenario = files->scenario;
        return 1;
    }
    for (const char *at = self->formats; at && *at && count < (quick ? 1 : TS_WORKLOAD_RUNS);) {
        const int format = (int)strcspn(at, ":"), both = (int)strcspn(at, " ");
        snprintf(runs[count].text, sizeof runs->text, "%s format=%.*s fidelity=%.*s",
                 self->settings, format, at, both - format - 1, at + format + 1);
        split(&runs[count++]);
        at += both;
        at += *at == ' ';
    }
    if (count > 0)
        return count;
    snprintf(runs->text, sizeof runs->text, "%s",
             quick && self->quick ? self->quick : self->settings);
    if (self->how == TS_WORK_KERNEL)
        ts_append(runs->text, sizeof runs->text, " repeat=%u", repeat);
    split(runs);
    return 1;
}

// --- movers on every tile of a chip ---

static bool write_file(const char *directory, const char *name, const void *bytes, size_t length,
                       struct ts_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, length, file) == length;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        ts_fail(error, TS_SETUP, "%s: cannot be written", path);
    return good;
}

// The five programs, under the names of their cores.
static bool write_programs(const char *directory, struct ts_error *error)
{
    static const char *const names[][2] = {{"movers.brisc", "brisc.elf"},
                                           {"movers.ncrisc", "ncrisc.elf"},
                                           {"movers.unpack", "trisc0.elf"},
                                           {"movers.math", "trisc1.elf"},
                                           {"movers.pack", "trisc2.elf"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ts_guest_program *program = ts_guest_find(names[i][0]);
        if (!write_file(directory, names[i][1], program->bytes, program->length, error))
            return false;
    }
    return true;
}

// The tile that follows, in a ring over all tiles, as the guest writes coordinates.
static uint32_t neighbour(uint32_t tile, uint32_t by, uint32_t *x, uint32_t *y)
{
    uint32_t count = TS_GRID_COLUMNS * TS_GRID_ROWS, at = (tile + by) % count;
    *x = ts_grid_x(at % TS_GRID_COLUMNS);
    *y = TS_GRID_Y + at / TS_GRID_COLUMNS;
    return *x | *y << 6;
}

static void write_tile(FILE *file, const struct ts_soc *soc, uint32_t tile, uint32_t rounds)
{
    uint32_t x, y, x1, y1, count = TS_GRID_COLUMNS * TS_GRID_ROWS;
    uint32_t next = neighbour(tile, 1, &x1, &y1), before = neighbour(tile, count - 1, &x1, &y1);
    neighbour(tile, 0, &x, &y);
    // NoC 1 uses the second endpoint of a channel, as tt-metal does.
    struct ts_noc_xy dram = ts_soc_logical(soc, soc->dram[tile % soc->channels][1]);
    fprintf(file, "  %u-%u:\n    brisc: brisc.elf\n", x, y);
    for (unsigned thread = 0; thread < 3; thread++)
        fprintf(file, "    trisc%u: {elf: trisc%u.elf, hold: true}\n", thread, thread);
    fprintf(file, "    ncrisc: {elf: ncrisc.elf, hold: true}\n");
    // struct ts_launch: done, sync[4], x, y, used, args.
    fprintf(file, "    load: [{address: 0x%x, words: [0, 0, 0, 0, 0, %u, %u, 0", TS_L1_LAUNCH, x,
            y);
    for (uint32_t arg = 0; arg < TS_ARG_MOVERS_END; arg++)
        fprintf(file, ", %u",
                arg == TS_ARG_REPEAT          ? rounds
                : arg == TS_ARG_MOVERS_NEXT   ? next
                : arg == TS_ARG_MOVERS_BEFORE ? before
                : arg == TS_ARG_MOVERS_DRAM   ? dram.x | (uint32_t)dram.y << 6
                                              : 0);
    fprintf(file, "]}]\n");
}

static bool write_scenario(const char *path, uint32_t rounds, struct ts_error *error)
{
    struct ts_soc soc;
    if (ts_soc_find(&soc, "p150", error) != TS_OK)
        return false;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return ts_refuse(error, TS_SETUP, "%s: cannot be written", path);
    fputs("chip: p150\ntiles:\n", file);
    for (uint32_t i = 0; i < TS_GRID_COLUMNS * TS_GRID_ROWS; i++)
        write_tile(file, &soc, i, rounds);
    fputs("script:\n", file);
    for (unsigned wait = 0; wait < 2; wait++)
        for (uint32_t i = 0; i < TS_GRID_COLUMNS * TS_GRID_ROWS; i++) {
            uint32_t x, y;
            neighbour(i, 0, &x, &y);
            if (wait)
                fprintf(file, "  - until: {tile: %u-%u, l1: 0x%x, is: 0x%x, limit: 100000000}\n", x,
                        y, TS_L1_LAUNCH, TS_DONE_WORD);
            else
                fprintf(file, "  - release: {tile: %u-%u, cores: [brisc]}\n", x, y);
        }
    if (fclose(file) != 0)
        ts_fail(error, TS_SETUP, "%s: cannot be written", path);
    return error->code == TS_OK;
}

bool ts_workload_open(struct ts_workload_files *self, bool quick, struct ts_error *error)
{
    if (!ts_temporary_new(self->directory, sizeof self->directory, "bench", true)) {
        ts_fail(error, TS_SETUP, "%s: cannot be created", self->directory);
        self->directory[0] = '\0';
        return false;
    }
    snprintf(self->scenario, sizeof self->scenario, "%s/movers.yaml", self->directory);
    snprintf(self->trace, sizeof self->trace, "%s/trace.json.gz", self->directory);
    return write_programs(self->directory, error) &&
           write_scenario(self->scenario, quick ? ROUNDS / 10 : ROUNDS, error);
}

void ts_workload_close(struct ts_workload_files *self)
{
    DIR *directory = self->directory[0] ? opendir(self->directory) : NULL;
    if (directory == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(self->directory);
}
