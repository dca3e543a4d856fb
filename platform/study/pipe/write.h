// A program as text: YAML, PTO IR or the C++ tile API. Reading it again gives the same program, with
// parameters replaced by their values.
#pragma once

#include "platform/study/pipe/program.h"

#include <stdio.h>

enum ts_pipe_form { TS_FORM_YAML, TS_FORM_PTO, TS_FORM_CPP, TS_FORMS };
extern const char *const ts_pipe_form_names[]; // "yaml", "pto", "cpp"; NULL at the end

void ts_pipe_write(const struct ts_pipe_program *self, enum ts_pipe_form form, FILE *file);

// write_code.c: the instructions of one side.
void ts_write_code(const struct ts_pipe_program *self, enum ts_pipe_form form, unsigned side,
                   FILE *file);
