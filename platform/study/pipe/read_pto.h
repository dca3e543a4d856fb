// The reader of PTO IR text in its two parts: declarations (read_pto.c) and sections
// (read_pto_code.c).
#ifndef TENSIM_STUDY_PIPE_READ_PTO_H
#define TENSIM_STUDY_PIPE_READ_PTO_H

#include "platform/study/pipe/read.h"

enum { TS_PTO_TEXT = 400, TS_PTO_ARGS = 10 };

struct ts_pto_type {
    const struct ts_token *at;
    char name[32]; // pto.tile_buf
    char arg[TS_PTO_ARGS][TS_CALL_TEXT];
    unsigned args;
    bool open; // has "..." or "?"
};

bool ts_pto_type(struct ts_reader *self, struct ts_pto_type *type);
// Element type, rows and columns of a type, from its parameter `first` on, as keys.
bool ts_pto_shape(struct ts_reader *self, int map, const struct ts_pto_type *type, unsigned first);

// { key = value, word, ... }: calls back for each.
typedef bool ts_pto_attribute(struct ts_reader *self, void *context, const char *key,
                              const char *value, const struct ts_token *at);
bool ts_pto_attributes(struct ts_reader *self, ts_pto_attribute *with, void *context);

// { statements } of one side.
bool ts_pto_section(struct ts_reader *self, unsigned side);

#endif
