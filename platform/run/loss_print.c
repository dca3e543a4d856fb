// The loss account of a run as text and JSON (loss.h).
#include "platform/run/loss.h"

#include <inttypes.h>
#include <string.h>

static double percent(const struct ts_loss_account *self, int64_t cycles)
{
    return 100.0 * (double)cycles / (double)self->all;
}

void ts_loss_print(const struct ts_loss_account *self, FILE *file)
{
    uint32_t shown = 0; // what rounds to 0.0 % is not
    while (shown < self->count && shown < 8 && percent(self, self->lines[shown].cycles) >= 0.05)
        shown++;
    static const struct {
        const char *unit, *text;
    } units[] = {{"matrix", "the matrix unit computes"},
                 {"vector", "the vector unit computes"},
                 {"unpack0", "unpacker 0 works"},
                 {"pack", "the packer works"},
                 {"noc_ports", "the NoC ports move data"}};
    const char *does = "";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        does = strcmp(units[i].unit, self->unit) == 0 ? units[i].text : does;
    char tiles[32] = "";
    bool phases = false; // then this is not the peak at the run's fidelity
    for (uint32_t i = 0; i < self->count; i++)
        phases |= strcmp(self->lines[i].cause, "fidelity") == 0;
    if (self->tiles > 1)
        snprintf(tiles, sizeof tiles, " on %u tiles", self->tiles);
    fprintf(file, "  %5.1f %%  reached%s: %s (of %" PRIu64 " cycles%s); the rest:\n",
            percent(self, self->reached), phases ? " of the LoFi peak" : "", does, self->wall,
            tiles);
    int64_t rest = self->all - self->reached;
    for (uint32_t i = 0; i < shown; i++) {
        const struct ts_loss_line *line = &self->lines[i];
        rest -= line->cycles;
        fprintf(file, "  %5.1f %%  %s\n", percent(self, line->cycles), line->text);
    }
    if (shown < self->count)
        fprintf(file, "  %5.1f %%  %u smaller cause%s (--json lists all)\n", percent(self, rest),
                self->count - shown, self->count - shown == 1 ? "" : "s");
}

void ts_loss_brief(const struct ts_loss_account *self, json_t *row)
{
    json_object_set_new(row, "reached", json_real(percent(self, self->reached)));
    if (self->count == 0)
        return;
    json_object_set_new(row, "loss_cause", json_string(self->lines[0].cause));
    json_object_set_new(row, "loss_object", json_string(self->lines[0].object));
    json_object_set_new(row, "loss_percent", json_real(percent(self, self->lines[0].cycles)));
}

json_t *ts_loss_lines(const struct ts_loss_account *self)
{
    json_t *loss = json_array();
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_loss_line *line = &self->lines[i];
        json_array_append_new(loss, json_pack("{s:s, s:s, s:f, s:f, s:s, s:s}", "cause",
                                              line->cause, "object", line->object, "percent",
                                              percent(self, line->cycles), "cycles",
                                              (double)line->cycles / self->tiles, "text",
                                              line->text, "color", line->color));
    }
    return loss;
}

void ts_loss_json(const struct ts_loss_account *self, json_t *document)
{
    ts_loss_brief(self, document);
    json_object_set_new(document, "loss", ts_loss_lines(self));
    json_object_set_new(document, "loss_unit", json_string(self->unit));
    json_object_set_new(document, "loss_cycles", json_integer((json_int_t)self->wall));
}
