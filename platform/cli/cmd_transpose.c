// tensim transpose: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_transpose(int argc, char **argv);
int ts_cmd_transpose(int argc, char **argv)
{
    return ts_job_command("transpose", "Transpose a matrix tile by tile.", argc, argv);
}
