#include "program/verify.h"

#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/tables.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::program {
namespace {

using fabric::PortRef;

struct Verifier {
  transport::SmpClient& client;
  const mad::Shadow& shadow;
  const fabric::Fabric& fabric;
  const fabric::PathTree& paths;
  const plan::Plan& plan;
  Verified result;

  asio::awaitable<void> look(NodeId node) {
    bool kept = true;
    if (fabric.is_switch(node))
      kept = co_await switch_kept(node);
    else
      kept = co_await host_kept(node);
    if (kept) co_return;
    result.booted.push_back(fabric.node(node).guid);
    const bool moved = co_await somebody_else(node);
    if (moved) result.elsewhere.push_back(fabric.node(node).guid);
  }

  asio::awaitable<bool> somebody_else(NodeId node) {
    const auto way = transport::target_by(Guid{}, paths.ports_to(node));
    if (!way) co_return false;
    Result<mad::AttrData> answer = co_await client.get(*way, mad::AttrId::node_info, 0);
    co_return answer&& mad::decode<mad::NodeInfo>(*answer).node_guid != fabric.node(node).guid;
  }

  asio::awaitable<bool> switch_kept(NodeId node) {
    const auto way = transport::target_by(fabric.node(node).guid, paths.ports_to(node));
    if (!way) co_return true;
    const std::uint32_t modifier = mad::port_info_modifier(PortNum{0});
    Result<mad::AttrData> answer = co_await client.get(*way, mad::AttrId::port_info, modifier);
    if (!answer) co_return answer.error().code == Errc::cancelled;
    const Lid planned = plan.ports[fabric.node(node).first_port].lid.base;
    co_return planned == kLidNone || mad::decode<mad::PortInfo>(*answer).lid == planned;
  }

  asio::awaitable<bool> host_kept(NodeId node) {
    const auto ports = fabric.ports(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef port{node, static_cast<PortNum>(p)};
      const mad::AttrData* held =
          shadow.find(fabric.node(node).guid, mad::AttrId::pkey_table, static_cast<std::uint32_t>(p) << 16);
      const auto way = transport::target_by(fabric.node(node).guid, paths.ports_to(fabric, port));
      if (!ports[p].peer || held == nullptr || !way) continue;
      const auto expected = mad::decode<mad::PkeyTable>(*held);
      Result<mad::AttrData> answer = co_await client.get(*way, mad::AttrId::pkey_table, 0);
      if (!answer) co_return answer.error().code == Errc::cancelled;
      if (mad::decode<mad::PkeyTable>(*answer) != expected) co_return false;
    }
    co_return true;
  }
};

struct LookAt {
  Verifier* verifier;
  asio::awaitable<void> operator()(NodeId node) const { return verifier->look(node); }
};

}  // namespace

asio::awaitable<Verified> verify(transport::SmpClient& client, const mad::Shadow& shadow,
                                 const fabric::Fabric& fabric, const fabric::PathTree& paths,
                                 const plan::Plan& plan, const std::set<NodeId>& written) {
  const std::vector<NodeId> nodes(written.begin(), written.end());
  Verifier verifier{client, shadow, fabric, paths, plan, {}};
  const LookAt act{&verifier};
  const std::span<const NodeId> all(nodes);
  co_await transport::for_each(all, static_cast<std::size_t>(client.settings().window), act);
  co_return std::move(verifier.result);
}

}  // namespace weft::program
