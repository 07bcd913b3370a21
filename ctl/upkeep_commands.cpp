#include "ctl/upkeep_commands.h"

#include <fmt/format.h>

#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "ctl/text.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string until_text(const json::value& order) {
  const std::string until = text(order, "until");
  return until.empty() ? "-" : until;
}

std::string upkeep_text(const json::value& upkeep, const Style& style) {
  const json::array& orders = items(upkeep, "orders");
  if (orders.empty()) return "nothing is drained, disabled or held\n";
  Table table({{"WHAT"}, {"IS"}, {"UNTIL"}, {"BY"}, {"STATE", Align::left}, {"WHY", Align::left}});
  for (const json::value& order : orders)
    table.add({text(order, "where"),
               text(order, "kind"),
               until_text(order),
               text(order, "by"),
               {text(order, "state"), flag(order, "done") ? Colour::green : Colour::yellow},
               text(order, "why")});
  return table.text(style);
}

}  // namespace

Exit show_upkeep(const Client& client, const Output& output) {
  return show_answer(client, output, "/v1/upkeep", upkeep_text);
}

Exit give_order(const Client& client, const Output& output, const UpkeepOrder& order) {
  std::string target = fmt::format("/v1/upkeep?do={}&place={}", escaped(order.verb), escaped(order.place));
  if (!order.time.empty()) target += "&for=" + escaped(order.time);
  if (!order.why.empty()) target += "&why=" + escaped(order.why);
  if (order.force) target += "&force=1";
  return post_and_show(client, output, target,
                       [](const json::value& answer, const Style&) { return text(answer, "text") + "\n"; });
}

}  // namespace weft::ctl
