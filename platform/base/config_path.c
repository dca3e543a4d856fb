// Where the files of config/ are. An installed tensim has them in PREFIX/share/tensim, wherever
// PREFIX was moved to: it looks there from its own place, PREFIX/bin, PREFIX/lib[/ARCHITECTURE] or below.
#include "platform/base/params.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#define INSTALLED "share/tensim"
#define LEVELS    4 // folders between PREFIX and the file: lib/ARCHITECTURE/tensim/ttsim

// PREFIX/share/tensim for a file below PREFIX. False: it is not there.
static bool installed_near(const char *file, char *folder, size_t size)
{
    char place[PATH_MAX], marker[PATH_MAX + 64];
    if (realpath(file, place) == NULL)
        return false;
    for (int level = 0; level <= LEVELS; level++) {
        char *slash = strrchr(place, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
        snprintf(marker, sizeof marker, "%s/" INSTALLED "/blackhole.yaml", place);
        if (level > 0 && access(marker, R_OK) == 0)
            return snprintf(folder, size, "%s/" INSTALLED, place) < (int)size;
    }
    return false;
}

static const char here; // an address of this object

// share/tensim of the installation that this program or shared library belongs to.
static bool installed(char *folder, size_t size)
{
    Dl_info object;
    char program[PATH_MAX] = "";
    const char *slash = readlink("/proc/self/exe", program, sizeof program - 1) > 0
                            ? strrchr(program, '/')
                            : NULL;
    if (slash && (size_t)(slash - program) == strlen(TENSIM_BUILD_DIR) &&
        strncmp(program, TENSIM_BUILD_DIR "/", strlen(TENSIM_BUILD_DIR) + 1) == 0)
        return false; // it stands where it was built
    return (dladdr(&here, &object) != 0 && object.dli_fname &&
            installed_near(object.dli_fname, folder, size)) ||
           installed_near("/proc/self/exe", folder, size);
}

void ts_config_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("TENSIM_CONFIG_PATH");
    char near[PATH_MAX];
    if (folder == NULL || *folder == '\0')
        folder = installed(near, sizeof near) ? near : TENSIM_CONFIG_DIR;
    snprintf(path, size, "%.4000s/%s", folder, name);
}

static int is_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".yaml") == 0;
}

const char *ts_config_names(const char *folder, char *text, size_t size)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    ts_config_path(path, sizeof path, folder);
    int count = scandir(path, &entries, is_yaml, alphasort);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        int length = (int)(strrchr(entries[i]->d_name, '.') - entries[i]->d_name);
        ts_append(text, size, "%s%.*s", i ? ", " : "", length, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return text;
}

void ts_sdk_path(char *path, size_t size, const char *name)
{
    char near[PATH_MAX];
    if (installed(near, sizeof near))
        snprintf(path, size, "%s/guest/%s", near, name);
    else
        snprintf(path, size, "%s/%s", TENSIM_SDK_DIR, name);
}
