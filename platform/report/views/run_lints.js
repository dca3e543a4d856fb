// The lints of a run, the most harmful first.

// "1-2, trisc1, cycle 434, in f (a.c:3)"
const lintPlace = ({tile, core, by, cycle, place}) =>
    `${tile}, ${core || by}, cycle ${cycle}${place ? `, ${place}` : ""}`;

const lintsTable = ({lints = []}) => tableIfAny({component: "table",
    title: "Lints: what hardware does not forgive",
    heads: ["lint", "harm", "what is wrong", "first", "detail", "what to do"], text: true,
    rows: lints.map(lint =>
        [lint.name, lint.harm, lint.lint, lintPlace(lint), lint.first, lint.remedy])});
