// Messages of DPRINT (launch.h).
//
//   s text            NUL-terminated, in the message
//   f address         of a NUL-terminated text in the core's image
//   T address         of a format with {} for the items that follow
//   u i U I F h c b p numbers: u32 i32 u64 i64 f32 bf16 char bool pointer
//   H D O             hexadecimal, decimal, octal from here on;  w, P and a byte: width, precision
//   X x               fixed and usual form of floats;  l  end of what is printed at once
#include "platform/run/plan/launch.h"

#include "platform/base/floats.h"
#include "platform/base/plain.h"

#include <elf.h>

struct message {
    struct ts_launch_core *core;
    uint8_t processor;
    ts_cycle at;
    const uint8_t *bytes;
    uint32_t length, next;
    struct ts_print_form *form;
};

// --- lines ---

static void add_text(struct ts_launch_core *self, uint8_t processor, ts_cycle at, const char *text)
{
    if (!TS_GROW(self->texts, self->text_count, self->text_room))
        return;
    char *copy = strdup(text);
    if (copy)
        self->texts[self->text_count++] = (struct ts_launch_text){at, copy, processor};
}

static void put(struct message *self, const char *text)
{
    char *line = self->core->line[self->processor];
    size_t room = sizeof self->core->line[0], used = strlen(line);
    for (; *text; text++) {
        if (*text == '\n' || used + 2 >= room) {
            add_text(self->core, self->processor, self->at, line);
            line[0] = '\0';
            used = 0;
            *self->form = (struct ts_print_form){0};
        }
        if (*text != '\n') {
            line[used++] = ts_is_control(*text) && *text != '\t' ? '?' : *text; // for a terminal
            line[used] = '\0';
        }
    }
}

void ts_print_flush(struct ts_launch_core *self, ts_cycle at)
{
    for (uint8_t p = 0; p < TS_ON; p++)
        if (self->line[p][0]) {
            add_text(self, p, at, self->line[p]);
            self->line[p][0] = '\0';
        }
}

// --- items ---

static uint64_t take(struct message *self, unsigned bytes)
{
    uint64_t value = 0;
    if (self->length - self->next >= bytes)
        memcpy(&value, self->bytes + self->next, bytes);
    self->next = self->length - self->next >= bytes ? self->next + bytes : self->length;
    return value;
}

// A text in the image of the core, by its address when it runs.
static const char *text_at(const struct message *self, uint32_t address)
{
    static const char none[] = "?";
    const struct ts_launch_core *core = self->core;
    int kernel = core->core->kernel[self->processor];
    const char *path = kernel < 0 ? "" : core->run->plan->kernels[kernel].image[self->processor];
    const struct ts_image *image = NULL;
    for (uint32_t i = 0; i < core->run->image_count; i++)
        if (strcmp(core->run->images[i].path, path) == 0)
            image = &core->run->images[i];
    Elf32_Ehdr head;
    if (image == NULL || image->length < sizeof head)
        return none;
    memcpy(&head, image->bytes, sizeof head);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf32_Shdr row;
        size_t at = head.e_shoff + (size_t)i * sizeof row;
        if (at + sizeof row > image->length)
            break;
        memcpy(&row, (const char *)image->bytes + at, sizeof row);
        if (row.sh_type != SHT_PROGBITS || address < row.sh_addr ||
            address - row.sh_addr >= row.sh_size || row.sh_offset > image->length ||
            image->length - row.sh_offset < row.sh_size)
            continue;
        const char *text = (const char *)image->bytes + row.sh_offset + (address - row.sh_addr);
        if (memchr(text, '\0', row.sh_size - (address - row.sh_addr)))
            return text;
    }
    return none;
}

static void put_whole(struct message *self, uint64_t value, bool negative)
{
    char text[300];
    int width = self->form->width;
    if (self->form->base == 'x')
        snprintf(text, sizeof text, "%*llx", width, (unsigned long long)value);
    else if (self->form->base == 'o')
        snprintf(text, sizeof text, "%*llo", width, (unsigned long long)value);
    else if (negative)
        snprintf(text, sizeof text, "%*lld", width, (long long)value);
    else
        snprintf(text, sizeof text, "%*llu", width, (unsigned long long)value);
    put(self, text);
}

static void put_float(struct message *self, uint32_t bits)
{
    char text[400];
    int width = self->form->width, digits = self->form->digits ? self->form->digits - 1 : 6;
    snprintf(text, sizeof text, self->form->fixed ? "%*.*f" : "%*.*g", width, digits,
             (double)ts_bits_float(bits));
    put(self, text);
}

static void put_format(struct message *self, const char *format);

// One item; false: the message ends.
static bool put_item(struct message *self)
{
    char letter[2] = {0, 0};
    if (self->next >= self->length)
        return false;
    switch (self->bytes[self->next++]) {
    case 's': {
        const char *text = (const char *)self->bytes + self->next;
        size_t length = strnlen(text, self->length - self->next);
        char copy[TS_PROGRAM_PRINT + 1];
        snprintf(copy, sizeof copy, "%.*s", (int)length, text);
        self->next += (uint32_t)length + 1;
        put(self, copy);
        break;
    }
    case 'f':
        put(self, text_at(self, (uint32_t)take(self, 4)));
        break;
    case 'T':
        put_format(self, text_at(self, (uint32_t)take(self, 4)));
        break;
    case 'u':
    case 'i':
    case 'U':
    case 'I': {
        const char kind = (char)self->bytes[self->next - 1];
        const uint64_t value = take(self, kind == 'u' || kind == 'i' ? 4 : 8);
        put_whole(self, kind == 'i' ? (uint64_t)(int32_t)value : value, kind == 'i' || kind == 'I');
        break;
    }
    case 'F':
    case 'h':
        put_float(self, self->bytes[self->next - 1] == 'F' ? (uint32_t)take(self, 4)
                                                           : (uint32_t)take(self, 2) << 16);
        break;
    case 'c':
        letter[0] = (char)take(self, 1);
        put(self, letter);
        break;
    case 'b':
        put(self, take(self, 1) ? "true" : "false");
        break;
    case 'p': {
        char text[32];
        snprintf(text, sizeof text, "0x%x", (unsigned)take(self, 4));
        put(self, text);
        break;
    }
    case 'H':
        self->form->base = 'x';
        break;
    case 'O':
        self->form->base = 'o';
        break;
    case 'D':
        self->form->base = 0;
        break;
    case 'w':
        self->form->width = (uint8_t)take(self, 1);
        break;
    case 'P':
        self->form->digits = (uint8_t)(take(self, 1) + 1);
        break;
    case 'X':
    case 'x':
        self->form->fixed = self->bytes[self->next - 1] == 'X';
        break;
    case 'l':
        break;
    default:
        return false;
    }
    return true;
}

// A format: each {} takes the next item; {:x} {:#x} {:08x} {:.3f} {:5} say how.
static void put_format(struct message *self, const char *format)
{
    for (const char *at = format; *at;) {
        if ((at[0] == '{' && at[1] == '{') || (at[0] == '}' && at[1] == '}')) {
            put(self, at[0] == '{' ? "{" : "}");
            at += 2;
        } else if (*at == '{') {
            const char *end = strchr(at, '}'), *dot = NULL;
            if (end == NULL)
                return;
            struct ts_print_form was = *self->form, now = was;
            for (const char *p = at + 1; p < end; p++) {
                if (*p == '#')
                    put(self, "0x");
                if (*p == 'x' || *p == 'X')
                    now.base = 'x';
                if (*p == 'f')
                    now.fixed = true;
                if (*p == '.')
                    dot = p;
                if (*p >= '1' && *p <= '9' && dot == NULL) {
                    now.width = (uint8_t)strtoul(p, (char **)&p, 10);
                    p--;
                }
            }
            if (dot)
                now.digits = (uint8_t)(atoi(dot + 1) + 1);
            *self->form = now;
            put_item(self);
            *self->form = was;
            at = end + 1;
        } else {
            char one[2] = {*at++, '\0'};
            put(self, one);
        }
    }
}

void ts_print_message(struct ts_launch_core *core, uint8_t processor, uint32_t length, ts_cycle at)
{
    const uint8_t *messages = core->job->tile->l1.bytes + TS_PROGRAM +
                              offsetof(struct ts_program, print);
    struct message self = {.core = core,
                           .processor = processor,
                           .at = at,
                           .bytes = messages + (size_t)TS_PROGRAM_PRINT * processor,
                           .length = length < TS_PROGRAM_PRINT ? length : TS_PROGRAM_PRINT,
                           .form = &core->form[processor]};
    while (put_item(&self))
        ;
}
