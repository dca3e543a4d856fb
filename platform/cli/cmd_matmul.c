// tensim matmul: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_matmul(int argc, char **argv);
int ts_cmd_matmul(int argc, char **argv)
{
    return ts_job_command("matmul",
                          "Multiply matrices on one tile: a blocked kernel on five RISC-V cores "
                          "and the coprocessor, operands and result in L1.",
                          argc, argv);
}
