// tensim sfpu: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_sfpu(int argc, char **argv);
int ts_cmd_sfpu(int argc, char **argv)
{
    return ts_job_command("sfpu",
                          "Apply a function to every element with the vector unit: copy relu "
                          "exp reciprocal sigmoid gelu.",
                          argc, argv);
}
