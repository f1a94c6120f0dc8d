# pov_embed(OUT HEADER TABLE PART FILE...): adds to the list OUT a source with the files as C arrays in the table TABLE of
# pov_embedded_file, which HEADER declares. PART: what of a file's path is its name there (get_filename_component): NAME, NAME_WE.
function(pov_embed out header table part)
  string(TOLOWER ${table} code)
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${code}.c)
  add_custom_command(OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${code} "-DFILES=${ARGN}" -DHEADER=${header} -DTABLE=${table} -DPART=${part}
      -P ${PROJECT_SOURCE_DIR}/tools/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/tools/embed.cmake VERBATIM)
  set(${out} ${${out}} ${code} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()
set(text "#include \"${HEADER}\"\n\n")
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} ${PART})
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${identifier}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", ${identifier}, sizeof ${identifier} - 1},\n")
endforeach()
string(APPEND text "\nconst pov_embedded_file ${TABLE}[] = {\n${entries}    {0, 0, 0},\n};\n")
file(WRITE ${OUTPUT} "${text}")
