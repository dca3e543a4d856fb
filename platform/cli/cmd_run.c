// placeholder
#include "platform/cli/common.h"
int ts_cmd_run(int argc, char **argv);
int ts_cmd_run(int argc, char **argv){(void)argc;(void)argv;return 0;}
