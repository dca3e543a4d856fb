// Multiplies two matrices on one tile: how fast, what bounds it, how exact.
#include <tensim.h>

int main(void)
{
    static const char *const settings[] = {"m=64", "n=64", "k=128", "format=bf16"};
    struct tensim_error error;
    struct tensim *sim = tensim_new_kernel("matmul", settings, 4, NULL, &error);
    if (sim == NULL)
        return fprintf(stderr, "%s\n", error.text), error.code;
    enum tensim_code code = tensim_run(sim, TENSIM_FOREVER, &error);
    struct tensim_document *result = code == TENSIM_OK ? tensim_document(sim, "result", &error)
                                                       : NULL;
    if (result)
        printf("%.0f cycles, %.3f TFLOP/s, bound by %s, rel_l2 %.2g, pcc %.6f\n",
               tensim_number(result, "cycles"), tensim_number(result, "tflops"),
               tensim_text(result, "bound_by"), tensim_number(result, "rel_l2"),
               tensim_number(result, "pcc"));
    else
        fprintf(stderr, "%s\n", error.text);
    for (size_t i = 0; i < (result ? tensim_length(result, "where") : 0); i++) {
        char name[32], busy[32];
        snprintf(name, sizeof name, "where/%zu/name", i);
        snprintf(busy, sizeof busy, "where/%zu/busy", i);
        printf("  %-12s busy %5.1f %%\n", tensim_text(result, name),
               100 * tensim_number(result, busy));
    }
    tensim_document_free(result);
    tensim_free(sim);
    return code;
}
