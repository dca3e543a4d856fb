// Every parser of tensim as a function of bytes, for a mutator: in one process, so a million inputs take minutes.
#ifndef TENSIM_TESTS_PARSE_PARSE_H
#define TENSIM_TESTS_PARSE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parse_target {
    const char *name;
    // The bytes end with a 0 that is not counted. What is good and what is refused does not matter: it must come back.
    void (*run)(const char *bytes, size_t length);
    // Inputs that the mutator starts from: files by pattern below the source folder, separated by blanks, and texts, up to NULL.
    const char *files;
    const char *const *texts;
    unsigned share; // of the inputs of a sample, in percent
};

extern const struct parse_target parse_targets[]; // ends with a row without name
// Before the first input, with a folder for files; after the last one.
void parse_begin(const char *folder);
void parse_end(void);
// The first bytes of what is in a checkpoint, behind the hash of its program.
void parse_unpack(const char *from, const char *to);

// mutate.c: the same inputs for the same seed, on every host.
struct parse_seeds {
    char **text;
    size_t *length;
    unsigned count;
};
#define PARSE_LARGEST (256u << 10)
// A mutated input in `to` (PARSE_LARGEST + 1 bytes, with a 0 behind it); its length.
size_t parse_mutate(const struct parse_seeds *seeds, uint64_t *random, char *to);

// pipes.c: whose machine has instructions of its own.
void parse_pipe_yaml(const char *bytes, size_t length);
void parse_pipe_pto(const char *bytes, size_t length);
void parse_pipe_cpp(const char *bytes, size_t length);

// ui.c, where tensim has a page.
void parse_command(const char *bytes, size_t length);
void parse_http(const char *bytes, size_t length);
void parse_ui_end(void);
extern const char *const parse_requests[], *const parse_lines[];

// gdb_commands.c, gdb_monitor.c: the server's own code; what would leave the process jumps out of the input instead.
_Noreturn void parse_leave(void);

#endif
