// The plain lists of an OpenSM set-up, line by line.

#include <bit>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/trim.h"
#include "base/units.h"
#include "config/names_file.h"
#include "config/opensm_import.h"
#include "config/opensm_sa_dump.h"
#include "config/opensm_table.h"

namespace weft::config {
namespace {

constexpr std::string_view kSpaces = " \t\r";
/// Each costs a device that holds another one a question.
constexpr std::size_t kMostOldKeys = 16;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty();) {
    const std::size_t end = std::min(text.find_first_of(kSpaces), text.size());
    words.push_back(text.substr(0, end));
    text = trimmed(text.substr(end));
  }
  return words;
}

struct LineOutcome {
  Fate fate = Fate::dropped;
  std::string became;
};

std::string as_it_is(std::string_view line) { return std::string(line); }

/// Calls `each` for every line that says something; it answers what the line becomes. `shown`: the line
/// without what is secret.
void by_line(const OpensmFile& file, OpensmImport& import,
             const std::function<LineOutcome(std::string_view)>& each,
             const std::function<std::string(std::string_view)>& shown = as_it_is) {
  std::string_view text = file.text;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    LineOutcome outcome = each(line);
    import.lines.push_back({file.name, number, shown(line), outcome.fate, std::move(outcome.became)});
  }
}

std::string why_not_lids(std::uint64_t first, std::uint64_t last) {
  if (first == 0 || last < first || last > raw(kLidLastUnicast))
    return fmt::format("expects LIDs from 1 to {}", raw(kLidLastUnicast));
  const std::uint64_t size = last - first + 1;
  if (!std::has_single_bit(size) || size > 128) return "expects 1, 2, 4 ... 128 LIDs";
  return first % size == 0 ? std::string()
                           : fmt::format("expects {} LIDs that begin at a multiple of {}", size, size);
}

}  // namespace

/// "GUID FIRST LAST"
void import_guid2lid(const OpensmFile& file, OpensmImport& import) {
  std::map<std::uint64_t, Guid> taken;
  by_line(file, import, [&](std::string_view line) -> LineOutcome {
    const auto words = words_of(line);
    const auto guid = words.empty() ? std::nullopt : guid_from(words[0]);
    const auto first = words.size() == 3 ? opensm_number(words[1]) : std::nullopt;
    const auto last = words.size() == 3 ? opensm_number(words[2]) : std::nullopt;
    if (!guid || !first || !last) return {Fate::dropped, "expects a GUID and two LIDs"};
    if (std::string why = why_not_lids(*first, *last); !why.empty()) return {Fate::dropped, std::move(why)};
    if (import.lids.contains(*guid)) return {Fate::dropped, "this port stands here before"};
    for (std::uint64_t lid = *first; lid <= *last; ++lid)
      if (const auto owner = taken.find(lid); owner != taken.end())
        return {Fate::dropped, fmt::format("LID {} is {}'s", lid, to_string(owner->second))};
    for (std::uint64_t lid = *first; lid <= *last; ++lid) taken.emplace(lid, *guid);
    const auto lmc = static_cast<std::uint8_t>(std::countr_zero(*last - *first + 1));
    import.lids.emplace(*guid, plan::LidRange{static_cast<Lid>(*first), lmc});
    return {Fate::mapped,
            lmc == 0 ? fmt::format("LID {}", *first) : fmt::format("LIDs {} to {}", *first, *last)};
  });
}

/// "GUID M_KEY" of each port, as OpenSM has last set or met it. Devices may still hold what differs from the
/// key of the options; with a key of 0 there, OpenSM takes from them what they hold.
void import_guid2mkey(const OpensmFile& file, OpensmImport& import) {
  std::set<Guid> ports;
  std::set<std::uint64_t> known;
  if (const auto first = opensm_number(trimmed(import.m_keys.substr(0, import.m_keys.find('\n')))))
    known.insert(*first);
  const std::size_t most = known.size() + kMostOldKeys;
  const auto outcome = [&](std::string_view line) -> LineOutcome {
    const auto words = words_of(line);
    const auto guid = words.size() == 2 ? guid_from(words[0]) : std::nullopt;
    const auto key = words.size() == 2 ? opensm_number(words[1]) : std::nullopt;
    if (!guid || !key) return {Fate::dropped, "expects a GUID and a key"};
    if (!ports.insert(*guid).second) return {Fate::dropped, "this port stands here before"};
    if (*key == 0) return {Fate::default_, "the port has no M_Key"};
    if (known.contains(*key)) return {Fate::mapped, "m_keys: has it"};
    if (known.size() == most)
      return {Fate::dropped,
              fmt::format("more than {} old keys are not tried at every device", kMostOldKeys)};
    known.insert(*key);
    if (import.m_keys.empty()) import.m_keys = "none\n";
    import.m_keys += fmt::format("0x{:016x}\n", *key);
    return {Fate::mapped, "m_keys: as one that devices may hold from before"};
  };
  const auto shown = [](std::string_view line) {
    const auto words = words_of(line);
    const bool of_port = words.size() == 2 && guid_from(words[0]);
    return of_port ? fmt::format("{} ***", words[0]) : std::string("***");  // the key may stand anywhere
  };
  by_line(file, import, outcome, shown);
}

void import_sa_dump(const OpensmFile& file, OpensmImport& import) {
  SaDumpReader reader;
  by_line(
      file, import,
      [&reader](std::string_view line) -> LineOutcome {
        SaDumpReader::Line taken = reader.take(line);
        return {taken.fate, std::move(taken.became)};
      },
      shown_of_sa_dump);
  import.registrations = reader.state();
}

void import_names(const OpensmFile& file, OpensmImport& import) {
  std::map<Guid, std::string> names;
  by_line(file, import, [&](std::string_view line) -> LineOutcome {
    Report report;
    const auto read = read_names(line, report);
    if (read.size() != 1) {
      const std::string why = report.problems.empty() ? "expects a GUID and a name" : report.problems.front();
      return {Fate::dropped, why.substr(why.find("expects") == why.npos ? 0 : why.find("expects"))};
    }
    const auto& [guid, name] = *read.begin();
    if (!names.emplace(guid, name).second) return {Fate::dropped, "this node has a name before"};
    return {Fate::mapped, "names_file"};
  });
  for (const auto& [guid, name] : names) import.names += fmt::format("{} \"{}\"\n", to_string(guid), name);
}

void import_as(const OpensmFile& file, OpensmImport& import, Fate fate, std::string_view became) {
  by_line(file, import, [&](std::string_view) { return LineOutcome{fate, std::string(became)}; });
}

std::string import_guids(const OpensmFile& file, OpensmImport& import, std::string_view key) {
  std::vector<std::string> guids;
  by_line(file, import, [&](std::string_view line) -> LineOutcome {
    const auto guid = guid_from(words_of(line).front());
    if (!guid) return {Fate::dropped, "expects a GUID such as 0x0002c903000e0b72"};
    if (std::ranges::find(guids, to_string(*guid)) != guids.end())
      return {Fate::dropped, "this GUID stands here before"};
    guids.push_back(to_string(*guid));
    return {Fate::mapped, std::string(key)};
  });
  return guids.empty() ? std::string() : fmt::format("[{}]", fmt::join(guids, ", "));
}

}  // namespace weft::config
