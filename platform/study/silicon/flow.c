// Runs flows and takes the figures of a row from them (flow.h).
#include "platform/study/silicon/flow.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE     0x20000u
#define TARGET(i)  (0x40000u + 0x4000u * ((i) % 64))
#define WATCHED(i) (0x140000u + 0x4000u * ((i) % 16)) // where the watched packet goes
#define DRAM(i)    (0x1000000ull + 0x100000ull * (i))
#define SUM        0x10004u
#define MARK       0x600dcafeu
#define LIMIT      100000000u

// --- scripts ---

// The ops of one flow and of its watcher.
struct script {
    struct ts_traffic_op *ops;
    size_t count, room;
    struct ts_traffic_op watch;
};

static void push(struct script *self, struct ts_traffic_op op)
{
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 8;
        self->ops = realloc(self->ops, self->room * sizeof *self->ops);
        if (self->ops == NULL)
            abort();
    }
    self->ops[self->count++] = op;
}

static void push_wait(struct script *self, enum ts_traffic_kind kind)
{
    push(self, (struct ts_traffic_op){.kind = kind, .gap = 1});
}

static struct ts_traffic_op request(const struct rig *rig, const struct flow *flow, unsigned index)
{
    const struct ts_chip *chip = &rig->chip;
    bool dram = chip->soc.node[flow->at.y][flow->at.x] == TS_NOC_NODE_DRAM;
    uint64_t far = dram ? DRAM(index) : TARGET(index);
    struct ts_traffic_op op;
    switch ((enum flow_op)flow->op) {
    case FLOW_READ:
        op = ts_traffic_read(chip, flow->noc, flow->by, flow->at, dram ? far : SOURCE,
                             TARGET(dram ? 0 : index), flow->length);
        break;
    case FLOW_INCREMENT:
        op = ts_traffic_increment(chip, flow->noc, flow->by, flow->at, SUM, 0x10010, 1, false);
        break;
    case FLOW_MULTICAST:
        op = ts_traffic_multicast(chip, flow->noc, flow->by, flow->at, flow->last, SOURCE,
                                  TARGET(index), flow->length, flow->flags);
        break;
    default:
        op = ts_traffic_write(chip, flow->noc, flow->by, flow->at, SOURCE, far, flow->length, -1,
                              flow->op == FLOW_POSTED);
    }
    if (flow->vc != FLOW_DYNAMIC)
        op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_VC_STATIC | (uint32_t)flow->vc << TS_NOC_CTRL_VC_SHIFT;
    op.word[TS_NOC_CTRL] |= flow->flags | (uint32_t)flow->priority << TS_NOC_CTRL_PRIO_SHIFT;
    op.gap = flow->gap;
    if (dram) { // walks through its own megabyte
        op.stride = flow->length;
        op.wrap = 0x100000 / flow->length;
    }
    return op;
}

// Where a flow from or to DRAM goes.
static void place(struct flow *self, const struct ts_soc *soc)
{
    if (self->bank == 0)
        return;
    uint32_t bank = self->bank - 1u;
    self->at = self->port ? soc->dram[bank][self->port - 1u]
                          : ts_soc_worker_endpoint(soc, bank, self->noc);
    if (self->by.y == 0)
        self->by = (struct ts_noc_xy){(uint8_t)(self->at.x + 1), self->at.y};
}

// Takes turns: every request is a separate op.
static void push_turns(struct script *self, const struct rig *rig, const struct flow *flow,
                       unsigned index)
{
    for (unsigned i = 0; i < flow->count; i++) {
        struct flow one = *flow;
        one.at.x = (uint8_t)(one.at.x + (flow->spread ? i % flow->spread : 0));
        if (flow->spread > 1 && one.at.x > 6) // the next Tensix column of the card
            one.at.x = (uint8_t)(one.at.x + 4);
        if (flow->channels)
            one.at = ts_soc_worker_endpoint(&rig->chip.soc, i % flow->channels, flow->noc);
        struct ts_traffic_op op = request(rig, &one, index);
        if (flow->channels) // the next page of the channel
            op.word[one.op == FLOW_READ ? TS_NOC_TARG_LO : TS_NOC_RET_LO] += i / flow->channels *
                                                                             flow->length;
        push(self, op);
        if (flow->batch && (i + 1) % flow->batch == 0)
            push_wait(self, TS_TRAFFIC_BARRIER);
        if (flow->twin) {
            one.op = flow->twin_op;
            one.at = flow->twin_at;
            push(self, request(rig, &one, index));
        }
        if (flow->blocking)
            push_wait(self, TS_TRAFFIC_BARRIER);
    }
}

// Linked to each other but for the last of a round; only the first one reserves the path.
static void push_rounds(struct script *self, struct ts_traffic_op one, const struct flow *flow)
{
    for (unsigned left = flow->count; left; left -= left < flow->flush ? left : flow->flush) {
        for (unsigned i = 0; i < flow->flush && i < left; i++) {
            struct ts_traffic_op op = one;
            if (i + 1u < flow->flush)
                op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_LINKED;
            if (i) {
                op.word[TS_NOC_CTRL] &= ~TS_NOC_CTRL_PATH_RESERVE;
                op.gap /= 3; // the clock is read and the words are marked once a round
            }
            push(self, op);
        }
        push_wait(self, TS_TRAFFIC_SENT);
        if (flow->tag) {
            struct ts_traffic_op op = one;
            op.word[TS_NOC_AT_LEN_BE] = flow->tag;
            push(self, op);
            push_wait(self, TS_TRAFFIC_SENT);
        }
    }
}

static void write_script(struct rig *rig, const struct flow *flow, unsigned index,
                         struct script *self)
{
    struct ts_traffic_op one = request(rig, flow, index), marked = one;
    bool increment = flow->op == FLOW_INCREMENT;
    unsigned special = flow->watch && !increment;
    if (flow->watch) {
        uint32_t mark = MARK, place = WATCHED(index);
        marked.word[TS_NOC_RET_LO] = place;
        self->watch = (struct ts_traffic_op){
            .kind = TS_TRAFFIC_WORD,
            .address = increment ? SUM : place + flow->length - 4,
            .value = increment ? flow->count * (flow->watch == FLOW_WATCH_LAST ? 1 : 0) : MARK,
            .gap = 1};
        ts_chip_write(&rig->chip, flow->by, SOURCE + flow->length - 4, &mark, sizeof mark,
                      rig->error);
    }
    if (flow->watch == FLOW_WATCH_FIRST && special)
        push(self, marked);
    if (flow->flush) {
        push_rounds(self, flow->watch ? marked : one, flow);
    } else if (flow->spread || flow->twin || flow->blocking || flow->channels) {
        push_turns(self, rig, flow, index);
    } else if (flow->count > special) {
        one.count = flow->count - special;
        push(self, one);
    }
    if (flow->watch == FLOW_WATCH_LAST && special && !flow->flush)
        push(self, marked);
    bool sent = flow->op == FLOW_POSTED || flow->flush;
    push_wait(self, sent ? TS_TRAFFIC_SENT : TS_TRAFFIC_BARRIER);
}

bool flow_run(const char *chip, const struct flow *flows, unsigned count,
              const struct ts_silicon_context *context, struct flow_times *times,
              struct ts_error *error)
{
    struct script *scripts = calloc(count, sizeof *scripts);
    struct rig *rig = rig_new(chip, context, error);
    if (scripts == NULL)
        abort();
    for (unsigned i = 0; i < count && error->code == TS_OK; i++) {
        struct flow flow = flows[i];
        place(&flow, &rig->chip.soc);
        write_script(rig, &flow, i, &scripts[i]);
        rig_drive(rig, flow.by, scripts[i].ops, scripts[i].count);
        if (flow.watch)
            rig_drive(rig, flow.watcher.x ? flow.watcher : flow.at, &scripts[i].watch, 1);
    }
    bool good = rig_run(rig, LIMIT);
    for (unsigned i = 0; i < count && good; i++) {
        const struct script *script = &scripts[i];
        times[i] = (struct flow_times){
            .started = script->ops[0].started,
            .issued = script->ops[script->count - 2].ended,
            .ended = script->ops[script->count - 1].ended,
            .seen = script->watch.ended,
        };
    }
    rig_free(rig);
    for (unsigned i = 0; i < count; i++)
        free(scripts[i].ops);
    free(scripts);
    return good;
}

// --- figures ---

static double bytes_of(const struct flow *flow)
{
    return (double)flow->length * flow->count * (flow->twin ? 2 : 1);
}

static void take_figures(const struct flow_row *row, const struct flow *flows, unsigned count,
                         const struct flow_times *times, double *simulated)
{
    ts_cycle first = TS_NEVER, last = 0, seen = 0;
    double bytes = 0, requests = 0, cut = row->cut ? row->cut : 1, plus = row->plus;
    for (unsigned i = 0; i < count; i++) {
        first = times[i].started < first ? times[i].started : first;
        last = times[i].ended > last ? times[i].ended : last;
        seen = times[i].seen > seen ? times[i].seen : seen;
        bytes += bytes_of(&flows[i]);
        requests += flows[i].count;
    }
    const struct flow_times *picked = &times[row->pick];
    double region = (double)(picked->ended - picked->started) * cut + plus;
    double window = (double)(last - first) * cut + plus;
    unsigned figures = row->row.other_count + 1;
    for (unsigned i = 0; i < figures && i < count; i++) {
        const struct flow_times *one = &times[i];
        switch ((enum flow_figure)row->figure) {
        case FLOW_REGION:
            simulated[i] = region;
            break;
        case FLOW_RATES:
            simulated[i] = bytes_of(&flows[i]) * cut /
                           ((double)(one->ended - one->started) * cut + plus);
            break;
        case FLOW_RATE:
            simulated[i] = bytes * cut / window;
            break;
        case FLOW_RATE_OF:
            simulated[i] = bytes_of(&flows[row->pick]) * cut / region;
            break;
        case FLOW_WINDOW:
            simulated[i] = window;
            break;
        case FLOW_SEEN:
            simulated[i] = (double)(picked->seen - picked->started) + plus;
            break;
        case FLOW_SEENS:
            simulated[i] = (double)(one->seen - first) + plus;
            break;
        case FLOW_SEEN_RATE:
            simulated[i] = bytes / ((double)(seen - first) + plus);
            break;
        case FLOW_SEEN_AFTER:
            simulated[i] = (double)picked->seen - (double)picked->ended + plus;
            break;
        case FLOW_TAIL:
            simulated[i] = (double)(picked->ended - picked->issued) + plus;
            break;
        case FLOW_PER_OP:
            simulated[i] = window / requests;
            break;
        case FLOW_SEEN_OP:
            simulated[i] = ((double)(seen - first) + plus) / requests;
            break;
        }
        simulated[i] *= row->scale > 0 ? row->scale : 1;
    }
}

void flow_run_row(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                  double *simulated, struct ts_error *error)
{
    const struct flow_row *self = (const struct flow_row *)row;
    struct flow made[FLOW_MAX];
    struct flow_times times[FLOW_MAX];
    const struct flow *flows = self->flows;
    unsigned count = self->count;
    if (self->make) {
        memset(made, 0, sizeof made);
        count = self->make(self, made);
        flows = made;
    }
    if (flow_run(self->chip, flows, count, context, times, error))
        take_figures(self, flows, count, times, simulated);
}

// --- words ---

static const char *const op_names[] = {"write", "posted write", "read", "increment", "multicast"};

static const char *const figure_names[] = {
    [FLOW_REGION] = "cycles, first issue to last answer",
    [FLOW_RATES] = "B per cycle of each flow",
    [FLOW_RATE] = "B per cycle in sum",
    [FLOW_RATE_OF] = "B per cycle",
    [FLOW_WINDOW] = "cycles, first issue to last answer",
    [FLOW_SEEN] = "cycles, issue to word seen",
    [FLOW_SEENS] = "cycles, issue to word seen",
    [FLOW_SEEN_RATE] = "B per cycle in sum, at the receivers",
    [FLOW_SEEN_AFTER] = "cycles, sent to word seen",
    [FLOW_TAIL] = "cycles, last issue to answer",
    [FLOW_PER_OP] = "cycles per request",
    [FLOW_SEEN_OP] = "cycles per request at the receiver",
};

void flow_describe(const struct ts_silicon_row *row, struct ts_silicon_text *text)
{
    const struct flow_row *self = (const struct flow_row *)row;
    struct flow made[FLOW_MAX], shown;
    unsigned count = self->count;
    if (self->make) {
        memset(made, 0, sizeof made);
        count = self->make(self, made);
    }
    shown = self->make ? made[0] : self->flows[self->pick];
    const struct flow *flow = &shown;
    struct ts_soc soc;
    struct ts_error error = {TS_OK, ""};
    if (shown.bank && ts_soc_find(&soc, self->chip, &error) == TS_OK)
        place(&shown, &soc);
    text->metric = figure_names[self->figure];
    snprintf(text->workload, sizeof text->workload,
             "%s%s%u x %u B %s, %u-%u and %u-%u, NoC %u%s%.0u%s", self->text ? self->text : "",
             self->text ? ": " : "", flow->count, flow->length, op_names[flow->op], flow->by.x,
             flow->by.y, flow->at.x, flow->at.y, flow->noc, count > 1 ? ", " : "",
             count > 1 ? count : 0, count > 1 ? " flows" : "");
}
