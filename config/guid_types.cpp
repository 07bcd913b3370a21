// The types of values about GUIDs: lists of them, and maps with GUIDs as keys.

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "base/words.h"
#include "config/once.h"
#include "config/types.h"

namespace weft::config {
namespace {

std::string wrong_guid(const Value& value) {
  return fmt::format("expects a GUID such as 0x0002c903000e0b72, not {}", describe(value));
}

/// Goes through a map whose keys are GUIDs; `each` reads the value and gets every GUID once.
template <typename Each>
bool read_guids(const Value& value, std::string_view form, Report& report, Each each) {
  if (value.kind == Value::Kind::null) return true;
  if (value.kind != Value::Kind::map) {
    report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
    return false;
  }
  const std::size_t before = report.problem_count;
  Once once;
  for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
    const Value& key = value.children[i];
    const std::optional<Guid> guid =
        key.kind == Value::Kind::text ? guid_from(key.text) : std::optional<Guid>();
    if (!guid) {
      report.problem(key.place, wrong_guid(key));
      continue;
    }
    if (once.take(to_string(*guid), key.place, report, to_string(*guid))) each(*guid, value.children[i + 1]);
  }
  return report.problem_count == before;
}

template <typename Map, typename Show>
std::string flow_map(const Map& map, Show show) {
  std::string text = "{";
  for (const auto& [guid, value] : map) {
    fmt::format_to(std::back_inserter(text), "{}{}: {}", text.size() > 1 ? ", " : "", to_string(guid),
                   show(value));
  }
  return text + "}";
}

}  // namespace

Type<std::map<Guid, Lid>> guid_lids() {
  Type<std::map<Guid, Lid>> type;
  type.form = "a map of port GUIDs to LIDs";
  type.json = json_form::any_of({json_form::map_of(json_form::integer(raw(kLidFirst), raw(kLidLastUnicast))),
                                 std::string(json_form::kNothing)});
  type.read = [form = type.form](const Value& value, Report& report) {
    const Type<int> lid_type = number(raw(kLidFirst), raw(kLidLastUnicast));
    std::map<Guid, Lid> lids;
    std::unordered_map<int, Guid> owners;
    const bool good = read_guids(value, form, report, [&](Guid guid, const Value& item) {
      const std::optional<int> lid = lid_type.read(item, report);
      if (!lid) return;
      const auto [owner, fresh] = owners.emplace(*lid, guid);
      if (!fresh) {
        report.problem(item.place,
                       fmt::format("LID {} is already given to {}", *lid, to_string(owner->second)));
      }
      lids.emplace(guid, static_cast<Lid>(*lid));
    });
    return good ? std::optional(std::move(lids)) : std::nullopt;
  };
  type.show = [](const std::map<Guid, Lid>& lids) {
    return flow_map(lids, [](Lid lid) { return to_string(lid); });
  };
  return type;
}

Type<std::map<Guid, std::string>> guid_names() {
  Type<std::map<Guid, std::string>> type;
  type.form = "a map of node GUIDs to names";
  type.json =
      json_form::any_of({json_form::map_of(std::string(json_form::kText)), std::string(json_form::kNothing)});
  type.read = [form = type.form](const Value& value, Report& report) {
    std::map<Guid, std::string> names;
    const bool good = read_guids(value, form, report, [&](Guid guid, const Value& item) {
      if (item.kind == Value::Kind::text && is_name(item.text)) {
        names.emplace_hint(names.end(), guid, item.text);
      } else {
        report.problem(item.place, fmt::format("expects a name of 1 to 255 bytes, not {}", describe(item)));
      }
    });
    return good ? std::optional(std::move(names)) : std::nullopt;
  };
  type.show = [](const std::map<Guid, std::string>& names) {
    return flow_map(names, [](const std::string& name) { return yaml_text(name); });
  };
  return type;
}

Type<std::vector<Guid>> guid_list() {
  Type<std::vector<Guid>> type;
  type.form = "a list of port GUIDs";
  type.json = json_form::any_of(
      {json_form::list_of(std::string(json_form::kNumber)), std::string(json_form::kNothing)});
  type.read = [form = type.form](const Value& value, Report& report) {
    std::optional<std::vector<Guid>> guids(std::in_place);
    if (value.kind == Value::Kind::null) return guids;
    if (value.kind != Value::Kind::list) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::optional<std::vector<Guid>>();
    }
    const std::size_t before = report.problem_count;
    for (const Value& item : value.children) {
      const std::optional<Guid> guid =
          item.kind == Value::Kind::text ? guid_from(item.text) : std::optional<Guid>();
      if (!guid)
        report.problem(item.place, wrong_guid(item));
      else if (std::ranges::find(*guids, *guid) != guids->end())
        report.problem(item.place, fmt::format("{} stands here twice", to_string(*guid)));
      else
        guids->push_back(*guid);
    }
    return report.problem_count == before ? std::move(guids) : std::nullopt;
  };
  type.show = [](const std::vector<Guid>& guids) {
    std::vector<std::string> shown;
    for (const Guid guid : guids) shown.push_back(to_string(guid));
    return fmt::format("[{}]", fmt::join(shown, ", "));
  };
  return type;
}

}  // namespace weft::config
