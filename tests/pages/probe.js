// Put into a copy of a page by pages.sh: looks at it as a reader would and tells the frame around it what it saw.
(function () {
    var errors = [];
    window.addEventListener("error", function (event) { errors.push(String(event.message)); });
    console.error = function () { errors.push(Array.prototype.join.call(arguments, " ")); };
    window.addEventListener("load", function () {
        // What is folded is a part of the page.
        document.querySelectorAll("details").forEach(function (part) { part.open = true; });
        var plots = document.querySelectorAll("svg"), empty = 0, small = 0, outside = 0, least = 1e9;
        for (var i = 0; i < plots.length; i++) {
            var box = plots[i].getBoundingClientRect(), seen = 0;
            plots[i].querySelectorAll("rect,path,polyline,circle").forEach(function (shape) {
                var b = shape.getBoundingClientRect();
                seen += b.width > 0 || b.height > 0;
            });
            empty += seen === 0 || box.height < 20;
            plots[i].querySelectorAll("text").forEach(function (text) {
                var b = text.getBoundingClientRect();
                if (text.textContent === "" || b.height === 0)
                    return;
                var size = Math.min(b.height, b.width + b.height);
                least = Math.min(least, size);
                small += size < 9;
                outside += b.left < box.left - 2 || b.right > box.right + 2;
            });
        }
        var root = document.documentElement;
        parent.postMessage({
            width: window.innerWidth, scroll: root.scrollWidth, plots: plots.length, empty: empty, small: small,
            outside: outside, least: Math.round(least * 10) / 10, tables: document.querySelectorAll("table").length,
            font: parseFloat(getComputedStyle(document.body).fontSize), errors: errors
        }, "*");
    });
})();
