// How long a manager that takes over needs to read what the last one has left in etcd, and how long that took
// to write: `shared_load [registrations] [members]`, on loopback, with etcd's data in the folder for
// temporary files.

#include <cstdlib>
#include <iostream>

#include "daemon/shared_copy.h"
#include "tests/support/etcd_process.h"

namespace {

using namespace weft;  // NOLINT: a main of its own
using Seconds = std::chrono::duration<double>;

/// Of every ten registrations eight are memberships, one a service, one a subscription; 11,664 ports.
plan::SaState registrations(std::uint64_t count) {
  constexpr std::uint64_t kPorts = 11'664;
  plan::SaState state;
  std::map<std::uint64_t, plan::McGroup> groups;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t port = i % kPorts + 1;
    const Gid gid{kLinkLocalPrefix, port};
    if (i % 10 == 8) {
      plan::Service service;
      service.id = i;
      service.gid = gid;
      service.lease = 0xffffffff;
      state.services.set({i, gid, {}}, std::make_shared<const plan::Service>(service));
    } else if (i % 10 == 9) {
      plan::Subscription one;
      one.subscriber = gid;
      one.trap = static_cast<std::uint16_t>(i % 1000);
      const auto* held = state.subscriptions.find(static_cast<Guid>(port));
      auto list = held != nullptr ? **held : std::vector<plan::Subscription>();
      list.push_back(one);
      state.subscriptions.set(static_cast<Guid>(port),
                              std::make_shared<const std::vector<plan::Subscription>>(list));
    } else {
      plan::McGroup& group = groups[i / 1000];
      group.mgid = {0xff12401bffff0000, i / 1000 + 1};
      group.mlid = static_cast<Lid>(0xc000 + i / 1000);
      group.mtu = Mtu::mtu2048;
      group.members.set(static_cast<Guid>(port), {gid, 1, false});
    }
  }
  for (const auto& [number, group] : groups) state.groups = state.groups.with(group);
  return state;
}

std::unique_ptr<daemon::SharedCopy> open_copy(const tests::EtcdCluster& etcd, const std::string& directory) {
  daemon::SharedOptions options;
  for (const std::string& url : etcd.urls())
    options.etcd.endpoints.push_back(etcd::parse_endpoint(url).value());
  options.etcd.timeout = std::chrono::seconds(10);
  options.lease = std::chrono::seconds(60);
  options.directory = directory;
  return std::move(daemon::SharedCopy::open(options, {}).value());
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000;
  const int members = argc > 2 ? std::atoi(argv[2]) : 3;
  const tests::EtcdCluster etcd({.members = members, .arguments = {}});
  const tests::TempDir one_directory;
  const tests::TempDir two_directory;
  plan::Ledger ledger;
  ledger.sa = registrations(count);
  const auto one = open_copy(etcd, one_directory.path());
  (void)one->take(Guid{1}).value();
  const auto began = std::chrono::steady_clock::now();
  (void)one->write(ledger).has_value();
  if (const auto filled = one->recover(); !filled) {
    std::cerr << filled.error().what << "\n";
    return 1;
  }
  const auto written = std::chrono::steady_clock::now();
  one->leave();
  const auto two = open_copy(etcd, two_directory.path());
  const auto asked = std::chrono::steady_clock::now();
  const auto taken = two->take(Guid{2});
  const auto ended = std::chrono::steady_clock::now();
  if (!taken || !taken->ledger || taken->ledger->sa.services.size() != ledger.sa.services.size()) {
    std::cerr << (taken ? "something is missing" : taken.error().what) << "\n";
    return 1;
  }
  std::cout << fmt::format("{} registrations, {} etcd: written in {:.2f} s, taken over in {:.2f} s\n", count,
                           members, Seconds(written - began).count(), Seconds(ended - asked).count());
  return 0;
}
