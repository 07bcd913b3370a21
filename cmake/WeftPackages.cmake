# Third-party libraries, all from Debian (scripts/install-packages names the packages).

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(ibumad REQUIRED IMPORTED_TARGET libibumad)
pkg_check_modules(ibmad REQUIRED IMPORTED_TARGET libibmad)

# Asio compiles once, into weft_asio, instead of into every file that includes it.
add_library(weft_boost INTERFACE)
target_include_directories(weft_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(weft_boost INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
                                                BOOST_ASIO_DISABLE_BOOST_DATE_TIME)
target_link_libraries(weft_boost INTERFACE Threads::Threads)
