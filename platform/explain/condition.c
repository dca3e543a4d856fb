// Conditions of polling loops; see condition.h.
#include "platform/explain/condition.h"

#include <stdio.h>
#include <string.h>

struct form {
    const struct ts_rv_spin *spin;
    enum ts_relation relation;
    uint8_t a, b;  // terms; b is not used with `constant`
    bool constant; // the right side is c
    uint32_t c;
};

static const struct ts_rv_term *term(const struct form *self, uint8_t index)
{
    return &self->spin->term[index];
}

static bool is_constant(const struct form *self, uint8_t index)
{
    return term(self, index)->kind == TS_TERM_CONST;
}

static enum ts_relation relation_of(uint8_t op)
{
    switch (op) {
    case TS_RV_BEQ:
        return TS_REL_EQ;
    case TS_RV_BNE:
        return TS_REL_NE;
    case TS_RV_BLT:
        return TS_REL_LT;
    case TS_RV_BGE:
        return TS_REL_GE;
    case TS_RV_BLTU:
        return TS_REL_LTU;
    default:
        return TS_REL_GEU;
    }
}

static enum ts_relation negated(enum ts_relation relation)
{
    return (enum ts_relation)(relation ^ 1);
}

// Brings the constant to the right: c < x is x >= c + 1.
static void order(struct form *self)
{
    if (self->constant)
        return;
    if (is_constant(self, self->a) && !is_constant(self, self->b)) {
        uint32_t c = term(self, self->a)->value;
        self->a = self->b;
        if (self->relation >= TS_REL_LT) {
            self->relation = negated(self->relation);
            c++;
        }
        self->constant = true;
        self->c = c;
    } else if (is_constant(self, self->b)) {
        self->constant = true;
        self->c = term(self, self->b)->value;
    }
    // x < 1 and x >= 1 are questions about 0.
    if (self->constant && self->c == 1 && self->relation >= TS_REL_LTU) {
        self->relation = self->relation == TS_REL_LTU ? TS_REL_EQ : TS_REL_NE;
        self->c = 0;
    }
}

static void set(struct form *self, uint8_t a, uint32_t c)
{
    self->a = a;
    self->c = c;
}

// x = y < z, compared with 0 or 1: becomes a question about y and z.
static bool open_comparison(struct form *self, const struct ts_rv_term *x)
{
    bool is_set = (self->relation == TS_REL_NE) == (self->c == 0);
    if ((x->op != TS_RV_SLTU && x->op != TS_RV_SLT) || self->c > 1)
        return false;
    enum ts_relation less = x->op == TS_RV_SLTU ? TS_REL_LTU : TS_REL_LT;
    self->relation = is_set ? less : negated(less);
    self->a = x->a;
    self->b = x->b;
    self->constant = false;
    order(self);
    return true;
}

// One step of an equation with a constant: (y - k == c) is (y == c + k). False: nothing to do.
static bool simplify(struct form *self)
{
    const struct ts_rv_term *x = term(self, self->a);
    if (!self->constant || self->relation > TS_REL_NE || x->kind != TS_TERM_OP)
        return false;
    bool first = is_constant(self, x->a), second = is_constant(self, x->b);
    uint32_t k = first ? term(self, x->a)->value : term(self, x->b)->value;
    uint8_t y = first ? x->b : x->a;
    if (open_comparison(self, x))
        return true;
    if (!first && !second) {
        if ((x->op != TS_RV_SUB && x->op != TS_RV_XOR) || self->c != 0)
            return false;
        self->a = x->a;
        self->b = x->b;
        self->constant = false;
        return true;
    }
    switch (x->op) {
    case TS_RV_ADD:
        set(self, y, self->c - k);
        return true;
    case TS_RV_SUB:
        set(self, y, first ? k - self->c : self->c + k);
        return true;
    case TS_RV_XOR:
        set(self, y, self->c ^ k);
        return true;
    case TS_RV_AND: // a mask that hides nothing
        if (second && k == UINT32_MAX) {
            set(self, y, self->c);
            return true;
        }
        return false;
    default:
        return false;
    }
}

// The first location that a term depends on; -1: none.
static int poll_of(const struct ts_rv_spin *spin, uint8_t index)
{
    const struct ts_rv_term *x = &spin->term[index];
    if (x->kind == TS_TERM_POLL)
        return x->a;
    if (x->kind == TS_TERM_CONST)
        return -1;
    int first = poll_of(spin, x->a);
    return first >= 0 ? first : poll_of(spin, x->b);
}

static int64_t missing(enum ts_relation relation, uint32_t has, uint32_t needs)
{
    switch (relation) {
    case TS_REL_EQ:
        return (int32_t)(needs - has);
    case TS_REL_NE:
        return 1;
    case TS_REL_LT:
    case TS_REL_LTU:
        return (int64_t)(int32_t)(needs - has) - 1;
    default:
        return (int32_t)(needs - has);
    }
}

bool ts_relation_holds(enum ts_relation relation, uint32_t value, uint32_t needs)
{
    switch (relation) {
    case TS_REL_EQ:
        return value == needs;
    case TS_REL_NE:
        return value != needs;
    case TS_REL_LT:
        return (int32_t)value < (int32_t)needs;
    case TS_REL_GE:
        return (int32_t)value >= (int32_t)needs;
    case TS_REL_LTU:
        return value < needs;
    default:
        return value >= needs;
    }
}

struct ts_condition ts_condition_of(const struct ts_rv_spin *spin)
{
    struct ts_condition self = {0};
    if (spin->exits == 0)
        return self;
    struct form form = {.spin = spin,
                        .relation = relation_of(spin->exit[0].op),
                        .a = spin->exit[0].a,
                        .b = spin->exit[0].b};
    if (spin->exit[0].taken)
        form.relation = negated(form.relation);
    order(&form);
    for (unsigned i = 0; i < TS_SPIN_TERMS && simplify(&form); i++)
        ;
    int poll = poll_of(spin, form.a);
    if (poll < 0)
        return self;
    self.known = true;
    self.relation = form.relation;
    self.term = form.a;
    self.both = !form.constant;
    self.other = form.b;
    self.poll = (uint8_t)poll;
    self.plain = spin->term[form.a].kind == TS_TERM_POLL;
    self.has = spin->term[form.a].value;
    self.needs = form.constant ? form.c : spin->term[form.b].value;
    self.missing = missing(self.relation, self.has, self.needs);
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
    static const char *const words[] = {"",          "anything but ", "less than ",
                                        "at least ", "less than ",    "at least "};
    struct writer writer = {spin, name, context, text, size};
    char has[16], needs[16];
    text[0] = '\0';
    if (!self->known)
        return;
    if (!self->plain) {
        put_term(&writer, self->term, false);
        put(&writer, " ");
    }
    number(self->has, has);
    number(self->needs, needs);
    size_t used = strlen(text);
    if (self->relation == TS_REL_NE && self->needs == 0 && !self->both)
        snprintf(text + used, size - used, "has 0, needs at least 1");
    else
        snprintf(text + used, size - used, "has %s, needs %s%s", has, words[self->relation], needs);
    if (self->both) {
        put(&writer, ", the value of ");
        put_term(&writer, self->other, false);
    }
}
