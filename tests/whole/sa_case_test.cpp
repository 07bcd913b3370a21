// Conformance cases of the SA that need the wire, time or a living fabric. Names carry their numbers.

#include <gtest/gtest.h>

#include "sa/multicast.h"
#include "sim/probe.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::Method;
using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Gid kCaseGroup{0xff12401bffff0000, 0x0000000000000707};

struct Case {
  explicit Case(std::string_view blueprint = "fat-tree:radix=8") : whole(blueprint) {
    EXPECT_TRUE(whole.bring_up(3).clean);
  }
  mad::Mad node_by_lid() {
    mad::Mad mad = client.request(Method::get, SaAttr::node_record, sa::bit(0));
    put_bits(std::span<std::uint8_t>(mad.bytes), mad::kSaDataAt * 8, 16, lid());
    return mad;
  }
  unsigned lid() const { return raw(whole.world->port(client.port()).info.lid); }
  static void show_key(mad::Mad& mad, std::uint64_t key) {
    put_bits(std::span<std::uint8_t>(mad.bytes), 36 * 8, 64, key);
  }
  static std::uint16_t status(const std::optional<mad::Mad>& answer) {
    return answer ? mad::header_of(*answer).status : std::uint16_t{0xffff};
  }

  Whole whole;
  SaClient client{whole, "h00003"};
};

TEST(A4A5, AForeignKeyIsMetWithSilenceOursIsNot) {
  Case here;
  mad::Mad mad = here.node_by_lid();
  Case::show_key(mad, 0x1234);
  EXPECT_FALSE(here.client.ask(mad));
  Case::show_key(mad, 1);
  const auto answer = here.client.ask(mad);
  EXPECT_EQ(Case::status(answer), 0);
  EXPECT_EQ(mad::sa_header_of(*answer).sm_key, 0u);
}

TEST(A6, AnotherBaseVersionIsRefused) {
  Case here;
  mad::Mad mad = here.node_by_lid();
  mad.bytes[0] = 2;
  const auto answer = here.client.ask(mad);
  EXPECT_TRUE(!answer || Case::status(answer) == 0x0004);
}

TEST(A16A17, AnswersToNothingAreMetWithSilence) {
  Case here;
  mad::Mad mad = here.node_by_lid();
  for (const Method method : {Method::get_resp, Method::report_resp, Method::get_table_resp}) {
    mad.bytes[3] = static_cast<std::uint8_t>(method);
    EXPECT_FALSE(here.client.ask(mad)) << name(method);
  }
  EXPECT_EQ(Case::status(here.client.ask(here.node_by_lid())), 0) << "and nothing is the worse for it";
}

TEST(A20, AnRmppHeaderWithoutFlagsIsIgnored) {
  Case here;
  mad::Mad mad = here.node_by_lid();
  mad.bytes[24] = 1;
  mad.bytes[25] = 1;
  EXPECT_EQ(Case::status(here.client.ask(mad)), 0);
}

TEST(A23, TheAnswerGoesToTheQueuePairThatAsked) {
  Case here;
  mad::Mad mad = here.node_by_lid();
  mad.address.sl = Sl{0};
  const auto answer = here.client.ask(mad);
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::header_of(*answer).tid & 0xffffffff, mad::header_of(mad).tid & 0xffffffff);
}

TEST(A24, AJoinThatIsRepeatedIsOneMembershipAnsweredAlike) {
  Case here;
  mad::McMemberRecord record;
  record.mgid = sa::ipoib_broadcast(Pkey{0xffff});
  record.port_gid = here.client.gid();
  record.join_state = 1;
  mad::Mad mad =
      here.client.request(Method::set, SaAttr::mc_member_record, sa::bit(0) | sa::bit(1) | sa::bit(16));
  mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), record);
  const auto first = here.client.ask(mad);
  here.whole.run_for(milliseconds(100));
  const auto second = here.client.ask(mad);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->bytes, second->bytes);
  EXPECT_EQ(here.whole.manager->sa().state().groups.find(record.mgid)->members.size(), 1u);
}

TEST(A25, SilentWhileAnotherIsMaster) {
  Case here;
  config::Settings higher;
  higher.manager.priority = 15;
  (void)here.whole.transport->set_is_sm(false);
  Rival rival(here.whole, "h00007", higher);
  here.whole.run_for(seconds(30));
  ASSERT_EQ(here.whole.status().state, daemon::State::standby);
  mad::Mad mad = here.node_by_lid();
  mad.address.lid =
      here.whole.world->port(here.whole.world->port_of(here.whole.node("h00000"), PortNum{1})).info.lid;
  EXPECT_FALSE(here.client.ask(mad));
}

TEST(A27, ARequesterThatDiesInTheMiddleOfATableCostsNothing) {
  Case here("fat-tree:radix=8,levels=3");
  for (int i = 0; i < 50; ++i) here.client.send(here.client.request(Method::get_table, SaAttr::path_record));
  here.whole.run_for(seconds(1));
  EXPECT_GT(here.whole.manager->sa().transfers(), 0u);
  here.whole.run_for(seconds(20));
  EXPECT_EQ(here.whole.manager->sa().transfers(), 0u);
}

TEST(E15E17, ANewGroupIsReportedToWhoeverSubscribed) {
  Case here;
  SaClient watcher(here.whole, "h00009");
  watcher.confirms = true;
  ASSERT_EQ(watcher.subscribe(66), 0);
  watcher.got.clear();
  ASSERT_EQ(here.client.join(kCaseGroup), 0);
  ASSERT_TRUE(here.whole.run_until([&] { return watcher.reports()[66] > 0; }, seconds(2)));
  const mad::Mad& report = watcher.got.front();
  EXPECT_EQ(mad::header_of(report).class_version, mad::kSaVersion);
  EXPECT_EQ(get_bits(report.bytes, (mad::kSaDataAt + 16) * 8, 64), kCaseGroup[0]);
  here.whole.run_for(seconds(10));
  EXPECT_EQ(watcher.reports()[66], 1) << "confirmed, so not repeated";
}

TEST(E16, AReportNobodyConfirmsEndsAndTheSubscriptionStays) {
  Case here;
  ASSERT_EQ(here.client.subscribe(66), 0);
  here.client.got.clear();
  SaClient other(here.whole, "h00009");
  ASSERT_EQ(other.join(kCaseGroup), 0);
  here.whole.run_for(seconds(20));
  EXPECT_EQ(here.client.reports()[66], 5);
  EXPECT_EQ(plan::subscription_count(here.whole.manager->sa().state()), 1u);
}

TEST(E18E19, AFlappingPortIsReportedGoneThenBack) {
  Case here;
  SaClient watcher(here.whole, "h00009");
  watcher.confirms = true;
  ASSERT_EQ(watcher.subscribe(0xffff), 0);
  watcher.got.clear();
  here.whole.world->cut_link(here.whole.node("h00020"), PortNum{1});
  here.whole.run_for(seconds(15));
  here.whole.world->mend_link(here.whole.node("h00020"), PortNum{1});
  here.whole.run_for(seconds(15));
  std::vector<int> traps;
  for (const mad::Mad& mad : watcher.got)
    if (mad::method_of(mad) == Method::report)
      traps.push_back(static_cast<int>(get_bits(mad.bytes, (mad::kSaDataAt + 4) * 8, 16)));
  std::erase_if(traps, [](int trap) { return trap != 64 && trap != 65; });
  EXPECT_EQ(traps, (std::vector<int>{65, 64}));
}

TEST(E20E21, SubscriptionsEndWithTheirPortAndOutliveTheManager) {
  Case here;
  SaClient gone(here.whole, "h00020");
  ASSERT_EQ(gone.subscribe(66), 0);
  ASSERT_EQ(here.client.subscribe(66), 0);
  here.whole.world->cut_link(here.whole.node("h00020"), PortNum{1});
  here.whole.run_for(seconds(60));
  EXPECT_EQ(plan::subscription_count(here.whole.manager->sa().state()), 1u);
  here.whole.kill();
  here.whole.start(here.whole.store.ledger);
  ASSERT_TRUE(here.whole.run_until([&] { return here.whole.manager->sa().index() != nullptr; }, seconds(30)));
  EXPECT_EQ(plan::subscription_count(here.whole.manager->sa().state()), 1u);
}

TEST(G45, TrafficFlowsWithinASecondOfAJoin) {
  Case here;
  SaClient other(here.whole, "h00020");
  ASSERT_EQ(here.client.join(kCaseGroup), 0);
  ASSERT_EQ(other.join(kCaseGroup), 0);
  here.whole.run_for(seconds(1));
  EXPECT_EQ(
      sim::send_probe(*here.whole.world, {.from = other.port(), .to = other.joined.mlid}).arrived.size(), 1u);
  ASSERT_EQ(other.leave(kCaseGroup), 0);
  here.whole.run_for(seconds(1));
  EXPECT_EQ(sim::send_probe(*here.whole.world, {.from = here.client.port(), .to = other.joined.mlid})
                .arrived.size(),
            0u);
}

TEST(X9, APortThatComesBackKeepsItsLid) {
  Case here;
  const unsigned before = here.lid();
  here.whole.world->cut_link(here.whole.node("h00003"), PortNum{1});
  here.whole.run_for(seconds(60));
  here.whole.world->mend_link(here.whole.node("h00003"), PortNum{1});
  here.whole.run_for(seconds(30));
  EXPECT_EQ(here.lid(), before);
}

TEST(X11, ClassesThatAreNotOursDoNoHarm) {
  Case here;
  for (const std::uint8_t other : {0x32, 0x21, 0x06}) {
    mad::Mad mad = here.node_by_lid();
    mad.bytes[1] = other;
    const auto answer = here.client.ask(mad);
    EXPECT_TRUE(!answer || Case::status(answer) == 0x0004 || Case::status(answer) == 0x0008) << int{other};
  }
  EXPECT_EQ(Case::status(here.client.ask(here.node_by_lid())), 0);
}

}  // namespace
}  // namespace weft::test
