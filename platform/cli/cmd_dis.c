// tensim dis: disassembles words of a file or of the command line.
#include "platform/base/number.h"
#include "platform/chip/soc.h"
#include "platform/cli/common.h"
#include "platform/load/listing.h"
#include "platform/load/loader.h"

struct arguments {
    const char *file;
    uint32_t words[256];
    unsigned count;
    uint32_t base;
    bool tensix;
    const char *chip;
};

static const struct ts_take takes[] = {TS_TEXT("chip", struct arguments, chip), {0}};

// Is the text a number, as a whole? One of more than 32 bits ends the program.
static bool is_number(struct argp_state *state, const char *text, uint32_t *value)
{
    char *end;
    const unsigned long read = strtoul(text, &end, ts_number_base(text));
    if (*text == '\0' || *end != '\0')
        return false;
    if (read > UINT32_MAX)
        argp_error(state, "'%s' is not a 32-bit number", text);
    *value = (uint32_t)read;
    return true;
}

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    uint32_t word;
    if (strcmp(arg, "tensix") == 0) {
        self->tensix = true;
    } else if (strncmp(arg, "base=", 5) == 0) {
        if (!is_number(state, arg + 5, &self->base))
            argp_error(state, "'%s' is not a 32-bit number", arg + 5);
    } else if (is_number(state, arg, &word)) {
        if (self->count == 256)
            argp_error(state, "more than 256 words");
        self->words[self->count++] = word;
    } else if (self->file != NULL) {
        argp_error(state, "one file at a time");
    } else {
        self->file = arg;
    }
}

static void take_end(void *input, struct argp_state *state)
{
    const struct arguments *self = input;
    if ((self->file == NULL) == (self->count == 0))
        argp_error(state, "name a file, or words");
}

int ts_cmd_dis(int argc, char **argv)
{
    struct arguments self = {0};
    struct ts_soc soc;
    struct ts_error error = {0};
    ts_parse(&(struct ts_parser){.takes = takes, .help = "dis", .word = take_word, .end = take_end},
             argc, argv, &self);
    if (ts_soc_find(&soc, self.chip ? self.chip : "p150", &error) != TS_OK)
        return ts_complain_error(&error);
    if (self.file == NULL) {
        ts_list_words(soc.machine, self.base, self.words, self.count, self.tensix, stdout);
        return TS_OK;
    }
    size_t length = 0;
    void *bytes = ts_read_file(self.file, &length, &error);
    if (bytes == NULL ||
        !ts_list_file(soc.machine, bytes, length, self.file, self.base, stdout, &error)) {
        free(bytes);
        return ts_complain_error(&error);
    }
    free(bytes);
    return TS_OK;
}
