// A program of the TPUSH/TPOP machine as a thing: its parts by name, its expressions, its verdicts, its end.
#include "platform/study/pipe/program.h"

const char *const ts_pipe_verdict_names[] = {
#define TS_PIPE_VERDICT(id, name, code) name,
#include "config/tpipe.def"
    NULL};

void *ts_pipe_or_die(void *memory)
{
    return ts_need(memory, "the pipe program");
}

int ts_pipe_find(const void *list, uint32_t count, size_t size, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp((const char *)list + i * size, name) == 0)
            return (int)i;
    return -1;
}

// --- expressions ---

// What a name stands for: a variable, or the value of a parameter.
static bool resolve(const struct ts_pipe_scope *scope, const char *name, struct ts_expr_word *word)
{
    for (int i = 0; i < TS_VARS; i++)
        if (scope->vars[i] && strcmp(scope->vars[i], name) == 0) {
            word->value = i;
            return true;
        }
    const struct ts_pipe_program *program = scope->program;
    for (uint32_t i = 0; i < program->param_count; i++)
        if (strcmp(program->params[i].name, name) == 0) {
            *word = (struct ts_expr_word){TS_EXPR_NUMBER, program->params[i].value};
            return true;
        }
    return false;
}

static bool add_word(void *context, const struct ts_expr_step *step, char *why, size_t room)
{
    struct ts_pipe_scope *scope = context;
    struct ts_machine *machine = &scope->program->machine;
    struct ts_expr_word word = {step->op, (int64_t)step->whole};
    if (step->op == TS_EXPR_NAME && !resolve(scope, step->name, &word)) {
        snprintf(why, room, "nothing is called %.40s", step->name);
        return false;
    }
    if ((machine->word_count & 255) == 0)
        machine->words = ts_pipe_or_die(
            realloc(machine->words, (machine->word_count + 256) * sizeof *machine->words));
    machine->words[machine->word_count++] = word;
    return true;
}

bool ts_pipe_expr(struct ts_pipe_scope *scope, const char **at, struct ts_expr *expr, char *why,
                  size_t room)
{
    struct ts_machine *machine = &scope->program->machine;
    const struct ts_expr_sink sink = {add_word, scope, .matrices = false};
    *expr = (struct ts_expr){.first = machine->word_count};
    if (!ts_expr_parse(at, &sink, why, room))
        return false;
    expr->count = machine->word_count - expr->first;
    for (uint32_t i = expr->first; i < machine->word_count; i++)
        if (machine->words[i].op == TS_EXPR_NAME)
            return true;
    expr->value = ts_expr_run(machine->words, expr, NULL);
    expr->constant = true;
    machine->word_count = expr->first;
    return true;
}

// --- the end ---

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
