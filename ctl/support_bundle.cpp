#include "ctl/support_bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <sstream>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/files.h"
#include "ctl/archive.h"
#include "ctl/ask.h"
#include "ctl/history_commands.h"
#include "ctl/json_read.h"
#include "ctl/partition_commands.h"
#include "ctl/qos_commands.h"
#include "ctl/sa_commands.h"
#include "ctl/upkeep_commands.h"

namespace weft::ctl {
namespace {

constexpr std::size_t kMostLog = std::size_t{8} << 20;
constexpr std::uint64_t kMostEvents = 10'000;

using Show = Exit (*)(const Client&, const Output&);

struct Part {
  std::string_view name;
  bool json;
  Show show;
};

Exit all_nodes(const Client& client, const Output& output) { return show_nodes(client, output, {}); }
Exit all_links(const Client& client, const Output& output) { return show_links(client, output, {}); }
Exit all_events(const Client& client, const Output& output) {
  return show_events(client, output, {.limit = kMostEvents});
}
Exit all_sweeps(const Client& client, const Output& output) {
  return show_answer(client, output, "/v1/sweeps",
                     [](const boost::json::value&, const Style&) { return std::string(); });
}
Exit all_partitions(const Client& client, const Output& output) {
  return show_partitions(client, output, true);
}
Exit all_groups(const Client& client, const Output& output) { return show_groups(client, output, true); }

/// Services and their keys are the clients' own, so they are counted in sa.txt and not listed.
constexpr Part kParts[] = {
    {"status.txt", false, show_status},
    {"status.json", true, show_status},
    {"config.txt", false, show_config},
    {"config.json", true, show_config},
    {"events.txt", false, all_events},
    {"events.json", true, all_events},
    {"sweeps.json", true, all_sweeps},
    {"nodes.json", true, all_nodes},
    {"links.json", true, all_links},
    {"upkeep.json", true, show_upkeep},
    {"partitions.json", true, all_partitions},
    {"levels.json", true, show_levels},
    {"groups.json", true, all_groups},
    {"subscriptions.json", true, show_subscriptions},
    {"sa.txt", false, show_sa},
};

std::string output_of(const char* command) {
  std::string text;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command, "r"), ::pclose);
  if (!pipe) return text;
  char piece[1 << 16];
  for (std::size_t got; (got = std::fread(piece, 1, sizeof piece, pipe.get())) > 0;) text.append(piece, got);
  return text;
}

std::string versions(const std::string& version) {
  utsname system{};
  uname(&system);
  std::ifstream release("/etc/os-release");
  return fmt::format("{}\n{} {} {} {}\n\n{}\n", version, system.sysname, system.release, system.version,
                     system.machine, std::string(std::istreambuf_iterator<char>(release), {})) +
         output_of("dpkg-query -W 'weft*' 'libibumad*' 'rdma-core' 2> /dev/null");
}

/// The end of a log, from the beginning of a line.
std::string end_of(std::string text) {
  if (text.size() <= kMostLog) return text;
  text.erase(0, text.size() - kMostLog);
  return text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
}

/// log.file as the daemon has it; empty when there is none.
std::string log_file(const Client& client) {
  const auto config = client.get("/v1/config");
  if (!config) return {};
  for (const boost::json::value& row : items(*config, "settings"))
    if (ctl::text(row, "key") == "log.file") return ctl::text(row, "value");
  return {};
}

class Bundle {
 public:
  explicit Bundle(std::string folder) : folder_(std::move(folder)) {}

  void add(std::string_view name, std::string text) {
    files_.push_back({fmt::format("{}/{}", folder_, name), without_url_users(std::move(text))});
  }
  void miss(std::string_view name, std::string_view why) {
    missing_ += fmt::format("{}: {}\n", name, why.substr(0, why.find('\n')));
  }
  const std::string& missing() const { return missing_; }
  std::vector<ArchiveFile> take() {
    if (!missing_.empty()) add("missing.txt", missing_);
    return std::move(files_);
  }

 private:
  std::string folder_;
  std::vector<ArchiveFile> files_;
  std::string missing_;
};

void add_parts(Bundle& bundle, const Client& client) {
  if (const auto alive = client.get("/v1/progress"); !alive)
    return bundle.miss("what the daemon knows", alive.error().message);  // not once more for each part
  for (const Part& part : kParts) {
    std::ostringstream out;
    std::ostringstream err;
    const Exit done = part.show(client, Output{out, err, Style{}, part.json, false});
    if (done == Exit::done)
      bundle.add(part.name, out.str());
    else
      bundle.miss(part.name, err.str());
  }
}

void add_logs(Bundle& bundle, const Client& client) {
  if (const std::string file = log_file(client); !file.empty()) {
    Result<std::string> text = read_file(file);
    if (text)
      bundle.add("weftd.log", end_of(std::move(*text)));
    else
      bundle.miss("weftd.log", text.error().what);
  }
  std::string journal = output_of("journalctl --unit=weftd --lines=20000 --no-pager --quiet 2> /dev/null");
  if (journal.empty())
    bundle.miss("journal.txt", "journalctl has nothing of the unit weftd, or does not show it to this user");
  else
    bundle.add("journal.txt", end_of(std::move(journal)));
}

/// By way of a ".part" file; nobody but the owner may read it.
Result<void> write(const std::string& path, const std::string& bytes) {
  const std::string part = path + ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return fail(Errc::system, "cannot write {}: {}", part, std::strerror(errno));
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t put = ::write(file, bytes.data() + written, bytes.size() - written);
    if (put <= 0) break;
    written += static_cast<std::size_t>(put);
  }
  const bool whole = ::close(file) == 0 && written == bytes.size();
  if (whole && std::rename(part.c_str(), path.c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  std::remove(part.c_str());
  return fail(Errc::system, "cannot write {}: {}", path, why);
}

}  // namespace

std::string without_url_users(std::string text) {
  for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of("/ \t\n\"',]", begin), text.size());
    const std::size_t sign = text.rfind('@', end - 1);
    if (sign != text.npos && sign >= begin && sign < end) text.replace(begin, sign - begin, "(not shown)");
  }
  return text;
}

Exit support_bundle(const Client& client, const Output& output, const std::string& file,
                    const std::string& version) {
  const std::time_t now = std::time(nullptr);
  Bundle bundle(fmt::format("weft-support-{:%Y%m%d-%H%M%S}", fmt::gmtime(now)));
  bundle.add("versions.txt", versions(version));
  add_parts(bundle, client);
  add_logs(bundle, client);
  const std::string missing = bundle.missing();
  const std::vector<ArchiveFile> files = bundle.take();
  const Result<std::string> bytes = archive(files, now);
  const Result<void> done = bytes ? write(file, *bytes) : Result<void>(fail(bytes.error()));
  if (!done) {
    output.err << "weftctl: " << done.error().what << '\n';
    return Exit::failed;
  }
  output.out << fmt::format("{}: {}; no keys, passwords or tokens are in it\n", file,
                            counted(files.size(), "file"));
  if (!missing.empty()) output.out << "not to be had:\n" << missing;
  output.out << std::flush;
  return Exit::done;
}

}  // namespace weft::ctl
