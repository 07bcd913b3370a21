#include "tests/layers/rules.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace weft::layers {
namespace {

using Folders = std::set<std::string_view>;

/// docs/design.md, section 3. A folder may include itself beside these; those not named here have no rules.
const std::map<std::string_view, Folders>& table() {
  static const std::map<std::string_view, Folders> kTable{
      {"base", {}},
      {"log", {"base"}},
      {"mad", {"base"}},
      {"topology", {"base"}},
      {"fabric", {"base"}},
      {"transport", {"mad", "base", "log"}},
      {"etcd", {"base", "log"}},
      {"routing", {"fabric", "base"}},
      {"partitions", {"fabric", "base"}},
      {"qos", {"fabric", "base"}},
      {"discovery", {"transport", "mad", "fabric", "base", "log"}},
      {"sim", {"transport", "topology", "mad", "base"}},
      {"plan", {"routing", "partitions", "qos", "fabric", "topology", "base"}},
      {"config", {"plan", "routing", "partitions", "qos", "topology", "mad", "base"}},
      {"program", {"plan", "partitions", "transport", "mad", "fabric", "base", "log"}},
      {"sa", {"plan", "partitions", "mad", "fabric", "base"}},
      {"daemon",
       {"base", "log", "mad", "topology", "fabric", "transport", "routing", "partitions", "qos", "discovery",
        "plan", "config", "program", "sa", "etcd"}},
      {"ctl", {"config", "plan", "routing", "fabric", "topology", "base"}},
      {"web", {"base"}},
      {"demo", {"daemon", "ctl", "sim", "topology", "transport", "fabric", "config", "log", "base"}},
  };
  return kTable;
}

const Folders kPure{"base",       "mad", "topology", "fabric", "routing",
                    "partitions", "qos", "plan",     "config", "sa"};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

/// Files that may include one folder more than the rest of their own.
bool excepted(std::string_view path, std::string_view included) {
  if (path == "daemon/main.cpp") return folder_of(included) == "sim";
  // The control API is what ctl and web speak; its values stand beside the server.
  const std::string_view folder = folder_of(path);
  return (folder == "ctl" || folder == "web") && starts_with_any(included, {"daemon/api", "daemon/status.h"});
}

std::optional<std::string> why_not_third_party(std::string_view path, std::string_view header) {
  const std::string_view folder = folder_of(path);
  if (kPure.contains(folder) && starts_with_any(header, {"boost/asio", "boost/beast", "spdlog/"}))
    return fmt::format("<{}> in a pure folder", header);
  if (header.starts_with("yaml-cpp") && folder != "config" && folder != "sim")
    return fmt::format("<{}> outside config and the simulator's script reader", header);
  // The preload library stands in for libibumad: its interface is what it implements.
  if (header.starts_with("infiniband/") && folder != "transport" && !path.starts_with("sim/run/"))
    return fmt::format("<{}> outside transport", header);
  return std::nullopt;
}

std::optional<std::string> why_not_ours(std::string_view path, std::string_view included) {
  const std::string_view folder = folder_of(path);
  const std::string_view other = folder_of(included);
  if (other.empty()) return fmt::format("\"{}\" does not name its folder", included);
  if (other == folder || table().at(folder).contains(other) || excepted(path, included)) return std::nullopt;
  return fmt::format("{} may not include {} (\"{}\")", folder, other, included);
}

/// The text with the inside of comments and of strings blanked, lines kept.
std::string code_of(const std::string& text) {
  std::string code = text;
  enum class In { plain, line_comment, block_comment, string, character } in = In::plain;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    switch (in) {
      case In::plain:
        if (text[i] == '/' && next == '/') in = In::line_comment;
        if (text[i] == '/' && next == '*') in = In::block_comment;
        if (text[i] == '"') in = In::string;
        if (text[i] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))
          in = In::character;
        break;
      case In::line_comment:
        if (text[i] == '\n') in = In::plain;
        break;
      case In::block_comment:
        if (text[i] == '/' && text[i - 1] == '*') in = In::plain;
        break;
      case In::string:
      case In::character:
        if (text[i] == '\\' && next != '\n') {
          code[i++] = ' ';
        } else if (text[i] == (in == In::string ? '"' : '\'') || text[i] == '\n') {
          in = In::plain;
          continue;
        }
        break;
    }
    if (in != In::plain && i < code.size() && code[i] != '\n') code[i] = ' ';
  }
  return code;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

/// End of the parenthesis that opens at `open`, or of the text.
std::size_t closing(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '(') ++depth;
    if (code[i] == ')' && --depth == 0) return i;
  }
  return code.size();
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

bool has_rules(std::string_view folder) { return table().contains(folder); }

std::vector<std::string> forbidden_includes(const Source& source) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::vector<std::string> found;
  std::istringstream lines(source.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (!std::regex_search(line, match, kInclude)) continue;
    const std::string header = match[2];
    const auto why =
        match[1] == "\"" ? why_not_ours(source.path, header) : why_not_third_party(source.path, header);
    if (why) found.push_back(fmt::format("{}:{}: {}", source.path, number, *why));
  }
  return found;
}

std::vector<std::string> forbidden_phrases(const Source& source) {
  std::vector<std::string> found;
  // In two halves, or this file would find itself.
  for (const std::string& phrase : {std::string("TO") + "DO", std::string("FIX") + "ME"}) {
    for (std::size_t at = source.text.find(phrase); at != std::string::npos;
         at = source.text.find(phrase, at + 1))
      found.push_back(fmt::format("{}:{}: {}", source.path, line_of(source.text, at), phrase));
  }
  const std::string code = code_of(source.text);
  static const std::regex kCondition(R"(\b(if|while|switch)\s*(?:constexpr\s*)?\()");
  for (std::sregex_iterator at(code.begin(), code.end(), kCondition), end; at != end; ++at) {
    const auto open = static_cast<std::size_t>(at->position() + at->length()) - 1;
    const std::string_view condition = std::string_view(code).substr(open, closing(code, open) - open);
    if (condition.find("co_await") != std::string_view::npos)
      found.push_back(fmt::format("{}:{}: co_await in the condition of {}", source.path, line_of(code, open),
                                  (*at)[1].str()));
  }
  return found;
}

}  // namespace weft::layers
