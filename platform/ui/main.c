// tensim-ui TENSIM PORT ALLOWED FOLDER...: `tensim ui' starts it. ALLOWED: programs, or nothing.
#include "platform/ui/ui.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { EXIT_SETUP = 3 };

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    uv_stop(handle->loop);
}

// Folders are looked at while somebody sees the page.
static void on_time(uv_timer_t *timer)
{
    struct ts_ui *ui = timer->data;
    if (ts_ui_server_watched(ui->server) && ts_ui_folders_look(ui->runs))
        ts_ui_server_changed(ui->server, true, false);
}

static bool open_folders(struct ts_ui *ui, int count, char **paths)
{
    if (count > TS_UI_FOLDERS) {
        fprintf(stderr, "tensim: at most %d folders\n", TS_UI_FOLDERS);
        return false;
    }
    for (int i = 0; i < count; i++) {
        ui->folders[i] = realpath(paths[i], NULL);
        ui->opened[i] = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (ui->opened[i] < 0 || ui->folders[i] == NULL) {
            fprintf(stderr, "tensim: %.300s: not a folder that can be opened\n", paths[i]);
            return false;
        }
        ui->folder_count++;
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct ts_ui ui;
    if (argc < 6) {
        fprintf(stderr, "tensim: tensim-ui is started by `tensim ui'\n");
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    ui.tensim = argv[1];
    ui.programs = strcmp(argv[3], "programs") == 0;
    FILE *catalogue = fdopen(atoi(argv[4]), "r");
    ui.catalogue = catalogue ? json_loadf(catalogue, 0, NULL) : NULL;
    ui.catalogue_text = json_dumps(ui.catalogue, JSON_COMPACT);
    if (catalogue)
        fclose(catalogue);
    uv_loop_init(&ui.loop);
    if (!open_folders(&ui, argc - 5, argv + 5))
        return EXIT_SETUP;
    ui.runs = ts_ui_folders_new(&ui);
    ui.jobs = ts_ui_jobs_new(&ui);
    ui.server = ts_ui_server_new(&ui, (unsigned)strtoul(argv[2], NULL, 10));
    if (ui.server == NULL)
        return EXIT_SETUP;
    uv_timer_t timer = {.data = &ui};
    uv_signal_t signals[2];
    uv_timer_init(&ui.loop, &timer);
    uv_timer_start(&timer, on_time, 1000, 1000);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&ui.loop, &signals[i]);
        uv_signal_start(&signals[i], on_signal, i ? SIGTERM : SIGINT);
    }
    printf("%s\n", ts_ui_server_address(ui.server));
    fflush(stdout);
    fprintf(stderr, "tensim: open this address in a browser of this host; Ctrl-C ends the page\n");
    uv_run(&ui.loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_close((uv_handle_t *)&signals[0], NULL);
    uv_close((uv_handle_t *)&signals[1], NULL);
    ts_ui_jobs_free(ui.jobs);
    ts_ui_server_free(ui.server);
    ts_ui_folders_free(ui.runs);
    uv_run(&ui.loop, UV_RUN_DEFAULT);
    uv_loop_close(&ui.loop);
    json_decref(ui.catalogue);
    free(ui.catalogue_text);
    for (unsigned i = 0; i < ui.folder_count; i++) {
        close(ui.opened[i]);
        free((char *)ui.folders[i]);
    }
    return 0;
}
