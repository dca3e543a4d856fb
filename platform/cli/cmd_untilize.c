// tensim untilize: runs the built-in kernel and says how fast, what bounds it and how exact.
#include "platform/cli/kernel_options.h"

int ts_cmd_untilize(int argc, char **argv);
int ts_cmd_untilize(int argc, char **argv)
{
    return ts_kernel_command("untilize", "Bring tiles into rows of a matrix.", argc, argv);
}
