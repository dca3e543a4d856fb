// Runs a program on a core of one tile and reads a word that it wrote.
// Usage: run_elf PROGRAM.elf ADDRESS
#include <stdlib.h>
#include <tensim.h>

int main(int argc, char **argv)
{
    struct tensim_error error;
    struct tensim_xy tile = {1, 2};
    uint32_t word = 0;
    if (argc != 3)
        return TENSIM_USAGE;
    struct tensim *sim = tensim_new(NULL, &error);
    if (sim == NULL)
        return fprintf(stderr, "%s\n", error.text), error.code;
    enum tensim_code code = tensim_load_elf(sim, tile, TENSIM_BRISC, argv[1], &error);
    if (code == TENSIM_OK)
        code = tensim_start(sim, tile, TENSIM_BRISC, &error);
    if (code == TENSIM_OK)
        code = tensim_run(sim, 1000000, &error);
    if (code == TENSIM_OK)
        code = tensim_read_word(sim, tile, (uint32_t)strtoul(argv[2], NULL, 0), &word, &error);
    if (code == TENSIM_OK)
        printf("%s = 0x%x after %llu cycles\n", argv[2], word,
               (unsigned long long)tensim_cycle(sim));
    else
        fprintf(stderr, "%s\n", error.text);
    tensim_free(sim);
    return code;
}
