#include "noc/dram.h"

#define PAGE  ((uint64_t)1 << TS_DRAM_PAGE_SHIFT)
#define MILLI 1000u

bool ts_dram_init(struct ts_dram *self, const struct ts_dram_params *params, uint32_t parts,
                  uint32_t clock_mhz)
{
    self->params = *params;
    self->parts = parts;
    self->part_bytes = (uint64_t)params->size << 20;
    self->rate = (uint64_t)params->bandwidth * MILLI / clock_mhz;
    self->refresh_interval = (uint64_t)params->refresh_interval * clock_mhz / TS_DRAM_HALVES;
    self->refresh = (uint64_t)params->refresh * clock_mhz;
    self->group = (uint64_t)params->group * MILLI * MILLI / self->rate + 1;
    self->refresh_all = params->refresh_interval ? (uint64_t)params->refresh_all * clock_mhz : 0;
    self->all_interval = (uint64_t)params->refresh_interval * clock_mhz;
    if (self->all_interval < 2 * self->refresh_all)
        self->all_interval = 2 * self->refresh_all;
    if (self->refresh_all) // then they are not refreshed one by one
        self->refresh_interval = 0;
    for (unsigned i = 0; i < parts; i++)
        self->pipes[i].refresh = self->all_interval;
    for (unsigned i = 0; i < parts * TS_DRAM_BANKS; i++)
        self->pipes[i / TS_DRAM_BANKS].banks[i % TS_DRAM_BANKS].deadline =
            self->refresh_interval * (TS_DRAM_BANKS + i % TS_DRAM_BANKS) / TS_DRAM_BANKS;
    self->page_count = parts * self->part_bytes / PAGE;
    self->pages = calloc(self->page_count, sizeof *self->pages);
    return self->pages != NULL;
}

uint64_t ts_dram_busy(const struct ts_dram *self, ts_cycle span)
{
    uint64_t ahead = 0;
    for (uint32_t i = 0; i < self->parts; i++)
        ahead += self->pipes[i].free > span * MILLI ? self->pipes[i].free - span * MILLI : 0;
    return ahead < self->busy ? (self->busy - ahead) / MILLI / self->parts : 0;
}

enum ts_code ts_dram_audit(const struct ts_dram *self, unsigned channel, ts_cycle span,
                           struct ts_error *error)
{
    uint64_t bytes = self->bytes_read + self->bytes_written;
    uint64_t end = 0;
    for (uint32_t i = 0; i < self->parts; i++)
        end += self->pipes[i].free > span * MILLI ? self->pipes[i].free : span * MILLI;
    // The time of each request is rounded down.
    if (bytes * MILLI * MILLI / self->rate > end + self->reads + self->writes)
        return ts_fail(error, TS_BUG, "DRAM channel %u moved %llu bytes in %llu cycles", channel,
                       (unsigned long long)bytes, (unsigned long long)(end / MILLI));
    return TS_OK;
}

static uint64_t busy(const struct ts_object *object, ts_cycle span)
{
    return ts_dram_busy((const struct ts_dram *)object, span);
}

void ts_dram_register(struct ts_dram *self, struct ts_domain *domain)
{
    ts_resource_init(&self->object, domain, NULL, "channel");
    self->object.busy = busy;
}

void ts_dram_free(struct ts_dram *self)
{
    for (uint64_t i = 0; self->pages && i < self->page_end; i++)
        free(self->pages[i]);
    ts_check_free(self->check);
    self->check = NULL;
    free(self->pages);
    self->pages = NULL;
}

const char *ts_dram_check(const struct ts_dram *self, uint64_t address, uint64_t length)
{
    uint64_t size = self->page_count * PAGE;
    return address > size || length > size - address ? "it lies outside the channel's DRAM" : NULL;
}

const char *ts_dram_read(struct ts_dram *self, uint64_t address, void *bytes, uint64_t length)
{
    unsigned char *to = bytes;
    const char *why = ts_dram_check(self, address, length);
    if (why)
        return why;
    while (length) {
        uint64_t within = address % PAGE, run = PAGE - within < length ? PAGE - within : length;
        const unsigned char *page = self->pages[address / PAGE];
        if (page)
            memcpy(to, page + within, run);
        else
            memset(to, 0, run);
        to += run;
        address += run;
        length -= run;
    }
    return NULL;
}

const char *ts_dram_write(struct ts_dram *self, uint64_t address, const void *bytes,
                          uint64_t length)
{
    const unsigned char *from = bytes;
    const char *why = ts_dram_check(self, address, length);
    if (why)
        return why;
    while (length) {
        uint64_t within = address % PAGE, run = PAGE - within < length ? PAGE - within : length;
        unsigned char **page = &self->pages[address / PAGE];
        if (*page == NULL) {
            *page = calloc(1, PAGE);
            if (*page == NULL)
                return "the host has no memory left for the channel's DRAM";
            self->allocated += PAGE;
            if (address / PAGE >= self->page_end)
                self->page_end = address / PAGE + 1;
        }
        memcpy(*page + within, from, run);
        from += run;
        address += run;
        length -= run;
    }
    return NULL;
}

static const char *read_memory(void *context, uint64_t address, void *bytes, uint32_t length,
                               ts_cycle now)
{
    (void)now;
    return ts_dram_read(context, address, bytes, length);
}

static const char *write_memory(void *context, uint64_t address, const void *bytes, uint32_t length,
                                ts_cycle now)
{
    (void)now;
    return ts_dram_write(context, address, bytes, length);
}

// True: a fault.
static bool note_clash(struct ts_dram *self, unsigned endpoint, ts_cycle now)
{
    if (self->clash[endpoint].count++ == 0)
        self->clash[endpoint].first = now;
    return self->strict;
}

// When a bank can be used that is needed at `start`. It is refreshed once in each interval: if it is left alone for long
// enough, then; if not, at the end of the interval.
static uint64_t refreshed(const struct ts_dram *self, struct ts_dram_bank *bank, uint64_t start)
{
    uint64_t interval = self->refresh_interval;
    if (start >= bank->used + self->refresh) {
        if (start >= bank->deadline - interval)
            bank->deadline += ((start - (bank->deadline - interval)) / interval + 1) * interval;
    } else if (start >= bank->deadline) {
        start = bank->used + self->refresh;
        bank->deadline += interval;
    }
    return start;
}

// All banks are refreshed at fixed times: when a request can start that would start at `start` and take `*time`, which grows.
static uint64_t refreshed_all(const struct ts_dram *self, struct ts_dram_pipe *pipe, uint64_t start,
                              uint64_t *time)
{
    while (pipe->refresh < start + *time) {
        if (pipe->refresh >= start)
            *time += self->refresh_all;
        else if (start < pipe->refresh + self->refresh_all)
            start = pipe->refresh + self->refresh_all;
        pipe->refresh += self->all_interval;
    }
    return start;
}

// The bytes of a request pass the pipe from `*first` on, or later if their bank is being refreshed, row by row; returns when
// the last one has passed.
static uint64_t pass(struct ts_dram *self, struct ts_dram_pipe *pipe, uint64_t address,
                     uint64_t length, uint64_t *first)
{
    uint64_t start = *first;
    for (bool again = false; length; again = true) {
        struct ts_dram_bank *bank = &pipe->banks[address / TS_DRAM_ROW % TS_DRAM_BANKS];
        uint64_t run = TS_DRAM_ROW - address % TS_DRAM_ROW;
        run = run < length ? run : length;
        if (self->refresh_interval)
            start = refreshed(self, bank, start);
        uint64_t time = run * MILLI * MILLI / self->rate;
        self->busy += time;
        if (self->refresh_all)
            start = refreshed_all(self, pipe, start, &time);
        if (!again)
            *first = start;
        start += time;
        bank->used = start;
        address += run;
        length -= run;
    }
    return start;
}

// What a change of direction costs before a request: what goes on in the open row of its direction pays nothing.
static uint64_t change(const struct ts_dram *self, struct ts_dram_pipe *pipe, bool write,
                       uint64_t address, uint64_t length)
{
    bool open = pipe->row[write] == address / TS_DRAM_ROW + 1;
    pipe->row[write] = (address + length - 1) / TS_DRAM_ROW + 1;
    return open ? 0 : (uint64_t)self->params.turnaround * MILLI;
}

// Behind all that is booked; returns when the last byte has passed. Its bytes enter the channel as if there were no reads.
static uint64_t book_write(struct ts_dram *self, struct ts_dram_pipe *pipe, uint64_t address,
                           uint64_t length, uint64_t *start)
{
    uint64_t now = *start, cost = change(self, pipe, true, address, length);
    uint64_t free = pipe->free + (pipe->writing ? 0 : cost);
    pipe->entry = pipe->entry_free > *start ? pipe->entry_free : *start;
    if (free > *start)
        *start = free;
    if (!pipe->writing || *start > free) {
        pipe->tail = *start;
        pipe->between = 0;
        pipe->writing = true;
    }
    pipe->back = cost;
    pipe->entry -= *start;
    pipe->free = pass(self, pipe, address, length, start);
    pipe->entry += *start;
    pipe->entry_free = pipe->entry + pipe->free - *start;
    // If reads go on to come between groups, as they do, it passes later.
    if (now <= pipe->tail + self->group)
        *start += (*start - (pipe->tail > now ? pipe->tail : now)) / self->group * pipe->between;
    return pipe->free;
}

// Before writes that wait if they are less than a group, else behind the group that passes or is next. The writes behind a read
// wait for it and for the change to them, which costs what the last write would.
static uint64_t book_read(struct ts_dram *self, struct ts_dram_pipe *pipe, uint64_t address,
                          uint64_t length, uint64_t *start)
{
    uint64_t cost = change(self, pipe, false, address, length), at = pipe->free, rest = 0;
    if (!pipe->writing) {
        cost = 0;
    } else if (*start < pipe->free) {
        const uint64_t group = self->group;
        if (pipe->free - pipe->tail < group && *start + pipe->back <= pipe->tail) {
            at = pipe->tail - pipe->back;
            cost = 0;
        } else {
            at = pipe->tail + ((*start > pipe->tail ? *start - pipe->tail : 0) / group + 1) * group;
            at = at < pipe->free ? at : pipe->free;
        }
        rest = pipe->free - (at < pipe->tail ? pipe->tail : at);
    }
    if (at + cost > *start)
        *start = at + cost;
    uint64_t end = pass(self, pipe, address, length, start);
    pipe->tail = rest ? end + pipe->back : end;
    pipe->between = pipe->tail - at;
    pipe->writing = rest != 0;
    pipe->free = rest ? pipe->tail + rest : end;
    return end;
}

static void admit(void *context, unsigned port, bool write, uint64_t address, uint32_t length,
                  ts_cycle now, struct ts_noc_admission *admission)
{
    struct ts_dram *self = context;
    uint64_t start = now * MILLI;
    if (!write && self->port_free[port] > start)
        start = self->port_free[port];
    if (!write)
        self->port_free[port] = start + (uint64_t)self->params.request_gap * MILLI / 10 +
                                (uint64_t)length * MILLI / (uint64_t)self->params.request_rate;
    struct ts_dram_pipe *pipe = &self->pipes[address >= self->part_bytes];
    uint64_t end = write ? book_write(self, pipe, address, length, &start)
                         : book_read(self, pipe, address, length, &start);
    uint64_t time = (uint64_t)length * MILLI * MILLI / self->rate;
    ts_trace_busy(&self->object, (end - time) / MILLI, end / MILLI - (end - time) / MILLI);
    if (__builtin_expect(self->served[port ^ 1] > now * MILLI, 0) && self->lints)
        admission->clash = note_clash(self, port / TS_NOC_COUNT, now);
    self->served[port] = end;
    ts_trace_level(&self->object, now, NULL, pipe->free / MILLI - now);
    *(write ? &self->writes : &self->reads) += 1;
    *(write ? &self->bytes_written : &self->bytes_read) += length;
    admission->start = admission->turn = start / MILLI;
    admission->rate = (uint32_t)self->rate;
    admission->after = write ? (uint32_t)self->params.write_latency : 0;
    admission->early = (uint32_t)((uint64_t)self->params.write_queue * MILLI / self->rate);
    uint64_t room = (uint64_t)self->params.write_room * MILLI / self->rate;
    if (!write)
        admission->start += (ts_cycle)self->params.read_latency;
    else
        admission->room = admission->start > room + pipe->entry / MILLI ? admission->start - room
                                                                        : pipe->entry / MILLI;
}

const struct ts_noc_memory ts_dram_memory = {
    .read = read_memory, .write = write_memory, .admit = admit};
