// The server: files and the page by HTTP, states and wishes by one websocket. Only 127.0.0.1, only with
// the token of this process in the path, only for pages that it served itself.
#include "platform/ui/ui.h"

#include "platform/base/error.h"

#include <libwebsockets.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN = 32, MOST_CLIENTS = 16, LARGEST_WISH = 4096, CHUNK = 32768, PACE_MS = 100 };

struct ts_ui_server {
    struct ts_ui *ui;
    struct lws_context *context;
    uv_timer_t pace;
    bool runs_changed, jobs_changed, paced;
    uint64_t runs, jobs; // versions
    unsigned clients, port;
    char token[TOKEN + 1], address[128];
};

// An answer on its way.
struct answer {
    const char *text; // or a file
    int file;
    size_t length, sent;
};

struct client {
    bool counted, knows;       // knows: it has the catalogue
    struct ts_ui_watch *watch; // of a live run; NULL: none
    uint64_t runs, jobs;       // versions that it has
    char wish[LARGEST_WISH + 1];
    size_t length;
    char wrong[256];
};

// The page may talk to us; what runs wrote (reports, which are HTML with scripts) may not: it is shown as if
// from nowhere.
#define PAGE_POLICY                                                                           \
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src " \
    "'self' ws:; img-src data:"
#define FILE_POLICY                                                                             \
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: " \
    "blob:; "                                                                                   \
    "sandbox allow-scripts allow-downloads allow-modals"

static struct ts_ui_server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

// --- who may ask ---

static bool header_is(struct lws *wsi, enum lws_token_indexes which, const char *start,
                      const struct ts_ui_server *self)
{
    char value[128], expected[128];
    if (lws_hdr_copy(wsi, value, sizeof value, which) <= 0)
        return false;
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        snprintf(expected, sizeof expected, "%s%s:%u", start, names[i], self->port);
        if (strcmp(value, expected) == 0)
            return true;
    }
    return false;
}

// The rest of the path behind the token; NULL: this request is not for us.
static const char *allowed(struct lws *wsi, const char *path, bool socket)
{
    const struct ts_ui_server *self = server_of(wsi);
    if (path == NULL || path[0] != '/' || strnlen(path, TOKEN + 2) < TOKEN + 1 ||
        lws_timingsafe_bcmp(path + 1, self->token, TOKEN) != 0)
        return NULL;
    if (!header_is(wsi, WSI_TOKEN_HOST, "", self))
        return NULL;
    bool has_origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;
    if ((socket || has_origin) && !header_is(wsi, WSI_TOKEN_ORIGIN, "http://", self))
        return NULL;
    return path + 1 + TOKEN;
}

// --- HTTP ---

static int begin(struct lws *wsi, unsigned code, const char *kind, size_t length,
                 const char *policy)
{
    static const struct {
        const char *name, *value;
    } always[] = {{"cache-control:", "no-store"},
                  {"x-content-type-options:", "nosniff"},
                  {"referrer-policy:", "no-referrer"},
                  {"x-frame-options:", "DENY"}};
    unsigned char room[LWS_PRE + 2048], *start = room + LWS_PRE, *at = start,
                                        *end = room + sizeof room;
    if (lws_add_http_common_headers(wsi, code, kind, length, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"content-security-policy:",
                                    (const unsigned char *)policy, (int)strlen(policy), &at, end))
        return -1;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (lws_add_http_header_by_name(wsi, (const unsigned char *)always[i].name,
                                        (const unsigned char *)always[i].value,
                                        (int)strlen(always[i].value), &at, end))
            return -1;
    return lws_finalize_write_http_header(wsi, start, &at, end) ? -1 : 0;
}

static const char *kind_of(const char *path)
{
    static const char *const kinds[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".csv", "text/csv; charset=utf-8"},
                                           {".gz", "application/gzip"},
                                           {".sqlite", "application/vnd.sqlite3"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot, kinds[i][0]) == 0)
            return kinds[i][1];
    return "text/plain; charset=utf-8";
}

static int refuse(struct lws *wsi, struct answer *answer, unsigned code, const char *text)
{
    *answer = (struct answer){.text = text, .file = -1, .length = strlen(text)};
    if (begin(wsi, code, "text/plain; charset=utf-8", answer->length, PAGE_POLICY))
        return -1;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int ask(struct lws *wsi, struct answer *answer, const char *path)
{
    const char *rest = allowed(wsi, path, false);
    struct ts_ui *ui = server_of(wsi)->ui;
    struct stat status;
    if (rest == NULL)
        return refuse(wsi, answer, HTTP_STATUS_FORBIDDEN, "not allowed\n");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return refuse(wsi, answer, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET\n");
    if (strcmp(rest, "/") == 0) {
        *answer = (struct answer){.text = ts_ui_page, .file = -1, .length = strlen(ts_ui_page)};
        if (begin(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", answer->length, PAGE_POLICY))
            return -1;
    } else {
        int file = strncmp(rest, "/file/", 6) == 0 ? ts_ui_folders_open(ui, rest + 6) : -1;
        if (file < 0 || fstat(file, &status) != 0)
            return refuse(wsi, answer, HTTP_STATUS_NOT_FOUND, "no such file of a run\n");
        *answer = (struct answer){.file = file, .length = (size_t)status.st_size};
        if (begin(wsi, HTTP_STATUS_OK, kind_of(rest), answer->length, FILE_POLICY))
            return -1;
    }
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int send_part(struct lws *wsi, struct answer *answer)
{
    static unsigned char room[LWS_PRE + CHUNK];
    size_t part = answer->length - answer->sent;
    if (part > CHUNK)
        part = CHUNK;
    if (answer->text)
        memcpy(room + LWS_PRE, answer->text + answer->sent, part);
    else if (pread(answer->file, room + LWS_PRE, part, (off_t)answer->sent) != (ssize_t)part)
        return -1; // it became shorter
    answer->sent += part;
    bool last = answer->sent == answer->length;
    if (lws_write(wsi, room + LWS_PRE, part, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    if (!last)
        return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static void forget(struct answer *answer)
{
    if (answer && answer->text == NULL && answer->file > 0)
        close(answer->file);
    if (answer)
        *answer = (struct answer){.file = -1};
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
    struct answer *answer = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        forget(answer);
        return ask(wsi, answer, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_part(wsi, answer);
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        forget(answer);
        return 0;
    case LWS_CALLBACK_HTTP_BODY: // nobody sends us one
        return -1;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

// --- the websocket ---

static void on_news(void *context)
{
    lws_callback_on_writable(context);
}

static const char *watch(struct lws *wsi, struct client *client, const char *place)
{
    ts_ui_watch_free(client->watch);
    client->watch = place ? ts_ui_watch_new(server_of(wsi)->ui, place, on_news, wsi) : NULL;
    return place && client->watch == NULL ? "this run cannot be watched: it has ended" : NULL;
}

// {"start": "run ...", "live": "back"}, {"again": PLACE}, {"compare": [PLACE, PLACE]}, {"stop": NUMBER}, {"watch": PLACE or null},
// {"live": {...}} for the run that is watched.
static void grant(struct lws *wsi, struct client *client)
{
    struct ts_ui *ui = server_of(wsi)->ui;
    json_t *wish = json_loadb(client->wish, client->length, 0, NULL);
    const char *wrong = "not a wish of this page", *line, *first, *second;
    json_int_t number;
    const json_t *live = json_object_get(wish, "live");
    if (json_unpack(wish, "{s:s}", "start", &line) == 0) {
        wrong = ts_ui_jobs_start(ui->jobs, line, json_string_value(live));
    } else if (json_unpack(wish, "{s:s}", "again", &first) == 0) {
        wrong = ts_ui_jobs_again(ui->jobs, first);
    } else if (json_object_get(wish, "watch")) {
        wrong = watch(wsi, client, json_string_value(json_object_get(wish, "watch")));
    } else if (json_is_object(live)) {
        wrong = NULL; // the run may have ended meanwhile
        if (client->watch)
            ts_ui_watch_say(client->watch, live);
    } else if (json_unpack(wish, "{s:[s,s]}", "compare", &first, &second) == 0) {
        wrong = ts_ui_jobs_compare(ui->jobs, first, second);
    } else if (json_unpack(wish, "{s:I}", "stop", &number) == 0) {
        ts_ui_jobs_stop(ui->jobs, number);
        wrong = NULL;
    }
    snprintf(client->wrong, sizeof client->wrong, "%s", wrong ? wrong : "");
    json_decref(wish);
}

static int tell(struct lws *wsi, const char *text)
{
    size_t length = strlen(text);
    unsigned char *room = malloc(LWS_PRE + length);
    if (room == NULL)
        return -1;
    memcpy(room + LWS_PRE, text, length);
    int sent = lws_write(wsi, room + LWS_PRE, length, LWS_WRITE_TEXT);
    free(room);
    return sent < 0 ? -1 : 0;
}

// One message a time: what is new for this client.
static int tell_next(struct lws *wsi, struct client *client)
{
    struct ts_ui_server *self = server_of(wsi);
    int result = 0;
    if (client->wrong[0]) {
        json_t *message = json_pack("{s:s}", "wrong", client->wrong);
        char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
        result = text ? tell(wsi, text) : 0;
        free(text);
        json_decref(message);
        client->wrong[0] = '\0';
    } else if (!client->knows) {
        client->knows = true;
        result = self->ui->catalogue_text ? tell(wsi, self->ui->catalogue_text) : 0;
    } else if (client->runs != self->runs) {
        client->runs = self->runs;
        result = tell(wsi, ts_ui_folders_text(self->ui->runs));
    } else if (client->jobs != self->jobs) {
        char *text = ts_ui_jobs_text(self->ui->jobs);
        client->jobs = self->jobs;
        result = text ? tell(wsi, text) : 0;
        free(text);
    } else if (client->watch && ts_ui_watch_more(client->watch)) {
        char *text = ts_ui_watch_next(client->watch);
        result = text ? tell(wsi, text) : 0;
        free(text);
    }
    bool more = (client->watch && ts_ui_watch_more(client->watch)) || client->wrong[0] ||
                !client->knows || client->runs != self->runs || client->jobs != self->jobs;
    return result == 0 && more && lws_callback_on_writable(wsi) < 0 ? -1 : result;
}

static int hear(struct lws *wsi, struct client *client, const char *part, size_t size)
{
    if (lws_frame_is_binary(wsi) || client->length + size > LARGEST_WISH)
        return -1;
    memcpy(client->wish + client->length, part, size);
    client->length += size;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return 0;
    grant(wsi, client);
    client->length = 0;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size)
{
    struct ts_ui_server *self = server_of(wsi);
    char path[TOKEN + 16];
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: {
        bool read = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) > 0;
        const char *rest = read ? allowed(wsi, path, true) : NULL;
        return rest && strcmp(rest, "/live") == 0 && self->clients < MOST_CLIENTS ? 0 : -1;
    }
    case LWS_CALLBACK_ESTABLISHED:
        self->clients++;
        *(struct client *)user = (struct client){.counted = true};
        ts_ui_folders_look(self->ui->runs);
        return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
    case LWS_CALLBACK_CLOSED:
        if (user) { // also of one that was refused
            self->clients -= ((struct client *)user)->counted;
            ts_ui_watch_free(((struct client *)user)->watch);
            ((struct client *)user)->watch = NULL;
        }
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return tell_next(wsi, user);
    case LWS_CALLBACK_RECEIVE:
        return hear(wsi, user, in, size);
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(struct answer)},
    {.name = "tensim",
     .callback = on_socket,
     .per_session_data_size = sizeof(struct client),
     .rx_buffer_size = LARGEST_WISH},
    {0}};

// --- at most ten times a second ---

static void on_pace(uv_timer_t *timer)
{
    struct ts_ui_server *self = timer->data;
    self->paced = self->runs_changed || self->jobs_changed;
    if (!self->paced) {
        uv_timer_stop(timer);
        return;
    }
    self->runs += self->runs_changed;
    self->jobs += self->jobs_changed;
    self->runs_changed = self->jobs_changed = false;
    lws_callback_on_writable_all_protocol(self->context, &protocols[1]);
}

void ts_ui_server_changed(struct ts_ui_server *self, bool runs, bool jobs)
{
    self->runs_changed |= runs;
    self->jobs_changed |= jobs;
    if (!self->paced) {
        self->paced = true;
        uv_timer_start(&self->pace, on_pace, 0, PACE_MS);
    }
}

bool ts_ui_server_watched(const struct ts_ui_server *self)
{
    return self->clients > 0;
}

const char *ts_ui_server_address(const struct ts_ui_server *self)
{
    return self->address;
}

static bool make_token(char token[TOKEN + 1])
{
    unsigned char random[TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    return true;
}

struct ts_ui_server *ts_ui_server_new(struct ts_ui *ui, unsigned port)
{
    static const lws_retry_bo_t silent = {.secs_since_valid_ping = 20,
                                          .secs_since_valid_hangup = 30};
    struct ts_ui_server *self = ts_need(calloc(1, sizeof *self), "the page");
    if (!make_token(self->token))
        ts_give_up("the host has no random numbers for the page's key");
    self->ui = ui;
    self->runs = self->jobs = 1;
    lws_set_log_level(0, NULL);
    void *loops[] = {&ui->loop};
    struct lws_context_creation_info info = {
        .port = (int)port,
        .iface = "127.0.0.1",
        .protocols = protocols,
        .foreign_loops = loops,
        .user = self,
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .timeout_secs = 20,
        .keepalive_timeout = 20,
        .fd_limit_per_thread = 128,
        .retry_and_idle_policy = &silent,
        .vhost_name = "tensim",
    };
    self->context = lws_create_context(&info);
    struct lws_vhost *host = self->context ? lws_get_vhost_by_name(self->context, info.vhost_name)
                                           : NULL;
    if (host == NULL || lws_get_vhost_listen_port(host) <= 0) {
        fprintf(stderr,
                "tensim: port %u of 127.0.0.1 cannot be used: another program has it, or it "
                "is not for users\n",
                port);
        free(self);
        return NULL;
    }
    self->port = (unsigned)lws_get_vhost_listen_port(host);
    snprintf(self->address, sizeof self->address, "http://127.0.0.1:%u/%s/", self->port,
             self->token);
    uv_timer_init(&ui->loop, &self->pace);
    self->pace.data = self;
    return self;
}

void ts_ui_server_free(struct ts_ui_server *self)
{
    uv_close((uv_handle_t *)&self->pace, NULL);
    // On a loop of ours: its handles are closed, the loop runs for that, and the rest goes.
    lws_context_destroy(self->context);
    uv_run(&self->ui->loop, UV_RUN_DEFAULT);
    lws_context_destroy(self->context);
    free(self);
}
