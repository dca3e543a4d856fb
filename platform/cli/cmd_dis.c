// tensim dis: disassembles words of a file or of the command line.
#include "platform/base/number.h"
#include "platform/cli/common.h"
#include "platform/load/listing.h"
#include "platform/load/loader.h"

#include <stdlib.h>

static const char doc[] =
    "Disassemble RISC-V instructions and the Tensix words in them (.ttinsn), one listing.\v"
    "FILE is a 32-bit RISC-V ELF or a raw image. --word lists words of the command line: RISC-V, "
    "or with --tensix "
    "Tensix instructions.";

struct arguments {
    const char *file;
    uint32_t words[256];
    unsigned count;
    uint32_t base;
    bool tensix;
};

static uint32_t word_of(struct argp_state *state, const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, ts_number_base(text));
    if (*text == '\0' || *end != '\0' || value > UINT32_MAX)
        argp_error(state, "'%s' is not a 32-bit number", text);
    return (uint32_t)value;
}

static void parse_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (self->count == 256)
        argp_error(state, "more than 256 words");
    self->words[self->count++] = word_of(state, arg);
}

static void parse_base(void *input, char *arg, struct argp_state *state)
{
    ((struct arguments *)input)->base = word_of(state, arg);
}

static const struct ts_take takes[] = {TS_CALL("word", parse_word),
                                       TS_CALL("base", parse_base),
                                       TS_FLAG("tensix", struct arguments, tensix),
                                       {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (self->file != NULL)
        argp_error(state, "one file at a time");
    self->file = arg;
}

static void take_end(void *input, struct argp_state *state)
{
    const struct arguments *self = input;
    if ((self->file == NULL) == (self->count == 0))
        argp_error(state, "name a file, or words with --word");
}

int ts_cmd_dis(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(
        &(struct ts_parser){
            .takes = takes, .words = "[FILE]", .doc = doc, .word = take_word, .end = take_end},
        argc, argv, &self);
    if (self.file == NULL) {
        ts_list_words(self.base, self.words, self.count, self.tensix, stdout);
        return TS_OK;
    }
    struct ts_error error = {0};
    size_t length = 0;
    void *bytes = ts_read_file(self.file, &length, &error);
    if (bytes == NULL || !ts_list_file(bytes, length, self.file, self.base, stdout, &error)) {
        free(bytes);
        return ts_complain_error(&error);
    }
    free(bytes);
    return TS_OK;
}
