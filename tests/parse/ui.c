// The page's server: requests and frames by HTTP, lines that start runs, run directories of others. No run starts: uv_spawn always refuses.
#include "tests/parse/parse.h"

#include <uv.h>
// A handle that can be closed, as after a failure.
static int refuse_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *options)
{
    _Static_assert(sizeof(uv_idle_t) <= sizeof(uv_process_t), "it fits");
    (void)options;
    uv_idle_init(loop, (uv_idle_t *)process);
    return UV_EACCES;
}
#define uv_spawn refuse_spawn
#include "platform/ui/jobs.c"
#undef uv_spawn
#define on_closed watch_on_closed
#define give_room watch_give_room
#include "platform/ui/watch.c"
#undef on_closed
#undef give_room
#define names run_names
#include "platform/ui/folders.c"
#undef names
#define changed server_changed
#include "platform/ui/server.c"
#undef changed

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>

#define TOKEN_TEXT "0123456789abcdef0123456789abcdef"

const char ts_ui_page[] = "page";

static struct ts_ui ui;
static unsigned answers; // that are not refusals
static unsigned port;    // where it listens; it takes Host and Origin for 12345

static void begin_ui(void)
{
    static char folder_name[] = "/dev/shm/tensim-ui-XXXXXX";
    if (ui.folder_count)
        return;
    if (mkdtemp(folder_name) == NULL || uv_loop_init(&ui.loop) != 0)
        abort();
    ui.tensim = "/bin/false";
    ui.folders[0] = folder_name;
    ui.opened[0] = open(folder_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    ui.folder_count = 1;
    ui.programs = true;
    ui.runs = ts_ui_folders_new(&ui);
    ui.jobs = ts_ui_jobs_new(&ui);
    mkdirat(ui.opened[0], "one", 0700);
}

void parse_ui_end(void)
{
    char command[100];
    if (ui.folder_count == 0)
        return;
    if (ui.server && answers < 5) // the inputs get no further than the door
        abort();
    snprintf(command, sizeof command, "rm -rf %s", ui.folders[0]);
    if (system(command) != 0)
        printf("%s: stays\n", ui.folders[0]);
}

static void put(const char *name, const char *bytes, size_t length)
{
    const int fd = openat(ui.opened[0], name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        abort();
    close(fd);
}

static void settle(void)
{
    for (int i = 0; i < 4; i++)
        uv_run(&ui.loop, UV_RUN_NOWAIT);
}

// A line of the page, a run directory's command, and its first document.
void parse_command(const char *bytes, size_t length)
{
    begin_ui();
    put("one/command.txt", bytes, length);
    put("one/report.html", "", 0);
    put("one/result.json", bytes, length);
    ts_ui_folders_look(ui.runs);
    ts_ui_jobs_again(ui.jobs, "0/one");
    ts_ui_jobs_start(ui.jobs, bytes, NULL);
    settle();
    free(ts_ui_jobs_text(ui.jobs));
    const int file = ts_ui_folders_open(&ui, bytes);
    if (file >= 0)
        close(file);
    free(ts_ui_folders_path(&ui, bytes));
    // The lock says who runs: "pid N, command".
    char *line = malloc(length + 1);
    memcpy(line, bytes, length + 1);
    free(ts_ui_lock_command(line));
}

void parse_http(const char *bytes, size_t length)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct linger reset = {.l_onoff = 1}; // no port stays taken
    char answer[4096];
    begin_ui();
    if (ui.server == NULL) {
        ui.server = ts_ui_server_new(&ui, 0);
        if (ui.server == NULL)
            abort();
        port = ui.server->port;
        ui.server->port = 12345;
        memcpy(ui.server->token, TOKEN_TEXT, TOKEN + 1);
    }
    const int link = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons((uint16_t)port);
    setsockopt(link, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    if (link < 0 || connect(link, (struct sockaddr *)&address, sizeof address) != 0)
        abort();
    fcntl(link, F_SETFL, O_NONBLOCK);
    // What begins as a frame follows a request that opens the websocket.
    if ((unsigned char)bytes[0] == 0x81) {
        static const char upgrade[] = "GET /0123456789abcdef0123456789abcdef/live HTTP/1.1\r\n"
                                      "Host: 127.0.0.1:12345\r\n"
                                      "Upgrade: websocket\r\n"
                                      "Connection: Upgrade\r\n"
                                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                      "Sec-WebSocket-Version: 13\r\n"
                                      "Sec-WebSocket-Protocol: tensim\r\n"
                                      "Origin: http://127.0.0.1:12345\r\n"
                                      "\r\n"
                                      "";
        send(link, upgrade, sizeof upgrade - 1, MSG_NOSIGNAL);
        settle();
    }
    send(link, bytes, length, MSG_NOSIGNAL);
    for (int i = 0; i < 6; i++) {
        uv_run(&ui.loop, UV_RUN_NOWAIT);
        const ssize_t got = recv(link, answer, sizeof answer, 0);
        if (got == 0)
            break;
        answers += got > 12 &&
                   (memcmp(answer + 9, "200", 3) == 0 || memcmp(answer + 9, "101", 3) == 0);
    }
    close(link);
    settle();
}

#define HEAD " HTTP/1.1\r\nHost: 127.0.0.1:12345\r\nConnection: close\r\n\r\n"
const char *const parse_requests[] = {
    "GET /" TOKEN_TEXT "/" HEAD,
    "GET /" TOKEN_TEXT "/file/0/one/result.json" HEAD,
    "POST /" TOKEN_TEXT "/" HEAD,
    "GET /" TOKEN_TEXT "/file/0/%2e%2e/x" HEAD,
    "\201\246\001\001\001\001z#ru`su#;#l`ultm!,L!23#-#mhwd#;#c`bj#|\201\221\001\001\001\001z#`f`ho#"
    ";#1.nod#|",
    "\201\235\001\001\001\001z#bnlq`sd#;Z#1.nod#-#1.uvn#\\|\201\212\001\001\001\001z#runq#;0|",
    "\201\221\001\001\001\001z#v`ubi#;#1.nod#|\201\225\001\001\001\001z#mhwd#;z#en#;#sto#||",
    NULL};
const char *const parse_lines[] = {
    "tensim run matmul-2d -p m=256 -D noc.hop=3 --why\n",
    "tensim run x.yaml -q -o run --live=back -t5-9 --checkpoint at:5\n",
    "pid 123, tensim matmul -M 32",
    "{\"cycles\": 5, \"tflops\": 1.5, \"verdict\": \"right\", \"bound_by\": \"matrix\"}",
    "0/one/result.json",
    "0/one",
    NULL};
