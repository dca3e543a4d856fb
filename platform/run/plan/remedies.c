// Counter-measures against steps of current (remedies.h).
#include "platform/run/plan/remedies.h"

#include "platform/load/loader.h"

#include <inttypes.h>

#define CYCLES_MOST UINT32_C(100000000)
#define NOPS_MOST   100000u

enum where { START, UNPACK, MATH };

static const struct {
    const char *name, *form;
    enum where where;
} rows[TS_REMEDIES] = {
#define TS_REMEDY(id, name, form, where, text) {name, form, where},
#include "config/remedies.def"
};

// --- the firmware's word ---

bool ts_flips_add(struct ts_flip flips[TS_FLIPS + 1], const char *set, char *text, size_t size)
{
    unsigned count = 0;
    while (flips[count].at != 0)
        count++;
    for (const char *from = set;; from++) {
        char *end;
        struct ts_flip flip = {.level = -1};
        bool good = *from >= '1' && *from <= '9';
        flip.at = strtoull(from, &end, 10);
        if (good && *end == ':') {
            good = end[1] >= '0' && end[1] <= '0' + TS_THROTTLE_MAX;
            flip.level = end[1] - '0';
            end += good ? 2 : 0;
        }
        if (!good || (*end != ',' && *end != '+' && *end != '\0') || flip.at > INT64_MAX)
            return snprintf(text, size, "'%.80s' is not CYCLE[:LEVEL], cycles from 1 on", set) < 0;
        if (count == TS_FLIPS || (count > 0 && flip.at <= flips[count - 1].at))
            return snprintf(text, size, "at most %d changes, in the order of their cycles",
                            TS_FLIPS) < 0;
        flips[count++] = flip;
        flips[count].at = 0;
        from = end;
        if (*end == '\0')
            return true;
    }
}

const char *ts_flips_text(const struct ts_flip *flips, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct ts_flip *flip = flips; flip->at != 0 && used < size; flip++) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, used ? "," : "", flip->at);
        if (flip->level >= 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, ":%d", flip->level);
    }
    return text;
}

// --- reading ---

void ts_remedies_names(char *text, size_t size)
{
    for (unsigned i = 0; i < TS_REMEDIES; i++) {
        if (ts_word_index(text, rows[i].name) < 0)
            ts_append(text, size, " %s", rows[i].name);
    }
}

bool ts_remedy_is(const char *setting)
{
    for (unsigned i = 0; i < TS_REMEDIES; i++)
        if (ts_plan_sets(setting, rows[i].name))
            return true;
    return false;
}

// A whole number up to `most`; *end is what follows it.
static bool whole(const char *text, uint32_t most, uint32_t *value, const char **end)
{
    char *stop;
    const bool digits = *text >= '0' && *text <= '9';
    const unsigned long long number = strtoull(text, &stop, 10);
    *value = (uint32_t)number;
    *end = stop;
    return digits && number <= most;
}

static bool word_of(const char *words, const char *text, size_t length, unsigned *value)
{
    char word[16];
    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    const int index = ts_word_index(words, word);
    *value = (unsigned)index;
    return index >= 0;
}

static bool read_stagger(struct ts_plan_remedies *to, const char *set)
{
    const char *colon = strchr(set, ':'), *end;
    unsigned type;
    if (strcmp(set, "0") == 0) // none, for an axis of a sweep
        return true;
    if (colon == NULL || !word_of("first every 20th", set, (size_t)(colon - set), &type) ||
        !whole(colon + 1, CYCLES_MOST, &to->stagger, &end) || to->stagger == 0)
        return false;
    to->stagger_type = type + 1; // as TT_MM_STAGGER_TYPE counts
    return *end == '\0' || (*end == ':' && word_of("rows columns chips", end + 1, strlen(end + 1),
                                                   &to->stagger_by));
}

static bool read_wave(struct ts_plan_remedies *to, const char *set)
{
    const char *end;
    to->wave_by = 2;
    return whole(set, CYCLES_MOST, &to->wave, &end) &&
           (*end == '\0' || (*end == ':' && word_of("rows columns diagonal", end + 1,
                                                    strlen(end + 1), &to->wave_by)));
}

static bool read_one(struct ts_plan_remedies *to, unsigned id, const char *set)
{
    const char *end = "";
    switch (id) {
    case TS_REMEDY_THROTTLE:
        return whole(set, TS_THROTTLE_MAX, &to->throttle, &end) && *end == '\0';
    case TS_REMEDY_FLIP:
        return false; // its own message
    case TS_REMEDY_STAGGER:
        return read_stagger(to, set);
    case TS_REMEDY_WAVE:
        return read_wave(to, set);
    case TS_REMEDY_NOPS_AFTER:
        return whole(set, CYCLES_MOST, &to->nops_each, &end) && *end == ':' && to->nops_each > 0 &&
               to->nops_each % 16 == 0 && whole(end + 1, NOPS_MOST, &to->nops_after, &end) &&
               *end == '\0';
    default:
        return whole(set, NOPS_MOST, &to->nops_before, &end) && *end == '\0';
    }
}

// Why a program has no place for it; NULL: it has.
static const char *no_place(const struct ts_plan *self, unsigned id)
{
    bool computes = false;
    const bool chips = id == TS_REMEDY_STAGGER && self->remedies.stagger_by == 2;
    if (self->metal || self->captured)
        return "tt-metal has built its kernels: set it there";
    for (uint32_t i = 0; i < self->kernel_count; i++) {
        const struct ts_plan_kernel *kernel = &self->kernels[i];
        if (kernel->source == NULL)
            return "it has kernels that are built already (elf), and only sources can follow it";
        computes |= kernel->on == TS_PLAN_COMPUTE;
    }
    if (chips && self->system == NULL)
        return "it runs on one chip";
    if (chips && self->remedies.stagger_type != 1)
        return "chips wait at their start: first:CYCLES:chips";
    return computes || rows[id].where == START || chips ? NULL : "it has no compute kernel";
}

bool ts_remedies_read(struct ts_plan *self, const struct ts_plan_options *options)
{
    struct ts_plan_remedies *to = &self->remedies;
    struct ts_error *error = self->yaml.error;
    for (unsigned id = 0; id < TS_REMEDIES && error->code == TS_OK; id++) {
        const char *set = ts_plan_setting(options, rows[id].name), *why;
        double unused;
        if (set == NULL || ts_plan_known(self, rows[id].name, &unused) ||
            ts_plan_chosen(self, rows[id].name))
            continue; // the file has a parameter of this name
        char text[160];
        if (id == TS_REMEDY_FLIP && !ts_flips_add(self->flips, set, text, sizeof text))
            ts_fail(error, TS_USAGE, "--param flip: %s", text);
        else if (id != TS_REMEDY_FLIP && !read_one(to, id, set))
            ts_fail(error, TS_USAGE, "--param %s=%.80s: not %s%s", rows[id].name, set,
                    rows[id].form,
                    id == TS_REMEDY_THROTTLE     ? " from 0 to 5"
                    : id == TS_REMEDY_NOPS_AFTER ? ", MVMULs a multiple of 16"
                                                 : "");
        else if ((why = no_place(self, id)) != NULL)
            ts_fail(error, TS_USAGE, "--param %s: not for this program: %s", rows[id].name, why);
        to->given |= 1u << id;
        snprintf(to->set[id], sizeof to->set[id], "%.79s", set);
    }
    for (uint32_t i = 0; to->given >> TS_REMEDY_THROTTLE & 1 && i < self->kernel_count; i++)
        if (self->kernels[i].on == TS_PLAN_COMPUTE)
            self->kernels[i].throttle = to->throttle;
    for (const struct ts_flip *flip = self->flips; flip->at != 0; flip++)
        for (uint32_t i = 0; flip->level >= 0 && i < self->kernel_count; i++)
            if (self->kernels[i].on == TS_PLAN_COMPUTE && flip->level != TS_THROTTLE_MAX &&
                flip->level != (int)self->kernels[i].throttle)
                ts_fail(error, TS_USAGE,
                        "--param flip: the firmware asks for level 5 or for nothing: LEVEL is 5 or "
                        "that of the kernels, %u",
                        self->kernels[i].throttle);
    return error->code == TS_OK;
}

// --- kernels ---

void ts_remedies_define(const struct ts_plan *self, FILE *file)
{
    const struct ts_plan_remedies *from = &self->remedies;
    if (from->given == 0)
        return;
    fprintf(file, "#define TS_REMEDIES %u\n", from->given);
    if (from->stagger && from->stagger_by < 2)
        fprintf(file,
                "#define MM_STAGGER_TYPE %u\n#define MM_STAGGER_VALUE %u\n"
                "#define TS_STAGGER_COLUMNS %u\n",
                from->stagger_type, from->stagger, from->stagger_by);
    if (from->nops_after)
        fprintf(file, "#define TS_NOPS_EACH %u\n#define TS_NOPS_AFTER %u\n", from->nops_each,
                from->nops_after);
    if (from->nops_before)
        fprintf(file, "#define TS_NOPS_BEFORE %u\n", from->nops_before);
}

uint32_t ts_remedies_start(const struct ts_plan *self, struct ts_plan_xy at)
{
    const struct ts_plan_remedies *from = &self->remedies;
    const uint32_t step = from->wave_by == 0   ? at.y
                          : from->wave_by == 1 ? at.x
                                               : (uint32_t)at.x + at.y;
    return from->wave * step + (from->stagger_by == 2 ? from->stagger * self->chip_id : 0);
}

bool ts_remedies_nops(const struct ts_plan *self)
{
    return self->flips[0].at != 0 || self->remedies.nops_after || self->remedies.nops_before;
}

// Has an image of this thread the mark?
static bool marked(const struct ts_plan *self, unsigned processor, const char *mark,
                   struct ts_error *error)
{
    bool found = false;
    for (uint32_t i = 0; i < self->kernel_count && !found && error->code == TS_OK; i++) {
        size_t length = 0;
        if (self->kernels[i].on != TS_PLAN_COMPUTE)
            continue;
        void *bytes = ts_read_file(self->kernels[i].image[processor], &length, error);
        found = bytes && memmem(bytes, length, mark, strlen(mark)) != NULL;
        free(bytes);
    }
    return found;
}

bool ts_remedies_check(const struct ts_plan *self, struct ts_error *error)
{
    for (unsigned id = 0; id < TS_REMEDIES && error->code == TS_OK; id++) {
        char mark[40];
        const bool start = rows[id].where == START ||
                           (id == TS_REMEDY_STAGGER && self->remedies.stagger_by == 2);
        snprintf(mark, sizeof mark, "tensim remedy %s", rows[id].name);
        if (!(self->remedies.given >> id & 1) || start ||
            (id == TS_REMEDY_THROTTLE && self->remedies.throttle == 0) ||
            (id == TS_REMEDY_STAGGER && self->remedies.stagger == 0) ||
            (id == TS_REMEDY_NOPS_AFTER && self->remedies.nops_after == 0) ||
            (id == TS_REMEDY_NOPS_BEFORE && self->remedies.nops_before == 0))
            continue;
        const unsigned on = rows[id].where == UNPACK ? TS_ON_TRISC0 : TS_ON_TRISC1;
        if (!marked(self, on, mark, error))
            ts_fail(error, TS_USAGE, "--param %s: not for this program: none of its kernels %s",
                    rows[id].name,
                    id == TS_REMEDY_STAGGER ? "waits for buffer 1 with cb_wait_front"
                    : id == TS_REMEDY_FLIP  ? "calls matmul_block, which reads the firmware's word"
                                            : "calls the kernel API's matmul");
    }
    return error->code == TS_OK;
}

void ts_remedies_json(const struct ts_plan *self, json_t *document)
{
    json_t *all = json_object();
    for (unsigned id = 0; id < TS_REMEDIES; id++)
        if (self->remedies.given >> id & 1)
            json_object_set_new(all, rows[id].name, json_string(self->remedies.set[id]));
    if (json_object_size(all))
        json_object_set(document, "remedies", all);
    json_decref(all);
}
