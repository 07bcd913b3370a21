#include "daemon/sa_tables.h"

namespace weft::daemon {
namespace {

struct BlockAsked {
  transport::Target target;
  mad::AttrId attribute{};
  std::uint32_t modifier = 0;
};

struct ReadBlock {
  transport::SmpClient* client;
  mad::Blocks* held;
  asio::awaitable<void> operator()(const BlockAsked& block) const { return run(client, held, block); }
  static asio::awaitable<void> run(transport::SmpClient* client, mad::Blocks* held, BlockAsked block) {
    Result<mad::AttrData> answer = co_await client->get(block.target, block.attribute, block.modifier);
    if (answer)
      held->set(block.target.node, block.attribute, block.modifier, *answer);
    else if (answer.error().code == Errc::bad_status)
      held->set(block.target.node, block.attribute, block.modifier, {});
  }
};

asio::awaitable<void> read_all(transport::SmpClient& client, mad::Blocks& held,
                               std::vector<BlockAsked> blocks, std::function<void()> done) {
  const ReadBlock read{&client, &held};
  const std::span<const BlockAsked> items(blocks);
  co_await transport::for_each(items, static_cast<std::size_t>(client.settings().window), read);
  done();
}

}  // namespace

void SaTables::read(std::shared_ptr<const plan::View> view, std::vector<sa::TableBlock> blocks,
                    std::function<void()> done) {
  std::vector<BlockAsked> asked;
  for (const sa::TableBlock& block : blocks) {
    auto target = paths_.target_of(view, block.port);
    if (!target) continue;
    target->node = block.holder;  // what it is kept under
    asked.push_back({*target, block.attribute, block.modifier});
  }
  tasks_.start(read_all(client_, held_, std::move(asked), std::move(done)));
}

}  // namespace weft::daemon
