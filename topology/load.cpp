#include "topology/load.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "topology/blueprint.h"
#include "topology/ibsim_file.h"
#include "topology/json_file.h"

namespace weft::topology {
namespace {

constexpr std::array<std::string_view, 5> kSuffixes{".net", ".topo", ".lst", ".txt", ".json"};

bool looks_like_file(std::string_view name) {
  return name.find('/') != std::string_view::npos ||
         std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
}

Result<std::string> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::unavailable, "{}: {}", path, std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return fail(Errc::system, "{}: cannot be read", path);
  return text;
}

Result<Topology> load_file(const std::string& path) {
  const Result<std::string> text = contents_of(path);
  if (!text) return fail(text.error());
  return read_text(*text, path);
}

}  // namespace

Result<Topology> read_text(std::string_view text, std::string_view file_name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return read_json(text, file_name);
  return read_ibsim(text, file_name);
}

Result<Topology> load(std::string_view file_or_blueprint) {
  const std::string path(file_or_blueprint);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(Errc::unavailable, "{}: is a directory, not a file", path);
  if (looks_like_file(path) || std::filesystem::exists(path, ignored)) return load_file(path);
  Result<Topology> made = from_blueprint(path);
  if (!made)
    return fail(made.error().code, "no file \"{}\", and as a blueprint: {}", path, made.error().what);
  return made;
}

}  // namespace weft::topology
