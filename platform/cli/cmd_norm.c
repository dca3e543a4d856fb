// tensim norm: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_norm(int argc, char **argv);
int ts_cmd_norm(int argc, char **argv)
{
    return ts_job_command(
        "norm", "Softmax or RMSNorm of every row of a matrix: --op softmax, rmsnorm.", argc, argv);
}
