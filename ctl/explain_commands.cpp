#include "ctl/explain_commands.h"

#include <fmt/format.h>

#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "ctl/text.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string phases_table(const json::value& sweep, const Style& style) {
  Table table({{"PHASE"}, {"TIME", Align::right}, {"SMPS", Align::right}});
  for (const json::value& phase : items(sweep, "phases"))
    table.add({text(phase, "name"),
               human_duration(std::chrono::duration<double, std::milli>(real(phase, "took_ms"))),
               human_count(number(phase, "smps"))});
  return table.size() > 0 ? "\n" + table.text(style, 2) : std::string();
}

std::string hops_table(const json::value& answer, const Style& style) {
  Table table({{"HOP", Align::right},
               {"FROM", Align::left, true},
               {"PORT", Align::right},
               {"TO", Align::left, true},
               {"PORT", Align::right}});
  std::size_t place = 0;
  for (const json::value& hop : items(answer, "hops"))
    table.add({std::to_string(++place), text(hop, "out.name"), std::to_string(number(hop, "out.port")),
               text(hop, "in.name"), std::to_string(number(hop, "in.port"))});
  return table.size() > 0 ? "\n" + table.text(style, 2) : std::string();
}

}  // namespace

std::string sentences_text(const json::value& answer, const Style& style) {
  std::string out;
  for (const json::value& sentence : items(answer, "sentences")) out += text(sentence) + "\n";
  out += hops_table(answer, style) + phases_table(at(answer, "sweep"), style);
  if (!items(answer, "events").empty()) out += "\n" + events_text(answer, style);
  return out;
}

Exit explain(const Client& client, const Output& output, const std::string& what, const std::string& query) {
  return show_answer(client, output, fmt::format("/v1/explain/{}?{}", what, query), sentences_text);
}

}  // namespace weft::ctl
