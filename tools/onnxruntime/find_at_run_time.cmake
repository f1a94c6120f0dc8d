# Where programs find libonnxruntime when they load it: under the name that the library gives itself, in the folder that it was found in.
pov_find_soname(POV_ONNXRUNTIME_SONAME ${ONNXRUNTIME_LIBRARY})
get_filename_component(folder ${ONNXRUNTIME_LIBRARY} DIRECTORY)
if(NOT folder MATCHES "^/(usr/)?lib(64|/[^/]*-linux-gnu)?$")
  list(APPEND CMAKE_BUILD_RPATH ${folder})
endif()
# What ./dev onnxruntime fetched is installed beside the program, but goes into no package; a release that was unpacked stays where it is.
if(folder STREQUAL "${fetched}/lib")
  set(CMAKE_INSTALL_RPATH $ORIGIN/../lib/pov)
  install(FILES ${fetched}/lib/libonnxruntime.so.1 ${fetched}/LICENSE.library.json DESTINATION lib/pov COMPONENT onnxruntime)
elseif(CMAKE_BUILD_RPATH)
  set(CMAKE_INSTALL_RPATH ${folder})
endif()
