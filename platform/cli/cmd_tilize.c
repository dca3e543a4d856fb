// tensim tilize: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/kernel_options.h"

int ts_cmd_tilize(int argc, char **argv);
int ts_cmd_tilize(int argc, char **argv)
{
    return ts_kernel_command("tilize", "Bring rows of a matrix into tiles.", argc, argv);
}
