include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/carom)

install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(TARGETS carom_shared EXPORT carom LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS carom_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET carom_tool)
  install(TARGETS carom_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# find_package(carom) gives carom::carom, the shared library.
install(EXPORT carom NAMESPACE carom:: FILE caromConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caromConfigVersion.cmake DESTINATION ${package_folder})

# carom.pc finds its prefix from its own place, so an installed tree may be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(cmake/carom.pc.in ${PROJECT_BINARY_DIR}/carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES docs/carom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES scripts/completion/carom.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME carom)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/carom FILES_MATCHING PATTERN *.yaml)
