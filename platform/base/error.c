#include "platform/base/error.h"

#include <unistd.h>

enum ts_code ts_failv(struct ts_error *error, enum ts_code code, const char *format, va_list args)
{
    if (error->code == TS_OK) {
        error->code = code;
        vsnprintf(error->text, sizeof error->text, format, args);
    }
    return error->code;
}

enum ts_code ts_fail(struct ts_error *error, enum ts_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum ts_code stands = ts_failv(error, code, format, args);
    va_end(args);
    return stands;
}

void ts_give_up(const char *text)
{
    fprintf(stderr, "tensim: %s\n", text);
    _exit(TS_SETUP);
}

void ts_out_of_memory(const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "out of memory for %s", what);
    ts_give_up(text);
}

void ts_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    TS_VSNPRINTF(text + used, size - used, format);
}
