// Reads the index of a family and runs its rows (launch.h).
#include "platform/study/silicon/launch.h"

#include "platform/run/guest.h"
#include "platform/study/silicon/squad.h"

// Directives, as config/probes/probe.inc writes them: what it is, bytes of its operands, operands. Symbols are for the build.
enum { ROW = 1, RUN, AT, CODE, DATA, TAKE, TAKE_MAX, TIME, GUEST, WATCH, DATA_FROM, TRAFFIC };
enum { WARM = 1, PUSHED = 2, QUICK = 4, OPEN = 8 }; // flags of a run

struct directive {
    uint32_t op, bytes;
    const unsigned char *operands;
};

struct launch {
    const struct ts_guest_program *index, *text;
    const struct ts_silicon_context *context;
    struct ts_error *error;
    double results[TS_LAUNCH_RESULTS];
    unsigned count;
};

// ---- reading

static uint32_t operand(const struct directive *self, unsigned i)
{
    uint32_t word = 0;
    if (4 * i + 4 <= self->bytes)
        memcpy(&word, self->operands + 4 * i, sizeof word);
    return word;
}

// The directive at a place, which moves on; false: there is none.
static bool next(const struct ts_guest_program *index, size_t *at, struct directive *to)
{
    if (*at + 8 > index->length)
        return false;
    memcpy(&to->op, index->bytes + *at, 4);
    memcpy(&to->bytes, index->bytes + *at + 4, 4);
    to->operands = index->bytes + *at + 8;
    *at += 8 + to->bytes;
    return *at <= index->length;
}

// The place after the row's own directive.
static bool find(const struct launch *self, const char *id, size_t *at)
{
    struct directive one;
    *at = 0;
    while (next(self->index, at, &one))
        if (one.op == ROW && strcmp((const char *)one.operands, id) == 0)
            return true;
    return false;
}

// ---- a run

struct frame {
    struct squad *squad;
    struct ts_noc_xy at; // the tile that directives are about
    unsigned timed;      // traffic whose times are taken
};

// Place and bytes of arguments that several guests share, its name, and its own arguments from the next word on.
static void add_guest(struct launch *self, struct frame *frame, const struct directive *one)
{
    const char *name = (const char *)one->operands + 8;
    size_t used = 8 + (strlen(name) + 4) / 4 * 4, own = one->bytes - used, tail = operand(one, 1);
    uint32_t arguments[SQUAD_ARGUMENTS];
    if (own + tail > sizeof arguments) {
        ts_fail(self->error, TS_BUG, "%s: too many arguments", name);
        return;
    }
    memcpy(arguments, one->operands + used, own);
    memcpy((char *)arguments + own, self->text->bytes + operand(one, 0), tail);
    squad_guest(frame->squad, frame->at, name, arguments, (unsigned)((own + tail) / 4));
}

static void place(struct launch *self, struct frame *frame, const struct directive *one)
{
    const unsigned char *code = self->text->bytes + operand(one, 2);
    struct squad_traffic traffic; // its members are the operands
    switch (one->op) {
    case CODE:
        squad_text(frame->squad, frame->at, operand(one, 0),
                   (struct squad_text){code, operand(one, 3), operand(one, 1)});
        break;
    case GUEST:
        add_guest(self, frame, one);
        break;
    case TRAFFIC:
        memcpy(&traffic, one->operands, sizeof traffic);
        squad_traffic(frame->squad, frame->at, traffic);
        break;
    case WATCH:
        squad_watch(frame->squad, frame->at, operand(one, 0), operand(one, 1));
        break;
    }
}

static void write_data(struct launch *self, struct frame *frame, const struct directive *one)
{
    if (one->op == DATA)
        squad_write(frame->squad, frame->at, operand(one, 0), one->operands + 4, one->bytes - 4);
    if (one->op == DATA_FROM)
        squad_write(frame->squad, frame->at, operand(one, 0), self->text->bytes + operand(one, 1),
                    operand(one, 2));
}

static void keep(struct launch *self, double value)
{
    if (self->count == TS_LAUNCH_RESULTS)
        ts_fail(self->error, TS_BUG, "more than %u results", TS_LAUNCH_RESULTS);
    else
        self->results[self->count++] = value;
}

static void take_directive(struct launch *self, struct frame *frame, const struct directive *one)
{
    double word;
    switch (one->op) {
    case TAKE:
        for (uint32_t i = 0; i < operand(one, 1); i++)
            keep(self, squad_word(frame->squad, frame->at, operand(one, 0) + 4 * i));
        break;
    case TAKE_MAX:
        word = squad_word(frame->squad, frame->at, operand(one, 0));
        if (self->count && word > self->results[self->count - 1])
            self->results[self->count - 1] = word;
        break;
    case TIME:
        keep(self, (double)squad_time(frame->squad, frame->at, operand(one, 0)));
        break;
    case TRAFFIC:
        keep(self, squad_traffic_started(frame->squad, frame->timed));
        keep(self, squad_traffic_ended(frame->squad, frame->timed++));
        break;
    case WATCH:
        keep(self, (double)frame->squad->watch.ended);
        break;
    }
}

// Shows all directives of a run to a function, from a place on.
static void each(struct launch *self, size_t from, struct frame *frame,
                 void see(struct launch *, struct frame *, const struct directive *))
{
    struct directive one;
    while (next(self->index, &from, &one) && one.op != RUN && one.op != ROW) {
        if (one.op == AT)
            frame->at = (struct ts_noc_xy){(uint8_t)operand(&one, 0), (uint8_t)operand(&one, 1)};
        else
            see(self, frame, &one);
    }
}

static void run_once(struct launch *self, const struct directive *run, size_t from,
                     struct squad_setting *setting, bool last)
{
    struct ts_silicon_context context = *self->context;
    context.tile.timing_only |= (operand(run, 1) & QUICK) != 0;
    const char *chip = (const char *)run->operands + 12;
    struct frame frame = {.squad = squad_new(chip, &context, self->error)};
    frame.squad->setting = setting;
    each(self, from, &frame, place);
    if (squad_build(frame.squad))
        each(self, from, &frame, write_data);
    if (squad_run(frame.squad, operand(run, 0)) && last)
        each(self, from, &frame, take_directive);
    squad_free(frame.squad);
}

static void run_all(struct launch *self, size_t at)
{
    struct directive run;
    while (next(self->index, &at, &run) && run.op != ROW && self->error->code == TS_OK) {
        if (run.op != RUN)
            continue;
        uint32_t flags = operand(&run, 1);
        struct squad_setting setting = {
            .cfg0 = operand(&run, 2), .pushed = (flags & PUSHED) != 0, .open = (flags & OPEN) != 0};
        if (flags & WARM)
            run_once(self, &run, at, &setting, false);
        setting.warm = (flags & WARM) != 0;
        run_once(self, &run, at, &setting, true);
    }
}

// ---- the row

void ts_launch(const char *family, const struct ts_silicon_row *row,
               const struct ts_silicon_context *context, double *simulated, struct ts_error *error)
{
    char name[64];
    size_t at;
    struct launch *self = ts_need(calloc(1, sizeof *self), "the truth table");
    self->context = context;
    self->error = error;
    snprintf(name, sizeof name, "%s.index", family);
    self->index = ts_guest_find(name);
    snprintf(name, sizeof name, "%s.text", family);
    self->text = ts_guest_find(name);
    if (self->index == NULL || self->text == NULL || !find(self, row->id, &at))
        ts_fail(error, TS_BUG, "%s: no program in %s", row->id, family);
    else
        run_all(self, at);
    if (error->code == TS_OK)
        simulated[0] = row->figure(self->results, simulated);
    free(self);
}
