// Runs a case fast and step by step, and compares everything that a run leaves: see fuzz.h.
#include "platform/account/stats.h"
#include "platform/base/hash.h"
#include "platform/explain/hang.h"
#include "platform/kernel/domain.h"
#include "platform/lib/inside.h"
#include "platform/study/hang/program.h"
#include "platform/tile/watchdog.h"
#include "platform/trace/attach.h"
#include "tests/exact/fuzz.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A run that has ended, with its model still there.
struct end {
    struct tensim *sim;          // of a kernel
    struct ts_hang_stage *stage; // of a program
    struct ts_kernel *kernel;
    struct ts_tile *tiles[FUZZ_TILES];
    unsigned tile_count;
    struct ts_trace *trace;
    struct ts_run run;
    ts_cycle cycles; // of the kernel's work; 0: none
    enum ts_code code;
    bool overwrites; // its own code
    char text[600];
};

// Cores that run ahead have gone beyond a fault, which nobody could foresee: what only a core itself sees
// is not compared behind one. (fuzz_compare compares it once more before the fault.)
static bool beyond(const struct end *end)
{
    return end->run.stop == TS_STOP_FAULT;
}

// ---- runs

static void drop_record(struct ts_trace_writer *self, const struct ts_record *record)
{
    (void)self, (void)record;
}
static int close_nothing(struct ts_trace_writer *self)
{
    (void)self;
    return 0;
}

static void begin_trace(struct end *end)
{
    static struct ts_trace_writer nobody = {
        .record = drop_record, .close = close_nothing, .detail = true};
    struct ts_trace_writer *writers[] = {&nobody};
    struct ts_error error = {0};
    end->trace = ts_trace_attach(end->kernel, writers, 1, &error);
}

static struct ts_params *load_params(const struct fuzz_case *self, struct ts_error *error)
{
    struct ts_params *params = calloc(1, sizeof *params);
    char path[512];
    ts_chip_params_add(params);
    ts_config_path(path, sizeof path, ts_soc_machine(self->chip)->numbers);
    ts_params_load(params, path, error);
    for (unsigned i = 0; i < self->param_count && error->code == TS_OK; i++)
        ts_params_set(params, self->params[i], error);
    return params;
}

// The code of the cores of a run's tiles, as it was at the start, and what follows writes to it. Code that was
// overwritten may be as before at the end: every write is looked at.
static struct code {
    const struct ts_tile *tile;
    ts_l1_written *written; // the tile's own follower
    uint32_t words[FUZZ_CODE / 4];
    bool changed;
} codes[FUZZ_TILES];

static void code_written(void *cores, uint32_t address, uint32_t length, ts_cycle at)
{
    struct code *code = codes;
    while (code->tile->l1.cores != cores)
        code++;
    code->written(cores, address, length, at);
    for (uint32_t i = address / 4; i <= (address + length - 1) / 4 && i < FUZZ_CODE / 4; i++)
        code->changed |= code->words[i] != 0 && // 0: no code is there
                         memcmp(code->tile->l1.bytes + 4 * i, &code->words[i], 4) != 0;
}

static void follow_code(const struct end *end)
{
    for (unsigned i = 0; i < end->tile_count; i++) {
        struct ts_l1 *l1 = &end->tiles[i]->l1;
        codes[i].tile = end->tiles[i];
        codes[i].written = l1->code_written;
        codes[i].changed = false;
        memcpy(codes[i].words, l1->bytes, FUZZ_CODE);
        l1->code_written = code_written;
    }
}

static bool code_changed(const struct end *end)
{
    for (unsigned i = 0; i < end->tile_count; i++)
        if (codes[i].changed)
            return true;
    return false;
}

static void run_program(const struct fuzz_case *self, const struct ts_hang_program *program,
                        bool fast, struct end *end)
{
    struct ts_error error = {0};
    struct ts_params *params = load_params(self, &error);
    struct ts_hang_program own = *program;
    own.params = params;
    struct ts_tile_config config = ts_tile_config_from(params);
    config.run_ahead = config.park = fast;
    config.perturb_seed = self->perturb_seed;
    config.perturb_max = self->perturb_max;
    config.timing_only = self->timing_only;
    end->stage = calloc(1, sizeof *end->stage);
    bool built = error.code == TS_OK &&
                 ts_hang_stage_build(end->stage, &own, &config, fast ? self->threads : 1, &error);
    end->kernel = end->stage->kernel;
    end->code = error.code;
    snprintf(end->text, sizeof end->text, "%s", error.text);
    if (built) {
        if (fast && self->trace)
            begin_trace(end);
        end->tile_count = program->tile_count;
        memcpy(end->tiles, end->stage->tiles, sizeof end->tiles);
        follow_code(end);
        end->run = ts_watched_run(end->kernel, self->cut ? self->cut : FUZZ_LIMIT);
        end->overwrites = code_changed(end);
        end->code = end->run.stop == TS_STOP_DEADLOCK ? TS_HANG
                    : end->run.stop == TS_STOP_LIMIT  ? TS_LIMIT
                    : end->run.stop == TS_STOP_FAULT  ? end->run.error.code
                                                      : TS_OK;
        snprintf(end->text, sizeof end->text, "%s", end->run.error.text);
    }
    ts_params_free(params);
    free(params);
}

static void run_kernel(const struct fuzz_case *self, bool fast, struct end *end)
{
    struct tensim_error error = {0};
    struct tensim_config config;
    const char *settings[FUZZ_SETTINGS], *params[FUZZ_SETTINGS];
    for (unsigned i = 0; i < self->setting_count; i++)
        settings[i] = self->settings[i];
    for (unsigned i = 0; i < self->param_count; i++)
        params[i] = self->params[i];
    tensim_config_init(&config);
    config.settings = params;
    config.setting_count = self->param_count;
    config.step_by_step = !fast;
    config.threads = fast ? self->threads : 1;
    config.timing_only = self->timing_only;
    config.perturb_seed = self->perturb_seed;
    config.perturb_max = self->perturb_max;
    end->sim = tensim_new_kernel(self->kernel, settings, self->setting_count, &config, &error);
    if (end->sim) {
        end->kernel = end->sim->kernel;
        if (fast && self->trace)
            begin_trace(end);
        const struct ts_work *work = end->sim->work;
        for (; end->tile_count < work->made && end->tile_count < FUZZ_TILES; end->tile_count++)
            end->tiles[end->tile_count] = work->jobs[end->tile_count].tile;
        tensim_run(end->sim, self->cut ? self->cut : 50 * FUZZ_LIMIT, &error);
        end->run = end->sim->run;
        end->cycles = work->result.cycles;
    }
    end->code = (enum ts_code)error.code;
    snprintf(end->text, sizeof end->text, "%s", error.text);
}

static void free_end(struct end *end)
{
    if (end->trace) {
        ts_kernel_trace_end(end->kernel);
        ts_trace_free(end->trace);
    }
    if (end->stage)
        ts_hang_stage_strike(end->stage);
    free(end->stage);
    tensim_free(end->sim);
}

// ---- comparison

__attribute__((format(printf, 2, 3))) static bool differs(struct fuzz_result *result,
                                                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(result->text, sizeof result->text, format, args);
    va_end(args);
    result->verdict = FUZZ_DIFFERS;
    return false;
}

static bool same_end(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    if (fast->code != slow->code)
        return differs(result, "exit code %d (%s), step by step %d (%s)", fast->code, fast->text,
                       slow->code, slow->text);
    if (fast->run.cycle != slow->run.cycle)
        return differs(result, "ends at cycle %llu, step by step %llu",
                       (unsigned long long)fast->run.cycle, (unsigned long long)slow->run.cycle);
    if (strcmp(fast->text, slow->text) != 0)
        return differs(result, "says '%s', step by step '%s'", fast->text, slow->text);
    if (fast->cycles != slow->cycles)
        return differs(result, "the work takes %llu cycles, step by step %llu",
                       (unsigned long long)fast->cycles, (unsigned long long)slow->cycles);
    return true;
}

static bool same_bytes(const void *fast, const void *slow, size_t size, const char *name,
                       struct fuzz_result *result)
{
    if (memcmp(fast, slow, size) == 0)
        return true;
    const uint8_t *a = fast, *b = slow;
    size_t i = 0;
    while (a[i] == b[i])
        i++;
    return differs(result, "%s differs at 0x%zx: 0x%02x, step by step 0x%02x", name, i, a[i], b[i]);
}

static bool same_lints(const struct ts_tile *a, const struct ts_tile *b, struct fuzz_result *result)
{
    unsigned i = 0;
    for (; i < a->said_count && i < b->said_count; i++) {
        const struct ts_said *x = &a->said[i], *y = &b->said[i];
        if (x->report != y->report || x->by != y->by || x->pc != y->pc || x->cycle != y->cycle ||
            x->count != y->count || strcmp(x->text, y->text) != 0)
            return differs(result,
                           "lint %s '%.150s' %llu times from cycle %llu and pc 0x%x, step by step "
                           "%s '%.150s' %llu from %llu and 0x%x",
                           ts_report_id(x->report), x->text, (unsigned long long)x->count,
                           (unsigned long long)x->cycle, x->pc, ts_report_id(y->report), y->text,
                           (unsigned long long)y->count, (unsigned long long)y->cycle, y->pc);
    }
    if (i < a->said_count)
        return differs(result, "lint '%.300s' only without step by step", a->said[i].text);
    return i == b->said_count ||
           differs(result, "lint '%.300s' only step by step", b->said[i].text);
}

static bool same_cores(const struct ts_tile *a, const struct ts_tile *b, struct fuzz_result *result)
{
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        const struct ts_rv_core *c = &a->cores[i], *d = &b->cores[i];
        if (!same_bytes(c->r, d->r, TS_RV_SINK * 4, ts_path(&c->component), result))
            return false;
    }
    return same_bytes(a->local, b->local, sizeof a->local, "local RAM", result);
}

static bool same_tile(const struct ts_tile *a, const struct ts_tile *b, struct fuzz_result *result)
{
    if (!same_bytes(a->l1.bytes, b->l1.bytes, TS_L1_SIZE, "L1", result) ||
        !same_bytes(a->files.streamed.dst.bits, b->files.streamed.dst.bits,
                    sizeof a->files.streamed.dst.bits, "Dst", result) ||
        !same_bytes(a->tensix.cfg.bank, b->tensix.cfg.bank, sizeof a->tensix.cfg.bank,
                    "the configuration", result) ||
        !same_bytes(a->tensix.deferred.gpr, b->tensix.deferred.gpr, sizeof a->tensix.deferred.gpr,
                    "a GPR", result) ||
        !same_bytes(a->tensix.streamed.rwc, b->tensix.streamed.rwc, sizeof a->tensix.streamed.rwc,
                    "an RWC", result))
        return false;
    return same_lints(a, b, result);
}

// Is it a baby core?
static bool is_core(const struct ts_component *c)
{
    return strcmp(c->ops->kind, "riscv") == 0;
}

// Accounts and counters of every component, and that cycles add up.
static bool same_stats(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    const struct ts_object *b = ts_kernel_objects(slow->kernel);
    const ts_cycle span = slow->run.cycle;
    for (const struct ts_object *a = ts_kernel_objects(fast->kernel); a && b;
         a = a->next, b = b->next) {
        const struct ts_component *c = ts_object_component(a), *d = ts_object_component(b);
        if (a->busy && a->busy(a, span) != b->busy(b, span))
            return differs(result, "%s is busy for %llu cycles, step by step %llu", a->path,
                           (unsigned long long)a->busy(a, span),
                           (unsigned long long)b->busy(b, span));
        if (c == NULL || (beyond(fast) && is_core(c)))
            continue;
        struct ts_account x = ts_component_account(c, span), y = ts_component_account(d, span);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            if (x.lost[i] != y.lost[i])
                return differs(result, "%s: %llu cycles of %s, step by step %llu", a->path,
                               (unsigned long long)x.lost[i], ts_stall_name(i),
                               (unsigned long long)y.lost[i]);
        if (x.busy > span || y.busy > span || x.lost[TS_STALL_IDLE] > span)
            return differs(result, "%s: busy + stalls + idle is not the span", a->path);
        for (const struct ts_counter *n = c->ops->counters; n && n->name; n++) {
            uint64_t p = *(const uint64_t *)((const char *)c + n->offset),
                     q = *(const uint64_t *)((const char *)d + n->offset);
            if (p != q)
                return differs(result, "%s: %s %llu, step by step %llu", a->path, n->name,
                               (unsigned long long)p, (unsigned long long)q);
        }
    }
    return true;
}

// What each component did in the kernel's part of a run.
static bool same_window(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    if (fast->sim == NULL || fast->code != TS_OK)
        return true;
    const struct ts_object *b = ts_kernel_objects(slow->kernel);
    for (const struct ts_object *a = ts_kernel_objects(fast->kernel); a && b;
         a = a->next, b = b->next) {
        const struct ts_component *c = ts_object_component(a), *d = ts_object_component(b);
        if (c == NULL || (is_core(c) && c->domain != fast->tiles[0]->domain))
            continue; // of other tiles no figure is shown
        const struct ts_account x = ts_marks_account(&fast->sim->work->marks, c),
                                y = ts_marks_account(&slow->sim->work->marks, d);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            if (x.lost[i] != y.lost[i])
                return differs(result, "%s: %llu cycles of %s in the kernel, step by step %llu",
                               a->path, (unsigned long long)x.lost[i], ts_stall_name(i),
                               (unsigned long long)y.lost[i]);
        if (x.busy != y.busy)
            return differs(result, "%s: busy for %llu cycles of the kernel, step by step %llu",
                           a->path, (unsigned long long)x.busy, (unsigned long long)y.busy);
    }
    return true;
}

// The loss account of a kernel.
static bool same_loss(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    const struct ts_loss_account *a = fast->sim ? fast->sim->work->loss : NULL,
                                 *b = slow->sim ? slow->sim->work->loss : NULL;
    if (a == NULL || b == NULL)
        return (a == NULL) == (b == NULL) || differs(result, "only one run has a loss account");
    if (a->reached != b->reached || a->wall != b->wall)
        return differs(result, "loss account: reached %lld of %llu, step by step %lld of %llu",
                       (long long)a->reached, (unsigned long long)a->wall, (long long)b->reached,
                       (unsigned long long)b->wall);
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->lines[i].cycles != b->lines[i].cycles ||
            strcmp(a->lines[i].text, b->lines[i].text) != 0)
            return differs(result, "loss account: %lld '%s', step by step %lld '%s'",
                           (long long)a->lines[i].cycles, a->lines[i].text,
                           (long long)b->lines[i].cycles, b->lines[i].text);
    return a->count == b->count ||
           differs(result, "the loss accounts have %u and %u lines", a->count, b->count);
}

// What `tensim run' says, but for the cycle in which it was detected. `early`: and for the words on their way
// through the FIFOs of a front end then.
static char *explain(const struct end *end, bool early)
{
    struct ts_hang hang = ts_hang_new(end->kernel, end->run.cycle);
    json_t *document = ts_hang_json(&hang, end->kernel);
    json_object_del(document, "cycle");
    char *text = json_dumps(document, JSON_INDENT(1));
    for (char *at = text; early && (at = strstr(at, "; FIFOs ")) != NULL;) {
        const char *rest = strchr(at, '"');
        memmove(at, rest, strlen(rest) + 1);
    }
    json_decref(document);
    ts_hang_free(&hang);
    return text;
}

static bool same_hang(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    const bool early = fast->run.cycle != slow->run.cycle;
    char *a = explain(fast, early), *b = explain(slow, early);
    size_t i = 0, line = 0; // the first line that differs
    for (; a[i] && a[i] == b[i]; i++)
        line = a[i] == '\n' ? i + 1 : line;
    const bool same = a[i] == b[i];
    if (!same)
        differs(result, "explains the hang by '%.*s', step by step '%.*s'",
                (int)strcspn(a + line, "\n"), a + line, (int)strcspn(b + line, "\n"), b + line);
    free(a);
    free(b);
    return same;
}

static bool same(const struct end *fast, const struct end *slow, struct fuzz_result *result)
{
    if (!same_end(fast, slow, result))
        return false;
    if (fast->kernel == NULL || fast->run.cycle == 0) {
        result->verdict = FUZZ_REFUSED;
        snprintf(result->text, sizeof result->text, "%.600s", fast->text);
        return false;
    }
    if (fast->code == TS_BUG)
        return differs(result, "both ways: %.600s", fast->text);
    for (unsigned i = 0; i < fast->tile_count; i++)
        if (!same_tile(fast->tiles[i], slow->tiles[i], result) ||
            (!beyond(fast) && !same_cores(fast->tiles[i], slow->tiles[i], result)))
            return false;
    return same_stats(fast, slow, result) && same_window(fast, slow, result) &&
           same_loss(fast, slow, result);
}

// Reads the case's program, or that of a file.
static struct ts_hang_program *program_of(const struct fuzz_case *self, const char *file,
                                          struct ts_error *error)
{
    struct ts_hang_program *program = calloc(1, sizeof *program);
    if (file) {
        ts_hang_program_read(program, file, NULL, self->chip, error);
        return program;
    }
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fuzz_write(self, to);
    fclose(to);
    ts_hang_program_read(program, "fuzz.yaml", text, self->chip, error);
    free(text);
    return program;
}

// The first fault's cycle.
static ts_cycle fault_of(const struct end *end)
{
    ts_cycle first = TS_NEVER;
    for (size_t i = 0; i < ts_kernel_domain_count(end->kernel); i++) {
        const struct ts_domain *domain = ts_kernel_domain(end->kernel, i);
        if (domain->faulted && domain->fault_cycle < first)
            first = domain->fault_cycle;
    }
    return first;
}

// Runs it both ways. False: everything is to be the same up to the cycle `before`, too. A hang of cores
// that poll is found earlier where they are parked; and of a fault.
static bool both(const struct fuzz_case *self, const struct ts_hang_program *program,
                 struct fuzz_result *result, ts_cycle *before)
{
    struct end fast = {0}, slow = {0};
    if (program) {
        run_program(self, program, true, &fast);
        run_program(self, program, false, &slow);
    } else {
        run_kernel(self, true, &fast);
        run_kernel(self, false, &slow);
    }
    bool found = fast.code == TS_HANG && fast.run.cycle <= slow.run.cycle &&
                 (slow.code == TS_HANG || slow.code == TS_LIMIT);
    if (fast.overwrites || slow.overwrites) {
        // A core that is ahead has executed code that others overwrite before its cycle.
        result->verdict = FUZZ_REFUSED;
        snprintf(result->text, sizeof result->text, "the program overwrites its code");
    } else if (!found)
        same(&fast, &slow, result);
    else if (slow.code == TS_HANG)
        same_hang(&fast, &slow, result);
    *before = fast.run.cycle - 1;
    if (result->verdict == FUZZ_SAME && fast.run.stop == TS_STOP_FAULT && fast.kernel) {
        *before = fault_of(&fast);
        found = *before != 0 && *before != TS_NEVER;
    }
    result->cycles = fast.run.cycle;
    result->code = (int)fast.code;
    free_end(&fast);
    free_end(&slow);
    return !found || result->verdict != FUZZ_SAME;
}

void fuzz_compare(const struct fuzz_case *self, const char *file, struct fuzz_result *result)
{
    struct ts_error error = {0};
    struct ts_hang_program *program = self->kernel[0] ? NULL : program_of(self, file, &error);
    ts_cycle before;
    *result = (struct fuzz_result){.verdict = FUZZ_SAME};
    if (error.code != TS_OK) {
        result->verdict = FUZZ_REFUSED;
        snprintf(result->text, sizeof result->text, "%.600s", error.text);
    } else if (!both(self, program, result, &before)) {
        struct fuzz_case *cut = malloc(sizeof *cut);
        struct fuzz_result whole = *result;
        *cut = *self;
        cut->cut = before;
        both(cut, program, result, &before);
        result->cycles = whole.cycles;
        result->code = whole.code;
        free(cut);
    }
    free(program);
}
