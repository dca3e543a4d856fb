// The assembler of TPUSH/TPOP programs in its two parts: lines (asm.c), and the program they make
// (asm_text.c).
#pragma once

#include "platform/study/pipe/lex.h"
#include "platform/study/pipe/program.h"

struct ts_asm {
    struct ts_pipe_program *program;
    struct ts_pipe_scope scope;
    struct ts_error *error;
    int number;             // line of the file
    int column;             // 0: not known
    struct ts_reader words; // of the line
    unsigned side;
    bool failed;
};

// An error at the line; returns false.
bool ts_asm_bad(struct ts_asm *self, const char *what, const char *which);
// One instruction from the words.
bool ts_asm_line(struct ts_asm *self, struct ts_insn *insn);
