// Loads the MPI module (ranks.h) from the program's RUNPATH: the build folder, or PREFIX/lib/tensim.
#include "platform/crew/ranks.h"

#include <dlfcn.h>

// RTLD_GLOBAL: the plug-ins of Open MPI look for the names of its libraries.
const struct ts_ranks_ops *ts_ranks_load(unsigned ranks, struct ts_error *error)
{
    void *module = dlopen(TS_RANKS_MODULE, RTLD_NOW | RTLD_GLOBAL);
    const struct ts_ranks_ops *ops = module ? dlsym(module, TS_RANKS_NAME) : NULL;
    if (ops == NULL)
        ts_fail(error, TS_SETUP,
                "started as one of %u ranks, and MPI is not there (%s): install it "
                "(config/install-packages --mpi) and build again, or use --shard",
                ranks, dlerror());
    return ops;
}
