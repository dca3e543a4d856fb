// The page of `tensim ui': runs that there are, runs that run, a line to start one. It gets states and draws
// them; all it sends are three wishes: start, compare, stop.
"use strict";
const $ = id => document.getElementById(id);
const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text !== undefined)
        element.textContent = text;
    for (const [key, value] of Object.entries(attributes))
        element.setAttribute(key, value);
    return element;
};
const number = value => typeof value === "number" ? value.toLocaleString("en-US", {maximumFractionDigits: 3}) : "";
const percent = value => typeof value === "number" ? (100 * value).toFixed(1) + " %" : "";

let runs = [], jobs = [], chosen = new Set(), socket = null;

const pages = run => run.pages.map(page =>
    make("a", page.replace(".html", ""), {href: `file/${encodeURI(run.place)}/${page}`, target: "_blank", rel: "noopener"}));

// What a run came to, in a few words.
const outcome = run => {
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
        const row = make("tr"), box = make("input", undefined, {type: "checkbox", "aria-label": `choose ${run.place}`});
        box.checked = chosen.has(run.place);
        box.onchange = () => {
            box.checked ? chosen.add(run.place) : chosen.delete(run.place);
            draw_choice();
        };
        const cells = [box, run.place.replace(/^\d+\/?/, "") || ".", run.command.replace(/ -o \S+/, ""),
            number(run.cycles), number(run.tflops), percent(run.utilisation), outcome(run)];
        for (const cell of cells) {
            const place = make("td");
            place.append(cell);
            row.append(place);
        }
        const links = make("td");
        for (const page of pages(run))
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
        const box = make("div", undefined, {class: "job"}), head = make("p");
        head.append(make("b", state(job)), " ", make("code", job.line), " ");
        const run = runs.find(one => one.place === job.place);
        for (const page of run ? pages(run) : [])
            head.append(page, " ");
        if (job.runs) {
            const stop = make("button", "Stop");
            stop.onclick = () => wish({stop: job.number});
            head.append(stop);
        }
        box.append(head);
        if (job.text)
            box.append(make("pre", job.text));
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

const connect = () => {
    socket = new WebSocket(location.href.replace(/^http/, "ws").replace(/[#?].*$/, "") + "live", "tensim");
    socket.onopen = () => {
        $("wrong").textContent = "";
        document.body.dataset.live = "yes";
    };
    socket.onmessage = message => {
        const news = JSON.parse(message.data);
        if (news.runs)
            runs = news.runs;
        if (news.jobs)
            jobs = news.jobs;
        if (news.wrong)
            $("wrong").textContent = news.wrong;
        if (news.runs)
            draw_runs();
        draw_jobs();
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
        wish({start: $("line").value.trim()});
};
$("filter").oninput = draw_runs;
$("compare").onclick = () => {
    const [first, second] = runs.filter(run => chosen.has(run.place)).sort((a, b) => a.when - b.when);
    wish({compare: [first.place, second.place]});
};
connect();
