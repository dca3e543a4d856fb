// Figures as files: a chart draws itself once more, onto a context that writes SVG; maps and graphs
// are boxes and words that are copied. What a figure shows is also said in words, for readers who
// do not see it.

const svgText = text => String(text).replace(/[&<>"]/g,
    letter => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[letter]);
const svgNumber = value => String(Math.round(100 * value) / 100);

// A colour as every program reads it, and how opaque it is.
const svgPaint = (() => {
    let pen;
    const known = new Map(); // to read a pixel is slow, and colours are few
    const read = paint => {
        pen ??= make("canvas", {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = paint;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        const hex = [r, g, b].map(part => part.toString(16).padStart(2, "0")).join("");
        return {color: `#${hex}`, opacity: a / 255};
    };
    return paint => {
        if (!known.has(paint))
            known.set(paint, read(paint));
        return known.get(paint);
    };
})();

let svgClips = 0; // of all charts: a file may have several

// What Chart.js uses of a canvas' context, as elements of an SVG file.
class SvgContext {
    constructor(canvas) {
        Object.assign(this, {canvas, out: [], path: "", stack: [], fillStyle: "#000",
            strokeStyle: "#000", lineWidth: 1, lineCap: "butt", lineJoin: "miter",
            globalAlpha: 1, font: "12px sans-serif", textAlign: "start",
            textBaseline: "alphabetic", dash: [], clipped: "", matrix: [1, 0, 0, 1, 0, 0]});
        this.pen = make("canvas").getContext("2d"); // measures text
    }

    // ---- state

    save() {
        const {out, stack, canvas, pen, path, ...state} = this;
        stack.push(state);
    }
    restore() {
        Object.assign(this, this.stack.pop());
    }
    setLineDash(dash) {
        this.dash = dash;
    }
    transform(a, b, c, d, e, f) {
        const m = this.matrix;
        this.matrix = [m[0] * a + m[2] * b, m[1] * a + m[3] * b, m[0] * c + m[2] * d,
            m[1] * c + m[3] * d, m[0] * e + m[2] * f + m[4], m[1] * e + m[3] * f + m[5]];
    }
    translate(x, y) {
        this.transform(1, 0, 0, 1, x, y);
    }
    rotate(angle) {
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        this.transform(c, s, -s, c, 0, 0);
    }
    scale(x, y) {
        this.transform(x, 0, 0, y, 0, 0);
    }
    setTransform(...matrix) {
        this.matrix = matrix.length === 6 ? matrix : [1, 0, 0, 1, 0, 0];
    }
    resetTransform() {
        this.setTransform();
    }

    // ---- paths

    at(x, y) {
        const m = this.matrix;
        return `${svgNumber(m[0] * x + m[2] * y + m[4])} ${svgNumber(m[1] * x + m[3] * y + m[5])}`;
    }
    beginPath() {
        this.path = "";
    }
    closePath() {
        this.path += "Z";
    }
    moveTo(x, y) {
        this.path += `M${this.at(x, y)}`;
    }
    lineTo(x, y) {
        this.path += `${this.path ? "L" : "M"}${this.at(x, y)}`;
    }
    bezierCurveTo(a, b, c, d, x, y) {
        this.path += `C${this.at(a, b)} ${this.at(c, d)} ${this.at(x, y)}`;
    }
    quadraticCurveTo(a, b, x, y) {
        this.path += `Q${this.at(a, b)} ${this.at(x, y)}`;
    }
    rect(x, y, w, h) {
        this.moveTo(x, y);
        this.lineTo(x + w, y);
        this.lineTo(x + w, y + h);
        this.lineTo(x, y + h);
        this.closePath();
    }
    // In pieces of a quarter of a turn.
    arc(x, y, r, from, to, back) {
        const turn = Math.max(Math.min((to - from) * (back ? -1 : 1), 2 * Math.PI), 0);
        const pieces = Math.max(1, Math.ceil(turn / (Math.PI / 2)));
        const point = angle => [x + r * Math.cos(angle), y + r * Math.sin(angle)];
        this.lineTo(...point(from));
        for (let i = 1; i <= pieces; i++)
            this.path += `A${svgNumber(r)} ${svgNumber(r)} 0 0 ${back ? 0 : 1} ` +
                this.at(...point(from + (back ? -1 : 1) * turn * i / pieces));
    }
    ellipse(x, y, r, other, turned, from, to, back) {
        this.arc(x, y, r, from, to, back);
    }

    // ---- elements

    put(name, attributes, text = "") {
        const words = Object.entries(attributes)
            .filter(([, value]) => value !== "" && value !== undefined)
            .map(([key, value]) => ` ${key}="${svgText(value)}"`).join("");
        const element = `<${name}${words}>${svgText(text)}</${name}>`;
        // A clip of the element itself would move with its transform.
        this.out.push(this.clipped ? `<g clip-path="url(#${this.clipped})">${element}</g>`
            : element);
    }
    paint(kind, style) {
        const {color: own, opacity} = svgPaint(style), all = opacity * this.globalAlpha;
        return {[kind]: own, [`${kind}-opacity`]: all < 1 ? svgNumber(all) : undefined};
    }
    fill() {
        if (this.path)
            this.put("path", {d: this.path, ...this.paint("fill", this.fillStyle)});
    }
    stroke() {
        if (this.path && this.lineWidth > 0)
            this.put("path", {d: this.path, fill: "none", "stroke-width": this.lineWidth,
                "stroke-dasharray": this.dash.join(" "),
                ...this.paint("stroke", this.strokeStyle)});
    }
    fillRect(x, y, w, h) {
        const before = this.path;
        this.path = "";
        this.rect(x, y, w, h);
        this.fill();
        this.path = before;
    }
    strokeRect(x, y, w, h) {
        const before = this.path;
        this.path = "";
        this.rect(x, y, w, h);
        this.stroke();
        this.path = before;
    }
    clearRect() {
    }
    clip() {
        const name = `clip${svgClips++}`;
        this.out.push(`<clipPath id="${name}"><path d="${this.path}"/></clipPath>`);
        this.clipped = name;
    }
    measureText(text) {
        this.pen.font = this.font;
        return this.pen.measureText(text);
    }
    strokeText() {
    }
    fillText(text, x, y) {
        const anchors = {center: "middle", right: "end", end: "end"};
        const shift = {top: ".8em", middle: ".35em", bottom: "-.2em"}[this.textBaseline];
        const size = this.font.match(/([\d.]+)px/)?.[1] ?? 12;
        this.put("text", {x: svgNumber(x), y: svgNumber(y), dy: shift, "font-size": size,
            "font-family": "sans-serif", "text-anchor": anchors[this.textAlign] ?? "start",
            "font-weight": /bold/.test(this.font) ? "bold" : undefined,
            transform: this.matrix.every((v, i) => v === [1, 0, 0, 1, 0, 0][i]) ? undefined
                : `matrix(${this.matrix.map(svgNumber).join(" ")})`,
            ...this.paint("fill", this.fillStyle)}, text);
    }
}

// ---- figures

// The elements of one chart.
function chartSvg(chart) {
    const context = new SvgContext(chart.canvas), real = chart.ctx;
    const owners = [chart, ...chart.boxes, ...chart.getSortedVisibleDatasetMetas()
        .map(meta => meta.controller)];
    const draw = to => {
        for (const owner of owners)
            owner[owner._ctx ? "_ctx" : "ctx"] = to;
        chart.draw();
    };
    chart.tooltip?.setActiveElements([], {x: 0, y: 0});
    chart.update("none");
    draw(context);
    draw(real);
    return context.out;
}

// Boxes with a colour and lines of text, as they stand on the page.
function boxesSvg(node, context) {
    const origin = node.getBoundingClientRect(), style = getComputedStyle(node);
    const plain = paint => svgPaint(paint).opacity === 0;
    for (const part of node.querySelectorAll("*")) {
        const box = part.getBoundingClientRect(), own = getComputedStyle(part);
        if (!plain(own.backgroundColor)) {
            context.fillStyle = own.backgroundColor;
            context.fillRect(box.left - origin.left, box.top - origin.top, box.width, box.height);
        }
    }
    const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const text = walk.currentNode, range = document.createRange();
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect(), own = getComputedStyle(text.parentElement);
        if (!text.textContent.trim() || box.width === 0)
            continue;
        context.font = `${own.fontWeight > 500 ? "bold " : ""}${own.fontSize} sans-serif`;
        context.fillStyle = own.color;
        context.textBaseline = "middle";
        context.fillText(text.textContent.trim(), box.left - origin.left,
            (box.top + box.bottom) / 2 - origin.top);
    }
    return style.display === "none" ? [] : context.out;
}

// A drawing as it stands on the page, with its colours written out.
function drawingSvg(node) {
    const copy = node.cloneNode(true), parts = [...copy.querySelectorAll("path, rect, text")];
    copy.querySelectorAll("title").forEach(title => title.remove());
    node.querySelectorAll("path, rect, text").forEach((part, i) => {
        const own = getComputedStyle(part), {fill, stroke} = own;
        const paint = value => value === "none" ? value : svgPaint(value).color;
        const attributes = {fill: paint(fill), stroke: paint(stroke),
            "stroke-width": own.strokeWidth, "stroke-dasharray": own.strokeDasharray};
        if (part.tagName === "text")
            Object.assign(attributes, {"font-size": own.fontSize, "font-weight": own.fontWeight,
                "font-family": "sans-serif", "text-anchor": own.textAnchor,
                "paint-order": own.paintOrder});
        for (const [key, value] of Object.entries(attributes))
            parts[i].setAttribute(key, value);
    });
    return new XMLSerializer().serializeToString(copy);
}

// A figure as the text of an SVG file: its caption, its charts one below the other, or its boxes.
function figureSvg(figureNode) {
    const title = figureNode.querySelector("figcaption > span").textContent, top = 28;
    const canvases = [...figureNode.querySelectorAll("canvas")];
    const box = figureNode.querySelector(".map, .waitfor, .place > svg");
    const place = (box ?? figureNode).getBoundingClientRect();
    let height = top, width = canvases.length ? 0 : place.width;
    const parts = canvases.map(canvas => {
        const chart = Chart.getChart(canvas), at = height;
        const label = canvas.closest(".chart").previousElementSibling;
        const name = label?.className === "level" ? label.textContent : "";
        const text = name && `<text x="4" y="12" font-size="11" font-family="sans-serif" ` +
            `fill="${svgPaint(css("--dim")).color}">${svgText(name)}</text>`;
        height += chart.height + (name ? 16 : 0);
        width = Math.max(width, chart.width);
        return `<g transform="translate(0 ${at})">${text}<g transform="translate(0 ` +
            `${name ? 16 : 0})">${chartSvg(chart).join("")}</g></g>`;
    });
    if (!canvases.length && box) {
        const inside = box.tagName === "svg" ? drawingSvg(box)
            : boxesSvg(box, new SvgContext(null)).join("");
        parts.push(`<g transform="translate(0 ${height})">${inside}</g>`);
        height += place.height;
    }
    const [w, h] = [width, height].map(Math.ceil);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" ` +
        `viewBox="0 0 ${w} ${h}"><title>${svgText(title)}</title>` +
        `<rect width="100%" height="100%" fill="${svgPaint(css("--paper")).color}"/>` +
        `<text x="4" y="18" font-size="14" font-weight="bold" font-family="sans-serif" ` +
        `fill="${svgPaint(css("--ink")).color}">${svgText(title)}</text>${parts.join("")}</svg>\n`;
}

// "who-works-when.svg"
const fileName = (title, ending) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "").slice(0, 60) + ending;

function keepFile(name, address) {
    const link = make("a", {href: address, download: name});
    document.body.append(link);
    link.click();
    link.remove();
}

function keepSvg(figureNode, title) {
    const address = URL.createObjectURL(new Blob([figureSvg(figureNode)], {type: "image/svg+xml"}));
    keepFile(fileName(title, ".svg"), address);
    setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Twice as many pixels as the page has.
function keepPng(figureNode, title) {
    const image = new Image();
    image.onload = () => {
        const canvas = make("canvas", {width: 2 * image.width, height: 2 * image.height});
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        keepFile(fileName(title, ".png"), canvas.toDataURL("image/png"));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figureSvg(figureNode))}`;
}

function keepButtons(figureNode, title) {
    const button = (name, act) => {
        const node = make("button", {type: "button", "aria-label": `${title}: save as ${name}`},
            name);
        node.addEventListener("click", () => act(figureNode, title));
        return node;
    };
    return make("span", {class: "keep"}, button("SVG", keepSvg), button("PNG", keepPng));
}

// `tensim report DIR --write=svg' opens a page with #svg and takes the figures from #figures.
function showSvgs() {
    document.querySelectorAll("details.fold").forEach(fold => {
        fold.open = true;
        fold.show();
    });
    const write = () => {
        // A chart is drawn in a frame of its own, late on a busy host.
        if (![...document.querySelectorAll("canvas")].every(canvas => Chart.getChart(canvas)))
            return setTimeout(write, 50);
        const figures = [...document.querySelectorAll("figure")].map(node => {
            const title = node.querySelector("figcaption > span").textContent;
            return {name: fileName(title, ".svg"), svg: figureSvg(node)};
        });
        document.body.replaceChildren(make("script", {type: "application/json", id: "figures"},
            JSON.stringify(figures).replaceAll("<", "\\u003c")));
    };
    setTimeout(write, 200);
}

// ---- words

// What a figure shows, in words; long lists are cut.
const inWords = {
    plot: ({series}) => series.map(({name, points}) => {
        const ys = points.map(p => p[1]).filter(Number.isFinite);
        return `${name}: ${count(points.length, "point")}` + (ys.length
            ? `, from ${figure(Math.min(...ys))} to ${figure(Math.max(...ys))}` : "");
    }),
    bars: ({rows}) => rows.map(({name, parts}) => `${name}: ` + parts.filter(p => p[1])
        .map(([what, value]) => `${what} ${figure(+value.toFixed(1))}`).join(", ")),
    waterfall: ({steps, reached}) => [...steps.map(([name, share]) =>
        `${name} ${share.toFixed(1)} %`), `reached ${reached.toFixed(1)} %`],
    columns: ({names, values}) => names.map((name, i) => `${name}: ${figure(values[i])}`),
    lanes: ({rows}) => rows.map(({name, parts}) => `${name}: ${count(parts.length, "part")}`),
    levels: ({rows}) => rows.map(({name}) => name),
    heat: ({sheets}) => sheets.map(({name}) => name),
    network: ({names, links, sheets}) => [count(names.length, "chip"),
        `${links.length} directions of links`, ...sheets.map(({name}) => name)],
    graph: ({path}) => path,
};

function figureWords(section) {
    const words = inWords[section.component](section).join("; ");
    return `${section.title}. ${words.length > 600 ? `${words.slice(0, 600)} \u2026` : words}`;
}
