// The choice of lints; see lints.h.
#include "units/isa/lints.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *id, *text;
    enum ts_lint_level level;
} lints[] = {
#define TS_LINT(name, level, id, text) [TS_REPORT_##name] = {id, text, TS_LINT_##level},
#include "config/lints.def"
#undef TS_LINT
};

static const char *const levels[] = {
    [TS_LINT_ERROR] = "error", [TS_LINT_HAZARD] = "hazard", [TS_LINT_IDIOM] = "idiom"};

_Static_assert(TS_REPORT_COUNT <= 32, "a choice of lints has 32 bits");

const char *ts_report_name(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? lints[report].text : "?";
}

const char *ts_report_id(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? lints[report].id : "?";
}

const char *ts_report_level(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? levels[lints[report].level] : "?";
}

static uint32_t up_to(enum ts_lint_level level)
{
    uint32_t shown = 0;
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        if (lints[i].level <= level)
            shown |= 1u << i;
    return shown;
}

uint32_t ts_lints_default(void)
{
    return up_to(TS_LINT_HAZARD);
}

// One word of a choice.
static bool choose(const char *word, size_t length, uint32_t *shown)
{
    static const struct {
        const char *name;
        enum ts_lint_level level;
    } bases[] = {{"error", TS_LINT_ERROR}, {"hazard", TS_LINT_HAZARD}, {"all", TS_LINT_IDIOM}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (strlen(bases[i].name) == length && strncmp(bases[i].name, word, length) == 0) {
            *shown = up_to(bases[i].level);
            return true;
        }
    bool without = length > 0 && word[0] == '-';
    word += without, length -= without;
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        if (strlen(lints[i].id) == length && strncmp(lints[i].id, word, length) == 0) {
            *shown = without ? *shown & ~(1u << i) : *shown | 1u << i;
            return true;
        }
    return false;
}

bool ts_lints_parse(const char *choice, uint32_t *shown, char *text, size_t size)
{
    *shown = ts_lints_default();
    for (const char *word = choice;; word += strcspn(word, ",") + 1) {
        size_t length = strcspn(word, ",");
        if (!choose(word, length, shown)) {
            int n = snprintf(
                text, size,
                "'%.*s' is not error, hazard, all, nor the name of a lint:", (int)length, word);
            for (unsigned i = 0; i < TS_REPORT_COUNT && n > 0 && (size_t)n < size; i++)
                n += snprintf(text + n, size - (size_t)n, " %s", lints[i].id);
            return false;
        }
        if (word[length] == '\0')
            return true;
    }
}
