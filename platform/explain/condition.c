// Conditions of polling loops; see looker.h.
#include "platform/explain/looker.h"

#define SAMPLES 640u
#define NEAR    64u // values on each side that are all tried
#define BORDERS 24u // that are looked for

struct sample {
    uint32_t value, key; // the key is what the relation is about
    bool ends;
};

struct trial {
    const struct ts_rv_spin *spin;
    uint32_t poll, now, most;
    struct sample sample[SAMPLES];
    unsigned count;
};

static bool try_value(struct trial *self, uint32_t value)
{
    bool ends = ts_rv_spin_ends(self->spin, self->poll, value);
    if (self->count < SAMPLES)
        self->sample[self->count++] = (struct sample){value, value, ends};
    return ends;
}

static void try_near(struct trial *self, uint32_t value)
{
    for (uint32_t d = 0; d < 3; d++)
        if (value - 1 + d <= self->most)
            try_value(self, value - 1 + d);
}

static void try_bits(struct trial *self, uint32_t value)
{
    for (unsigned bit = 0; bit < 32 && 1u << bit <= self->most; bit++)
        try_value(self, value ^ 1u << bit);
}

static int by_key(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return TS_COMPARE(x->key, y->key);
}

// Between neighbours of which only one ends the loop: the border.
static void find_borders(struct trial *self)
{
    const unsigned count = self->count;
    qsort(self->sample, count, sizeof *self->sample, by_key);
    for (unsigned i = 0, found = 0; i + 1 < count && found < BORDERS; i++) {
        uint32_t low = self->sample[i].value, high = self->sample[i + 1].value;
        const bool ends = self->sample[i].ends;
        if (ends == self->sample[i + 1].ends || high - low < 2)
            continue;
        found++;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            *(ts_rv_spin_ends(self->spin, self->poll, middle) == ends ? &low : &high) = middle;
        }
        try_value(self, low);
        try_value(self, high);
    }
}

// Tries values of a location. False: none of them ends the loop.
static bool try_all(struct trial *self, uint32_t *goal)
{
    const struct ts_rv_spin *spin = self->spin;
    bool any = false;
    for (uint32_t d = 1; d <= NEAR; d++) {
        if (self->now <= self->most - d)
            try_value(self, self->now + d);
        if (self->now >= d)
            try_value(self, self->now - d);
    }
    try_near(self, 0);
    try_near(self, self->most);
    try_near(self, self->now);
    try_bits(self, 0);
    try_bits(self, self->now);
    for (uint32_t i = 0; i < spin->terms && self->count + 120 < SAMPLES; i++)
        if (spin->term[i].kind == TS_TERM_CONST) {
            try_near(self, spin->term[i].value);
            try_near(self, self->now + spin->term[i].value);
            try_near(self, self->now - spin->term[i].value);
        }
    for (uint32_t i = 0; i < spin->exits; i++) { // y - x compared with c: what makes it equal
        uint32_t a = spin->term[spin->exit[i].a].value, b = spin->term[spin->exit[i].b].value;
        try_near(self, self->now + b - a);
        try_near(self, self->now + a - b);
    }
    find_borders(self);
    for (unsigned i = 0; i < self->count; i++) {
        const struct sample *s = &self->sample[i];
        uint32_t far = s->value > self->now ? s->value - self->now : self->now - s->value;
        uint32_t best = *goal > self->now ? *goal - self->now : self->now - *goal;
        if (s->ends && (!any || far < best || (far == best && s->value > self->now))) {
            *goal = s->value;
            any = true;
        }
    }
    if (any)
        try_bits(self, *goal);
    return any;
}

// Do the values that end the loop make one range of the key? As which relation?
static bool range_of(struct trial *self, uint32_t now, uint32_t most, struct ts_condition *is)
{
    uint32_t low = UINT32_MAX, high = 0;
    bool below = false, above = false, inside = false, others = false;
    for (unsigned i = 0; i < self->count; i++)
        if (self->sample[i].ends) {
            low = self->sample[i].key < low ? self->sample[i].key : low;
            high = self->sample[i].key > high ? self->sample[i].key : high;
        }
    for (unsigned i = 0; i < self->count; i++) {
        uint32_t key = self->sample[i].key;
        if (self->sample[i].ends)
            continue;
        below |= key < low;
        above |= key > high;
        inside |= key >= low && key <= high;
        others |= key != now;
    }
    is->needs = low;
    is->most = high;
    if (!others && (inside || low == 1)) {
        is->relation = TS_REL_NE;
        is->needs = now;
        return true;
    }
    if (inside)
        return false;
    is->relation = low == high                                   ? TS_REL_EQ
                   : !above || high == most || high == INT32_MAX ? TS_REL_LEAST
                   : !below                                      ? TS_REL_LESS
                                                                 : TS_REL_RANGE;
    is->needs += is->relation == TS_REL_LESS ? high + 1 - low : 0;
    return now < low || now > high;
}

// The same for numbers with a sign: what is below 0 comes first.
static bool relate(struct trial *self, uint32_t now, uint32_t most, struct ts_condition *is)
{
    if (range_of(self, now, most, is))
        return true;
    for (unsigned i = 0; i < self->count; i++)
        self->sample[i].key ^= 0x80000000u;
    bool found = range_of(self, now ^ 0x80000000u, UINT32_MAX, is);
    is->needs ^= 0x80000000u;
    is->most ^= 0x80000000u;
    return found;
}

// The side of the branch that depends on the poll.
static uint8_t side_of(const struct ts_rv_spin *spin, uint32_t exit, uint32_t poll)
{
    bool left = ts_rv_spin_poll_of(spin, spin->exit[exit].a) == (int)poll;
    return left ? spin->exit[exit].a : spin->exit[exit].b;
}

uint32_t ts_condition_asks(const struct ts_condition *self, const struct ts_rv_spin *spin)
{
    uint32_t now[TS_SPIN_TERMS], then[TS_SPIN_TERMS], asks = 0;
    const uint32_t missing = (uint32_t)self->missing;
    ts_rv_spin_evaluate(spin, self->poll, spin->poll[self->poll].value, now);
    ts_rv_spin_evaluate(spin, self->poll, self->goal, then);
    for (uint32_t i = 0; i < spin->terms; i++)
        if (spin->term[i].kind == TS_TERM_OP && then[i] - now[i] == missing && then[i] >= missing &&
            then[i] < 0x10000 && (asks || spin->term[i].op == TS_RV_SUB || then[i] != self->goal))
            asks = then[i];
    return asks;
}

// Which value of a location leads out by a branch?
static bool solve(const struct ts_rv_spin *spin, uint32_t exit, int poll, struct ts_condition *is)
{
    static _Thread_local struct trial trial;
    if (poll < 0)
        return false;
    const uint32_t now = spin->poll[poll].value;
    const unsigned size = spin->poll[poll].size;
    trial = (struct trial){.spin = spin,
                           .poll = (uint32_t)poll,
                           .now = now,
                           .most = size < 4 ? (1u << 8 * size) - 1 : UINT32_MAX};
    uint32_t goal = 0;
    if (!try_all(&trial, &goal))
        return false;
    *is = (struct ts_condition){
        .known = true, .poll = (uint8_t)poll, .exit = (uint8_t)exit, .has = now, .goal = goal};
    is->missing = (int64_t)goal - now;
    is->plain = relate(&trial, now, trial.most, is);
    if (is->plain) {
        bool left = side_of(spin, exit, is->poll) == spin->exit[exit].a;
        is->other = left ? spin->exit[exit].b : spin->exit[exit].a;
        is->both = is->relation == TS_REL_EQ && ts_rv_spin_poll_of(spin, is->other) >= 0;
        return true;
    }
    const uint8_t side = side_of(spin, exit, is->poll);
    for (unsigned i = 0; i < trial.count; i++) {
        uint32_t of[TS_SPIN_TERMS];
        ts_rv_spin_evaluate(spin, is->poll, trial.sample[i].value, of);
        trial.sample[i].key = of[side];
    }
    is->has = spin->term[side].value;
    if (!relate(&trial, is->has, UINT32_MAX, is)) {
        is->plain = true;
        is->relation = TS_REL_SOME;
        is->has = now;
        is->needs = goal;
    }
    return true;
}

struct ts_condition ts_condition_of(const struct ts_rv_spin *spin)
{
    struct ts_condition self = {0};
    for (uint32_t i = 0; i < spin->exits && !self.known; i++)
        if (spin->exit[i].leaves &&
            !solve(spin, i, ts_rv_spin_poll_of(spin, spin->exit[i].a), &self))
            solve(spin, i, ts_rv_spin_poll_of(spin, spin->exit[i].b), &self);
    return self;
}

// --- text

struct writer {
    const struct ts_rv_spin *spin;
    ts_condition_name *name;
    void *context;
    char *text;
    size_t size;
};

static void number(uint32_t value, char text[16])
{
    snprintf(text, 16, value < 0x10000 ? "%u" : "0x%x", value);
}

static void put(struct writer *self, const char *text)
{
    size_t used = strlen(self->text);
    snprintf(self->text + used, self->size - used, "%s", text);
}

static void put_term(struct writer *self, uint8_t index, bool inside)
{
    static const struct {
        uint8_t op;
        const char *text;
    } signs[] = {{TS_RV_ADD, " + "},  {TS_RV_SUB, " - "},  {TS_RV_AND, " & "},
                 {TS_RV_OR, " | "},   {TS_RV_XOR, " ^ "},  {TS_RV_SLL, " << "},
                 {TS_RV_SRL, " >> "}, {TS_RV_SRA, " >> "}, {TS_RV_MUL, " * "}};
    const struct ts_rv_term *x = &self->spin->term[index];
    char text[64];
    if (x->kind == TS_TERM_CONST) {
        number(x->value, text);
        put(self, text);
        return;
    }
    if (x->kind == TS_TERM_POLL) {
        put(self, self->name(self->context, self->spin->poll[x->a].address, text, sizeof text));
        return;
    }
    const char *sign = NULL;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].op == x->op)
            sign = signs[i].text;
    if (sign == NULL) {
        put(self, ts_rv_mnemonic(x->op));
        put(self, "(");
        put_term(self, x->a, false);
        put(self, ", ");
        put_term(self, x->b, false);
        put(self, ")");
        return;
    }
    if (inside)
        put(self, "(");
    put_term(self, x->a, true);
    const struct ts_rv_term *right = &self->spin->term[x->b];
    if (right->kind == TS_TERM_CONST && x->op == TS_RV_AND) { // a mask
        snprintf(text, sizeof text, " & 0x%x", right->value);
        put(self, text);
    } else if (right->kind == TS_TERM_CONST && x->op == TS_RV_ADD &&
               (int32_t)right->value < 0) { // y + -1
        snprintf(text, sizeof text, " - %u", 0u - right->value);
        put(self, text);
    } else {
        put(self, sign);
        put_term(self, x->b, true);
    }
    if (inside)
        put(self, ")");
}

void ts_condition_text(const struct ts_condition *self, const struct ts_rv_spin *spin,
                       ts_condition_name *name, void *context, char *text, size_t size)
{
    static const char *const words[] = {"", "anything but ", "less than ", "at least ",
                                        "", "for example "};
    struct writer writer = {spin, name, context, text, size};
    char has[16], needs[16], most[16];
    text[0] = '\0';
    if (!self->known)
        return;
    if (!self->plain) {
        put_term(&writer, side_of(spin, self->exit, self->poll), false);
        put(&writer, " ");
    }
    number(self->has, has);
    number(self->needs, needs);
    number(self->most, most);
    if (self->relation == TS_REL_NE && self->needs == 0)
        ts_append(text, size, "has 0, needs at least 1");
    else
        ts_append(text, size, "has %s, needs %s%s%s%s", has, words[self->relation], needs,
                  self->relation == TS_REL_RANGE ? " to " : "",
                  self->relation == TS_REL_RANGE ? most : "");
    if (self->both) {
        put(&writer, ", the value of ");
        put_term(&writer, self->other, false);
    }
}
