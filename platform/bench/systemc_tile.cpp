// The tile workload in SystemC 2.3: one SC_THREAD per component, a plain counter with an sc_event
// per FIFO and semaphore (cheaper than sc_fifo and sc_semaphore), the same visibility rules as
// platform/kernel. The random states and counts at the end must be the same as there: the checksum
// is compared.
#include "platform/bench/systemc_tile.h"

#include "platform/bench/tile.h"

#include <cstring>
#include <ctime>
#include <memory>
#include <systemc.h>
#include <vector>

namespace {

const sc_time cycle_time(1, SC_NS);
uint64_t activations;

uint64_t now()
{
    return sc_time_stamp().value();
}

// Processor time: what others do on the machine counts less.
double cpu_ns()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

uint32_t draw(uint32_t &state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

uint64_t mix(uint64_t sum, uint64_t value)
{
    return sum ^ (value + 0x9e3779b97f4a7c15u + (sum << 6) + (sum >> 2));
}

struct Fifo {
    uint32_t depth = 0, level = 0, pops = 0, pushes = 0;
    uint64_t pop_cycle = UINT64_MAX, push_cycle = UINT64_MAX;
    bool writer_waits = false, reader_waits = false;
    sc_event room, word;

    bool push()
    {
        if (level + (pop_cycle == now() ? pops : 0) >= depth)
            return false;
        level++;
        pushes = push_cycle == now() ? pushes + 1 : 1;
        push_cycle = now();
        if (reader_waits) {
            reader_waits = false;
            word.notify(cycle_time);
        }
        return true;
    }

    bool pop()
    {
        if (level - (push_cycle == now() ? pushes : 0) == 0)
            return false;
        level--;
        pops = pop_cycle == now() ? pops + 1 : 1;
        pop_cycle = now();
        if (writer_waits) {
            writer_waits = false;
            room.notify(cycle_time);
        }
        return true;
    }
};

struct Work {
    uint32_t level = 0, tokens = 0;
    uint64_t stamp = UINT64_MAX;
    bool waits = false;
    sc_event posted;

    void open()
    {
        if (stamp != now()) {
            stamp = now();
            tokens = level;
        }
    }

    void post()
    {
        open();
        level++;
        if (waits) {
            waits = false;
            posted.notify(cycle_time);
        }
    }

    bool get()
    {
        open();
        if (tokens == 0)
            return false;
        tokens--;
        level--;
        return true;
    }
};

struct Tile;

// One SC_THREAD.
struct Process : sc_module {
    SC_HAS_PROCESS(Process);
    Tile &tile;
    void (Tile::*body)(int);
    int index;

    void run() { (tile.*body)(index); }

    Process(sc_module_name name, Tile &of, void (Tile::*its)(int), int number)
        : sc_module(name), tile(of), body(its), index(number)
    {
        SC_THREAD(run);
    }
};

struct Tile {
    std::vector<std::unique_ptr<Process>> processes;
    uint8_t delays[TS_TILE_DELAYS];
    Fifo fifo[TS_TILE_FRONTS];
    Work work[TS_TILE_BACKS];
    uint32_t core_random[TS_TILE_CORES], front_random[TS_TILE_FRONTS], back_random[TS_TILE_BACKS];
    uint64_t words[TS_TILE_CORES] = {}, front_jobs[TS_TILE_FRONTS] = {},
             back_jobs[TS_TILE_BACKS] = {};

    void core(int i)
    {
        bool holds = false;
        for (;;) {
            activations++;
            uint32_t word = draw(core_random[i]);
            if (holds || (i < TS_TILE_FRONTS && (word & 7) == 0)) {
                holds = !fifo[i].push();
                if (holds) {
                    if (fifo[i].pop_cycle == now()) {
                        wait(cycle_time);
                    } else {
                        fifo[i].writer_waits = true;
                        wait(fifo[i].room);
                    }
                    continue;
                }
                words[i]++;
            }
            wait(delays[word >> 3 & 127] * cycle_time);
        }
    }

    void front(int i)
    {
        for (;;) {
            activations++;
            if (!fifo[i].pop()) {
                if (fifo[i].level) {
                    wait(cycle_time);
                } else {
                    fifo[i].reader_waits = true;
                    wait(fifo[i].word);
                }
                continue;
            }
            uint32_t left = 1 + (draw(front_random[i]) & 7);
            wait(cycle_time);
            for (; left; left--) {
                activations++;
                front_jobs[i]++;
                work[draw(front_random[i]) % TS_TILE_BACKS].post();
                wait(cycle_time);
            }
        }
    }

    void back(int i)
    {
        for (;;) {
            activations++;
            if (!work[i].get()) {
                if (work[i].level) {
                    wait(cycle_time);
                } else {
                    work[i].waits = true;
                    wait(work[i].posted);
                }
                continue;
            }
            back_jobs[i]++;
            wait((1 + (draw(back_random[i]) & 15)) * cycle_time);
        }
    }

    void spawn(const std::string &name, void (Tile::*body)(int), int i)
    {
        processes.push_back(
            std::make_unique<Process>((name + std::to_string(i)).c_str(), *this, body, i));
    }

    Tile(const std::string &name, uint32_t seed, uint32_t depth)
    {
        ts_tile_delays(delays);
        for (int i = 0; i < TS_TILE_CORES; i++) {
            core_random[i] = seed++ * TS_TILE_SEED_STEP;
            spawn(name + "_core", &Tile::core, i);
        }
        for (int i = 0; i < TS_TILE_FRONTS; i++) {
            fifo[i].depth = depth;
            front_random[i] = seed++ * TS_TILE_SEED_STEP;
            spawn(name + "_front", &Tile::front, i);
        }
        for (int i = 0; i < TS_TILE_BACKS; i++) {
            back_random[i] = seed++ * TS_TILE_SEED_STEP;
            spawn(name + "_back", &Tile::back, i);
        }
    }

    uint64_t checksum(uint64_t sum) const
    {
        for (int i = 0; i < TS_TILE_CORES; i++)
            sum = mix(mix(sum, core_random[i]), words[i]);
        for (int i = 0; i < TS_TILE_FRONTS; i++)
            sum = mix(mix(sum, front_random[i]), front_jobs[i]);
        for (int i = 0; i < TS_TILE_BACKS; i++)
            sum = mix(mix(sum, back_random[i]), back_jobs[i]);
        return sum;
    }
};

} // namespace

// Not used: the library wants one.
int sc_main(int, char **)
{
    return 0;
}

void ts_systemc_tile(uint32_t tiles, uint32_t seed, uint32_t fifo_depth, uint64_t cycles,
                     uint32_t parts, double *ns, uint64_t *checksum)
{
    std::vector<std::unique_ptr<Tile>> all;
    for (uint32_t i = 0; i < tiles; i++)
        all.push_back(std::make_unique<Tile>("tile" + std::to_string(i), seed + i * TS_TILE_SEEDS,
                                             fifo_depth));
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t before = activations;
        double start = cpu_ns();
        // A run of n cycles steps cycles 0 to n - 1: the first part stops half a cycle early, as do
        // all ends.
        sc_start(part ? (double)cycles * cycle_time : ((double)cycles - 0.5) * cycle_time);
        ns[part] = (cpu_ns() - start) / (double)(activations - before);
    }
    *checksum = 0;
    for (auto &tile : all)
        *checksum = tile->checksum(*checksum);
}
