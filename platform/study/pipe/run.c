#include "platform/study/pipe/run.h"

#include "cores/pto/number.h"
#include "platform/base/hash.h"
#include "platform/out/file.h"

// --- before ---

static enum ts_code fill_gm(struct ts_pipe_run *self, struct ts_error *error)
{
    const struct ts_machine *machine = &self->program->machine;
    if (!machine->data)
        return TS_OK;
    self->gm = ts_pipe_or_die(calloc(machine->gm_bytes + 1, 1));
    for (uint32_t i = 0; i < machine->tensor_count; i++)
        if (!machine->tensors[i].window &&
            ts_pipe_fill(self->program, i, self->gm + machine->tensors[i].gm, error) != TS_OK)
            return error->code;
    for (uint32_t i = 0; i < machine->clusters; i++)
        memcpy(self->cluster[i].mem[TS_MEM_GM][0], self->gm, machine->gm_bytes);
    return TS_OK;
}

enum ts_code ts_pipe_run_begin(struct ts_pipe_run *self, struct ts_pipe_program *program,
                               struct ts_kernel *kernel, struct ts_error *error)
{
    const struct ts_machine *machine = &program->machine;
    *self = (struct ts_pipe_run){.program = program, .kernel = kernel, .tape = self->tape};
    self->cluster = ts_kernel_alloc(kernel, machine->clusters * sizeof *self->cluster);
    for (uint32_t i = 0; i < machine->clusters; i++)
        if (!ts_cluster_init(&self->cluster[i], ts_domain_new(kernel, "cluster[%u]", i), machine,
                             i))
            return ts_fail(error, TS_SETUP, "not enough memory for %u clusters", machine->clusters);
    self->cluster[0].tape = self->tape;
    return fill_gm(self, error);
}

// --- after ---

// Every cluster has its own GM; what it stored to is carried over, and may be stored to by one
// cluster only.
static void merge_gm(struct ts_pipe_run *self, uint8_t *merged)
{
    const struct ts_machine *machine = &self->program->machine;
    if (machine->clusters == 1) {
        memcpy(merged, self->cluster[0].mem[TS_MEM_GM][0], machine->gm_bytes);
        return;
    }
    uint8_t *owner = ts_pipe_or_die(calloc(machine->gm_bytes + 1, 1));
    memcpy(merged, self->gm, machine->gm_bytes);
    for (uint32_t t = 0; t < machine->tensor_count; t++) {
        const struct ts_tensor_decl *tensor = &machine->tensors[t];
        uint64_t bytes = ts_tensor_bytes(tensor);
        bool shown = tensor->window;
        for (uint32_t c = 0; c < machine->clusters && !tensor->window; c++) {
            const uint8_t *from = self->cluster[c].mem[TS_MEM_GM][0],
                          *written = self->cluster[c].gm_written;
            for (uint64_t i = tensor->gm; i < tensor->gm + bytes; i++) {
                if (!written[i])
                    continue;
                if (owner[i] && merged[i] != from[i] && !shown) {
                    ts_finding_add(&self->findings, TS_FINDING_GM_RACE,
                                   (struct ts_spot){.line = tensor->line, .object = tensor->name},
                                   "tensor %s: cluster %u and one before it stored different bytes "
                                   "at offset %llu",
                                   tensor->name, c, (unsigned long long)(i - tensor->gm));
                    shown = true;
                }
                owner[i] = 1;
                merged[i] = from[i];
            }
        }
    }
    free(owner);
}

static void compare(const struct ts_pipe_run *self, struct ts_pipe_output *output,
                    const uint8_t *gm, struct ts_error *error)
{
    const struct ts_tensor_decl *tensor = &self->program->machine.tensors[output->tensor];
    const struct ts_pipe_data *data = &self->program->data[output->tensor];
    double *want = ts_pipe_golden(self->program, self->gm, data->expect, tensor->rows, tensor->cols,
                                  error);
    if (want == NULL)
        return;
    size_t size = ts_dtype_bytes(tensor->type);
    output->compared = true;
    for (uint32_t row = 0; row < tensor->rows; row++)
        for (uint32_t col = 0; col < tensor->cols; col++) {
            size_t i = (size_t)row * tensor->cols + col;
            double got = ts_load_double(gm + tensor->gm + i * size, tensor->type);
            double difference = fabs(got - want[i]);
            bool bad = !(difference <= data->tolerance * (1 + fabs(want[i])));
            output->wrong += bad;
            if (!(difference <= output->worst)) {
                output->worst = difference;
                output->row = row;
                output->col = col;
                output->got = got;
                output->want = want[i];
            }
        }
    free(want);
}

static void look_at_outputs(struct ts_pipe_run *self, bool finished, struct ts_error *error)
{
    const struct ts_machine *machine = &self->program->machine;
    uint8_t *merged = ts_pipe_or_die(calloc(machine->gm_bytes + 1, 1));
    merge_gm(self, merged);
    self->outputs = ts_pipe_or_die(calloc(machine->tensor_count + 1, sizeof *self->outputs));
    for (uint32_t i = 0; i < machine->tensor_count; i++) {
        const struct ts_tensor_decl *tensor = &machine->tensors[i];
        size_t bytes = ts_tensor_bytes(tensor);
        if (!tensor->out || tensor->window)
            continue;
        struct ts_pipe_output *output = &self->outputs[self->output_count++];
        output->tensor = i;
        output->hash = ts_hash_bytes(TS_HASH_START, merged + tensor->gm, bytes);
        if (finished && self->program->data[i].expect)
            compare(self, output, merged, error);
        if (finished && self->program->data[i].save)
            ts_file_bytes(self->program->data[i].save, merged + tensor->gm, bytes, error);
    }
    free(self->gm);
    self->gm = merged;
}

static const struct ts_finding *first_of(const struct ts_findings *findings, char kind)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (ts_finding_rows[findings->item[i].id].kind == kind &&
            findings->item[i].id != TS_FINDING_DEADLOCK)
            return &findings->item[i];
    return NULL;
}

static void judge(struct ts_pipe_run *self)
{
    const struct ts_finding *hazard = first_of(&self->findings, 'R');
    if (hazard == NULL)
        hazard = first_of(&self->findings, 'K');
    if (hazard == NULL && self->findings.seen[TS_FINDING_FLAG_RANGE])
        hazard = first_of(&self->findings, 'C');
    self->verdict = TS_PIPE_PASS;
    snprintf(self->why, sizeof self->why, "the program ended");
    if (self->run.stop == TS_STOP_DEADLOCK) {
        self->verdict = TS_PIPE_DEADLOCK;
        snprintf(self->why, sizeof self->why, "nothing can move any more");
        for (uint32_t i = 0; i < self->findings.count; i++)
            if (self->findings.item[i].id == TS_FINDING_NO_TFREE)
                snprintf(self->why, sizeof self->why, "a TFREE of pipe %s is missing",
                         self->findings.item[i].object);
    } else if (self->run.stop != TS_STOP_DONE) {
        self->verdict = TS_PIPE_LIMIT;
        snprintf(self->why, sizeof self->why, "stopped: %s", ts_stop_name(self->run.stop));
    } else if (hazard) {
        self->verdict = TS_PIPE_HAZARD;
        snprintf(self->why, sizeof self->why, "%s: %s", ts_finding_rows[hazard->id].code,
                 hazard->text);
    } else {
        uint32_t compared = 0;
        for (uint32_t i = 0; i < self->output_count; i++) {
            const struct ts_pipe_output *output = &self->outputs[i];
            compared += output->compared;
            if (output->wrong && self->verdict == TS_PIPE_PASS) {
                self->verdict = TS_PIPE_DIFFERS;
                snprintf(self->why, sizeof self->why,
                         "%s differs in %llu elements; the worst at (%u, %u) is %g, not %g",
                         self->program->machine.tensors[output->tensor].name,
                         (unsigned long long)output->wrong, output->row, output->col, output->got,
                         output->want);
            }
        }
        if (self->verdict == TS_PIPE_PASS && compared)
            snprintf(self->why, sizeof self->why, "every output is as expected");
    }
}

enum ts_code ts_pipe_verdict_code(enum ts_pipe_verdict verdict)
{
    static const enum ts_code codes[] = {
#define TS_PIPE_VERDICT(id, name, code) code,
#include "config/tpipe.def"
    };
    return codes[verdict];
}

enum ts_code ts_pipe_run_end(struct ts_pipe_run *self, const struct ts_run *run,
                             struct ts_error *error)
{
    const struct ts_machine *machine = &self->program->machine;
    self->run = *run;
    ts_findings_merge(&self->findings, &self->program->findings);
    for (uint32_t i = 0; i < machine->clusters; i++) {
        ts_flags_settle(&self->cluster[i].flags);
        if (run->stop == TS_STOP_DEADLOCK)
            ts_cluster_stuck(&self->cluster[i], run->cycle);
        ts_findings_merge(&self->findings, &self->cluster[i].findings);
        for (unsigned core = 0; core < TS_CORES; core++)
            self->tile_ops += self->cluster[i].core[core].su.tile_ops;
        for (int half = 0; half < 2; half++)
            for (uint32_t p = 0; p < machine->pipe_count; p++) {
                struct ts_ring *ring = &self->cluster[i].ring[half][p];
                ring->area += ring->occupancy *
                              (run->cycle > ring->since ? run->cycle - ring->since : 0);
                ring->since = run->cycle;
            }
    }
    if (run->stop == TS_STOP_DEADLOCK) {
        char object[40];
        ts_finding_add(&self->findings, TS_FINDING_DEADLOCK, ts_pipe_stuck(self, object),
                       "no pipe can advance and nothing is on its way");
    }
    if (machine->data)
        look_at_outputs(self, run->stop == TS_STOP_DONE, error);
    if (error->code != TS_OK)
        return error->code;
    judge(self);
    return ts_pipe_verdict_code(self->verdict);
}

void ts_pipe_run_free(struct ts_pipe_run *self)
{
    for (uint32_t i = 0; self->cluster && i < self->program->machine.clusters; i++)
        ts_cluster_free(&self->cluster[i]);
    free(self->gm);
    free(self->outputs);
    self->gm = NULL;
    self->outputs = NULL;
    self->cluster = NULL;
}

enum ts_code ts_pipe_run_alone(struct ts_pipe_run *self, struct ts_pipe_program *program,
                               uint32_t threads, struct ts_error *error)
{
    *self = (struct ts_pipe_run){.program = program, .tape = self->tape};
    if (ts_pipe_refused(program)) {
        self->verdict = TS_PIPE_REFUSED;
        self->findings = program->findings;
        const struct ts_finding *first = first_of(&self->findings, 'C');
        first = first ? first : first_of(&self->findings, 'K');
        first = first ? first : first_of(&self->findings, 'W');
        snprintf(self->why, sizeof self->why, "%s: %s", ts_finding_rows[first->id].code,
                 first->text);
        return ts_pipe_verdict_code(self->verdict);
    }
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = threads});
    if (ts_pipe_run_begin(self, program, kernel, error) != TS_OK ||
        ts_kernel_elaborate(kernel, error) != TS_OK)
        return error->code;
    struct ts_run run = ts_kernel_run(kernel, program->limit);
    return ts_pipe_run_end(self, &run, error);
}

void ts_pipe_run_free_alone(struct ts_pipe_run *self)
{
    struct ts_kernel *kernel = self->kernel;
    ts_pipe_run_free(self);
    if (kernel)
        ts_kernel_free(kernel);
    self->kernel = NULL;
}
