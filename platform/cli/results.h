// What a command writes: the run directory (-o), --json and other files, with one message a failure.
#pragma once

#include "platform/cli/common.h"
#include "platform/out/rundir.h"

// The run directory of a command; without -o all functions do nothing.
struct ts_results {
    struct ts_rundir *directory;
    int argc; // of the command
    char **argv;
    bool failed; // a file could not be written: the directory stays as it was
};

// Takes the directory and writes the command and the parameters (NULL: none). An exit code.
int ts_results_begin(struct ts_results *self, const struct ts_options *options,
                     const struct ts_params *params, int argc, char **argv);
// A file of the run: `write` fills it.
typedef void ts_results_writer(const void *what, FILE *file);
void ts_results_write(struct ts_results *self, const char *name, ts_results_writer *write,
                      const void *what);
void ts_results_json(struct ts_results *self, const char *name, const json_t *document);
// A document that names its schema, and its page (report/page.h). drawing: what only the page needs, or NULL.
void ts_results_page(struct ts_results *self, const json_t *document, const json_t *drawing);
// hang.json and hang.html.
void ts_results_hang(struct ts_results *self, json_t *hang);
// Puts the files in place and lets the directory go. Returns `code`, or TS_SETUP if something could
// not be written.
int ts_results_end(struct ts_results *self, int code);
// Lets the directory go as it was: there is no result. Returns `code`.
int ts_results_drop(struct ts_results *self, int code);

// --json and similar options: a file outside the run directory, "-" is stdout. path NULL: not asked
// for. An exit code.
int ts_output_json(const char *path, const json_t *document);
int ts_output_page(const char *path, const json_t *document, const json_t *drawing,
                   const char *command);
int ts_output(const char *path, ts_results_writer *write, const void *what);
