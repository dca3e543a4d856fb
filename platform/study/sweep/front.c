// Which runs of a sweep are worth having: no other run of the same shape is both as fast and as exact
// (sweep.h). Runs of different shapes do different work: neither beats the other.
#include "platform/base/json.h"
#include "platform/study/sweep/sweep.h"

static double number(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

// How fast a row's run is: TFLOP/s, or what stands for it. NAN: the run failed.
static double speed_of(const json_t *row)
{
    const char *verdict = json_string_value(json_object_get(row, "verdict"));
    if (row == NULL || ts_json_integer(row, "code") != 0 ||
        (verdict && strcmp(verdict, "pass") != 0))
        return (double)NAN;
    double tflops = number(row, "tflops"), elements = number(row, "elements_per_cycle");
    return tflops > 0 ? tflops : elements > 0 ? elements : 1e6 / number(row, "cycles");
}

void ts_sweep_shape(const struct ts_sweep *self, size_t index, char *text, size_t size)
{
    const json_t *row = self->results[index];
    const char *op = json_string_value(json_object_get(row, "op"));
    int m = (int)ts_json_integer(row, "m"), n = (int)ts_json_integer(row, "n"),
        k = (int)ts_json_integer(row, "k");
    double flops = number(row, "flops");
    if (ts_sweep_spawns(self)) {
        const char *of = self->programs ? ts_sweep_value(self, index, 0) : self->kernel;
        snprintf(text, size, "%s", of);
        if (flops > 0)
            ts_append(text, size, ", %.4g MFLOP", flops / 1e6);
    } else if (strncmp(self->kernel, "matmul", 6) == 0)
        snprintf(text, size, "%dx%dx%d", m, n, k);
    else
        snprintf(text, size, "%s%s%dx%d", op ? op : "", op ? " " : "", m, n);
}

struct point {
    size_t index, shape; // shape: the first point that has it
    double speed, error;
};

static int in_order(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return TS_COMPARE(p->shape, q->shape) ?: TS_COMPARE(q->speed, p->speed)
                                            ?: TS_COMPARE(p->error, q->error)
                                            ?: TS_COMPARE(p->index, q->index);
}

static size_t shape_of(const struct ts_sweep *self, const struct point *points, size_t count,
                       size_t index)
{
    char text[TS_SWEEP_VALUE], other[TS_SWEEP_VALUE];
    ts_sweep_shape(self, index, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        if (points[i].shape != points[i].index)
            continue;
        ts_sweep_shape(self, points[i].index, other, sizeof other);
        if (strcmp(text, other) == 0)
            return points[i].index;
    }
    return index;
}

// What is better is smaller.
static double cost(const json_t *row, const char *by)
{
    double speed = speed_of(row), seconds = number(row, "seconds");
    if (!isfinite(speed))
        return (double)NAN;
    if (strcmp(by, "error") == 0)
        return number(row, "end_to_end_rel_l2");
    if (strcmp(by, "tflops") == 0)
        return -speed;
    if (strcmp(by, "time") != 0)
        return number(row, by);
    return isfinite(seconds) ? seconds : number(row, "cycles");
}

// The points that have a cost, and a speed if it counts, by shape and order.
static struct point *ranked(const struct ts_sweep *self, const char *by, bool fast, size_t *count)
{
    struct point *points = ts_need(calloc(self->points + 1, sizeof *points), "the sweep");
    *count = 0;
    for (size_t i = 0; i < self->points; i++) {
        double speed = fast ? speed_of(self->results[i]) : 0, error = cost(self->results[i], by);
        if (!isfinite(speed) || !isfinite(error))
            continue;
        points[*count] = (struct point){i, shape_of(self, points, *count, i), speed, error};
        ++*count;
    }
    qsort(points, *count, sizeof *points, in_order);
    return points;
}

// front: all points that no faster one of their shape is as exact as; otherwise the first of each shape.
static size_t keep(const struct ts_sweep *self, const char *by, bool front, size_t *to)
{
    size_t count, kept = 0;
    struct point *points = ranked(self, by, front, &count);
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 || points[i].shape != points[i - 1].shape;
        if (!first && !(front && points[i].error < best))
            continue;
        best = points[i].error;
        to[kept++] = points[i].index;
    }
    free(points);
    return kept;
}

size_t ts_sweep_front(const struct ts_sweep *self, const char *by, size_t *to)
{
    return keep(self, by, true, to);
}

size_t ts_sweep_best(const struct ts_sweep *self, const char *by, size_t *to)
{
    return keep(self, by, false, to);
}
