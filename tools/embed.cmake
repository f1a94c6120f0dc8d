# Writes OUTPUT: the files of FILES as C arrays in the table TABLE, whose type is TYPE {name, bytes, len}; a zero that len does not
# count ends each array. HEADER declares both.
set(text "#include \"${HEADER}\"\n\n")
set(table "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${identifier}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", ${identifier}, sizeof ${identifier} - 1},\n")
endforeach()
string(APPEND text "\nconst ${TYPE} ${TABLE}[] = {\n${table}    {0, 0, 0},\n};\n")
file(WRITE ${OUTPUT} "${text}")
