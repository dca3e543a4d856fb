// The reader of PTO IR text in its two parts: declarations (read_pto.c) and sections
// (read_pto_code.c).
#ifndef TENSIM_STUDY_PIPE_READ_PTO_H
#define TENSIM_STUDY_PIPE_READ_PTO_H

#include "platform/study/pipe/read.h"

enum { TS_PTO_TEXT = 400 };

// { statements } of one side.
bool ts_pto_section(struct ts_reader *self, unsigned side);

#endif
