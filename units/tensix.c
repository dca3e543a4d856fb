// units/tensix.c: see tensix.h.
#include "units/tensix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ts_tensix_init(struct ts_tensix *self, uint8_t *l1, uint32_t l1_bytes)
{
    memset(self, 0, sizeof *self);
    self->timing = ts_control_default;
    self->l1 = l1;
    self->l1_bytes = l1_bytes;
    ts_cfg_init(&self->cfg);
}

const char *ts_report_name(enum ts_report report)
{
    static const char *const text[] = {
#define X(name, words) [TS_REPORT_##name] = words,
        TS_REPORTS(X)
#undef X
    };
    return (unsigned)report < TS_REPORT_COUNT ? text[report] : "?";
}

bool ts_tensix_report(struct ts_tensix *self, struct ts_component *by, ts_cycle now,
                      enum ts_report report, const char *format, ...)
{
    self->reports[report]++;
    if (!self->strict && !self->hooks.report)
        return true;
    char detail[200], text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%s (%s)", ts_report_name(report), detail);
    if (self->strict) {
        ts_fault(by, now, TS_CONTRACT, "%s", text);
        return false;
    }
    self->hooks.report(self->hooks.tile, report, text);
    return true;
}

struct ts_insn_text ts_insn_text(struct ts_word in)
{
    struct ts_insn_text out;
    int n = snprintf(out.text, sizeof out.text, "T%u ", in.thread);
    ts_disasm_fields(in.word, out.text + n, sizeof out.text - (size_t)n);
    return out;
}

bool ts_unit_refuse(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
{
    ts_fault(&unit->component, now, TS_NOT_IMPLEMENTED, "%s: %s", ts_insn_text(in).text, what);
    return false;
}

bool ts_unit_breach(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
{
    ts_fault(&unit->component, now, TS_CONTRACT, "%s: %s", ts_insn_text(in).text, what);
    return false;
}
