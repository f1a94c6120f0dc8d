# libpov and libpovlink: each the library, one header, a pkg-config file; and a CMake package of both.
install(TARGETS pov_library pov_link_library EXPORT pov LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/perception/library/pov.h ${PROJECT_SOURCE_DIR}/protocol/library/povlink.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pov)
install(EXPORT pov NAMESPACE pov:: FILE pov-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pov)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pov-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pov-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pov)

# The prefix may be named only when installing, and is found from where the file lies.
file(RELATIVE_PATH prefix_from_here /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(CONFIGURE OUTPUT pov.pc CONTENT [[prefix=${pcfiledir}/@prefix_from_here@
Name: pov
Description: Scenes, spatial relations in every frame of reference, and visibility
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@/pov
Libs: -L${pcfiledir}/.. -lpov
Libs.private: -lm
]] @ONLY)
file(CONFIGURE OUTPUT povlink.pc CONTENT [[prefix=${pcfiledir}/@prefix_from_here@
Name: povlink
Description: Questions in words, recordings and running stations of pov
Version: @PROJECT_VERSION@
Requires: pov
Libs: -L${pcfiledir}/.. -lpovlink
]] @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pov.pc ${CMAKE_CURRENT_BINARY_DIR}/povlink.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
