// Where the other parts of an installed or built tensim are: found from the program's own place.
#include "platform/base/private.h"
#include "platform/cli/common.h"

#include <unistd.h>

static const char *const places[] = {".", TENSIM_MODULES};

bool ts_part_path(const char *name, char *path)
{
    char folder[PATH_MAX], place[2 * PATH_MAX];
    ts_private_program(folder, sizeof folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(place, sizeof place, "%s/%s/%s", folder, places[i], name);
        if (realpath(place, path))
            return true;
    }
    return false;
}

int ts_ttsim_path(const char *system, char *path)
{
    char folder[PATH_MAX], name[96];
    if (!ts_part_path("ttsim/libttsim.so", path)) {
        ts_private_program(folder, sizeof folder);
        return ts_complain(TS_SETUP, "libttsim.so is neither in %s/ttsim nor in %s/%s/ttsim",
                           folder, folder, places[1]);
    }
    if (system == NULL)
        return TS_OK;
    // The library there is a link, and must be: by its place it finds the descriptor.
    snprintf(name, sizeof name, "ttsim/%.64s/soc_descriptor.yaml", system);
    if (strchr(system, '/') || !ts_part_path(name, path))
        return ts_complain(TS_USAGE,
                           "no folder for the cards '%.64s'; there are n150, and the names "
                           "of config/systems/descriptors",
                           system);
    strcpy(strrchr(path, '/') + 1, "libttsim.so");
    return TS_OK;
}
