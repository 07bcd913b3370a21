#include "discovery/locked.h"

#include <fmt/format.h>

#include "fabric/path_tree.h"
#include "mad/port_info.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::discovery {
namespace {

/// Devices in a sweep for which all our keys are tried, one SMP a key: a foreign subnet that was plugged in
/// does not hold it up.
constexpr std::size_t kMostSearches = 4;

Finding finding_of(const fabric::Node& node, const mad::PortInfo& info) {
  return {Finding::Kind::locked, node.guid,
          fmt::format("{} {} has an M_Key that is none of ours (M_KeyProtectBits {}, lease {}): it is left "
                      "alone. Add its key to the file of m_key.file, or boot it",
                      name(node.type), fabric::describe(node), info.m_key_protect,
                      info.m_key_lease == 0 ? "for ever" : fmt::format("{} s", info.m_key_lease))};
}

struct Suspect {
  transport::Target target;
  std::uint32_t modifier = 0;
  mad::AttrData held{};
  bool locked = true;
};

/// Some hold key 0 and protection bits that mean nothing: they obey, those with a key do not.
struct Try {
  transport::SmpClient* client;
  asio::awaitable<void> operator()(Suspect* one) const { return run(client, one); }
  static asio::awaitable<void> run(transport::SmpClient* client, Suspect* one) {
    mad::AttrData same = one->held;
    auto info = mad::decode<mad::PortInfo>(same);
    info.state = PortState::no_change;
    info.phys = PhysState::no_change;
    info.client_reregister = false;
    mad::encode_into(std::span<std::uint8_t>(same), info);
    Result<mad::AttrData> answer =
        co_await client->set(one->target, mad::AttrId::port_info, one->modifier, same);
    one->locked = !answer && answer.error().code != Errc::cancelled;
  }
};

}  // namespace

asio::awaitable<std::vector<Finding>> find_locked(transport::SmpClient& client, const mad::Shadow& shadow,
                                                  const Discovered& found, std::span<const Guid> once) {
  std::vector<Finding> locked;
  if (client.foreign().empty()) co_return locked;
  const fabric::Fabric& fabric = *found.fabric;
  const fabric::PathTree paths(fabric, found.own_port);
  std::vector<Suspect> suspects;
  for (const auto& [guid, modifier] : client.foreign()) {
    const auto node = fabric.find(guid);
    const auto target = node ? transport::target_by(guid, paths.ports_to(*node)) : std::nullopt;
    const mad::AttrData* held = shadow.find(guid, mad::AttrId::port_info, modifier & 0xff);
    if (target && held != nullptr) suspects.push_back({*target, modifier, *held});
  }
  std::vector<Suspect*> unclear;
  for (Suspect& one : suspects)
    if (mad::decode<mad::PortInfo>(one.held).m_key == 0) unclear.push_back(&one);
  const Try attempt{&client};
  const std::span<Suspect* const> all(unclear);
  co_await transport::for_each(all, static_cast<std::size_t>(client.settings().window), attempt);
  std::size_t searches = 0;
  for (const Suspect& one : suspects) {
    if (!one.locked) continue;
    if (client.may_have_strayed(one.target.node) && searches < kMostSearches) {
      ++searches;
      const bool strayed = co_await client.find_stray_m_key(one.target, one.modifier, once);
      if (strayed) continue;
    }
    locked.push_back(
        finding_of(fabric.node(*fabric.find(one.target.node)), mad::decode<mad::PortInfo>(one.held)));
  }
  co_return locked;
}

}  // namespace weft::discovery
