#include "platform/crew/spawn.h"

#include "platform/base/private.h"
#include "platform/crew/crew.h"

#include <spawn.h>
#include <sys/wait.h>

// How well a line says why: the compiler's error, our own message, any other.
static int says_why(const char *line)
{
    bool own = strncmp(line, "tensim", 6) == 0;
    return strstr(line, "error: ") ? 3 : own && strstr(line, "warning: ") == NULL ? 2 : 1;
}

// The first of the lines that say best why.
static void reason(FILE *file, char *text, size_t size)
{
    char line[1024];
    int best = 0;
    text[0] = '\0';
    if (fseek(file, 0, SEEK_SET) != 0)
        return;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *after = strncmp(line, "tensim", 6) == 0 ? strstr(line, ": ") : NULL;
        if (says_why(line) > best) {
            best = says_why(line);
            snprintf(text, size, "%s", after ? after + 2 : line);
        }
    }
}

static int execute(char **argv, FILE *out, FILE *messages)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
    pid_t pid;
    int status = 0;
    char **variables = ts_crew_environment();
    bool started = variables &&
                   posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, variables) == 0;
    free(variables);
    posix_spawn_file_actions_destroy(&actions);
    if (!started || waitpid(pid, &status, 0) != pid)
        return TS_SETUP;
    return WIFEXITED(status) ? WEXITSTATUS(status) : TS_SIGNAL + WTERMSIG(status);
}

int ts_spawn(const char *const *words, size_t count, json_t **document, char *said, size_t size)
{
    const char *argv[TS_SPAWN_WORDS + 6] = {"tensim"};
    size_t n = 1;
    FILE *out = ts_temporary_file(), *messages = ts_temporary_file();
    int code = TS_SETUP;
    if (out == NULL || messages == NULL || count > TS_SPAWN_WORDS) {
        snprintf(said, size, "no temporary file: %s", strerror(errno));
    } else {
        for (size_t i = 0; i < count; i++)
            argv[n++] = words[i];
        argv[n++] = "-q";
        if (document) {
            argv[n++] = "--json";
            argv[n++] = "-";
        }
        argv[n] = NULL;
        code = execute((char **)(uintptr_t)argv, out, messages);
        reason(messages, said, size);
        if (document && fseek(out, 0, SEEK_SET) == 0)
            *document = json_loadf(out, JSON_DISABLE_EOF_CHECK, NULL);
    }
    if (out)
        fclose(out);
    if (messages)
        fclose(messages);
    return code;
}
