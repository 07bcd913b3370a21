#include "program/settled.h"

#include <array>
#include <random>

#include <gtest/gtest.h>

#include "mad/port_info.h"
#include "program/render.h"
#include "tests/support/fabric_of.h"

namespace weft::program {
namespace {

/// A plan that all devices hold, and a Shadow that knows it.
class SettledTest : public testing::Test {
 protected:
  SettledTest() {
    fabric_ = std::make_shared<const fabric::Fabric>(test::fabric_of("fat-tree:radix=4"));
    plan::Plan plan;
    plan.routing.routes.top = Lid{200};
    for (std::size_t s = 0; s < fabric_->switch_count(); ++s) {
      plan.routing.routes.switches.push_back(guid(s));
      plan.routing.routes.lfts.push_back(
          std::make_shared<routing::Lft>(256, static_cast<std::uint8_t>(s + 1)));
    }
    std::size_t ports = 0;
    for (const fabric::Node& node : fabric_->nodes()) ports += node.port_count + std::size_t{1};
    plan.ports.resize(ports);
    for (std::size_t s = 0; s < fabric_->switch_count(); ++s)
      for (std::uint32_t block = 0; block < 4; ++block)
        shadow_.set(guid(s), mad::AttrId::linear_forwarding, block,
                    lft_block(*plan.routing.routes.lfts[s], block));
    shadow_.forget_changes();
    plan_ = plan;
    settled_ = {fabric_, std::make_shared<const plan::Plan>(std::move(plan)), {}, {}};
  }
  Guid guid(std::size_t s) const { return fabric_->node(static_cast<SwitchId>(s)).guid; }
  void change_row(std::size_t s, std::uint16_t lid, std::uint8_t port) {
    auto& row = plan_.routing.routes.lfts[s];
    row = std::make_shared<const routing::Lft>(row->with(std::array{routing::Lft::Entry{lid, port}}));
  }
  using Blocks = std::map<SwitchId, std::vector<std::uint32_t>>;
  Blocks work(const Settled* settled) const {
    Blocks blocks;
    for (const TableWork& one : table_work(*fabric_, plan_, plan_.routes(), shadow_, settled))
      if (!one.blocks.empty()) blocks[one.id] = one.blocks;
    return blocks;
  }
  std::vector<NodeId> ports() const { return ports_to_look_at(*fabric_, plan_, shadow_, &settled_); }

  std::shared_ptr<const fabric::Fabric> fabric_;
  plan::Plan plan_;
  mad::Shadow shadow_;
  Settled settled_;
};

TEST_F(SettledTest, NeedsNothingWhileNothingChanges) {
  EXPECT_TRUE(table_work(*fabric_, plan_, plan_.routes(), shadow_, &settled_).empty());
  EXPECT_TRUE(ports().empty());
  EXPECT_EQ(table_work(*fabric_, plan_, plan_.routes(), shadow_, nullptr).size(), fabric_->switch_count());
  EXPECT_EQ(ports_to_look_at(*fabric_, plan_, shadow_, nullptr).size(), fabric_->node_count());
}

TEST_F(SettledTest, FindsTheBlocksThatALookAtAllWouldFind) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    for (std::uint32_t i = random() % 6; i > 0; --i) {
      const std::size_t s = random() % fabric_->switch_count();
      const std::uint32_t block = random() % 4;
      mad::AttrData data = lft_block(*plan_.routing.routes.lfts[s], block);
      switch (random() % 5) {
        case 0:
          data[random() % 64] = 77;  // somebody else wrote it
          shadow_.set(guid(s), mad::AttrId::linear_forwarding, block, data);
          break;
        case 1:
          shadow_.device(guid(s)).erase(mad::AttrId::linear_forwarding, block);
          break;
        case 2:
          shadow_.drop_device(guid(s));
          break;
        case 3:
          settled_.open_tables.insert(guid(s));
          break;
        default:
          change_row(s, static_cast<std::uint16_t>(random() % 256), static_cast<std::uint8_t>(random() % 9));
      }
    }
    if (random() % 8 == 0) plan_.routing.routes.top = Lid{static_cast<std::uint16_t>(100 + random() % 150)};
    ASSERT_EQ(work(&settled_), work(nullptr)) << round;
    // Programmed, as far as it comes.
    for (const auto& [id, blocks] : work(nullptr))
      for (const std::uint32_t block : blocks)
        if (random() % 10 != 0)
          shadow_.set(guid(raw(id)), mad::AttrId::linear_forwarding, block,
                      lft_block(*plan_.routing.routes.lfts[raw(id)], block));
    Settled now{fabric_, std::make_shared<const plan::Plan>(plan_), {}, {}};
    for (const auto& [id, blocks] : work(nullptr)) now.open_tables.insert(guid(raw(id)));
    shadow_.forget_changes();
    settled_ = std::move(now);
  }
}

TEST_F(SettledTest, LooksAtPortsOfNodesWhoseImagesOrSettingsAreOthers) {
  const auto node_at = [&](std::size_t s) { return fabric_->node_of(static_cast<SwitchId>(s)); };
  mad::PortInfo info;
  info.state = PortState::init;
  shadow_.set(guid(1), mad::AttrId::port_info, 2, mad::encode(info));
  EXPECT_EQ(ports(), std::vector{node_at(1)});
  shadow_.forget_changes();
  shadow_.set(guid(1), mad::AttrId::port_info, 2, mad::encode(info));  // nothing new
  EXPECT_TRUE(ports().empty());
  shadow_.set(guid(1), mad::AttrId::linear_forwarding, 0, {});
  EXPECT_TRUE(ports().empty());
  plan_.ports[fabric_->node(node_at(2)).first_port + 1].bring_up = true;
  EXPECT_EQ(ports(), std::vector{node_at(2)});
  settled_.open_ports.insert(guid(0));
  EXPECT_EQ(ports(), (std::vector{node_at(0), node_at(2)}));
}

TEST_F(SettledTest, LooksAtNodesThatWereNotThere) {
  const Guid gone = guid(1);
  auto before = std::make_shared<const fabric::Fabric>(test::without_node(*fabric_, gone));
  plan::Plan old = plan_;
  const std::size_t first = fabric_->node(*fabric_->find(gone)).first_port;
  old.ports.erase(old.ports.begin() + static_cast<std::ptrdiff_t>(first),
                  old.ports.begin() + static_cast<std::ptrdiff_t>(first) + 5);
  old.routing.routes.switches.erase(old.routing.routes.switches.begin() + 1);
  old.routing.routes.lfts.erase(old.routing.routes.lfts.begin() + 1);
  settled_ = {before, std::make_shared<const plan::Plan>(std::move(old)), {}, {}};
  EXPECT_EQ(ports(), std::vector{*fabric_->find(gone)});
  shadow_.drop_device(gone);
  shadow_.forget_changes();
  EXPECT_EQ(work(&settled_), (Blocks{{SwitchId{1}, {0, 1, 2, 3}}}));
}

}  // namespace
}  // namespace weft::program
