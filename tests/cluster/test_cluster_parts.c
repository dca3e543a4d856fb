// Parts of a cluster by themselves: who is lost, who says so; pages that have changed.
#include "platform/cluster/pages.h"
#include "platform/cluster/peers.h"
#include "platform/save/region.h"
#include "tests/suite.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- peers ---

static pid_t others[3]; // processes that play ranks 1 to 3; rank 3 is on another host

static void tell(unsigned rank, void *bytes, size_t length)
{
    struct ts_peer *peer = bytes;
    static struct ts_peer own;
    ck_assert_uint_eq(length, sizeof *peer);
    if (rank == 0) {
        own = *peer;
        return;
    }
    *peer = own;
    peer->pid = others[rank - 1];
    peer->board = -1;
    if (rank == 3)
        strcpy(peer->place, "elsewhere");
}

static void end(pid_t process)
{
    siginfo_t info;
    kill(process, SIGKILL);
    waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT);
}

START_TEST(lost_ranks_are_seen)
{
    for (int i = 0; i < 3; i++)
        if ((others[i] = fork()) == 0) {
            pause();
            _exit(0);
        }
    struct ts_peers *peers = ts_peers_new(0, 4, tell);
    ck_assert_ptr_nonnull(peers);
    ck_assert_uint_eq(ts_peers_lost(peers), 4); // none
    end(others[2]);                             // on another host: nobody sees it from here
    ck_assert_uint_eq(ts_peers_lost(peers), 4);
    atomic_store(&peers->board->ended[1], true); // rank 1 says that it ends
    end(others[0]);
    ck_assert_uint_eq(ts_peers_lost(peers), 4);
    end(others[1]);
    ck_assert_uint_eq(ts_peers_lost(peers), 2);
    ck_assert(ts_peers_say(peers)); // one says it, once
    ck_assert(!ts_peers_say(peers));
    ck_assert(atomic_load(&peers->board->ended[0])); // and nobody takes it for lost
    for (int i = 0; i < 3; i++)
        waitpid(others[i], NULL, 0);
}
END_TEST

// --- pages ---

#define PAGES 8

static char *at; // pages of heap 1

static void pack(struct ts_pages *pages, struct ts_bytes *to)
{
    to->length = 0;
    ts_pages_pack(pages, to);
}

START_TEST(pages_that_changed_travel)
{
    ts_region_interposed = true;
    if (!ts_region_open(2)) // ThreadSanitizer has these addresses
        return;
    ts_region_enter(1);
    char *block = ts_region_alloc((PAGES + 1) * TS_REGION_PAGE, TS_REGION_PAGE);
    ck_assert_ptr_nonnull(block);
    at = block;
    for (unsigned i = 0; i < PAGES; i++)
        memset(at + i * TS_REGION_PAGE, (int)i + 1, TS_REGION_PAGE);
    struct ts_pages *pages = ts_pages_new(1), *second = ts_pages_new(1);
    struct ts_bytes bytes = {0};
    const uint64_t hash = ts_pages_hash(pages);
    ck_assert_uint_eq(hash, ts_pages_hash(second));
    pack(pages, &bytes);
    ck_assert_uint_eq(bytes.length, 0); // nothing has changed
    // Two neighbours, one alone, one that becomes zero.
    at[1 * TS_REGION_PAGE + 5] = 99;
    at[2 * TS_REGION_PAGE + 6] = 98;
    at[5 * TS_REGION_PAGE] = 97;
    memset(at + 7 * TS_REGION_PAGE, 0, TS_REGION_PAGE);
    pack(pages, &bytes);
    ck_assert_uint_eq(bytes.length, 3 * 16 + 3 * TS_REGION_PAGE);
    // The other process still has the old pages.
    char *copy = malloc(PAGES * TS_REGION_PAGE);
    memcpy(copy, at, PAGES * TS_REGION_PAGE);
    for (unsigned i = 0; i < PAGES; i++)
        memset(at + i * TS_REGION_PAGE, (int)i + 1, TS_REGION_PAGE);
    ts_pages_unpack(bytes.bytes, bytes.length);
    ck_assert_mem_eq(at, copy, PAGES * TS_REGION_PAGE);
    ck_assert_uint_ne(ts_pages_hash(second), hash);
    pack(pages, &bytes);
    ck_assert_uint_eq(bytes.length, 0);
    at[7 * TS_REGION_PAGE + 8] = 1; // it is there again
    pack(pages, &bytes);
    ck_assert_uint_eq(bytes.length, 16 + TS_REGION_PAGE);
    free(copy);
    free(bytes.bytes);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, lost_ranks_are_seen);
    tcase_add_test(tests, pages_that_changed_travel);
}

SUITE("cluster_parts", add_tests)
