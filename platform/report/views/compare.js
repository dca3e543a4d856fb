// A comparison: how far every run moved, and by which cause.

const verdictOf = run => run.figures.length === 0 ? "the same" : run.beyond ? run.why : "within the tolerance";

const movedRun = (run, open) => ({component: "fold", title: run.name || "What moved", open, sections: [
    {component: "table", heads: ["figure", "before", "after", "%"], text: [0],
        rows: run.figures.map(f => [f.name, f.a, f.b, f.change])},
    ...run.moved?.length ? [{component: "bars", title: "Cycles that moved, by part and cause", unit: "cycles more (or fewer)",
        rows: run.moved.map(m => ({name: `${m.who} ${m.why}`, parts: [[m.why, m.change]]}))}] : [],
]});

views.compare = ({a, b, runs, tolerance, only_a, only_b}) => {
    const alone = only_a.length + only_b.length, beyond = runs.filter(run => run.beyond).length + alone;
    const sections = runs.filter(run => run.figures.length).map((run, i) => movedRun(run, i === 0));
    if (runs.length > 1)
        sections.unshift({component: "table", title: "Runs", heads: ["run", "cycles before", "after", "%", "verdict"], text: [0, 4],
            marked: runs.flatMap((run, i) => run.beyond ? [i] : []), rows: runs.map(run => {
                const cycles = run.figures.find(f => f.name === "cycles") ?? {};
                return [run.name, cycles.a, cycles.b, cycles.change, verdictOf(run)];
            })});
    return {title: "tensim: two sets of runs", command: `tensim compare ${a} ${b}`, sections,
        answer: `${count(runs.length, "run")} compared: ${beyond} beyond the tolerance of ${tolerance} %` +
            `${alone ? ", counting runs that one side alone has" : ""}.`};
};
