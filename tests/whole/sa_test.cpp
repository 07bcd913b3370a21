// The SA on the wire: a program on another host asks the manager, by single packets and by RMPP.

#include <gtest/gtest.h>

#include "sa/multicast.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::Method;
using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Sa, AnswersAPathToTheOneWhoAsked) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up().clean);
  SaClient client(whole, "h00003");
  const sim::World& world = *whole.world;
  const auto lid = [&](const char* id) {
    return world.port(world.port_of(whole.node(id), PortNum{1})).info.lid;
  };
  mad::Mad request = client.request(Method::get, SaAttr::path_record, sa::bit(4) | sa::bit(5));
  mad::PathRecord asked;
  asked.slid = lid("h00003");
  asked.dlid = lid("h00020");
  mad::encode_into(std::span<std::uint8_t>(request.bytes).subspan(mad::kSaDataAt), asked);
  const std::optional<mad::Mad> answer = client.ask(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::header_of(*answer).status, 0);
  EXPECT_EQ(mad::sa_header_of(*answer).rmpp_flags, 0);
  const auto path =
      mad::decode<mad::PathRecord>(std::span<const std::uint8_t>(answer->bytes).subspan(mad::kSaDataAt));
  EXPECT_EQ(path.dlid, asked.dlid);
  EXPECT_EQ(path.dgid[1], raw(world.port(world.port_of(whole.node("h00020"), PortNum{1})).guid));
  EXPECT_EQ(sim::path(world, world.port_of(whole.node("h00003"), PortNum{1}), path.dlid).drop,
            sim::Drop::none);
}

TEST(Sa, SendsTablesInSegmentsAndLosesNone) {
  for (const double loss : {0.0, 0.02}) {
    Whole whole("fat-tree:radix=8,levels=3", 7);
    ASSERT_TRUE(whole.bring_up(5).clean);
    whole.network->settings().link_loss = loss;
    SaClient client(whole, "h00003");
    const std::vector<std::uint8_t> nodes = client.table(SaAttr::node_record);
    EXPECT_EQ(nodes.size(), whole.world->node_count() * 112) << loss;
    EXPECT_EQ(client.offset, 14);
    whole.network->settings().link_loss = 0;
    whole.run_for(seconds(10));
    EXPECT_EQ(whole.manager->sa().transfers(), 0u);
  }
}

TEST(Sa, ForgetsAReceiverThatVanished) {
  Whole whole("fat-tree:radix=8,levels=3");
  ASSERT_TRUE(whole.bring_up().clean);
  {
    SaClient client(whole, "h00003");
    client.send(client.request(Method::get_table, SaAttr::node_record));
    whole.run_until([&] { return !client.got.empty(); }, seconds(1));
    EXPECT_EQ(whole.manager->sa().transfers(), 1u);
  }
  whole.run_for(seconds(10));
  EXPECT_EQ(whole.manager->sa().transfers(), 0u);
}

TEST(A26, IsSilentToAForeignKeyAndBeforeTheFirstPlan) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  SaClient client(whole, "h00003");
  mad::Mad request = client.request(Method::get, SaAttr::class_port_info);
  request.address.lid = Lid{1};
  EXPECT_FALSE(client.ask(request)) << "no LIDs, no master";
  ASSERT_TRUE(whole.settle(seconds(60)));
  request = client.request(Method::get, SaAttr::class_port_info);
  EXPECT_TRUE(client.ask(request));
  put_bits(std::span<std::uint8_t>(request.bytes), 36 * 8, 64, 9999);
  EXPECT_FALSE(client.ask(request));
}

/// Set(InformInfo) that asks for ports that go, trap 65, from everybody.
mad::Mad subscription(SaClient& client) {
  mad::Mad request = client.request(Method::set, SaAttr::inform_info);
  mad::InformInfo wish;
  wish.lid_begin = Lid{0xffff};
  wish.generic = 1;
  wish.subscribe = 1;
  wish.type = 3;
  wish.trap = 65;
  wish.producer = 4;
  mad::encode_into(std::span<std::uint8_t>(request.bytes).subspan(mad::kSaDataAt), wish);
  return request;
}

TEST(Sa, ReportsAPortThatWentUntilItIsConfirmed) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up().clean);
  SaClient client(whole, "h00003");
  const mad::Mad request = subscription(client);
  const std::optional<mad::Mad> subscribed = client.ask(request);
  ASSERT_TRUE(subscribed);
  EXPECT_EQ(mad::header_of(*subscribed).status, 0);
  client.got.clear();
  whole.world->cut_link(whole.node("h00009"), PortNum{1});
  whole.run_for(seconds(20));
  ASSERT_FALSE(client.got.empty());
  EXPECT_EQ(mad::method_of(client.got.front()), Method::report);
  EXPECT_EQ(get_bits(client.got.front().bytes, (mad::kSaDataAt + 24) * 8, 64),
            raw(whole.world->port(whole.world->port_of(whole.node("h00009"), PortNum{1})).guid));
  EXPECT_EQ(client.got.size(), 5u) << "repeated, since nobody confirmed it";
  EXPECT_EQ(whole.manager->sa().counts().unconfirmed, 1u);
}

TEST(Sa, ReportsFollowTheLidOfTheirSubscriber) {
  Whole whole("fat-tree:radix=8");
  config::Settings settings;
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  SaClient client(whole, "h00003");
  ASSERT_TRUE(client.ask(subscription(client)));
  const sim::Port& port = whole.world->port(client.port());
  const Lid before = port.info.lid;
  settings.plan.lids.fixed[port.guid] = Lid{300};
  whole.manager->reconfigure(std::make_shared<const config::Settings>(settings));
  whole.run_for(seconds(5));
  ASSERT_EQ(port.info.lid, Lid{300});
  bool told = false;
  for (const daemon::Event& one : whole.events->after(0, 1000))
    told |= one.kind == "lids_moved" &&
            one.text.find(fmt::format("from {} to 300", raw(before))) != std::string::npos;
  EXPECT_TRUE(told);
  // It subscribes again, as a kernel does that is told of a new LID: that is the same subscription.
  ASSERT_TRUE(client.ask(subscription(client)));
  client.got.clear();
  client.confirms = true;
  whole.world->cut_link(whole.node("h00009"), PortNum{1});
  whole.run_for(seconds(20));
  EXPECT_EQ(client.got.size(), 1u);
  EXPECT_EQ(whole.manager->sa().counts().unconfirmed, 0u);
}

}  // namespace
}  // namespace weft::test
