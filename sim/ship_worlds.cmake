# cmake -DOUTPUT=shipped_worlds.c "-DWORLDS=a.yaml;b.yaml" -P ship_worlds.cmake: writes the files' bytes as C.
set(arrays "")
set(entries "")
list(SORT WORLDS)
foreach(world ${WORLDS})
  get_filename_component(name ${world} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${world} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const char ${identifier}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", ${identifier}, sizeof ${identifier} - 1},\n")
endforeach()
file(WRITE ${OUTPUT} "/* Written by ship_worlds.cmake. */
#include \"sim/worlds/shipped_worlds.h\"

#include <string.h>

${arrays}
static const pov_shipped_world worlds[] = {
${entries}};

const pov_shipped_world *pov_shipped_worlds(int *len)
{
    *len = sizeof worlds / sizeof *worlds;
    return worlds;
}

const pov_shipped_world *pov_shipped_world_find(const char *name)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        if (strcmp(worlds[i].name, name) == 0)
            return &worlds[i];
    return NULL;
}
")
