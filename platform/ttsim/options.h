// TENSIM_OPTIONS: what the user of a program over libttsim.so wants of the model, in the words of `tensim run`.
#pragma once

#include "platform/cli/common.h"

#include <wordexp.h>

struct ts_ttsim_options {
    struct ts_options common;
    const char *chip;
    const char *system;        // several cards; NULL: one
    char descriptor[PATH_MAX]; // the cluster descriptor next to the library
    char *lints;
    const char *capture; // folder; NULL: nothing is captured
    const char *elf;     // folder of the kernels' ELF files; NULL: none
    char own[PATH_MAX];  // a folder for captured launches that is removed in the end; "": none
    bool strict, exact, why;
    uint64_t quantum;  // cycles of a step
    uint64_t patience; // steps of a host that only polls, before a hang is looked for; 0: never
    wordexp_t words;   // the text of the others
};

// Reads them; a wrong option ends the process with TS_USAGE.
void ts_ttsim_options_init(struct ts_ttsim_options *self);
void ts_ttsim_options_free(struct ts_ttsim_options *self);

// ask.c: --why. A folder for launches, if nobody named one (false: errno); in the end the questions, if all went well.
bool ts_ask_begin(struct ts_ttsim_options *self);
void ts_ask_end(struct ts_ttsim_options *self, bool good);
