// The truth table: measured against simulated, what the figures prove, then each family, folded: errors and rows.

const nth = (value, digits) => (100 * value).toFixed(digits);
const ran = row => row.simulated !== null;

// ---- plots

function cloud({families, rows}) {
    const shown = rows.filter(row => row.simulated > 0), label = row =>
        `${row.error < 0 ? "" : "+"}${nth(row.error, 1)} %, ${row.id}: ${row.workload}, ${row.metric}`;
    const ends = shown.flatMap(row => [row.measured, row.simulated]), low = Math.min(...ends), high = Math.max(...ends);
    return {component: "plot", title: "Simulated against measured", height: 460, x: {name: "measured on a card", log: true},
        y: {name: "simulated", log: true}, series: [
            ...families.map(({name}) => ({name, points: shown.filter(row => row.family === name)
                .map(row => [row.measured, row.simulated, label(row)])})).filter(series => series.points.length),
            // A correct model has every dot on this line.
            {name: "equal", line: true, bare: true, color: "--dim", points: [[low, low], [high, high]]}]};
}

// Percent.
const errorEdges = [-25, -15, -10, -5, -3, -1, 1, 3, 5, 10, 15, 25];

function errorColumns(title, rows) {
    const errors = rows.filter(ran).map(row => 100 * row.error), signed = edge => `${edge < 0 ? "" : "+"}${edge}`;
    const bins = [-Infinity, ...errorEdges].map((low, i) => ({low, high: errorEdges[i] ?? Infinity}));
    return {component: "columns", title: `${title}: ${count(errors.length, "figure")} by error`,
        x: "simulated against measured, %", y: "figures",
        names: bins.map(({low, high}) => low === -Infinity ? `< ${high}` : high === Infinity ? `> +${low}`
            : `${signed(low)}..${signed(high)}`),
        values: bins.map(({low, high}) => errors.filter(error => error > low && error <= high).length)};
}

// ---- tables

const familiesTable = ({families, summary}) => ({component: "table", text: [0],
    heads: ["family", "rows", "median %", "p90 %", "worst %", "bias %", "twins", "figures without twins", "median % without",
        "p90 % without"],
    rows: [...families, {...summary, title: "all"}].map(f => [f.title, f.rows, 100 * f.median_abs_error, 100 * f.p90_abs_error,
        100 * f.worst_abs_error, 100 * f.bias, f.twins, f.without_twins.figures, 100 * f.without_twins.median_abs_error,
        100 * f.without_twins.p90_abs_error])});

const wordsTable = (heads, text, rows, more) => ({component: "table", heads, text, rows, class: "words", ...more});

// What the figures prove: how many are independent of each other, and of the parameters.
const evidence = ({summary: {without_twins: alone}, independent, limits, parameters, harness}) => [
    {component: "text", title: "What the figures prove", text: "Many rows repeat each other: the same program with another " +
        "repeat count, position or core. A figure is a twin if rows before it in the table predict it: rows of the same " +
        `program, one with the same measured value within ${nth(limits.twin, 0)} %, or two whose straight line it lies on ` +
        `within ${nth(limits.twin, 0)} %. The ${alone.figures} figures without a twin have a median error of ` +
        `${nth(alone.median_abs_error, 2)} %, 90 % of them are within ${nth(alone.p90_abs_error, 1)} %. Of these, ` +
        `${independent.figures} were not used to set any parameter: median ${nth(independent.median_abs_error, 2)} %, ` +
        `90 % within ${nth(independent.p90_abs_error, 1)} %.`},
    {component: "fold", title: `Parameters that were set on rows: ${parameters.length}`, sections: [
        {component: "text", text: "Nobody published these numbers; they follow from the rows named here. Agreement on those " +
            "rows proves nothing. On all others the parameter is put to the test. `tensim config` has the full source of " +
            "every number."},
        wordsTable(["parameter", "value", "unit", "kind", "set on rows", "what it is"], [0, 2, 3, 4, 5],
            parameters.map(p => [p.key, p.value, p.unit, p.kind, p.rows, p.text]))]},
    {component: "fold", title: `Constants of the measurements' own programs: ${harness.length}`, sections: [
        {component: "text", text: "A measurement includes the loop, the poll and the clock reads of the program that made it. " +
            "Most probes run as programs on modelled cores, so that these cycles come out of the model. Where a script stands " +
            "in for a program, they are constants:"},
        wordsTable(["family", "constant", "value", "unit", "why it is one"], [0, 1, 3, 4],
            harness.map(h => [h.family, h.name, h.value, h.unit, h.reason]))]},
];

// One family, folded: a table of a thousand rows is 55,000 pixels tall.
function familyFold(family, all, limit) {
    const rows = all.filter(row => row.family === family.name), off = row => !ran(row) || Math.abs(row.error) > limit;
    const proof = ({sets, twin_of: twin}) => [sets && `sets ${sets}`, twin && `twin of ${twin}`].filter(Boolean).join(", ");
    const words = row => `${row.workload}, ${row.metric}${off(row) ? `. Off: ${row.reason ?? "no cause known"}` : ""}`;
    return {component: "fold", title: `${family.title}: ${count(family.rows, "row")}, median ${nth(family.median_abs_error, 2)} %, ` +
        `worst ${nth(family.worst_abs_error, 1)} %`, sections: [errorColumns(family.title, rows),
        wordsTable(["row", "measured", "simulated", "error %", "twin, sets", "workload, metric, cause"], [0, 4, 5],
            rows.map(row => [row.id, row.measured, row.simulated, ran(row) ? 100 * row.error : null, proof(row), words(row)]),
            {marked: rows.flatMap((row, i) => off(row) ? [i] : [])})]};
}

views.silicon = silicon => {
    const {summary, families, rows, left, limits, measurements, whole} = silicon;
    return {
        title: "tensim against silicon",
        answer: `${summary.rows} published measurements of real Blackhole cards, re-created with one set of parameters: median ` +
            `error ${nth(summary.median_abs_error, 2)} %, 90 % of them within ${nth(summary.p90_abs_error, 1)} %, the worst ` +
            `${nth(summary.worst_abs_error, 1)} % off.` + (!whole ? ` This is a part: ${summary.rows} of the ` +
            `${measurements.recreated} rows; bars are judged only over all of them.` : ""),
        sections: [
            familiesTable(silicon),
            {component: "plots", sections: [cloud(silicon), errorColumns("All families", rows)]},
            {component: "text", text: "Error is simulated against measured; a row of several figures counts by the one " +
                "farthest off."},
            ...evidence(silicon),
            {component: "search", title: "Every row, by family", label: "show rows with", hint: "S0220, MVMUL, noc ...",
                only: `only those off by more than ${nth(limits.off, 0)} %`},
            ...families.map(family => familyFold(family, rows, limits.off)),
            ...left.length ? [{component: "fold", title: `Not re-created: ${left.length} of ${measurements.published}`, sections: [
                wordsTable(["row", "described", "why not", "source"], true,
                    left.map(row => [row.id, row.described, row.reason, row.source]))]}] : [],
        ],
    };
};
