// What released the tiles together, see released.h.
#include "platform/run/released.h"

#include "platform/explain/hang.h"
#include "platform/kernel/cluster.h"

#define ROWS 3 // that are shown

// A wait that has ended.
struct ended {
    ts_cycle to;
    uint32_t pc, address;
    uint16_t from; // x | y << 8 of the tile that wrote the word last, or NOBODY
    uint8_t core;
};
#define NOBODY 0xffff

struct log {
    const struct ts_tile *tile;
    struct ended *ended;
    uint32_t count, room;
};

struct ts_released {
    struct log **logs; // by the index of the domain; each in its domain's memory
    uint32_t count;
};

struct ts_released *ts_released_new(struct ts_kernel *kernel)
{
    struct ts_released *self = calloc(1, sizeof *self);
    const uint32_t count = (uint32_t)ts_kernel_domain_count(kernel);
    if (self && (self->logs = calloc(count, sizeof *self->logs)) != NULL)
        self->count = count;
    for (uint32_t i = 0; self && i < self->count; i++) {
        ts_kernel_place(kernel, ts_kernel_domain(kernel, i)->place);
        self->logs[i] = ts_kernel_alloc(kernel, sizeof **self->logs);
        ts_kernel_place(kernel, 0);
    }
    return self;
}

void ts_released_free(struct ts_released *self)
{
    for (uint32_t i = 0; self && i < self->count; i++)
        free(self->logs[i]->ended);
    if (self)
        free(self->logs);
    free(self);
}

void ts_released_tile(struct ts_released *self, const struct ts_tile *tile)
{
    self->logs[tile->cores[0].component.domain->index]->tile = tile;
}

// Unpack and math: what a matrix unit waits for.
static bool computes(unsigned core)
{
    return core == TS_RV_TRISC0 || core == TS_RV_TRISC1;
}

void ts_released_polled(struct ts_released *self, const struct ts_rv_core *core, ts_cycle to)
{
    const struct ts_rv_view view = ts_rv_core_view(core);
    struct log *log = self->logs[core->component.domain->index];
    const struct ts_tile *tile = log->tile;
    const unsigned number = (unsigned)(core - tile->cores);
    const enum ts_place_kind kind = ts_place_of(tile, number, view.polled).kind;
    if (number == TS_RV_TRISC2)
        return;
    if (computes(number) && kind != TS_PLACE_BUFFER && kind != TS_PLACE_L1)
        return; // threads hand over to each other all the time
    if (!TS_GROW(log->ended, log->count, log->room))
        return; // one wait less is known
    const struct ts_got *got = view.polled < TS_L1_SIZE ? ts_words_got(tile, view.polled) : NULL;
    const bool sent = got && got->at > view.polled_from && got->at <= to;
    log->ended[log->count++] = (struct ended){to, view.polled_pc, view.polled,
                                              sent ? got->from : NOBODY, (uint8_t)number};
}

// The last wait that ended by `at`, of cores that compute or of the others.
static const struct ended *last_before(const struct log *log, bool compute, ts_cycle at)
{
    const struct ended *last = NULL;
    for (uint32_t i = 0; i < log->count; i++)
        if (computes(log->ended[i].core) == compute && log->ended[i].to <= at &&
            (last == NULL || log->ended[i].to >= last->to))
            last = &log->ended[i];
    return last;
}

// Lines that were looked up: tiles run the same programs, and a program's debug information is long.
struct looked_up {
    const void *program;
    uint32_t pc, moved;
    char line[128];
};
#define LOOKED_UP 16

static const char *line_of(struct looked_up *known, const struct log *log, const struct ended *wait)
{
    const struct ts_tile_program *program = &log->tile->programs[wait->core];
    unsigned i = 0;
    while (i + 1 < LOOKED_UP && known[i].program &&
           (known[i].program != program->bytes || known[i].moved != program->moved ||
            known[i].pc != wait->pc))
        i++;
    if (known[i].program != program->bytes || known[i].moved != program->moved ||
        known[i].pc != wait->pc) {
        const struct ts_frames frames = ts_symbols_find(log->tile, wait->core, wait->pc);
        known[i] = (struct looked_up){program->bytes, wait->pc, program->moved, ""};
        ts_frames_line(&frames, known[i].line, sizeof known[i].line);
    }
    return known[i].line;
}

// "trisc0 at compute.cpp:20 (received of buffer c_1)"
static void say(struct looked_up *known, const struct log *log, const struct ended *wait,
                char *text, size_t size)
{
    char name[120];
    const char *where = line_of(known, log, wait);
    snprintf(text, size, "%s at %s (%s)", ts_rv_core_names[wait->core],
             where[0] ? where : "an unknown line",
             ts_hang_poll_name(log->tile, wait->core, wait->address, name, sizeof name));
}

struct row {
    char wait[320], by[320];
    uint32_t tiles, senders;
    uint16_t sender;      // the first
    ts_cycle first, last; // ends of the wait
};

static void add_row(struct row *rows, uint32_t *count, const char *wait, const char *by,
                    uint16_t sender, ts_cycle at)
{
    uint32_t i = 0;
    while (i < *count && (strcmp(rows[i].wait, wait) != 0 || strcmp(rows[i].by, by) != 0))
        i++;
    if (i == *count) {
        rows[(*count)++] = (struct row){.first = at, .sender = sender};
        snprintf(rows[i].wait, sizeof rows[i].wait, "%s", wait);
        snprintf(rows[i].by, sizeof rows[i].by, "%s", by);
    }
    rows[i].tiles++;
    rows[i].senders += sender != rows[i].sender;
    rows[i].first = at < rows[i].first ? at : rows[i].first;
    rows[i].last = at > rows[i].last ? at : rows[i].last;
}

static int more_tiles(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return TS_COMPARE(y->tiles, x->tiles) ?: strcmp(x->wait, y->wait);
}

static json_t *row_json(const struct row *row, const struct ts_step_of *rise, unsigned ns)
{
    char text[900], sender[64] = "";
    if (row->sender != NOBODY)
        snprintf(sender, sizeof sender, ", written by %u-%u%s", row->sender & 0xff,
                 row->sender >> 8, row->senders ? " and others" : "");
    if (row->wait[0])
        snprintf(text, sizeof text, "%u of %u tiles: %s, until cycle %llu to %llu%s%s%s",
                 row->tiles, rise->tiles, row->wait, (unsigned long long)row->first,
                 (unsigned long long)row->last, row->by[0] ? "; before it " : "", row->by, sender);
    else
        snprintf(text, sizeof text, "%u of %u tiles: no wait of a core ended in the 1 us before",
                 row->tiles, rise->tiles);
    return json_pack("{s:i, s:i, s:s, s:s, s:s}", "ns", (int)ns, "tiles", (int)row->tiles, "text",
                     text, "wait", row->wait, "by", row->by);
}

json_t *ts_released_json(const struct ts_released *self, const struct ts_activity *activity,
                         const struct ts_activity_steps *steps)
{
    unsigned most = 0; // the largest rise within up to 1 us
    for (unsigned i = 1; i < TS_STEPS_LENGTHS - 1; i++)
        if ((double)steps->rise[i].sum / (double)steps->rise[i].cycles >
            (double)steps->rise[most].sum / (double)steps->rise[most].cycles)
            most = i;
    const struct ts_step_of *rise = &steps->rise[most];
    const ts_cycle t = rise->at, w = rise->cycles, us = steps->rise[3].cycles;
    json_t *list = json_array();
    struct row *rows = calloc(steps->used + 1u, sizeof *rows);
    uint32_t count = 0;
    struct looked_up known[LOOKED_UP] = {0};
    for (uint32_t i = 0; rows && rise->sum && i < self->count; i++) {
        char wait[320] = "", by[320] = "";
        ts_cycle from, to;
        const struct log *log = self->logs[i];
        if (!activity->places[i].used || log->tile == NULL ||
            ts_activity_sum(activity, i, TS_ACTIVITY_MATRIX, t, t + w) <=
                ts_activity_sum(activity, i, TS_ACTIVITY_MATRIX, t > w ? t - w : 0, t) ||
            !ts_activity_run(activity, i, t, &from, &to))
            continue;
        const struct ended *last = last_before(log, true, from);
        if (last && last->to + us < from)
            last = NULL;
        const struct ended *before = last ? last_before(log, false, last->to) : NULL;
        if (last)
            say(known, log, last, wait, sizeof wait);
        if (before)
            say(known, log, before, by, sizeof by);
        add_row(rows, &count, wait, by, before ? before->from : NOBODY, last ? last->to : from);
    }
    if (rows)
        qsort(rows, count, sizeof *rows, more_tiles);
    for (uint32_t i = 0; i < count && i < ROWS; i++)
        json_array_append_new(list, row_json(&rows[i], rise, ts_activity_steps_ns[most]));
    free(rows);
    return list;
}
