#include "topology/params.h"

#include <charconv>
#include <utility>

namespace weft::topology {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string shown(std::string_view key) { return key.empty() ? "size" : std::string(key); }

template <typename T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Params> Params::from(std::string_view text) {
  const std::vector<std::string_view> sections = split(text, ':');
  Params params;
  params.family_ = sections.front();
  for (std::size_t i = 1; i < sections.size(); ++i) {
    std::string key;
    for (const std::string_view item : split(sections[i], ',')) {
      const std::size_t equals = item.find('=');
      const std::string_view value = equals == std::string_view::npos ? item : item.substr(equals + 1);
      if (equals != std::string_view::npos) {
        key = item.substr(0, equals);
        if (key.empty() || params.has(key))
          return fail(Errc::invalid, "parameter \"{}\" is given twice or has no name", key);
      }
      if (value.empty()) return fail(Errc::invalid, "empty value for {} in \"{}\"", shown(key), text);
      params.values_[key].emplace_back(value);
    }
  }
  return params;
}

void Params::note(std::string error) {
  if (error_.empty()) error_ = std::move(error);
}

const std::vector<std::string>* Params::take(std::string_view key) {
  asked_.try_emplace(std::string(key), true);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Params::single(std::string_view key) {
  const std::vector<std::string>* values = take(key);
  if (values == nullptr) return std::nullopt;
  if (values->size() > 1) note(fmt::format("{} is one value, not {}", shown(key), values->size()));
  return values->front();
}

std::uint32_t Params::parse(std::string_view key, std::string_view text, Range range) {
  const auto value = whole<std::uint32_t>(text);
  if (value && *value >= range.low && *value <= range.high) return *value;
  note(fmt::format("{}={}: allowed is {} to {}", shown(key), text, range.low, range.high));
  return range.low;
}

std::uint32_t Params::number(std::string_view key, Range range) {
  const auto text = single(key);
  if (text) return parse(key, *text, range);
  note(fmt::format("{} is missing", shown(key)));
  return range.low;
}

std::uint32_t Params::number(std::string_view key, Range range, std::uint32_t fallback) {
  const auto text = single(key);
  return text ? parse(key, *text, range) : fallback;
}

std::vector<std::uint32_t> Params::list(std::string_view key, Range range, std::size_t longest) {
  const std::vector<std::string>* texts = take(key);
  std::vector<std::uint32_t> values;
  if (texts == nullptr) {
    note(fmt::format("{} is missing", shown(key)));
  } else if (texts->size() > longest) {
    note(fmt::format("{} has {} values, at most {} are allowed", shown(key), texts->size(), longest));
  } else {
    for (const std::string& text : *texts) values.push_back(parse(key, text, range));
  }
  return values;
}

std::uint64_t Params::seed() {
  const auto text = single("seed");
  if (!text) return 1;
  const auto value = whole<std::uint64_t>(*text);
  if (!value) note(fmt::format("seed={}: allowed is 0 to 18446744073709551615", *text));
  return value.value_or(1);
}

bool Params::flag(std::string_view key) { return number(key, {0, 1}, 0) == 1; }

Amount Params::amount(std::string_view key) {
  const auto text = single(key);
  if (!text) return {};
  if (!text->ends_with('%')) return {.count = parse(key, *text, {0, 10'000'000})};
  const auto percent = whole<double>(text->substr(0, text->size() - 1));
  if (percent && *percent >= 0 && *percent <= 100) return {.percent = *percent};
  note(fmt::format("{}={}: allowed is a count, or 0% to 100%", key, *text));
  return {};
}

std::size_t Params::word(std::string_view key, std::initializer_list<std::string_view> allowed) {
  const auto text = single(key);
  if (!text) return 0;
  std::string all;
  for (const std::string_view* option = allowed.begin(); option != allowed.end(); ++option) {
    if (*option == *text) return static_cast<std::size_t>(option - allowed.begin());
    all += (all.empty() ? "" : ", ") + std::string(*option);
  }
  note(fmt::format("{}={}: allowed is {}", key, *text, all));
  return 0;
}

LinkSpeed Params::speed(LinkSpeed fallback) {
  const auto text = single("speed");
  if (!text) return fallback;
  const auto speed = link_speed_from(*text);
  if (!speed) note(fmt::format("speed={}: allowed is SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR", *text));
  return speed.value_or(fallback);
}

LinkWidth Params::width(LinkWidth fallback) {
  const auto text = single("width");
  if (!text) return fallback;
  const auto width = link_width_from(*text);
  if (!width) note(fmt::format("width={}: allowed is 1x, 2x, 4x, 8x, 12x", *text));
  return width.value_or(fallback);
}

Result<void> Params::done(std::string_view usage) const {
  if (!error_.empty()) return fail(Errc::invalid, "{}: {}; usage: {}", family_, error_, usage);
  for (const auto& [key, values] : values_)
    if (!asked_.contains(key))
      return fail(Errc::invalid, "{}: {} is not a parameter of it; usage: {}", family_,
                  key.empty() ? "\"" + values.front() + "\"" : key, usage);
  return {};
}

}  // namespace weft::topology
