// A comparison: how far every run moved, and by which cause.

const verdictOf = run =>
    run.figures.length === 0 ? "the same" : run.beyond ? run.why : "within the tolerance";

const movedBars = moved => ({component: "bars", title: "Cycles that moved, by part and cause",
    unit: "cycles more (or fewer)",
    rows: moved.map(m => ({name: `${m.who} ${m.why}`, parts: [[m.why, m.change]]}))});

const movedRun = (run, open) => ({component: "fold", title: run.name || "What moved", open,
    sections: [
        {component: "table", heads: ["figure", "before", "after", "%"], text: [0],
            rows: run.figures.map(f => [f.name, f.a, f.b, f.change])},
        ...run.moved?.length ? [movedBars(run.moved)] : [],
    ]});

const comparedRuns = runs => ({component: "table", title: "Runs", text: [0, 4],
    heads: ["run", "cycles before", "after", "%", "verdict"],
    marked: runs.flatMap((run, i) => run.beyond ? [i] : []),
    rows: runs.map(run => {
        const cycles = run.figures.find(f => f.name === "cycles") ?? {};
        return [run.name, cycles.a, cycles.b, cycles.change, verdictOf(run)];
    })});

views.compare = ({a, b, chips, runs, tolerance, only_a, only_b}) => {
    const alone = only_a.length + only_b.length;
    const beyond = runs.filter(run => run.beyond).length + alone;
    const moved = runs.filter(run => run.figures.length).map((run, i) => movedRun(run, i === 0));
    return {title: "tensim: two sets of runs", command: `tensim compare ${a} ${b}`,
        answer: (chips ? `Comparing chips: a ${chips.a} with a ${chips.b}. ` : "") +
            `${count(runs.length, "run")} compared: ${beyond} beyond the tolerance of ` +
            `${tolerance} %${alone ? ", counting runs that one side alone has" : ""}.`,
        sections: [...runs.length > 1 ? [comparedRuns(runs)] : [], ...moved]};
};
