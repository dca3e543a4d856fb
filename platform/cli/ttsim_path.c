// Where libttsim.so is: found from the program's own place.
#include "platform/cli/common.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ts_ttsim_path(char *path)
{
    static const char *const places[] = {"ttsim", TENSIM_MODULES "/ttsim"};
    char self[PATH_MAX], place[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(place, sizeof place, "%s/%s/libttsim.so", self, places[i]);
        if (realpath(place, path))
            return TS_OK;
    }
    return ts_complain(TS_SETUP, "libttsim.so is neither in %s/%s nor in %s/%s", self, places[0],
                       self, places[1]);
}
