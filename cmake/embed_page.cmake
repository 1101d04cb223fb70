# Writes OUT, a C file with PAGE as a byte array: cmake -DPAGE=... -DOUT=... -P embed_page.cmake
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Made from the built page of viewer/ by cmake/embed_page.cmake.\n#include \"report/page.h\"\n\n"
  "const unsigned char report_page_text[] = {\n${bytes}0};\nconst size_t report_page_length = sizeof report_page_text - 1;\n")
