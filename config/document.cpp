#include "config/document.h"

#include <string_view>

#include <fmt/format.h>

#include "config/schema.h"

namespace weft::config {
namespace {

constexpr std::size_t kWidth = 118;

constexpr std::string_view kHead =
    R"(# yaml-language-server: $schema=/usr/share/weft/weft.schema.json
# The configuration of weftd: every key, at its default. A key that is left out has its default, and so has every key
# of an empty file. Unknown keys, wrong types and values out of range are errors; `weftd --check-config` tells them all,
# and `weftctl config show` what is in force and where it comes from. SIGHUP (systemctl reload weftd) reads the file
# again, all or nothing; keys marked [restart] must not change then.
#
# Durations are 5us, 200ms, 10s, 2min, 1h, 1d; sizes 500KB (1000) or 16MiB (1024). Times on the wire are rounded up to
# the next 4.096us * 2^n, so 1s stands for 1.073741824s, which is n = 18 where OpenSM counts in n. GUIDs are
# 0x0002c903000e0b72 or 0002:c903:000e:0b72. A text with '::' or '#' must be in quotes.
)";

int depth_of(std::string_view path) {
  int depth = 0;
  for (const char c : path) depth += c == '.';
  return depth;
}

/// Comment lines, broken between words.
void add_comment(std::string& text, int depth, std::string_view words) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  std::string line = indent + "#";
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (line.size() + 1 + end > kWidth) {
      text += line + "\n";
      line = indent + "#";
    }
    line += ' ';
    line += words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  text += line + "\n";
}

void add_name(std::string& text, int depth, std::string_view path, std::string_view value) {
  text += fmt::format("{:{}}{}:{}{}\n", "", depth * 2, leaf(path), value.empty() ? "" : " ", value);
}

/// The sections that `path` begins and the last key was not in.
void open_sections(std::string& text, std::string_view path, std::string_view last) {
  for (const Section& section : sections()) {
    const std::string prefix = fmt::format("{}.", section.path);
    if (!path.starts_with(prefix) || last.starts_with(prefix)) continue;
    const int depth = depth_of(section.path);
    if (depth == 0) text += '\n';
    add_comment(text, depth, section.help);
    add_name(text, depth, section.path, "");
  }
}

}  // namespace

std::string documented_file() {
  std::string text(kHead);
  std::string_view last;
  for (const Key& key : schema()) {
    open_sections(text, key.path, last);
    const int depth = depth_of(key.path);
    if (depth == 0) text += '\n';
    add_comment(text, depth,
                fmt::format("{} Takes {}.{}", key.help, key.form,
                            key.applies == Applies::restart ? " [restart]" : ""));
    add_name(text, depth, key.path, key.default_text);
    last = key.path;
  }
  return text;
}

}  // namespace weft::config
