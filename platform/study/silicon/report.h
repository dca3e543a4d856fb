// The truth table as text, CSV, JSON and the tables of the READMEs.
#pragma once

#include "platform/study/silicon/account.h"

struct ts_silicon_table {
    const struct ts_silicon_result *results;
    size_t count;
    const struct ts_silicon_account *account;
    const struct ts_params *params;
    bool whole; // all rows: bars are judged, and rows left out are listed
};

// Measurements, not figures: an id counts once.
size_t ts_silicon_count_ids(const struct ts_silicon_table *self,
                            const struct ts_silicon_family *family);
// What a family misses: writes it; false: nothing.
bool ts_silicon_misses(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                       char *text, size_t size);

void ts_silicon_text(const struct ts_silicon_table *self, bool rows, FILE *file);
void ts_silicon_csv(const struct ts_silicon_table *self, FILE *file);
json_t *ts_silicon_json(const struct ts_silicon_table *self);
// The table by family in Markdown, as the README of this folder has it; and its last row alone, for the
// main README.
void ts_silicon_markdown(const struct ts_silicon_table *self, FILE *file);
void ts_silicon_markdown_summary(const struct ts_silicon_table *self, FILE *file);
