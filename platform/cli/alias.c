// Old names of commands and options (alias.h).
#include "platform/cli/alias.h"

#include "platform/crew/crew.h"
#include "platform/run/plan/alias.h"

static const struct {
    const char *words, *new;
} commands[] = {
#define TS_OLD_COMMAND(words, new) {words, new},
#include "platform/cli/aliases.def"
};

static const struct old_option {
    const char *command, *option;
    enum { NONE, VALUE, OPTIONAL, GONE } value; // OPTIONAL: only with =
    const char *new;
} options[] = {
#define TS_OLD_OPTION(command, option, value, new) {command, option, value, new},
#include "platform/cli/aliases.def"
};

struct words {
    char **list;
    int count;
};

static void add(struct words *self, const char *text, size_t length)
{
    self->list = ts_need(realloc(self->list, ((size_t)self->count + 2) * sizeof *self->list),
                         "the command");
    self->list[self->count++] = ts_need(strndup(text, length), "the command");
    self->list[self->count] = NULL;
}

static void add_all(struct words *self, const char *text)
{
    for (; *text; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");
        add(self, text, length);
        text += length;
    }
}

// How many words of the command line the old ones are; 0: they are others.
static int fits(const char *words, int argc, char **argv)
{
    int count = 0;
    for (; *words; count++, words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        if (count + 1 >= argc || strlen(argv[count + 1]) != length ||
            strncmp(argv[count + 1], words, length) != 0)
            return 0;
        words += length;
    }
    return count;
}

// Options of `run` are those of programs by name and of commands that have become `run`, too.
static bool is_of(const char *row, const char *command, const char *new)
{
    return strcmp(row, command) == 0 ||
           (strcmp(row, "run") == 0 &&
            ((new &&strncmp(new, "run", 3) == 0) ||
             ts_word_index(ts_alias_names(true), command) >= 0 || ts_plan_known_name(command)));
}

// The row of a word; *value: what follows = or a letter; NULL: it is the next word.
static const struct old_option *option_of(const char *command, const char *new, const char *word,
                                          const char **value)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct old_option *row = &options[i];
        const size_t length = strlen(row->option);
        const bool letter = row->option[1] != '-';
        if (strncmp(word, row->option, length) != 0 || !is_of(row->command, command, new) ||
            (!letter && word[length] && word[length] != '=') ||
            (row->value == NONE && word[length]))
            continue;
        *value = word[length] == '\0' ? NULL : word + length + (!letter && row->value == VALUE);
        return row;
    }
    return NULL;
}

// One of several ranks says it.
static bool speaks(void)
{
    struct ts_crew_place place;
    struct ts_error ignored = {0};
    ts_crew_place(&place, &ignored);
    return place.rank == 0;
}

char **ts_alias_expand(int *argc, char **argv)
{
    struct words to = {0}, rest = {0}, last = {0};
    const char *new = NULL, *old = NULL;
    int at = 2;
    if (*argc < 2)
        return argv;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && new == NULL; i++) {
        const int count = fits(commands[i].words, *argc, argv);
        if (count) {
            new = commands[i].new;
            old = commands[i].words;
            at = 1 + count;
        }
    }
    bool changed = new != NULL, plain = true;
    char command[40];
    snprintf(command, sizeof command, "%s", new ? new : argv[1]);
    for (; at < *argc; at++) {
        const char *value = NULL;
        const struct old_option *row = plain ? option_of(argv[1], new, argv[at], &value) : NULL;
        plain &= strcmp(argv[at], "--") != 0;
        if (row == NULL) {
            add(&rest, argv[at], strlen(argv[at]));
            continue;
        }
        if (row->value == GONE) {
            if (speaks())
                fprintf(stderr, "tensim: `%s' is no longer there: %s\n", row->option, row->new);
            exit(TS_USAGE);
        }
        const char *space = strchr(row->new, ' '), *prefix = space ? space + 1 : row->new;
        char text[4096];
        if (row->value == VALUE && value == NULL && at + 1 < *argc)
            value = argv[++at];
        if (space)
            snprintf(command, sizeof command, "%.*s", (int)(space - row->new), row->new);
        snprintf(text, sizeof text, "%s%s", prefix, value ? value : "");
        add(space ? &last : &rest, text, strlen(text));
        if (new == NULL && speaks())
            fprintf(stderr, "tensim: `%s' is now `%s'\n", row->option, text);
        changed = true;
    }
    if (!changed)
        return argv;
    add(&to, argv[0], strlen(argv[0]));
    add_all(&to, command);
    for (int i = 0; i < rest.count; i++)
        add(&to, rest.list[i], strlen(rest.list[i]));
    for (int i = 0; i < last.count; i++)
        add(&to, last.list[i], strlen(last.list[i]));
    if (old && speaks()) {
        fprintf(stderr, "tensim: `%s' is now `", old);
        for (int i = 1, shown = 0; i < to.count; i++)
            if (strncmp(to.list[i], "--taken-as=", 11) != 0)
                fprintf(stderr, "%s%s", shown++ ? " " : "", to.list[i]);
        fputs("'\n", stderr);
    }
    *argc = to.count;
    return to.list;
}
