// Builds a card: devices behind the PCIe and ARC sites of the chip (device.h).
#include "platform/lib/inside.h"
#include "platform/ttsim/device.h"

enum tensim_code ts_card_fail(struct tensim_error *error, enum tensim_code code, const char *format,
                              ...)
{
    va_list args;
    va_start(args, format);
    error->code = code;
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return code;
}

const char *ts_card_absent(struct ts_card *self, const char *format, ...)
{
    int used = snprintf(self->refusal, sizeof self->refusal, "not implemented: ");
    TS_VSNPRINTF(self->refusal + used, sizeof self->refusal - (size_t)used, format);
    return self->refusal;
}

static enum tensim_code attach(struct ts_card *self, struct tensim_xy at,
                               const struct tensim_device *like, void *context,
                               struct tensim_error *error)
{
    struct tensim_device device = *like;
    device.context = context;
    return tensim_attach(self->sim, at, &device, error);
}

static enum tensim_code attach_site(struct ts_card *self, struct tensim_xy at,
                                    const struct tensim_site *site, struct tensim_error *error)
{
    switch (site->kind) {
    case TENSIM_SITE_PCIE: // the first one is connected
        if (site->index != 0)
            return TENSIM_OK;
        self->pcie_at = at;
        return attach(self, at, &ts_pcie_device, self, error);
    case TENSIM_SITE_ARC:
        self->arc_at = at;
        return attach(self, at, &ts_arc_device, &self->arc, error);
    default:
        return TENSIM_OK;
    }
}

// Boards of the vendor by their chips: what the high word of a board id has, and how many chips are on one.
static const struct {
    uint32_t machine;
    const char *chip;
    uint32_t board_high, chips;
} boards[] = {{0, "p300", 0x440, 2}, {0, "p100", 0x360, 1}, {0, "", 0x400, 1}, {1, "", 0x180, 1}};

#define GALAXY 0x470u

// The chips of a system that is larger than cards in one host are those of a galaxy: four trays of eight.
static struct ts_identity identity_of(const struct tensim *sim, uint32_t machine, uint32_t number)
{
    const struct ts_system *system = sim->system;
    const char *chip = system ? system->chip[number] : sim->scenario.chip;
    size_t i = 0;
    while (boards[i].machine != machine ||
           strncmp(boards[i].chip, chip, strlen(boards[i].chip)) != 0)
        i++;
    if (system && system->chips == 32)
        return (struct ts_identity){GALAXY, 1 + number / 8, number % 8 + 1, 1 + number};
    return (struct ts_identity){boards[i].board_high, 1 + number / boards[i].chips,
                                number % boards[i].chips, 1 + number};
}

enum tensim_code ts_card_init(struct ts_card *self, struct tensim *sim, uint32_t number,
                              ts_host_read *read, ts_host_write *write, struct tensim_error *error)
{
    struct tensim_site site;
    memset(self, 0, sizeof *self);
    self->sim = sim;
    self->number = number;
    if (tensim_choose_chip(sim, number, error) != TENSIM_OK)
        return error->code;
    self->chip = ts_lib_chosen_chip(sim);
    self->machine = (uint32_t)(self->chip->soc.machine - ts_machines);
    self->kind = &ts_card_kinds[self->machine];
    self->identity = identity_of(sim, self->machine, number);
    self->pcie.read = read;
    self->pcie.write = write;
    TS_PARAMS_FILL(&sim->params, "pcie", &self->pcie.params);
    self->arc = (struct ts_arc){.csm = calloc(1, TS_ARC_CSM), .card = self};
    if (self->arc.csm == NULL)
        return ts_card_fail(error, TENSIM_NO_MEMORY, "out of memory");
    ts_config_reset(self);
    ts_arc_reset(&self->arc);
    for (uint32_t y = 0; tensim_site(sim, (struct tensim_xy){0, y}, &site, NULL) == TENSIM_OK; y++)
        for (uint32_t x = 0; tensim_site(sim, (struct tensim_xy){x, y}, &site, NULL) == TENSIM_OK;
             x++)
            if (attach_site(self, (struct tensim_xy){x, y}, &site, error) != TENSIM_OK)
                return error->code;
    return TENSIM_OK;
}

void ts_card_free(struct ts_card *self)
{
    free(self->arc.csm);
    memset(self, 0, sizeof *self);
}
