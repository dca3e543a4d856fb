// A run that is watched: states come, at most ten a second, and are drawn; buttons are commands to the run. The protocol:
// platform/ui/README.md.

const live = {place: null, hello: null, state: null, before: null, busy: false, later: null, tile: null, map: null, cells: ""};

const tellRun = what => wish({live: what});
// A command that moves the machine: one at a time. Of those that come meanwhile, the last.
const move = what => {
    if (live.busy)
        live.later = what;
    else {
        live.busy = true;
        tellRun(what);
    }
};

function watchRun(place, run) {
    Object.assign(live, {place, hello: null, state: null, before: null, busy: false, later: null, run: !!run, map: null, cells: "", ended: false, chosen: false,
        until: null, since: null, drawn: 0, next: null});
    $("list").hidden = true;
    $("live").hidden = false;
    $("live").dataset.mode = "";
    $("command").textContent = (runs.find(one => one.place === place)?.command ?? place).replace(/ -o \S+/, "");
    for (const id of ["diagram", "chain", "code", "registers", "memory", "chip", "answer", "story", "said", "results"])
        $(id).replaceChildren();
    live.tile = new Tile($("diagram"), {
        core: name => {
            live.chosen = true;
            tellRun({view: {core: name}});
        },
        semaphore: index => move({do: "back", what: "post", semaphore: index}),
        unit: name => move({do: "step", what: "unit", unit: name}),
        word: address => move({do: "back", what: "write", address}),
        tile: name => tellRun({view: {tile: name}}),
    });
    wish({watch: place});
    history.replaceState(null, "", `#${encodeURIComponent(place)}`);
    scrollTo(0, 0);
}

function leaveRun() {
    if (live.place === null)
        return;
    live.place = null;
    wish({watch: null});
    $("live").hidden = true;
    $("list").hidden = false;
    history.replaceState(null, "", "#");
}

// ---- what the run says

function heardRun(news) {
    if (news.hello)
        live.hello = news.hello;
    if (news.wrong) {
        $("said").textContent = news.wrong;
        live.busy = false;
        live.later = null;
    }
    if (news.state) { // on a busy host several come before one is drawn: the last
        if (!live.next)
            requestAnimationFrame(() => {
                const next = live.next;
                live.next = null;
                if (next && live.place !== null)
                    drawState(next);
            });
        live.next = news.state;
    }
    if (news.hello) {
        const several = news.hello.tiles.length > 1;
        $("tile").replaceChildren(...news.hello.tiles.map(name => make("option", {}, name)));
        $("tile").parentNode.hidden = !several;
        tellRun({view: {chip: several}});
        if (live.run)
            move({do: "run"});
        live.run = false;
    }
    if (news.end || news.gone) {
        live.ended = true;
        $("answer").textContent = "";
        $("mode").textContent = modes.over;
        $("live").dataset.mode = "ended";
        if (news.end)
            $("said").textContent = `The run has ended, exit code ${news.end.code}. Its results:`;
        else if (!$("said").textContent)
            $("said").textContent = "The run has ended.";
        drawControls();
        drawResults();
    }
}

// The pages of a run that was watched to its end.
function drawResults() {
    const run = live.ended && runs.find(one => one.place === live.place);
    $("results").replaceChildren(...(run && !run.live ? pages(run) : []).flatMap(page => [page, " "]));
}

const modes = {runs: "runs", paused: "paused", hang: "hangs", over: "has ended"};

function drawState(state) {
    const still = state.mode !== "runs";
    live.before = live.state;
    live.state = state;
    $("live").dataset.mode = state.mode;
    $("mode").textContent = modes[state.mode];
    $("cycle").textContent = `cycle ${figure(state.cycle)}`;
    $("rate").textContent = still ? "" : `${figure(Math.round(state.rate))} cycles a second`;
    $("tile").value = state.tile.name;
    const waits = waitsOf(state);
    live.tile.show(state.tile, waits, state.code?.core);
    chooseCore(state, waits);
    drawStory(state, waits);
    drawTimeline(state);
    drawChip(state);
    if (still)
        drawCode(state);
    if (still && live.busy) {
        live.busy = false;
        if (live.later) {
            const next = live.later;
            live.later = null;
            move(next);
        }
    }
    if (!still && live.busy)
        live.busy = false;
    drawControls();
}

// The tile's part of the explanation. Tiles with the same one are told once: who acts for the others is in the cause.
function waitsOf({waits, tile: {name}}) {
    const found = waits?.tiles?.find(({tile, same}) => tile === name || same.split(" ").includes(name));
    if (!found || found.tile === name)
        return found;
    const path = waits.cause?.path ?? [];
    const next = node => {
        const at = path.indexOf(`${node} of ${name}`);
        return at < 0 ? undefined : path[at + 1] ?? (waits.kind === "cycle" ? path[0] : undefined);
    };
    return {...found, nodes: found.nodes.map(node => ({...node, holder: next(node.name)}))};
}

// A core that does something, until the user chooses one: the first of the chain of waits, or the first that is not in reset.
function chooseCore({code, tile}, waits) {
    const core = name => tile.cores.find(one => one.name === name.replace(/^T(\d)$/, "trisc$1"));
    if (live.chosen || !code)
        return;
    const first = (waits?.path ?? []).map(core).find(Boolean) ?? tile.cores.find(one => one.doing !== "in reset");
    if (first && first.name !== code.core)
        tellRun({view: {core: first.name}});
}

// The one answer that hang reports have, too.
function drawStory(state, waits) {
    const cause = state.waits?.cause, hung = state.mode === "hang";
    $("said").textContent = state.why ? `${state.why[0].toUpperCase()}${state.why.slice(1)}.` : "";
    $("answer").textContent = hung && cause ? cause.text
        : state.mode === "over" ? "The run is at its end. Drag the timeline to look back, or let it write its results." : "";
    const graphs = [...(hung ? causeSections(cause ?? {}) : []), ...(waits ? [tileSections(waits)[0]] : [])];
    $("chain").replaceChildren(...graphs.flatMap(section =>
        [make("h3", {}, section.kind === "cycle" ? "A cycle of waits" : "Who waits for whom"), components.graph(section)]));
    if (!graphs.length)
        $("chain").replaceChildren(make("p", {class: "note"}, state.mode === "runs" ? "Pause to see who waits for whom." : "Nobody waits for another."));
    $("story").replaceChildren(...(waits?.facts?.length ? [make("pre", {}, waits.facts.join("\n"))] : []));
}

// ---- time

function drawTimeline(state) {
    // Behind the beginning of a hang nothing happens.
    const hung = typeof state.since === "number";
    const line = $("time"), last = Math.max(hung ? state.since + 1 : state.last ?? 0, hung ? 0 : state.cycle, state.first + 1);
    line.min = state.first;
    line.max = last;
    if (document.activeElement !== line || !live.later)
        line.value = state.cycle;
    line.disabled = !live.hello?.back;
    line.setAttribute("aria-valuetext", `cycle ${state.cycle}`);
    const at = cycle => `${Math.min(100, 100 * (cycle - state.first) / (last - state.first))}%`;
    const mark = (cycle, kind, text) => typeof cycle === "number"
        ? make("i", {class: kind, style: `left:${at(cycle)}`, title: text}) : null;
    $("marks").replaceChildren(...[
        mark(state.since, "since", `nothing has changed since cycle ${state.since}`)].filter(Boolean));
    $("ends").replaceChildren(make("span", {}, figure(state.first)),
        hung ? make("span", {class: "since"}, `hang since ${figure(state.since)}, found at ${figure(state.hang)}`)
            : make("span", {}, figure(last)));
}

// ---- buttons

const commands = {
    "back-unit": () => ({do: "back", what: "unit"}),
    "back-instruction": () => ({do: "back", what: "instruction"}),
    "back-cycle": () => ({do: "back", what: "cycle"}),
    "cycle-step": () => ({do: "step", what: "cycle"}),
    instruction: () => ({do: "step", what: "instruction"}),
    unit: () => ({do: "step", what: "unit"}),
};

function drawControls() {
    const {state, hello, ended} = live, still = state && state.mode !== "runs";
    const last = state?.mode === "hang" || state?.mode === "over";
    $("run").textContent = !still ? "Pause" : last ? "Let it end" : "Run";
    $("run").disabled = !state || ended;
    for (const id of Object.keys(commands)) {
        const back = id.startsWith("back");
        $(id).disabled = !still || ended || (id !== "cycle-step" && !hello?.back) || (back ? state.cycle <= state.first : last);
    }
    $("goto").querySelectorAll("input, button").forEach(part => part.disabled = !state || ended);
    $("exact").hidden = !hello || hello.back;
}

// ---- the chip

function drawChip(state) {
    const {hello} = live, start = {cycle: 0, chip: []};
    if (!state.chip || !hello || (state.mode === "runs" && performance.now() - live.drawn < 250))
        return;
    live.drawn = performance.now();
    // Since the state before it in time; from the start, if time went back.
    if (!live.until || state.cycle !== live.until.cycle) {
        live.since = live.until && live.until.cycle < state.cycle ? live.until : start;
        live.until = state;
    }
    const since = live.since;
    const span = Math.max(1, state.cycle - since.cycle);
    const rows = Object.fromEntries(hello.parts.map((path, i) => [path, [state.chip[i] - (since.chip[i] ?? 0)]]));
    // All places, so that the map stays as it is: what did nothing yet is there, too.
    const all = hello.all ??= new Chip({bin: 1, span: 1, rows: Object.fromEntries(hello.parts.map(path => [path, [1]]))});
    const chip = new Chip({bin: span, span, rows});
    Object.assign(chip, {places: all.places, columns: all.columns, frames: [0]});
    const section = chip.map(hello.tiles);
    section.times = [`cycles ${figure(since.cycle)} to ${figure(state.cycle)}`];
    section.sheets.forEach(sheet => sheet.frames.length = 1);
    if (!section.sheets.length)
        section.sheets = [{name: chipSheets.matrix, unit: "%", high: 1, frames: [all.places.map(place =>
            hello.tiles.includes(place) ? 0 : null)]}];
    const cells = section.names.join(" ");
    if (live.cells !== cells || !live.map) {
        live.cells = cells;
        live.map = components.heat(section);
        $("chip").replaceChildren(make("h2", {}, "The chip: share of the time, by place"), live.map);
    } else {
        live.map.renew(section);
    }
    const stuck = new Set((state.waits?.cause?.path ?? []).map(name => name.split(" of ")[1]));
    live.map.querySelectorAll(".map > div").forEach((cell, i) => cell.classList.toggle("stuck", stuck.has(section.names[i])));
    const chosen = hello.tiles.indexOf(state.tile.name);
    if (choice.tile !== chosen)
        choose({tile: chosen});
}

onChoice(() => {
    const name = live.hello?.tiles[choice.tile];
    if (live.state && name && name !== live.state.tile.name)
        tellRun({view: {tile: name}});
});

// ---- the chosen core

function drawCode({code, memory}) {
    const before = live.before?.code?.core === code.core ? live.before.code : undefined;
    const source = code.source;
    const calls = code.frames.filter(frame => frame.function || frame.file)
        .map(frame => [frame.function, frame.line ? `${frame.file}:${frame.line}` : ""].filter(Boolean).join(" at ")).join(" \u2190 ");
    $("code").replaceChildren(
        make("h2", {}, `${code.core}: ${source ? `${source.file}:${source.line}` : `pc ${hex(code.pc)}`}`),
        calls ? make("p", {class: "note"}, calls) : "",
        make("div", {class: "both"}, source?.text.length ? sourceLines(source) : "", listingLines(code)));
    $("code").querySelectorAll(".source").forEach(box => {
        const here = box.querySelector(".here");
        if (here)
            box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2;
    });
    $("registers").replaceChildren(registerTable(code.x, before?.x, number => move({do: "back", what: "register", register: number})));
    $("memory").replaceChildren(memoryTable(memory, live.before?.memory, address => move({do: "back", what: "write", address})));
}

// ---- what the user does

for (const [id, what] of Object.entries(commands))
    $(id).onclick = () => move(what());
$("run").onclick = () => {
    if (live.state?.mode === "runs") {
        live.later = null;
        tellRun({do: "pause"});
    } else {
        move({do: "run"});
    }
};
$("time").oninput = () => move({do: "goto", cycle: +$("time").value});
$("goto").onsubmit = event => {
    event.preventDefault();
    if ($("to").value !== "")
        move({do: "goto", cycle: +$("to").value});
};
$("look").onsubmit = event => {
    event.preventDefault();
    const address = Number($("address").value);
    if (Number.isInteger(address) && address >= 0 && address < 2 ** 32)
        tellRun({view: {memory: address}});
    else
        $("said").textContent = "An address is a number: 0x1f000.";
};
$("tile").onchange = () => tellRun({view: {tile: $("tile").value}});
$("leave").onclick = leaveRun;
addEventListener("keydown", event => {
    if (live.place === null || event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey)
        return;
    const id = {" ": "run", ArrowRight: event.shiftKey ? "instruction" : "cycle-step", u: "unit",
        ArrowLeft: event.shiftKey ? "back-instruction" : "back-cycle", U: "back-unit"}[event.key];
    if (!id || (event.key === " " && event.target.matches("button")))
        return;
    event.preventDefault();
    $(id).click();
});
