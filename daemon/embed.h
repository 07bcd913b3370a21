#pragma once
// A file as bytes of the program, taken in by the assembler: compilers need not take texts of any length.
//
//   WEFT_EMBED(page, WEFT_WEB_DIR "/index.html");    at file scope: weft_page and weft_page_end, of type
//   const char[]
//
// CMake must know that the source depends on the file (OBJECT_DEPENDS).

#define WEFT_EMBED(symbol, path)                                               \
  asm(".pushsection .rodata\n"                                                 \
      ".globl weft_" #symbol "\n.hidden weft_" #symbol                         \
      "\n"                                                                     \
      "weft_" #symbol ":\n.incbin \"" path                                     \
      "\"\n"                                                                   \
      ".globl weft_" #symbol "_end\n.hidden weft_" #symbol                     \
      "_end\n"                                                                 \
      "weft_" #symbol "_end:\n.byte 0\n.popsection\n");                        \
  extern "C" __attribute__((visibility("hidden"))) const char weft_##symbol[]; \
  extern "C" __attribute__((visibility("hidden"))) const char weft_##symbol##_end[]
