// Tables in force: what switches hold when a manager plans may not be what its last plan says. Its new tables
// close no credit cycle with those either, at no instant while they are written.

#include <gtest/gtest.h>

#include "config/read.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

/// A torus under one up*/down* order, from a root that can be chosen: orders from different roots do not mix.
class TablesInForce : public testing::Test {
 protected:
  TablesInForce() {
    for (std::uint32_t n = 0; n < whole_.world->node_count(); ++n)
      if (const auto node = static_cast<sim::NodeIndex>(n); whole_.world->is_switch(node))
        switches_.push_back(node);
  }
  config::Settings rooted_at(std::size_t which) const {
    config::Settings settings;
    settings.plan.routing.chain.engines = {"up-down"};
    settings.plan.routing.roots = {to_string(whole_.world->node(switches_[which]).guid)};
    return settings;
  }
  void reconfigure(daemon::Manager& manager, std::size_t root) {
    manager.reconfigure(std::make_shared<const config::Settings>(rooted_at(root)));
  }
  std::uint64_t blocks_set() const {
    return whole_.world->counters().total(
        {.mgmt_class = {}, .method = mad::Method::set, .attribute = mad::AttrId::linear_forwarding});
  }
  /// The first credit loop in this time, looked for after everything that happens; empty: there was none.
  std::string loop_within(Duration time) {
    std::string found;
    whole_.run_until(
        [&] {
          found = sim::credit_loop(*whole_.world).value_or("");
          return !found.empty();
        },
        time);
    return found;
  }

  Whole whole_{"torus:3,3"};
  std::vector<sim::NodeIndex> switches_;
};

TEST_F(TablesInForce, AreWhatWhoTakesOverBeginsAt) {
  for (std::size_t root = 1; root < switches_.size(); ++root) {
    whole_.start({}, rooted_at(0));
    ASSERT_TRUE(whole_.settle()) << whole_.faults();
    const std::uint64_t before = blocks_set();
    whole_.start({}, rooted_at(root));
    EXPECT_EQ(loop_within(seconds(5)), "") << "from root 0 to " << root;
    EXPECT_GT(blocks_set(), before);
    EXPECT_EQ(whole_.faults(), "");
  }
}

TEST_F(TablesInForce, AreAMixtureAfterASweepThatWasCutShort) {
  for (std::uint64_t written = 1; written < 9; ++written) {
    Rival one(whole_, whole_.first_host, rooted_at(0));
    const auto is_clean = [&one] {
      return !one.manager().sweeping() && !one.manager().sweeps().empty() &&
             one.manager().sweeps().back().clean;
    };
    ASSERT_TRUE(whole_.run_until(is_clean, seconds(60)));
    const std::uint64_t before = blocks_set();
    reconfigure(one.manager(), 4);
    ASSERT_TRUE(whole_.run_until([&] { return blocks_set() >= before + written; }, seconds(5)));
    one.freeze();
    EXPECT_EQ(loop_within(seconds(20)), "");
    one.thaw();
    reconfigure(one.manager(), 8);
    EXPECT_EQ(loop_within(seconds(20)), "") << "cut short after " << written << " blocks";
    EXPECT_EQ(whole_.faults(), "");
  }
}

TEST_F(TablesInForce, AreTheOldOnesWhileThoseInTheWayAreNotGone) {
  for (const sim::NodeIndex stubborn : switches_) {
    whole_.start({}, rooted_at(0));
    ASSERT_TRUE(whole_.settle()) << whole_.faults();
    whole_.network->conditions().refuse(
        stubborn,
        {.attribute = mad::AttrId::linear_forwarding, .status = mad::Status::bad_value, .times = 1});
    reconfigure(*whole_.manager, 4);
    EXPECT_EQ(loop_within(seconds(10)), "") << whole_.world->node(stubborn).id << " refused one block";
    EXPECT_EQ(whole_.faults(), "");
  }
}

/// Another name calls for keys or levels only, and yet is a plan that is put in force.
TEST_F(TablesInForce, AreTheOldOnesForWhoIsRenamedMeanwhile) {
  for (const sim::NodeIndex stubborn : switches_) {
    config::Settings settings = rooted_at(0);
    settings.plan.partitions =
        config::read_text("partitions:\n  define:\n    some: { key: 0x10, members: [ 'h0000*' ] }\n", "f")
            .value()
            .settings.plan.partitions;
    whole_.start({}, settings);
    ASSERT_TRUE(whole_.settle()) << whole_.faults();
    whole_.network->conditions().refuse(
        stubborn,
        {.attribute = mad::AttrId::linear_forwarding, .status = mad::Status::bad_value, .times = 4});
    settings.plan.routing.roots = rooted_at(4).plan.routing.roots;
    whole_.manager->reconfigure(std::make_shared<const config::Settings>(settings));
    const auto refused = [&] { return !whole_.status().dirty.empty(); };
    if (whole_.run_until(refused, seconds(1))) whole_.world->rename(whole_.node("h00005"), "another");
    EXPECT_EQ(loop_within(seconds(10)), "") << whole_.world->node(stubborn).id << " refused some blocks";
    whole_.network->conditions().end_refusals(stubborn);
    ASSERT_TRUE(whole_.settle()) << whole_.faults();
  }
}

}  // namespace
}  // namespace weft::test
