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
    struct tensim_document *hang = code == TENSIM_HANG ? tensim_document(sim, "hang", &error)
                                                       : NULL;
    if (hang)
        printf("  tile %s: %s %s\n  %s\n", tensim_text(hang, "tiles/0/tile"),
               tensim_text(hang, "tiles/0/nodes/0/name"), tensim_text(hang, "tiles/0/nodes/0/text"),
               tensim_text(hang, "cause/text"));
    tensim_document_free(hang);
    tensim_free(sim);
    return code == TENSIM_HANG ? 0 : 1;
}
