#include "ctl/config_commands.h"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "base/words.h"
#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "ctl/table.h"
#include "ctl/text.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

Result<std::string> content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || !text) return fail(Errc::unavailable, "{}: {}", path, std::strerror(errno));
  return text.str();
}

/// What weftd says of a text, it says of its own file, in whose place it read it.
Exit report_about(const Output& output, const std::string& file, const Failure& failure) {
  if (failure.code == "invalid" && !output.json)
    output.err << fmt::format("{}, in the place of weftd's own file:\n", file);
  return report_failure(output, failure);
}

/// Whole or not at all, with the mode and owner of what is there.
Result<void> replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) return fail(Errc::system, "{}: {}", fresh, std::strerror(errno));
  }
  struct stat old{};
  if (stat(path.c_str(), &old) == 0) {
    (void)chmod(fresh.c_str(), old.st_mode & 07777);
    if (chown(fresh.c_str(), old.st_uid, old.st_gid) != 0 && geteuid() == 0)
      return fail(Errc::system, "{}: {}", fresh, std::strerror(errno));
  }
  if (rename(fresh.c_str(), path.c_str()) != 0)
    return fail(Errc::system, "{}: {}", path, std::strerror(errno));
  return {};
}

Exit usage(const Output& output, const std::string& why) {
  output.err << "weftctl: " << why << "\n";
  return Exit::usage;
}

/// In force for good: the file that weftd reads at its start must say the same.
Exit save(const Output& output, const json::value& answer) {
  const std::string path = text(answer, "file");
  if (path.empty()) return Exit::done;
  const Result<std::string> there = content_of(path);
  const bool same = there ? *there == text(answer, "text") : text(answer, "text").empty();
  if (same) return Exit::done;
  if (const Result<void> saved = replace_file(path, text(answer, "text")); !saved) {
    output.err << fmt::format(
        "weftctl: it is in force, but {} is as it was ({}): weftd would go back to that when it starts "
        "again. Run "
        "this as a user who may write it\n",
        path, saved.error().what);
    return Exit::failed;
  }
  if (!output.json) output.out << fmt::format("{} is written\n", path);
  return Exit::done;
}

void lines(std::string& out, const json::value& from, std::string_view key, std::string_view title,
           const Style& style) {
  const json::array& list = items(from, key);
  if (list.empty()) return;
  out += coloured(std::string(title), Colour::bold, style) + "\n";
  for (const json::value& one : list) out += fmt::format("  {}\n", std::string_view(one.as_string()));
}

std::string sets_text(const json::value& fabric) {
  std::string text;
  for (const auto& [attribute, count] : fabric.at("sets").as_object())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.to_number<std::uint64_t>(),
                        std::string_view(attribute));
  return text.empty() ? "no packet would be sent"
                      : fmt::format("{} would be sent: {}", counted(number(fabric, "all_sets"), "Set"), text);
}

std::string fabric_text(const json::value& fabric, const Style& style) {
  std::string out;
  const json::value& lids = fabric.at("lids");
  if (const std::uint64_t moved = number(lids, "moved"); moved > 0) {
    out += coloured(fmt::format("LIDs: {} move", counted(moved, "port")), Colour::red, style) + "\n";
    std::size_t shown = 0;
    for (const json::value& one : items(lids, "list")) {
      if (++shown > 10) break;
      out += fmt::format("  {} port {}: {} instead of {}\n", text(one, "name"), number(one, "port"),
                         number(one, "after"), number(one, "before"));
    }
    if (moved > 10) out += fmt::format("  and {} more\n", moved - 10);
  }
  const json::value& routes = fabric.at("routes");
  if (number(routes, "entries") > 0)
    out += fmt::format("{} {} of {} pairs of hosts take another way ({} entries of forwarding tables)\n",
                       coloured("Routes:", Colour::bold, style), human_count(number(routes, "pairs")),
                       human_count(number(routes, "all_pairs")), human_count(number(routes, "entries")));
  lines(out, routes, "changes", "Routing", style);
  lines(out, fabric, "partitions", "Partitions", style);
  lines(out, fabric, "groups", "Multicast groups", style);
  lines(out, fabric, "members_lost", "Members that are put out of their groups", style);
  lines(out, fabric, "levels", "Service levels", style);
  lines(out, fabric, "settings", "Ports that are told other values", style);
  if (const std::uint64_t waiting = number(fabric, "links_waiting"); waiting > 0)
    out += fmt::format("{} keep their MTU or VLs until their links next come up; no link bounces\n",
                       counted(waiting, "live port"));
  lines(out, fabric, "problems", "Problems that it would make", style);
  lines(out, fabric, "notes", "Worth knowing", style);
  if (!text(fabric, "held_back").empty()) out += "Held back: " + text(fabric, "held_back") + "\n";
  out += sets_text(fabric) + "\n";
  return out;
}

}  // namespace

std::string config_diff_text(const json::value& diff, const Style& style) {
  std::string out;
  if (items(diff, "keys").empty()) out += "no setting differs\n";
  Table table({{"SETTING"}, {"NOW"}, {"THEN", Align::left, true}});
  for (const json::value& key : items(diff, "keys")) {
    const bool secret = key.at("before").is_null();
    table.add({text(key, "key"), secret ? "(secret)" : text(key, "before"),
               (secret ? "another" : text(key, "after")) +
                   (flag(key, "needs_restart") ? "  (needs a restart)" : "")});
  }
  if (table.size() > 0) out += table.text(style) + "\n";
  if (const std::string why = text(diff, "refused"); !why.empty())
    out += coloured("It cannot be applied while weftd runs: " + why, Colour::red, style) + "\n";
  lines(out, diff, "remarks", "Remarks", style);
  if (diff.at("fabric").is_null())
    out += "What it would do to the fabric is not known: " + text(diff, "unknown") + "\n";
  else
    out += fabric_text(diff.at("fabric"), style);
  return out;
}

Exit config_diff(const Client& client, const Output& output, const std::string& file) {
  const Result<std::string> content = content_of(file);
  if (!content) return usage(output, content.error().what);
  const auto answer = client.post("/v1/config/diff", *content);
  if (!answer) return report_about(output, file, answer.error());
  output.out << (output.json ? json::serialize(*answer) + "\n" : config_diff_text(*answer, output.style));
  return Exit::done;
}

Exit config_apply(const Client& client, const Output& output, const ApplyOptions& options) {
  const Result<std::string> content = content_of(options.file);
  if (!content) return usage(output, content.error().what);
  std::string target = "/v1/config/apply";
  if (!options.confirm.empty()) {
    const auto time = duration_from(options.confirm);
    if (!time || *time < std::chrono::seconds(1))
      return usage(output,
                   fmt::format("--confirm takes a duration such as 60s, not {}", in_quotes(options.confirm)));
    target += fmt::format("?confirm={}", std::chrono::duration_cast<std::chrono::seconds>(*time).count());
  }
  const auto answer = client.post(target, *content);
  if (!answer) return report_about(output, options.file, answer.error());
  if (output.json) output.out << json::serialize(*answer) << "\n";
  const bool tried = text(*answer, "state") == "tried";
  if (!output.json)
    output.out << (tried ? fmt::format(
                               "configuration {} is in force until {}.\n`weftctl config confirm` keeps it; "
                               "else the one before comes back by itself.\n",
                               number(*answer, "number"), text(*answer, "until"))
                         : fmt::format("configuration {} is in force\n", number(*answer, "number")));
  return tried ? Exit::done : save(output, *answer);
}

Exit config_confirm(const Client& client, const Output& output) {
  const auto answer = client.post("/v1/config/confirm");
  if (!answer) return report_failure(output, answer.error());
  if (output.json)
    output.out << json::serialize(*answer) << "\n";
  else
    output.out << fmt::format("configuration {} stays in force\n", number(*answer, "number"));
  return save(output, *answer);
}

Exit config_undo(const Client& client, const Output& output) {
  const auto answer = client.post("/v1/config/undo");
  if (!answer) return report_failure(output, answer.error());
  if (output.json)
    output.out << json::serialize(*answer) << "\n";
  else
    output.out << fmt::format("the configuration before is in force again, as number {}\n",
                              number(*answer, "number"));
  return save(output, *answer);
}

std::string config_history_text(const json::value& history, const Style& style) {
  Table table({{"NUMBER", Align::right}, {"WHEN"}, {"STATE"}, {"BY", Align::left, true}});
  for (const json::value& one : items(history, "configurations"))
    table.add({fmt::format("{}", number(one, "number")), text(one, "time"), text(one, "state"),
               text(one, "author")});
  return table.size() == 0 ? "no configuration has been applied\n" : table.text(style);
}

Exit config_history(const Client& client, const Output& output) {
  return show_answer(client, output, "/v1/config/history", config_history_text);
}

}  // namespace weft::ctl
