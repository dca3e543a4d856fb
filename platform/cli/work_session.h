// The run of a low-level kernel or of a program file: session, verdict, report.
#pragma once

#include "platform/cli/session.h"

// Runs the work of session->sim. Returns the exit code.
int ts_work_session(struct ts_session *session);

// The first wrong element of each tensor of a program that has run, and who wrote it last: on stderr.
void ts_work_differs(const struct ts_session *session);
