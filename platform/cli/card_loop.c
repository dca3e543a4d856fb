// The card's management firmware acts on a run (--activity=CARD[:WATTS[:MICROSECONDS]]).
//
//   MVMULs of a period --> power as a ratio --> firmware --> clock, and the word in L1 that matmul_block reads at its next call
//
// WATTS is what a ratio of 1 means (default: config/power.yaml's, assumed). Periods of 1 ms, or of so many microseconds, count from
// the start of the kernels, at the full clock.
// Inaccuracies: power counts MVMULs only. All tiles have the word in the same cycle: the real one is broadcast over NoC 0. The clock changes
// what a cycle lasts; DRAM, whose time in cycles would change with it, stays as chip.clock_mhz has it.
#include "platform/cli/session.h"

#include "platform/base/json.h"
#include "platform/cluster/cluster.h"
#include "platform/firmware/trace.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/plan.h"

struct loop {
    struct ts_session *session;
    struct ts_power power;
    struct ts_firmware firmware;
    struct ts_clock clock;
    double watts;
    uint64_t period; // ns
    ts_cycle at;     // of the period that runs
    uint64_t mvmuls; // before it
    unsigned changes;
    json_t *rows;
};

static int read_card(struct loop *self, const char *text)
{
    struct ts_error error = {0};
    struct ts_card card;
    char name[32], *end = NULL;
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
    if (!ts_power_read(&self->power, NULL, &error))
        return ts_complain_error(&error);
    self->watts = self->power.full_watts.value;
    double us = TS_FIRMWARE_PERIOD_NS / 1000.0;
    bool good = ts_card_find(name, &card);
    if (good && text[length] == ':') {
        self->watts = strtod(text + length + 1, &end);
        if (*end == ':')
            us = strtod(end + 1, &end);
        good = *end == '\0' && self->watts >= 1 && self->watts <= 1e6 && us >= 1 && us <= 1e6;
    }
    if (!good)
        return ts_complain(
            TS_USAGE, "--activity=%s: neither toggles nor CARD[:WATTS[:MICROSECONDS]]; cards: %s",
            text, ts_card_names((char[128]){""}, 128));
    self->period = (uint64_t)(us * 1000);
    ts_firmware_init(&self->firmware, &card);
    self->firmware.units = ts_clock_units(TS_CLOCK_HIGH); // busy already
    self->clock = (struct ts_clock){.units = self->firmware.units, .target = self->firmware.units};
    return TS_OK;
}

// A period has ended at `to`.
static void act(struct loop *self, ts_cycle to)
{
    const struct ts_work *work = self->session->sim->work;
    const uint64_t all = ts_activity_sum(self->session->activity, TS_ACTIVITY_ALL,
                                         TS_ACTIVITY_MATRIX, 0, to);
    const double cycles = (double)(to - self->at), mhz = 1000 * cycles / (double)self->period;
    const uint32_t word = self->firmware.word;
    struct ts_power_shares shares = {0};
    shares.of[TS_POWER_MATRIX] = (double)(all - self->mvmuls) / (cycles * work->plan->soc.tiles);
    const double ratio = ts_power_value(&self->power, &self->firmware.card, &shares, mhz);
    ts_firmware_measure(&self->firmware, &self->power, ratio * self->watts, mhz, TS_FIRMWARE_HEAT,
                        TS_FIRMWARE_HEAT);
    ts_clock_set(&self->clock, self->firmware.units);
    for (uint32_t i = 0; word != self->firmware.word && i < ts_work_tiles(work); i++)
        ts_l1_write(&work->jobs[i].tile->l1, TS_L1_THROTTLE, &self->firmware.word, 4, to);
    self->changes += word != self->firmware.word;
    ts_json_add(self->rows, "{s:I, s:f, s:f, s:i}", "cycle", (json_int_t)to, "power", ratio, "mhz",
                self->firmware.units * TS_CLOCK_UNIT, "word", (int)self->firmware.word);
    self->at = to;
    self->mvmuls = all;
}

int ts_card_loop(struct ts_session *session)
{
    struct loop self = {.session = session, .at = TS_PROGRAM_START, .rows = json_array()};
    struct tensim *sim = session->sim;
    int code = read_card(&self, session->options->card);
    if (code == TS_OK && (sim->works || ts_cluster_ranks() > 1 || !sim->work->program))
        code = ts_complain(TS_USAGE, "--activity=CARD: for a program on one chip, in one process");
    if (code != TS_OK) {
        json_decref(self.rows);
        return code;
    }
    const ts_cycle most = session->options->max_cycles;
    for (;;) {
        const ts_cycle next = self.at + ts_clock_pass(&self.clock, self.period),
                       to = next < most ? next : most;
        tensim_run_for(sim, to - tensim_cycle(sim), NULL);
        session->run = sim->run;
        if (sim->run.stop != TS_STOP_LIMIT || to == most)
            break;
        act(&self, to);
    }
    session->content = sim->passed;
    // The last period was not complete: its time by its part of the cycles.
    self.clock.ns = json_array_size(self.rows) * self.period;
    const ts_cycle rest = session->run.cycle > self.at ? session->run.cycle - self.at : 0;
    const double us = ((double)self.clock.ns + (double)rest * TS_CLOCK_NS / self.clock.units) /
                      1000;
    ts_json_put(session->document, "firmware", "{s:s, s:f, s:b, s:f, s:i, s:f, s:i, s:f, s:o}",
                "card", self.firmware.card.name, "watts", self.watts, "assumed", self.power.assumed,
                "period_us", (double)self.period / 1000, "count", (int)json_array_size(self.rows),
                "mhz", self.firmware.units * TS_CLOCK_UNIT, "changes", (int)self.changes, "us", us,
                "periods", self.rows);
    return TS_OK;
}
