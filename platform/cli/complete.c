// `tensim config --complete WORD...': what the last word of a command may become, a line each (config/tensim.bash). Commands,
// program files, and the options of a file with their choices.
#include "platform/cli/common.h"
#include "platform/run/plan/alias.h"

#include <string.h>

struct complete {
    const char *before, *last; // the last two words
    bool command;              // --NAME, not NAME=
};

static void offer(const struct complete *self, const char *head, const char *word, const char *tail)
{
    char text[200];
    snprintf(text, sizeof text, "%s%s%s", head, word, tail);
    if (strncmp(text, self->last, strlen(self->last)) == 0)
        puts(text);
}

// The choices of an option, behind "NAME=" or alone.
static void offer_choices(const struct complete *self, const char *head, struct ts_yaml_node list)
{
    for (size_t i = 0; ts_yaml_is_list(list) && i < ts_yaml_count(list); i++)
        if (ts_yaml_is_scalar(ts_yaml_at(list, i)))
            offer(self, head, ts_yaml_text(ts_yaml_at(list, i), ""), "");
}

static void offer_param(const struct complete *self, const char *name, struct ts_yaml_node node)
{
    struct ts_yaml_node list = ts_yaml_is_list(node) ? node : ts_yaml_find(node, "choose");
    char spelt[80], head[84];
    snprintf(spelt, sizeof spelt, self->command ? "--%.40s" : "%.40s", name);
    for (char *at = spelt; self->command && (at = strchr(at, '_')) != NULL;)
        *at = '-';
    snprintf(head, sizeof head, "%s=", spelt);
    if (self->command && strcmp(self->before, spelt) == 0)
        offer_choices(self, "", list);
    else if (strncmp(self->last, head, strlen(head)) == 0)
        offer_choices(self, head, list);
    else
        offer(self, "", spelt, self->command ? "" : "=");
}

static void offer_file(const struct complete *self, const char *path)
{
    struct ts_error error = {0};
    struct ts_yaml yaml;
    if (ts_yaml_load(&yaml, path, &error)) {
        struct ts_yaml_node root = ts_yaml_root(&yaml), params = ts_yaml_find(root, "params");
        const bool options = ts_yaml_find(root, "runtime").node != NULL;
        for (size_t i = 0; params.node && i < ts_yaml_count(params); i++) {
            struct ts_yaml_node node = ts_yaml_value(params, i);
            if (!options || (ts_plan_is_option(node) && ts_yaml_find(node, "text").node))
                offer_param(self, ts_yaml_text(ts_yaml_key(params, i), ""), node);
        }
    }
    ts_yaml_free(&yaml);
}

static void offer_programs(const struct complete *self)
{
    char names[600], *rest = names, *name;
    ts_plan_names(names, sizeof names);
    while ((name = strsep(&rest, ", ")) != NULL)
        if (*name)
            offer(self, "", name, "");
    snprintf(names, sizeof names, "%s matmul-tiles matmul-seed matmul-grid", ts_alias_names(false));
    for (rest = names; (name = strsep(&rest, " ")) != NULL;)
        offer(self, "llk/", name, "");
}

void ts_complete(int count, char **words)
{
    const char *asked;
    char path[PATH_MAX];
    struct complete self = {.before = count > 1 ? words[count - 2] : "",
                            .last = count > 0 ? words[count - 1] : ""};
    if (count < 2) {
        for (const struct ts_command *command = ts_commands; command->name; command++)
            offer(&self, "", command->name, "");
    } else if (ts_word_index(ts_alias_names(false), words[0]) >= 0) {
        self.command = true;
        offer_file(&self, ts_alias_file(words[0], 0, &asked, path));
    } else if (strcmp(words[0], "run") == 0 || strcmp(words[0], "sweep") == 0) {
        char found[4096];
        struct ts_error error = {0};
        const char *inside = count > 2 ? ts_plan_find(words[1], found, sizeof found, &error) : NULL;
        if (inside)
            offer_file(&self, inside);
        else
            offer_programs(&self);
    }
}
