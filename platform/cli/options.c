// Options by name (common.h).
#include "platform/base/yaml.h"
#include "platform/cli/common.h"

enum { PLAIN, OPTIONAL = OPTION_ARG_OPTIONAL, HIDDEN = OPTION_HIDDEN };
enum { OWN, WAYS, PROGRAM, ELF, MODEL, RUN, OUTPUT, CREW, HOST, GROUPS };
#define FIRST_KEY 1000

static const char *const headings[GROUPS] = {
    NULL,     "Ways to look at a file", "Program files", "ELF files on one tile", "Model", "Run",
    "Output", "Many machines",          "Host software"};

static const struct row {
    const char *name;
    int letter;
    const char *argument;
    int flags, group;
    const char *text;
} table[] = {
#define TS_OPTION(...) {__VA_ARGS__},
#include "platform/cli/options.def"
};
#define ROWS (sizeof table / sizeof *table)

static size_t find(const char *name)
{
    size_t i = 0;
    while (i < ROWS && strcmp(table[i].name, name) != 0)
        i++;
    if (i == ROWS)
        abort(); // a name that options.def does not have
    return i;
}

static int key_of(size_t row)
{
    return table[row].letter ? table[row].letter : FIRST_KEY + (int)row;
}

int ts_option_key(const char *name)
{
    return key_of(find(name));
}

bool ts_option_follows(const char *word)
{
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].argument && table[i].flags != OPTIONAL &&
            ((word[0] == '-' && word[1] == table[i].letter && word[1] && word[2] == '\0') ||
             (strncmp(word, "--", 2) == 0 && strcmp(word + 2, table[i].name) == 0)))
            return true;
    return false;
}

const struct argp_option *ts_take_rows(const struct ts_take *takes, const char *names)
{
    size_t count = 0, used = 0;
    while (takes[count].name)
        count++;
    struct argp_option *rows = ts_need(calloc(count + GROUPS + 1, sizeof *rows), "the options");
    for (int group = 0; group < GROUPS; group++) {
        bool headed = headings[group] == NULL;
        for (size_t i = 0; i < count; i++) {
            const size_t at = find(takes[i].name);
            const struct row *row = &table[at];
            const bool shown = names == NULL || ts_word_index(names, row->name) >= 0;
            const bool again = i && takes[i].form && takes[i - 1].form;
            if (row->group != group || again)
                continue;
            if (!headed && shown)
                rows[used++] = (struct argp_option){.doc = headings[group], .group = group};
            headed |= shown;
            rows[used++] = (struct argp_option){.name = row->name,
                                                .key = key_of(at),
                                                .arg = row->argument,
                                                .flags = row->flags | (shown ? 0 : OPTION_HIDDEN),
                                                .doc = row->text,
                                                .group = group};
        }
    }
    return rows;
}

int64_t ts_take_number(struct argp_state *state, const char *name, const char *text, int64_t low,
                       int64_t high)
{
    int64_t value;
    if (!ts_parse_int(text, &value) || value < low || value > high)
        argp_error(state, "--%s: '%s' is not a number from %lld to %lld", name, text,
                   (long long)low, (long long)high);
    return value;
}

// Is it --write with a form of the command, if one and of this row? *arg becomes its FILE.
static bool is_form(const struct ts_take *takes, const struct ts_take *take, char **arg,
                    struct argp_state *state)
{
    const size_t length = strcspn(*arg, ":");
    if (strlen(take->form) == length && strncmp(*arg, take->form, length) == 0) {
        *arg = (*arg)[length] ? *arg + length + 1 : "-";
        return true;
    }
    if (take[1].form)
        return false;
    char forms[100] = "";
    for (; takes->name; takes++)
        if (takes->form)
            ts_append(forms, sizeof forms, " %s", takes->form);
    argp_error(state, "--write: no form '%.*s'; there are:%s", (int)length, *arg, forms);
    return false;
}

error_t ts_take(const struct ts_take *takes, int key, char *arg, struct argp_state *state)
{
    char *input = state->input;
    for (const struct ts_take *take = takes; take->name; take++) {
        void *to = input + take->at;
        if (key == ARGP_KEY_SUCCESS && take->kind == TS_TAKE_FILE)
            ts_demand_writable(*(const char **)to);
        if (key != ts_option_key(take->name) || (take->form && !is_form(takes, take, &arg, state)))
            continue;
        struct ts_texts *many = to;
        const uint64_t whole = take->kind == TS_TAKE_WHOLE
                                   ? (uint64_t)ts_take_number(state, take->name, arg, take->low,
                                                              take->high)
                                   : 0;
        switch (take->kind) {
        case TS_TAKE_CALL:
            take->call(input, arg, state);
            break;
        case TS_TAKE_FLAG:
            *(bool *)to = true;
            break;
        case TS_TAKE_TEXT:
        case TS_TAKE_FILE:
            if (take->form && *(const char **)to)
                argp_error(state, "--write=%s: twice; write one file a run", take->form);
            *(const char **)to = arg;
            break;
        case TS_TAKE_MANY:
            if (many->count == sizeof many->text / sizeof *many->text)
                argp_error(state, "more than %zu --%s", many->count, take->name);
            many->text[many->count++] = arg;
            break;
        case TS_TAKE_WHOLE:
            if (take->size == 4)
                *(uint32_t *)to = (uint32_t)whole;
            else
                *(uint64_t *)to = whole;
            break;
        }
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}
