// A run of tensim step as a page: the table of instructions, and the rows that changed (step.h).
#include "platform/report/page.h"
#include "platform/study/step/step.h"

#include <inttypes.h>
#include <string.h>

static json_t *text_of(const json_t *list)
{
    char text[1200] = "";
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(list) && used < sizeof text; i++) {
        const char *change = json_string_value(json_array_get(list, i));
        if (strncmp(change, "RWC ", 4) != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     change);
    }
    return json_string(text);
}

static json_t *row_of(const struct ts_step_row *row, unsigned number)
{
    char word[200], wait[64] = "", a[16] = "", b[16] = "", d[16] = "", phase[16] = "";
    ts_disasm_fields(row->word, word, sizeof word);
    if (row->waited)
        snprintf(wait, sizeof wait, "%" PRIu64 " %s", row->waited, ts_stall_name(row->reason));
    if (row->counts) {
        snprintf(a, sizeof a, "%u (%u)", row->rwc.srca, row->rwc.srca_cr);
        snprintf(b, sizeof b, "%u (%u)", row->rwc.srcb, row->rwc.srcb_cr);
        snprintf(d, sizeof d, "%u (%u)", row->rwc.dst, row->rwc.dst_cr);
        snprintf(phase, sizeof phase, "%u", row->rwc.fidelity);
    }
    return json_pack("[i, s, I, s, s, s, s, s, s, s, o]", (int)number,
                     row->thread == 0   ? "T0"
                     : row->thread == 1 ? "T1"
                                        : "T2",
                     (json_int_t)row->cycle, wait, word, row->rows, a, b, d, phase,
                     text_of(row->changes));
}

static void add_values(json_t *page, const struct ts_step *self)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < self->count; i++)
        for (size_t k = 0; k < json_array_size(self->rows[i].values); k++) {
            const json_t *value = json_array_get(self->rows[i].values, k);
            json_t *line = json_pack("[i, O, O]", (int)i + 1, json_object_get(value, "what"),
                                     json_object_get(value, "row"));
            json_array_extend(line, json_object_get(value, "values"));
            json_array_append_new(rows, line);
        }
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        return;
    }
    json_t *heads = json_pack("[s, s, s]", "instruction", "register", "row");
    for (int c = 0; c < 16; c++)
        json_array_append_new(heads, json_sprintf("%d", c));
    ts_page_add(page, "table", "Values of the rows that changed",
                json_pack("{s:o, s:o, s:[i]}", "heads", heads, "rows", rows, "text", 1));
}

void ts_step_page(const struct ts_step *self, const struct ts_step_program *program,
                  const char *command, FILE *file)
{
    char answer[600];
    if (self->code == TS_OK)
        snprintf(answer, sizeof answer, "%u instructions in %" PRIu64 " cycles.", self->count,
                 (uint64_t)self->cycles);
    else
        snprintf(answer, sizeof answer, "%u instructions passed, then: %s", self->count,
                 self->text);
    json_t *title = json_sprintf("tensim step: %s", program->name);
    json_t *page = ts_page_new(json_string_value(title), answer, command);
    json_decref(title);
    json_t *rows = json_array();
    for (unsigned i = 0; i < self->count; i++)
        json_array_append_new(rows, row_of(&self->rows[i], i + 1));
    ts_page_add(page, "table", "What each instruction does",
                json_pack("{s:[s, s, s, s, s, s, s, s, s, s, s], s:o, s:[i, i, i, i, i]}", "heads",
                          "#", "thread", "cycle", "waited", "instruction", "rows", "SrcA (Cr)",
                          "SrcB (Cr)", "Dst (Cr)", "phase", "changes", "rows", rows, "text", 1, 3,
                          4, 5, 10));
    add_values(page, self);
    ts_page_write(page, file);
}
