# How the project's targets are declared: one library per folder, named weft_<folder>.

# Pure folders must not see Asio or spdlog through any header. A folder of headers that only say #error
# stands before the system's in their include path.
set(WEFT_POISON_DIR ${CMAKE_BINARY_DIR}/poison)
function(weft_make_poison)
  file(GLOB headers RELATIVE /usr/include /usr/include/boost/asio.hpp /usr/include/boost/asio/*.hpp
       /usr/include/spdlog/*.h)
  foreach(header ${headers})
    file(WRITE ${WEFT_POISON_DIR}/${header}.new "#error \"${header} is not for the pure folders\"\n")
    file(COPY_FILE ${WEFT_POISON_DIR}/${header}.new ${WEFT_POISON_DIR}/${header} ONLY_IF_DIFFERENT)
    file(REMOVE ${WEFT_POISON_DIR}/${header}.new)
  endforeach()
endfunction()
weft_make_poison()

# weft_library(<folder> [PURE] SOURCES ... [LINK ...])
# Pure folders: values in, values out. The others share one precompiled header (cmake/shell_pch.h).
function(weft_library folder)
  cmake_parse_arguments(arg "PURE" "NAME" "SOURCES;LINK" ${ARGN})
  if(NOT arg_NAME)
    set(arg_NAME weft_${folder})
  endif()
  add_library(${arg_NAME} STATIC ${arg_SOURCES})
  target_include_directories(${arg_NAME} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PUBLIC ${arg_LINK} fmt::fmt tl::expected)
  if(arg_PURE)
    target_include_directories(${arg_NAME} BEFORE PRIVATE ${WEFT_POISON_DIR})
  else()
    weft_use_shell_pch(${arg_NAME})
  endif()
endfunction()

# The shell's heavy headers are compiled once per preset and shared.
function(weft_use_shell_pch target)
  if(NOT TARGET weft_shell_pch)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/shell_pch.cpp CONTENT "")
    add_library(weft_shell_pch OBJECT ${CMAKE_BINARY_DIR}/shell_pch.cpp)
    target_link_libraries(weft_shell_pch PUBLIC weft_boost spdlog::spdlog fmt::fmt tl::expected)
    target_precompile_headers(weft_shell_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/shell_pch.h)
  endif()
  target_link_libraries(${target} PUBLIC weft_boost spdlog::spdlog)
  # A precompiled header fits one kind of code only: programs are compiled like the libraries it was made for.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM weft_shell_pch)
endfunction()

# weft_program(<name> SOURCES ... LINK ...): an executable in bin/.
function(weft_program name)
  cmake_parse_arguments(arg "PURE" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  if(NOT arg_PURE)
    weft_use_shell_pch(${name})
  endif()
endfunction()

# weft_test(<folder> [PURE] SOURCES ... LINK ... [LABEL unit|system]): all tests of one folder in one program.
# The label `unit` marks what the sanitizer builds run.
function(weft_test folder)
  cmake_parse_arguments(arg "PURE" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(name ${folder}_test)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             WEFT_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(NOT arg_PURE)
    weft_use_shell_pch(${name})
  endif()
  if(arg_LABEL STREQUAL unit)
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)  # what the sanitizer builds need, and no more
    endif()
    add_dependencies(unit_tests ${name})
  endif()
  # One ctest entry per program: hundreds of processes would cost more than the tests.
  add_test(NAME ${folder} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${folder} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  if(NOT arg_LABEL STREQUAL unit)
    # Programs that we did not write have time-outs of their own, and lose track when the machine is busy.
    set_tests_properties(${folder} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# weft_fuzzer(<name> SOURCES ... LINK ...): a libFuzzer program fuzz_<name>, built by the preset `fuzz` only.
function(weft_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(NOT WEFT_FUZZ)
    return()
  endif()
  add_executable(fuzz_${name} ${arg_SOURCES})
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(fuzz_${name} PRIVATE ${arg_LINK})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers fuzz_${name})
endfunction()
