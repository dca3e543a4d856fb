// Programs in the C++ tile API: functions and the calls in them (read.h).
//
//   TPUSH_IMPL<MyPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>(pipe, acc);   tpush acc, pipe, up_down
//   TPUSH(tile, multiPipe);  TPOP(pipe, tile);  TFREE(pipe);               a TMPipe comes second
//   pipe.prod.setAllocateStatus(i % 4 == 0);                               alloc= of the pushes below
//   set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  pipe_barrier(PIPE_ALL);       set mte2 v 0; barrier all
//   for (int i = 0; i < n; i++) { if (i > 0) { ... } else { ... } }
//
// A function is the Cube's or the Vector cores' by the tiles in it. Functions of one side run one
// after the other, in the order of the text.
#include "platform/study/pipe/read.h"

// --- sides and lines ---

bool ts_cpp_side(struct ts_reader *self, int side, const struct ts_token *at)
{
    if (self->side >= 0 && self->side != side)
        return ts_read_error(self, at,
                             "this is of the %s, the function of the other side: tiles of Cube and "
                             "Vector cores do not meet in one function",
                             side ? "Vector cores" : "Cube");
    self->side = side;
    return true;
}

bool ts_cpp_flush(struct ts_reader *self, const struct ts_token *at)
{
    if (ts_doc_flush(self))
        return true;
    return ts_read_error(self, at,
                         "neither a tile nor a pipe says whether the Cube or the Vector cores "
                         "run this; write [[cube]] or [[vector]] before it");
}

// The name in front of an index or an offset.
static void base_name(const char *operand, char *to, size_t room)
{
    snprintf(to, room, "%.*s", (int)strcspn(operand, "([ "), operand);
}

static bool is_tile(struct ts_reader *self, const char *operand, int *side)
{
    char name[40];
    base_name(operand, name, sizeof name);
    int tile = ts_doc_named(self, self->tiles, name);
    const char *loc = tile ? ts_doc_text(self, tile, "loc") : NULL;
    *side = loc && strcmp(loc, "vec") == 0;
    return tile != 0;
}

// --- switches ---

static struct ts_cpp_switch *switch_of(struct ts_reader *self, const char *pipe, unsigned which)
{
    for (unsigned i = 0; i < self->cpp->switch_count; i++)
        if (self->cpp->switches[i].which == which && strcmp(self->cpp->switches[i].pipe, pipe) == 0)
            return &self->cpp->switches[i];
    if (self->cpp->switch_count == TS_CPP_SWITCHES)
        return NULL;
    struct ts_cpp_switch *fresh = &self->cpp->switches[self->cpp->switch_count++];
    *fresh = (struct ts_cpp_switch){.which = which};
    snprintf(fresh->pipe, sizeof fresh->pipe, "%s", pipe);
    return fresh;
}

// pipe.prod.setAllocateStatus(e): for the calls that follow in the text. Behind a call of the same
// loop that relies on the setting from outside, it would be for the next turn: the order of the text
// cannot say that.
static bool set_switch(struct ts_reader *self, const char *pipe, unsigned which, const char *text,
                       const struct ts_token *at)
{
    struct ts_cpp_switch *state = switch_of(self, pipe, which);
    if (state == NULL)
        return ts_read_error(self, at, "too many switches");
    if (self->cpp->loop && state->kept_in == self->cpp->loop)
        return ts_read_error(self, at,
                             "set the switch before the call it is for, inside the same loop");
    snprintf(state->text, sizeof state->text, "%s", text);
    state->set_in = self->cpp->loop;
    return true;
}

// What a switch is when nothing sets it: variant F has all of them off.
static const char *standing(struct ts_reader *self, const char *pipe)
{
    const char *variant = ts_doc_text(self, ts_doc_named(self, self->pipes, pipe), "variant");
    if (variant == NULL)
        variant = ts_doc_text(self, self->root, "variant");
    return variant && strcmp(variant, "F") == 0 ? "0" : "1";
}

static bool use_switches(struct ts_reader *self, struct ts_call *call)
{
    bool produces = call->op == TS_OP_TPUSH || call->op == TS_OP_TALLOC;
    for (unsigned which = 0; which < TS_SWITCHES; which++) {
        bool of_producer = which == TS_SWITCH_ALLOCATE || which == TS_SWITCH_RECORD;
        if (of_producer != produces)
            continue;
        struct ts_cpp_switch *state = switch_of(self, call->pipe, which);
        if (state == NULL)
            continue;
        if (state->set_in != self->cpp->loop)
            state->kept_in = self->cpp->loop;
        if (state->text[0] && strcmp(state->text, standing(self, call->pipe)) != 0 &&
            !ts_call_option(self, call, ts_switch_names[which], state->text, call->at))
            return false;
    }
    return true;
}

// --- calls ---

static bool call_attribute(struct ts_reader *self, void *context, const char *key,
                           const char *value, const struct ts_token *at)
{
    if (strcmp(key, "cube") == 0 || strcmp(key, "vector") == 0)
        return ts_cpp_side(self, *key == 'v', at);
    return ts_call_option(self, context, key, value, at);
}

// <MyPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>: only the split says something new.
static bool read_template_arguments(struct ts_reader *self, struct ts_call *call)
{
    if (!ts_accept(self, "<"))
        return true;
    do {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(self, 0);
        if (!ts_read_text(self, ",>", false, text, sizeof text))
            return false;
        if (strstr(text, "TILE_"))
            ts_read_lower(text, call->split, sizeof call->split);
        else if (strstr(text, "::"))
            return ts_read_error(self, at, "%s is not known here", text);
    } while (ts_accept(self, ","));
    return ts_expect(self, ">");
}

// (a, b, c): the pipe may stand in any place.
static bool read_arguments(struct ts_reader *self, struct ts_call *call)
{
    if (!ts_expect(self, "("))
        return false;
    while (!ts_accept(self, ")")) {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(self, 0);
        int side;
        if (!ts_read_text(self, ",)", false, text, sizeof text))
            return false;
        if (strncmp(text, "PIPE_", 5) == 0) {
            for (char *c = text; *c; c++)
                *c = (char)tolower((unsigned char)*c);
            memmove(text, text + 5, strlen(text) - 4);
            const char *const cube[] = {"m", "mte1", "fix"};
            for (size_t i = 0; i < 3; i++)
                if (strcmp(cube[i], text) == 0 && !ts_cpp_side(self, 0, at))
                    return false;
            if (strcmp(text, "v") == 0 && !ts_cpp_side(self, 1, at))
                return false;
        }
        if (ts_doc_named(self, self->pipes, text))
            snprintf(call->pipe, sizeof call->pipe, "%.31s", text);
        else if (!ts_call_add(self, call, text))
            return false;
        if (is_tile(self, text, &side) && !ts_cpp_side(self, side, at))
            return false;
        if (!ts_is(ts_peek(self, 0), ")") && !ts_expect(self, ","))
            return false;
    }
    return true;
}

// The side of a call without a tile: who frees a pipe consumes it, who pops a word is the Cube.
static bool side_by_pipe(struct ts_reader *self, const struct ts_call *call)
{
    int pipe = ts_doc_named(self, self->pipes, call->pipe);
    const char *dir = pipe ? ts_doc_text(self, pipe, "dir") : NULL;
    const char *fifo = pipe ? ts_doc_text(self, pipe, "fifo") : NULL;
    if (self->side >= 0 || (dir == NULL && fifo == NULL) || (dir && strstr(dir, "both")))
        return true;
    bool c2v = dir ? strstr(dir, "c2v") != NULL : strcmp(fifo, "vec") == 0;
    if (fifo && strcmp(fifo, "gm") == 0)
        return true;
    bool consumes = call->op == TS_OP_TPOP || call->op == TS_OP_TFREE;
    bool produces = call->op == TS_OP_TPUSH || call->op == TS_OP_TALLOC;
    return consumes   ? ts_cpp_side(self, c2v, call->at)
           : produces ? ts_cpp_side(self, !c2v, call->at)
                      : true;
}

// TASSIGN(tile, address): the tile's place.
static bool assign(struct ts_reader *self, const struct ts_call *call)
{
    int tile = call->items == 2 ? ts_doc_named(self, self->tiles, call->item[0]) : 0;
    if (tile == 0)
        return ts_read_error(self, call->at, "TASSIGN takes a tile and an address");
    ts_doc_set(self, tile, "addr", call->item[1], call->at);
    return true;
}

static bool emit(struct ts_reader *self, struct ts_call *call)
{
    bool ring = call->op >= TS_OP_TPUSH && call->op <= TS_OP_TFREE;
    if (ring && !use_switches(self, call))
        return false;
    if (!side_by_pipe(self, call))
        return false;
    // wait_flag_dev(id) names no pipe: the scalar unit waits.
    if (call->op == TS_OP_XWAIT && call->items == 1) {
        snprintf(call->item[1], TS_CALL_TEXT, "%s", call->item[0]);
        snprintf(call->item[0], TS_CALL_TEXT, "s");
        call->items = 2;
    }
    return ts_call_line(self, call);
}

static bool read_call(struct ts_reader *self)
{
    struct ts_call call = {.at = ts_peek(self, 0)};
    char name[40];
    if (!ts_read_attributes(self, call_attribute, &call))
        return false;
    call.at = ts_next(self);
    ts_word(call.at, name, sizeof name);
    call.op = ts_read_op(TS_TEXT_CPP, name);
    bool is_assign = strcmp(name, "TASSIGN") == 0;
    if (call.op == TS_OP_COUNT && !is_assign) {
        char lower[40];
        snprintf(lower, sizeof lower, "%s", name);
        for (char *c = lower; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        const char *near = ts_read_nearest(lower);
        return ts_read_error(self, call.at,
                             near ? "no such call: %s, did you mean %s in capitals?"
                                  : "no such call: %s",
                             name, near);
    }
    if (!read_template_arguments(self, &call) || !read_arguments(self, &call) ||
        !ts_expect(self, ";"))
        return false;
    return is_assign ? assign(self, &call) : emit(self, &call);
}

// pipe.prod.setAllocateStatus(e); pipe.setTileId(e); pipe.cons.setEntryOffset(e);
static bool read_method(struct ts_reader *self)
{
    static const struct {
        const char *name;
        int which; // a switch, or -1
        enum ts_op op;
    } methods[] = {{"setAllocateStatus", TS_SWITCH_ALLOCATE, 0},
                   {"setRecordStatus", TS_SWITCH_RECORD, 0},
                   {"setWaitStatus", TS_SWITCH_WAIT, 0},
                   {"setFreeStatus", TS_SWITCH_FREE, 0},
                   {"setTileId", -1, TS_OP_SETTILE},
                   {"setEntryOffset", -1, TS_OP_SETOFFSET}};
    struct ts_call call = {.at = ts_peek(self, 0)};
    char text[TS_CALL_TEXT];
    ts_word(ts_next(self), call.pipe, sizeof call.pipe);
    const struct ts_token *name = call.at;
    while (ts_accept(self, "."))
        name = ts_next(self);
    if (!ts_doc_named(self, self->pipes, call.pipe))
        return ts_read_error(self, call.at, "no pipe is called %s", call.pipe);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (!ts_is(name, methods[i].name))
            continue;
        if (!ts_expect(self, "(") || !ts_read_text(self, ")", false, text, sizeof text) ||
            !ts_expect(self, ")") || !ts_expect(self, ";"))
            return false;
        if (methods[i].which >= 0)
            return set_switch(self, call.pipe, (unsigned)methods[i].which, text, call.at);
        call.op = methods[i].op;
        return ts_call_add(self, &call, text) && emit(self, &call);
    }
    return ts_read_error(self, name, "a pipe has no %.*s", (int)name->length, name->at);
}

// --- control ---

static bool read_block(struct ts_reader *self)
{
    if (!ts_deeper(self))
        return false;
    bool braces = ts_accept(self, "{");
    if (!braces && !ts_cpp_statement(self))
        return false;
    while (braces && !ts_accept(self, "}"))
        if (ts_peek(self, 0)->kind == TS_TOKEN_END)
            return ts_expect(self, "}");
        else if (!ts_cpp_statement(self))
            return false;
    self->depth--;
    return true;
}

// for (int i = FROM; i < TO; i++)
static bool read_for(struct ts_reader *self, const struct ts_token *at)
{
    char var[40], other[40], from[TS_CALL_TEXT], to[TS_CALL_TEXT];
    if (!ts_expect(self, "("))
        return false;
    if (ts_peek(self, 1)->kind == TS_TOKEN_NAME)
        ts_next(self); // its type
    ts_word(ts_next(self), var, sizeof var);
    if (!ts_expect(self, "=") || !ts_read_text(self, ";", false, from, sizeof from) ||
        !ts_expect(self, ";"))
        return false;
    const struct ts_token *test = ts_next(self);
    bool fits = strcmp(ts_word(test, other, sizeof other), var) == 0 && ts_accept(self, "<");
    if (!fits || !ts_read_text(self, ";", false, to, sizeof to) || !ts_expect(self, ";"))
        return ts_read_error(self, test, "a loop is for (int %s = FROM; %s < TO; %s++)", var, var,
                             var);
    bool before = ts_accept(self, "++");
    bool counts = strcmp(ts_word(ts_next(self), other, sizeof other), var) == 0 &&
                  (before || ts_accept(self, "++"));
    if (!counts)
        return ts_read_error(self, test, "a loop counts by 1: %s++", var);
    if (!ts_expect(self, ")"))
        return false;
    ts_read_line(self, at, "for %s (%s) (%s)", var, from, to);
    unsigned outer = self->cpp->loop;
    self->cpp->loop = ++self->cpp->loops;
    if (!read_block(self))
        return false;
    self->cpp->loop = outer;
    ts_read_line(self, at, "end");
    return true;
}

static bool read_if(struct ts_reader *self, const struct ts_token *at)
{
    char condition[TS_CALL_TEXT];
    ts_accept(self, "constexpr");
    if (!ts_expect(self, "(") || !ts_read_text(self, ")", false, condition, sizeof condition) ||
        !ts_expect(self, ")"))
        return false;
    ts_read_line(self, at, "if (%s)", condition);
    if (!read_block(self))
        return false;
    const struct ts_token *other = ts_peek(self, 0);
    if (ts_accept(self, "else")) {
        ts_read_line(self, other, "else");
        if (!read_block(self))
            return false;
    }
    ts_read_line(self, at, "end");
    return true;
}

// int n = e;  n = e;  n++;
static bool read_let(struct ts_reader *self, bool typed)
{
    const struct ts_token *at = ts_peek(self, 0);
    char var[40], text[TS_CALL_TEXT];
    if (typed)
        ts_next(self);
    ts_word(ts_next(self), var, sizeof var);
    if (ts_accept(self, "++"))
        snprintf(text, sizeof text, "%s + 1", var);
    else if (!ts_expect(self, "=") || !ts_read_text(self, ";", false, text, sizeof text))
        return false;
    ts_read_line(self, at, "let %s (%s)", var, text);
    return ts_expect(self, ";");
}

bool ts_cpp_statement(struct ts_reader *self)
{
    const struct ts_token *at = ts_peek(self, 0), *second = ts_peek(self, 1);
    struct ts_type room;
    if (ts_accept(self, ";"))
        return true;
    if (ts_accept(self, "for"))
        return read_for(self, at);
    if (ts_accept(self, "if"))
        return read_if(self, at);
    if (ts_is(at, "{"))
        return read_block(self);
    if (ts_is(at, "int") || ts_is(at, "auto") || ts_is(at, "uint32_t") || ts_is(at, "int32_t"))
        return read_let(self, true);
    if (at->kind == TS_TOKEN_NAME && (ts_is(second, "=") || ts_is(second, "++")))
        return read_let(self, false);
    if (at->kind == TS_TOKEN_NAME && ts_is(second, "."))
        return read_method(self);
    const struct ts_type *type = ts_cpp_type(self, &room);
    if (type) // a local tile or tensor
        return ts_cpp_declare(self, type, 0, false) && ts_expect(self, ";");
    if (self->yaml->error->code != TS_OK)
        return false;
    return read_call(self);
}

bool ts_cpp_body(struct ts_reader *self, const struct ts_token *at)
{
    if (ts_accept(self, ";"))
        return true; // a declaration without a body
    if (!ts_is(ts_peek(self, 0), "{"))
        return ts_expect(self, "{");
    return read_block(self) && ts_cpp_flush(self, at);
}
