// Explains a hang: a core waits for a word that is never written.
#include <tensim.h>

int main(void)
{
    // lw a0, 0x100(zero); beqz a0, -4; ebreak
    static const uint32_t program[] = {0x10002503, 0xfe050ee3, 0x00100073};
    struct tensim_error error;
    struct tensim_xy tile = {1, 2};
    struct tensim *sim = tensim_new(NULL, &error);
    if (sim == NULL)
        return fprintf(stderr, "%s\n", error.text), error.code;
    tensim_write(sim, tile, 0, program, sizeof program, &error);
    tensim_start(sim, tile, TENSIM_BRISC, &error);
    enum tensim_code code = tensim_run(sim, 1000000, &error);
    printf("%s: %s\n", tensim_code_name(code), error.text);
    struct tensim_hang *hang = code == TENSIM_HANG ? tensim_hang(sim, &error) : NULL;
    for (size_t i = 0; hang && i < hang->explanation; i++) {
        const struct tensim_hang_node *node = &hang->nodes[hang->edges[i].from];
        printf("  tile %s: %s %s (%s) at pc 0x%x\n", node->tile, node->name, node->text,
               node->object, node->pc);
    }
    tensim_hang_free(hang);
    tensim_free(sim);
    return code == TENSIM_HANG ? 0 : 1;
}
