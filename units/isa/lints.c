// The choice of lints; see lints.h.
#include "units/isa/lints.h"

#define SHOWN false
#define IDIOM true
const struct ts_lint_info ts_lint_info[TS_REPORT_COUNT] = {
#define TS_LINT(name, harm, idiom, id, text, cure, source) \
    [TS_REPORT_##name] = {id, text, cure, source, TS_LINT_##harm, idiom},
#include "config/lints.def"
};
#undef SHOWN
#undef IDIOM

static const struct {
    const char *name, *choice;
} harms[] = {
    [TS_LINT_RESULT] = {"wrong result", "result"},
    [TS_LINT_HANG] = {"hang", "hang"},
    [TS_LINT_PORTABILITY] = {"portability", "portability"},
    [TS_LINT_STYLE] = {"style", "style"},
};

_Static_assert(TS_REPORT_COUNT < 64, "a choice of lints has 64 bits");

const char *ts_report_name(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? ts_lint_info[report].text : "?";
}

const char *ts_report_id(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? ts_lint_info[report].id : "?";
}

const char *ts_report_harm(enum ts_report report)
{
    return (unsigned)report < TS_REPORT_COUNT ? ts_lint_harm_name(ts_lint_info[report].harm) : "?";
}

const char *ts_lint_harm_name(enum ts_lint_harm harm)
{
    return harms[harm].name;
}

static uint64_t up_to(enum ts_lint_harm harm, bool idioms)
{
    uint64_t shown = 0;
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        if (ts_lint_info[i].harm <= harm && (idioms || !ts_lint_info[i].idiom))
            shown |= TS_LINT_BIT(i);
    return shown;
}

uint64_t ts_lints_default(void)
{
    return up_to(TS_LINT_STYLE, false);
}

uint64_t ts_lints_harmful(void)
{
    return up_to(TS_LINT_HANG, true);
}

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

// One word of a choice.
static bool choose(const char *word, size_t length, uint64_t *shown)
{
    if (is(word, length, "all")) {
        *shown = up_to(TS_LINT_STYLE, true);
        return true;
    }
    for (unsigned i = 0; i < TS_LINT_HARMS; i++)
        if (is(word, length, harms[i].choice)) {
            *shown = up_to((enum ts_lint_harm)i, false);
            return true;
        }
    bool without = length > 0 && word[0] == '-';
    word += without, length -= without;
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        if (is(word, length, ts_lint_info[i].id)) {
            *shown = without ? *shown & ~TS_LINT_BIT(i) : *shown | TS_LINT_BIT(i);
            return true;
        }
    return false;
}

bool ts_lints_parse(const char *choice, uint64_t *shown, char *text, size_t size)
{
    *shown = ts_lints_default();
    for (const char *word = choice;; word += strcspn(word, ",") + 1) {
        size_t length = strcspn(word, ",");
        if (!choose(word, length, shown)) {
            int n = snprintf(text, size,
                             "'%.*s' is not result, hang, portability, style, all, nor the name of "
                             "a lint:",
                             (int)length, word);
            for (unsigned i = 0; i < TS_REPORT_COUNT && n > 0 && (size_t)n < size; i++)
                n += snprintf(text + n, size - (size_t)n, " %s", ts_lint_info[i].id);
            return false;
        }
        if (word[length] == '\0')
            return true;
    }
}
