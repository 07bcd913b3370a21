// Several subnets in one file: each is read as the whole file with the entry's own keys over it.

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "config/listen.h"
#include "config/reading.h"
#include "config/subnet_types.h"

namespace weft::config {
namespace {

/// Of all subnets, or made for each: not for an entry to have.
bool is_of_daemon(std::string_view path) { return path.starts_with("log.") || path == "subnets"; }

/// The file but for `subnets`.
Value without_subnets(Value root) {
  for (std::size_t i = 0; i + 1 < root.children.size(); i += 2)
    if (root.children[i].text == "subnets") {
      const auto at = root.children.begin() + static_cast<std::ptrdiff_t>(i);
      root.children.erase(at, at + 2);
      break;
    }
  return root;
}

/// An address to listen at with a port that is so much higher; as it is where there is none, where the system
/// chooses it (0), and beyond 65535, where two that are the same are refused.
std::string with_next_port(const std::string& text, std::size_t place) {
  const Result<Listen> listen = listen_from(text);
  if (!listen || listen->port == 0 || listen->port + place > 65535) return text;
  return fmt::format("{}:{}", text.substr(0, text.rfind(':')), listen->port + place);
}

/// What an entry does not say and two subnets cannot share. `place`: of the entry, from 0.
void make_apart(Settings& settings, const std::map<std::string, Origin, std::less<>>& own,
                std::size_t place) {
  const std::string& name = settings.subnet;
  if (!own.contains("state_dir")) settings.state_dir += "/" + name;
  if (!own.contains("control.socket"))
    settings.control.socket = socket_of_subnet(settings.control.socket, name);
  if (!own.contains("store.prefix")) settings.store.prefix += name + "/";
  if (!own.contains("control.tcp.listen"))
    settings.control.tcp.listen = with_next_port(settings.control.tcp.listen, place);
}

struct Shared {
  std::string_view key;
  std::string value;
};

/// What would collide when another subnet has the same.
std::vector<Shared> apart(const Settings& settings) {
  std::vector<Shared> all{{"state_dir", settings.state_dir}, {"control.socket", settings.control.socket}};
  if (!settings.store.etcd.empty()) all.push_back({"store.prefix", settings.store.prefix});
  // Port 0 is one that is free, so another one each time.
  const Result<Listen> listen = listen_from(settings.control.tcp.listen);
  if (listen && listen->port != 0) all.push_back({"control.tcp.listen", settings.control.tcp.listen});
  if (settings.transport.kind == TransportKind::umad) {
    all.push_back({"port", to_string(settings.transport.port)});
    for (const PortChoice& port : settings.transport.failover) all.push_back({"port", to_string(port)});
  }
  return all;
}

/// One subnet, from the values of the file without `subnets` and those of its entry, the `place`th.
Result<Loaded> read_one(const Reading& whole, const Value& common, const Value& name, const Value& keys,
                        std::size_t place, const std::string& path, std::span<const Override> command_line) {
  Reading one;
  one.config_file = whole.config_file;
  one.loaded.settings.subnet = name.text;
  one.begin_file();
  one.read_section(common, {});
  one.read_overrides(command_line);
  const auto inherited = std::exchange(one.loaded.origins, {});
  one.begin_file();
  if (keys.kind == Value::Kind::map) one.read_section(keys, {});
  for (const auto& [key, origin] : one.loaded.origins)
    if (is_of_daemon(key))
      one.report.problem(origin.place,
                         fmt::format("{}: is the same for all subnets: write it outside of them", key));
  make_apart(one.loaded.settings, one.loaded.origins, place);
  one.loaded.origins.insert(inherited.begin(), inherited.end());
  if (one.report.problem_count == 0) one.check_whole();
  if (!path.empty()) one.read_files(path);
  one.check_mentions();
  return std::move(one).result();
}

void check_apart(const Settings& a, const Settings& b, Place place, Report& report) {
  for (const Shared& of_a : apart(a))
    for (const Shared& of_b : apart(b)) {
      if (of_a.key != of_b.key || of_a.value != of_b.value) continue;
      report.problem(place, of_a.value.empty()
                                ? fmt::format("subnets {} and {} both take any port: give each its port",
                                              a.subnet, b.subnet)
                                : fmt::format("subnets {} and {} have the same {}: {}", a.subnet, b.subnet,
                                              of_a.key, of_a.value));
    }
  if (a.plan.subnet.prefix == b.plan.subnet.prefix)
    report.note(place,
                fmt::format("subnets {} and {} have the same subnet.prefix, and MPI takes them for one: "
                            "give each its own",
                            a.subnet, b.subnet));
}

}  // namespace

void Reading::read_subnets(const std::string& path, std::span<const Override> command_line) {
  if (!has_subnets() || report.problem_count > 0) return;
  begin_file();
  const Value common = without_subnets(root);
  for (std::size_t i = 0; i + 1 < entries->children.size(); i += 2) {
    const Value& name = entries->children[i];
    Result<Loaded> read = read_one(*this, common, name, entries->children[i + 1], i / 2, path, command_line);
    if (!read) {
      report.problem(name.place, fmt::format("subnets.{}:\n{}", name.text, read.error().what));
      continue;
    }
    for (const Loaded& other : loaded.subnets)
      check_apart(other.settings, read->settings, name.place, report);
    for (std::string& note : read->notes)
      if (std::ranges::find(report.notes, note) == report.notes.end())
        report.notes.push_back(std::move(note));
    read->notes.clear();
    loaded.subnets.push_back(std::move(*read));
  }
}

}  // namespace weft::config
