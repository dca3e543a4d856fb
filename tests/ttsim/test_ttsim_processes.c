// libttsim.so in hosts with several processes and threads: forks, calls at the wrong time, a limit on an idle card.
#include "tests/folder.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL "--chip=" TENSIM_SOURCE_DIR "/tests/ttsim/small.yaml "

static struct card card;

// --- what the card does ---

// A core counts to `value` in steps, and leaves it in L1.
static void count_to(uint32_t value)
{
    struct program program = {.count = 0};
    emit_wait(&program, 0x8000, 1);
    emit_store(&program, 0x8010, value);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card_write32(&card, 1, 2, 0x8000, 1);
}

static bool counted(uint32_t value)
{
    return card_wait(&card, 1, 2, 0x8010, value, 100);
}

// --- the host's memory ---

static unsigned char memory[4096];
static void (*inside)(void); // what a callback does

static void host_rd(uint64_t address, void *bytes, uint32_t length)
{
    if (inside)
        inside();
    memcpy(bytes, memory + address % sizeof memory, length);
}

static void host_wr(uint64_t address, const void *bytes, uint32_t length)
{
    if (inside)
        inside();
    memcpy(memory + address % sizeof memory, bytes, length);
}

static void start(const char *options)
{
    char all[1024];
    snprintf(all, sizeof all, SMALL "%s", options);
    setenv("TENSIM_OPTIONS", all, 1);
    card_open(&card);
    card.callbacks(host_rd, host_wr);
    card.init();
}

// Runs it in a process of its own; its exit code, and what it says on stderr.
static int ended(void (*act)(void), char *text, size_t size)
{
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        act();
        _exit(99);
    }
    close(out[1]);
    size_t used = 0;
    ssize_t got;
    while (used < size - 1 && (got = read(out[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool has(const char *name, const char *file)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
    return access(path, R_OK) == 0;
}

// --- forks ---

// A child of a running card goes on with its own copy; `again`: it is forked once more. The argument says how it ends.
static int child(uint32_t value, bool again, void (*end)(int))
{
    int status;
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        if (again)
            end(child(value + 1, false, end) == 7 ? 7 : 8);
        count_to(value);
        bool right = counted(value);
        card.exit();
        end(right ? 7 : 8);
    }
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void leave_at_once(int code)
{
    _exit(code);
}

START_TEST(a_forked_process_has_a_card_of_its_own)
{
    static const char *const threads[] = {"-j 1", "-j 2", "-j 3"};
    char options[300];
    folder_make();
    snprintf(options, sizeof options, "%s -o %s/run", threads[_i], folder);
    start(options);
    card.clock(2);
    ck_assert_int_eq(child(5, false, leave_at_once), 7);
    ck_assert_int_eq(child(6, true, leave_at_once), 7);
    // One that never uses the card leaves nothing, however it ends.
    int status;
    pid_t idle = fork();
    if (idle == 0)
        exit(7);
    waitpid(idle, &status, 0);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8010), 0); // this one has not seen any of it
    count_to(9);
    ck_assert(counted(9));
    ck_assert(!has("run", "stats.json")); // nobody wrote it but this process
    card.exit();
    ck_assert(has("run", "stats.json") && has("run.fork1", "stats.json"));
    ck_assert(has("run.fork2.fork1", "stats.json"));
    ck_assert(!has("run.fork2", "") && !has("run.fork3", ""));
    // The card starts again in a child: the next number of its own folder.
    card.init();
    pid_t second = fork();
    if (second == 0) {
        card.exit();
        card.init();
        card.exit();
        _exit(7);
    }
    waitpid(second, &status, 0);
    card.exit();
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    ck_assert(has("run.2", "stats.json") && has("run.fork4", "stats.json"));
    ck_assert(has("run.fork4.2", "stats.json"));
    dlclose(card.library);
    folder_remove();
}
END_TEST

static void trace_in_child(void)
{
    char options[300];
    snprintf(options, sizeof options, "-t -o %s/run", folder);
    start(options);
    if (fork() == 0)
        card.clock(1);
    int status;
    wait(&status);
    card.exit();
    _exit(WEXITSTATUS(status));
}

START_TEST(a_trace_is_not_continued)
{
    char text[4096];
    folder_make();
    ck_assert_int_eq(ended(trace_in_child, text, sizeof text), 64);
    ck_assert_msg(strstr(text, "cannot continue the trace (-t) of its parent"), "%s", text);
    ck_assert(has("run", "trace.json.gz")); // the parent's
    folder_remove();
}
END_TEST

// --- calls at the wrong time ---

static void clock_again(void)
{
    card.clock(1);
}

static void copy_by_dma(void)
{
    card_word(&card, BAR2 + 0x100, 1);
    card_word(&card, BAR2 + 0x11c, 64);
    card_word(&card, BAR2 + 0x104, 1);
}

static void call_in_callback(void)
{
    start("");
    inside = clock_again;
    card_at(&card, 1, 2, 0);
    copy_by_dma();
}

// A kernel reads the host's memory: the callback may come on any thread of the model.
static void call_in_kernel_callback(void)
{
    struct program program = {.count = 0};
    start("-j 2");
    inside = clock_again;
    emit_noc(&program, 0, 19 | 24 << 6, 0x8000, 1 | 2 << 6, 64, 0);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card.clock(100);
}

static int entered[2];

static void *other_thread(void *unused)
{
    char byte;
    (void)unused;
    if (read(entered[0], &byte, 1) == 1) // the first thread is in a callback
        card.clock(1);
    return NULL;
}

static void wait_for_ever(void)
{
    if (write(entered[1], "x", 1) == 1)
        for (;;)
            pause();
}

static void call_in_two_threads(void)
{
    pthread_t thread;
    start("");
    inside = wait_for_ever;
    if (pipe(entered) != 0 || pthread_create(&thread, NULL, other_thread, NULL) != 0)
        _exit(98);
    card_at(&card, 1, 2, 0);
    copy_by_dma();
}

static void fork_in_callback(void)
{
    int status;
    pid_t process = fork();
    if (process == 0) {
        card.clock(1);
        _exit(97);
    }
    waitpid(process, &status, 0);
    inside = NULL;
    _exit(WEXITSTATUS(status));
}

static void call_in_fork_of_callback(void)
{
    start("");
    inside = fork_in_callback;
    card_at(&card, 1, 2, 0);
    copy_by_dma();
}

static void exit_in_callback(void)
{
    exit(5);
}

static void end_in_callback(void)
{
    start("");
    inside = exit_in_callback;
    card_at(&card, 1, 2, 0);
    copy_by_dma();
}

static void idle_to_limit(void)
{
    start("-n 50000");
    for (;;)
        card.clock(1);
}

static const struct {
    void (*act)(void);
    int code;
    const char *text;
} wrong[] = {
    {call_in_callback, 64, "libttsim_clock from inside a callback of libttsim_pci_mem_wr_bytes"},
    {call_in_kernel_callback, 64, "libttsim_clock from inside a callback of libttsim_clock"},
    {call_in_two_threads, 64,
     "libttsim_clock while another thread is in libttsim_pci_mem_wr_bytes"},
    {call_in_fork_of_callback, 64, "forked while libttsim_pci_mem_wr_bytes ran"},
    {end_in_callback, 5, "the process ends while libttsim_pci_mem_wr_bytes runs: no reports"},
    {idle_to_limit, 6, "cycle limit 50000 reached"},
};

START_TEST(a_wrong_time_is_named)
{
    char text[4096];
    int code = ended(wrong[_i].act, text, sizeof text);
    ck_assert_msg(code == wrong[_i].code && strstr(text, wrong[_i].text), "code %d: %s", code,
                  text);
}
END_TEST

// Two threads that take turns keep the contract.
static void *use_card(void *right)
{
    count_to(3);
    *(bool *)right = counted(3);
    return NULL;
}

START_TEST(threads_may_take_turns)
{
    pthread_t thread;
    bool right = false;
    start("-j 2");
    card.clock(1);
    ck_assert_int_eq(pthread_create(&thread, NULL, use_card, &right), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(right);
    card.exit();
    dlclose(card.library);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_wrong_time_is_named, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_loop_test(tests, a_forked_process_has_a_card_of_its_own, 0, 3);
    tcase_add_test(tests, a_trace_is_not_continued);
    tcase_add_test(tests, threads_may_take_turns);
}

SUITE("ttsim_processes", add_tests)
