#include "config/types.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rate.h"
#include "base/units.h"
#include "base/words.h"

namespace weft::config {
namespace {

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

/// The type of values that are one text. `from` answers nothing for a text that does not fit.
template <typename T>
Type<T> of_text(std::string form, std::function<std::optional<T>(std::string_view)> from,
                std::function<std::string(const T&)> show) {
  Type<T> type{std::move(form), {}, std::move(show)};
  type.read = [form = type.form, from = std::move(from)](const Value& value, Report& report) {
    std::optional<T> result;
    if (value.kind == Value::Kind::text) result = from(value.text);
    if (!result) report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
    return result;
  };
  return type;
}

/// The same type, but nothing and "" are `unset`.
template <typename T>
Type<T> or_nothing(Type<T> type, T unset) {
  const auto read = std::move(type.read);
  const auto show = std::move(type.show);
  type.form += ", or nothing";
  type.json = json_form::any_of({type.json, std::string(json_form::kNothing)});
  type.read = [=](const Value& value, Report& report) {
    const bool empty = value.kind == Value::Kind::text && value.text.empty();
    return value.kind == Value::Kind::null || empty ? std::optional<T>(unset) : read(value, report);
  };
  type.show = [=](const T& value) { return value == unset ? std::string() : show(value); };
  return type;
}

template <typename T>
Type<std::optional<T>> optional_of(Type<T> type) {
  Type<std::optional<T>> result{type.form, {}, {}, type.json};
  result.read = [read = std::move(type.read)](const Value& value, Report& report) {
    const std::optional<T> found = read(value, report);
    return found ? std::optional<std::optional<T>>(found) : std::nullopt;
  };
  result.show = [show = std::move(type.show)](const std::optional<T>& value) { return show(*value); };
  return or_nothing<std::optional<T>>(std::move(result), std::nullopt);
}

/// Types with units say so when only the unit is missing.
template <typename T>
Type<T> with_unit(Type<T> type, std::string_view example) {
  type.read = [read = std::move(type.read), example](const Value& value, Report& report) {
    const bool bare = value.kind == Value::Kind::text && value.text != "0" && number_from(value.text);
    if (!bare) return read(value, report);
    report.problem(value.place,
                   fmt::format("{} has no unit; write it like {}", in_quotes(value.text), example));
    return std::optional<T>();
  };
  return type;
}

std::string range_words(std::string_view what, std::string_view least, std::string_view most) {
  return fmt::format("{} from {} to {}", what, least, most);
}

}  // namespace

Type<bool> flag() {
  const auto from = [](std::string_view text) -> std::optional<bool> {
    if (text == "true" || text == "yes" || text == "on") return true;
    if (text == "false" || text == "no" || text == "off") return false;
    return std::nullopt;
  };
  return told_as(std::string(json_form::kFlag), of_text<bool>("true or false", from, [](const bool& value) {
                   return value ? "true" : "false";
                 }));
}

Type<int> number(int least, int most) {
  const auto from = [=](std::string_view text) -> std::optional<int> {
    const std::optional<std::uint64_t> value = number_from(text);
    if (!value || *value > static_cast<std::uint64_t>(most) || static_cast<int>(*value) < least) return {};
    return static_cast<int>(*value);
  };
  return told_as(json_form::integer(least, most),
                 of_text<int>(fmt::format("a whole number from {} to {}", least, most), from,
                              [](const int& value) { return fmt::format("{}", value); }));
}

Type<std::optional<int>> optional_number(int least, int most) { return optional_of(number(least, most)); }

Type<int> coded(std::string_view what, std::map<int, int> codes) {
  std::vector<int> numbers;
  for (const auto& [value, code] : codes) numbers.push_back(value);
  const auto from = [codes](std::string_view text) -> std::optional<int> {
    const std::optional<std::uint64_t> value = number_from(text);
    if (!value || *value > 0xffff) return std::nullopt;
    const auto found = codes.find(static_cast<int>(*value));
    return found == codes.end() ? std::nullopt : std::optional(found->second);
  };
  const auto show = [codes](const int& wanted) {
    for (const auto& [value, code] : codes) {
      if (code == wanted) return fmt::format("{}", value);
    }
    return std::string();
  };
  return told_as(fmt::format("{{\"enum\":[{}]}}", fmt::join(numbers, ",")),
                 of_text<int>(fmt::format("one of {} {}", fmt::join(numbers, ", "), what), from, show));
}

Type<int> choice(std::vector<std::pair<std::string, int>> words) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  const auto from = [words](std::string_view text) -> std::optional<int> {
    for (const auto& [name, value] : words) {
      if (name == text) return value;
    }
    return std::nullopt;
  };
  const auto show = [words](const int& wanted) {
    for (const auto& [name, value] : words) {
      if (value == wanted) return name;
    }
    return std::string();
  };
  return told_as(json_form::one_of(names),
                 of_text<int>(fmt::format("one of {}", fmt::join(names, ", ")), from, show));
}

Type<std::string> word(std::vector<std::string> words) {
  const auto from = [words](std::string_view text) -> std::optional<std::string> {
    if (std::find(words.begin(), words.end(), text) == words.end()) return std::nullopt;
    return std::string(text);
  };
  return told_as(json_form::one_of(words),
                 of_text<std::string>(fmt::format("one of {}", fmt::join(words, ", ")), from,
                                      [](const std::string& value) { return value; }));
}

Type<Duration> duration(Duration least, Duration most, std::string_view zero) {
  const auto from = [=](std::string_view text) -> std::optional<Duration> {
    const std::optional<Duration> value = duration_from(text);
    if (value && *value == Duration::zero() && !zero.empty()) return value;
    return value && *value >= least && *value <= most ? value : std::nullopt;
  };
  std::string form = range_words("a duration", duration_text(least), duration_text(most));
  if (!zero.empty()) form += fmt::format(", or 0 for {}", zero);
  const std::string timed(json_form::kDuration);
  return told_as(zero.empty() ? timed : json_form::any_of({timed, R"({"enum":[0,"0"]})"}),
                 with_unit(of_text<Duration>(form, from, duration_text), "10s, 200ms or 5us"));
}

Type<int> rate(std::string_view word) {
  const std::string zero(word);
  const auto from = [zero](std::string_view text) -> std::optional<int> {
    if (text == zero) return 0;
    const std::optional<int> speed = rate_speed_from(text);
    return speed && rate_speed(rate_at_most(*speed)) == *speed ? speed : std::nullopt;
  };
  const auto show = [zero](const int& speed) { return speed == 0 ? zero : rate_speed_text(speed); };
  const std::string rates = json_form::pattern("^[0-9]+(\\.[0-9]+)?[Gg]$");
  return told_as(json_form::any_of({rates, json_form::one_of(std::vector<std::string>{zero})}),
                 of_text<int>(fmt::format("a rate of links such as 2.5G or 400G, or {}", zero), from, show));
}

Type<int> wire_time(int most, bool forever) {
  Type<int> type;
  const std::string longest = duration_text(base::wire_time(most));
  type.form = range_words("a time on the wire", duration_text(base::wire_time(0)), longest);
  if (forever) type.form += ", or forever";
  type.json = std::string(json_form::kDuration);
  if (forever) type.json = json_form::any_of({type.json, R"({"enum":["forever"]})"});
  type.show = [=](const int& code) {
    return code > most && forever ? std::string("forever") : duration_text(base::wire_time(code));
  };
  type.read = [=, form = type.form](const Value& value, Report& report) -> std::optional<int> {
    if (value.kind == Value::Kind::text && value.text == "forever" && forever) return most + 1;
    const std::optional<Duration> wanted =
        value.kind == Value::Kind::text ? duration_from(value.text) : std::nullopt;
    const std::optional<int> code = wanted && wanted->count() > 0 ? wire_code(*wanted) : std::nullopt;
    if (!code || *code > most) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::nullopt;
    }
    if (base::wire_time(*code) > *wanted + *wanted / 10) {
      report.note(value.place, fmt::format("{} becomes {}, the next 4.096us * 2^n", value.text,
                                           duration_text(base::wire_time(*code))));
    }
    return code;
  };
  return with_unit(std::move(type), "50ms, 1s or 5us");
}

Type<std::uint64_t> size(std::uint64_t least, std::uint64_t most) {
  const auto from = [=](std::string_view text) -> std::optional<std::uint64_t> {
    const std::optional<std::uint64_t> value = size_from(text);
    return value && *value >= least && *value <= most ? value : std::nullopt;
  };
  return told_as(
      json_form::pattern("^[0-9]+(\\.[0-9]+)? ?([KMGT]i?)?B$"),
      with_unit(of_text<std::uint64_t>(range_words("a size", size_text(least), size_text(most)), from,
                                       [](const std::uint64_t& value) { return size_text(value); }),
                "16MiB or 500KB"));
}

Type<std::uint64_t> prefix() {
  const auto from = [](std::string_view text) {
    const std::optional<std::uint64_t> value = prefix_from(text);
    return value && *value != 0 ? value : std::nullopt;
  };
  return told_as(std::string(json_form::kNumber),
                 of_text<std::uint64_t>("a subnet prefix such as 0xfe80000000000000 or \"fe80::\"", from,
                                        [](const std::uint64_t& value) { return prefix_text(value); }));
}

Type<std::uint64_t> key64() {
  const auto from = [](std::string_view text) -> std::optional<std::uint64_t> {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hex ? text.substr(2) : text;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole ? std::optional(value) : std::nullopt;
  };
  return told_as(
      std::string(json_form::kNumber),
      of_text<std::uint64_t>("a 64-bit key such as 1 or 0x2d0f9c3b5a71e864", from,
                             [](const std::uint64_t& value) { return fmt::format("0x{:x}", value); }));
}

Type<std::optional<Guid>> optional_guid() {
  return optional_of(told_as(std::string(json_form::kNumber),
                             of_text<Guid>("a GUID such as 0x0002c903000e0b72", guid_from,
                                           [](const Guid& guid) { return to_string(guid); })));
}

Type<std::string> text(std::string_view what, std::size_t most, bool optional) {
  const auto from = [=](std::string_view text) {
    const bool good = !text.empty() && text.size() <= most && printable(text);
    return good ? std::optional<std::string>(text) : std::nullopt;
  };
  Type<std::string> type =
      told_as(std::string(json_form::kText),
              of_text<std::string>(std::string(what), from,
                                   [](const std::string& value) { return yaml_text(value); }));
  return optional ? or_nothing<std::string>(std::move(type), {}) : type;
}

Type<std::string> path(std::size_t most, bool optional) {
  const auto from = [=](std::string_view text) {
    const bool good = text.starts_with('/') && text.size() <= most && printable(text);
    return good ? std::optional<std::string>(text) : std::nullopt;
  };
  Type<std::string> type =
      told_as(json_form::pattern("^/"),
              of_text<std::string>(fmt::format("a path that begins with / and has at most {} bytes", most),
                                   from, [](const std::string& value) { return yaml_text(value); }));
  return optional ? or_nothing<std::string>(std::move(type), {}) : type;
}

Type<std::vector<std::string>> texts(std::string_view what, std::vector<std::string> allowed,
                                     std::size_t least) {
  Type<std::vector<std::string>> type;
  type.form = allowed.empty() ? fmt::format("a list of {}", what)
                              : fmt::format("one {} or a list of them: {}", what, fmt::join(allowed, ", "));
  const std::string single = allowed.empty() ? std::string(json_form::kText) : json_form::one_of(allowed);
  type.json = json_form::any_of({single, json_form::list_of(single)});
  if (least == 0) type.json = json_form::any_of({type.json, std::string(json_form::kNothing)});
  type.read = [=, form = type.form](const Value& value, Report& report) {
    std::optional<std::vector<std::string>> result(std::in_place);
    const auto refuse = [&](Place place, std::string why) {
      report.problem(place, std::move(why));
      result.reset();
    };
    const std::vector<Value> one{value};
    const bool list = value.kind == Value::Kind::list;
    std::set<std::string_view> seen;
    std::vector<std::string> items;
    for (const Value& item : list ? value.children : one) {
      const bool known = allowed.empty() || std::count(allowed.begin(), allowed.end(), item.text) > 0;
      if (item.kind != Value::Kind::text || item.text.empty() || !known) {
        if (item.kind == Value::Kind::null && !list && least == 0) continue;
        const std::string_view near = item.kind == Value::Kind::text ? nearest(item.text, allowed) : "";
        refuse(item.place, fmt::format("expects {}, not {}{}", form, describe(item),
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near)));
      } else if (!seen.insert(item.text).second) {
        refuse(item.place, fmt::format("{} stands here twice", in_quotes(item.text)));
      } else {
        items.push_back(item.text);
      }
    }
    if (result && items.size() < least)
      refuse(value.place, fmt::format("expects {}, not an empty list", form));
    if (result) *result = std::move(items);
    return result;
  };
  type.show = [=](const std::vector<std::string>& items) {
    if (items.size() == 1 && !allowed.empty()) return yaml_text(items.front());
    std::vector<std::string> shown;
    for (const std::string& item : items) shown.push_back(yaml_text(item));
    return fmt::format("[{}]", fmt::join(shown, ", "));
  };
  return type;
}

Type<std::map<std::string, int>> name_numbers(std::string_view what, int least, int most) {
  Type<std::map<std::string, int>> type;
  type.form = fmt::format("a map of {} to whole numbers from {} to {}", what, least, most);
  type.json = json_form::any_of(
      {json_form::map_of(json_form::integer(least, most)), std::string(json_form::kNothing)});
  type.read = [form = type.form, one = number(least, most)](const Value& value, Report& report) {
    using Numbers = std::map<std::string, int>;
    const bool none = value.kind == Value::Kind::null;
    if (!none && value.kind != Value::Kind::map) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::optional<Numbers>();
    }
    Numbers numbers;
    bool good = true;
    for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
      const Value& name = value.children[i];
      const std::optional<int> found = one.read(value.children[i + 1], report);
      if (!is_name(name.text))
        report.problem(name.place, fmt::format("expects a name of 1 to 255 bytes, not {}", describe(name)));
      else if (found && !numbers.emplace(name.text, *found).second)
        report.problem(name.place, fmt::format("{} stands here twice", in_quotes(name.text)));
      else if (found)
        continue;
      good = false;
    }
    return good ? std::optional(std::move(numbers)) : std::nullopt;
  };
  type.show = [](const std::map<std::string, int>& numbers) {
    std::vector<std::string> shown;
    for (const auto& [name, number] : numbers)
      shown.push_back(fmt::format("{}: {}", yaml_text(name), number));
    return fmt::format("{{{}}}", fmt::join(shown, ", "));
  };
  return type;
}

bool is_name(std::string_view text) { return !text.empty() && text.size() <= 255 && printable(text); }

}  // namespace weft::config
