// Programs in the C++ tile API: functions and the calls in them (read_cpp.h).
//
//   TPUSH_IMPL<MyPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>(pipe, acc);   tpush acc, pipe, up_down
//   TPUSH(tile, multiPipe);  TPOP(pipe, tile);  TFREE(pipe);               a TMPipe comes second
//   pipe.prod.setAllocateStatus(i % 4 == 0);                               alloc= of the pushes below
//   set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  pipe_barrier(PIPE_ALL);       set mte2 v 0; barrier all
//   for (int i = 0; i < n; i++) { if (i > 0) { ... } else { ... } }
//
// A function is the Cube's or the Vector cores' by the tiles in it. Functions of one side run one
// after the other, in the order of the text.
#include "platform/study/pipe/read_cpp.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- sides and lines ---

bool ts_cpp_side(struct ts_cpp *self, int side, const struct ts_token *at)
{
    if (self->side >= 0 && self->side != side)
        return ts_read_error(&self->reader, at,
                             "this is of the %s, the function of the other side: tiles of Cube and "
                             "Vector cores do not meet in one function",
                             side ? "Vector cores" : "Cube");
    self->side = side;
    return true;
}

static void add_line(struct ts_cpp *self, const struct ts_token *at, const char *text)
{
    if (self->line_count == self->line_room) {
        self->line_room = self->line_room ? 2 * self->line_room : 64;
        self->lines = ts_need(realloc(self->lines, self->line_room * sizeof *self->lines),
                              "the pipe program");
    }
    struct ts_cpp_line *line = &self->lines[self->line_count++];
    line->at = at;
    snprintf(line->text, sizeof line->text, "%s", text);
}

bool ts_cpp_flush(struct ts_cpp *self, const struct ts_token *at)
{
    if (self->line_count && self->side < 0)
        return ts_read_error(&self->reader, at,
                             "neither a tile nor a pipe says whether the Cube or the Vector cores "
                             "run this; write [[cube]] or [[vector]] before it");
    for (unsigned i = 0; i < self->line_count; i++)
        ts_doc_code(&self->reader, (unsigned)self->side, self->lines[i].text, self->lines[i].at);
    self->line_count = 0;
    return true;
}

// The name in front of an index or an offset.
static void base_name(const char *operand, char *to, size_t room)
{
    snprintf(to, room, "%.*s", (int)strcspn(operand, "([ "), operand);
}

static bool is_tile(struct ts_cpp *self, const char *operand, int *side)
{
    char name[40];
    base_name(operand, name, sizeof name);
    int tile = ts_doc_named(&self->reader, self->reader.tiles, name);
    const char *loc = tile ? ts_doc_text(&self->reader, tile, "loc") : NULL;
    *side = loc && strcmp(loc, "vec") == 0;
    return tile != 0;
}

// --- switches ---

static struct ts_cpp_switch *switch_of(struct ts_cpp *self, const char *pipe, unsigned which)
{
    for (unsigned i = 0; i < self->switch_count; i++)
        if (self->switches[i].which == which && strcmp(self->switches[i].pipe, pipe) == 0)
            return &self->switches[i];
    if (self->switch_count == TS_CPP_SWITCHES)
        return NULL;
    struct ts_cpp_switch *fresh = &self->switches[self->switch_count++];
    *fresh = (struct ts_cpp_switch){.which = which};
    snprintf(fresh->pipe, sizeof fresh->pipe, "%s", pipe);
    return fresh;
}

// pipe.prod.setAllocateStatus(e): for the calls that follow in the text. Behind a call of the same
// loop that relies on the setting from outside, it would be for the next turn: the order of the text
// cannot say that.
static bool set_switch(struct ts_cpp *self, const char *pipe, unsigned which, const char *text,
                       const struct ts_token *at)
{
    struct ts_cpp_switch *state = switch_of(self, pipe, which);
    if (state == NULL)
        return ts_read_error(&self->reader, at, "too many switches");
    if (self->loop && state->kept_in == self->loop)
        return ts_read_error(&self->reader, at,
                             "set the switch before the call it is for, inside the same loop");
    snprintf(state->text, sizeof state->text, "%s", text);
    state->set_in = self->loop;
    return true;
}

// What a switch is when nothing sets it: variant F has all of them off.
static const char *standing(struct ts_cpp *self, const char *pipe)
{
    struct ts_reader *reader = &self->reader;
    const char *variant = ts_doc_text(reader, ts_doc_named(reader, reader->pipes, pipe), "variant");
    if (variant == NULL)
        variant = ts_doc_text(reader, reader->root, "variant");
    return variant && strcmp(variant, "F") == 0 ? "0" : "1";
}

static bool use_switches(struct ts_cpp *self, struct ts_call *call)
{
    static const char *const keys[] = {"alloc", "record", "wait", "free"};
    bool produces = call->op == TS_OP_TPUSH || call->op == TS_OP_TALLOC;
    for (unsigned which = 0; which < TS_SWITCHES; which++) {
        bool of_producer = which == TS_SWITCH_ALLOCATE || which == TS_SWITCH_RECORD;
        if (of_producer != produces)
            continue;
        struct ts_cpp_switch *state = switch_of(self, call->pipe, which);
        if (state == NULL)
            continue;
        if (state->set_in != self->loop)
            state->kept_in = self->loop;
        if (state->text[0] && strcmp(state->text, standing(self, call->pipe)) != 0 &&
            !ts_call_option(&self->reader, call, keys[which], state->text, call->at))
            return false;
    }
    return true;
}

// --- calls ---

static bool call_attribute(struct ts_reader *reader, void *context, const char *key,
                           const char *value, const struct ts_token *at)
{
    struct ts_cpp *self = (struct ts_cpp *)reader; // its first member
    if (strcmp(key, "cube") == 0 || strcmp(key, "vector") == 0)
        return ts_cpp_side(self, *key == 'v', at);
    return ts_call_option(&self->reader, context, key, value, at);
}

// <MyPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>: only the split says something new.
static bool read_template_arguments(struct ts_cpp *self, struct ts_call *call)
{
    struct ts_reader *reader = &self->reader;
    if (!ts_accept(reader, "<"))
        return true;
    do {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(reader, 0);
        if (!ts_read_text(reader, ",>", false, text, sizeof text))
            return false;
        if (strstr(text, "TILE_"))
            ts_read_lower(text, call->split, sizeof call->split);
        else if (strstr(text, "::"))
            return ts_read_error(reader, at, "%s is not known here", text);
    } while (ts_accept(reader, ","));
    return ts_expect(reader, ">");
}

// (a, b, c): the pipe may stand in any place.
static bool read_arguments(struct ts_cpp *self, struct ts_call *call)
{
    struct ts_reader *reader = &self->reader;
    if (!ts_expect(reader, "("))
        return false;
    while (!ts_accept(reader, ")")) {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(reader, 0);
        int side;
        if (!ts_read_text(reader, ",)", false, text, sizeof text))
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
        if (ts_doc_named(reader, reader->pipes, text))
            snprintf(call->pipe, sizeof call->pipe, "%.31s", text);
        else if (!ts_call_add(reader, call, text))
            return false;
        if (is_tile(self, text, &side) && !ts_cpp_side(self, side, at))
            return false;
        if (!ts_is(ts_peek(reader, 0), ")") && !ts_expect(reader, ","))
            return false;
    }
    return true;
}

// The side of a call without a tile: who frees a pipe consumes it, who pops a word is the Cube.
static bool side_by_pipe(struct ts_cpp *self, const struct ts_call *call)
{
    int pipe = ts_doc_named(&self->reader, self->reader.pipes, call->pipe);
    const char *dir = pipe ? ts_doc_text(&self->reader, pipe, "dir") : NULL;
    const char *fifo = pipe ? ts_doc_text(&self->reader, pipe, "fifo") : NULL;
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

// The mnemonic of a function's name: TPUSH_IMPL is tpush, TMATMUL_ACC is tmatmul.acc.
static enum ts_op op_of(const char *name)
{
    static const char *const others[][2] = {{"set_flag", "set"},
                                            {"wait_flag", "wait"},
                                            {"pipe_sync", "sync"},
                                            {"pipe_barrier", "barrier"},
                                            {"ffts_cross_core_sync", "xset"},
                                            {"set_intra_block", "xset"},
                                            {"wait_intra_block", "xwait"},
                                            {"wait_flag_dev", "xwait"},
                                            {"TMATMUL_ACC", "tmatmul.acc"},
                                            {"TMATMUL_BIAS", "tmatmul.bias"}};
    char lower[40];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0)
            return ts_read_op(others[i][1]);
    if (name[0] != 'T')
        return TS_OP_COUNT;
    snprintf(lower, sizeof lower, "%s", name);
    size_t length = strlen(lower);
    if (length > 5 && strcmp(lower + length - 5, "_IMPL") == 0)
        lower[length - 5] = 0;
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return ts_read_op(lower);
}

// TASSIGN(tile, address): the tile's place.
static bool assign(struct ts_cpp *self, const struct ts_call *call)
{
    int tile = call->items == 2 ? ts_doc_named(&self->reader, self->reader.tiles, call->item[0])
                                : 0;
    if (tile == 0)
        return ts_read_error(&self->reader, call->at, "TASSIGN takes a tile and an address");
    ts_doc_set(&self->reader, tile, "addr", call->item[1], call->at);
    return true;
}

static bool emit(struct ts_cpp *self, struct ts_call *call)
{
    char line[400];
    bool ring = call->op >= TS_OP_TPUSH && call->op <= TS_OP_TFREE;
    if (ring && !call->split[0])
        snprintf(call->split, sizeof call->split, "no_split");
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
    if (!ts_call_text(&self->reader, call, line, sizeof line))
        return false;
    add_line(self, call->at, line);
    return true;
}

static bool read_call(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    struct ts_call call = {.at = ts_peek(reader, 0)};
    char name[40];
    if (!ts_read_attributes(reader, call_attribute, &call))
        return false;
    call.at = ts_next(reader);
    ts_word(call.at, name, sizeof name);
    call.op = op_of(name);
    bool is_assign = strcmp(name, "TASSIGN") == 0;
    if (call.op == TS_OP_COUNT && !is_assign) {
        char lower[40];
        snprintf(lower, sizeof lower, "%s", name);
        for (char *c = lower; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        const char *near = ts_read_nearest(lower);
        return ts_read_error(reader, call.at,
                             near ? "no such call: %s, did you mean %s in capitals?"
                                  : "no such call: %s",
                             name, near);
    }
    if (!read_template_arguments(self, &call) || !read_arguments(self, &call) ||
        !ts_expect(reader, ";"))
        return false;
    return is_assign ? assign(self, &call) : emit(self, &call);
}

// pipe.prod.setAllocateStatus(e); pipe.setTileId(e); pipe.cons.setEntryOffset(e);
static bool read_method(struct ts_cpp *self)
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
    struct ts_reader *reader = &self->reader;
    struct ts_call call = {.at = ts_peek(reader, 0)};
    char text[TS_CALL_TEXT];
    ts_word(ts_next(reader), call.pipe, sizeof call.pipe);
    const struct ts_token *name = call.at;
    while (ts_accept(reader, "."))
        name = ts_next(reader);
    if (!ts_doc_named(reader, reader->pipes, call.pipe))
        return ts_read_error(reader, call.at, "no pipe is called %s", call.pipe);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (!ts_is(name, methods[i].name))
            continue;
        if (!ts_expect(reader, "(") || !ts_read_text(reader, ")", false, text, sizeof text) ||
            !ts_expect(reader, ")") || !ts_expect(reader, ";"))
            return false;
        if (methods[i].which >= 0)
            return set_switch(self, call.pipe, (unsigned)methods[i].which, text, call.at);
        call.op = methods[i].op;
        return ts_call_add(reader, &call, text) && emit(self, &call);
    }
    return ts_read_error(reader, name, "a pipe has no %.*s", (int)name->length, name->at);
}

// --- control ---

static bool read_block(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    if (!ts_deeper(reader))
        return false;
    bool braces = ts_accept(reader, "{");
    if (!braces && !ts_cpp_statement(self))
        return false;
    while (braces && !ts_accept(reader, "}"))
        if (ts_peek(reader, 0)->kind == TS_TOKEN_END)
            return ts_expect(reader, "}");
        else if (!ts_cpp_statement(self))
            return false;
    reader->depth--;
    return true;
}

// for (int i = FROM; i < TO; i++)
static bool read_for(struct ts_cpp *self, const struct ts_token *at)
{
    struct ts_reader *reader = &self->reader;
    char var[40], other[40], from[TS_CALL_TEXT], to[TS_CALL_TEXT], line[400];
    if (!ts_expect(reader, "("))
        return false;
    if (ts_peek(reader, 1)->kind == TS_TOKEN_NAME)
        ts_next(reader); // its type
    ts_word(ts_next(reader), var, sizeof var);
    if (!ts_expect(reader, "=") || !ts_read_text(reader, ";", false, from, sizeof from) ||
        !ts_expect(reader, ";"))
        return false;
    const struct ts_token *test = ts_next(reader);
    bool fits = strcmp(ts_word(test, other, sizeof other), var) == 0 && ts_accept(reader, "<");
    if (!fits || !ts_read_text(reader, ";", false, to, sizeof to) || !ts_expect(reader, ";"))
        return ts_read_error(reader, test, "a loop is for (int %s = FROM; %s < TO; %s++)", var, var,
                             var);
    bool before = ts_accept(reader, "++");
    bool counts = strcmp(ts_word(ts_next(reader), other, sizeof other), var) == 0 &&
                  (before || ts_accept(reader, "++"));
    if (!counts)
        return ts_read_error(reader, test, "a loop counts by 1: %s++", var);
    if (!ts_expect(reader, ")"))
        return false;
    snprintf(line, sizeof line, "for %s (%s) (%s)", var, from, to);
    add_line(self, at, line);
    unsigned outer = self->loop;
    self->loop = ++self->loops;
    if (!read_block(self))
        return false;
    self->loop = outer;
    add_line(self, at, "end");
    return true;
}

static bool read_if(struct ts_cpp *self, const struct ts_token *at)
{
    struct ts_reader *reader = &self->reader;
    char condition[TS_CALL_TEXT], line[400];
    ts_accept(reader, "constexpr");
    if (!ts_expect(reader, "(") || !ts_read_text(reader, ")", false, condition, sizeof condition) ||
        !ts_expect(reader, ")"))
        return false;
    snprintf(line, sizeof line, "if (%s)", condition);
    add_line(self, at, line);
    if (!read_block(self))
        return false;
    const struct ts_token *other = ts_peek(reader, 0);
    if (ts_accept(reader, "else")) {
        add_line(self, other, "else");
        if (!read_block(self))
            return false;
    }
    add_line(self, at, "end");
    return true;
}

// int n = e;  n = e;  n++;
static bool read_let(struct ts_cpp *self, bool typed)
{
    struct ts_reader *reader = &self->reader;
    const struct ts_token *at = ts_peek(reader, 0);
    char var[40], text[TS_CALL_TEXT], line[400];
    if (typed)
        ts_next(reader);
    ts_word(ts_next(reader), var, sizeof var);
    if (ts_accept(reader, "++"))
        snprintf(text, sizeof text, "%s + 1", var);
    else if (!ts_expect(reader, "=") || !ts_read_text(reader, ";", false, text, sizeof text))
        return false;
    snprintf(line, sizeof line, "let %s (%s)", var, text);
    add_line(self, at, line);
    return ts_expect(reader, ";");
}

bool ts_cpp_statement(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    const struct ts_token *at = ts_peek(reader, 0), *second = ts_peek(reader, 1);
    struct ts_type room;
    if (ts_accept(reader, ";"))
        return true;
    if (ts_accept(reader, "for"))
        return read_for(self, at);
    if (ts_accept(reader, "if"))
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
        return ts_cpp_declare(self, type, 0, false) && ts_expect(reader, ";");
    if (reader->yaml->error->code != TS_OK)
        return false;
    return read_call(self);
}

bool ts_cpp_body(struct ts_cpp *self, const struct ts_token *at)
{
    struct ts_reader *reader = &self->reader;
    if (ts_accept(reader, ";"))
        return true; // a declaration without a body
    if (!ts_is(ts_peek(reader, 0), "{"))
        return ts_expect(reader, "{");
    return read_block(self) && ts_cpp_flush(self, at);
}
