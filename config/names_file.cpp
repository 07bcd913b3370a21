#include "config/names_file.h"

#include <fmt/format.h>

#include "base/units.h"
#include "config/text_check.h"
#include "config/types.h"

namespace weft::config {
namespace {

constexpr std::string_view kBlank = " \t\r";

int column_of(std::string_view line, std::string_view part) {
  return static_cast<int>(part.data() - line.data()) + 1;
}

std::string_view without_blanks_before(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlank);
  return start == text.npos ? text.substr(text.size()) : text.substr(start);
}

struct Names {
  std::map<Guid, std::string> names;
  std::map<Guid, int> lines;
  Report& report;

  void line(std::string_view line, int number) {
    const std::string_view guid_text =
        without_blanks_before(line).substr(0, without_blanks_before(line).find_first_of(" \t\r\"#"));
    std::string_view rest = without_blanks_before(line).substr(guid_text.size());
    if (guid_text.empty() && (rest.empty() || rest.starts_with('#'))) return;
    const std::optional<Guid> guid = guid_from(guid_text);
    if (!guid) {
      return report.problem(
          {number, column_of(line, guid_text)},
          fmt::format("expects a GUID such as 0x0002c903000e0b72, not {}", in_quotes(guid_text)));
    }
    rest = without_blanks_before(rest);
    const std::size_t end = rest.find('"', 1);
    const std::string_view after = end == rest.npos ? rest : without_blanks_before(rest.substr(end + 1));
    const bool closed =
        rest.starts_with('"') && end != rest.npos && (after.empty() || after.starts_with('#'));
    if (!closed || !is_name(rest.substr(1, end - 1))) {
      return report.problem({number, column_of(line, rest)},
                            fmt::format("expects a name in double quotes, not {}", in_quotes(rest)));
    }
    const auto [first, fresh] = lines.emplace(*guid, number);
    if (!fresh) {
      return report.problem(
          {number, column_of(line, guid_text)},
          fmt::format("{} stands here twice; first in line {}", to_string(*guid), first->second));
    }
    names.emplace(*guid, rest.substr(1, end - 1));
  }
};

}  // namespace

std::map<Guid, std::string> read_names(std::string_view text, Report& report) {
  const Remarks remarks = check_text(text);
  for (const Remark& remark : remarks) report.problem(remark.place, remark.text);
  Names names{{}, {}, report};
  if (!remarks.empty()) return {};
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    names.line(text.substr(0, end), number);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return std::move(names.names);
}

}  // namespace weft::config
