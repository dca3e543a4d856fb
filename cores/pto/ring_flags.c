#include "cores/pto/ring.h"

#include "platform/kernel/domain.h"

const char *const ts_profile_names[] = {"a2a3", "a5", NULL};
const char *const ts_core_names[] = {"aic", "aiv0", "aiv1"};

const char *ts_flag_name(const struct ts_flag *self, char text[24])
{
    snprintf(text, 24, "flag %u of %s", self->id, ts_core_names[self->core]);
    return text;
}

static void add(struct ts_flags *self, struct ts_flag *flag, uint8_t *counter, ts_cycle at)
{
    if (*counter == self->most) {
        char name[24];
        ts_finding_add(self->findings, TS_FINDING_CTR_OVERFLOW,
                       (struct ts_spot){at, flag->line, ts_flag_name(flag, name)},
                       "%s: %u sets outstanding, the counter holds 0 to %u: it wraps to 0", name,
                       self->most + 1, self->most);
        *counter = 0;
        return;
    }
    ++*counter;
}

// One set arrives.
static void arrive(struct ts_flags *self, struct ts_flag *flag, unsigned from, ts_cycle at)
{
    if (self->profile == TS_PROFILE_A2A3 && flag->core == TS_CORE_AIC) {
        add(self, flag, &flag->half[from - TS_CORE_AIV0], at);
        if (flag->half[0] == 0 || flag->half[1] == 0)
            return;
        flag->half[0]--;
        flag->half[1]--;
    }
    add(self, flag, &flag->count, at);
    if (flag->count > flag->peak)
        flag->peak = flag->count;
    ts_trace_count(&flag->object, at, flag->count);
}

static void land(struct ts_flags *self, struct ts_flag *flag, ts_cycle now)
{
    while (flag->flying && flag->flight[flag->first].at <= now) {
        unsigned first = flag->first;
        flag->first = (uint8_t)((first + 1) % TS_FLAG_FLIGHT);
        flag->flying--;
        arrive(self, flag, flag->flight[first].from, flag->flight[first].at);
    }
}

static void launch(struct ts_flags *self, struct ts_flag *flag, unsigned from, ts_cycle now)
{
    land(self, flag, now);
    flag->sets++;
    flag->line = self->line;
    if (flag->flying == TS_FLAG_FLIGHT) { // far beyond what any counter holds: it arrives at once
        arrive(self, flag, from, now);
        return;
    }
    unsigned last = (flag->first + flag->flying++) % TS_FLAG_FLIGHT;
    flag->flight[last].at = now + self->latency;
    flag->flight[last].from = (uint8_t)from;
    if (flag->object.waiters)
        ts_wake_all(&flag->object, now + self->latency);
}

void ts_flags_init(struct ts_flags *self, struct ts_domain *domain, enum ts_profile profile,
                   ts_cycle latency, struct ts_findings *findings)
{
    self->profile = profile;
    self->latency = latency;
    self->most = TS_FLAG_MAX;
    self->findings = findings;
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            struct ts_flag *flag = &self->flag[core][id];
            flag->core = (uint8_t)core;
            flag->id = (uint8_t)id;
            bool exists = id < TS_FLAG_AIV1 || (core == TS_CORE_AIC && profile == TS_PROFILE_A5);
            if (exists)
                ts_resource_init(&flag->object, domain, NULL, "%s.flag[%u]", ts_core_names[core],
                                 id);
        }
}

unsigned ts_flags_reached(enum ts_profile profile, unsigned from, unsigned id,
                          struct ts_flag_at to[2])
{
    const bool a5 = profile == TS_PROFILE_A5, second = id >= TS_FLAG_AIV1;
    if (from == TS_CORE_AIC) {
        to[0] = (struct ts_flag_at){a5 && second ? TS_CORE_AIV1 : TS_CORE_AIV0, id % TS_FLAG_AIV1};
        to[1] = (struct ts_flag_at){TS_CORE_AIV1, id % TS_FLAG_AIV1};
        return a5 ? 1 : 2;
    }
    to[0] = (struct ts_flag_at){TS_CORE_AIC, id + (a5 && from == TS_CORE_AIV1 ? TS_FLAG_AIV1 : 0u)};
    return 1;
}

void ts_flags_set(struct ts_flags *self, unsigned from, unsigned id, ts_cycle now)
{
    struct ts_flag_at to[2];
    const unsigned count = ts_flags_reached(self->profile, from, id, to);
    for (unsigned i = 0; i < count; i++)
        launch(self, &self->flag[to[i].core][to[i].id], from, now);
}

bool ts_flags_take(struct ts_flags *self, unsigned core, unsigned id, ts_cycle now)
{
    struct ts_flag *flag = ts_flags_look(self, core, id, now);
    if (flag->count == 0)
        return false;
    flag->count--;
    flag->waits++;
    ts_trace_count(&flag->object, now, flag->count);
    return true;
}

ts_step ts_flags_await(struct ts_flags *self, unsigned core, unsigned id,
                       struct ts_component *waiter, ts_cycle now)
{
    struct ts_flag *flag = &self->flag[core][id];
    ts_block(waiter, now, TS_STALL_FLAG_ZERO, &flag->object);
    if (flag->flying) // what is on its way already will not announce itself again
        ts_wake(waiter, flag->flight[flag->first].at);
    return 0;
}

void ts_flags_settle(struct ts_flags *self)
{
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++)
            land(self, &self->flag[core][id], TS_NEVER - 1);
}

struct ts_flag *ts_flags_look(struct ts_flags *self, unsigned core, unsigned id, ts_cycle now)
{
    struct ts_flag *flag = &self->flag[core][id];
    land(self, flag, now);
    return flag;
}
