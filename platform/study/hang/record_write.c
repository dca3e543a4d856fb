// Writes a recording as a small program (load/script.h): joins a core's operations with
// what it pushed, and folds repetitions.
#include "platform/study/hang/recorder.h"

#include "platform/tile/windows.h"

// The operations of a thread of the file.
struct list {
    uint32_t *text;
    struct ts_record_place *place;
    uint32_t count, room, places;
};

static void put(struct list *self, uint32_t text, struct ts_record_place place)
{
    TS_MORE(self->text, self->count, self->room, "the small program");
    TS_MORE(self->place, self->count, self->places, "the small program");
    self->text[self->count] = text;
    self->place[self->count++] = place;
}

static void put_number(struct ts_recorder *self, struct list *list, const char *op, uint32_t number)
{
    char text[TS_RECORD_TEXT];
    snprintf(text, sizeof text, "%s: %u", op, number);
    put(list, ts_record_text(self, text), (struct ts_record_place){0, 0});
}

static bool begins(const struct ts_recorder *self, uint32_t text, const char *with)
{
    return strncmp(self->text[text], with, strlen(with)) == 0;
}

// --- a core and its thread

// What a core's thread counts in or out, the core has counted for itself before it pushed it: puts
// CLAIM or TAKE where the core did so.
static void add_claims(struct ts_recorder *self, unsigned core)
{
    struct ts_record_lane *lane = &self->lane[core];
    const struct ts_record_lane *thread = &self->lane[TS_RV_CORES + core - TS_RV_TRISC0];
    struct ts_record_lane joined = {.left_out = lane->left_out};
    joined.room = lane->count + thread->count + 1;
    joined.op = ts_need(malloc(joined.room * sizeof *joined.op), "the small program");
    uint32_t at = 0;
    for (uint32_t i = 0; i < thread->count; i++) {
        const struct ts_record_op *op = &thread->op[i];
        bool publish = begins(self, op->text, "cb_publish");
        if (!publish && !begins(self, op->text, "cb_return"))
            continue;
        while (at < lane->count && lane->op[at].push <= op->push)
            joined.op[joined.count++] = lane->op[at++];
        char text[TS_RECORD_TEXT];
        snprintf(text, sizeof text, "%s%.80s", publish ? "cb_claim" : "cb_take",
                 strchr(self->text[op->text], ':'));
        joined.op[joined.count++] = (struct ts_record_op){.text = ts_record_text(self, text),
                                                          .push = op->push};
    }
    while (at < lane->count)
        joined.op[joined.count++] = lane->op[at++];
    free(lane->op);
    *lane = joined;
}

// A word between two operations of its core.
struct joint {
    struct ts_recorder *recorder;
    const struct ts_record_lane *thread;
    struct list *core, *tensix;
    uint32_t next;   // word of the thread that is not pushed yet
    uint32_t before; // operations whose push is before `bound`
    uint32_t bound, drained;
    uint16_t alike;      // of the last operation of tensix
    uint32_t *last_push; // of each operation of tensix
};

// All words that the core has pushed by now: one ISSUE, and what has to be done before the FIFO has
// taken the last of them.
static void issue(struct joint *self, uint32_t pushes, uint32_t accept)
{
    struct list *to = self->tensix;
    uint32_t first = to->count;
    for (; self->next < self->thread->count && self->thread->op[self->next].push < pushes;
         self->next++) {
        const struct ts_record_op *op = &self->thread->op[self->next];
        if (op->alike && to->count > first && self->alike == op->alike) {
            self->last_push[to->count - 1] = op->push;
            continue;
        }
        self->last_push[to->count] = op->push;
        self->alike = op->alike;
        put(to, op->text, op->place);
    }
    if (to->count > first)
        put_number(self->recorder, self->core, "issue", to->count - first);
    while (self->before < to->count && self->last_push[self->before] + accept + 1 < pushes)
        self->before++;
    if (self->before > self->drained)
        put_number(self->recorder, self->core, "drain", to->count - self->before);
    self->drained = self->before;
}

// The operations of a core with ISSUE and DRAIN, and those of its thread.
static void join(struct ts_recorder *self, unsigned core, struct list *to, struct list *tensix)
{
    const struct ts_record_lane *lane = &self->lane[core];
    struct joint joint = {.recorder = self,
                          .thread = &self->lane[TS_RV_CORES + core - TS_RV_TRISC0],
                          .core = to,
                          .tensix = tensix};
    uint32_t accept = (uint32_t)self->tile->config.tensix.fifo_accept, sync, mop;
    joint.last_push = ts_need(malloc((joint.thread->count + 1) * sizeof *joint.last_push),
                              "the small program");
    sync = ts_record_text(self, "sync: tensix");
    mop = ts_record_text(self, "sync: mop");
    for (uint32_t i = 0; i < lane->count; i++) {
        const struct ts_record_op *op = &lane->op[i];
        issue(&joint, op->push, accept);
        if (op->text != mop) {
            put(to, op->text, op->place);
            joint.drained = joint.before = op->text == sync ? tensix->count : joint.before;
            continue;
        }
        // What is behind the MOP expander may still be on its way.
        uint32_t left = 0, most = TS_FRONT_REPLAY + TS_FRONT_GATE;
        while (left < tensix->count && joint.last_push[tensix->count - 1 - left] + most >= op->push)
            left++;
        if (left < tensix->count)
            put_number(self, to, "drain", left);
    }
    issue(&joint, self->core[core].pushes, accept);
    issue(&joint, UINT32_MAX, UINT32_MAX / 2);
    free(joint.last_push);
}

// --- text

// How often the `period` operations from `at` on come one after the other.
static uint32_t times(const uint32_t *text, uint32_t at, uint32_t end, uint32_t period)
{
    uint32_t count = 1;
    while (at + (count + 1) * period <= end &&
           memcmp(text + at, text + at + count * period, period * sizeof *text) == 0)
        count++;
    return count;
}

static void fold(const struct ts_recorder *self, const uint32_t *text, uint32_t from, uint32_t to,
                 unsigned depth, FILE *file)
{
    int indent = (int)(4 + 6 * depth);
    while (from < to) {
        uint32_t best = 1, saved = 2;
        for (uint32_t period = 1; period <= 400 && from + 2 * period <= to && depth < 4; period++) {
            if (text[from] != text[from + period])
                continue;
            uint32_t gain = (times(text, from, to, period) - 1) * period;
            if (gain > saved) {
                saved = gain;
                best = period;
            }
        }
        uint32_t count = saved > 2 ? times(text, from, to, best) : 1;
        if (count > 1) {
            fprintf(file, "%*s- repeat:\n%*stimes: %u\n%*sdo:\n", indent, "", indent + 4, "", count,
                    indent + 4, "");
            fold(self, text, from, from + best, depth + 1, file);
        } else {
            fprintf(file, "%*s- %s\n", indent, "", self->text[text[from]]);
        }
        from += count * best;
    }
}

static void write_objects(const struct ts_recorder *self, const struct list *lists, FILE *file)
{
    if (self->semaphores)
        fputs("semaphores:\n", file);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (self->semaphores >> i & 1)
            fprintf(file, "  %s: {value: %u, max: %u}\n", ts_script_semaphores[i], self->value[i],
                    self->max[i] ? self->max[i] : 15);
    if (self->mutexes)
        fputs("mutexes:\n", file);
    for (unsigned i = 0; i < 8; i++)
        if (self->mutexes >> i & 1)
            fprintf(file, "  mutex_%u: %u\n", i, i);
    bool any = false;
    for (unsigned i = 0; i < self->tile->buffer_count; i++) {
        const struct ts_buffer *buffer = &self->tile->buffers[i];
        char named[TS_RECORD_TEXT];
        snprintf(named, sizeof named, "buffer: %s,", buffer->name);
        bool used = false;
        for (unsigned l = 0; l < TS_RECORD_LANES && !used; l++)
            for (uint32_t k = 0; k < lists[l].count && !used; k++)
                used = strstr(self->text[lists[l].text[k]], named) != NULL;
        if (!used)
            continue;
        fprintf(file, "%s  %s: {pages: %u}\n", any ? "" : "buffers:\n", buffer->name,
                buffer->pages);
        any = true;
    }
}

static void write_places(const struct list *lists, const uint32_t *counts, FILE *file)
{
    fputs("places: # number for --perturb and cycle of each operation; 0: none\n", file);
    for (unsigned l = 0; l < TS_RECORD_LANES; l++) {
        bool any = false;
        for (uint32_t i = 0; i < counts[l]; i++)
            any |= lists[l].place[i].number != 0;
        if (!any)
            continue;
        fprintf(file, "  %s: \"", ts_script_lists[l]);
        for (uint32_t i = 0; i < counts[l]; i++)
            fprintf(file, lists[l].place[i].number ? "%s%u:%u" : "%s0",
                    i % 8 ? " "
                    : i   ? "\n    "
                          : "",
                    lists[l].place[i].number, lists[l].place[i].cycle);
        fputs("\"\n", file);
    }
}

static void write_quoted(const char *key, const char *text, FILE *file)
{
    fprintf(file, "%s: \"", key);
    for (; *text; text++)
        fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("\"\n", file);
}

void ts_recorder_write(struct ts_recorder *self, const char *name, const char *command,
                       unsigned ops, FILE *file)
{
    struct list lists[TS_RECORD_LANES] = {{0}};
    uint32_t counts[TS_RECORD_LANES], unclear = 0;
    for (unsigned t = 0; t < TS_THREADS; t++)
        ts_record_rest(self, t);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        ts_rv_core_log_end(&self->tile->cores[core]);
        ts_record_core_end(&self->core[core], core);
        unclear += self->core[core].unclear;
    }
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        if (ts_is_trisc(core)) {
            add_claims(self, core);
            join(self, core, &lists[core], &lists[TS_RV_CORES + core - TS_RV_TRISC0]);
        }
        for (uint32_t i = 0; !ts_is_trisc(core) && i < self->lane[core].count; i++)
            put(&lists[core], self->lane[core].op[i].text, self->lane[core].op[i].place);
    }
    fputs("# Recorded from a run by tensim.\n", file);
    write_quoted("about", name, file);
    if (command)
        write_quoted("command", command, file);
    if (self->tile->x || self->tile->y)
        fprintf(file, "tile: %u-%u\n", self->tile->x, self->tile->y);
    if (unclear)
        fprintf(file, "# %u polls have conditions that are not understood: they are left out\n",
                unclear);
    write_objects(self, lists, file);
    uint32_t all = 0;
    for (unsigned l = 0; l < TS_RECORD_LANES; l++)
        all += lists[l].count;
    fputs(all ? "cores:\n" : "cores: {}\n", file);
    for (unsigned l = 0; l < TS_RECORD_LANES; l++) {
        uint32_t most = ops && ops < TS_RECORD_OPS ? ops : TS_RECORD_OPS;
        counts[l] = lists[l].count < most ? lists[l].count : most;
        if (counts[l] == 0)
            continue;
        fprintf(file, "  %s:\n", ts_script_lists[l]);
        fold(self, lists[l].text, 0, counts[l], 0, file);
        if (counts[l] == lists[l].count && self->lane[l].left_out == 0)
            continue;
        fprintf(file, "    # and %u more\n", lists[l].count - counts[l] + self->lane[l].left_out);
        if (ts_is_trisc(l)) // its thread does not wait for pushes that are left out
            fprintf(file, "    - issue: %d\n", TS_RECORD_OPS);
    }
    write_places(lists, counts, file);
    for (unsigned l = 0; l < TS_RECORD_LANES; l++) {
        free(lists[l].text);
        free(lists[l].place);
    }
}
