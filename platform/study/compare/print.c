// A comparison as text (compare.h, config/text.def).
#include "platform/base/plain.h"
#include "platform/out/text.h"
#include "platform/study/compare/compare.h"

// Every baseline is a side of its own.
static json_t *view_of(const json_t *document)
{
    json_t *sides = json_array(), *side, *run;
    size_t i, k, runs = 0, same = 0;
    json_array_append(sides, (json_t *)document);
    json_array_extend(sides, json_object_get(document, "more"));
    json_array_foreach(sides, i, side)
    {
        json_array_foreach(json_object_get(side, "runs"), k, run)
        {
            runs++;
            same += json_array_size(json_object_get(run, "figures")) == 0;
        }
    }
    return json_pack("{s:o, s:b, s:b, s:I, s:I, s:I, s:O}", "sides", sides, "several",
                     (int)(json_array_size(sides) > 1), "one", (int)(runs == 1), "runs",
                     (json_int_t)runs, "same", (json_int_t)same, "beyond",
                     (json_int_t)ts_compare_beyond(document), "tolerance",
                     json_object_get(document, "tolerance"));
}

// Results may be of somebody else: nothing in them controls the terminal.
void ts_compare_print(const json_t *document, FILE *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    json_t *view = view_of(document);
    if (memory) {
        ts_text_print("compare", view, true, memory);
        fclose(memory);
    }
    for (size_t i = 0; i < length; i++)
        fputc(ts_is_control(text[i]) && text[i] != '\n' ? '?' : text[i], file);
    json_decref(view);
    free(text);
}
