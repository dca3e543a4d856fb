// Reads the text of a program; config/step/README.md describes it.
#include "platform/study/step/step.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct ts_step_program *program;
    const char *path;
    int line;
    unsigned thread;
    struct ts_error *error;
    struct ts_step_setup spare; // of a program with too many lines, which is refused
};

__attribute__((format(printf, 2, 3))) static void wrong(struct reader *self, const char *format,
                                                        ...)
{
    char text[200];
    va_list arguments;
    if (self->error->code != TS_OK)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ts_fail(self->error, TS_SETUP, "%.200s:%d: %s", self->path, self->line, text);
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static uint32_t number(struct reader *self, const char *text, uint32_t high)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 0);
    if (end == text || *trim(end) != '\0' || value > high || *text == '-') {
        wrong(self, "'%s' is not a number from 0 to %u", text, high);
        return 0;
    }
    return (uint32_t)value;
}

static struct ts_step_setup *setup(struct reader *self)
{
    if (self->program->setup_count == TS_STEP_SETUPS) {
        wrong(self, "more than %d lines of set-up", TS_STEP_SETUPS);
        return &self->spare;
    }
    struct ts_step_setup *to = &self->program->setups[self->program->setup_count++];
    *to = (struct ts_step_setup){.line = self->line, .thread = self->thread};
    return to;
}

// "left = right" in two.
static char *right_of(struct reader *self, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        wrong(self, "'=' is missing");
        return text + strlen(text);
    }
    *equals = '\0';
    return trim(equals + 1);
}

static void expression(struct ts_step_setup *to, const char *text)
{
    snprintf(to->expression, sizeof to->expression, "%s", text);
}

// "0-63" or "5".
static void rows(struct reader *self, struct ts_step_setup *to, char *text, uint32_t high)
{
    char *dash = strchr(text, '-');
    if (dash)
        *dash = '\0';
    to->first = number(self, trim(text), high);
    to->last = dash ? number(self, trim(dash + 1), high) : to->first;
    if (to->last < to->first)
        wrong(self, "rows %u-%u: the first is behind the last", to->first, to->last);
}

static void read_rows(struct reader *self, char *text, int kind, unsigned index, uint32_t high)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text);
    to->kind = kind;
    to->index = index;
    rows(self, to, trim(text), high);
    expression(to, value);
}
static void read_srca(struct reader *self, char *text)
{
    read_rows(self, text, TS_STEP_SRC, 0, TS_SRC_ROWS - 1);
}
static void read_srcb(struct reader *self, char *text)
{
    read_rows(self, text, TS_STEP_SRC, 1, TS_SRC_ROWS - 1);
}
static void read_dst(struct reader *self, char *text)
{
    read_rows(self, text, TS_STEP_DST, 0, TS_DST_ROWS - 1);
}

static void read_l1(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text), *blank = strchr(text, ' ');
    to->kind = TS_STEP_L1;
    if (blank == NULL) {
        wrong(self, "l1 ADDRESS COUNT = NUMBER");
        return;
    }
    *blank = '\0';
    to->address = number(self, text, TS_L1_SIZE - 4);
    to->max = number(self, trim(blank + 1), 65536);
    expression(to, value);
}

static void read_lreg(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text);
    to->kind = TS_STEP_LREG;
    to->index = number(self, trim(text), 7);
    expression(to, value);
}

static void read_gpr(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text);
    to->kind = TS_STEP_GPR;
    to->index = number(self, trim(text), TS_GPRS - 1);
    to->value = number(self, value, UINT32_MAX);
}

// "1 = 0/2": value and maximum.
static void read_semaphore(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text), *slash = strchr(value, '/');
    to->kind = TS_STEP_SEMAPHORE;
    to->index = number(self, trim(text), TS_SEMAPHORES - 1);
    to->max = 15;
    if (slash) {
        *slash = '\0';
        to->max = number(self, slash + 1, 15);
    }
    to->value = number(self, value, 15);
}

static void read_mop(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    char *value = right_of(self, text), why[160];
    to->kind = TS_STEP_MOP;
    to->index = number(self, trim(text), 8);
    if (!ts_assemble(value, &to->value, why, sizeof why))
        wrong(self, "%s", why);
}

static void set_field(struct reader *self, const char *name, uint32_t value)
{
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *field = &ts_cfg_fields[i];
        if (strcmp(field->name, name) != 0)
            continue;
        struct ts_step_setup *to = setup(self);
        to->kind = TS_STEP_CFG;
        to->address = field->addr;
        to->shift = field->shift;
        to->bits = field->bits;
        to->thread_field = field->thread;
        to->value = value;
        if (value & ~TS_FIELD_MASK(field->bits))
            wrong(self, "%s has %u bits: %u is too large", name, field->bits, value);
        return;
    }
    wrong(self, "no configuration field '%s' (config/cfgregs.def)", name);
}

// By name, or a whole word of Config by its number.
static void read_cfg(struct reader *self, char *text)
{
    char *value = right_of(self, text);
    text = trim(text);
    if (!isdigit((unsigned char)*text)) {
        set_field(self, text, number(self, value, UINT32_MAX));
        return;
    }
    struct ts_step_setup *to = setup(self);
    to->kind = TS_STEP_CFG;
    to->address = number(self, text, TS_CFG_WORDS - 1);
    to->bits = 32;
    to->value = number(self, value, UINT32_MAX);
}

// "srcb+8", "srcb=cr+32", "dst=c+8", "srca=0" into the fields of a descriptor.
static void read_step(struct reader *self, unsigned section, char *token)
{
    static const struct {
        const char *name, *group, *incr, *cr, *clear, *ctocr;
    } counters[] = {
        {"srca", "AB", "SrcAIncr", "SrcACR", "SrcAClear", NULL},
        {"srcb", "AB", "SrcBIncr", "SrcBCR", "SrcBClear", NULL},
        {"dst", "DST", "DestIncr", "DestCR", "DestClear", "DestCToCR"},
        {"phase", "DST", "FidelityIncr", NULL, "FidelityClear", NULL},
    };
    size_t length = strcspn(token, "+=");
    char *how = token + length, name[64];
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        if (strlen(counters[i].name) != length || strncmp(counters[i].name, token, length) != 0)
            continue;
        const char *mode = strcmp(how, "=0") == 0        ? counters[i].clear
                           : strncmp(how, "=cr", 3) == 0 ? counters[i].cr
                           : strncmp(how, "=c+", 3) == 0 ? counters[i].ctocr
                           : strncmp(how, "+", 1) == 0   ? counters[i].incr
                                                         : NULL;
        if (mode == NULL)
            break;
        if (mode != counters[i].incr) {
            snprintf(name, sizeof name, "ADDR_MOD_%s_SEC%u_%s", counters[i].group, section, mode);
            set_field(self, name, 1);
        }
        char *plus = strchr(how, '+');
        if (plus) {
            snprintf(name, sizeof name, "ADDR_MOD_%s_SEC%u_%s", counters[i].group, section,
                     counters[i].incr);
            set_field(self, name, number(self, plus + 1, 1023));
        }
        return;
    }
    wrong(self, "'%s' is not srca, srcb, dst or phase with +N, =cr+N, =c+N or =0", token);
}

static void read_addr_mod(struct reader *self, char *text)
{
    char *rest = NULL, *token = strtok_r(text, " \t", &rest);
    unsigned section = number(self, token ? token : "", 7);
    while ((token = strtok_r(NULL, " \t,", &rest)) != NULL)
        read_step(self, section, token);
}

static void read_format(struct reader *self, char *text)
{
    struct ts_step_setup *to = setup(self);
    to->kind = TS_STEP_FORMAT;
    to->value = strcmp(text, "bf16") == 0   ? TS_FMT_BF16
                : strcmp(text, "fp16") == 0 ? TS_FMT_FP16
                : strcmp(text, "tf32") == 0 ? TS_FMT_TF32
                : strcmp(text, "int8") == 0 ? TS_FMT_INT8
                                            : 16;
    if (to->value == 16)
        wrong(self, "format %s: choose from bf16 fp16 tf32 int8", text);
}

static void read_thread(struct reader *self, char *text)
{
    self->thread = number(self, text, TS_THREADS - 1);
}

static void add_item(struct reader *self, struct ts_step_item item)
{
    unsigned *count = &self->program->counts[self->thread];
    if (*count == TS_STEP_WORDS)
        wrong(self, "more than %d instructions of a thread", TS_STEP_WORDS);
    else
        self->program->items[self->thread][(*count)++] = item;
}

static void read_wait(struct reader *self, char *text)
{
    if (*text)
        wrong(self, "wait takes nothing: it waits until the thread's pipeline is empty");
    add_item(self, (struct ts_step_item){.wait = true});
}

static const struct {
    const char *verb;
    void (*read)(struct reader *self, char *text);
} verbs[] = {
    {"thread", read_thread},
    {"wait", read_wait},
    {"cfg", read_cfg},
    {"addr_mod", read_addr_mod},
    {"srca", read_srca},
    {"srcb", read_srcb},
    {"dst", read_dst},
    {"l1", read_l1},
    {"lreg", read_lreg},
    {"gpr", read_gpr},
    {"semaphore", read_semaphore},
    {"mop", read_mop},
    {"format", read_format},
};

static void read_line(struct reader *self, char *text)
{
    text[strcspn(text, "#;\n")] = '\0';
    text = trim(text);
    if (*text == '\0')
        return;
    size_t length = strcspn(text, " \t");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strlen(verbs[i].verb) == length && strncmp(verbs[i].verb, text, length) == 0) {
            verbs[i].read(self, trim(text + length));
            return;
        }
    struct ts_step_item item = {0};
    char why[160];
    if (!ts_assemble(text, &item.word, why, sizeof why))
        wrong(self, "%s (tensim ops lists instructions, config/step/README.md the other lines)",
              why);
    add_item(self, item);
}

bool ts_step_read(struct ts_step_program *self, const char *path, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, "%s", path);
    struct reader reader = {.program = self, .path = path, .thread = 1, .error = error};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (file == NULL) {
        ts_fail(error, TS_SETUP, "%.300s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    char *text = NULL;
    size_t size = 0;
    while (error->code == TS_OK && getline(&text, &size, file) > 0) {
        reader.line++;
        read_line(&reader, text);
    }
    free(text);
    if (file != stdin)
        fclose(file);
    if (error->code == TS_OK && self->counts[0] + self->counts[1] + self->counts[2] == 0)
        ts_fail(error, TS_SETUP, "%.300s: there is no instruction in it", path);
    return error->code == TS_OK;
}
