// Multiplies two matrices on one tile: how fast, what bounds it, how exact.
#include <tensim.h>

int main(void)
{
    static const char *const settings[] = {"m=64", "n=64", "k=128", "format=bf16"};
    struct tensim_error error;
    struct tensim_verdict verdict;
    struct tensim *sim = tensim_new_kernel("matmul", settings, 4, NULL, &error);
    if (sim == NULL)
        return fprintf(stderr, "%s\n", error.text), error.code;
    enum tensim_code code = tensim_run(sim, TENSIM_FOREVER, &error);
    if (code == TENSIM_OK)
        code = tensim_verdict(sim, &verdict, &error);
    if (code == TENSIM_OK)
        printf("%llu cycles, %.3f TFLOP/s, bound by %s, rel_l2 %.2g, pcc %.6f\n",
               (unsigned long long)verdict.cycles, verdict.tflops, verdict.bound_by, verdict.rel_l2,
               verdict.pcc);
    else
        fprintf(stderr, "%s\n", error.text);
    struct tensim_stats *stats = code == TENSIM_OK ? tensim_stats(sim, &error) : NULL;
    for (size_t i = 0; stats && i < stats->unit_count; i++)
        printf("  %-24s busy %llu\n", stats->units[i].name,
               (unsigned long long)stats->units[i].busy);
    tensim_stats_free(stats);
    tensim_free(sim);
    return code;
}
