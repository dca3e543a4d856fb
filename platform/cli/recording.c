#include "platform/cli/recording.h"

void ts_following_config(struct tensim_config *config, const char *record, const char *near)
{
    if ((near || record) && config->perturb_max == 0) {
        config->perturb_max = 1;
        config->perturb_holds = "";
    }
}

void ts_following_begin(struct ts_following *self, const struct ts_session *session,
                        struct ts_tile *tile, size_t i)
{
    if (session->record && i == 0)
        self->recorder = ts_recorder_new(tile);
    if (session->near && self->near == NULL)
        self->near = ts_near_new();
    if (session->near)
        ts_near_watch(self->near, tile);
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

static void write_recording(const struct ts_following *self, const struct ts_session *session,
                            const char *name, FILE *file)
{
    char *command = ts_record_command(session->argc, session->argv);
    ts_recorder_write(self->recorder, name, command, 0, file);
    free(command);
}

int ts_following_end(struct ts_following *self, const struct ts_session *session, const char *name,
                     int code)
{
    struct ts_error error = {0};
    if (self->near)
        ts_near_end(self->near);
    if (self->recorder || self->near) {
        struct ts_file *file = ts_file_open(session->record ? session->record : session->near,
                                            &error);
        if (file && self->recorder)
            write_recording(self, session, name, ts_file_stream(file));
        else if (file)
            ts_near_write(self->near, ts_file_stream(file));
        if (file)
            ts_file_close(file, &error);
    }
    ts_recorder_free(self->recorder);
    ts_near_free(self->near);
    return error.code == TS_OK ? code : ts_complain_error(&error);
}
