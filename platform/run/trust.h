// How far to trust a run: the errors against cards of the families of measurements that it exercises, and what was not the
// vendor's code.
//
//   tensim silicon --readme --> table of platform/study/silicon/README.md --> generated/trust_errors.def (CMakeLists.txt)
//   config/trust.def: the family of each use of the machine ----------------> lines of the verdict
#ifndef TENSIM_RUN_TRUST_H
#define TENSIM_RUN_TRUST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct ts_job_verdict;
struct ts_work;

// What a run uses of the machine.
enum ts_use {
    TS_USE_TILE, // a kernel on tiles without networks
    TS_USE_CHIP,
    TS_USE_MATMUL, // over several tiles
    TS_USE_VECTOR,
    TS_USE_NOC,
    TS_USE_DRAM,
    TS_USES
};

struct ts_trust {
    bool uses[TS_USES];
    bool vendor; // the kernels are as tt-metal built them
};

// After the roofs of the verdict.
struct ts_trust ts_trust_of(const struct ts_job_verdict *verdict, const struct ts_work *work);
void ts_trust_print(const struct ts_trust *self, FILE *file);
// {families: [{name, title, rows, median, p90}, ...], not_vendor: [words]}; errors in percent.
json_t *ts_trust_json(const struct ts_trust *self);

#endif
