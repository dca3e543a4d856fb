// The page of a TPUSH/TPOP run (path.h): what limits it, its pipes over time with the critical path,
// the life of every ring slot, the flags, and where the cycles went. The first cluster is shown.
#include "platform/report/page.h"
#include "platform/report/pipe_tables.h"
#include "platform/report/plot.h"
#include "platform/study/pipe/path.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH TS_FIGURE_WIDTH
#define LEFT  96.0
#define RIGHT 12.0
#define ROW   19.0

enum { SHOWN = 2500 }; // pieces of work that a drawing has room for

// What an operation is for, by its pipe.
enum use { USE_CUBE, USE_VECTOR, USE_DMA, USES };
static const char *const use_names[] = {"cube", "vector", "DMA"};

static enum use use_of(unsigned lane)
{
    return lane == TS_LANE_M ? USE_CUBE : lane == TS_LANE_V ? USE_VECTOR : USE_DMA;
}

static const char *use_color(enum use use)
{
    static const size_t colors[] = {0, 2, 1};
    return ts_color(colors[use]);
}

// --- time ---

struct frame {
    const struct ts_pipe_picture *picture;
    ts_cycle end; // of what is drawn
    bool part;    // of the run
};

static double x_of(const struct frame *self, ts_cycle cycle)
{
    double share = (double)(cycle < self->end ? cycle : self->end) /
                   (double)(self->end ? self->end : 1);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static struct frame frame_of(const struct ts_pipe_picture *picture)
{
    struct frame frame = {.picture = picture, .end = picture->run->run.cycle};
    uint32_t works = 0;
    for (uint32_t i = 0; i < picture->tape->count; i++)
        if (picture->tape->event[i].kind == TS_ENTRY_WORK && ++works == SHOWN) {
            frame.part = picture->tape->event[i].end < frame.end;
            frame.end = picture->tape->event[i].end;
        }
    return frame;
}

static void row_name(FILE *file, const char *name, double y)
{
    fprintf(file, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y);
    ts_html_text(file, name);
    fputs("</text>\n", file);
}

static void track(FILE *file, double y, double height)
{
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"track\"/>\n",
            LEFT, y, WIDTH - LEFT - RIGHT, height);
}

static void axis(FILE *file, const struct frame *self, double y)
{
    fprintf(file,
            "<text x=\"%.0f\" y=\"%.1f\">0</text><text x=\"%.0f\" y=\"%.1f\" "
            "text-anchor=\"end\">%llu cycles</text>\n",
            LEFT, y, WIDTH - RIGHT, y, (unsigned long long)self->end);
}

static void bar(FILE *file, const struct frame *self, ts_cycle from, ts_cycle to, double y,
                double height, const char *color, double opacity)
{
    double left = x_of(self, from), width = x_of(self, to) - left;
    fprintf(file,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
            "fill-opacity=\"%.2f\">",
            left, y, width > 0.4 ? width : 0.4, height, color, opacity);
}

// --- pipes over time ---

static bool lane_used(const struct ts_tape *tape, unsigned core, unsigned lane)
{
    for (uint32_t i = 0; i < tape->count; i++)
        if (tape->event[i].core == core && tape->event[i].lane == lane &&
            tape->event[i].kind == TS_ENTRY_WORK)
            return true;
    return false;
}

static void draw_lane(const struct frame *self, unsigned core, unsigned lane, double y, FILE *file)
{
    const struct ts_tape *tape = self->picture->tape;
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->core != core || e->lane != lane || e->kind != TS_ENTRY_WORK || e->end == 0 ||
            e->start >= self->end)
            continue;
        bar(file, self, e->start, e->end, y, ROW - 5, use_color(use_of(lane)), 0.85);
        fprintf(file, "<title>%s.%s: %s", ts_core_name(core), ts_lane_name(lane),
                ts_op_name(e->insn->op));
        if (e->ring)
            fprintf(file, " of tile %u, pipe %s", e->index, e->ring->config->name);
        fprintf(file, ", line %u, cycles %llu to %llu</title></rect>\n", e->insn->line,
                (unsigned long long)e->start, (unsigned long long)e->end);
    }
}

// The critical path: a line under the work it goes through, and down to the next pipe.
static void draw_path(const struct frame *self, const double y[TS_CORES][TS_LANE_COUNT], FILE *file)
{
    const struct ts_pipe_path *path = self->picture->path;
    bool begun = false;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct ts_path_step *step = &path->step[i];
        const struct ts_tape_event *e = &self->picture->tape->event[step->event];
        double at = y[e->core][e->lane];
        if (step->kind != TS_STEP_WORK || at == 0 || step->from >= self->end)
            continue;
        fprintf(file, "%s%.2f,%.1fH%.2f", begun ? "L" : "<path class=\"critical\" d=\"M",
                x_of(self, step->from), at, x_of(self, step->to));
        begun = true;
    }
    if (begun)
        fprintf(file, "\"><title>critical path</title></path>\n");
}

static void write_lanes(const struct frame *self, FILE *file)
{
    double y_of[TS_CORES][TS_LANE_COUNT] = {0}, y = 2;
    unsigned rows = 0;
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
            rows += lane_used(self->picture->tape, core, lane);
    ts_figure_begin(file, "Pipes over time, with the critical path", "across", ROW * rows + 24);
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
            char name[24];
            if (!lane_used(self->picture->tape, core, lane))
                continue;
            snprintf(name, sizeof name, "%s.%s", ts_core_name(core), ts_lane_name(lane));
            row_name(file, name, y + ROW - 7);
            track(file, y, ROW - 5);
            draw_lane(self, core, lane, y, file);
            y_of[core][lane] = y + ROW - 3.5;
            y += ROW;
        }
    draw_path(self, y_of, file);
    axis(file, self, y + 16);
    ts_figure_key(file);
    for (int use = 0; use < USES; use++)
        ts_key_entry(file, use_color((enum use)use), use_names[use]);
    ts_key_entry(file, "var(--stuck)", "critical path");
    ts_figure_end(file, true);
}

// --- slots ---

struct life {
    ts_cycle allocated, filled, popped, freed; // TS_NEVER: not yet
};

// The life of each tile of a ring. `tiles` has room for all indices.
static void gather_lives(const struct ts_tape *tape, const struct ts_ring *ring, struct life *lives,
                         uint32_t tiles)
{
    for (uint32_t i = 0; i < tiles; i++)
        lives[i] = (struct life){TS_NEVER, 0, TS_NEVER, 0};
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->ring != ring || e->credit || e->index >= tiles || e->end == 0)
            continue;
        struct life *life = &lives[e->index];
        if (ts_tape_begins_write(e) && e->start < life->allocated)
            life->allocated = e->start;
        if (ts_tape_ends_write(e) && e->end > life->filled)
            life->filled = e->end;
        if (ts_tape_opens_read(e) && e->start < life->popped)
            life->popped = e->start;
        if (ts_tape_closes_read(e) && e->end > life->freed)
            life->freed = e->end;
    }
}

static const struct {
    const char *name, *color;
    double opacity;
} stages[] = {{"allocated: being filled", "#e69f00", 0.75},
              {"filled: waits for its pop", "#0072b2", 0.85},
              {"popped: being read", "#009e73", 0.85}};

static void draw_life(const struct frame *self, const struct life *life, uint32_t index, double y,
                      double height, FILE *file)
{
    ts_cycle end = self->picture->run->run.cycle;
    ts_cycle filled = life->filled ? life->filled : end;
    ts_cycle popped = life->popped != TS_NEVER ? life->popped : end;
    ts_cycle freed = life->freed ? life->freed : end;
    const ts_cycle at[] = {life->allocated, filled, popped > filled ? popped : filled, freed};
    for (int stage = 0; stage < 3; stage++) {
        if (at[stage + 1] <= at[stage] || at[stage] >= self->end)
            continue;
        bar(file, self, at[stage], at[stage + 1], y, height, stages[stage].color,
            stages[stage].opacity);
        fprintf(
            file,
            "<title>tile %u: allocated %llu, filled %llu, popped %llu, freed %llu</title></rect>\n",
            index, (unsigned long long)at[0], (unsigned long long)filled,
            (unsigned long long)popped, (unsigned long long)freed);
    }
}

static void write_slots(const struct frame *self, const struct ts_ring *ring, const char *half,
                        FILE *file)
{
    const struct ts_tape *tape = self->picture->tape;
    uint32_t tiles = 0, slots = ring->config->slots;
    char title[160];
    for (uint32_t i = 0; i < tape->count; i++)
        if (tape->event[i].ring == ring && tape->event[i].index >= tiles)
            tiles = tape->event[i].index + 1;
    struct life *lives = calloc(tiles + 1, sizeof *lives);
    if (lives == NULL)
        return;
    gather_lives(tape, ring, lives, tiles);
    double height = slots > 8 ? 11 : ROW - 5, y = 2;
    snprintf(title, sizeof title,
             "Slots of ring %s%s: %u tile%s through %u slot%s, at most %u taken",
             ring->config->name, half, (unsigned)ring->pushes, ring->pushes == 1 ? "" : "s", slots,
             slots == 1 ? "" : "s", ring->peak);
    ts_figure_begin(file, title, "across", (height + 5) * slots + 24);
    for (uint32_t slot = 0; slot < slots; slot++, y += height + 5) {
        char name[24];
        snprintf(name, sizeof name, "slot %u", slot);
        row_name(file, name, y + height - 1);
        track(file, y, height);
        for (uint32_t i = slot; i < tiles; i += slots)
            if (lives[i].allocated != TS_NEVER)
                draw_life(self, &lives[i], i, y, height, file);
    }
    axis(file, self, y + 14);
    ts_figure_key(file);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        ts_key_entry(file, stages[i].color, stages[i].name);
    ts_figure_end(file, true);
    free(lives);
}

// --- flags ---

struct change {
    ts_cycle at;
    int by;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : y->by - x->by;
}

// Arrivals at a counter and takes from it. On A2/A3 the Cube's counter rises when both AIVs have set.
static size_t gather_changes(const struct frame *self, unsigned core, unsigned id,
                             struct change *to)
{
    const struct ts_tape *tape = self->picture->tape;
    const struct ts_machine *machine = &self->picture->run->program->machine;
    bool a5 = machine->profile == TS_PROFILE_A5, reduce = core == TS_CORE_AIC && !a5;
    ts_cycle latency = (ts_cycle)machine->timing.flag, first = 0;
    size_t count = 0;
    uint32_t sets[2] = {0};
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->kind == TS_ENTRY_WAIT_FLAG && e->core == core && e->id == id && e->end)
            to[count++] = (struct change){e->end, -1};
        if (e->kind != TS_ENTRY_SET_FLAG || e->end == 0)
            continue;
        unsigned sent = e->id;
        bool reaches = e->core == TS_CORE_AIC
                           ? core != TS_CORE_AIC &&
                                 (a5 ? sent == id + (core == TS_CORE_AIV1 ? TS_FLAG_AIV1 : 0u)
                                     : sent == id)
                           : core == TS_CORE_AIC &&
                                 (a5 ? sent + (e->core == TS_CORE_AIV1 ? TS_FLAG_AIV1 : 0u) == id
                                     : sent == id);
        if (!reaches)
            continue;
        bool second = reduce && e->core == TS_CORE_AIV1;
        sets[second]++;
        // The later one of each pair raises the counter.
        if (!reduce || sets[second] <= sets[!second])
            to[count++] = (struct change){(e->end > first ? e->end : first) + latency, 1};
    }
    qsort(to, count, sizeof *to, by_time);
    return count;
}

static void draw_flag(const struct frame *self, const struct change *changes, size_t count,
                      const char *name, double y, double tall, FILE *file)
{
    int level = 0, top = 1;
    for (size_t i = 0, now = 0; i < count; i++) {
        now = (size_t)((int)now + changes[i].by < 0 ? 0 : (int)now + changes[i].by);
        top = (int)now > top ? (int)now : top;
    }
    row_name(file, name, y + tall - 2);
    track(file, y, tall);
    fprintf(file, "<path fill=\"%s\" fill-opacity=\"0.85\" d=\"M%.1f,%.1f", ts_color(3), LEFT,
            y + tall);
    for (size_t i = 0; i < count && changes[i].at < self->end; i++) {
        level = level + changes[i].by < 0 ? 0 : level + changes[i].by;
        fprintf(file, "H%.2fV%.2f", x_of(self, changes[i].at), y + tall - tall * level / top);
    }
    fprintf(file, "H%.2fV%.1fZ\"><title>%s: highest %d</title></path>\n", WIDTH - RIGHT, y + tall,
            name, top);
}

static void write_flags(const struct frame *self, FILE *file)
{
    const struct ts_cluster *cluster = &self->picture->run->cluster[0];
    struct change *changes = calloc(self->picture->tape->count + 1, sizeof *changes);
    unsigned rows = 0;
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++)
            rows += cluster->flags.flag[core][id].sets > 0;
    if (changes == NULL || rows == 0) {
        free(changes);
        return;
    }
    double y = 2;
    ts_figure_begin(file, "Credits and ready flags over time: counter of each cross-core flag",
                    "across", ROW * rows + 24);
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            const struct ts_flag *flag = &cluster->flags.flag[core][id];
            char name[24];
            if (flag->sets == 0)
                continue;
            snprintf(name, sizeof name, "%s flag %u", ts_core_name(core), id);
            size_t count = gather_changes(self, core, id, changes);
            draw_flag(self, changes, count, name, y, ROW - 5, file);
            y += ROW;
        }
    axis(file, self, y + 16);
    ts_figure_end(file, false);
    free(changes);
}

void ts_pipe_page(const void *what, FILE *file)
{
    const struct ts_pipe_picture *self = what;
    const struct ts_pipe_run *run = self->run;
    const struct ts_pipe_program *program = run->program;
    struct frame frame = frame_of(self);
    char title[128];
    snprintf(title, sizeof title, "tensim pipe: %s", program->name);
    ts_page_begin(file, title);
    fprintf(
        file,
        "<div class=\"cards\"><div><b>%s</b><span>verdict</span></div>"
        "<div><b>%llu</b><span>cycles</span></div><div><b>%.2f</b><span>µs at %u MHz</span></div>"
        "<div><b>%s, %s</b><span>profile, preset</span></div>"
        "<div><b>%llu</b><span>tile operations</span></div></div>\n<p class=\"evidence\">",
        ts_pipe_verdict_name(run->verdict), (unsigned long long)run->run.cycle,
        (double)run->run.cycle / self->clock_mhz, self->clock_mhz,
        ts_profile_name(program->machine.profile), program->preset,
        (unsigned long long)run->tile_ops);
    ts_html_text(file, run->verdict == TS_PIPE_PASS ? self->path->bound : run->why);
    if (frame.part)
        fprintf(file, " The drawings show the first %llu cycles.", (unsigned long long)frame.end);
    if (program->machine.clusters > 1)
        fprintf(file, " The first of %u clusters is shown.", program->machine.clusters);
    fputs("</p>\n", file);
    ts_pipe_table_deadlock(run, file);
    ts_pipe_table_findings(run, file);
    write_lanes(&frame, file);
    for (uint32_t p = 0; p < program->machine.pipe_count; p++)
        for (int half = 0; half < 2; half++) {
            const struct ts_ring *ring = &run->cluster[0].ring[half][p];
            bool both = ts_direction_both(program->machine.pipes[p].direction);
            if (ring->exists)
                write_slots(&frame, ring, both ? (half ? ".v2c" : ".c2v") : "", file);
        }
    write_flags(&frame, file);
    fputs("<div class=\"plots\">\n", file);
    ts_pipe_table_busy(self, file);
    fputs("</div>\n", file);
    ts_pipe_table_path(self, file);
    ts_page_end(file);
}
