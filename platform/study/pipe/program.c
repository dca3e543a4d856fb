// A program of the TPUSH/TPOP machine as a thing: its parts by name, its verdicts, its end.
#include "platform/study/pipe/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_pipe_verdict_names[] = {"pass",    "differs", "hazard", "deadlock",
                                             "refused", "limit",   NULL};

const char *ts_pipe_verdict_name(enum ts_pipe_verdict verdict)
{
    return ts_pipe_verdict_names[verdict];
}

void *ts_pipe_or_die(void *memory)
{
    if (memory == NULL) {
        fputs("tensim: out of memory\n", stderr);
        abort();
    }
    return memory;
}

int ts_pipe_find_tile(const struct ts_machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->tile_count; i++)
        if (strcmp(machine->tiles[i].name, name) == 0)
            return (int)i;
    return -1;
}

int ts_pipe_find_tensor(const struct ts_machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->tensor_count; i++)
        if (strcmp(machine->tensors[i].name, name) == 0)
            return (int)i;
    return -1;
}

int ts_pipe_find_pipe(const struct ts_machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        if (strcmp(machine->pipes[i].name, name) == 0)
            return (int)i;
    return -1;
}

void ts_pipe_program_free(struct ts_pipe_program *self)
{
    struct ts_machine *machine = &self->machine;
    for (uint32_t i = 0; i < machine->tensor_count; i++) {
        free(self->data[i].file);
        free(self->data[i].expect);
        free(self->data[i].save);
    }
    free(self->data);
    free(self->params);
    free(self->peaks);
    free(self->axes);
    free(machine->tensors);
    free(machine->tiles);
    free(machine->pipes);
    free(machine->words);
    free(machine->code[0].insn);
    free(machine->code[1].insn);
    ts_params_free(&self->timing);
    memset(self, 0, sizeof *self);
}
