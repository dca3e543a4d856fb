// A proof as text and JSON, and which files it is for (prove.h).
#include "platform/base/json.h"
#include "platform/study/pipe/prove.h"

void ts_pipe_proof_print(const struct ts_pipe_program *program, const struct ts_pipe_proof *proof,
                         FILE *file)
{
    fprintf(file, "%s: %s (%u events, %llu pairs of accesses)\n", program->name, proof->text,
            proof->events, (unsigned long long)proof->pairs);
    for (uint32_t i = 0; i < proof->findings.count; i++) {
        const struct ts_finding *item = &proof->findings.item[i];
        fprintf(file, "  %s:%u: %s: %s", program->file, item->line, ts_finding_rows[item->id].code,
                item->text);
        if (item->times > 1)
            fprintf(file, " (%llu times)", (unsigned long long)item->times);
        fputc('\n', file);
    }
}

json_t *ts_pipe_proof_json(const struct ts_pipe_program *program, const struct ts_pipe_proof *proof)
{
    json_t *findings = json_array();
    for (uint32_t i = 0; i < proof->findings.count; i++) {
        const struct ts_finding *item = &proof->findings.item[i];
        ts_json_add(findings, "{s:s, s:i, s:s, s:I, s:s}", "code", ts_finding_rows[item->id].code,
                    "line", (int)item->line, "object", item->object, "times",
                    (json_int_t)item->times, "text", item->text);
    }
    return json_pack("{s:s, s:i, s:s, s:i, s:s, s:I, s:I, s:o}", "schema", "tensim.pipe.proof",
                     "version", 1, "program", program->name, "code", (int)proof->code, "text",
                     proof->text, "events", (json_int_t)proof->events, "pairs",
                     (json_int_t)proof->pairs, "findings", findings);
}
