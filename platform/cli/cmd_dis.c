// tensim dis: disassembles Tensix instruction words.
#include "config/tensix.h"
#include "platform/cli/common.h"

#include <stdlib.h>

static const char doc[] = "Disassemble Tensix instruction words.\v"
                          "WORD is a number as C writes it, or eight hexadecimal digits. With "
                          "--inline the words are taken as "
                          "they lie in RISC-V code (.ttinsn: rotated left by two).";

struct request {
    bool is_inline, fields;
    unsigned count;
    int code;
};

static const struct argp_option rows[] = {
    {"inline", 'i', 0, 0, "words as they lie in RISC-V code", 0},
    {"fields", 'f', 0, 0, "name the fields", 0},
    {0},
};

static bool number(const char *text, uint32_t *word)
{
    size_t length = 0, hex = 0;
    for (const char *c = text; *c; c++, length++)
        hex += (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f') || (*c >= 'A' && *c <= 'F');
    char *end;
    unsigned long value = strtoul(text, &end, length == 8 && hex == 8 ? 16 : 0);
    *word = (uint32_t)value;
    return length && !*end && value <= UINT32_MAX;
}

static void show(const struct request *self, uint32_t word)
{
    char text[256];
    uint32_t plain = self->is_inline ? ts_inline_to_word(word) : word;
    if (self->fields)
        ts_disasm_fields(plain, text, sizeof text);
    else
        ts_disasm(plain, text, sizeof text);
    printf("%08x  %s\n", word, text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *self = state->input;
    uint32_t word;
    switch (key) {
    case 'i':
        self->is_inline = true;
        return 0;
    case 'f':
        self->fields = true;
        return 0;
    case ARGP_KEY_ARG:
        self->count++;
        if (!number(arg, &word))
            self->code = ts_complain(TS_USAGE, "'%s' is no instruction word", arg);
        else if (self->is_inline && (word & 3) == 3)
            self->code = ts_complain(TS_USAGE, "%s is a RISC-V instruction, not .ttinsn", arg);
        else
            show(self, word);
        return 0;
    case ARGP_KEY_END:
        if (!self->count)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ts_cmd_dis(int argc, char **argv);
int ts_cmd_dis(int argc, char **argv)
{
    struct request request = {0};
    const struct argp argp = {rows, parse, "WORD...", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &request);
    return request.code;
}
