#pragma once
// What the project forbids in its sources and a compiler does not see: an include of a folder that is not
// below, heavy third-party headers in pure folders, and phrases that have burnt us. Works on lines of text;
// no parser.

#include <string>
#include <string_view>
#include <vector>

namespace weft::layers {

struct Source {
  std::string path;  ///< From the root of the project: "mad/smp.h".
  std::string text;
};

/// One "path:line: why" for each include that the table of docs/design.md, section 3, forbids.
std::vector<std::string> forbidden_includes(const Source& source);
/// One "path:line: why" for each forbidden phrase.
std::vector<std::string> forbidden_phrases(const Source& source);

/// The folder whose rules hold for a file: its first directory.
std::string_view folder_of(std::string_view path);
/// True when the table knows the folder.
bool has_rules(std::string_view folder);

}  // namespace weft::layers
