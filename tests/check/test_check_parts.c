// The parts of the sanitizer by themselves: vector clocks, findings, places, words that order accesses, options.
#include "platform/check/check.h"
#include "platform/check/findings.h"
#include "platform/check/vclock.h"
#include "platform/kernel/cluster.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// --- clocks ---

// What the core of a home knows, sent on a lane.
static struct ts_known sent(struct ts_vclock *clock, unsigned core, uint32_t at)
{
    return (struct ts_known){
        .clock = clock,
        .at = at,
        .lane = TS_LANE(core, 0),
        .self = {TS_ACTOR_CORE(core, TS_REGION_LOADS), TS_ACTOR_NOBODY, TS_ACTOR_NOBODY}};
}

START_TEST(clocks_learn)
{
    struct ts_vclock *clock = ts_vclock_new(1), *copy;
    ck_assert(ts_vclock_learn(&clock, 5, 100));
    ck_assert(!ts_vclock_learn(&clock, 5, 100));
    ck_assert(!ts_vclock_learn(&clock, 5, 60));
    ck_assert_uint_eq(ts_vclock_at(clock, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(clock, 1, 6), 0);
    ck_assert_uint_eq(ts_vclock_at(clock, 2, 5), 0);
    // A clock that somebody else holds does not change under him.
    copy = ts_vclock_hold(clock);
    ck_assert(ts_vclock_learn(&clock, 5, 200));
    ck_assert_uint_eq(ts_vclock_at(clock, 1, 5), 200);
    ck_assert_uint_eq(ts_vclock_at(copy, 1, 5), 100);
    ts_vclock_drop(copy);
    ts_vclock_drop(clock);
}
END_TEST

START_TEST(clocks_join)
{
    struct ts_vclock *a = ts_vclock_new(1), *b = ts_vclock_new(2), *c = ts_vclock_new(1);
    const unsigned loads = TS_ACTOR_CORE(3, TS_REGION_LOADS);
    ts_vclock_learn(&a, 5, 100);
    ts_vclock_learn(&c, 5, 70);
    ts_vclock_learn(&c, 6, 80);
    struct ts_known known = sent(c, 3, 90);
    ck_assert(ts_vclock_join(&a, &known)); // the same tile: the later of both
    ck_assert_uint_eq(ts_vclock_at(a, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(a, 1, 6), 80);
    ck_assert_uint_eq(ts_vclock_at(a, 1, loads), 90);
    known = sent(a, 3, 110);
    ck_assert(ts_vclock_join(&b, &known)); // another tile: what it knew, and its own time
    ck_assert_uint_eq(ts_vclock_at(b, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(b, 1, loads), 110);
    ck_assert_uint_eq(ts_vclock_at(b, 1, TS_ACTOR_CORE(2, TS_REGION_LOADS)), 0);
    ck_assert(!ts_vclock_join(&b, &known));
    known = sent(a, 3, 105);
    ck_assert(!ts_vclock_join(&b, &known)); // older news
    ck_assert_uint_eq(ts_vclock_at(b, 1, loads), 110);
    // And back again over a third tile.
    struct ts_vclock *d = ts_vclock_new(3);
    known = sent(b, 1, 50);
    ck_assert(ts_vclock_join(&d, &known));
    ck_assert_uint_eq(ts_vclock_at(d, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(d, 2, TS_ACTOR_CORE(1, TS_REGION_LOADS)), 50);
    known = sent(d, 0, 30);
    ck_assert(ts_vclock_join(&c, &known));
    ck_assert_uint_eq(ts_vclock_at(c, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(c, 1, loads), 110);
    // As bytes, for another process.
    struct ts_bytes bytes = {0};
    ts_vclock_pack(d, &bytes);
    struct ts_vclock *there = ts_vclock_unpack(bytes.bytes, bytes.length);
    ck_assert_ptr_nonnull(there);
    for (unsigned home = 1; home < 4; home++)
        for (unsigned actor = 0; actor < TS_ACTORS; actor++)
            ck_assert_uint_eq(ts_vclock_at(there, home, actor), ts_vclock_at(d, home, actor));
    free(bytes.bytes);
    struct ts_vclock *all[] = {a, b, c, d, there};
    for (unsigned i = 0; i < 5; i++)
        ts_vclock_drop(all[i]);
}
END_TEST

START_TEST(what_is_covered)
{
    struct ts_vclock *clock = ts_vclock_new(1);
    const unsigned loads = TS_ACTOR_CORE(2, TS_REGION_LOADS);
    ts_vclock_learn(&clock, 5, 100);
    const struct ts_known known = sent(clock, 2, 300);
    ck_assert(ts_known_covers(&known, 1, 5, 100));
    ck_assert(!ts_known_covers(&known, 1, 5, 101));
    ck_assert(ts_known_covers(&known, 1, loads, 300)); // he himself
    ck_assert(!ts_known_covers(&known, 1, loads, 301));
    ck_assert(!ts_known_covers(&known, 2, loads, 300)); // another tile's
    // What orders accesses: the last release only, or all of them.
    struct ts_vclock *word = NULL, *kept = NULL, *other = ts_vclock_new(1);
    ts_vclock_learn(&other, 6, 50);
    const struct ts_known second = sent(other, 1, 60);
    ts_vclock_release(&word, 1, &known, false);
    ts_vclock_release(&kept, 1, &known, true);
    ts_vclock_release(&word, 1, &second, false);
    ts_vclock_release(&kept, 1, &second, true);
    ck_assert_uint_eq(ts_vclock_at(word, 1, 5), 0);
    ck_assert_uint_eq(ts_vclock_at(word, 1, 6), 50);
    ck_assert_uint_eq(ts_vclock_at(kept, 1, 5), 100);
    ck_assert_uint_eq(ts_vclock_at(kept, 1, 6), 50);
    ts_vclock_drop(word);
    ts_vclock_drop(kept);
    ts_vclock_drop(other);
    ts_vclock_drop(clock);
}
END_TEST

// --- findings ---

START_TEST(findings_are_counted_once)
{
    struct ts_check_findings all = {0};
    struct ts_check_finding one = {.kind = 1,
                                   .object = 2,
                                   .address = 0x100,
                                   .length = 16,
                                   .place = {{1, 7, 1000}, {1, 8, 900}}};
    ts_check_findings_add(&all, &one);
    one.address = 0x110; // more bytes of the same access
    ts_check_findings_add(&all, &one);
    ck_assert_uint_eq(all.count, 1);
    ck_assert_uint_eq(all.list[0].count, 1);
    ck_assert_uint_eq(all.list[0].length, 32);
    one.place[0].at = 2000; // again
    ts_check_findings_add(&all, &one);
    ck_assert_uint_eq(all.list[0].count, 2);
    ck_assert_uint_eq(all.list[0].length, 32);
    ck_assert_uint_eq(all.list[0].place[0].at, 1000); // the first one stays
    one.weak = true;
    ts_check_findings_add(&all, &one);
    one.weak = false;
    one.place[1].site = 9;
    ts_check_findings_add(&all, &one);
    ck_assert_uint_eq(all.count, 3);
    one.alone = true; // its second place means nothing
    ts_check_findings_add(&all, &one);
    one.place[1].site = 10;
    ts_check_findings_add(&all, &one);
    ck_assert_uint_le(all.count, 4);
    for (unsigned i = 0; i < TS_FINDINGS_MOST + 5; i++) {
        one.place[0].site = (uint16_t)(100 + i);
        ts_check_findings_add(&all, &one);
    }
    ck_assert_uint_eq(all.count, TS_FINDINGS_MOST);
    ck_assert_uint_gt(all.lost, 0);
    free(all.list);
}
END_TEST

START_TEST(sites_and_words_are_found_again)
{
    struct ts_check_sites sites = {0};
    struct ts_check_words words = {0};
    ck_assert(ts_check_sites_init(&sites) && ts_check_words_init(&words));
    uint16_t number[3000];
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < 3000; i++) {
            const struct ts_check_site site = {.pc = 4 * (i / 2), .actor = (uint8_t)(i % 2)};
            uint16_t found = ts_check_site_of(&sites, &site);
            ck_assert_uint_ne(found, TS_NO_SITE);
            ck_assert_msg(!again || found == number[i], "site %u", i);
            number[i] = found;
        }
    ck_assert_uint_eq(sites.count, 3001);
    for (uint32_t i = 0; i < 200; i++) {
        struct ts_check_word *word = ts_check_word_make(&words, 0x1000 + 4 * i);
        ck_assert_ptr_nonnull(word);
        word->sync = true;
        word->looked = (uint8_t)i;
    }
    for (uint32_t i = 0; i < 200; i++) {
        struct ts_check_word *word = ts_check_word_find(&words, 0x1000 + 4 * i);
        ck_assert_msg(word && word->looked == (uint8_t)i, "word %u", i);
        ck_assert_ptr_eq(ts_check_word_make(&words, 0x1000 + 4 * i), word);
    }
    ck_assert_ptr_null(ts_check_word_find(&words, 0x9000));
    ts_check_sites_free(&sites);
    ts_check_words_free(&words);
}
END_TEST

START_TEST(options_have_names)
{
    struct ts_check_options options;
    char text[300];
    ck_assert(ts_check_parse(TS_CHECK_EVERYTHING, &options, text, sizeof text));
    ck_assert_uint_eq(options.kinds, (1u << TS_CHECK_KINDS) - 1);
    ck_assert(!options.strict);
    ck_assert(ts_check_parse("memory,race:strict", &options, text, sizeof text));
    ck_assert_uint_eq(options.kinds, 1u << TS_CHECK_MEMORY | 1u << TS_CHECK_RACE);
    ck_assert(options.strict);
    static const char *const wrong[] = {
        "", "races", "rac", "memory:strict", "race:strong", "race,", "race:strict:strict"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!ts_check_parse(wrong[i], &options, text, sizeof text), "%s", wrong[i]);
        ck_assert_ptr_nonnull(strstr(text, "there are: race[:strict]"));
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, clocks_learn);
    tcase_add_test(tests, clocks_join);
    tcase_add_test(tests, what_is_covered);
    tcase_add_test(tests, findings_are_counted_once);
    tcase_add_test(tests, sites_and_words_are_found_again);
    tcase_add_test(tests, options_have_names);
}

SUITE("check_parts", add_tests)
