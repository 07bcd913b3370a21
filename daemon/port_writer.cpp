#include "daemon/port_writer.h"

#include "daemon/log.h"
#include "mad/port_info.h"

namespace weft::daemon {
namespace {

struct Wish {
  transport::Target target;
  std::uint32_t modifier = 0;
  Guid port{};
  Lid lid{};
};

/// What the port holds that is to have this LID; nothing where somebody else answers: cables have moved, and
/// what is written there would be another port's.
asio::awaitable<std::optional<mad::AttrData>> held_by(transport::SmpClient& client, transport::Target target,
                                                      std::uint32_t modifier, Lid lid) {
  Result<mad::AttrData> answer = co_await client.get(target, mad::AttrId::port_info, modifier);
  if (!answer || mad::decode<mad::PortInfo>(*answer).lid != lid) co_return std::nullopt;
  co_return *answer;
}

struct TellPort {
  transport::SmpClient* client;
  std::vector<Guid>* told;
  asio::awaitable<void> operator()(const Wish& wish) const { return run(client, told, wish); }
  static asio::awaitable<void> run(transport::SmpClient* client, std::vector<Guid>* told, Wish wish) {
    std::optional<mad::AttrData> data = co_await held_by(*client, wish.target, wish.modifier, wish.lid);
    if (!data) co_return;
    auto info = mad::decode<mad::PortInfo>(*data);
    info.state = PortState::no_change;
    info.phys = PhysState::no_change;
    info.client_reregister = true;
    mad::AttrData request = *data;
    mad::encode_into(std::span<std::uint8_t>(request), info);
    Result<mad::AttrData> answer =
        co_await client->set(wish.target, mad::AttrId::port_info, wish.modifier, request);
    if (answer) told->push_back(wish.port);
  }
};

asio::awaitable<void> tell_all(transport::SmpClient& client, std::uint64_t& count, std::vector<Wish> wishes,
                               std::vector<Guid> told, std::function<void(std::vector<Guid>)> done) {
  const std::size_t before = told.size();
  const TellPort tell{&client, &told};
  const std::span<const Wish> items(wishes);
  co_await transport::for_each(items, static_cast<std::size_t>(client.settings().window), tell);
  count += told.size() - before;
  done(std::move(told));
}

asio::awaitable<void> write_block(transport::SmpClient& client, Wish wish, std::uint32_t block,
                                  mad::AttrData data) {
  const std::optional<mad::AttrData> there = co_await held_by(client, wish.target, wish.modifier, wish.lid);
  if (!there) {
    sa_log().info("alias GUIDs not written port={} why=\"it is not there\"", to_string(wish.port));
    co_return;
  }
  const transport::Target target = wish.target;
  Result<mad::AttrData> answer = co_await client.set(target, mad::AttrId::guid_info, block, data);
  if (!answer && answer.error().code != Errc::cancelled)
    sa_log().warn("alias GUIDs not written port={} why=\"{}\"", to_string(target.node), answer.error().what);
}

Lid planned_lid(const plan::View& view, fabric::PortRef port) {
  return view.plan->ports[view.fabric->node(port.node).first_port + raw(port.port)].lid.base;
}

}  // namespace

void PortWriter::reregister(std::shared_ptr<const plan::View> view, std::vector<fabric::PortRef> ports,
                            std::function<void(std::vector<Guid>)> done) {
  std::vector<Wish> wishes;
  std::vector<Guid> told;
  for (const fabric::PortRef port : ports) {
    const Guid node = view->fabric->node(port.node).guid;
    const mad::AttrData* held =
        devices_ == nullptr ? nullptr : devices_->find(node, mad::AttrId::port_info, raw(port.port));
    if (held == nullptr) continue;
    const auto info = mad::decode<mad::PortInfo>(*held);
    const Guid guid = view->fabric->port(port).guid;
    if (!mad::has(info, mad::PortCap::client_reregister)) {
      told.push_back(guid);
      continue;
    }
    const auto target = paths_.target_of(view, port);
    if (!target) continue;
    wishes.push_back({*target, mad::port_info_modifier(port.port), guid, planned_lid(*view, port)});
  }
  tasks_.start(tell_all(client_, reregistered_, std::move(wishes), std::move(told), std::move(done)));
}

void PortWriter::write_guids(const std::shared_ptr<const plan::View>& view, fabric::PortRef port,
                             std::uint32_t block, mad::AttrData data) {
  if (const auto target = paths_.target_of(view, port)) {
    const Wish wish{*target, mad::port_info_modifier(port.port), view->fabric->port(port).guid,
                    planned_lid(*view, port)};
    tasks_.start(write_block(client_, wish, block, data));
  }
}

}  // namespace weft::daemon
