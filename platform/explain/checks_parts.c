// Parts of findings' texts; see checks_parts.h.
#include "platform/explain/checks_parts.h"

#include "platform/explain/chip.h"

// ---- who

static const struct ts_tile *tile_at(const struct ts_checks_places *self, size_t home)
{
    return home < ts_kernel_domain_count(self->kernel)
               ? ts_hang_tile_of(ts_kernel_domain(self->kernel, home))
               : NULL;
}

// "brisc", "unpack0 of T0", "NoC 0 for ncrisc", "Ethernet queue 1 for erisc0".
static void who(const struct ts_tile *tile, const struct ts_check_site *site, char *text,
                size_t size)
{
    const char *core = site->core < TS_RV_CORES ? ts_tile_core_name(tile, site->core) : "?";
    if (site->actor < TS_ACTOR_THREAD_FIRST) {
        snprintf(text, size, "%s", core);
    } else if (site->actor < TS_ACTOR_NOC_FIRST) {
        unsigned number = site->actor - TS_ACTOR_THREAD_FIRST;
        snprintf(text, size, "%s of T%u", ts_unit_name((enum ts_unit_id)(number % TS_ACTOR_UNITS)),
                 number / TS_ACTOR_UNITS);
    } else if (site->actor >= TS_ACTOR_ETH_FIRST) {
        snprintf(text, size, "Ethernet queue %u for %s",
                 (site->actor - TS_ACTOR_ETH_FIRST) / TS_ETH_PHASES, core);
    } else {
        snprintf(text, size, "NoC %u for %s",
                 (site->actor - TS_ACTOR_NOC_FIRST) / TS_ACTOR_NOC_EACH, core);
    }
}

// What the access does: by its site and, of a request, by whether it reads or writes here.
static const char *verb(const struct ts_check_site *site, bool writes)
{
    return site->how == TS_HOW_ATOMIC ? "changes" : writes ? "writes" : "reads";
}

// ---- where

struct ts_checks_named {
    const struct ts_tile_program *program;
    uint32_t pc;
    int column;
    char place[220], line[110], source[TS_SOURCE];
};

void ts_checks_places_free(struct ts_checks_places *self)
{
    free(self->list);
    self->list = NULL;
}

static bool same_program(const struct ts_tile_program *a, const struct ts_tile_program *b)
{
    return a->bytes == b->bytes && a->lines == b->lines && a->at == b->at &&
           strcmp(a->path, b->path) == 0;
}

// NULL: out of memory.
static const struct ts_checks_named *name_of(struct ts_checks_places *self,
                                             const struct ts_tile *tile, unsigned core, uint32_t pc)
{
    const struct ts_tile_program *program = &tile->programs[core];
    for (size_t i = 0; i < self->count; i++)
        if (self->list[i].pc == pc && same_program(self->list[i].program, program))
            return &self->list[i];
    if (!TS_GROW(self->list, self->count, self->room))
        return NULL;
    struct ts_checks_named *name = &self->list[self->count++];
    const struct ts_frames frames = ts_symbols_find(tile, core, pc);
    *name = (struct ts_checks_named){.program = program, .pc = pc};
    ts_frames_text(&frames, name->place, sizeof name->place);
    ts_frames_line(&frames, name->line, sizeof name->line);
    ts_frames_source(&frames, name->source, sizeof name->source);
    name->column = frames.count ? frames.frame[frames.user > 0 ? frames.user : 0].column : 0;
    return name;
}

json_t *ts_checks_place(struct ts_checks_places *self, const struct ts_check_place *place,
                        bool writes)
{
    static const struct ts_check_site nobody = {TS_SITE_NO_PC, TS_ACTOR_NOBODY, TS_ACTOR_NOBODY, 0,
                                                0};
    const struct ts_tile *tile = tile_at(self, place->home);
    const struct ts_check_site *site = tile && tile->check ? &tile->check->sites.list[place->site]
                                                           : &nobody;
    char by[48] = "?", at[16] = "?";
    if (site->actor != TS_ACTOR_NOBODY && place->site != TS_NO_SITE)
        who(tile, site, by, sizeof by);
    if (tile)
        ts_tile_place_name(tile, at, sizeof at);
    json_t *row = json_pack("{s:s, s:s, s:s, s:I}", "by", by, "does", verb(site, writes), "tile",
                            at, "cycle", (json_int_t)place->at);
    if (site->actor >= TS_ACTOR_THREAD_FIRST && site->actor < TS_ACTOR_NOC_FIRST &&
        ts_op_info[site->detail].name)
        json_object_set_new(row, "instruction", json_string(ts_op_info[site->detail].name));
    if (site->pc != TS_SITE_NO_PC)
        json_object_set_new(row, "pc", json_integer(site->pc));
    const struct ts_checks_named *name = tile && site->pc != TS_SITE_NO_PC &&
                                                 site->core < TS_RV_CORES
                                             ? name_of(self, tile, site->core, site->pc)
                                             : NULL;
    if (name && name->place[0])
        json_object_set_new(row, "place", json_string(name->place + 1));
    if (name && name->line[0])
        json_object_set_new(row, "line", json_string(name->line));
    if (name && name->column)
        json_object_set_new(row, "column", json_integer(name->column));
    if (name && name->source[0])
        json_object_set_new(row, "source", json_string(name->source));
    return row;
}

// ---- what

// Registers, by their number.
static void register_text(enum ts_check_object object, unsigned number, char *text, size_t size)
{
    switch (object) {
    case TS_OBJECT_DST:
        snprintf(text, size, "Dst rows %u to %u", 8 * number, 8 * number + 7);
        break;
    case TS_OBJECT_SRC:
        snprintf(text, size, "math's bank of Src%c", number / 2 ? 'B' : 'A');
        break;
    case TS_OBJECT_CONFIG:
        snprintf(text, size, "Config[%u] word %u", number / 1024, number % 1024);
        break;
    case TS_OBJECT_GPR:
        snprintf(text, size, "GPR %u of T%u", number % 64, number / 64);
        break;
    case TS_OBJECT_MOP:
        snprintf(text, size, "MOP register %u of T%u", number % 16, number / 16);
        break;
    case TS_OBJECT_ADC:
        snprintf(text, size, "address counters of %s of T%u",
                 number % 4 == 2   ? "PACK"
                 : number % 4 == 1 ? "UNPACK1"
                                   : "UNPACK0",
                 number / 4);
        break;
    default:
        snprintf(text, size, "?");
    }
}

// The names of DRAM are the same for all channels: any tile that has names knows them.
static const struct ts_tile *tile_with_names(const struct ts_checks_places *self)
{
    for (size_t i = 0; i < ts_kernel_domain_count(self->kernel); i++)
        if (tile_at(self, i) && tile_at(self, i)->name_count)
            return tile_at(self, i);
    return NULL;
}

// What the program calls a byte of the finding's object; NULL: nothing.
static const struct ts_tile_name *named(const struct ts_tile *tile,
                                        const struct ts_check_finding *finding, uint64_t address)
{
    for (unsigned i = 0; tile && i < tile->name_count; i++)
        if (tile->names[i].dram == (finding->object == TS_OBJECT_DRAM) &&
            address - tile->names[i].address < tile->names[i].length)
            return &tile->names[i];
    return NULL;
}

void ts_checks_object(const struct ts_checks_places *self, const struct ts_tile *tile,
                      const char *channel, const struct ts_check_finding *finding, char *text,
                      size_t size)
{
    if (finding->object == TS_OBJECT_LOCAL) {
        static const char *const of[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
        const unsigned long long address = finding->address, window = 0x2000;
        if (address < TS_RV_CORES * window)
            snprintf(text, size, "local RAM of %s 0x%llx..0x%llx", of[address / window],
                     address % window, address % window + finding->length - 1);
        else
            snprintf(text, size, "local RAM 0x%llx", address);
        return;
    }
    if (finding->object > TS_OBJECT_DRAM) {
        register_text((enum ts_check_object)finding->object, (unsigned)(finding->address / 16),
                      text, size);
        return;
    }
    int n = snprintf(text, size, "%s 0x%llx..0x%llx",
                     finding->object == TS_OBJECT_DRAM ? "DRAM" : "L1",
                     (unsigned long long)finding->address,
                     (unsigned long long)finding->address + finding->length - 1);
    char place[24];
    const bool far = tile && tile->system && tile->check->home != finding->place[0].home;
    if (channel || far) // who accesses it is of another tile
        n += snprintf(text + n, size - (size_t)n, " of %s",
                      channel ? channel : ts_tile_place_name(tile, place, sizeof place));
    if (tile == NULL)
        tile = tile_with_names(self);
    const struct ts_tile_name *name = named(tile, finding, finding->address);
    if (name == NULL)
        return;
    n += snprintf(text + n, size - (size_t)n, " (%s", name->text);
    if (name->page)
        n += snprintf(text + n, size - (size_t)n, ", page %llu",
                      (unsigned long long)((finding->address - name->address) / name->page));
    snprintf(text + n, size - (size_t)n, ")");
}

void ts_checks_behind(const struct ts_checks_places *self, const struct ts_tile *tile,
                      const struct ts_check_finding *finding, char *text, size_t size)
{
    const uint64_t at = finding->address + finding->length - finding->number;
    const struct ts_tile_name *name = named(tile ? tile : tile_with_names(self), finding, at);
    snprintf(text, size, "%s%s", name ? ", in " : "", name ? name->text : "");
}

// A sentence of the table with its {...} filled in.
void ts_checks_fill(char *text, size_t size, const char *sentence, const char *object,
                    const char *behind, const json_t *access, uint64_t number)
{
    size_t n = 0;
    for (const char *c = sentence; *c && n + 1 < size;) {
        char part[160] = {*c, '\0'};
        size_t skip = 1;
        if (strncmp(c, "{object}", 8) == 0) {
            snprintf(part, sizeof part, "%s", object);
            skip = 8;
        } else if (strncmp(c, "{behind}", 8) == 0) {
            snprintf(part, sizeof part, "%s", behind);
            skip = 8;
        } else if (strncmp(c, "{n}", 3) == 0) {
            snprintf(part, sizeof part, "%llu", (unsigned long long)number);
            skip = 3;
        } else if (strncmp(c, "{who}", 5) == 0) {
            snprintf(part, sizeof part, "%s", ts_json_text(access, "by"));
            skip = 5;
        } else if (strncmp(c, "{is}", 4) == 0 || strncmp(c, "{as}", 4) == 0) {
            snprintf(part, sizeof part, "%s",
                     ts_format_name((unsigned)(number >> (c[1] == 'i' ? 8 : 0) & 15)));
            skip = 4;
        } else if (strncmp(c, "{a}", 3) == 0) {
            snprintf(part, sizeof part, "%s %s", ts_json_text(access, "by"),
                     ts_json_text(access, "does"));
            skip = 3;
        }
        n += (size_t)snprintf(text + n, size - n, "%s", part);
        c += skip;
    }
}

// The actor of an access, with its tile if the other access has an actor of the same name on another tile.
static void name_in(const json_t *access, const json_t *other, char *text, size_t size)
{
    const char *by = ts_json_text(access, "by"), *tile = ts_json_text(access, "tile");
    const bool alike = strcmp(by, ts_json_text(other, "by")) == 0 &&
                       strcmp(tile, ts_json_text(other, "tile")) != 0;
    snprintf(text, size, "%s%s%s", by, alike ? " of " : "", alike ? tile : "");
}

void ts_checks_harm(char *text, size_t size, const json_t *access, const json_t *other)
{
    char a[80], b[80];
    name_in(access, other, a, sizeof a);
    name_in(other, access, b, sizeof b);
    const bool a_reads = strcmp(ts_json_text(access, "does"), "reads") == 0,
               b_reads = strcmp(ts_json_text(other, "does"), "reads") == 0;
    if (a_reads)
        snprintf(text, size, "%s reads before %s writes: it gets the old bytes", a, b);
    else if (b_reads)
        snprintf(text, size, "%s writes before %s reads: that gets the new bytes", a, b);
    else
        snprintf(text, size, "%s writes before %s does: its bytes are lost", a, b);
}
