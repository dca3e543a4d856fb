#include "platform/load/names.h"

#include "platform/tile/names.h"
#include "platform/tile/watchdog.h"

struct place {
    struct ts_code_place base; // first
    struct ts_trace_place names;
    const char *frames[TS_FRAMES];
    char line[112];
};

// Functions by name: equal names are equal pointers.
struct name {
    struct name *next;
    char *key; // behind the text
    char text[];
};

struct names {
    struct ts_trace_names base;
    struct ts_code_places places;
    struct name *names[TS_PLACES];
    const struct ts_object *last;             // whose program was asked for last
    const struct ts_tile_program *last_image; // whose file can change
    const struct ts_code_program *last_program;
};

static const struct ts_trace_place nowhere = {.function = "", .line = ""};

static const char *op_name(void *context, uint32_t word)
{
    (void)context;
    const char *name = ts_op_info[TS_OP_OF(word)].name;
    return name ? name : "?";
}

static void operands(void *context, uint32_t word, char *text, size_t size)
{
    (void)context;
    ts_disasm_fields(word, text, size);
    const char *first = strchr(text, ' '); // behind the name
    memmove(text, first ? first + 1 : "", first ? strlen(first) : 1);
}

// The program of a core, or of the core that feeds a front end.
static const struct ts_tile_program *image_of(const struct ts_object *emitter)
{
    const struct ts_component *c = ts_object_component(emitter);
    const struct ts_rv_core *core = NULL;
    unsigned thread = 0;
    for (uint32_t i = 0; core == NULL && i < emitter->domain->count; i++)
        core = ts_core_of(emitter->domain->components[i]);
    if (c == NULL || core == NULL)
        return NULL;
    const struct ts_tile *tile = core->bus->context;
    if (ts_core_of(c))
        return &tile->programs[ts_core_of(c)->id];
    while (thread < TS_THREADS && &tile->front[thread].component != c)
        thread++;
    return thread < TS_THREADS ? &tile->programs[TS_RV_TRISC0 + thread] : NULL;
}

const struct ts_code_program *ts_code_open(struct ts_code_places *self,
                                           const struct ts_tile_program *image)
{
    struct ts_code_program *program = self->programs;
    while (program && (program->bytes != image->bytes || program->at != image->at ||
                       strcmp(program->path, image->path) != 0))
        program = program->next;
    if (program || (program = calloc(1, sizeof *program)) == NULL)
        return program;
    program->bytes = image->bytes;
    program->at = image->at;
    snprintf(program->path, sizeof program->path, "%s", image->path);
    program->symbols = ts_symbols_open(image);
    program->next = self->programs;
    return self->programs = program;
}

void *ts_code_at(struct ts_code_places *self, const struct ts_code_program *program, uint32_t pc,
                 size_t size, bool *is_new)
{
    struct ts_code_place **at = &self->places[(pc / 4 ^ (uintptr_t)program / 64) % TS_PLACES];
    struct ts_code_place *place = program ? *at : NULL;
    while (place && (place->pc != pc || place->program != program))
        place = place->next;
    *is_new = place == NULL && program && (place = calloc(1, size)) != NULL;
    if (*is_new) {
        *place = (struct ts_code_place){program, pc, *at};
        *at = place;
    }
    return place;
}

void ts_code_free(struct ts_code_places *self)
{
    for (unsigned i = 0; i < TS_PLACES; i++)
        for (struct ts_code_place *place = self->places[i], *next; place; place = next) {
            next = place->next;
            free(place);
        }
    for (struct ts_code_program *program = self->programs, *next; program; program = next) {
        next = program->next;
        ts_symbols_close(program->symbols);
        free(program);
    }
}

static const struct ts_code_program *program_of(struct names *self, const struct ts_object *emitter)
{
    if (self->last == emitter &&
        (self->last_program == NULL || (self->last_image->bytes == self->last_program->bytes &&
                                        self->last_image->at == self->last_program->at)))
        return self->last_program;
    self->last = emitter;
    self->last_image = image_of(emitter);
    return self->last_program = self->last_image ? ts_code_open(&self->places, self->last_image)
                                                 : NULL;
}

static const char *keep(struct names *self, const char *text)
{
    uint32_t hash = 0;
    for (const char *c = text; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    struct name **at = &self->names[hash % TS_PLACES];
    for (const struct name *name = *at; name; name = name->next)
        if (strcmp(name->key, text) == 0)
            return name->text;
    size_t length = strlen(text) + 1;
    struct name *name = malloc(sizeof *name + 2 * length);
    if (name == NULL)
        return "";
    memcpy(name->text, text, length);
    name->key = memcpy(name->text + length, text, length);
    for (char *c = name->text; *c; c++)
        if (*c == '"' || *c == '\\' || *c == ';') // of the files that it goes to
            *c = '\'';
    name->next = *at;
    *at = name;
    return name->text;
}

static void look_up(struct names *self, struct place *place)
{
    struct ts_frames frames = ts_symbols_frames(place->base.program->symbols, place->base.pc);
    const struct ts_frame *user = &frames.frame[frames.user > 0 ? frames.user : 0];
    place->names.function = frames.count ? keep(self, user->function) : "";
    place->names.line = ts_frames_line(&frames, place->line, sizeof place->line);
    place->names.frames = place->frames;
    for (unsigned i = frames.count; i-- > 0;)
        if (frames.frame[i].function[0])
            place->frames[place->names.depth++] = keep(self, frames.frame[i].function);
}

static const struct ts_trace_place *place_of(void *context, const struct ts_object *emitter,
                                             uint32_t pc)
{
    struct names *self = context;
    const struct ts_code_program *program = pc == TS_TRACE_NO_PC ? NULL : program_of(self, emitter);
    bool is_new;
    struct place *place = ts_code_at(&self->places, program, pc, sizeof *place, &is_new);
    if (is_new)
        look_up(self, place);
    return place ? &place->names : &nowhere;
}

static const char *polled(void *context, const struct ts_object *emitter, uint32_t address)
{
    const struct ts_component *c = ts_object_component(emitter);
    const struct ts_rv_core *core = c ? ts_core_of(c) : NULL;
    char text[96];
    return core ? keep(context,
                       ts_tile_poll_name(core->bus->context, core->id, address, text, sizeof text))
                : "";
}

// "chip0/eth4 (3-1)" of an Ethernet tile: paths have no channels.
static const char *domain_name(void *context, const struct ts_domain *domain)
{
    const struct ts_rv_core *core = NULL;
    char text[64];
    for (uint32_t i = 0; core == NULL && i < domain->count; i++)
        core = ts_core_of(domain->components[i]);
    const struct ts_tile *tile = core ? core->bus->context : NULL;
    if (tile == NULL || tile->channel < 0)
        return NULL;
    snprintf(text, sizeof text, "chip%u/eth%d (%u-%u)", tile->chip, tile->channel, tile->x,
             tile->y);
    return keep(context, text);
}

struct ts_trace_names *ts_names_new(void)
{
    struct names *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->base = (struct ts_trace_names){self, op_name, operands, place_of, polled, domain_name};
    return &self->base;
}

void ts_names_free(struct ts_trace_names *base)
{
    struct names *self = (struct names *)base;
    if (self == NULL)
        return;
    for (unsigned i = 0; i < TS_PLACES; i++)
        for (struct name *name = self->names[i], *next; name; name = next) {
            next = name->next;
            free(name);
        }
    ts_code_free(&self->places);
    free(self);
}
