#include "ctl/commands.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "base/files.h"
#include "config/json_schema.h"
#include "config/read.h"
#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "ctl/opensm_setup.h"
#include "ctl/progress.h"
#include "ctl/text.h"
#include "plan/registrations.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

constexpr std::size_t kPage = 1000;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);
constexpr auto kOwnerOnly = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

Exit report(const Output& output, const Failure& failure) {
  if (output.json) {
    output.out << json::serialize(json::object{
                      {"error",
                       {{"code", failure.code}, {"message", failure.message}, {"hint", failure.hint}}}})
               << std::endl;
  }
  output.err << "weftctl: " << failure.message << '\n';
  if (!failure.hint.empty()) output.err << "  " << failure.hint << '\n';
  if (failure.code == "no_device") return Exit::no_device;
  return failure.status == 400 ? Exit::usage : Exit::failed;
}

Exit report(const Output& output, std::string message) {
  return report(output, Failure{0, "failed", std::move(message), ""});
}

Exit show(const Output& output, const Reply<json::value>& answer, ToText to_text) {
  if (!answer) return report(output, answer.error());
  output.out << (output.json ? json::serialize(*answer) + "\n" : to_text(*answer, output.style))
             << std::flush;
  return Exit::done;
}

/// All pages of a list as one. Asks anew when the fabric changed between two pages.
Reply<json::value> all_pages(const Client& client, const std::string& target, std::string_view key) {
  json::value whole;
  std::size_t have = 0;
  for (int restarts = 0;;) {
    auto page = client.get(fmt::format("{}offset={}&limit={}", target, have, kPage));
    if (!page) return page;
    const std::size_t got = items(*page, key).size();
    if (have == 0) {
      whole = std::move(*page);
    } else if (number(*page, "generation") != number(whole, "generation") && ++restarts < 3) {
      have = 0;
      continue;
    } else {
      json::array& list = whole.as_object().at(key).as_array();
      for (const json::value& item : items(*page, key)) list.push_back(item);
    }
    have += got;
    if (got < kPage || have >= number(whole, "total")) return whole;
  }
}

std::string filter_query(const Filter& filter) {
  std::string query = "?";
  if (!filter.name.empty()) query += "name=" + escaped(filter.name) + "&";
  if (!filter.type.empty()) query += "type=" + escaped(filter.type) + "&";
  if (!filter.state.empty()) query += "state=" + escaped(filter.state) + "&";
  if (filter.below_best) query += "below_best=1&";
  return query;
}

/// The report of one sweep, once it has ended; null while it has not.
Reply<json::value> finished_sweep(const Client& client, std::uint64_t wanted) {
  auto sweeps = client.get("/v1/sweeps");
  if (!sweeps) return sweeps;
  for (const json::value& sweep : items(*sweeps, "sweeps")) {
    if (number(sweep, "number") == wanted) return sweep;
  }
  return json::value(nullptr);
}

Step step_of(const json::value& progress) {
  return {text(progress, "progress.phase"), number(progress, "progress.done"),
          number(progress, "progress.total")};
}

/// Why a sweep that was asked for will never end: its device went, or the daemon began anew.
std::optional<Failure> sweep_is_lost(const json::value& progress, std::uint64_t wanted) {
  const std::string state = text(progress, "state");
  const std::string gone = fmt::format("sweep #{} did not end", wanted);
  if (state == "waiting for device")
    return Failure{0, "no_device", gone + ": the device has gone",
                   "weftctl status says what weftd waits for"};
  if (state == "stopping") return Failure{0, "stopping", gone + ": the daemon is about to end", ""};
  // A sweep under way when ours was asked for, and ours: more than two behind means that counting began anew.
  if (number(progress, "last_sweep") + 2 < wanted)
    return Failure{0, "restarted", gone + ": the device went and came back", "ask for it again"};
  return std::nullopt;
}

/// Shows progress until the sweep has ended, and answers its report.
Reply<json::value> wait_for_sweep(const Client& client, const Output& output, std::uint64_t wanted) {
  ProgressPrinter printer(output.style, output.in_place);
  for (;;) {
    auto progress = client.get("/v1/progress");
    if (!progress) {
      output.err << printer.finish();
      return progress;
    }
    if (number(*progress, "last_sweep") >= wanted) {
      output.err << printer.finish() << std::flush;
      return finished_sweep(client, wanted);
    }
    if (std::optional<Failure> lost = sweep_is_lost(*progress, wanted)) {
      output.err << printer.finish();
      return tl::unexpected(std::move(*lost));
    }
    if (at(*progress, "progress").is_object()) output.err << printer.show(step_of(*progress)) << std::flush;
    std::this_thread::sleep_for(kProgressInterval);
  }
}

std::string errno_text() { return std::strerror(errno); }

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Writes what a target gives to a file, by way of a ".part" file, so that no half one is left under the
/// name.
Exit save(const Client& client, const Output& output, const std::string& target, const std::string& path) {
  const std::string part = path + ".part";
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(part.c_str(), "wb"));
  if (!file) return report(output, fmt::format("cannot write {}: {}", part, errno_text()));
  bool written = true;
  const auto streamed = client.stream(target, [&](std::string_view piece) {
    written = std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size();
    return written;
  });
  written = written && std::fflush(file.get()) == 0;
  const std::string why = errno_text();
  file.reset();
  if (streamed && written && std::rename(part.c_str(), path.c_str()) == 0) return Exit::done;
  const std::string rename_error = errno_text();
  std::remove(part.c_str());
  if (!streamed) return report(output, streamed.error());
  return report(output, fmt::format("cannot write {}: {}", path, written ? rename_error : why));
}

/// Likewise; "-" for standard output.
Exit save_or_print(const Client& client, const Output& output, const std::string& target,
                   const std::string& file) {
  if (file != "-") return save(client, output, target, file);
  const auto streamed = client.stream(target, [&output](std::string_view piece) {
    output.out << piece;
    return output.out.good();
  });
  output.out.flush();
  return streamed ? Exit::done : report(output, streamed.error());
}

}  // namespace

Exit report_failure(const Output& output, const Failure& failure) { return report(output, failure); }

Exit show_answer(const Client& client, const Output& output, const std::string& target, ToText to_text) {
  return show(output, client.get(target), to_text);
}

Exit post_and_show(const Client& client, const Output& output, const std::string& target, ToText to_text) {
  return show(output, client.post(target), to_text);
}

Reply<json::value> pages_of(const Client& client, const std::string& target, std::string_view key) {
  return all_pages(client, target, key);
}

Exit show_pages(const Client& client, const Output& output, const std::string& target, std::string_view key,
                ToText to_text) {
  return show(output, all_pages(client, target, key), to_text);
}

Exit show_status(const Client& client, const Output& output) {
  return show(output, client.get("/v1/status"), status_text);
}

Exit show_nodes(const Client& client, const Output& output, const Filter& filter) {
  return show(output, all_pages(client, "/v1/nodes" + filter_query(filter), "nodes"), nodes_text);
}

Exit show_links(const Client& client, const Output& output, const Filter& filter) {
  return show(output, all_pages(client, "/v1/links" + filter_query(filter), "links"), links_text);
}

Exit show_path(const Client& client, const Output& output, const std::string& from, const std::string& to) {
  return show(output, client.get(fmt::format("/v1/path?from={}&to={}", escaped(from), escaped(to))),
              path_text);
}

Exit run_sweep(const Client& client, const Output& output, bool wait) {
  const auto asked = client.post("/v1/sweep");
  if (!asked) return report(output, asked.error());
  const std::uint64_t wanted = number(*asked, "number");
  if (!wait) {
    output.out << (output.json ? json::serialize(*asked) : fmt::format("sweep #{} asked for", wanted))
               << std::endl;
    return Exit::done;
  }
  const auto sweep = wait_for_sweep(client, output, wanted);
  if (sweep && sweep->is_null())
    return report(output, fmt::format("the report of sweep #{} is gone already", wanted));
  const Exit shown = show(output, sweep, sweep_text);
  if (shown != Exit::done) return shown;
  return flag(*sweep, "clean") ? Exit::done : Exit::failed;
}

Exit accept_fabric(const Client& client, const Output& output) {
  return show(output, client.post("/v1/accept"), [](const json::value& taken, const Style&) {
    const json::array& forgotten = items(taken, "forgotten");
    if (forgotten.empty())
      return std::string("nothing was missing; the fabric is planned anew all the same\n");
    std::string text = fmt::format("no longer waited for, from sweep #{} on:\n", number(taken, "number"));
    for (const json::value& part : forgotten) text += "  " + ctl::text(part) + "\n";
    return text;
  });
}

Exit hand_over(const Client& client, const Output& output, const std::string& to) {
  const std::string path = to.empty() ? "/v1/hand-over" : "/v1/hand-over?to=" + escaped(to);
  return show(output, client.post(path), [](const json::value& asked, const Style&) {
    return fmt::format("asked to take over: {}\nweftctl status tells whether it has\n", text(asked, "to"));
  });
}

Exit show_config(const Client& client, const Output& output) {
  return show(output, client.get("/v1/config"), config_text);
}

Exit check_config(const Output& output, const std::string& file) {
  const auto loaded = config::read_file(file);
  if (output.json) {
    json::array notes;
    if (loaded) {
      for (const std::string& note : loaded->notes) notes.emplace_back(note);
    }
    output.out << json::serialize(json::object{
                      {"ok", loaded.has_value()},
                      {"error", loaded ? json::value(nullptr) : json::value(loaded.error().what)},
                      {"notes", std::move(notes)}})
               << std::endl;
  } else if (loaded) {
    for (const std::string& note : loaded->notes) output.out << note << '\n';
    output.out << file << ": ok" << std::endl;
  } else {
    output.err << loaded.error().what << std::endl;
  }
  return loaded ? Exit::done : Exit::usage;
}

Exit show_config_schema(const Output& output) {
  output.out << config::json_schema() << std::flush;
  return Exit::done;
}

Exit export_state(const Client& client, const Output& output, const std::string& file) {
  return save_or_print(client, output, "/v1/state", file);
}

Exit dump_slurm(const Client& client, const Output& output, const std::string& plugin,
                const std::string& hosts, const std::string& file) {
  std::string target = "/v1/dump/slurm?";
  if (!plugin.empty()) target += "plugin=" + escaped(plugin) + "&";
  if (!hosts.empty()) target += "name=" + escaped(hosts) + "&";
  return save_or_print(client, output, target, file);
}

namespace {

/// The state of the daemon in a form of OpenSM's, into a file.
Exit export_as(const Client& client, const Output& output, const std::string& file, std::string_view target,
               const std::function<Result<std::string>(const std::string&)>& form, bool secret) {
  std::string state;
  const auto streamed = client.stream(std::string(target), [&state](std::string_view piece) {
    state += piece;
    return true;
  });
  if (!streamed) return report(output, streamed.error());
  const Result<std::string> formed = form(state);
  if (!formed) return report(output, formed.error().what);
  if (file == "-") {
    output.out << *formed << std::flush;
    return Exit::done;
  }
  std::ofstream to(file);
  std::error_code error;
  if (secret) std::filesystem::permissions(file, kOwnerOnly, error);
  to << *formed << std::flush;
  return to.good() && !error ? Exit::done : report(output, fmt::format("cannot write {}", file));
}

}  // namespace

Exit export_guid2lid(const Client& client, const Output& output, const std::string& file) {
  return export_as(client, output, file, "/v1/state", guid2lid_of, false);
}

Exit export_sa_dump(const Client& client, const Output& output, const std::string& file) {
  return export_as(
      client, output, file, "/v1/state?registrations=1",
      [](const std::string& state) { return sa_dump_of(state, std::time(nullptr)); }, true);
}

namespace {

std::string imported_text(const json::value& taken, const Style&) {
  const plan::RegistrationCounts told{number(taken, "groups"), number(taken, "members"),
                                      number(taken, "services"), number(taken, "subscriptions"),
                                      number(taken, "aliases")};
  const bool none = told == plan::RegistrationCounts{};
  const std::string registrations = plan::to_string(told);
  const bool pending = flag(taken, "pending");
  std::string text =
      fmt::format("{}{} taken over; they hold from the next sweep on\n",
                  counted(number(taken, "lids"), "LID range"), none || pending ? "" : ", " + registrations);
  if (pending)
    text += fmt::format("{} wait until this manager is master, and in memory only\n", registrations);
  for (const json::value& why : items(taken, "left_out"))
    text += fmt::format("left out: {}\n", ctl::text(why));
  return text;
}

}  // namespace

Exit export_registrations(const Client& client, const Output& output, const std::string& file) {
  const auto whole = [](const std::string& state) -> Result<std::string> {
    const auto form = sa_dump_of(state, 0);
    return form ? Result<std::string>(state) : fail(form.error());
  };
  return export_as(client, output, file, "/v1/state?registrations=1", whole, true);
}

Exit import_state(const Client& client, const Output& output, const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    Result<std::string> read = read_file(file);
    if (!read) return report(output, read.error().what);
    text = std::move(*read);
  }
  return show(output, client.post("/v1/state", std::move(text)), imported_text);
}

Exit dump_port_sets(const Client& client, const Output& output, const std::string& file) {
  return save(client, output, "/v1/dump/port-sets", file);
}

Exit dump_opensm(const Client& client, const Output& output, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return report(output, fmt::format("cannot make the directory {}: {}", directory, error.message()));
  constexpr std::pair<std::string_view, std::string_view> kFiles[] = {{"subnet", "opensm-subnet.lst"},
                                                                      {"fdbs", "opensm.fdbs"},
                                                                      {"mcfdbs", "opensm.mcfdbs"},
                                                                      {"psl", "opensm.psl"},
                                                                      {"slvl", "opensm.slvl"}};
  json::array names;
  for (const auto& [file, file_name] : kFiles) {
    const std::string path = (std::filesystem::path(directory) / file_name).string();
    const Exit saved = save(client, output, fmt::format("/v1/dump/opensm?file={}", file), path);
    if (saved != Exit::done) return saved;
    names.emplace_back(path);
    if (!output.json) output.out << path << '\n';
  }
  if (output.json) output.out << json::serialize(json::object{{"files", std::move(names)}}) << '\n';
  output.out.flush();
  return Exit::done;
}

}  // namespace weft::ctl
