#include "daemon/shared_settings.h"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <fstream>

#include "config/schema.h"

namespace weft::daemon {
namespace {

constexpr std::array kAlike{"subnet", "lids", "links", "routing", "partitions", "qos", "sa", "names"};
/// Files whose content is in the other keys.
constexpr std::array kPlaces{"partitions.include", "partitions.opensm_file", "qos.opensm_file"};

/// Errors: when it cannot be read, or by others than its owner, too.
Result<void> check_secret(std::string_view key, const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0 || access(path.c_str(), R_OK) != 0)
    return fail(Errc::system, "{}: cannot read {}", key, path);
  if ((info.st_mode & 077) != 0)
    return fail(Errc::invalid, "{}: others can read {}; chmod 600 it", key, path);
  return {};
}

/// FNV-1a.
std::uint64_t digest(std::uint64_t from, std::string_view text) {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return from;
}

}  // namespace

Result<std::optional<SharedOptions>> shared_options(const config::Settings& settings) {
  const config::StoreSettings& store = settings.store;
  if (store.etcd.empty()) return std::optional<SharedOptions>();
  SharedOptions options;
  for (const std::string& url : store.etcd) {
    auto endpoint = etcd::parse_endpoint(url);
    if (!endpoint) return fail(Errc::invalid, "store.etcd: {}", endpoint.error().what);
    options.etcd.endpoints.push_back(std::move(*endpoint));
  }
  if (store.user.empty() != store.password_file.empty())
    return fail(Errc::invalid, "store.user and store.password_file belong together: give both or neither");
  if (store.cert.empty() != store.key.empty())
    return fail(Errc::invalid, "store.cert and store.key belong together: give both or neither");
  if (!store.user.empty()) {
    if (auto good = check_secret("store.password_file", store.password_file); !good)
      return fail(good.error());
    std::ifstream file(store.password_file);
    std::getline(file, options.etcd.password);
    if (options.etcd.password.empty())
      return fail(Errc::invalid, "store.password_file: the first line of {} is empty", store.password_file);
  }
  if (!store.key.empty())
    if (auto good = check_secret("store.key", store.key); !good) return fail(good.error());
  options.etcd.user = store.user;
  options.etcd.ca = store.ca;
  options.etcd.cert = store.cert;
  options.etcd.key = store.key;
  options.etcd.timeout = store.timeout;
  options.prefix = store.prefix.ends_with('/') ? store.prefix : store.prefix + "/";
  options.lease = store.lease;
  options.directory = settings.state_dir;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) options.self.host = host.data();
  options.self.digests = config_digests(settings);
  return options;
}

std::map<std::string, std::string> config_digests(const config::Settings& settings) {
  std::map<std::string, std::uint64_t> sums;
  for (const config::Key& key : config::schema()) {
    const std::string section(key.path.substr(0, key.path.find('.')));
    const bool counts = std::ranges::find(kAlike, section) != kAlike.end() || key.path == "manager.allowed";
    if (!counts || key.secret || std::ranges::find(kPlaces, key.path) != kPlaces.end()) continue;
    const auto sum = sums.try_emplace(section, 0xcbf29ce484222325u).first;
    sum->second = digest(digest(sum->second, key.path), key.show(settings));
  }
  std::map<std::string, std::string> digests;
  for (const auto& [section, sum] : sums) digests.emplace(section, fmt::format("{:016x}", sum));
  return digests;
}

std::vector<std::string> config_differences(const std::map<std::string, std::string>& ours,
                                            const std::vector<Presence>& others) {
  std::vector<std::string> sentences;
  for (const Presence& other : others) {
    std::string sections;
    for (const auto& [section, digest] : ours) {
      const auto theirs = other.digests.find(section);
      if (theirs != other.digests.end() && theirs->second != digest)
        sections += (sections.empty() ? "" : ", ") + section;
    }
    if (!sections.empty())
      sentences.push_back(fmt::format(
          "subnet manager {} is configured otherwise than this one: {}. Whoever is master puts its own in "
          "force; make the files alike",
          describe(other), sections));
  }
  return sentences;
}

}  // namespace weft::daemon
