// Reads and replays conformance files (conform.h).
#include "platform/load/conform.h"

#include "platform/base/number.h"
#include "platform/chip/chip.h"
#include "platform/load/loader.h"
#include "platform/tile/watchdog.h"

// --- reading
// ------------------------------------------------------------------------------------------------------

static bool numbers(const char *text, uint32_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *end;
        unsigned long value = strtoul(text, &end, ts_number_base(text));
        if (end == text || value > UINT32_MAX)
            return false;
        to[i] = (uint32_t)value;
        text = end;
    }
    return true;
}

static bool range(struct ts_conform_range *rows, uint32_t *count, const char *text)
{
    uint32_t n[4];
    if (*count == TS_CONFORM_ROWS || !numbers(text, n, 4))
        return false;
    rows[(*count)++] = (struct ts_conform_range){n[0], n[1], n[2], n[3]};
    return true;
}

static bool core_row(struct ts_conform_file *self, const char *text)
{
    char name[16];
    uint32_t tile, pc;
    int used = 0;
    char tile_text[16], pc_text[16];
    if (self->core_count == TS_CONFORM_ROWS ||
        sscanf(text, "%15s %15s %15s%n", tile_text, name, pc_text, &used) != 3)
        return false;
    int core = ts_rv_core_by_name(name);
    if (core < 0 || !numbers(tile_text, &tile, 1) || !numbers(pc_text, &pc, 1))
        return false;
    self->cores[self->core_count].tile = tile;
    self->cores[self->core_count].core = (uint32_t)core;
    self->cores[self->core_count++].pc = pc;
    return true;
}

static bool tile_row(struct ts_conform_file *self, const char *text)
{
    uint32_t n[3];
    if (!numbers(text, n, 3) || n[0] >= TS_CONFORM_TILES)
        return false;
    self->tiles[n[0]].x = n[1];
    self->tiles[n[0]].y = n[2];
    if (n[0] + 1 > self->tile_count)
        self->tile_count = n[0] + 1;
    return true;
}

static bool done_row(struct ts_conform_file *self, const char *text)
{
    uint32_t n[3];
    if (self->done_count == TS_CONFORM_ROWS || !numbers(text, n, 3))
        return false;
    self->dones[self->done_count].tile = n[0];
    self->dones[self->done_count].address = n[1];
    self->dones[self->done_count++].value = n[2];
    return true;
}

// One header line. Unknown keys are ignored; -1: malformed; 1: the data follows.
static int header_line(struct ts_conform_file *self, char *line)
{
    char *key = line, *rest = line + strcspn(line, " \t");
    if (*rest != '\0')
        *rest++ = '\0';
    bool good = true;
    if (strcmp(key, "name") == 0)
        snprintf(self->name, sizeof self->name, "%s", rest);
    else if (strcmp(key, "note") == 0)
        snprintf(self->note, sizeof self->note, "%s", rest);
    else if (strcmp(key, "arch") == 0)
        good = (self->machine = ts_machine_by_name(rest)) != NULL;
    else if (strcmp(key, "rules") == 0)
        good = (self->rules = ts_bits_by_name(rest)) >= 0;
    else if (strcmp(key, "refused") == 0)
        snprintf(self->refused, sizeof self->refused, "%s", rest);
    else if (strcmp(key, "budget") == 0)
        self->budget = strtoull(rest, NULL, ts_number_base(rest));
    else if (strcmp(key, "tile") == 0)
        good = tile_row(self, rest);
    else if (strcmp(key, "load") == 0)
        good = range(self->loads, &self->load_count, rest);
    else if (strcmp(key, "expect") == 0)
        good = range(self->expects, &self->expect_count, rest);
    else if (strcmp(key, "core") == 0)
        good = core_row(self, rest);
    else if (strcmp(key, "done") == 0)
        good = done_row(self, rest);
    else if (strcmp(key, "data") == 0)
        return numbers(rest, &self->data_length, 1) ? 1 : -1;
    return good ? 0 : -1;
}

static bool check_range(const struct ts_conform_file *self, const struct ts_conform_range *row)
{
    return row->tile < self->tile_count && ts_l1_contains(row->address, row->length) &&
           row->offset <= self->data_length && row->length <= self->data_length - row->offset;
}

// Everything the header names must exist.
static const char *check(const struct ts_conform_file *self)
{
    for (uint32_t i = 0; i < self->load_count; i++)
        if (!check_range(self, &self->loads[i]))
            return "a load row names what is not there";
    for (uint32_t i = 0; i < self->expect_count; i++)
        if (!check_range(self, &self->expects[i]))
            return "an expect row names what is not there";
    for (uint32_t i = 0; i < self->core_count; i++)
        if (self->cores[i].tile >= self->tile_count)
            return "a core row names a tile that is not there";
    for (uint32_t i = 0; i < self->done_count; i++)
        if (self->dones[i].tile >= self->tile_count || !ts_l1_contains(self->dones[i].address, 4))
            return "a done row names what is not there";
    if (self->tile_count == 0 || self->core_count == 0 || self->done_count == 0)
        return "no tile, no core or no done word";
    return NULL;
}

bool ts_conform_parse(struct ts_conform_file *self, const void *bytes, size_t length,
                      const char *name, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    const char *at = bytes, *end = at + length;
    for (unsigned number = 1;; number++) {
        const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        char line[512];
        if (stop == NULL || (size_t)(stop - at) >= sizeof line)
            return ts_refuse(error, TS_SETUP, "%s:%u: header ends without a data line", name,
                             number);
        memcpy(line, at, (size_t)(stop - at));
        line[stop - at] = '\0';
        at = stop + 1;
        if (number == 1) {
            if (strcmp(line, "ttvec 1") != 0) {
                return ts_refuse(error, TS_SETUP, "%s: not a test vector (no \"ttvec 1\")", name);
            }
            continue;
        }
        int answer = header_line(self, line);
        if (answer < 0)
            return ts_refuse(error, TS_SETUP, "%s:%u: malformed row \"%s\"", name, number, line);
        if (answer > 0)
            break;
    }
    if ((size_t)(end - at) < self->data_length)
        return ts_refuse(error, TS_SETUP, "%s: truncated: %zu bytes of data, not %u", name,
                         (size_t)(end - at), self->data_length);
    const char *wrong = check(self);
    if (wrong != NULL)
        return ts_refuse(error, TS_SETUP, "%s: %s", name, wrong);
    self->data = malloc(self->data_length ? self->data_length : 1);
    if (self->data == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "%s: out of memory", name);
    memcpy(self->data, at, self->data_length);
    return true;
}

bool ts_conform_read(struct ts_conform_file *self, const char *path, struct ts_error *error)
{
    size_t length = 0;
    memset(self, 0, sizeof *self);
    void *bytes = ts_read_file(path, &length, error);
    bool good = bytes && ts_conform_parse(self, bytes, length, path, error);
    free(bytes);
    return good;
}

void ts_conform_free(struct ts_conform_file *self)
{
    free(self->data);
    self->data = NULL;
}

// --- running
// ------------------------------------------------------------------------------------------------------

struct bench {
    const struct ts_conform_file *conform;
    struct ts_tile *tiles[TS_CONFORM_TILES];
    struct ts_chip *chip; // NULL: there is none
    struct ts_kernel *kernel;
    ts_cycle done; // the cycle the last done word was written in
};

static bool all_done(const struct bench *bench)
{
    const struct ts_conform_file *conform = bench->conform;
    for (uint32_t i = 0; i < conform->done_count; i++) {
        uint32_t word;
        memcpy(&word, bench->tiles[conform->dones[i].tile]->l1.bytes + conform->dones[i].address,
               4);
        if (word != conform->dones[i].value)
            return false;
    }
    return true;
}

// A done word changed: with the last one the run is over.
static void done_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct bench *bench = context;
    (void)address;
    (void)length;
    if (!all_done(bench))
        return;
    bench->done = at;
    ts_break(&bench->tiles[0]->cores[0].component, at);
}

// The network between the tiles of a vector.
static bool connect(struct bench *bench, const struct ts_conform_options *options,
                    struct ts_error *error)
{
    struct ts_soc soc;
    if (ts_soc_find(&soc, options->soc, error) != TS_OK)
        return false;
    bench->chip = calloc(1, sizeof *bench->chip);
    if (bench->chip == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    return ts_chip_init(bench->chip, bench->kernel, &soc, options->params, bench->tiles,
                        bench->conform->tile_count, error) == TS_OK;
}

static bool set_up(struct bench *bench, const struct ts_conform_options *options,
                   struct ts_error *error)
{
    const struct ts_conform_file *conform = bench->conform;
    struct ts_tile_config config = options->tile;
    config.machine = conform->machine ? conform->machine : &ts_machines[0];
    if (!options->given_bits)
        config.bits = ts_bits_all((unsigned)conform->rules);
    for (uint32_t i = 0; i < conform->tile_count; i++) {
        bench->tiles[i] = ts_tile_new_at(bench->kernel, conform->tiles[i].x, conform->tiles[i].y,
                                         &config, error);
        if (bench->tiles[i] == NULL)
            return false;
        if (options->prepare)
            options->prepare(bench->tiles[i], options->context);
    }
    if (options->soc && conform->tile_count > 1 && !connect(bench, options, error))
        return false;
    if (ts_kernel_elaborate(bench->kernel, error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < conform->load_count; i++) {
        const struct ts_conform_range *row = &conform->loads[i];
        ts_l1_write(&bench->tiles[row->tile]->l1, row->address, conform->data + row->offset,
                    row->length, 0);
    }
    for (uint32_t i = 0; i < conform->done_count; i++) {
        struct ts_l1 *l1 = &bench->tiles[conform->dones[i].tile]->l1;
        memset(l1->bytes + conform->dones[i].address, 0, 4);
        ts_l1_watch_add(l1,
                        &(struct ts_l1_watch){.granule = conform->dones[i].address / TS_L1_GRANULE,
                                              .port = UINT32_MAX,
                                              .written = done_written,
                                              .context = bench});
    }
    for (uint32_t i = 0; i < conform->core_count; i++) {
        struct ts_tile *tile = bench->tiles[conform->cores[i].tile];
        if (!ts_tile_start(tile, conform->cores[i].core, conform->cores[i].pc, 0, error))
            return false;
        // Programs share data in L1 and never flush the L0 caches, which the vendor's firmware
        // turns off too.
        ts_rv_core_configure(&tile->cores[conform->cores[i].core], TS_RV_CFG0_DIS_LOW_CASH);
    }
    return true;
}

static bool compare(const struct bench *bench, struct ts_conform_result *result)
{
    const struct ts_conform_file *conform = bench->conform;
    for (uint32_t i = 0; i < conform->expect_count; i++) {
        const struct ts_conform_range *row = &conform->expects[i];
        const uint8_t *got = bench->tiles[row->tile]->l1.bytes + row->address,
                      *want = conform->data + row->offset;
        uint32_t differ = 0, first = 0;
        for (uint32_t k = 0; k < row->length; k++)
            if (got[k] != want[k] && differ++ == 0)
                first = k;
        if (differ != 0) {
            uint32_t w = first & ~3u, n = row->length - w < 4 ? row->length - w : 4, a = 0, b = 0;
            memcpy(&a, got + w, n);
            memcpy(&b, want + w, n);
            result->code = TS_DIFFERS;
            snprintf(result->text, sizeof result->text,
                     "tile %u: %u of %u bytes differ, first at 0x%05x: 0x%08x instead of 0x%08x",
                     row->tile, differ, row->length, row->address + w, a, b);
            return false;
        }
    }
    return true;
}

bool ts_conform_run(const struct ts_conform_file *self, const struct ts_conform_options *options,
                    struct ts_conform_result *result)
{
    struct ts_error error = {0};
    struct bench bench = {.conform = self};
    memset(result, 0, sizeof *result);
    bench.kernel = ts_kernel_new(&(struct ts_kernel_config){
        .threads = options->threads ? options->threads : 1, .hosting = options->tile.hosting});
    bool ready = bench.kernel != NULL && set_up(&bench, options, &error);
    if (ready) {
        ts_cycle limit = self->budget * (options->budget_scale ? options->budget_scale : 4);
        struct ts_run run = options->tile.unchecked ? ts_kernel_run(bench.kernel, limit)
                                                    : ts_watched_run(bench.kernel, limit);
        result->cycles = run.cycle;
        if (options->ended)
            options->ended(bench.kernel, &run, options->context);
        for (uint32_t t = 0; t < self->tile_count; t++)
            for (unsigned c = 0; c < TS_RV_CORES; c++)
                result->instructions += ts_rv_core_view(&bench.tiles[t]->cores[c]).instructions;
        if (run.stop == TS_STOP_FAULT && self->refused[0] && run.error.code == TS_NOT_IMPLEMENTED &&
            strstr(run.error.text, self->refused)) {
            result->pass = true;
        } else if (run.stop == TS_STOP_FAULT) {
            result->code = run.error.code;
            snprintf(result->text, sizeof result->text, "%s", run.error.text);
        } else if (!all_done(&bench)) {
            result->code = run.stop == TS_STOP_LIMIT ? TS_LIMIT : TS_HANG;
            snprintf(result->text, sizeof result->text, "not done after %llu cycles (%s)",
                     (unsigned long long)run.cycle, ts_stop_name(run.stop));
            if (options->hung && result->code == TS_HANG)
                options->hung(bench.kernel, run.cycle, options->context);
        } else {
            result->cycles = bench.done;
            result->pass = self->refused[0] == '\0' && compare(&bench, result);
            if (self->refused[0]) {
                result->code = TS_DIFFERS;
                snprintf(result->text, sizeof result->text, "not refused (%s)", self->refused);
            }
        }
    } else {
        result->code = error.code ? error.code : TS_SETUP;
        snprintf(result->text, sizeof result->text, "%s",
                 error.code ? error.text : "out of memory");
    }
    if (bench.chip)
        ts_chip_free(bench.chip);
    free(bench.chip);
    for (uint32_t i = 0; i < self->tile_count; i++) {
        if (options->dismiss && bench.tiles[i] != NULL)
            options->dismiss(bench.tiles[i], options->context);
        ts_tile_free(bench.tiles[i]);
    }
    ts_kernel_free(bench.kernel);
    return ready;
}
