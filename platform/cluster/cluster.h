// One simulation over several processes, which a launcher (mpirun, srun) has started: the chips of a system are divided over
// them (kernel/cluster.h).
//
// Every process runs the same command, with its memory at fixed addresses and a heap for each chip (save/region.h), so a
// pointer means the same in all of them. The first one talks and writes files; the others keep silent, and end when the
// simulation has ended.
#pragma once

#include "platform/base/error.h"

// Runs `main` in this process as one of several. Returns its exit code.
int ts_cluster_main(int (*main)(int, char **), int argc, char **argv);
// Is this a cluster, and which of its processes?
unsigned ts_cluster_ranks(void);
bool ts_cluster_first(void);
// The model is built and run between these: its memory is the same in all processes. No model may be left behind that is
// built elsewhere. Nothing to do in one process.
void ts_cluster_model(bool begins);
// The largest of the exit codes of all processes: what fails in one ends all.
int ts_cluster_agree(int code);
// The simulation has ended: of all processes only the first one returns.
void ts_cluster_end(void);
