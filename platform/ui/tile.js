// A tile as its block diagram, and who waits for whom in it as arrows. Boxes stay, what is in them changes: what moved
// since the state before is marked.

// The vendor's names (tt-llk), as hang reports have them.
const semaphoreNames = ["FPU_SFPU", "MATH_PACK", "UNPACK_TO_DEST", "UNPACK_OPERAND_SYNC", "PACK_DONE", "UNPACK_SYNC",
    "UNPACK_MATH_DONE", "MATH_DONE"];

const hex = value => `0x${value.toString(16)}`;
const bar = (value, most) => make("i", {class: "bar", style: `--fill:${most ? Math.min(100, 100 * value / most) : 0}%`});
// "SEMWAIT ..." with its name first.
const wordParts = text => {
    const [name, ...rest] = text.split(" ");
    return [make("b", {class: "op"}, name), rest.length ? ` ${rest.join(" ")}` : null];
};

class Tile {
    // ask: {core(name), semaphore(index), unit(name), word(address), tile(name)} are called by clicks.
    constructor(box, ask) {
        this.box = box;
        this.ask = ask;
        this.parts = new Map(); // by the names that the explanation of a hang has
        this.texts = new Map(); // of the state before
        this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        this.lines.setAttribute("class", "waits");
        this.lines.setAttribute("aria-hidden", "true");
        this.grid = make("div", {class: "blocks"});
        box.replaceChildren(this.grid, this.lines);
        new ResizeObserver(() => this.drawWaits()).observe(box);
    }

    // A box of the diagram; made once. kind: a class; act: a click does that.
    part(name, kind, to, act) {
        let part = this.parts.get(name);
        if (!part) {
            part = make(act ? "button" : "div", {class: `part ${kind}`, type: act ? "button" : undefined, "data-part": name});
            if (act)
                part.addEventListener("click", act);
            this.parts.set(name, part);
            to.append(part);
        }
        return part;
    }

    group(name, title) {
        let group = this.parts.get(`group ${name}`);
        if (!group) {
            group = make("div", {class: `group ${name}`}, title ? make("h3", {}, title) : null);
            this.parts.set(`group ${name}`, group);
            this.grid.append(group);
        }
        return group;
    }

    fill(part, ...children) {
        part.replaceChildren(...children.filter(child => child !== null && child !== undefined));
        const text = part.textContent, before = this.texts.get(part);
        part.classList.toggle("moved", before !== undefined && before !== text);
        this.texts.set(part, text);
    }

    show(tile, waits, chosen) {
        const named = new Map((waits?.nodes ?? []).map(node => [node.name, node]));
        this.waits = waits;
        this.name = tile.name;
        const group = {brisc: "data", ncrisc: "data", trisc0: "th0", trisc1: "th1", trisc2: "th2"};
        this.group("data", "data movement");
        [0, 1, 2].forEach(i => this.group(`th${i}`, ["thread 0: unpack", "thread 1: math", "thread 2: pack"][i]));
        for (const core of tile.cores)
            this.core(core, this.group(group[core.name] ?? "data"), named.get(core.name), core.name === chosen);
        tile.threads.forEach((thread, i) => this.thread(thread, this.group(`th${i}`), named.get(thread.name)));
        this.dataPath(tile, named);
        this.sync(tile);
        this.memory(tile);
        this.others(waits?.nodes ?? []);
        this.drawWaits();
    }

    core(core, to, node, chosen) {
        const part = this.part(core.name, "core", to, () => this.ask.core(core.name));
        const waits = node && (node.state === "waits" || node.state === "polls");
        part.classList.toggle("stuck", !!waits);
        part.classList.toggle("off", core.ended);
        part.setAttribute("aria-pressed", chosen);
        part.title = node?.text ?? "";
        this.fill(part, make("b", {}, core.name), make("span", {class: "pc"}, core.doing === "in reset" ? "" : hex(core.pc)),
            make("span", {class: "does"}, waits ? `${node.state === "polls" ? "polls" : "waits for"} ${node.object || "itself"}` : core.doing),
            core.line ? make("span", {class: "line"}, core.line) : null);
    }

    thread(thread, to, node) {
        const part = this.part(thread.name, "front", to);
        const waits = node && (node.state === "waits" || node.state === "polls");
        part.classList.toggle("stuck", !!waits);
        part.classList.toggle("off", !thread.word && !thread.fifo && !thread.gate);
        part.title = node?.text ?? thread.word;
        const fifo = (name, value, most) => make("span", {class: "fifo", title: `${value} of ${most} words`}, name, bar(value, most),
            String(value));
        this.fill(part, make("b", {}, thread.name),
            make("span", {class: "fifos"}, fifo("FIFO", thread.fifo, 32), fifo("replay", thread.replay, 8)),
            make("span", {class: "gate"}, ...(thread.word ? wordParts(thread.word) : ["gate empty"])),
            thread.reason ? make("span", {class: "does"}, `${thread.reason}${thread.object ? `: ${thread.object}` : ""}`) : null,
            thread.mop || thread.replays ? make("span", {class: "does"}, thread.mop ? "in a MOP" : "replays") : null);
    }

    unit(unit, to, node) {
        const part = this.part(unit.name, "unit", to, () => this.ask.unit(unit.name));
        const waits = node?.state === "waits";
        part.classList.toggle("stuck", waits);
        part.classList.toggle("busy", unit.busy);
        part.classList.toggle("off", !unit.words);
        part.title = [unit.word, node?.text, unit.at !== undefined ? `since cycle ${unit.at}` : "", "click: step until it takes a word"]
            .filter(Boolean).join("; ");
        this.fill(part, make("b", {}, unit.name), make("small", {}, figure(unit.words)),
            unit.word ? make("span", {class: "gate"}, make("em", {}, `T${unit.thread} `), ...wordParts(unit.word)) : null);
    }

    // UNPACK0, UNPACK1 -> SrcA, SrcB -> MATRIX, VECTOR -> Dst -> PACK
    dataPath(tile, named) {
        const path = this.group("path", "data path"), rest = this.group("rest", "control");
        const unit = (name, to) => {
            const found = tile.units.find(one => one.name === name);
            if (found)
                this.unit(found, to, named.get(name));
        };
        const column = name => {
            let node = this.parts.get(`column ${name}`);
            if (!node) {
                node = make("div", {class: `column ${name}`});
                this.parts.set(`column ${name}`, node);
                path.append(node);
            }
            return node;
        };
        ["UNPACK0", "UNPACK1"].forEach(name => unit(name, column("unpack")));
        tile.src.forEach(file => {
            file.banks.forEach((owner, i) => {
                const part = this.part(`${file.name}[${i}]`, "bank", column("src"));
                part.classList.toggle("full", owner === "MATRIX");
                part.title = `bank ${i} of ${file.name} is with ${owner === "MATRIX" ? "the matrix unit" : "the unpacker"}`;
                const next = [file.unpacker === i ? "U" : "", file.matrix === i ? "M" : ""].filter(Boolean).join(" ");
                this.fill(part, make("b", {}, `${file.name === "srca" ? "SrcA" : "SrcB"}[${i}]`),
                    make("span", {}, owner === "MATRIX" ? "math has it" : "unpacker has it"),
                    next ? make("small", {title: "U: the unpacker fills it next, M: math reads it next"}, `next: ${next}`) : null);
            });
        });
        ["MATRIX", "VECTOR"].forEach(name => unit(name, column("math")));
        const dst = this.part("dst", "dst", column("dst"));
        dst.title = "rows of Dst that hold something, by 64";
        this.fill(dst, make("b", {}, "Dst"), make("span", {class: "rows"}, ...tile.dst.map(rows => bar(rows, 64))));
        unit("PACK", column("dst"));
        ["SYNC", "SCALAR", "CFG", "MOVER"].forEach(name => unit(name, rest));
    }

    sync(tile) {
        const to = this.group("sync", "semaphores"), mutexes = this.group("mutexes", "mutexes");
        tile.semaphores.forEach(([value, max, posts, gets], i) => {
            const part = this.part(`semaphore ${i}`, "semaphore", to, () => this.ask.semaphore(i));
            part.classList.toggle("off", !posts && !gets && !value && !max);
            part.title = `semaphore ${i} (${semaphoreNames[i]}): ${value}, at most ${max}; ${posts} posts, ${gets} gets. Click: back to its last post`;
            this.fill(part, make("b", {}, `${i}`), make("span", {}, `${value} / ${max}`), bar(value, max),
                make("small", {}, semaphoreNames[i].toLowerCase().replaceAll("_", " ")));
        });
        for (const [i, holder] of tile.mutexes) {
            const part = this.part(`mutex[${i}]`, "mutex", mutexes);
            part.classList.toggle("off", holder < 0);
            this.fill(part, make("b", {}, `${i}`), make("span", {}, holder < 0 ? "free" : `T${holder}`));
        }
    }

    memory(tile) {
        const to = this.group("store", "L1 and mailboxes");
        for (const buffer of tile.buffers) {
            const part = this.part(`buffer ${buffer.name}`, "buffer", to);
            part.title = `${buffer.fill} of ${buffer.pages} pages of the circular buffer ${buffer.name}`;
            this.fill(part, make("b", {}, buffer.name), make("span", {}, `${buffer.fill} / ${buffer.pages}`), bar(buffer.fill, buffer.pages));
        }
        for (const [name, value, address] of tile.words) {
            const part = this.part(name, "word", to, () => this.ask.word(address));
            part.title = `${name}, at ${hex(address)}. Click: back to its last write`;
            this.fill(part, make("b", {}, name.replace("semaphore ", "")), make("span", {}, figure(value)));
        }
        const mail = this.part("mail", "mail", to);
        mail.classList.toggle("off", !tile.mail.length);
        this.fill(mail, make("b", {}, "mailboxes"), ...(tile.mail.length
            ? tile.mail.map(([from, dest, words]) => make("span", {}, `${from} \u2192 ${dest}: ${words}`))
            : [make("span", {}, "empty")]));
    }

    // Who would have to act in another tile.
    others(nodes) {
        const names = new Set(nodes.filter(node => this.away(node)).map(node => node.holder));
        const to = names.size || this.parts.has("group others") ? this.group("others", "other tiles") : null;
        for (const [name, part] of this.parts)
            if (part.classList.contains("other") && !names.has(name)) {
                part.remove();
                this.parts.delete(name);
            }
        for (const name of names)
            this.fill(this.part(name, "other", to, () => this.ask.tile(name.split(" of ")[1])), make("b", {}, name));
        if (to)
            to.hidden = names.size === 0;
    }

    away(node) {
        return node.holder?.includes(" of ") && node.holder.split(" of ")[1] !== this.name;
    }

    // The box of what a node waits for: "semaphore 1", "mutex[2]", "srca[0]", "buffer c_0", "t0.fifo", "unpack0".
    objectPart(object) {
        const known = this.parts.get(object) ?? this.parts.get(object.toUpperCase());
        if (known)
            return known;
        const fifo = object.match(/^t(\d)\./);
        return fifo ? this.parts.get(`T${fifo[1]}`) : /mail/.test(object) ? this.parts.get("mail") : undefined;
    }

    drawWaits() {
        const frame = this.box.getBoundingClientRect(), svg = this.lines;
        svg.replaceChildren();
        svg.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
        for (const part of this.parts.values())
            part.classList.remove("wanted");
        const {nodes = [], path = [], kind} = this.waits ?? {};
        const element = (name, attributes) => {
            const node = document.createElementNS("http://www.w3.org/2000/svg", name);
            Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
            return svg.appendChild(node);
        };
        const place = part => {
            const r = part.getBoundingClientRect();
            return {x: r.left - frame.left, y: r.top - frame.top, w: r.width, h: r.height};
        };
        // From the side of one box to the side of the other, in a curve.
        const arrow = (from, to, style) => {
            const a = place(from), b = place(to);
            const down = b.y > a.y + a.h, up = b.y + b.h < a.y;
            let x1, y1, x2, y2, c;
            if (down || up) {
                const aside = down ? 10 : -10; // not over those that come back
                [x1, x2] = [a.x + a.w / 2 + aside, b.x + b.w / 2 + aside];
                [y1, y2] = down ? [a.y + a.h, b.y] : [a.y, b.y + b.h];
                const bend = Math.max(24, Math.abs(y2 - y1) / 2) * (down ? 1 : -1);
                c = `${x1} ${y1 + bend} ${x2} ${y2 - bend}`;
            } else {
                const right = b.x > a.x;
                [x1, x2] = right ? [a.x + a.w, b.x] : [a.x, b.x + b.w];
                [y1, y2] = [a.y + a.h / 2 + (right ? -6 : 6), b.y + b.h / 2 + (right ? -6 : 6)];
                const bend = Math.max(24, Math.abs(x2 - x1) / 2) * (right ? 1 : -1);
                c = `${x1 + bend} ${y1} ${x2 - bend} ${y2}`;
            }
            element("path", {d: `M${x1} ${y1}C${c} ${x2} ${y2}`, class: style});
            const [px, py] = c.split(" ").slice(2).map(Number), angle = Math.atan2(y2 - py, x2 - px);
            const tip = turn => `${x2 - 9 * Math.cos(angle + turn)} ${y2 - 9 * Math.sin(angle + turn)}`;
            element("path", {d: `M${tip(.45)}L${x2} ${y2}L${tip(-.45)}Z`, class: `${style} tip`});
        };
        for (const node of nodes) {
            if (node.state !== "waits" && node.state !== "polls")
                continue;
            const from = this.parts.get(node.name), object = node.object && this.objectPart(node.object);
            const holder = this.away(node) ? this.parts.get(node.holder)
                : node.to && node.to !== node.name ? this.parts.get(node.to) : undefined;
            const style = path.includes(node.name) ? (kind === "cycle" ? "cycle" : "chain") : "other";
            if (from && object && object !== from) {
                arrow(from, object, style);
                object.classList.add("wanted");
                if (holder && holder !== object)
                    arrow(object, holder, `${style} held`);
            } else if (from && holder) {
                arrow(from, holder, style);
            }
        }
    }
}
