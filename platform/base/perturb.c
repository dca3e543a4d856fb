// Texts of --perturb: holds at places (perturb.h).
#include "platform/base/perturb.h"

#include "platform/base/number.h"

enum { MOST = 5 }; // places of a kind

static const char *const places[TS_PERTURB_KINDS][MOST + 1] = {
    [TS_PERTURB_GATE] = {"T0", "T1", "T2"},
    [TS_PERTURB_LOAD] = {"brisc.load", "trisc0.load", "trisc1.load", "trisc2.load", "ncrisc.load"},
    [TS_PERTURB_STORE] = {"brisc.store", "trisc0.store", "trisc1.store", "trisc2.store",
                          "ncrisc.store"},
    [TS_PERTURB_L1] = {"brisc.l1", "trisc0.l1", "trisc1.l1", "trisc2.l1", "ncrisc.l1"},
    [TS_PERTURB_TRANSFER] = {"unpack0", "unpack1", "pack"},
    [TS_PERTURB_NOC] = {"noc0", "noc1"},
};

const char *ts_perturb_place(enum ts_perturb_kind kind, unsigned index)
{
    return places[kind][index];
}

struct hold {
    bool any; // tile
    uint32_t x, y;
    const char *place;
    size_t length; // of the place's name
    uint64_t number, cycles;
    bool absolute;
};

// Reads the hold at the text; what is behind it, or NULL: it is none.
static const char *read_hold(const char *text, struct hold *hold)
{
    unsigned x, y;
    int used = 0;
    char *end;
    *hold = (struct hold){.any = true};
    hold->any = !(sscanf(text, "%u-%u/%n", &x, &y, &used) == 2 && used > 0);
    if (!hold->any) {
        hold->x = x;
        hold->y = y;
        text += used;
    }
    hold->place = text;
    hold->length = strcspn(text, "@,");
    text += hold->length;
    if (*text != '@' || !isdigit((unsigned char)text[1]))
        return NULL;
    hold->number = strtoull(text + 1, &end, 10);
    hold->absolute = *end == '=';
    if (hold->number == 0 || (*end != '+' && *end != '=') || !isdigit((unsigned char)end[1]))
        return NULL;
    hold->cycles = strtoull(end + 1, &end, 10);
    return *end == '\0' || *end == ',' ? end : NULL;
}

static bool is_place(const struct hold *hold)
{
    for (unsigned kind = 0; kind < TS_PERTURB_KINDS; kind++)
        for (unsigned i = 0; places[kind][i]; i++)
            if (strlen(places[kind][i]) == hold->length &&
                strncmp(places[kind][i], hold->place, hold->length) == 0)
                return true;
    return false;
}

static bool are_holds(const char *text)
{
    struct hold hold;
    for (;;) {
        text = read_hold(text, &hold);
        if (text == NULL || !is_place(&hold))
            return false;
        if (*text == '\0')
            return true;
        text++;
    }
}

void ts_perturb_next(struct ts_perturb *self)
{
    struct hold hold;
    uint64_t after = self->number;
    self->number = 0;
    for (const char *at = self->holds; at && *at;) {
        at = read_hold(at, &hold);
        bool own = at && hold.number > after &&
                   (hold.any || (hold.x == self->x && hold.y == self->y)) &&
                   strlen(self->place) == hold.length &&
                   strncmp(self->place, hold.place, hold.length) == 0;
        if (own && (self->number == 0 || hold.number < self->number)) {
            self->number = hold.number;
            self->cycles = hold.cycles;
            self->absolute = hold.absolute;
        }
        if (at && *at)
            at++;
    }
}

void ts_perturb_only(struct ts_perturb *self, const char *holds, const char *place, uint32_t x,
                     uint32_t y)
{
    self->holds = holds;
    self->place = place;
    self->x = x;
    self->y = y;
    self->number = 0;
    ts_perturb_next(self);
}

bool ts_perturb_parse(const char *text, struct ts_perturb_how *how)
{
    char *end;
    *how = (struct ts_perturb_how){.max = 16};
    if (strchr(text, '@')) {
        how->max = 1; // the places that look
        how->holds = text;
        return are_holds(text);
    }
    how->seed = strtoul(text, &end, ts_number_base(text));
    if (end == text)
        return false;
    if (*end == ':') {
        const char *second = end + 1;
        unsigned long value = strtoul(second, &end, ts_number_base(second));
        if (end == second || value == 0 || value > 1u << 20)
            return false;
        how->max = (uint32_t)value;
    }
    return *end == '\0';
}
