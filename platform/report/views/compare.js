// A comparison: how far every run moved from each baseline, and by which cause.

const verdictOf = run =>
    run.figures.length === 0 ? "the same" : run.beyond ? run.why : "within the tolerance";

const movedBars = (moved, title) => ({component: "bars", title,
    unit: "cycles more (or fewer)",
    rows: moved.map(m => ({name: `${m.who} ${m.why}`, parts: [[m.why, m.change]]}))});

const movedRun = (run, open) => ({component: "fold", title: run.name || "What moved", open,
    sections: [
        ...run.causes?.length
            ? [movedBars(run.causes, "Causes: source lines, ends of the chains of waits")] : [],
        {component: "table", heads: ["figure", "before", "after", "%"], text: [0],
            rows: run.figures.map(f => [f.name, f.a, f.b, f.change])},
        ...run.moved?.length
            ? [movedBars(run.moved, "Symptoms: cycles of cores, threads, units that moved")] : [],
    ]});

const comparedRuns = runs => ({component: "table", title: "Runs", text: [0, 4],
    heads: ["run", "cycles before", "after", "%", "verdict"],
    marked: runs.flatMap((run, i) => run.beyond ? [i] : []),
    rows: runs.map(run => {
        const cycles = run.figures.find(f => f.name === "cycles") ?? {};
        return [run.name, cycles.a, cycles.b, cycles.change, verdictOf(run)];
    })});

// What differs from one baseline; `several`: which one is said.
function movedFrom({a, runs}, several) {
    const moved = runs.filter(run => run.figures.length);
    return [...several ? [{component: "text", title: `Against ${a}`,
        text: `${moved.length} of ${count(runs.length, "run")} moved.`}] : [],
    ...runs.length > 1 ? [comparedRuns(runs)] : [],
    ...moved.map((run, i) => movedRun(run, i === 0))];
}

// Of a single run the baselines stand side by side.
function cyclesBars(baselines) {
    const rows = baselines.flatMap(({a, runs}) => runs.flatMap(({name, figures}) => {
        const {change} = figures.find(f => f.name === "cycles") ?? {};
        return change ? [{name: name ? `${name}, ${a}` : a, parts: [["cycles", change]]}] : [];
    }));
    return rows.length > 1 ? [{component: "bars", rows: rows.slice(0, 40),
        unit: "% more cycles (or fewer) than the baseline",
        title: "Cycles against each baseline"}] : [];
}

views.compare = document => {
    const {b, tolerance, more = [], roofs_b: last = []} = document;
    const baselines = [document, ...more], several = more.length > 0;
    const alone = total(baselines.map(({only_a, only_b}) => only_a.length + only_b.length));
    const runs = baselines.flatMap(baseline => baseline.runs);
    const beyond = runs.filter(run => run.beyond).length + alone;
    const chips = baselines.filter(baseline => baseline.chips)
        .map(({a, chips: two}) => `a ${two.a}${several ? ` (${a})` : ""} with a ${two.b}`);
    const named = (rows, set) => rows.map(row => ({...row, name: `${set} ${row.name}`.trim()}));
    const points = [...baselines.flatMap(({a, roofs_a: rows = []}) => named(rows, a)),
        ...named(last, b)].slice(0, mostRuns);
    return {title: several ? `tensim: runs against ${baselines.length} baselines`
        : "tensim: two sets of runs",
    command: `tensim compare ${[...baselines.map(({a}) => a), b].join(" ")}`,
    answer: (chips.length ? `Comparing chips: ${chips.join(", ")}. ` : "") +
        `${count(runs.length, "run")} compared: ${beyond} beyond the tolerance of ` +
        `${tolerance} %${alone ? ", counting runs that one side alone has" : ""}.`,
    sections: [...several ? cyclesBars(baselines) : [], ...roofline(points),
        ...baselines.flatMap(baseline => movedFrom(baseline, several))]};
};
