#include "ctl/qos_commands.h"

#include <fmt/format.h>

#include "ctl/ask.h"
#include "ctl/json_read.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string lanes_text(const json::value& level) {
  std::string text;
  for (const json::value& lane : items(level, "lanes"))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane.to_number<int>());
  return text;
}

std::string limits_text(const json::value& level) {
  std::string text;
  const auto add = [&text](std::string limit) { text += (text.empty() ? "" : ", ") + limit; };
  if (!at(level, "mtu").is_null()) add(fmt::format("MTU {}", number(level, "mtu")));
  if (!at(level, "rate").is_null()) add(fmt::format("{:g} Gb/s", real(level, "rate")));
  if (!at(level, "lifetime_us").is_null())
    add(human_duration(std::chrono::duration<double, std::micro>(real(level, "lifetime_us"))));
  return text;
}

std::string share_text(const json::value& level) {
  const std::string share = fmt::format("{:.0f} %", real(level, "share") * 100);
  const std::string priority = text(level, "priority");
  return priority == "weighted" ? share : priority + ", " + share;
}

}  // namespace

std::string levels_text(const json::value& levels, const Style& style) {
  const json::array& all = items(levels, "levels");
  if (all.empty()) return "No levels are defined: all SLs are alike, unless qos.tables tells them apart.\n";
  Table table({{"Level", Align::left, true}, {"SL", Align::right}, {"VLs"}, {"Share"}, {"At most"}});
  for (const json::value& one : all)
    table.add({text(one, "name") + (flag(one, "default") ? " (default)" : ""),
               std::to_string(number(one, "sl")), lanes_text(one), share_text(one), limits_text(one)});
  return table.text(style);
}

std::string qos_text(const json::value& answer, const Style& style) {
  std::string out = fmt::format("{} to {}: ", text(answer, "from"), text(answer, "to"));
  const json::value& level = at(answer, "level");
  if (level.is_object()) {
    const std::string limits = limits_text(level);
    out += fmt::format("level {}, SL {}, by {}; share {}{}\n", text(level, "name"), number(answer, "sl"),
                       at(answer, "rule").is_string() ? text(answer, "rule") : "default, since no rule fits",
                       share_text(level), limits.empty() ? "" : "; at most " + limits);
  } else {
    out += "no levels are defined; any SL\n";
  }
  Table table({{"From", Align::left, true}, {"To", Align::left, true}, {"VL", Align::right}});
  for (const json::value& hop : items(answer, "hops"))
    table.add({text(hop, "from"), text(hop, "to"), std::to_string(number(hop, "vl"))});
  return out + "\n" + table.text(style);
}

Exit show_levels(const Client& client, const Output& output) {
  return show_pages(client, output, "/v1/levels?", "levels", levels_text);
}

Exit explain_qos(const Client& client, const Output& output, const QosQuestion& question) {
  std::string target = "/v1/explain/qos?from=" + escaped(question.from) + "&to=" + escaped(question.to);
  const auto add = [&target](std::string_view key, const std::string& value) {
    if (!value.empty()) target += fmt::format("&{}={}", key, escaped(value));
  };
  add("pkey", question.pkey);
  add("service", question.service);
  add("class", question.qos_class);
  return show_answer(client, output, target, qos_text);
}

}  // namespace weft::ctl
