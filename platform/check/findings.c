// Findings; see findings.h.
#include "platform/check/findings.h"

#include "platform/base/error.h"

const struct ts_check_info ts_check_info[TS_CHECK_KINDS] = {
#define TS_CHECK(name, id, text) [TS_CHECK_##name] = {id, text},
#include "config/checks.def"
};

const struct ts_finding_info ts_finding_info[TS_FINDING_KINDS] = {
#define TS_FINDING(name, check, id, sentence, remedy) \
    [TS_FINDING_##name] = {id, sentence, remedy, TS_CHECK_##check},
#include "config/checks.def"
};

bool ts_check_parse(const char *list, struct ts_check_options *options, char *text, size_t size)
{
    *options = (struct ts_check_options){0};
    for (const char *word = list;; word += strcspn(word, ",") + 1) {
        size_t length = strcspn(word, ","), name = strcspn(word, ":,"), kind = 0;
        while (kind < TS_CHECK_KINDS && (strlen(ts_check_info[kind].id) != name ||
                                         strncmp(ts_check_info[kind].id, word, name) != 0))
            kind++;
        bool strict = length - name == strlen(":strict") &&
                      strncmp(word + name, ":strict", length - name) == 0;
        if (kind == TS_CHECK_KINDS || (name != length && !strict) ||
            (strict && kind != TS_CHECK_RACE)) {
            int n = snprintf(text, size, "no check '%.*s'; there are:", (int)length, word);
            for (unsigned i = 0; i < TS_CHECK_KINDS && n > 0 && (size_t)n < size; i++)
                n += snprintf(text + n, size - (size_t)n, " %s%s", ts_check_info[i].id,
                              i == TS_CHECK_RACE ? "[:strict]" : "");
            return false;
        }
        options->kinds |= 1u << kind;
        options->strict |= strict;
        if (word[length] == '\0')
            return true;
    }
}

static bool same(const struct ts_check_finding *a, const struct ts_check_finding *b)
{
    bool alike = a->kind == b->kind && a->object == b->object && a->weak == b->weak;
    for (unsigned i = 0; alike && i < (a->alone ? 1 : 2); i++)
        alike = a->place[i].home == b->place[i].home && a->place[i].site == b->place[i].site;
    return alike;
}

void ts_check_findings_add(struct ts_check_findings *self, const struct ts_check_finding *finding)
{
    for (size_t i = 0; i < self->count; i++)
        if (same(&self->list[i], finding)) {
            struct ts_check_finding *first = &self->list[i];
            const bool again = first->last != finding->place[0].at; // not only more of its bytes
            first->last = finding->place[0].at;
            first->count += again;
            if (!again && first->count == 1 && first->address + first->length == finding->address)
                first->length += finding->length;
            return;
        }
    if (self->count == TS_FINDINGS_MOST ||
        !ts_grow((void **)&self->list, self->count, &self->room, sizeof *self->list)) {
        self->lost++;
        return;
    }
    self->list[self->count] = *finding;
    self->list[self->count].last = finding->place[0].at;
    self->list[self->count++].count = 1;
}
