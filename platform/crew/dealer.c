// Hands out runs and collects rows (dealer.h).
#include "platform/crew/dealer.h"

#include "platform/base/json.h"

struct priced {
    size_t index;
    double cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    return TS_COMPARE(y->cost, x->cost) ?: TS_COMPARE(x->index, y->index);
}

// Is the run needed, and not there?
static bool is_open(const struct ts_dealer *self, size_t index)
{
    return index <= self->crew->stop && self->crew->rows[index] == NULL;
}

static void sort(struct ts_dealer *self)
{
    struct priced *priced = ts_need(calloc(self->ordered ? self->ordered : 1, sizeof *priced),
                                    "the list of runs");
    for (size_t i = 0; i < self->ordered; i++)
        priced[i] = (struct priced){self->order[i],
                                    self->list->cost(self->list->context, self->order[i])};
    qsort(priced, self->ordered, sizeof *priced, by_cost);
    for (size_t i = 0; i < self->ordered; i++)
        self->order[i] = priced[i].index;
    free(priced);
}

// Runs behind the stop are not needed any more.
static void cut(struct ts_dealer *self, size_t stop)
{
    if (stop >= self->crew->stop)
        return;
    self->crew->stop = stop;
    self->left = 0;
    for (size_t i = 0; i <= stop; i++)
        self->left += ts_crew_mine(self->crew, i) && self->crew->rows[i] == NULL;
}

static void show(struct ts_dealer *self)
{
    struct ts_crew *crew = self->crew;
    for (; self->shown < crew->count && self->shown <= crew->stop && crew->rows[self->shown];
         self->shown++)
        if (self->list->show && !crew->shards)
            self->list->show(self->list->context, self->shown, crew->rows[self->shown]);
}

// The counts, and what is kept of a row.
static void count_row(struct ts_dealer *self, size_t index, int64_t code)
{
    struct ts_crew *crew = self->crew;
    json_t *row = crew->rows[index];
    crew->done++;
    if (self->list->stops == NULL) {
        crew->failed += code != TS_OK;
    } else if (self->list->stops(row)) {
        cut(self, index);
    } else {
        json_decref(row);
        crew->rows[index] = json_null(); // one for all
    }
}

void ts_dealer_begin(struct ts_dealer *self, struct ts_crew *crew, const struct ts_crew_list *list,
                     bool in_order)
{
    *self = (struct ts_dealer){.crew = crew,
                               .list = list,
                               .order = calloc(crew->count + 1, sizeof *self->order),
                               .tries = calloc(crew->count + 1, sizeof *self->tries)};
    if (self->order == NULL || self->tries == NULL)
        ts_out_of_memory("the list of runs");
    for (size_t i = 0; i < crew->count; i++)
        if (crew->rows[i])
            count_row(self, i, ts_json_integer(crew->rows[i], "code"));
    self->left = 0;
    for (size_t i = 0; i < crew->count; i++)
        if (ts_crew_mine(crew, i) && is_open(self, i))
            self->order[self->ordered++] = i;
    self->left = self->ordered;
    if (list->cost && !in_order)
        sort(self);
    show(self);
}

void ts_dealer_free(struct ts_dealer *self)
{
    free(self->order);
    free(self->again);
    free(self->tries);
}

size_t ts_dealer_waiting(const struct ts_dealer *self)
{
    return self->left == 0 ? 0 : self->ordered - self->next + self->agains;
}

bool ts_dealer_next(struct ts_dealer *self, size_t *index)
{
    while (self->left && (self->agains || self->next < self->ordered)) {
        *index = self->agains ? self->again[--self->agains] : self->order[self->next++];
        if (is_open(self, *index))
            return true;
    }
    return false;
}

bool ts_dealer_done(struct ts_dealer *self, size_t index, json_t *row, int64_t code)
{
    struct ts_crew *crew = self->crew;
    if (index >= crew->count || !ts_crew_mine(crew, index) || crew->rows[index]) {
        json_decref(row); // of a rank that was taken for lost
        return false;
    }
    self->left -= index <= crew->stop;
    crew->rows[index] = row;
    count_row(self, index, code);
    show(self);
    return true;
}

void ts_dealer_back(struct ts_dealer *self, size_t index)
{
    TS_MORE(self->again, self->agains, self->room, "the list of runs");
    self->again[self->agains++] = index;
}

bool ts_dealer_again(struct ts_dealer *self, size_t index)
{
    if (++self->tries[index] >= TS_CREW_TRIES)
        return false;
    ts_dealer_back(self, index);
    return true;
}
