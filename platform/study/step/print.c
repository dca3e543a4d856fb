// A run as a table of text, and as JSON.
#include "platform/base/json.h"
#include "platform/study/step/step.h"

#include <inttypes.h>

static void print_values(const struct ts_step_row *row, FILE *file)
{
    for (size_t i = 0; i < json_array_size(row->values); i++) {
        const json_t *value = json_array_get(row->values, i);
        const json_t *list = json_object_get(value, "values");
        fprintf(file, "      %s row %2lld:", json_string_value(json_object_get(value, "what")),
                ts_json_integer(value, "row"));
        for (size_t c = 0; c < json_array_size(list); c++) {
            const json_t *one = json_array_get(list, c);
            if (json_is_string(one))
                fprintf(file, " %s", json_string_value(one));
            else
                fprintf(file, " %g", json_real_value(one));
        }
        fputc('\n', file);
    }
}

// The columns before the changes; their widths follow from what is in them.
enum { NUMBER, THREAD, CYCLE, WAITED, INSTRUCTION, ROWS, SRCA, SRCB, DST, PHASE, COLUMNS };

static const char *const heads[COLUMNS] = {"#",    "",     "cycle", "waited", "instruction",
                                           "rows", "SrcA", "SrcB",  "Dst",    "phase"};

struct line {
    char cell[COLUMNS][200];
};

static void fill(const struct ts_step_row *row, unsigned number, struct line *line)
{
    const size_t size = sizeof line->cell[0];
    memset(line, 0, sizeof *line);
    snprintf(line->cell[NUMBER], size, "%u", number);
    snprintf(line->cell[THREAD], size, "T%u", row->thread);
    snprintf(line->cell[CYCLE], size, "%" PRIu64, (uint64_t)row->cycle);
    if (row->waited)
        snprintf(line->cell[WAITED], size, "%" PRIu64 " %s", row->waited,
                 ts_stall_name(row->reason));
    ts_disasm_fields(row->word, line->cell[INSTRUCTION], size);
    snprintf(line->cell[ROWS], size, "%s", row->rows);
    if (!row->counts)
        return;
    snprintf(line->cell[SRCA], size, "%u(%u)", row->rwc.srca, row->rwc.srca_cr);
    snprintf(line->cell[SRCB], size, "%u(%u)", row->rwc.srcb, row->rwc.srcb_cr);
    snprintf(line->cell[DST], size, "%u(%u)", row->rwc.dst, row->rwc.dst_cr);
    snprintf(line->cell[PHASE], size, "%u", row->rwc.fidelity);
}

static void print_changes(const struct ts_step_row *row, FILE *file)
{
    const char *comma = "";
    for (size_t i = 0; i < json_array_size(row->changes); i++) {
        const char *text = json_string_value(json_array_get(row->changes, i));
        if (strncmp(text, "RWC ", 4) == 0) // in columns of their own
            continue;
        fprintf(file, "%s%s", comma, text);
        comma = ", ";
    }
    fputc('\n', file);
}

// A column in which nothing stands is left out.
static void print_cells(const int *width, const char *const *cells, FILE *file)
{
    for (unsigned c = 0; c < COLUMNS; c++)
        if (width[c] > 0)
            fprintf(file, c == NUMBER || c == CYCLE ? "%*s  " : "%-*s  ", width[c], cells[c]);
}

void ts_step_print(const struct ts_step *self, FILE *file)
{
    struct line line;
    int width[COLUMNS];
    memset(width, 0, sizeof width);
    for (unsigned i = 0; i < self->count; i++) {
        fill(&self->rows[i], i + 1, &line);
        for (unsigned c = 0; c < COLUMNS; c++)
            if ((int)strlen(line.cell[c]) > width[c])
                width[c] = (int)strlen(line.cell[c]);
    }
    for (unsigned c = 0; c < COLUMNS; c++)
        if (width[c] > 0 && (int)strlen(heads[c]) > width[c])
            width[c] = (int)strlen(heads[c]);
    print_cells(width, heads, file);
    fputs(self->count ? "changes\n" : "", file);
    for (unsigned i = 0; i < self->count; i++) {
        fill(&self->rows[i], i + 1, &line);
        const char *cells[COLUMNS];
        for (unsigned c = 0; c < COLUMNS; c++)
            cells[c] = line.cell[c];
        print_cells(width, cells, file);
        print_changes(&self->rows[i], file);
        print_values(&self->rows[i], file);
    }
    for (size_t i = 0; i < json_array_size(self->lints); i++) {
        const json_t *lint = json_array_get(self->lints, i);
        fprintf(file, "%s %s: cycle %lld: %s (%s)\n",
                json_string_value(json_object_get(lint, "level")),
                json_string_value(json_object_get(lint, "name")), ts_json_integer(lint, "cycle"),
                json_string_value(json_object_get(lint, "lint")),
                json_string_value(json_object_get(lint, "first")));
    }
    if (self->code == TS_OK)
        fprintf(file, "%u instruction%s in %" PRIu64 " cycles\n", self->count,
                self->count == 1 ? "" : "s", (uint64_t)self->cycles);
}

static json_t *row_json(const struct ts_step_row *row, unsigned number)
{
    char word[200], hex[16];
    ts_disasm_fields(row->word, word, sizeof word);
    snprintf(hex, sizeof hex, "0x%08x", row->word);
    json_t *object = json_pack(
        "{s:i, s:i, s:I, s:I, s:s, s:s, s:s, s:s, s:s}", "number", (int)number, "thread",
        (int)row->thread, "cycle", (json_int_t)row->cycle, "waited", (json_int_t)row->waited,
        "reason", row->waited ? ts_stall_name(row->reason) : "", "word", hex, "instruction", word,
        "unit", ts_unit_name(ts_op_info[TS_OP_OF(row->word)].unit), "rows", row->rows);
    if (row->counts)
        ts_json_put(object, "rwc", "{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "srca", row->rwc.srca,
                    "srca_cr", row->rwc.srca_cr, "srcb", row->rwc.srcb, "srcb_cr", row->rwc.srcb_cr,
                    "dst", row->rwc.dst, "dst_cr", row->rwc.dst_cr, "phase", row->rwc.fidelity);
    json_object_set_new(object, "changes", row->changes ? json_incref(row->changes) : json_array());
    if (row->values)
        json_object_set(object, "values", row->values);
    return object;
}

json_t *ts_step_json(const struct ts_step *self, const struct ts_step_program *program)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < self->count; i++)
        json_array_append_new(rows, row_json(&self->rows[i], i + 1));
    return json_pack("{s:s, s:i, s:s, s:i, s:s, s:I, s:o, s:O?}", "schema", "tensim.step",
                     "version", 1, "program", program->name, "code", self->code, "text", self->text,
                     "cycles", (json_int_t)self->cycles, "instructions", rows, "lints",
                     self->lints);
}
