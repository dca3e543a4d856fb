// What cores do at the cycle limit; see limit.h.
#include "platform/explain/limit.h"

#include "platform/base/json.h"
#include "platform/explain/chip.h"
#include "platform/out/text.h"
#include "platform/tile/watchdog.h"

#define SHOWN  8      // cores on the screen
#define RECENT 100000 // cycles: a request before that is not part of what happens now
#define QUIET  10000  // cycles
#define MANY   16     // requests from one line: a retry

// When the component worked last.
static ts_cycle worked(const struct ts_component *c, ts_cycle now)
{
    return c->asleep == TS_AWAKE || c->asleep == TS_STALLED ? now : c->since;
}

// The request that the core has sent most often lately; NULL: none often.
static const struct ts_sent *retried(const struct ts_tile *tile, unsigned core, ts_cycle now)
{
    const struct ts_sent *most = NULL;
    for (unsigned i = 0; i < TS_SENT; i++) {
        const struct ts_sent *row = &tile->words.sent[i];
        if (row->core == core && row->count >= MANY && row->at + RECENT > now &&
            (most == NULL || row->count > most->count))
            most = row;
    }
    return most;
}

static void describe(const struct ts_tile *tile, unsigned core, ts_cycle now, char *text,
                     size_t size)
{
    const struct ts_sent *row = retried(tile, core, now);
    struct ts_hang_tile *story = calloc(1, sizeof *story);
    struct ts_rv_spin spin;
    struct ts_rv_drift drift;
    text[0] = '\0';
    if (row) {
        static const char *const kinds[] = {"read", "increment", "write"};
        char line[100], name[64] = "";
        ts_hang_far_name(tile, NULL, row->to, row->address, name, sizeof name);
        ts_hang_at(tile, core, row->pc, line, sizeof line);
        snprintf(text, size, "%llu %ss of %s at %s since cycle %llu, the last at %llu",
                 (unsigned long long)row->count, kinds[row->kind < 3 ? row->kind : 2], name, line,
                 (unsigned long long)row->first, (unsigned long long)row->at);
    } else if (story &&
               (ts_core_spins(&tile->cores[core], &spin) ||
                ts_core_drifts(&tile->cores[core], &spin, &drift)) &&
               spin.polls) {
        struct ts_hang_looker looker = {.story = story, .tile = (struct ts_tile *)tile};
        ts_hang_poll(&looker, TS_NODE_CORE + (int)core, &spin, NULL);
        snprintf(text, size, "%s", story->node[TS_NODE_CORE + core].text);
    }
    free(story);
}

json_t *ts_limit_story(const struct ts_kernel *kernel, ts_cycle cycle, FILE *file)
{
    json_t *cores = json_array();
    ts_cycle since = 0;
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, d);
        const struct ts_tile *tile = ts_hang_tile_of(domain);
        for (uint32_t i = 0; i < domain->count; i++)
            if (ts_core_of(domain->components[i]) == NULL &&
                worked(domain->components[i], cycle) > since)
                since = worked(domain->components[i], cycle);
        for (unsigned c = 0; tile && c < TS_RV_CORES; c++) {
            const struct ts_rv_view core = ts_rv_core_view(&tile->cores[c]);
            char text[420], at[16], place[220];
            if (core.ended)
                continue;
            struct ts_frames frames = ts_symbols_find(tile, c, core.pc);
            ts_frames_text(&frames, place, sizeof place);
            describe(tile, c, cycle, text, sizeof text);
            ts_tile_place_name(tile, at, sizeof at);
            ts_json_add(cores, "{s:s, s:s, s:i, s:s, s:s}", "tile", at, "core", ts_rv_core_names[c],
                        "pc", (int)core.pc, "place", place[0] ? place + 1 : "", "text", text);
        }
    }
    size_t count = json_array_size(cores);
    if (count == 0) {
        json_decref(cores);
        return NULL;
    }
    json_t *story = json_pack("{s:I, s:o, s:b, s:I}", "since", (json_int_t)since, "cores", cores,
                              "quiet", (int)(since + QUIET < cycle), "more",
                              (json_int_t)(count > SHOWN ? count - SHOWN : 0));
    if (file)
        ts_text_print("limit", story, true, file);
    json_object_del(story, "quiet");
    json_object_del(story, "more");
    return story;
}

// "tile[1-2].unpack0: cycle 5: T0 UNPACR ...": where the thread's core pushed the word, which is still at the gate.
static bool word_frames(const struct ts_tile *tile, const char *message, struct ts_frames *frames)
{
    const char *path = ts_path(&tile->front[0].component), *unit = strrchr(path, '.'),
               *word = strstr(message, ": T");
    unsigned thread = word ? (unsigned)(word[3] - '0') : TS_THREADS;
    if (unit == NULL || strncmp(message, path, (size_t)(unit - path) + 1) != 0 ||
        thread >= TS_THREADS || word[4] != ' ')
        return false;
    uint32_t pc = ts_frontend_pc(&tile->front[thread]);
    if (pc == TS_NO_PC)
        return false;
    *frames = ts_symbols_find(tile, TS_RV_TRISC0 + thread, pc);
    return true;
}

bool ts_fault_frames(const struct ts_kernel *kernel, const char *message, struct ts_frames *frames)
{
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_tile *tile = ts_hang_tile_of(ts_kernel_domain(kernel, d));
        if (tile && word_frames(tile, message, frames))
            return true;
        for (unsigned c = 0; tile && c < TS_RV_CORES; c++) {
            const char *path = ts_path(&tile->cores[c].component);
            size_t length = strlen(path);
            if (strncmp(message, path, length) != 0 || message[length] != ':')
                continue;
            *frames = ts_symbols_find(tile, c, ts_rv_core_view(&tile->cores[c]).pc);
            return true;
        }
    }
    return false;
}
