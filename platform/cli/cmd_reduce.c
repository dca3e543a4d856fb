// tensim reduce: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/job_options.h"

int ts_cmd_reduce(int argc, char **argv);
int ts_cmd_reduce(int argc, char **argv)
{
    return ts_job_command("reduce", "Reduce the columns of every tile to a row: sum or max.", argc,
                          argv);
}
