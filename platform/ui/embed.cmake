# The page as a C array: cmake -DOUT=ui_page.c -DFROM=platform/ui -DREPORT=platform/report -P embed.cmake
# One style, one script: what the pages of reports draw is drawn by their files here, too.
file(READ ${FROM}/page.html page)
set(STYLE ${REPORT}/page.css ${FROM}/live.css)
set(SCRIPT ${REPORT}/base.js ${REPORT}/choice.js ${REPORT}/graph.js ${REPORT}/heat.js ${REPORT}/views/chip.js ${REPORT}/views/hang.js
    ${FROM}/tile.js ${FROM}/code.js ${FROM}/home.js ${FROM}/page.js ${FROM}/live.js)
foreach(name STYLE SCRIPT)
    set(all "")
    foreach(path ${${name}})
        file(READ ${path} text)
        string(APPEND all "${text}")
    endforeach()
    string(REPLACE "@${name}@" "${all}" page "${page}")
endforeach()
file(WRITE ${OUT}.html "${page}")
file(READ ${OUT}.html bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "// Made of page.html, *.css and *.js by embed.cmake.\n#include \"platform/ui/ui.h\"\n\nconst char ts_ui_page[] = {${bytes}0};\n")
