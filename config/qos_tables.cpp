#include "config/qos_tables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "config/field_reader.h"

namespace weft::config {
namespace {

using qos::ArbEntry;
using qos::TypedTable;
using qos::TypedTables;

constexpr std::size_t kSls = 16;
constexpr std::size_t kMostTableEntries = 64;
constexpr std::string_view kKinds[] = {"hosts", "routers", "switches"};

/// A table as far as it is given.
struct Draft {
  std::optional<std::vector<Vl>> sl2vl;
  std::optional<std::vector<ArbEntry>> high;
  std::optional<std::vector<ArbEntry>> low;
  std::optional<std::uint8_t> high_limit;
};

Type<std::vector<Vl>> lanes_type() {
  Type<std::vector<Vl>> type{"16 VLs from 0 to 15, one for each SL", {}, {}};
  type.read = [form = type.form](const Value& value, Report& report) -> std::optional<std::vector<Vl>> {
    std::vector<Vl> lanes;
    for (const Value& item : value.children) {
      const auto vl = item.kind == Value::Kind::text ? number_from(item.text) : std::nullopt;
      if (!vl || *vl > 15) {
        report.problem(item.place, fmt::format("expects a VL from 0 to 15, not {}", describe(item)));
        return std::nullopt;
      }
      lanes.push_back(static_cast<Vl>(*vl));
    }
    if (value.kind == Value::Kind::list && lanes.size() == kSls) return lanes;
    report.problem(value.place, value.kind == Value::Kind::list
                                    ? fmt::format("expects {}, not {}", form, lanes.size())
                                    : fmt::format("expects {}, not {}", form, describe(value)));
    return std::nullopt;
  };
  return type;
}

Type<std::vector<ArbEntry>> entries_type() {
  Type<std::vector<ArbEntry>> type{"a list of VL:WEIGHT such as [\"0:4\", \"1:8\"]", {}, {}};
  type.read = [form = type.form](const Value& value, Report& report) -> std::optional<std::vector<ArbEntry>> {
    std::vector<ArbEntry> entries;
    if (value.kind != Value::Kind::list) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::nullopt;
    }
    for (const Value& item : value.children) {
      const std::string_view text = item.kind == Value::Kind::text ? std::string_view(item.text) : "";
      const std::size_t colon = std::min(text.find(':'), text.size());
      const auto vl = number_from(text.substr(0, colon));
      const auto weight = number_from(text.substr(std::min(colon + 1, text.size())));
      if (!vl || *vl > 14 || !weight || *weight > 255) {
        report.problem(item.place,
                       fmt::format("expects VL:WEIGHT, 0 to 14 and 0 to 255, not {}", describe(item)));
        return std::nullopt;
      }
      entries.push_back({static_cast<Vl>(*vl), static_cast<std::uint8_t>(*weight)});
    }
    if (entries.size() <= kMostTableEntries) return entries;
    report.problem(value.place,
                   fmt::format("a table has at most {} entries, not {}", kMostTableEntries, entries.size()));
    return std::nullopt;
  };
  return type;
}

Draft read_draft(const Value& value, Report& report) {
  static const Type<std::vector<Vl>> lanes = lanes_type();
  static const Type<std::vector<ArbEntry>> entries = entries_type();
  static const Type<int> limit = number(0, 255);
  Draft draft;
  FieldReader fields("a kind of port");
  fields.field("sl2vl", lanes, draft.sl2vl)
      .field("high", entries, draft.high)
      .field("low", entries, draft.low)
      .field("high_limit", limit, draft.high_limit);
  fields.read(value, report);
  return draft;
}

/// What a kind gives itself, else what stands under `all`.
TypedTable completed(const Draft& own, const Draft& all, std::string_view kind, Place place, Report& report) {
  TypedTable table;
  const auto take = [&](std::string_view what, const auto& first, const auto& second, auto put) {
    if (!first && !second)
      return report.problem(place, fmt::format("{} lack {}; give it there, or under all", kind, what));
    put(first ? *first : *second);
  };
  take("sl2vl", own.sl2vl, all.sl2vl,
       [&table](const std::vector<Vl>& lanes) { std::ranges::copy(lanes, table.sl2vl.begin()); });
  take("high", own.high, all.high, [&table](const auto& entries) { table.arbitration.high = entries; });
  take("low", own.low, all.low, [&table](const auto& entries) { table.arbitration.low = entries; });
  table.arbitration.high_limit = own.high_limit.value_or(all.high_limit.value_or(std::uint8_t{0}));
  return table;
}

std::string entries_text(const std::vector<ArbEntry>& entries) {
  std::string text;
  for (const ArbEntry& entry : entries)
    text += fmt::format("{}\"{}:{}\"", text.empty() ? "" : ", ", raw(entry.vl), entry.weight);
  return "[" + text + "]";
}

std::string table_text(const TypedTable& table) {
  std::array<int, kSls> lanes{};
  for (std::size_t sl = 0; sl < kSls; ++sl) lanes[sl] = raw(table.sl2vl[sl]);
  return fmt::format("{{ sl2vl: [{}], high: {}, low: {}, high_limit: {} }}", fmt::join(lanes, ", "),
                     entries_text(table.arbitration.high), entries_text(table.arbitration.low),
                     table.arbitration.high_limit);
}

TypedTables read_tables(const Value& value, Report& report) {
  std::array<Draft, 3> own;
  Draft all;
  FieldReader fields("qos.tables");
  const auto kind = [&fields](std::string_view name, Draft& draft) {
    fields.raw(std::string(name), [&draft](const Value& map, Report& to) { draft = read_draft(map, to); });
  };
  kind("all", all);
  for (std::size_t i = 0; i < own.size(); ++i) kind(kKinds[i], own[i]);
  const std::size_t before = report.problem_count;
  fields.read(value, report);
  TypedTables tables;
  if (report.problem_count != before) return tables;
  TypedTable* const into[] = {&tables.hosts, &tables.routers, &tables.switches};
  for (std::size_t i = 0; i < own.size(); ++i) {
    *into[i] = completed(own[i], all, kKinds[i], value.place, report);
    if (report.problem_count != before) continue;
    for (const Vl vl : starved(*into[i]))
      report.note(value.place,
                  fmt::format("{}: SLs lead to VL {}, which has no weight in high or low: where links "
                              "have it, its packets never leave",
                              kKinds[i], raw(vl)));
  }
  return tables;
}

}  // namespace

std::vector<Vl> starved(const TypedTable& table) {
  std::array<bool, 16> weighted{};
  for (const auto* entries : {&table.arbitration.high, &table.arbitration.low})
    for (const ArbEntry& entry : *entries)
      weighted[raw(entry.vl)] = weighted[raw(entry.vl)] || entry.weight != 0;
  std::vector<Vl> lanes;
  for (const Vl vl : table.sl2vl)
    if (raw(vl) < 15 && !weighted[raw(vl)] && std::ranges::find(lanes, vl) == lanes.end())
      lanes.push_back(vl);
  return lanes;
}

Type<std::optional<TypedTables>> typed_tables() {
  using namespace json_form;
  Type<std::optional<TypedTables>> type;
  const std::string entries = list_of(std::string(kText));
  const std::string table = fields({{"sl2vl", list_of(integer(0, 15))},
                                    {"high", entries},
                                    {"low", entries},
                                    {"high_limit", integer(0, 255)}});
  type.json = any_of({fields({{"all", table}, {"hosts", table}, {"routers", table}, {"switches", table}}),
                      std::string(kNothing)});
  type.form =
      "a map such as { all: { sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], high: [], low: "
      "[\"0:4\", "
      "\"1:8\", \"2:4\", \"3:1\"] } }, or nothing";
  type.read = [](const Value& value, Report& report) -> std::optional<std::optional<TypedTables>> {
    if (value.kind == Value::Kind::null) return std::optional<TypedTables>();
    const std::size_t before = report.problem_count;
    TypedTables tables = read_tables(value, report);
    if (report.problem_count != before) return std::nullopt;
    return tables;
  };
  type.show = [](const std::optional<TypedTables>& tables) -> std::string {
    if (!tables) return {};
    if (tables->hosts == tables->routers && tables->hosts == tables->switches)
      return fmt::format("{{ all: {} }}", table_text(tables->hosts));
    return fmt::format("{{ hosts: {}, routers: {}, switches: {} }}", table_text(tables->hosts),
                       table_text(tables->routers), table_text(tables->switches));
  };
  return type;
}

}  // namespace weft::config
