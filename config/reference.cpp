#include "config/reference.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "config/schema.h"

namespace weft::config {
namespace {

constexpr std::size_t kWidth = 118;

constexpr std::string_view kRules =
    "A key that is left out has its default, and so has every key of an empty file. Unknown keys, wrong "
    "types and values "
    "out of range are errors, which name the file, the line and the key that was probably meant. A reload "
    "(SIGHUP) takes "
    "all of the file or nothing; keys that need a restart must not change then.";
constexpr std::string_view kUnits =
    "Durations are 5us, 200ms, 10s, 2min, 1h, 1d; sizes 500KB (1000) or 16MiB (1024). Times on the wire are "
    "rounded up to "
    "the next 4.096us * 2^n, so 1s stands for 1.073741824s, which is n = 18 where OpenSM counts in n. GUIDs "
    "are "
    "0x0002c903000e0b72 or 0002:c903:000e:0b72. A text with '::' or '#' must be in quotes.";

constexpr std::string_view kMarkdownHead =
    "# Configuration\n\n"
    "One YAML file, `/etc/weft/weft.yaml`, controls weftd; `weftd --config FILE` names another. This page is "
    "written from "
    "the schema that reads the file (`config/schema.cpp`), and so are `etc/weft.yaml`, the manual page "
    "weft.yaml(5) and "
    "the JSON schema.";
constexpr std::string_view kMarkdownTools =
    "`weftd --check-config` tells all that is wrong with the file; `weftctl config show` what is in force, "
    "and where each "
    "value comes from. `weftctl config schema` prints the JSON schema that editors check and complete with: "
    "those with "
    "yaml-language-server (the YAML support of VS Code, Neovim, Emacs and others) find it by the first line "
    "of `etc/weft.yaml`.";

constexpr std::string_view kManualHead = R"(.TH WEFT.YAML 5 "" "weft" "File formats"
.SH NAME
weft.yaml \- configuration of the InfiniBand subnet manager weftd
.SH DESCRIPTION
.B /etc/weft/weft.yaml
controls
.BR weftd (8).
)";
constexpr std::string_view kManualTail = R"(.SH FILES
.TP
.I /etc/weft/weft.yaml
The configuration.
.TP
.I /usr/share/weft/weft.schema.json
The same as a JSON schema, for editors.
.SH SEE ALSO
.BR weftd (8),
.BR weftctl (1)
)";

/// Words broken into lines.
std::string filled(std::string_view words) {
  std::string text;
  std::size_t width = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const bool breaks = width > 0 && width + 1 + end > kWidth;
    if (width > 0) text += breaks ? '\n' : ' ';
    width = (breaks || width == 0 ? 0 : width + 1) + end;
    text += words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text + "\n";
}

std::string roff(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '\\')
      text += "\\e";
    else if (c == '-')
      text += "\\-";
    else
      text += c;
  }
  if (text.starts_with('.') || text.starts_with('\'')) text.insert(0, "\\&");
  return text;
}

/// Texts as they stand in Markdown: no pair of < or * means anything else.
std::string plain(std::string_view words) {
  std::string text;
  bool code = false;
  for (const char c : words) {
    code = code != (c == '`');
    if (!code && (c == '*' || c == '<' || c == '_' || c == '[')) text += '\\';
    text += c;
  }
  return text;
}

/// The top section of a key, or of a key that stands alone its own name.
std::string_view top_of(std::string_view path) { return path.substr(0, path.find('.')); }

const Section* section_named(std::string_view path) {
  for (const Section& section : sections())
    if (section.path == path) return &section;
  return nullptr;
}

/// Calls `open` with the help of every section that a key begins, or with nothing for a top one that is none.
template <typename Open, typename Each>
void walk(Open open, Each each) {
  std::string_view last;
  for (const Key& key : schema()) {
    const std::string_view top = top_of(key.path);
    if (top != top_of(last)) {
      const Section* section = section_named(top);
      open(top, section == nullptr ? std::string_view() : section->help);
    }
    each(key);
    last = key.path;
  }
}

std::string facts(const Key& key, std::string_view quote) {
  std::string text = key.default_text.empty() ? "Default: nothing."
                                              : fmt::format("Default: {0}{1}{0}.", quote, key.default_text);
  if (key.applies == Applies::restart) text += " A change needs a restart.";
  if (!key.opensm.empty()) text += fmt::format(" OpenSM: {0}{1}{0}.", quote, key.opensm);
  return text;
}

}  // namespace

std::string reference_markdown() {
  std::string text(filled(kMarkdownHead));
  text.replace(text.find("\n\nOne"), 2, "\n\n");
  for (const std::string_view part : {kMarkdownTools, kRules, kUnits}) text += "\n" + filled(part);
  walk(
      [&text](std::string_view top, std::string_view help) {
        fmt::format_to(std::back_inserter(text), "\n## {}\n", top);
        if (!help.empty()) text += "\n" + filled(plain(help));
      },
      [&text](const Key& key) {
        fmt::format_to(
            std::back_inserter(text), "\n**`{}`**: {}", key.path,
            filled(fmt::format("{} Takes {}. {}", plain(key.help), plain(key.form), facts(key, "`"))));
      });
  return text;
}

std::string reference_manual() {
  std::string text(kManualHead);
  for (const std::string_view part : {kRules, kUnits}) text += ".PP\n" + filled(roff(part));
  walk(
      [&text](std::string_view top, std::string_view help) {
        std::string title(top);
        for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        fmt::format_to(std::back_inserter(text), ".SH {}\n", title);
        if (!help.empty()) text += filled(roff(help));
      },
      [&text](const Key& key) {
        fmt::format_to(std::back_inserter(text), ".TP\n.B {}\n{}", key.path,
                       filled(roff(fmt::format("{} Takes {}. {}", key.help, key.form, facts(key, "")))));
      });
  return text + std::string(kManualTail);
}

}  // namespace weft::config
