# libpov: the library, its headers, a pkg-config file, a CMake package.
install(TARGETS pov_library EXPORT pov LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/perception/library/pov.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pov)
install(FILES ${PROJECT_SOURCE_DIR}/perception/status.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pov/perception)
install(FILES ${PROJECT_SOURCE_DIR}/perception/image/image.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pov/perception/image)
foreach(folder geometry scene relations visibility)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/perception/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pov/perception
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE PATTERN "embree_parts.h" EXCLUDE)
endforeach()
install(EXPORT pov NAMESPACE pov:: FILE pov-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pov)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pov-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pov-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pov)

# The prefix may be named only when installing, and is found from where the file lies.
file(RELATIVE_PATH prefix_from_here /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(CONFIGURE OUTPUT pov.pc CONTENT [[prefix=${pcfiledir}/@prefix_from_here@
Name: pov
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@/pov
Libs: -L${pcfiledir}/.. -lpov -lm
]] @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pov.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
