// tensim eltwise: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_eltwise(int argc, char **argv);
int ts_cmd_eltwise(int argc, char **argv)
{
    return ts_job_command("eltwise",
                          "Add, subtract or multiply matrices element by element, with broadcasts.",
                          argc, argv);
}
