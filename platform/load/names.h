// Names for the trace: Tensix instructions with their operands, and the functions and lines of the
// programs that cores run.
#pragma once

#include "platform/load/symbols.h"
#include "platform/trace/events.h"

// A program that is open. Tiles that run the same bytes or the same file at the same address share it.
struct ts_code_program {
    const void *bytes;
    char path[256];
    uint32_t at;
    struct ts_symbols *symbols;
    struct ts_code_program *next;
};

// What is known of a pc of a program; first in a struct with what its user knows of it.
struct ts_code_place {
    const struct ts_code_program *program;
    uint32_t pc;
    struct ts_code_place *next;
};

#define TS_PLACES 1024 // buckets

struct ts_code_places {
    struct ts_code_program *programs;
    struct ts_code_place *places[TS_PLACES];
};

// NULL: no memory.
const struct ts_code_program *ts_code_open(struct ts_code_places *self,
                                           const struct ts_tile_program *image);
// `size` bytes; new: zero behind the base. NULL: no program, or no memory.
void *ts_code_at(struct ts_code_places *self, const struct ts_code_program *program, uint32_t pc,
                 size_t size, bool *is_new);
void ts_code_free(struct ts_code_places *self);

// NULL: out of memory. Each program is read when its first pc is asked for.
struct ts_trace_names *ts_names_new(void);
void ts_names_free(struct ts_trace_names *self);
