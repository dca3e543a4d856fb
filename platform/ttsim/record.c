// A host of which nothing is known but what it writes, reads and lets pass: its writes and resets in their cycles, as a scenario
// (platform/load/scenario.h) that does them again and compares what the host has read.
//
//   DIR/host.yaml:   - write: {tile: 1-2, address: 0x0, file: bytes/HASH.bin}   - run: 1000   - compare: {...}
//
// Everything is kept in memory until the first core is released: a host with tt-metal's firmware has program files instead.
// Inaccuracies: reads of registers are not compared; a read that gives the bytes that the last one there gave is one with it.
#include "platform/ttsim/capture_parts.h"

#include "platform/out/file.h"

#include <inttypes.h>

struct ts_host_step {
    ts_cycle cycle;
    struct tensim_xy at;
    int channel; // of DRAM; -1: a Tensix tile
    bool read;
    uint64_t address;
    uint32_t length;
    uint8_t *bytes;
};

static bool same_place(const struct ts_host_step *a, const struct ts_host_step *b)
{
    return a->channel == b->channel && a->address == b->address && a->length == b->length &&
           (a->channel >= 0 || (a->at.x == b->at.x && a->at.y == b->at.y));
}

void ts_record_access(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                      const void *bytes, uint32_t length, bool read)
{
    struct ts_host_record *record = &self->record;
    const struct ts_soc *soc = &self->sim->chip->soc;
    const enum ts_noc_node node = soc->node[at.y][at.x];
    struct ts_host_step step = {.cycle = tensim_cycle(self->sim),
                                .at = at,
                                .channel = node == TS_NOC_NODE_DRAM ? (int)soc->index[at.y][at.x]
                                                                    : -1,
                                .read = read,
                                .address = address,
                                .length = length};
    if (record->off || (read && step.channel < 0 && address >= TS_L1_SIZE))
        return;
    if (node != TS_NOC_NODE_TENSIX && node != TS_NOC_NODE_DRAM) {
        record->others += !read;
        return;
    }
    // A host that polls: only what it sees at last.
    for (size_t i = record->count; read && i-- > 0 && record->steps[i].read;)
        if (same_place(&record->steps[i], &step)) {
            if (memcmp(record->steps[i].bytes, bytes, length) == 0)
                return;
            break;
        }
    step.bytes = malloc(length);
    if (step.bytes == NULL || !TS_GROW(record->steps, record->count, record->room)) {
        free(step.bytes);
        record->lost = true;
        return;
    }
    memcpy(step.bytes, bytes, length);
    record->steps[record->count++] = step;
}

void ts_record_end(struct ts_host_record *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->steps[i].bytes);
    free(self->steps);
    *self = (struct ts_host_record){.off = true};
}

static void print_tiles(const struct ts_capture *self, FILE *file)
{
    fputs("tiles:\n", file);
    for (size_t t = 0; t < self->count; t++) {
        const struct ts_tile *tile = self->tiles[t].tile;
        bool used = false;
        for (size_t i = 0; i < self->record.count && !used; i++)
            used = self->record.steps[i].channel < 0 && self->record.steps[i].at.x == tile->x &&
                   self->record.steps[i].at.y == tile->y;
        if (used)
            fprintf(file, "    %u-%u: {}\n", tile->x, tile->y);
    }
}

static bool print_step(const struct ts_capture *self, const struct ts_host_step *step, FILE *file,
                       struct ts_error *error)
{
    fprintf(file, "    - %s: {", step->read ? "compare" : "write");
    if (step->channel < 0)
        fprintf(file, "tile: %u-%u, ", step->at.x, step->at.y);
    else
        fprintf(file, "dram: %d, ", step->channel);
    fprintf(file, "address: 0x%" PRIx64, step->address);
    const bool words = step->length % 4 == 0 && step->length <= TS_PIECE_SHORT;
    bool good = words || ts_pieces_store(self->folder, step->bytes, step->length, file, error);
    for (uint32_t i = 0; words && i < step->length; i += 4) {
        uint32_t word;
        memcpy(&word, step->bytes + i, 4);
        fprintf(file, "%s0x%x", i ? ", " : ", words: [", word);
    }
    fputs(words ? "]}\n" : "}\n", file);
    return good;
}

bool ts_record_write(struct ts_capture *self, struct ts_error *error)
{
    const struct ts_host_record *record = &self->record;
    char path[PATH_MAX];
    ts_cycle now = 0;
    snprintf(path, sizeof path, "%.4000s/host.yaml", self->folder);
    struct ts_file *out = ts_file_open(path, error);
    if (out == NULL)
        return false;
    FILE *file = ts_file_stream(out);
    fprintf(file,
            "# What a host did, to cycle %" PRIu64 ": its writes and resets in their cycles.\n"
            "# `tensim run' of this file does it again and compares what the host has read then.\n"
            "chip: %s\n",
            tensim_cycle(self->sim), self->chip);
    print_tiles(self, file);
    fputs("script:\n", file);
    bool good = true;
    for (size_t i = 0; i < record->count && good; i++) {
        const struct ts_host_step *step = &record->steps[i];
        if (step->cycle > now)
            fprintf(file, "    - run: %" PRIu64 "\n", step->cycle - now);
        now = step->cycle;
        good = print_step(self, step, file, error);
    }
    fputs("    - run: 1\n", file); // the last writes act
    if (record->others)
        fprintf(stderr, "tensim capture: %u writes to Ethernet and other tiles are left out\n",
                record->others);
    if (record->lost)
        fputs("tensim capture: out of memory: some accesses of the host are left out\n", stderr);
    return ts_file_close(out, error) && good;
}
