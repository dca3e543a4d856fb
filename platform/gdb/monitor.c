#include "platform/gdb/commands.h"

#include "platform/explain/hang.h"
#include "platform/load/setup.h"
#include "platform/tile/buffers.h"
#include "platform/tile/far.h"

#include <inttypes.h>

#define DST_ROWS 16 // that are shown at once

static const char *const mail_names[TS_MAIL_CORES] = {"brisc", "trisc0", "trisc1", "trisc2"};

// Of the thread that gdb has chosen.
static struct ts_tile *tile_of(const struct ts_gdb *self)
{
    return self->machine.tiles[self->shared->general / TS_RV_CORES];
}

// The Tensix thread of its core; of a core that has none, t1.
static unsigned thread_of(const struct ts_gdb *self)
{
    const unsigned core = self->shared->general % TS_RV_CORES;
    return core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2 ? core - TS_RV_TRISC0 : 1;
}

// --- where it is ---

static bool cycle(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    ts_gdb_say(text, "%" PRIu64 "\n", self->now);
    return false;
}

// The same answer as in a hang report (platform/explain): who does what, waits for what, and who could end it.
static bool why(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    const uint32_t first = self->shared->general / TS_RV_CORES * TS_RV_CORES;
    struct ts_hang_tile *story = calloc(1, sizeof *story);
    if (story == NULL)
        return false;
    struct ts_far far = ts_far_of(self->kernel);
    ts_hang_tile_look(story, tile_of(self), &far);
    ts_far_free(&far);
    for (uint32_t i = 0; i < story->count; i++) {
        const struct ts_hang_node *node = &story->node[i];
        if (node->state == TS_HANG_ABSENT)
            continue;
        ts_gdb_say(text, "%-8s", node->name);
        if (i < TS_RV_CORES)
            ts_gdb_say(text, "pc 0x%x, %" PRIu64 " instructions, ",
                       ts_gdb_place(&self->machine, first + i).pc,
                       ts_gdb_place(&self->machine, first + i).done);
        if (node->state == TS_HANG_ENDED)
            ts_gdb_say(text, "has ended");
        else
            ts_gdb_say(text, "%s", node->text[0] ? node->text : "runs");
        if (node->to >= 0)
            ts_gdb_say(text, " -> %s", story->node[node->to].name);
        ts_gdb_say(text, "\n");
    }
    free(story);
    return false;
}

static bool go_to(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    struct ts_gdb_shared *shared = self->shared;
    unsigned long long to;
    if (self->alone.on || sscanf(rest, "%llu", &to) != 1) {
        ts_gdb_say(text, "goto CYCLE, not in non-stop\n");
        return false;
    }
    shared->quiet = true;
    shared->watch = NULL;
    shared->goal = (struct ts_gdb_moment){to, UINT32_MAX, 0};
    if (to <= self->now)
        ts_gdb_go(self, shared->goal);
    shared->task = TS_GDB_TO;
    return true;
}

static bool checkpoint(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    self->shared->keep = true;
    ts_gdb_say(text,
               "the next cycle is kept in memory: going back to it takes no time. In a file: the "
               "same command without --gdb, with --checkpoint=at:%" PRIu64 " and -o DIR\n",
               self->now);
    return false;
}

// --- events ---

static bool add_event(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest, bool once)
{
    struct ts_gdb_events *events = &self->shared->events;
    struct ts_gdb_event event;
    char reason[160];
    if (!ts_gdb_event_parse(&event, tile_of(self), rest, reason, sizeof reason)) {
        ts_gdb_say(text, "%s\n", reason);
        return false;
    }
    if (events->count == TS_GDB_EVENTS) {
        ts_gdb_say(text, "there are %d of them already: delete one\n", TS_GDB_EVENTS);
        return false;
    }
    event.tile = self->shared->general / TS_RV_CORES;
    event.once = once;
    events->event[events->count++] = event;
    events->changes++;
    ts_gdb_happened(&self->looker, &self->machine);
    return true;
}

static bool list_events(const struct ts_gdb *self, struct ts_gdb_answer *text)
{
    const struct ts_gdb_events *events = &self->shared->events;
    char line[128];
    for (uint32_t i = 0; i < events->count; i++)
        ts_gdb_say(text, "%u  %s\n", i + 1,
                   ts_gdb_event_text(&events->event[i], self->machine.tiles[events->event[i].tile],
                                     line, sizeof line));
    if (events->count == 0)
        ts_gdb_say(text, "none; break MVMUL on t1 adds one\n");
    return false;
}

static bool break_at(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    if (rest[0] == '\0' || add_event(self, text, rest, false))
        list_events(self, text);
    return false;
}

static bool until(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    struct ts_gdb_shared *shared = self->shared;
    if (self->alone.on) {
        ts_gdb_say(text, "not in non-stop: `monitor break' and `continue'\n");
        return false;
    }
    if (!add_event(self, text, rest, true))
        return false;
    shared->quiet = true;
    shared->task = TS_GDB_RUN;
    shared->goal = (struct ts_gdb_moment){TS_NEVER, UINT32_MAX, 0};
    return true;
}

static bool delete_event(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    struct ts_gdb_events *events = &self->shared->events;
    unsigned number = 0;
    if (rest[0] == '\0') {
        events->count = 0;
    } else if (sscanf(rest, "%u", &number) == 1 && number >= 1 && number <= events->count) {
        for (uint32_t i = number; i < events->count; i++)
            events->event[i - 1] = events->event[i];
        events->count--;
    } else {
        ts_gdb_say(text, "there is no %s; `monitor break' lists them\n", rest);
        return false;
    }
    events->changes++;
    return false;
}

// --- what the tile holds ---

static bool semaphores(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    const struct ts_tile *tile = tile_of(self);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const struct ts_sync_semaphore *s = &tile->sync.semaphore[i];
        ts_gdb_say(text, "semaphore %u: %u of %u, %" PRIu64 " posts, %" PRIu64 " gets\n", i,
                   s->value, s->max, s->posts, s->gets);
    }
    for (unsigned i = 0; i < TS_MUTEXES; i++)
        if (tile->sync.mutex[i].holder >= 0)
            ts_gdb_say(text, "mutex %u: held by t%d\n", i, tile->sync.mutex[i].holder);
    for (unsigned from = 0; from < TS_MAIL_CORES; from++)
        for (unsigned to = 0; to < TS_MAIL_CORES; to++)
            if (tile->queues.mail[from][to].count)
                ts_gdb_say(text, "mailbox %s to %s: %u words\n", mail_names[from], mail_names[to],
                           tile->queues.mail[from][to].count);
    return false;
}

static bool buffers(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    const struct ts_tile *tile = tile_of(self);
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        const uint64_t counts = ts_buffer_counts(tile, &tile->buffers[i]);
        ts_gdb_say(text, "cb %u (%s): %u of %u pages; %u pushed, %u popped\n", i,
                   tile->buffers[i].name, ts_buffer_fill(tile, &tile->buffers[i]),
                   tile->buffers[i].pages, (unsigned)(counts >> 32) & 0xffff,
                   (unsigned)counts & 0xffff);
    }
    if (tile->buffer_count == 0)
        ts_gdb_say(text, "this tile has no circular buffers\n");
    return false;
}

static void say_values(struct ts_gdb_answer *text, const double *values)
{
    for (unsigned i = 0; i < TS_DST_COLS; i++)
        ts_gdb_say(text, " %.5g", values[i]);
    ts_gdb_say(text, "\n");
}

static bool dst(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    const struct ts_tile *tile = tile_of(self);
    const unsigned thread = thread_of(self);
    const bool wide = ts_setup_dst_wide(tile, thread);
    const unsigned rows = wide ? TS_DST_ROWS / 2 : TS_DST_ROWS;
    unsigned from = 0, count = 4;
    if (rest[0] && (sscanf(rest, "%u %u", &from, &count) < 1 || from >= rows || count == 0)) {
        ts_gdb_say(text, "dst [ROW [COUNT]]: rows 0 to %u\n", rows - 1);
        return false;
    }
    ts_gdb_say(text, "as t%u sees it: %u rows of %d bits\n", thread, rows, wide ? 32 : 16);
    count = count < DST_ROWS ? count : DST_ROWS;
    for (unsigned row = from; row < rows && row - from < count; row++) {
        double values[TS_DST_COLS];
        for (unsigned i = 0; i < TS_DST_COLS; i++)
            values[i] = ts_setup_dst_value(tile, thread, row, i);
        ts_gdb_say(text, "Dst[%u]", row);
        say_values(text, values);
    }
    return false;
}

static bool src(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    const struct ts_tile *tile = tile_of(self);
    char which = 0;
    unsigned row = 0;
    for (unsigned f = 0; f < 2; f++) {
        const struct ts_src_file *file = ts_files_src(&tile->files, f);
        for (unsigned b = 0; b < 2; b++)
            ts_gdb_say(text, "Src%c bank %u: of the %s%s%s\n", "AB"[f], b,
                       file -> bank[b].owner == TS_SRC_MATRIX ? "matrix unit" : "unpacker",
                       file->matrix == b ? ", used next" : "",
                       file->unpacker == b ? ", filled next" : "");
    }
    if (rest[0] == '\0')
        return false;
    if (sscanf(rest, "%c %u", &which, &row) < 1 || ((which | 32) != 'a' && (which | 32) != 'b') ||
        row >= TS_SRC_ROWS) {
        ts_gdb_say(text, "src [a|b [ROW]]: rows 0 to %d\n", TS_SRC_ROWS - 1);
        return false;
    }
    const struct ts_src_file *file = ts_files_src(&tile->files, (which | 32) == 'b');
    for (unsigned b = 0; b < 2; b++) {
        double values[TS_SRC_COLS];
        for (unsigned i = 0; i < TS_SRC_COLS; i++)
            values[i] = ts_setup_src_value(file->bank[b].w[row][i], file->bank[b].format);
        ts_gdb_say(text, "Src%c[%u] of bank %u", which & ~32, row, b);
        say_values(text, values);
    }
    return false;
}

// The fields whose name has the word in it.
static bool configuration(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    const struct ts_cfg *cfg = &tile_of(self)->tensix.cfg;
    unsigned found = 0;
    if (rest[0] == '\0') {
        ts_gdb_say(text,
                   "config WORD: the fields with the word in their name, as config ALU_FORMAT\n");
        return false;
    }
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        const uint32_t mask = TS_FIELD_MASK(f->bits);
        if (strcasestr(f->name, rest) == NULL)
            continue;
        found++;
        ts_gdb_say(text, "%s:", f->name);
        for (unsigned k = 0; k < (f->thread ? TS_THREADS : 2u); k++)
            ts_gdb_say(text, " 0x%x",
                       (f->thread ? cfg->thd[k][f->addr] : cfg->bank[k][f->addr]) >> f->shift &
                           mask);
        ts_gdb_say(text, f->thread ? " (t0, t1, t2)\n" : " (banks 0, 1)\n");
    }
    if (found == 0)
        ts_gdb_say(text, "no field has %s in its name\n", rest);
    return false;
}

static bool tensix(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest)
{
    (void)rest;
    struct ts_tile *tile = tile_of(self);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_frontend *front = &tile->front[t];
        const struct ts_wait wait = ts_waiting(&front->component);
        const struct ts_rwc *rwc = ts_tensix_rwc(&tile->tensix, t, self->now);
        char word[200] = "nothing";
        if (front->gate_count)
            ts_disasm_fields(front->gate[0].word, word, sizeof word);
        ts_gdb_say(text, "t%u: %u words on the way, at the gate %s", t, front->on_the_way, word);
        if (front->gate_count && wait.reason != TS_STALL_IDLE)
            ts_gdb_say(text, " (%s%s%s)", ts_stall_name(wait.reason), wait.object ? ", " : "",
                       wait.object ? wait.object->path : "");
        ts_gdb_say(text, "; RWC SrcA %u, SrcB %u, Dst %u, phase %u\n", rwc->srca, rwc->srcb,
                   rwc->dst, rwc->fidelity);
    }
    for (unsigned i = 0; i < TS_UNIT_COUNT; i++) {
        const struct ts_unit *unit = tile->tensix.unit[i];
        if (unit == NULL)
            continue;
        ts_gdb_say(text, "%-8s %" PRIu64 " instructions", ts_unit_name((enum ts_unit_id)i),
                   unit->instructions);
        for (unsigned t = 0; t < TS_THREADS; t++)
            if (ts_unit_busy(unit, t, self->now))
                ts_gdb_say(text, ", works for t%u", t);
        ts_gdb_say(text, "\n");
    }
    return false;
}

// --- the table ---

static const struct command {
    const char *name, *arguments, *help;
    bool (*run)(struct ts_gdb *self, struct ts_gdb_answer *text, const char *rest);
} commands[] = {
    {"cycle", "", "the cycle", cycle},
    {"why", "", "what cores, threads and unpackers of this tile do, or wait for", why},
    {"goto", "CYCLE", "there, back or forth; then `maint flush register-cache'", go_to},
    {"until", "EVENT", "to the next one; then `maint flush register-cache'", until},
    {"break", "[EVENT]", "stop at each: `MVMUL', `MVMUL on t1', `semaphore 2', `cb 0'", break_at},
    {"delete", "[NUMBER]", "no longer; without a number, all", delete_event},
    {"checkpoint", "", "keep this moment in memory", checkpoint},
    {"semaphores", "", "with mutexes and mailboxes", semaphores},
    {"cb", "", "circular buffers", buffers},
    {"dst", "[ROW [COUNT]]", "rows of Dst as the thread of this core sees them", dst},
    {"src", "[a|b [ROW]]", "banks of SrcA and SrcB, and a row", src},
    {"config", "WORD", "fields of the configuration", configuration},
    {"tensix", "", "front ends and units", tensix},
};

bool ts_gdb_monitor(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet)
{
    static struct ts_gdb_answer text;
    uint8_t bytes[256] = "";
    text.length = 0;
    text.text[0] = '\0';
    bytes[ts_gdb_hex(packet, bytes, sizeof bytes - 1)] = '\0';
    char *words = (char *)bytes;
    const size_t name = strcspn(words, " ");
    const char *rest = words + name + strspn(words + name, " ");
    bool found = false, on = false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && !found; i++)
        if (strlen(commands[i].name) == name && strncmp(commands[i].name, words, name) == 0) {
            found = true;
            on = commands[i].run(self, &text, rest);
        }
    for (size_t i = 0; i < sizeof commands / sizeof *commands && !found; i++)
        ts_gdb_say(&text, "%-10s %-14s %s\n", commands[i].name, commands[i].arguments,
                   commands[i].help);
    if (!on)
        ts_gdb_console(&self->shared->wire, text.text);
    ts_gdb_say(answer, "OK");
    return on;
}
