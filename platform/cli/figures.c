// Figures of a page as files (common.h).
#include "platform/base/private.h"
#include "platform/cli/results.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEGIN "id=\"figures\">"
#define END   "</script>"

// In the child: the browser prints the page as its scripts left it.
static void browse(const char *address, int to)
{
    const char *own = getenv("TENSIM_BROWSER");
    const char *const browsers[] = {own, "chromium", "google-chrome", "chrome"};
    if (dup2(to, STDOUT_FILENO) < 0 || freopen("/dev/null", "w", stderr) == NULL)
        _exit(126);
    for (size_t i = own ? 0 : 1; i < (own ? 1 : sizeof browsers / sizeof *browsers); i++)
        execlp(browsers[i], browsers[i], "--headless=new", "--no-sandbox", "--disable-gpu",
               "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,900",
               "--virtual-time-budget=20000", "--dump-dom", address, (char *)NULL);
    _exit(127);
}

// All that the browser prints; NULL: error says why. Freed by the caller.
static char *page_of(const char *address, struct ts_error *error)
{
    int ends[2], status = 0;
    char *text = NULL, part[4096];
    size_t size = 0;
    ssize_t got;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL || pipe(ends) != 0)
        return ts_nothing(error, TS_SETUP, "a browser cannot be started: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        browse(address, ends[1]);
    close(ends[1]);
    while (child > 0 && (got = read(ends[0], part, sizeof part)) > 0)
        fwrite(part, 1, (size_t)got, memory);
    close(ends[0]);
    fclose(memory);
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
        ts_fail(error, TS_SETUP, "%s",
                child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127
                    ? "--write=svg needs a browser: install chromium, or set TENSIM_BROWSER to one "
                      "that "
                      "takes Chromium's options (the buttons of the page work in every browser)"
                    : "the browser has failed");
        free(text);
        return NULL;
    }
    return text;
}

static void write_text(const void *text, FILE *file)
{
    fputs(text, file);
}

// The list that the page leaves: [{name, svg}, ...].
static json_t *list_of(char *text, struct ts_error *error)
{
    char *begin = strstr(text, BEGIN), *end = begin ? strstr(begin, END) : NULL;
    json_error_t wrong;
    json_t *list = NULL;
    if (end) {
        *end = '\0';
        list = json_loads(begin + strlen(BEGIN), 0, &wrong);
    }
    if (list == NULL)
        ts_fail(error, TS_SETUP, "the browser did not draw the figures");
    return list;
}

enum ts_code ts_figures_write(const char *directory, const char *page, struct ts_error *error)
{
    char whole[PATH_MAX], address[PATH_MAX + 16], path[PATH_MAX];
    snprintf(path, sizeof path, "%.3800s/%s", directory, page);
    if (realpath(path, whole) == NULL)
        return ts_fail(error, TS_SETUP, "%.300s: %s", path, strerror(errno));
    snprintf(address, sizeof address, "file://%s#svg", whole);
    char *text = page_of(address, error);
    json_t *list = text ? list_of(text, error) : NULL, *figure;
    size_t index;
    snprintf(path, sizeof path, "%.3800s/svg", directory);
    if (list && mkdir(path, 0777) != 0 && errno != EEXIST)
        ts_fail(error, TS_SETUP, "%.300s: %s", path, strerror(errno));
    else if (list && !ts_private_below(directory, path))
        ts_fail(error, TS_SETUP, "%.300s: leads out of the directory", path);
    json_array_foreach(list, index, figure)
    {
        const char *name = json_string_value(json_object_get(figure, "name")),
                   *svg = json_string_value(json_object_get(figure, "svg"));
        if (error->code != TS_OK || name == NULL || svg == NULL || strchr(name, '/'))
            continue;
        snprintf(path, sizeof path, "%.3600s/svg/%.*s-%s", directory, (int)strcspn(page, "."), page,
                 name);
        error->code = (enum ts_code)ts_output(path, write_text, svg);
        if (error->code == TS_OK)
            printf("%s\n", path);
    }
    json_decref(list);
    free(text);
    return error->code;
}
