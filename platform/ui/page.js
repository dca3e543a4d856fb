// The page of `tensim ui': runs that there are, runs that run, a line to start one (home.js helps to write it). It gets states and draws
// them; all it sends are wishes: start, again, compare, stop, watch, and commands to the run that is watched (live.js).
const $ = id => document.getElementById(id);
const number = value => typeof value === "number" ? value.toLocaleString("en-US", {maximumFractionDigits: 3}) : "";
const part = value => typeof value === "number" ? percent(value) : "";
const link = (text, act) => {
    const button = make("button", {type: "button"}, text);
    button.onclick = act;
    return button;
};

let runs = [], jobs = [], chosen = new Set(), socket = null;
let wanted = null; // to be watched as soon as it is there: {after: number of the last job, run}

const pages = run => run.pages.map(page =>
    make("a", {href: `file/${encodeURI(run.place)}/${page}`, target: "_blank", rel: "noopener"}, page.replace(".html", "")));

const startLive = (what, run) => {
    wanted = {after: jobs[0]?.number ?? 0, run};
    wish(what);
};
// What a run offers: to be watched; a hang, to be watched again.
const offers = run => run.live ? [link("watch", () => watchRun(run.place))]
    : run.pages.includes("hang.html") ? [link("watch it happen", () => startLive({again: run.place}, true))] : [];

// What a run came to, in a few words.
const outcome = run => {
    if (run.live)
        return "runs now";
    if (run.pages.includes("hang.html"))
        return "hangs";
    if (run.bound_object)
        return `bound by ${run.bound_object}`;
    return run.verdict || "";
};

const draw_runs = () => {
    const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = runs.filter(run => words.every(word => `${run.place} ${run.command}`.toLowerCase().includes(word)))
        .sort((a, b) => b.when - a.when || a.place.localeCompare(b.place));
    const body = $("runs");
    body.replaceChildren(...shown.map(run => {
        const row = make("tr"), box = make("input", {type: "checkbox", "aria-label": `choose ${run.place}`});
        box.checked = chosen.has(run.place);
        box.onchange = () => {
            box.checked ? chosen.add(run.place) : chosen.delete(run.place);
            draw_choice();
        };
        const cells = [box, run.place.replace(/^\d+\/?/, "") || ".", run.command.replace(/ -o \S+/, ""),
            number(run.cycles), number(run.tflops), part(run.utilisation), outcome(run)];
        for (const cell of cells) {
            const place = make("td");
            place.append(cell);
            row.append(place);
        }
        const links = make("td");
        for (const page of [...pages(run), ...offers(run)])
            links.append(page, " ");
        row.append(links);
        return row;
    }));
    $("count").textContent = `${shown.length} of ${runs.length} runs`;
    draw_choice();
};

const draw_choice = () => {
    for (const place of chosen)
        if (!runs.some(run => run.place === place))
            chosen.delete(place);
    $("compare").disabled = chosen.size !== 2;
    $("compare").textContent = chosen.size === 2 ? "Compare the two" : "Choose two runs to compare";
};

const state = job => job.runs ? "runs" : job.signal ? `ended by signal ${job.signal}` :
    job.exit === 0 ? "done" : `exit code ${job.exit}`;

const draw_jobs = () => {
    $("none").hidden = jobs.length > 0;
    $("jobs").replaceChildren(...jobs.map(job => {
        const box = make("div", {class: "job"}), head = make("p");
        head.append(make("b", {}, state(job)), " ", make("code", {}, job.line), " ");
        const run = runs.find(one => one.place === job.place);
        for (const page of run ? [...pages(run), ...offers(run)] : [])
            head.append(page, " ");
        if (job.runs)
            head.append(link("Stop", () => wish({stop: job.number})));
        box.append(head);
        if (job.text)
            box.append(make("pre", {}, job.text));
        return box;
    }));
};

const wish = what => {
    $("wrong").textContent = "";
    if (socket && socket.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify(what));
    else
        $("wrong").textContent = "The server does not answer: is `tensim ui' still running?";
};

// The run that was started to be watched is there, or the one of the address.
const watchWanted = () => {
    const job = wanted && jobs.find(one => one.number > wanted.after);
    const place = job?.place ?? decodeURIComponent(location.hash.slice(1));
    if (live.place !== null || !runs.some(run => run.place === place && run.live))
        return;
    watchRun(place, job && wanted.run);
    wanted = null;
};

const connect = () => {
    socket = new WebSocket(location.href.replace(/^http/, "ws").replace(/[#?].*$/, "") + "live", "tensim");
    socket.onopen = () => {
        $("wrong").textContent = "";
        document.body.dataset.live = "yes";
    };
    socket.onmessage = message => {
        const news = JSON.parse(message.data);
        if (news.catalogue)
            openDoors(news.catalogue);
        if (news.runs)
            runs = news.runs;
        if (news.jobs)
            jobs = news.jobs;
        if (news.wrong) {
            $(live.place === null ? "wrong" : "said").textContent = news.wrong;
            wanted = null;
        }
        if (news.live)
            heardRun(news.live);
        if (news.runs)
            draw_runs();
        if (news.runs || news.jobs) {
            draw_jobs();
            drawResults();
            watchWanted();
        }
    };
    socket.onclose = () => {
        document.body.dataset.live = "no";
        $("wrong").textContent = "The server does not answer: is `tensim ui' still running?";
        setTimeout(connect, 2000);
    };
};

$("start").onsubmit = event => {
    event.preventDefault();
    if ($("line").value.trim())
        $("how").value ? startLive({start: $("line").value.trim(), live: $("how").value})
            : wish({start: $("line").value.trim()});
};
$("filter").oninput = draw_runs;
$("compare").onclick = () => {
    const [first, second] = runs.filter(run => chosen.has(run.place)).sort((a, b) => a.when - b.when);
    wish({compare: [first.place, second.place]});
};
connect();
