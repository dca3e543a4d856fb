// What a shape stands for, at the foot of the window: a phone shows no titles.
const tip = document.getElementById("tip");
for (const on of ["pointerover", "click"])
    document.addEventListener(on, event => {
        const shape = event.target.closest(":is(circle, rect, path, g):has(> title)");
        const title = shape && shape.querySelector("title");
        tip.style.display = title ? "block" : "none";
        if (title)
            tip.textContent = title.textContent;
    });

// Rows of the truth table that are searched for; their families open.
const find = document.getElementById("find"), off = document.getElementById("off");
function filter() {
    const word = find.value.toLowerCase(), all = !word && !off.checked;
    for (const family of document.querySelectorAll("details.family")) {
        let shown = 0;
        for (const row of family.querySelectorAll(".rows tr + tr")) {
            row.hidden = (off.checked && row.className != "off") || !row.textContent.toLowerCase().includes(word);
            shown += !row.hidden;
        }
        family.hidden = shown == 0;
        family.open = !all && shown > 0;
    }
}
if (find) {
    find.addEventListener("input", filter);
    off.addEventListener("change", filter);
}
