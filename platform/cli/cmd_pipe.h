// tensim pipe in its parts: one run or a sweep (cmd_pipe.c), and tuning (cmd_pipe_tune.c).
#ifndef TENSIM_CLI_CMD_PIPE_H
#define TENSIM_CLI_CMD_PIPE_H

int ts_cmd_pipe_tune(int argc, char **argv);

#endif
