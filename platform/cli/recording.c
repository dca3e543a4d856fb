#include "platform/cli/recording.h"

#include <stdlib.h>
#include <string.h>

struct ts_recorder *ts_record_begin(const struct ts_session *session, struct ts_tile *tile)
{
    return session->record ? ts_recorder_new(tile) : NULL;
}

char *ts_record_command(int argc, char **argv)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    const char *space = "";
    for (int i = 0; i < argc; i++) {
        // The first word is "tensim COMMAND" or the command.
        const char *word = i == 0 && strncmp(argv[i], "tensim ", 7) == 0 ? argv[i] + 7 : argv[i];
        bool record = strncmp(word, "--record", 8) == 0;
        if (record && word[8] == '\0')
            i++;
        if (record)
            continue;
        fprintf(file, strpbrk(word, " \t\"'$") ? "%s'%s'" : "%s%s", space, word);
        space = " ";
    }
    fclose(file);
    return text;
}

int ts_record_end(const struct ts_session *session, struct ts_recorder *recorder, const char *name,
                  int code)
{
    if (recorder == NULL)
        return code;
    struct ts_error error = {0};
    char *command = ts_record_command(session->argc, session->argv);
    struct ts_file *file = ts_file_open(session->record, &error);
    if (file)
        ts_recorder_write(recorder, name, command, 0, ts_file_stream(file));
    bool written = file && ts_file_close(file, &error);
    ts_recorder_free(recorder);
    free(command);
    return written ? code : ts_complain_error(&error);
}
