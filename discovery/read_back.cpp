#include "discovery/read_back.h"

#include "transport/concurrency.h"

namespace weft::discovery {
namespace {

struct ReadBlock {
  transport::SmpClient* client;
  mad::Shadow* shadow;
  std::size_t* read;

  asio::awaitable<void> operator()(const BlockToRead& block) const {
    return run(client, shadow, read, block);
  }
  static asio::awaitable<void> run(transport::SmpClient* client, mad::Shadow* shadow, std::size_t* read,
                                   BlockToRead block) {
    Result<mad::AttrData> answer = co_await client->get(block.target, block.attribute, block.modifier);
    if (!answer) co_return;
    shadow->set(block.target.node, block.attribute, block.modifier, *answer);
    ++*read;
  }
};

}  // namespace

asio::awaitable<std::size_t> read_back(transport::SmpClient& client, mad::Shadow& shadow,
                                       std::span<const BlockToRead> blocks) {
  std::size_t read = 0;
  const ReadBlock work{&client, &shadow, &read};
  co_await transport::for_each(blocks, static_cast<std::size_t>(client.settings().window) * 4, work);
  co_return read;
}

}  // namespace weft::discovery
