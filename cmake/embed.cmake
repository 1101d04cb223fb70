# Writes OUT, a C file with every model of FOLDER and the files that models read as byte arrays:
# cmake -DFOLDER=... -DOUT=... -P embed.cmake
set(arrays "")
set(i 0)

# Adds the array of a file, and its entry under a name to a list.
function(embed file name list)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  set(arrays "${arrays}static const unsigned char text${i}[] = {\n${bytes}0};\n" PARENT_SCOPE)
  set(${list} "${${list}}    {\"${name}\", text${i}, sizeof text${i} - 1},\n" PARENT_SCOPE)
  math(EXPR i "${i} + 1")
  set(i ${i} PARENT_SCOPE)
endfunction()

set(models "")
file(GLOB files ${FOLDER}/*.yaml)
list(SORT files)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WLE)
  embed(${file} ${name} models)
endforeach()

set(parts "")
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.csv ${FOLDER}/parts/*)
list(SORT files)
foreach(file ${files})
  embed(${FOLDER}/${file} ${file} parts)
endforeach()

file(WRITE ${OUT} "// Made from models/ by cmake/embed.cmake.\n#include \"examples.h\"\n\n${arrays}\n"
  "const example examples[] = {\n${models}    {0, 0, 0},\n};\n\n"
  "const example example_parts[] = {\n${parts}    {0, 0, 0},\n};\n")
