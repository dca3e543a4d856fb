// The loss account of a run in its document (loss.h).
#include "platform/account/loss.h"
#include "platform/base/json.h"

const char *ts_loss_unit_name(const struct ts_loss_account *self)
{
    static const char *const names[TS_RESOURCES] = {[TS_RESOURCE_MATRIX] = "matrix",
                                                    [TS_RESOURCE_VECTOR] = "vector",
                                                    [TS_RESOURCE_UNPACK] = "unpack0",
                                                    [TS_RESOURCE_PACK] = "pack",
                                                    [TS_RESOURCE_NOC] = "noc_ports"};
    return names[self->unit];
}

static double percent(const struct ts_loss_account *self, int64_t cycles)
{
    return 100.0 * (double)cycles / (double)self->all;
}

void ts_loss_brief(const struct ts_loss_account *self, json_t *row)
{
    json_object_set_new(row, "reached", json_real(percent(self, self->reached)));
    if (self->count == 0)
        return;
    json_object_set_new(row, "loss_cause", json_string(ts_causes[self->lines[0].cause].name));
    json_object_set_new(row, "loss_object", json_string(self->lines[0].object));
    json_object_set_new(row, "loss_percent", json_real(percent(self, self->lines[0].cycles)));
}

void ts_loss_json(const struct ts_loss_account *self, json_t *document)
{
    json_t *loss = json_array();
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_loss_line *line = &self->lines[i];
        ts_json_add(loss, "{s:s, s:s, s:f, s:f, s:s, s:s}", "cause", ts_causes[line->cause].name,
                    "object", line->object, "percent", percent(self, line->cycles), "cycles",
                    (double)line->cycles / self->tiles, "text", line->text, "color",
                    ts_causes[line->cause].color);
    }
    ts_loss_brief(self, document);
    json_object_set_new(document, "loss", loss);
    json_object_set_new(document, "loss_unit", json_string(ts_loss_unit_name(self)));
    json_object_set_new(document, "loss_cycles", json_integer((json_int_t)self->wall));
}
