// What checks find: the table of kinds (config/checks.def), and the findings of one tile or DRAM channel, once for
// each pair of places.
#pragma once

#include "platform/check/actors.h"

enum ts_check_kind {
#define TS_CHECK(name, ...) TS_CHECK_##name,
#include "config/checks.def"
    TS_CHECK_KINDS
};

enum ts_finding_kind {
#define TS_FINDING(name, ...) TS_FINDING_##name,
#include "config/checks.def"
    TS_FINDING_KINDS
};

struct ts_check_info {
    const char *id, *text;
};
extern const struct ts_check_info ts_check_info[TS_CHECK_KINDS];

struct ts_finding_info {
    const char *id, *sentence, *remedy;
    enum ts_check_kind check;
};
extern const struct ts_finding_info ts_finding_info[TS_FINDING_KINDS];

// --check=race[:strict],...; without a list: everything
#define TS_CHECK_EVERYTHING "race,memory,sync"
struct ts_check_options {
    uint32_t kinds; // bit for each check
    bool strict;    // weak races count
};
// False: `text` says what is wrong.
bool ts_check_parse(const char *list, struct ts_check_options *options, char *text, size_t size);

// What is accessed. Addresses are bytes, except where the name says otherwise.
enum ts_check_object {
    TS_OBJECT_L1,
    TS_OBJECT_DRAM,
    TS_OBJECT_DST,    // blocks of 8 rows
    TS_OBJECT_SRC,    // banks: file * 2 + bank
    TS_OBJECT_CONFIG, // words: state * 1024 + address
    TS_OBJECT_GPR,    // words: thread * 64 + number
    TS_OBJECT_MOP,    // words: thread * 16 + number
    TS_OBJECT_ADC,    // sets of address counters: thread * 4 + unpackers 0 and 1, packer
    TS_OBJECT_LOCAL, // local RAMs: bytes behind the start of the slow path; of the stack an address
    TS_OBJECTS
};

// TAKE: a read that is over when the word starts: nobody needs to wait for it.
enum ts_check_how { TS_HOW_READ, TS_HOW_WRITE, TS_HOW_ATOMIC, TS_HOW_TAKE, TS_HOWS };

// A place in a program that accesses something, as one tile knows its own.
struct ts_check_site {
    uint32_t pc;   // of the core's instruction; TS_SITE_NO_PC
    uint8_t actor; // of one of its accesses
    uint8_t core;  // that runs the program of `pc`; TS_ACTOR_NOBODY
    uint8_t how;   // enum ts_check_how
    uint8_t
        detail; // of a unit: the opcode; of a request: is it posted? of an Ethernet command: a flag?
};
#define TS_SITE_NO_PC UINT32_MAX

// One access of a finding.
struct ts_check_place {
    uint16_t home; // the tile of the actor (index of its domain)
    uint16_t site; // in that tile's table
    uint32_t at;   // cycle
};
#define TS_NO_SITE 0 // of a table: the actor is not known

struct ts_check_finding {
    uint8_t kind;   // enum ts_finding_kind
    uint8_t object; // enum ts_check_object
    bool weak;      // an order exists that no document promises
    bool alone;     // place[1] means nothing
    bool writes[2]; // do they?
    bool source;    // the earlier one reads the source of a NoC write, or is the same core's atomic
    uint32_t length;
    uint64_t address;
    struct ts_check_place place[2]; // the access, and the earlier one
    uint64_t number;                // {n}
    uint64_t count;
    uint32_t last; // cycle of the last access that was counted
};

struct ts_check_findings {
    struct ts_check_finding *list;
    size_t count, room;
    uint64_t lost; // beyond TS_FINDINGS_MOST
};
#define TS_FINDINGS_MOST 1000

// Counts a finding, or adds it. The same kind, object and sites are the same finding; the first one stays.
void ts_check_findings_add(struct ts_check_findings *self, const struct ts_check_finding *finding);
