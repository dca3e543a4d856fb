// A TPUSH/TPOP run (pipe.json, with the events of its tape in drawing.json): what limits it, its
// pipes over time with the critical path, the life of every ring slot, the flags, and where the
// cycles went. The first cluster is shown.

const shownWorks = 2500; // pieces of work that a drawing has room for
const useOf = lane => lane === "m" ? "cube" : lane === "v" ? "vector" : "DMA";
const pipeName = pipe => pipe.name.split(".").slice(-2).join("."); // "aic.m"
const stages = ["allocated: being filled", "filled: waits for its pop", "popped: being read"];

class Picture {
    constructor(pipe, {fields, events, aiv1, latency, flags}) {
        const named = event => Object.fromEntries(event.map((value, i) => [fields[i], value]));
        Object.assign(this, {pipe, events: events.map(named), aiv1, latency, counters: flags});
        this.rings = pipe.rings.filter(ring => ring.cluster === 0);
        const last = this.events.filter(e => e.kind === "work")[shownWorks - 1];
        this.part = last?.end < pipe.cycles;
        this.end = this.part ? last.end : pipe.cycles;
    }

    lanes(title, rows) {
        return {component: "lanes", title, from: 0, to: this.end, rows};
    }

    // A step of the critical path.
    step({kind, core, pipe, operation, line, from, to}) {
        return kind === "work"
            ? [from, to, useOf(pipe), 1, `${core}.${pipe}: ${operation}, line ${line}`]
            : [from, to, kind, 1, kind];
    }

    // A piece of work of a pipe: in full colour if it lies on the path.
    work({start, end, pipe, critical, operation, line, ring, tile}) {
        const where = ring < 0 ? ""
            : ` of tile ${tile}, pipe ${this.rings[ring].name.split(".")[0]}`;
        return [start, end, useOf(pipe), critical ? 1 : 0.35, `${operation}${where}, line ${line}`];
    }

    // The path as a row of its own, then what each pipe does.
    pipes() {
        const rows = new Map(), {steps} = this.pipe.path;
        const path = steps.filter(({from, to}) => from < this.end && to > from).map(this.step);
        for (const e of this.events) {
            if (e.kind !== "work" || !e.end || e.start >= this.end)
                continue;
            const name = `${e.core}.${e.pipe}`;
            rows.set(name, rows.get(name) ?? []);
            rows.get(name).push(this.work(e));
        }
        const names = this.pipe.pipes.map(pipeName);
        const sorted = [...rows].sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
        return this.lanes("Pipes over time (full colour: on the critical path)", [
            {name: "critical path", parts: path},
            ...sorted.map(([name, parts]) => ({name, parts}))]);
    }

    // The life of each tile of a ring, by slot.
    slots({name, slots, pushes, peak}, ring) {
        const lives = [];
        for (const e of this.events)
            if (e.ring === ring && e.end) {
                const life = lives[e.tile] ??=
                    {allocated: Infinity, filled: 0, popped: Infinity, freed: 0};
                if (e.does.includes("w"))
                    life.allocated = Math.min(life.allocated, e.start);
                if (e.does.includes("W"))
                    life.filled = Math.max(life.filled, e.end);
                if (e.does.includes("r"))
                    life.popped = Math.min(life.popped, e.start);
                if (e.does.includes("R"))
                    life.freed = Math.max(life.freed, e.end);
            }
        const parts = ({allocated, filled, popped, freed}, index) => {
            const end = this.pipe.cycles, full = filled || end;
            const at = [allocated, full, Math.max(Math.min(popped, end), full), freed || end];
            return stages.flatMap((stage, i) => at[i + 1] > at[i] && at[i] < this.end
                ? [[at[i], at[i + 1], stage, 0.85, `tile ${index}, ${stage}`]] : []);
        };
        const lane = (_, slot) => ({name: `slot ${slot}`, parts: lives.flatMap((life, index) =>
            index % slots === slot && life.allocated < Infinity ? parts(life, index) : [])});
        return this.lanes(`Slots of ring ${name}: ${count(pushes, "tile")} through ` +
            `${count(slots, "slot")}, at most ${peak} taken`, Array.from({length: slots}, lane));
    }

    // Arrivals at a counter and takes from it. On A2/A3 the Cube's counter rises when both AIVs
    // have set: the later one of each pair raises it.
    changes(core, id) {
        const a5 = this.pipe.profile === "a5", sets = [0, 0], changes = [];
        const shift = name => a5 && name === "aiv1" ? this.aiv1 : 0;
        for (const e of this.events) {
            if (e.kind === "wait" && e.core === core && e.flag === id && e.end)
                changes.push([e.end, -1]);
            const reaches = e.core === "aic" ? core !== "aic" && e.flag === id + shift(core)
                : core === "aic" && e.flag + shift(e.core) === id;
            if (e.kind !== "set" || !e.end || !reaches)
                continue;
            const reduce = core === "aic" && !a5, second = +(reduce && e.core === "aiv1");
            sets[second]++;
            if (!reduce || sets[second] <= sets[1 - second])
                changes.push([e.end + this.latency, 1]);
        }
        return changes.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    }

    flags() {
        const rows = this.counters.map(([core, id]) => {
            const points = [[0, 0]];
            let level = 0;
            for (const [at, by] of this.changes(core, id).filter(change => change[0] < this.end))
                points.push([at, level = Math.max(0, level + by)]);
            return {name: `${core} flag ${id}`, points: [...points, [this.end, level]]};
        });
        return rows.length ? [{component: "levels", from: 0, low: 0, high: this.end, rows,
            title: "Credits and ready flags: counter of each cross-core flag"}] : [];
    }

    // Where the cycles of each pipe of the first cluster went.
    busy() {
        const share = cycles => 100 * cycles / Math.max(this.pipe.cycles, 1);
        const first = this.pipe.pipes.filter(p => p.name.startsWith("cluster[0]."));
        const parts = ({busy, waits}) => [["busy", share(busy)],
            ...Object.entries(waits).map(([reason, cycles]) => [reason, share(cycles)])];
        return {component: "bars", title: "Where the cycles of each pipe went (the rest is idle)",
            unit: "% of the run", high: 100,
            rows: first.filter(p => p.ops || p.name.endsWith(".su")).map(
                p => ({name: pipeName(p), parts: parts(p)}))};
    }

    // The critical path by operation.
    operations() {
        const rows = new Map(), other = new Map();
        const share = cycles => 100 * cycles / Math.max(this.pipe.cycles, 1);
        for (const {kind, core, pipe, operation, line, from, to} of this.pipe.path.steps) {
            const row = kind === "work" ? [`${core}.${pipe}`, operation, line] : ["", kind, null];
            const into = kind === "work" ? rows : other, key = row.join();
            const sum = into.get(key) ?? into.set(key, {row, cycles: 0, times: 0}).get(key);
            sum.cycles += to - from;
            sum.times++;
        }
        const sorted = [...rows.values()].sort((a, b) => b.cycles - a.cycles);
        return {component: "table", title: "Critical path", text: [0, 1],
            heads: ["pipe", "operation", "line", "cycles", "% of the run", "times"],
            rows: [...sorted, ...other.values()].map(({row, cycles, times}) =>
                [...row, cycles, share(cycles), row[0] ? times : null])};
    }
}

const findingRow = ({code, line, object, text, times}) =>
    [code, `line ${line}, ${object}`, text + (times > 1 ? ` (${times} times)` : "")];

views.pipe = (pipe, drawing) => {
    const picture = new Picture(pipe, drawing), {clock_mhz: clock, explanation} = drawing;
    return {
        title: `TPUSH/TPOP program: ${pipe.program}`,
        answer: (pipe.verdict === "pass" ? pipe.path.bound : pipe.why) +
            (picture.part ? ` The drawings show the first ${picture.end} cycles.` : "") +
            (pipe.clusters > 1 ? ` The first of ${pipe.clusters} clusters is shown.` : ""),
        sections: [
            {component: "cards", cards: [[pipe.verdict, "verdict"], [pipe.cycles, "cycles"],
                [pipe.cycles / clock, `\u00b5s at ${clock} MHz`],
                [`${pipe.profile}, ${pipe.preset}`, "profile, preset"],
                [pipe.tile_ops, "tile operations"]]},
            ...explanation ? [{component: "text", title: "Who waits for whom", text: explanation,
                pre: true}] : [],
            ...tableIfAny({component: "table", title: "Findings", heads: ["code", "where", "what"],
                text: true, class: "words", rows: pipe.findings.map(findingRow)}),
            picture.pipes(),
            ...picture.rings.map((ring, i) => picture.slots(ring, i)),
            {component: "plots", sections: [...picture.flags(), picture.busy()]},
            picture.operations(),
        ],
    };
};
