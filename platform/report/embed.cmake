# Style and script of the pages as C arrays: cmake -DOUT=page_files.c -DFROM=platform/report -DCHART=chart.min.js -P embed.cmake
# One script: Chart.js, then the components.
file(WRITE ${OUT} "// Made of page.css, *.js and Chart.js by embed.cmake.\n#include \"platform/report/page.h\"\n")
function(embed name)
    set(all "")
    foreach(path ${ARGN})
        file(READ ${path} bytes HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND all "${bytes}'\\n',\n")
    endforeach()
    file(APPEND ${OUT} "\nconst char ts_page_${name}[] = {${all}0};\n")
endfunction()
embed(css ${FROM}/page.css)
embed(js ${CHART} ${FROM}/page.js ${FROM}/charts.js ${FROM}/graph.js ${FROM}/heat.js)
