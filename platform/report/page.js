// Draws a page from the JSON in #page: {view, document, drawing, command, colors, reasons}. A view
// (views/*.js) makes {title, answer, command, sections} of a result's document; a section is
// {component, title, ...}; every component is a function of `components`, here or in another file
// of this folder.
const page = JSON.parse(document.getElementById("page").textContent);

// A name has one colour on all pages (the page's table), other things the next one of the palette:
// Okabe and Ito's, which people with red-green colour blindness can tell apart, then darker and
// lighter ones.
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7f7f7f",
    "#b8a100", "#8a4f7d", "#004b76", "#9c6b00", "#00654a", "#8f3f00", "#a9d5f2", "#5b3fa0",
    "#6dbf8b", "#e3b7cf", "#3d3d3d", "#c1440e"];
const color = (name, index) => page.colors[name] || palette[index % palette.length];
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const tableIfAny = section => section.rows.length ? [section] : [];

// ---- words and figures

components.text = section => make(section.pre ? "pre" : "p", {class: section.class}, section.text);

components.cards = section => make("div", {class: "cards"}, ...section.cards.map(
    ([value, name, hint]) => make("div", {title: hint},
        make("b", {}, figure(value)), make("span", {}, name))));

// ---- tables

// The order of two cells: figures by size, text by letters, empty ones last.
function order(a, b) {
    const none = v => v === null || v === undefined || v === "";
    if (none(a) || none(b))
        return none(a) - none(b);
    return typeof a === "number" && typeof b === "number" ? a - b
        : String(a).localeCompare(String(b), "en", {numeric: true});
}

function tableRow(section, row, index) {
    const line = make("tr", {class: section.marked?.includes(index) ? "off" : undefined});
    row.forEach((cell, column) => {
        const text = section.text === true || section.text?.includes(column);
        const swatch = text && page.colors[cell] && section.swatch === column
            ? make("i", {class: "swatch", style: `background:${page.colors[cell]}`}) : null;
        const link = column === 0 && section.links?.[index];
        line.append(make("td", {class: text ? "text" : undefined}, swatch,
            link ? make("a", {href: link}, figure(cell)) : figure(cell)));
    });
    return line;
}

// {heads, rows, text: columns with words or true, marked: rows that stand out, hints of heads,
// links of rows}. A click on a head sorts.
components.table = section => {
    const body = make("tbody"), head = make("tr");
    const rows = section.rows.map((row, i) => [row, tableRow(section, row, i)]);
    let by = -1, down = false;
    section.heads.forEach((name, column) => {
        const text = section.text === true || section.text?.includes(column);
        const up = section.upright && column >= section.upright;
        const kind = [text && "text", up && "up"].filter(Boolean).join(" ") || undefined;
        const cell = make("th", {class: kind, title: section.hints?.[column], tabindex: 0,
            "aria-sort": "none"}, make("span", {}, name));
        if (page.colors[name] && up)
            cell.append(make("i", {class: "swatch", style: `background:${page.colors[name]}`}));
        const sort = () => {
            down = by === column ? !down : typeof rows[0]?.[0][column] === "number";
            by = column;
            rows.sort(([a], [b]) => (down ? -1 : 1) * order(a[column], b[column]));
            body.append(...rows.map(row => row[1]));
            head.querySelectorAll("th").forEach(th => th.setAttribute("aria-sort", "none"));
            cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        };
        cell.addEventListener("click", sort);
        cell.addEventListener("keydown", event => event.key === "Enter" && sort());
        head.append(cell);
    });
    body.append(...rows.map(row => row[1]));
    return make("div", {class: "scroll"},
        make("table", {class: section.class}, make("thead", {}, head), body));
};

// ---- parts

// Folded parts are drawn when they are opened: a table of a thousand rows costs nothing before.
components.fold = section => {
    const fold = make("details", {class: "fold"}, make("summary", {}, section.title));
    fold.open = !!section.open;
    const open = () => {
        if (fold.open && fold.children.length === 1)
            draw(section.sections, fold);
    };
    fold.addEventListener("toggle", open);
    fold.search = word => JSON.stringify(section.sections).toLowerCase().includes(word);
    fold.show = open;
    open();
    return fold;
};

// A field that opens the folds that hold a word and hides the rows and folds that do not. Marked
// rows alone if asked.
components.search = section => {
    const word = make("input", {type: "search", placeholder: section.hint});
    const only = make("input", {type: "checkbox"});
    const filter = () => {
        const text = word.value.toLowerCase(), all = !text && !only.checked;
        for (const fold of document.querySelectorAll("details.fold")) {
            if (all) {
                fold.open = fold.hidden = false;
                fold.querySelectorAll("tr").forEach(row => row.hidden = false);
                continue;
            }
            fold.open = fold.search(text);
            fold.show();
            let shown = 0;
            for (const row of fold.querySelectorAll("tbody tr")) {
                row.hidden = (only.checked && row.className !== "off") ||
                    !row.textContent.toLowerCase().includes(text);
                shown += !row.hidden;
            }
            fold.hidden = shown === 0;
        }
    };
    word.addEventListener("input", filter);
    only.addEventListener("change", filter);
    return make("p", {class: "search"}, make("label", {}, section.label, " ", word), " ",
        make("label", {}, only, " ", section.only));
};

// Components side by side, as many as there is room for.
components.plots = section => draw(section.sections, make("div", {class: "plots"}));

// ---- the page

// Components with a frame and a caption of their own.
const framed = new Set(
    ["plot", "bars", "waterfall", "columns", "lanes", "levels", "heat", "network",
        "graph"]);

function frame(section, node) {
    const name = section.component, words = figureWords(section);
    const box = make("figure", {class: name, "data-component": name});
    node.querySelectorAll("canvas").forEach(canvas => canvas.setAttribute("aria-label", words));
    box.append(make("figcaption", {}, make("span", {}, section.title),
        keepButtons(box, section.title)), node);
    if (section.note)
        box.append(make("p", {class: "note"}, section.note));
    return box;
}

function draw(sections, to) {
    for (const section of sections) {
        const node = components[section.component](section);
        if (framed.has(section.component)) {
            to.append(frame(section, node));
        } else {
            if (section.title && section.component !== "fold")
                to.append(make("h2", {id: section.id}, section.title));
            to.append(node);
        }
    }
    return to;
}

document.addEventListener("DOMContentLoaded", () => {
    const {title, answer, command = page.command, sections} =
        views[page.view](page.document, page.drawing ?? {});
    const body = document.body;
    document.title = title;
    body.append(make("h1", {}, title));
    if (answer)
        body.append(make("p", {class: "answer"}, answer));
    if (command)
        body.append(make("p", {class: "command"}, make("code", {}, command)));
    draw(sections, body);
    if (location.hash === "#svg")
        showSvgs();
});

// On paper folds are open, and charts have the paper's width.
const folds = () => document.querySelectorAll("details.fold");
addEventListener("beforeprint", () => {
    folds().forEach(fold => {
        fold.closed = !fold.open;
        fold.open = true;
        fold.show();
    });
    Object.values(Chart.instances).forEach(chart => chart.resize());
});
addEventListener("afterprint", () => {
    folds().forEach(fold => fold.open = !fold.closed);
    Object.values(Chart.instances).forEach(chart => chart.resize());
});
