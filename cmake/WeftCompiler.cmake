# Compiler settings that hold for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Dev: quick to build, quick enough to run the whole suite, assertions on.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
set(CMAKE_C_FLAGS_DEV "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(WEFT_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, comma separated")
option(WEFT_FUZZ "Build the libFuzzer targets, too" OFF)
option(WEFT_WERROR "Warnings are errors" ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(WEFT_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside inlined standard and coroutine code that is right.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-mismatched-new-delete -Wno-dangling-pointer
                      -Wno-missing-field-initializers)
  if(CMAKE_UNITY_BUILD)
    add_compile_options(-Wno-subobject-linkage)  # coroutines of an anonymous namespace, in a file that is included
  endif()
else()
  add_compile_options(-Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
endif()

if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()

if(WEFT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # what libFuzzer learns from
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers need these two, or ccache would refuse every file that uses one.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
