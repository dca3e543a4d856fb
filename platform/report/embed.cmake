# The pages' style and script as C arrays: cmake -DOUT=page_files.c -DFROM=platform/report -P embed.cmake
set(text "// Made of page.css and page.js by embed.cmake.\n#include \"platform/report/page.h\"\n")
foreach(name css js)
    file(READ ${FROM}/page.${name} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "\nconst char ts_page_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
