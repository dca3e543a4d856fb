// Builds a card: devices behind the PCIe, ARC and Ethernet sites of the chip (device.h).
#include "platform/base/format.h"
#include "platform/ttsim/device.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    TS_FORMAT(self->refusal + used, sizeof self->refusal - (size_t)used, format);
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

static enum tensim_code attach_eth(struct ts_card *self, struct tensim_xy at, uint32_t index,
                                   struct tensim_error *error)
{
    if (index >= TS_ETH_TILES)
        return ts_card_fail(error, TENSIM_SETUP, "more than %d Ethernet tiles", TS_ETH_TILES);
    struct ts_eth_site *eth = &self->eth[index];
    *eth = (struct ts_eth_site){.l1 = calloc(1, TS_ETH_L1), .card = self, .at = at};
    if (eth->l1 == NULL)
        return ts_card_fail(error, TENSIM_NO_MEMORY, "out of memory");
    self->eth_count++;
    ts_eth_reset(eth);
    return attach(self, at, &ts_eth_device, eth, error);
}

static enum tensim_code attach_site(struct ts_card *self, struct tensim_xy at,
                                    const struct tensim_site *site, struct tensim_error *error)
{
    switch (site->kind) {
    case TENSIM_SITE_ETHERNET:
        return attach_eth(self, at, site->index, error);
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

enum tensim_code ts_card_init(struct ts_card *self, struct tensim *sim, ts_host_read *read,
                              ts_host_write *write, struct tensim_error *error)
{
    struct tensim_site site;
    memset(self, 0, sizeof *self);
    self->sim = sim;
    self->pcie.read = read;
    self->pcie.write = write;
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
    for (uint32_t i = 0; i < TS_ETH_TILES; i++)
        free(self->eth[i].l1);
    free(self->arc.csm);
    memset(self, 0, sizeof *self);
}
