// Builds and runs a chip whose cores have programs (squad.h).
#include "platform/study/silicon/squad.h"

#include "cores/guest/include/program.h"
#include "platform/run/guest.h"
#include "platform/tile/windows.h"

#define SEMAPHORES 16
#define BOOT       "boot.brisc" // starts the other cores of a tile, and has no kernel itself

// A tile, its launch block, and what its cores run.
struct squad_member {
    struct ts_noc_xy at;
    struct ts_tile *tile;
    const struct ts_guest_program *image[TS_RV_CORES];
    struct squad_text text[TS_RV_CORES];
    struct ts_program block;
    uint32_t words[SEMAPHORES * TS_SEMAPHORE_STEP / 4 + 2 * SQUAD_ARGUMENTS];
    unsigned word_count;
};

// The traffic of a tile as a script.
struct squad_script {
    struct ts_noc_xy by;
    struct squad_traffic traffic;
    struct ts_traffic driver;
    struct ts_traffic_op *ops;
    size_t count;
};

_Static_assert(TS_PROGRAM_CONFIG + sizeof((struct squad_member *)NULL)->words <= PROBE_RESULTS,
               "arguments end before the results");

static const struct {
    const char *name; // end of an image's name
    unsigned processor;
} places[TS_RV_CORES] = {
    [TS_RV_BRISC] = {".brisc", TS_ON_BRISC},    [TS_RV_NCRISC] = {".ncrisc", TS_ON_NCRISC},
    [TS_RV_TRISC0] = {".unpack", TS_ON_TRISC0}, [TS_RV_TRISC1] = {".math", TS_ON_TRISC1},
    [TS_RV_TRISC2] = {".pack", TS_ON_TRISC2},
};

struct squad *squad_new(const char *name, const struct ts_silicon_context *context,
                        struct ts_error *error)
{
    struct squad *self = ts_need(calloc(1, sizeof *self), "the truth table");
    self->error = error;
    self->context = context;
    self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    self->lone = *name == '\0';
    if (!self->lone)
        ts_soc_find(&self->soc, name, error);
    return self;
}

void squad_free(struct squad *self)
{
    ts_chip_free(&self->chip);
    for (unsigned i = 0; i < self->count; i++)
        ts_tile_free(self->members[i].tile);
    for (unsigned i = 0; i < self->script_count; i++)
        free(self->scripts[i].ops);
    free(self->scripts);
    free(self->members);
    ts_kernel_free(self->kernel);
    free(self);
}

// --- programs ---

// One member more. A launch block is aligned as it is in L1, which realloc does not promise.
static struct squad_member *add_member(struct squad *self)
{
    struct squad_member *members = ts_need(
        aligned_alloc(_Alignof(struct squad_member), (self->count + 1) * sizeof *members),
        "the truth table");
    if (self->count)
        memcpy(members, self->members, self->count * sizeof *members);
    free(self->members);
    self->members = members;
    return &members[self->count++];
}

static struct squad_member *member(struct squad *self, struct ts_noc_xy at)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->members[i].at.x == at.x && self->members[i].at.y == at.y)
            return &self->members[i];
    struct squad_member *one = add_member(self);
    struct ts_noc_xy name = self->lone ? at : ts_soc_logical(&self->soc, at);
    *one = (struct squad_member){.at = at, .word_count = SEMAPHORES * TS_SEMAPHORE_STEP / 4};
    one->block.my_x = name.x;
    one->block.my_y = name.y;
    one->block.semaphores = TS_PROGRAM_CONFIG;
    return one;
}

// A guest program for the chip's machine.
static const struct ts_guest_program *find_guest(const struct squad *self, const char *image)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", self->lone ? "" : self->soc.machine->images, image);
    return ts_guest_find(name);
}

void squad_guest(struct squad *self, struct ts_noc_xy tile, const char *image,
                 const uint32_t *arguments, unsigned count)
{
    struct squad_member *one = member(self, tile);
    const char *end = strrchr(image, '.');
    unsigned core = 0;
    while (core < TS_RV_CORES && (end == NULL || strcmp(places[core].name, end) != 0))
        core++;
    const struct ts_guest_program *program = find_guest(self, image);
    if (program == NULL || core == TS_RV_CORES ||
        one->word_count + count > sizeof one->words / sizeof *one->words) {
        ts_fail(self->error, TS_BUG, "%s: no such program, or too many arguments", image);
        return;
    }
    one->image[core] = program;
    if (one->image[TS_RV_BRISC] == NULL)
        one->image[TS_RV_BRISC] = find_guest(self, BOOT);
    one->block.enables |= 1u << places[core].processor;
    one->block.rta[places[core].processor] = TS_PROGRAM_CONFIG + 4 * one->word_count;
    memcpy(one->words + one->word_count, arguments, count * sizeof *arguments);
    one->word_count += count;
}

void squad_text(struct squad *self, struct ts_noc_xy tile, unsigned core, struct squad_text text)
{
    struct squad_member *one = member(self, tile);
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        const struct squad_text *other = &one->text[i];
        bool same = other->bytes == text.bytes && other->address == text.address;
        if (i != core && other->bytes && !same && text.address < other->address + other->length &&
            other->address < text.address + text.length)
            ts_fail(self->error, TS_BUG, "tile %u-%u: the code of cores %u and %u overlaps at 0x%x",
                    tile.x, tile.y, i, core, text.address);
    }
    one->text[core] = text;
}

void squad_traffic(struct squad *self, struct ts_noc_xy tile, struct squad_traffic traffic)
{
    size_t size = (self->script_count + 1) * sizeof *self->scripts;
    self->scripts = ts_need(realloc(self->scripts, size), "the truth table");
    self->scripts[self->script_count++] = (struct squad_script){.by = tile, .traffic = traffic};
}

static void write_script(struct squad *self, struct squad_script *script)
{
    enum { PACE = 34 };
    const struct squad_traffic *traffic = &script->traffic;
    const uint32_t bytes = traffic->bytes, parts = self->soc.parts;
    const uint64_t room = self->chip.dram[0].part_bytes;
    struct ts_traffic_op *ops = calloc(traffic->requests * 2u + 2, sizeof *ops), op;
    size_t count = 0;
    if (ops == NULL)
        ts_out_of_memory("the truth table");
    for (uint32_t i = 0; i < traffic->requests; i++) {
        uint32_t bank = (traffic->first + traffic->step * (i % traffic->banks)) % self->soc.banks;
        struct ts_noc_xy at = traffic->endpoint < 0
                                  ? ts_soc_worker_endpoint(&self->soc, bank, traffic->noc)
                                  : self->soc.dram[bank / parts][traffic->endpoint];
        uint64_t far = bank % parts * room + room / (traffic->write ? 4 : 16) +
                       0x200000ull * traffic->index + i / traffic->banks * bytes;
        uint32_t near = (traffic->write ? 0x80000u : 0x40000u) + i % 8 * bytes;
        op = traffic->write
                 ? ts_traffic_write(&self->chip, traffic->noc, script->by, at, near, far, bytes,
                                    traffic->vc, false)
                 : ts_traffic_read(&self->chip, traffic->noc, script->by, at, far, near, bytes);
        if (traffic->vc >= 0)
            op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_VC_STATIC | (uint32_t)traffic->vc
                                                                << TS_NOC_CTRL_VC_SHIFT;
        op.gap = PACE;
        ops[count++] = op;
        if (i % traffic->batch == traffic->batch - 1)
            ops[count++] = (struct ts_traffic_op){
                .kind = traffic->write ? TS_TRAFFIC_SENT : TS_TRAFFIC_BARRIER, .gap = 1};
    }
    ops[count++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER, .gap = 1};
    script->ops = ops;
    script->count = count;
    ts_traffic_init(&script->driver, &self->chip, script->by, ops, count);
}

double squad_traffic_started(const struct squad *self, unsigned traffic)
{
    return (double)self->scripts[traffic].ops[0].started;
}

double squad_traffic_ended(const struct squad *self, unsigned traffic)
{
    return (double)self->scripts[traffic].ops[self->scripts[traffic].count - 1].ended;
}

void squad_watch(struct squad *self, struct ts_noc_xy tile, uint32_t address, uint32_t value)
{
    self->watched = tile;
    self->watch = (struct ts_traffic_op){
        .kind = TS_TRAFFIC_WORD, .address = address, .value = value, .gap = 1};
}

// --- the run ---

// The interface of a network that is not there.
static TS_WINDOW_LOAD(load_zero)
{
    (void)tile, (void)core, (void)address, (void)size, (void)now;
    reply->value = 0;
    return TS_RV_DONE;
}

// Code at its place, and the core as the setting says.
static bool start(struct squad *self, struct squad_member *one, unsigned core)
{
    const struct squad_text *text = &one->text[core];
    const struct squad_setting *setting = self->setting;
    ts_l1_write(&one->tile->l1, text->address, text->bytes, text->length, 0);
    if (!ts_tile_start(one->tile, core, text->address, 0, self->error))
        return false;
    if (setting && setting->cfg0)
        ts_rv_core_configure(&one->tile->cores[core], setting->cfg0);
    if (setting && setting->warm)
        one->tile->cores[core].predictor = setting->learnt[core];
    if (setting && setting->pushed && core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2)
        one->tile->front[core - TS_RV_TRISC0].pushes = 1;
    return true;
}

static bool load(struct squad *self, struct squad_member *one)
{
    struct ts_l1 *l1 = &one->tile->l1;
    struct ts_error *error = self->error;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        const struct ts_guest_program *image = one->image[core];
        if (one->text[core].bytes && !start(self, one, core))
            return false;
        if (image && !ts_guest_load(l1, image->name, image->bytes, image->length, NULL, error))
            return false;
    }
    if (one->image[TS_RV_BRISC] == NULL)
        return true;
    ts_l1_write(l1, TS_PROGRAM, &one->block, sizeof one->block, 0);
    ts_l1_write(l1, TS_PROGRAM_CONFIG, one->words, 4 * one->word_count, 0);
    return ts_tile_start(one->tile, TS_RV_BRISC, TS_PROGRAM_BRISC, 0, error);
}

bool squad_build(struct squad *self)
{
    struct ts_tile **tiles = ts_need(calloc(self->count + 1, sizeof *tiles), "the truth table");
    self->built = true;
    for (unsigned i = 0; i < self->count && self->error->code == TS_OK; i++) {
        struct squad_member *one = &self->members[i];
        one->tile = tiles[i] = ts_tile_new_at(self->kernel, one->at.x, one->at.y,
                                              &self->context->tile, self->error);
        if (self->lone && one->tile)
            ts_tile_plug(one->tile, TS_DEVICE_NOC0, &(struct ts_window){.load = load_zero});
    }
    if (self->error->code == TS_OK &&
        (self->lone || ts_chip_init(&self->chip, self->kernel, &self->soc, self->context->params,
                                    tiles, self->count, self->error) == TS_OK)) {
        for (unsigned i = 0; i < self->script_count; i++)
            write_script(self, &self->scripts[i]);
        if (self->watch.gap)
            ts_traffic_init(&self->watcher, &self->chip, self->watched, &self->watch, 1);
        ts_kernel_elaborate(self->kernel, self->error);
    }
    free(tiles);
    for (unsigned i = 0; i < self->count && self->error->code == TS_OK; i++)
        load(self, &self->members[i]);
    return self->error->code == TS_OK;
}

bool squad_run(struct squad *self, ts_cycle limit)
{
    if (!self->built)
        squad_build(self);
    if (self->error->code != TS_OK)
        return false;
    self->run = ts_kernel_run(self->kernel, limit);
    for (unsigned core = 0; core < TS_RV_CORES && self->setting && self->count; core++)
        self->setting->learnt[core] = self->members[0].tile->cores[core].predictor;
    bool open = self->setting && self->setting->open && self->run.stop == TS_STOP_LIMIT;
    if (self->run.stop != TS_STOP_DONE && !open)
        ts_fail(self->error, self->run.stop == TS_STOP_LIMIT ? TS_LIMIT : TS_BUG, "%s: %s",
                ts_stop_name(self->run.stop), self->run.error.text);
    else if (!self->lone)
        ts_chip_check(&self->chip, &self->run, self->error);
    return self->error->code == TS_OK;
}

void squad_write(struct squad *self, struct ts_noc_xy tile, uint32_t address, const void *bytes,
                 uint32_t length)
{
    if (self->lone)
        ts_l1_write(&member(self, tile)->tile->l1, address, bytes, length, 0);
    else
        ts_chip_write(&self->chip, tile, address, bytes, length, self->error);
}

ts_cycle squad_time(struct squad *self, struct ts_noc_xy tile, unsigned core)
{
    return ts_rv_core_view(&member(self, tile)->tile->cores[core]).time;
}

uint32_t squad_word(struct squad *self, struct ts_noc_xy tile, uint32_t address)
{
    uint32_t word = 0;
    if (self->error->code == TS_OK && self->lone)
        memcpy(&word, member(self, tile)->tile->l1.bytes + address, sizeof word);
    else if (self->error->code == TS_OK)
        ts_chip_read(&self->chip, tile, address, &word, sizeof word, self->error);
    return word;
}
