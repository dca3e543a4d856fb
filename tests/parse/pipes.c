// TPUSH/TPOP programs in their three forms.
#include "platform/study/pipe/program.h"
#include "tests/parse/parse.h"

static void pipe_as(const char *name, const char *bytes)
{
    static struct ts_pipe_program program;
    struct ts_error error = {0};
    ts_pipe_load(&program, name, bytes, NULL, &error);
    ts_pipe_program_free(&program);
}

void parse_pipe_yaml(const char *bytes, size_t length)
{
    (void)length;
    pipe_as("in.yaml", bytes);
}

void parse_pipe_pto(const char *bytes, size_t length)
{
    (void)length;
    pipe_as("in.pto", bytes);
}

void parse_pipe_cpp(const char *bytes, size_t length)
{
    (void)length;
    pipe_as("in.cpp", bytes);
}
