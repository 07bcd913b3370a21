#include "discovery/told.h"

#include <algorithm>

#include "fabric/path_tree.h"
#include "mad/node_info.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::discovery {
namespace {

struct AskName {
  transport::SmpClient* client;
  const fabric::Fabric* fabric;
  const fabric::PathTree* paths;
  Descriptions* told;

  asio::awaitable<void> operator()(NodeId node) const {
    const auto target = transport::target_by(fabric->node(node).guid, paths->ports_to(node));
    if (!target) co_return;
    Result<mad::AttrData> answer = co_await client->get(*target, mad::AttrId::node_description, 0);
    if (!answer) {
      if (answer.error().code == Errc::timeout) told->silent.push_back(target->node);
      co_return;
    }
    std::string text = mad::decode<mad::NodeDescription>(*answer).text;
    if (text != fabric->node(node).description) told->changed.emplace_back(node, std::move(text));
  }
};

}  // namespace

asio::awaitable<Descriptions> read_descriptions(transport::SmpClient& client,
                                                std::shared_ptr<const Discovered> known,
                                                std::vector<Guid> nodes) {
  const fabric::Fabric& fabric = *known->fabric;
  const fabric::PathTree paths(fabric, known->own_port);
  std::vector<NodeId> asked;
  for (const Guid guid : nodes)
    if (const auto node = fabric.find(guid)) asked.push_back(*node);
  Descriptions told;
  const std::span<const NodeId> all(asked);
  const AskName ask{&client, &fabric, &paths, &told};
  co_await transport::for_each(all, static_cast<std::size_t>(client.settings().window) * 2, ask);
  std::ranges::sort(told.changed);
  co_return told;
}

fabric::Fabric renamed(const fabric::Fabric& fabric,
                       std::span<const std::pair<NodeId, std::string>> descriptions) {
  fabric::Builder builder = fabric::builder_of(fabric);
  for (const auto& [node, text] : descriptions) builder.set_description(fabric.node(node).guid, text);
  return builder.build();
}

}  // namespace weft::discovery
