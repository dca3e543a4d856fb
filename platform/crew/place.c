// Which of how many processes this is, before MPI has started (crew.h).
#include "platform/crew/ranks.h"

#include "platform/base/private.h"

#include <unistd.h>

#define PATIENCE_S 3

// The first of these that a launcher has set: how many processes it started, and which this is.
static const struct {
    const char *size, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, // mpirun of Open MPI
    {"PMI_SIZE", "PMI_RANK"},                         // MPICH and relatives
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         // srun
};

bool ts_crew_place(struct ts_crew_place *place, struct ts_error *error)
{
    *place = (struct ts_crew_place){0, 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
        if (size == NULL || rank == NULL)
            continue;
        *place = (struct ts_crew_place){(unsigned)atoi(rank), (unsigned)atoi(size)};
        break;
    }
    return place->ranks <= 1 || ts_ranks_load(place->ranks, error) != NULL;
}

// Is it one of the variables of a launcher?
static bool is_place(const char *variable)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const size_t size = strlen(launchers[i].size), rank = strlen(launchers[i].rank);
        if ((strncmp(variable, launchers[i].size, size) == 0 && variable[size] == '=') ||
            (strncmp(variable, launchers[i].rank, rank) == 0 && variable[rank] == '='))
            return true;
    }
    return false;
}

char **ts_crew_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **variables = calloc(count + 1, sizeof *variables);
    for (size_t i = 0; variables && i < count; i++)
        if (!is_place(environ[i]))
            variables[kept++] = environ[i];
    return variables;
}

// --- messages of other ranks than 0

static struct {
    int error;  // stderr, as it was
    FILE *said; // NULL: it is as it was
} hushed;

void ts_crew_speak(void)
{
    if (hushed.said == NULL)
        return;
    fflush(stderr);
    dup2(hushed.error, STDERR_FILENO);
    close(hushed.error);
    fclose(hushed.said);
    hushed.said = NULL;
}

// It ends before its work began. If rank 0 ends for the same reason, the launcher ends this process
// before it says it again.
static void at_exit(void)
{
    struct ts_crew_place place;
    struct ts_error error = {0};
    char line[600];
    if (hushed.said == NULL || ftell(hushed.said) < 0)
        return;
    fflush(stderr);
    FILE *said = fdopen(dup(fileno(hushed.said)), "r");
    ts_crew_speak();
    sleep(PATIENCE_S);
    ts_crew_place(&place, &error);
    rewind(said);
    while (fgets(line, sizeof line, said))
        fprintf(stderr, "rank %u: %s", place.rank, line);
    fclose(said);
}

void ts_crew_hush(void)
{
    struct ts_crew_place place;
    struct ts_error error = {0};
    FILE *said = NULL;
    if (!ts_crew_place(&place, &error) || place.rank == 0 || (said = ts_temporary_file()) == NULL)
        return;
    fflush(stderr);
    hushed.error = dup(STDERR_FILENO);
    hushed.said = said;
    dup2(fileno(said), STDERR_FILENO);
    atexit(at_exit);
}
