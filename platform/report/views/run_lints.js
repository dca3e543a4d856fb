// The lints of a run, the most harmful first, and the findings of --check.

// "1-2, trisc1, cycle 434, in f (a.c:3)"
const lintPlace = ({tile, core, by, cycle, place}) =>
    `${tile}, ${core || by}, cycle ${cycle}${place ? `, ${place}` : ""}`;

const lintsTable = ({lints = []}) => tableIfAny({component: "table",
    title: "Lints: what hardware does not forgive",
    heads: ["lint", "harm", "what is wrong", "first", "detail", "what to do"], text: true,
    rows: lints.map(lint =>
        [lint.name, lint.harm, lint.lint, lintPlace(lint), lint.first, lint.remedy])});

// One access of a finding: "brisc writes on 1-2, cycle 434, kernel_main (reader.cpp:31)".
const accessText = ({by, does, instruction, tile, cycle, place}) => `${by} ${does}` +
    `${instruction ? ` (${instruction})` : ""} on ${tile}, cycle ${cycle}` +
    `${place ? `, ${place}` : ""}`;

const findingsTable = ({checks = []}) => tableIfAny({component: "table",
    title: "Findings of --check",
    heads: ["kind", "what", "access", "other access", "if it goes wrong", "remedy", "seen"],
    text: [0, 1, 2, 3, 4, 5],
    rows: checks.map(({kind, weak, text, access, other, harm, remedy, count: seen}) =>
        [weak ? `${kind} (weak)` : kind, text, accessText(access), other ? accessText(other) : "",
            harm ?? "", remedy, seen])});
