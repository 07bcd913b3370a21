#include "ctl/sa_commands.h"

#include <fmt/format.h>

#include "ctl/ask.h"
#include "ctl/json_read.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string any_or_number(const json::value& value, std::string_view key) {
  const json::value& found = at(value, key);
  return found.is_string() ? text(found) : std::to_string(number(value, key));
}

std::string rate_text(const json::value& value) { return fmt::format("{:g}", real(value, "rate")); }

}  // namespace

std::string groups_text(const json::value& groups, const Style& style) {
  Table table({{"MLID"},
               {"MGID"},
               {"P_Key"},
               {"MTU", Align::right},
               {"Gb/s", Align::right},
               {"SL", Align::right},
               {"Members", Align::right},
               {"Sending only", Align::right}});
  std::string lists;
  for (const json::value& group : items(groups, "groups")) {
    table.add({text(group, "mlid"), text(group, "mgid"), text(group, "pkey"),
               std::to_string(number(group, "mtu")), rate_text(group), std::to_string(number(group, "sl")),
               human_count(number(group, "members")), human_count(number(group, "senders"))});
    if (items(group, "list").empty()) continue;
    lists += fmt::format("\n{}\n", text(group, "mgid"));
    for (const json::value& member : items(group, "list"))
      lists += fmt::format("  {} {}{}\n", text(member, "port"), text(member, "name"),
                           flag(member, "receives") ? "" : " (sends only)");
  }
  return table.text(style) + lists;
}

std::string services_text(const json::value& services, const Style& style) {
  Table table({{"Id"}, {"Name", Align::left, true}, {"Port"}, {"P_Key"}, {"Expires"}});
  for (const json::value& service : items(services, "services"))
    table.add({text(service, "id"), text(service, "name"), text(service, "port"), text(service, "pkey"),
               at(service, "expires").is_null() ? "never" : std::to_string(number(service, "expires"))});
  return table.text(style);
}

std::string subscriptions_text(const json::value& subscriptions, const Style& style) {
  Table table({{"Port"},
               {"Name", Align::left, true},
               {"LID", Align::right},
               {"QP", Align::right},
               {"Type", Align::right},
               {"Trap", Align::right},
               {"Producer", Align::right}});
  for (const json::value& one : items(subscriptions, "subscriptions"))
    table.add({text(one, "port"), text(one, "name"), std::to_string(number(one, "lid")),
               std::to_string(number(one, "qp")), any_or_number(one, "type"), any_or_number(one, "trap"),
               any_or_number(one, "producer")});
  return table.text(style);
}

std::string sa_text(const json::value& counts, const Style& style) {
  std::string out = fmt::format(
      "{} requests, {} answered, {} of them refused; {} repeated while they waited, {} over quota, {} not "
      "admitted\n{}, {}, {}; {} reports, {} not confirmed; {}, {} written\n\n",
      human_count(number(counts, "requests")), human_count(number(counts, "answered")),
      human_count(number(counts, "refused")), human_count(number(counts, "duplicates")),
      human_count(number(counts, "over_quota")), human_count(number(counts, "unadmitted")),
      counted(number(counts, "groups"), "group"), counted(number(counts, "services"), "service"),
      counted(number(counts, "subscriptions"), "subscription"), human_count(number(counts, "reports")),
      human_count(number(counts, "unconfirmed")), counted(number(counts, "tree_updates"), "tree update"),
      counted(number(counts, "multicast_blocks_written"), "block"));
  Table table({{"Attribute"},
               {"Requests", Align::right},
               {"Answered", Align::right},
               {"Refused", Align::right},
               {"Dropped", Align::right},
               {"99 % within", Align::right}});
  for (const json::value& one : items(counts, "attributes")) {
    const json::array& took = items(one, "took_below_2_to_n_us");
    std::uint64_t left = number(one, "answered") / 100;
    std::size_t place = took.size();
    while (place > 0) {
      const json::value& count = took[place - 1];
      const std::uint64_t here = count.is_uint64()  ? count.get_uint64()
                                 : count.is_int64() ? static_cast<std::uint64_t>(count.get_int64())
                                                    : 0;
      if (here > left) break;
      left -= here;
      --place;
    }
    const double seconds = place == 0 ? 0 : static_cast<double>(std::uint64_t{1} << (place - 1)) * 1e-6;
    table.add({text(one, "attribute"), human_count(number(one, "requests")),
               human_count(number(one, "answered")), human_count(number(one, "refused")),
               human_count(number(one, "dropped")), human_duration(std::chrono::duration<double>(seconds))});
  }
  return out + table.text(style);
}

std::string sa_path_text(const json::value& path, const Style&) {
  return fmt::format(
      "{} (LID {}) to {} (LID {}): MTU {}, {} Gb/s, SL {}, P_Key {}, packet lifetime {}, hop limit {}{}\n",
      text(path, "from"), number(path, "slid"), text(path, "to"), number(path, "dlid"), number(path, "mtu"),
      rate_text(path), number(path, "sl"), text(path, "pkey"),
      human_duration(std::chrono::duration<double, std::micro>(real(path, "lifetime_us"))),
      number(path, "hop_limit"), flag(path, "reversible") ? ", reversible" : "");
}

std::string join_text(const json::value& answer, const Style& style) {
  const std::string who = fmt::format("{}, group {}: ", text(answer, "port"), text(answer, "group"));
  if (!flag(answer, "may_join"))
    return who + coloured("refused", Colour::red, style) +
           fmt::format(" with status {}: {}\n", text(answer, "status"), text(answer, "why"));
  return who + (flag(answer, "is_member") ? "is a member" : "may join") +
         fmt::format("; multicast LID {}, {}\n", text(answer, "mlid"),
                     counted(number(answer, "members"), "member"));
}

Exit show_groups(const Client& client, const Output& output, bool members) {
  return show_pages(client, output, members ? "/v1/groups?members=1&" : "/v1/groups?", "groups", groups_text);
}

Exit show_services(const Client& client, const Output& output) {
  return show_pages(client, output, "/v1/services?", "services", services_text);
}

Exit show_subscriptions(const Client& client, const Output& output) {
  return show_pages(client, output, "/v1/subscriptions?", "subscriptions", subscriptions_text);
}

Exit show_sa(const Client& client, const Output& output) {
  return show_answer(client, output, "/v1/sa", sa_text);
}

Exit show_sa_path(const Client& client, const Output& output, const std::string& from,
                  const std::string& to) {
  return show_answer(client, output, "/v1/sa/path?from=" + escaped(from) + "&to=" + escaped(to),
                     sa_path_text);
}

Exit explain_join(const Client& client, const Output& output, const std::string& port,
                  const std::string& group) {
  return show_answer(client, output, "/v1/sa/join?port=" + escaped(port) + "&group=" + escaped(group),
                     join_text);
}

}  // namespace weft::ctl
