// tensim ui: a local server and one page. It shows the run directories below the given folders, opens
// their pages, compares two, and starts runs. A process of its own: runs are other processes, which it
// cannot harm.
//
//   browser -- HTTP, websocket --> server.c --> folders.c   run directories below the folders
//                                           --> jobs.c      runs that were started here
//                                           --> watch.c     the sockets of live runs (platform/live)
//
// One thread, one libuv loop; libwebsockets runs on it. The page gets states, not events: a client
// that reads slowly gets them less often, and nothing is kept for it.
#pragma once

#include "platform/base/std.h"

#include <jansson.h>
#include <uv.h>

enum { TS_UI_FOLDERS = 16 };

struct ts_ui {
    uv_loop_t loop;
    const char *tensim; // the program that is started
    const char *folders[TS_UI_FOLDERS];
    int opened[TS_UI_FOLDERS];
    unsigned folder_count;
    json_t *
        catalogue; // what comes with tensim (cli/catalogue.c), and the same as text; NULL: not known
    char *catalogue_text;
    bool programs; // a person lets the page start files of the folders
    struct ts_ui_server *server;
    struct ts_ui_folders *runs;
    struct ts_ui_jobs *jobs;
};

// --- folders.c ---

struct ts_ui_folders *ts_ui_folders_new(struct ts_ui *ui);
void ts_ui_folders_free(struct ts_ui_folders *self);
// Looks again; true: something is different.
bool ts_ui_folders_look(struct ts_ui_folders *self);
// What was seen: {"runs": [...]}, as text.
const char *ts_ui_folders_text(const struct ts_ui_folders *self);
// Opens a file of a run directory, "FOLDER/PATH/NAME" with the number of the folder; -1: there is none,
// the path leaves the folder, or NAME is not a file that runs write.
int ts_ui_folders_open(const struct ts_ui *ui, const char *path);
// The run directory "FOLDER/PATH" as a path for a command; NULL: there is none. Freed by the caller.
char *ts_ui_folders_path(const struct ts_ui *ui, const char *place);
// The command of the run directory, NULL: there is none. Freed by the caller.
char *ts_ui_folders_command(const struct ts_ui *ui, const char *place);
// The command in the line of a lock, "pid N, COMMAND", in the same memory; NULL: there is none.
char *ts_ui_lock_command(char *line);
// The socket of a live run there, opened as a path only; -1: there is none.
int ts_ui_folders_socket(const struct ts_ui *ui, const char *place);

// --- jobs.c ---

struct ts_ui_jobs *ts_ui_jobs_new(struct ts_ui *ui);
// Ends what runs, and waits for it.
void ts_ui_jobs_free(struct ts_ui_jobs *self);
// Starts what the line says (`run matmul-2d -p m=256') with a run directory of its own. NULL: it
// runs; otherwise why not.
// live: `back' or `watch', to be watched; NULL: not.
const char *ts_ui_jobs_start(struct ts_ui_jobs *self, const char *line, const char *live);
// The same command as that of a run directory again, live.
const char *ts_ui_jobs_again(struct ts_ui_jobs *self, const char *place);
const char *ts_ui_jobs_compare(struct ts_ui_jobs *self, const char *first, const char *second);
void ts_ui_jobs_stop(struct ts_ui_jobs *self, json_int_t number);
// {"jobs": [...]} as text; freed by the caller.
char *ts_ui_jobs_text(const struct ts_ui_jobs *self);

// --- watch.c ---

// Connects with the live run of a directory; `news' is called when there is something for the page. NULL: there is none.
struct ts_ui_watch *ts_ui_watch_new(struct ts_ui *ui, const char *place,
                                    void (*news)(void *context), void *context);
void ts_ui_watch_free(struct ts_ui_watch *self);
// A command for the run.
void ts_ui_watch_say(struct ts_ui_watch *self, const json_t *what);
// The next message for the page, {"live": ...}; NULL: none. Freed by the caller.
char *ts_ui_watch_next(struct ts_ui_watch *self);
bool ts_ui_watch_more(const struct ts_ui_watch *self);

// --- server.c ---

// Listens on 127.0.0.1; port 0: any. NULL: it cannot, and has said why.
struct ts_ui_server *ts_ui_server_new(struct ts_ui *ui, unsigned port);
void ts_ui_server_free(struct ts_ui_server *self);
const char *ts_ui_server_address(const struct ts_ui_server *self);
// What the page shows of runs or jobs has changed.
void ts_ui_server_changed(struct ts_ui_server *self, bool runs, bool jobs);
bool ts_ui_server_watched(const struct ts_ui_server *self);

extern const char ts_ui_page[];
