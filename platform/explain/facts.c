// The state of a hanging tile, one fact a line: semaphores, banks, mutexes, lints; and what its
// coprocessor lost.
#include "platform/explain/chip.h"

void ts_hang_fact(struct ts_hang_tile *self, const char *format, ...)
{
    if (self->say_count == TS_HANG_SAYS)
        return;
    TS_VSNPRINTF(self->says[self->say_count++], sizeof self->says[0], format);
}

static void look_semaphores(const struct ts_hang_looker *self)
{
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const struct ts_sync_semaphore *s = &self->tile->sync.semaphore[i];
        struct ts_hang_tile *story = self->story;
        if (s->posted.count + s->got.count + s->dropped.count == 0 && s->value == 0)
            continue;
        char post[60] = "", get[60] = "";
        if (s->posted.count)
            snprintf(post, sizeof post, ", last by %s at %llu", ts_by_name(s->posted.by),
                     (unsigned long long)s->posted.at);
        if (s->got.count)
            snprintf(get, sizeof get, ", last by %s at %llu", ts_by_name(s->got.by),
                     (unsigned long long)s->got.at);
        ts_hang_fact(story, "semaphore %u = %u, max %u: %llu posts%s; %llu gets%s", i, s->value,
                     s->max, (unsigned long long)s->posted.count, post,
                     (unsigned long long)s->got.count, get);
        if (s->dropped.count)
            ts_hang_fact(
                story,
                "  SEMGET of semaphore %u by %s was lost at value 0, cycle %llu (%llu so far)", i,
                ts_by_name(s->dropped.by), (unsigned long long)s->dropped.at,
                (unsigned long long)s->dropped.count);
        if (s->wiped.count)
            ts_hang_fact(story, "  SEMINIT of semaphore %u by %s when it was %u, cycle %llu", i,
                         ts_by_name(s->wiped.by), s->wiped_value, (unsigned long long)s->wiped.at);
        if (s->above.count)
            ts_hang_fact(
                story,
                "  SEMPOST of semaphore %u by %s went above its maximum, cycle %llu (%llu so far)",
                i, ts_by_name(s->above.by), (unsigned long long)s->above.at,
                (unsigned long long)s->above.count);
    }
}

static void look_rest(const struct ts_hang_looker *self)
{
    struct ts_tile *tile = self->tile;
    for (unsigned b = 0; b < 2; b++) {
        const struct ts_src_file *file = ts_files_src(&tile->files, b);
        unsigned with_math = (unsigned)(file->bank[0].owner == TS_SRC_MATRIX) +
                             (unsigned)(file->bank[1].owner == TS_SRC_MATRIX);
        bool apart = with_math == 1 ? file->bank[file->matrix].owner != TS_SRC_MATRIX ||
                                          file->unpacker == file->matrix
                                    : file->unpacker != file->matrix;
        if (apart)
            ts_hang_fact(
                self->story,
                "src%c: the bank pointers have diverged (unpacker at %u, math at %u, %u banks with "
                "math): one side went on without the other",
                "ab"[b], file -> unpacker, file -> matrix, with_math);
        if (with_math == 0)
            continue;
        ts_hang_fact(
            self->story, "src%c: bank 0 with %s, bank 1 with %s; the unpacker is at %u, math at %u",
            "ab"[b], ts_hang_bank_owner(self, &tile->files.bank[b][0]),
            ts_hang_bank_owner(self, &tile->files.bank[b][1]), file -> unpacker, file -> matrix);
    }
    for (unsigned i = 0; i < TS_MUTEXES; i++)
        if (i != 1 && tile->sync.mutex[i].holder >= 0)
            ts_hang_fact(self->story, "mutex %u is held by T%d", i, tile->sync.mutex[i].holder);
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (tile->front[t].lost)
            ts_hang_fact(self->story, "%llu words of T%u were lost: BRISC pushed in the same cycle",
                         (unsigned long long)tile->front[t].lost, t);
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (tile->front[t].replay.recording)
            ts_hang_fact(self->story, "T%u: REPLAY has %u more words to record%s", t,
                         tile->front[t].replay.recording,
                         tile->front[t].replay.execute ? "" : " instead of executing them");
    for (unsigned i = 0; i < tile->said_count; i++) {
        const struct ts_said *said = &tile->said[i];
        if (said->report == TS_REPORT_SEMGET_DROPPED || said->report == TS_REPORT_SEMPOST_ABOVE_MAX)
            continue; // reported with the semaphore
        char pc[24] = "";
        if (said->pc != TS_NO_PC)
            snprintf(pc, sizeof pc, ", pc 0x%x", said->pc);
        ts_hang_fact(self->story, "cycle %llu: %s (%s)%s; %llu so far",
                     (unsigned long long)said->cycle, ts_report_name(said->report), said->text, pc,
                     (unsigned long long)said->count);
    }
}

void ts_hang_look_lost(const struct ts_tile *tile, struct ts_hang_node *n)
{
    if (n->lost[0])
        return;
    if (n->semaphore >= 0) {
        const struct ts_sync_semaphore *s = &tile->sync.semaphore[n->semaphore];
        if (n->need.missing <= 0 && s->dropped.count)
            snprintf(n->lost, sizeof n->lost,
                     "a SEMGET by %s at value 0 was lost at cycle %llu (%llu in all)",
                     ts_by_name(s->dropped.by), (unsigned long long)s->dropped.at,
                     (unsigned long long)s->dropped.count);
        else if (n->need.missing > 0 && s->wiped.count)
            snprintf(n->lost, sizeof n->lost, "SEMINIT by %s wiped its value %u at cycle %llu",
                     ts_by_name(s->wiped.by), s->wiped_value, (unsigned long long)s->wiped.at);
        for (unsigned i = 0; i < tile->said_count && n->need.missing > 0 && !n->lost[0]; i++)
            if (tile->said[i].report == TS_REPORT_SEMPOST_SATURATED)
                snprintf(n->lost, sizeof n->lost,
                         "posts at 15 were lost, the first at cycle %llu (%.80s)",
                         (unsigned long long)tile->said[i].cycle, tile->said[i].text);
    }
    bool bank = n->reason == TS_STALL_SRC_NOT_FREE || n->reason == TS_STALL_SRC_NOT_VALID;
    for (unsigned i = 0; i < tile->said_count && bank; i++)
        if (tile->said[i].report == TS_REPORT_CLEAR_NOT_VALID) {
            char line[100] = "", where[120] = "";
            if (tile->said[i].by < TS_THREADS && tile->said[i].pc != TS_NO_PC) {
                ts_hang_at(tile, TS_RV_TRISC0 + tile->said[i].by, tile->said[i].pc, line,
                           sizeof line);
                snprintf(where, sizeof where, " at %s", line);
            }
            snprintf(n->lost, sizeof n->lost,
                     "%s gave the bank back before it had it%s, cycle %llu",
                     ts_by_name(tile->said[i].by), where, (unsigned long long)tile->said[i].cycle);
            return;
        }
    for (unsigned t = 0; t < TS_THREADS && !n->lost[0]; t++) {
        const struct ts_frontend *front = &tile->front[t];
        if (front->replay.recording && !front->replay.execute)
            snprintf(n->lost, sizeof n->lost,
                     "T%u records the next %u words instead of executing them (REPLAY)", t,
                     front->replay.recording);
    }
}

void ts_hang_facts(const struct ts_hang_looker *self)
{
    look_semaphores(self);
    look_rest(self);
}
