// Makes, runs and frees instances, a kernel and a hang in turn. For leak checks.
// Usage: rounds COUNT
#include "platform/tensim.h"

#include <stdlib.h>

// lw a0, 0x100(zero); beqz a0, -4
static const uint32_t hangs[] = {0x10002503, 0xfe050ee3};

static enum tensim_code kernel(struct tensim_error *error)
{
    static const char *const settings[] = {"m=32", "n=32", "k=32", "timing-only"};
    struct tensim *sim = tensim_new_kernel("matmul", settings, 4, NULL, error);
    enum tensim_code code = sim ? tensim_run(sim, TENSIM_FOREVER, error) : error->code;
    struct tensim_document *result = code == TENSIM_OK ? tensim_document(sim, "result", error)
                                                       : NULL;
    if (code == TENSIM_OK && result == NULL)
        code = error->code;
    tensim_document_free(result);
    tensim_free(sim);
    return code;
}

static enum tensim_code hang(struct tensim_error *error)
{
    const struct tensim_xy tile = {1, 2};
    struct tensim *sim = tensim_new(NULL, error);
    enum tensim_code code = sim ? tensim_write(sim, tile, 0, hangs, sizeof hangs, error)
                                : error->code;
    if (code == TENSIM_OK)
        code = tensim_start(sim, tile, TENSIM_BRISC, error);
    if (code == TENSIM_OK && tensim_run(sim, TENSIM_FOREVER, error) != TENSIM_HANG)
        code = TENSIM_DIFFERS;
    struct tensim_document *found = code == TENSIM_OK ? tensim_document(sim, "hang", error) : NULL;
    if (code == TENSIM_OK && found == NULL)
        code = error->code;
    tensim_document_free(found);
    tensim_free(sim);
    return code;
}

int main(int argc, char **argv)
{
    struct tensim_error error = {0};
    enum tensim_code code = TENSIM_OK;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < count && code == TENSIM_OK; i++)
        code = i % 2 ? hang(&error) : kernel(&error);
    if (code != TENSIM_OK)
        fprintf(stderr, "%s\n", error.text);
    return code;
}
