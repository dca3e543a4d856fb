// What comes with tensim, on the page of `tensim ui': programs with their parameters, the gallery of hangs, small programs to step
// through, TPUSH/TPOP programs, the seeds' index. Choosing one writes the line that `Start' starts; nothing here starts by itself
// but the buttons that say so.

const setLine = (line, how) => {
    $("line").value = line;
    if (how !== undefined)
        $("how").value = how;
};
const startNow = (line, how = "") => {
    setLine(line, how);
    $("start").requestSubmit();
};

// ---- a list to choose from

// rows: [{name, about}, ...]; choose(row) when one is chosen. A field shows those that have its words.
function chooser(rows, choose) {
    const field = make("input", {type: "search", placeholder: "words of a name or text",
        "aria-label": "show those that have these words"});
    const list = make("div", {class: "list"});
    const buttons = rows.map(row => {
        const button = make("button", {type: "button", "aria-pressed": "false"},
            make("b", {}, row.name), make("span", {}, row.about));
        button.onclick = () => {
            list.querySelectorAll("button").forEach(other =>
                other.setAttribute("aria-pressed", String(other === button)));
            choose(row);
        };
        return button;
    });
    field.oninput = () => {
        const words = field.value.toLowerCase().split(/\s+/);
        buttons.forEach(button => button.hidden =
            !words.every(word => button.textContent.toLowerCase().includes(word)));
    };
    list.append(...buttons);
    return [field, list];
}

// ---- programs

// What a field says under its name: what it is, its range, what it is a multiple of.
const hintOf = ({text, from, to, step}) => [text, from && to && `${from} to ${to}`,
    step && `a multiple of ${step}`].filter(Boolean).join("; ");

function fieldOf(param, changed) {
    const {name, value, words, flag, from, to, step} = param;
    const numeric = !words.length && value !== "" && isFinite(value);
    const field = flag ? make("input", {type: "checkbox"})
        : words.length ? make("select", {}, ...words.includes(value) ? []
            : [make("option", {value: ""}, "as the file says")],
        ...words.map(word => make("option", {}, word)))
        : make("input", {placeholder: value || "as the file says", spellcheck: "false",
            ...numeric ? {type: "number", min: from, max: to, step: step ?? "any"} : {}});
    if (words.includes(value))
        field.value = value;
    field.oninput = changed;
    const said = () => flag ? field.checked : field.value !== "" && field.value !== value;
    const hint = hintOf(param);
    return {name, field, said, label: make("label", {title: hint}, name, field,
        hint.length > 90 ? `${hint.slice(0, 90).replace(/\s\S*$/, "")} \u2026` : hint)};
}

function programDoor({programs}) {
    const params = make("div", {id: "params"}), exact = make("input", {type: "checkbox"});
    const choose = ({name, params: rows}) => {
        const write = () => setLine(["run", name, ...fields.filter(({said}) => said()).map(
            ({name: own, field}) => field.type === "checkbox" ? `${own}=1` : `${own}=${field.value}`),
        ...exact.checked ? ["--timing-only"] : []].join(" "));
        const fields = rows.map(row => fieldOf(row, write));
        exact.onchange = write;
        params.replaceChildren(...fields.map(({label}) => label),
            make("label", {}, "cycles only, without arithmetic ", exact));
        write();
    };
    return [...chooser(programs, choose), params];
}

// ---- hangs, small programs, pipes

const galleryDoor = ({gallery}) => [make("p", {class: "note"},
    "Programs that hang, and their repaired twins. Watch one happen: it stops at the hang, and time runs backwards."),
...chooser(gallery, ({name}) => setLine(`run ${name}`, name.includes("/tiles/") ? "watch" : "back"))];

const stepDoor = ({steps}) => [make("p", {class: "note"},
    "A few instructions each: what every one of them changes, in which cycle, and what it waited for."),
...chooser(steps, ({name}) => setLine(`run --show=values ${name}`, ""))];

const pipeDoor = ({pipes}) => chooser(pipes, ({name}) => setLine(`run ${name}`, ""));

// ---- the seeds' index

// What shows a row: a small program, or a command whose result is a run.
function seedLine(shown) {
    const [kind, ...rest] = shown.split(" "), words = rest.join(" ").split(" => ")[0];
    if (kind === "step")
        return `run --show=values step/${words.split(" ")[0]}`;
    return kind === "run" && /^(matmul|run)\b/.test(words) && !/[<>|;]|tests\//.test(words) ? words : null;
}

function seedDoor({seeds}) {
    const row = ([document, section, what, verdict, shown]) => {
        const line = seedLine(shown);
        return make("tr", {}, make("td", {}, line && link("Start", () => startNow(line))),
            ...[document, section, what, verdict, line ?? shown].map((text, i) =>
                make("td", {class: "text"}, i === 4 ? make("code", {}, text) : text)));
    };
    return [make("p", {class: "note"}, "Every listing, table and figure of the four documents, and what shows it here. " +
        "\u201cdifferent\u201d: config/seeds/README.md says how and why."),
    make("div", {class: "scroll", style: "max-height: 420px"}, make("table", {class: "seeds"}, make("thead", {},
        make("tr", {}, ...["", "document", "section", "what", "verdict", "shown by"].map(
            name => make("th", {class: "text"}, name)))), make("tbody", {}, ...seeds.map(row))))];
}

// ---- doors

const doors = [["Programs", programDoor], ["Hangs", galleryDoor], ["Step by step", stepDoor],
    ["TPUSH/TPOP", pipeDoor], ["Seeds", seedDoor]];

function openDoors(catalogue) {
    const tabs = doors.map(([name, draw], index) => {
        const tab = make("button", {type: "button", role: "tab", "aria-selected": String(index === 0)}, name);
        tab.onclick = () => {
            tabs.forEach(other => other.setAttribute("aria-selected", String(other === tab)));
            $("door").replaceChildren(...draw(catalogue));
        };
        return tab;
    });
    if ($("doors").children.length)
        return; // the server was away: what was chosen stays
    $("doors").replaceChildren(...tabs);
    tabs[0].click();
}
