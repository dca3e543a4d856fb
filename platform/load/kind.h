// What a file is, by its name and its first words: `tensim run` takes every kind.
#pragma once

enum ts_kind {
    TS_KIND_PROGRAM, // kernels, or a captured launch (run/plan)
    TS_KIND_SMALL,   // lists of steps (load/script.h)
    TS_KIND_SCENARIO, // tiles with ELF files, and what the host does; also what is none of the others
    TS_KIND_TTV,      // a conformance file
    TS_KIND_NOC,      // transfers over the network, JSON
    TS_KIND_PIPE,     // a TPUSH/TPOP program: YAML, PTO IR or C++
    TS_KIND_SEQUENCE, // programs one after the other (run/layer)
    TS_KIND_COUNT
};

extern const char *const ts_kind_names[]; // by kind: "program" ...; ends with NULL

// The kind of a file; "-" is stdin, a small program. What cannot be read is a scenario, whose reader says why.
enum ts_kind ts_kind_of(const char *path);
