#include "platform/run/plan/npy.h"

#include "platform/load/loader.h"
#include "platform/out/file.h"

#define MAGIC "\x93NUMPY"

static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

// One number of type `kind` (f i u b) and `size` bytes.
static double element(const uint8_t *at, char kind, unsigned size)
{
    union {
        uint64_t bits;
        double f8;
        float f4;
    } u = {0};
    memcpy(&u.bits, at, size);
    if (kind == 'f')
        return size == 8 ? u.f8 : size == 4 ? (double)u.f4 : half((uint16_t)u.bits);
    if (kind == 'i') {
        unsigned shift = 64 - 8 * size;
        return (double)((int64_t)(u.bits << shift) >> shift);
    }
    return (double)u.bits;
}

static bool known(const char *type, char *kind, unsigned *size)
{
    if (strnlen(type, 4) < 4 || (type[0] == '>' && type[2] != '1'))
        return false;
    *kind = type[1];
    *size = (unsigned)(type[2] - '0');
    bool whole = *size == 1 || *size == 2 || *size == 4 || *size == 8;
    return type[3] == '\'' &&
           ((*kind == 'f' && whole && *size > 1) || ((*kind == 'i' || *kind == 'u') && whole) ||
            (*kind == 'b' && *size == 1));
}

// "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 32), }"
static bool header(const char *path, const char *text, struct ts_value *value, char *kind,
                   unsigned *size, struct ts_error *error)
{
    const char *type = strstr(text, "'descr'"), *shape = strstr(text, "'shape'");
    type = type ? strchr(type + 7, '\'') : NULL;
    shape = shape ? strchr(shape, '(') : NULL;
    if (type == NULL || shape == NULL || !known(type + 1, kind, size) ||
        strstr(text, "'fortran_order': True"))
        return ts_refuse(
            error, TS_SETUP,
            "%.300s: only arrays of floats and integers in C order, little-endian, can be read",
            path);
    uint64_t rows = 1, last = 1;
    bool any = false;
    for (char *end, *at = (char *)shape + 1; *at && *at != ')'; at = end) {
        uint64_t n = strtoull(at, &end, 10);
        if (end == at) {
            end++;
            continue;
        }
        rows *= any ? last : 1;
        last = n;
        any = true;
    }
    value->rows = (uint32_t)rows;
    value->columns = (uint32_t)last;
    if (rows * last == 0 || rows > 1u << 28 || last > 1u << 28 || rows * last > 1u << 28)
        ts_fail(error, TS_SETUP, "%.300s: no elements, or more than %u", path, 1u << 28);
    return error->code == TS_OK;
}

bool ts_npy_read(const char *path, struct ts_value *value, struct ts_error *error)
{
    size_t length;
    uint8_t *bytes = ts_read_file(path, &length, error);
    *value = (struct ts_value){0};
    if (bytes == NULL)
        return false;
    size_t start = 0;
    if (length >= 12 && memcmp(bytes, MAGIC, 6) == 0)
        start = bytes[6] == 1 ? 10u + (bytes[8] | (size_t)bytes[9] << 8)
                              : 12u + (bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
                                       (size_t)bytes[11] << 24);
    if (start == 0 || start >= length) {
        ts_fail(error, TS_SETUP, "%.300s: not an .npy file", path);
        free(bytes);
        return false;
    }
    char kind, *text = strndup((char *)bytes + 10, start - 10);
    unsigned size;
    if (text && header(path, text, value, &kind, &size, error)) {
        size_t count = (size_t)value->rows * value->columns;
        if (length - start < count * size)
            ts_fail(error, TS_SETUP, "%.300s: truncated", path);
        else if (!ts_value_init(value, value->rows, value->columns))
            ts_fail(error, TS_NO_MEMORY, "out of memory");
        for (size_t i = 0; error->code == TS_OK && i < count; i++)
            value->at[i] = element(bytes + start + i * size, kind, size);
    }
    free(text);
    free(bytes);
    return error->code == TS_OK;
}

bool ts_npy_write(const char *path, const struct ts_value *value, const char *type,
                  struct ts_error *error)
{
    char text[118];
    struct ts_file *file = ts_file_open(path, error);
    if (file == NULL)
        return false;
    FILE *to = ts_file_stream(file);
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u), }", type,
                          value->rows, value->columns);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    fwrite(MAGIC "\x01\x00", 1, 8, to);
    fputc(sizeof text & 255, to);
    fputc(sizeof text >> 8, to);
    fwrite(text, 1, sizeof text, to);
    for (size_t i = 0; i < (size_t)value->rows * value->columns; i++) {
        float f = (float)value->at[i];
        int64_t whole = fabs(value->at[i]) < 0x1p62 ? (int64_t)value->at[i] : 0;
        fwrite(type[1] == 'f' ? (void *)&f : (void *)&whole, 1, 4, to);
    }
    return ts_file_close(file, error);
}

bool ts_npy_is(const char *text)
{
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".npy") == 0;
}

bool ts_npy_tensor(const char *path, const struct ts_plan_tensor *tensor, struct ts_yaml_node node,
                   struct ts_value *value)
{
    struct ts_error error = {0};
    if (!ts_npy_read(path, value, &error))
        return ts_yaml_refuse(node, "%.400s", error.text);
    if ((uint64_t)value->rows * value->columns == (uint64_t)tensor->rows * tensor->columns)
        value->rows = tensor->rows, value->columns = tensor->columns;
    return true;
}
