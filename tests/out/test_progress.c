// The progress line on a terminal (a pty), on a pipe, and with -q.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>

#define LINE "\r\033[K"
#define WAIT 600000 // ms

struct session {
    pid_t pid;
    int fd;
    char text[1 << 16];
    size_t length;
};

static void start(struct session *self, const char *command, unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    self->length = 0;
    self->text[0] = '\0';
    self->pid = forkpty(&self->fd, NULL, NULL, &size);
    ck_assert_int_ge(self->pid, 0);
    if (self->pid == 0) {
        char line[600];
        snprintf(line, sizeof line, "exec %s %s", program_of(command), command);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
}

// Reads on; false at the end.
static bool more(struct session *self)
{
    struct pollfd wait = {.fd = self->fd, .events = POLLIN};
    if (self->length + 1 >= sizeof self->text || poll(&wait, 1, WAIT) != 1)
        return false;
    ssize_t n = read(self->fd, self->text + self->length, sizeof self->text - 1 - self->length);
    if (n <= 0)
        return false;
    self->length += (size_t)n;
    self->text[self->length] = '\0';
    return true;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        found++;
    return found;
}

static void stop(struct session *self)
{
    kill(self->pid, SIGKILL);
    waitpid(self->pid, NULL, 0);
    close(self->fd);
}

// Every command that can take long.
static const struct {
    const char *command, *unit;
} rows[] = {
    {"matmul -r 100000 -M 64 -N 64 -K 64", " of 800000 products, "},
    {"eltwise -r 100000 -M 64 -N 64", " of 400000 tiles, "},
    {"demo tile -C 100000000000", " of 100000000000 cycles, "},
    {"silicon", " rows, "},
    {"silicon G0001", " of 5 rows, "},
    {"sweep matmul m=64,96,128,160 n=64,96,128,160 k=64,96,128,160 throttle=0,1,2,3,4,5 "
     "fidelity=lofi,hifi2,hifi3,hifi4 repeat=30 -j 1 -o @",
     " of 1536 runs, "},
    {"run --search 100000 " TENSIM_SOURCE_DIR "/config/gallery/g01-repaired.yaml",
     " of 900011 runs, "}, // 11 near misses first
    {"run --explore=exhaustive,states:1000000000 @/explore.yaml", " states, "},
    {"run @/many/* @/many/* @/many/* @/many/*", " of 32000 vectors, "},
    {"sweep " TENSIM_SOURCE_DIR "/config/pipes/flash-attention.yaml tensors.q.seed=1..50 "
     "tensors.k.seed=1..50 tensors.v.seed=1..16 -j 1 -o @/sweep",
     " of 40000 runs, "},
};

// Many small things: cores that do not touch each other, and links to one vector.
static void make_inputs(void)
{
    FILE *file = fopen(in_folder("explore.yaml"), "w");
    fputs("about: many states\nsemaphores:\n", file);
    for (int core = 0; core < 5; core++)
        fprintf(file, "  s%d: {value: 0, max: 2}\n", core);
    fputs("cores:\n", file);
    for (int core = 0; core < 5; core++) {
        static const char *const names[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
        fprintf(file, "  %s:\n", names[core]);
        for (int i = 0; i < 60; i++)
            fprintf(file, "    - %s: s%d\n", i % 2 ? "get" : "post", core);
    }
    fclose(file);
    ck_assert_int_eq(mkdir(in_folder("many"), 0777), 0);
    for (int i = 0; i < 8000; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%d.ttv", i);
        ck_assert_int_eq(
            symlink(TENSIM_SOURCE_DIR "/tests/conform/brisc_push_0.ttv", in_folder(name)), 0);
    }
}

// All at once: a line comes after a time, not after an amount of work.
START_TEST(on_a_terminal)
{
    static struct session sessions[sizeof rows / sizeof *rows];
    folder_make();
    make_inputs();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[600] = "";
        for (const char *c = rows[i].command; *c; c++)
            snprintf(command + strlen(command), sizeof command - strlen(command),
                     *c == '@' ? "%s" : "%.1s", *c == '@' ? folder : c);
        start(&sessions[i], command, 200);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct session *session = &sessions[i];
        const char *command = rows[i].command;
        // The first lines of a slow machine have no rate yet.
        while ((count(session->text, rows[i].unit) < 3 || !strstr(session->text, "/s")) &&
               more(session))
            ;
        ck_assert_msg(count(session->text, rows[i].unit) >= 3, "%s: '%s'", command, session->text);
        // In place: each line replaces the last one.
        ck_assert_uint_ge(count(session->text, LINE), 3);
        ck_assert_msg(strstr(session->text, "/s"), "%s: no rate: '%s'", command, session->text);
        stop(session);
    }
    folder_remove();
}
END_TEST

// Returns the number of lines of a complete run of `rounds` rounds. The share increases to the end,
// then the line disappears.
static unsigned share_of(struct session *session, unsigned rounds)
{
    char command[80];
    snprintf(command, sizeof command, "matmul -r %u -M 256 -N 256 -K 256", rounds);
    start(session, command, 200);
    while (more(session))
        ;
    double last = -1, first = 100;
    unsigned lines = 0;
    for (const char *at = session->text; (at = strstr(at, LINE)) != NULL; at += strlen(LINE)) {
        double done, total, percent;
        if (sscanf(at + strlen(LINE), "%lf of %lf products, %lf %%", &done, &total, &percent) != 3)
            continue;
        ck_assert(total == rounds * 512.0);
        ck_assert(percent <= 100 * done / total && percent > 100 * done / total - 1.01);
        ck_assert(done >= last && done <= total);
        first = lines++ ? first : percent;
        last = done;
    }
    ck_assert(lines < 8 || first < 70); // it does not begin at the end
    const char *end = strstr(session->text, "llk/matmul 256x256x256");
    ck_assert_ptr_nonnull(end);
    ck_assert(lines == 0 || strncmp(end - strlen(LINE), LINE, strlen(LINE)) == 0);
    stop(session);
    return lines;
}

// As many rounds as this machine needs for eight lines.
START_TEST(share)
{
    static struct session session;
    unsigned rounds = 64, lines;
    while ((lines = share_of(&session, rounds)) < 8) {
        rounds *= lines ? 1 + 8 / lines : 8;
        ck_assert_uint_lt(rounds, 1 << 20);
    }
}
END_TEST

// A narrow terminal: no line wraps.
START_TEST(narrow)
{
    static struct session session;
    start(&session, "matmul -r 100000 -M 64 -N 64 -K 64", 30);
    while (count(session.text, LINE) < 4 && more(&session))
        ;
    for (const char *at = session.text; (at = strstr(at, LINE)) != NULL;) {
        at += strlen(LINE);
        ck_assert_uint_lt(strcspn(at, "\r\n"), 30);
    }
    stop(&session);
}
END_TEST

START_TEST(silent)
{
    static struct session session;
    folder_make();
    ck_assert_int_eq(shell("$T matmul -r 30 -M 256 -N 256 -K 256"), 0);
    // Nothing for ten seconds, which a slow machine may need, and never a line to rewrite.
    ck_assert_msg(strchr(text_of("stderr"), '\r') == NULL, "%s", text_of("stderr"));
    ck_assert_int_eq(shell("$T matmul -M 32 -N 32 -K 32"), 0);
    ck_assert_str_eq(text_of("stderr"), "");
    start(&session, "matmul -q -r 30 -M 256 -N 256 -K 256", 200);
    while (more(&session))
        ;
    ck_assert_str_eq(session.text, "");
    stop(&session);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, on_a_terminal);
    tcase_add_test(tests, share);
    tcase_add_test(tests, narrow);
    tcase_add_test(tests, silent);
}

SUITE("progress", add_tests)
