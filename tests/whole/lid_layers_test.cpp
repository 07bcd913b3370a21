// The layered engine end to end: LIDs at offset i are routed in layer i, the SA gives them SL i, and SL2VL
// keeps each layer on a VL of its own.

#include <map>

#include <gtest/gtest.h>

#include "sim/probe.h"
#include "tests/whole/sa_client.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr int kLayers = 4;

config::Settings in_layers() {
  config::Settings settings;
  settings.plan.lids.lmc = 2;
  settings.plan.routing.chain.engines = {"layered"};
  settings.plan.routing.chain.layers = kLayers;
  return settings;
}

class LidLayers : public testing::Test {
 protected:
  Whole whole{"torus:4,4:hosts=1"};

  const routing::Routes& routes() const { return whole.manager->view()->plan->routes(); }
  /// As the devices have it: offset from the base LID of a host.
  Sl sl_to(Lid lid) const {
    for (std::uint32_t p = 0; p < whole.world->port_slots(); ++p) {
      const sim::Port& port = whole.world->port(sim::PortIndex{p});
      const int offset = raw(lid) - raw(port.info.lid);
      if (!whole.world->is_switch(port.node) && port.info.lid != kLidNone && offset >= 0 && offset < kLayers)
        return static_cast<Sl>(offset);
    }
    return Sl{0};
  }
  std::string loop() const {
    return sim::credit_loop(*whole.world, [this](Lid lid) { return sl_to(lid); }).value_or("");
  }
  bool settled() const {
    return sim::port_summary(*whole.world).all_active() && sim::all_pairs(*whole.world).complete();
  }
  /// Clean, connected, and quiet for a second.
  bool settle() {
    if (!whole.run_until([this] { return settled(); }, std::chrono::minutes(1))) return false;
    whole.run_for(seconds(1));
    return settled();
  }
  sim::PortIndex port(std::string_view host) const {
    return whole.world->port_of(whole.node(host), PortNum{1});
  }
  Lid lid(std::string_view host, int offset) const {
    return static_cast<Lid>(raw(whole.world->port(port(host)).info.lid) + offset);
  }
};

TEST_F(LidLayers, AreEachOnAVlOfTheirOwn) {
  whole.start({}, in_layers());
  ASSERT_TRUE(settle());
  EXPECT_EQ(routes().engine, "layered");
  EXPECT_EQ(routes().layers, kLayers);
  EXPECT_EQ(loop(), "");
  EXPECT_TRUE(sim::credit_loop(*whole.world)) << "on one VL the layers would wait for each other";
  for (int layer = 0; layer < kLayers; ++layer) {
    for (const std::string_view to : {"h00005", "h00010", "h00015"}) {
      const sim::Probed probed = sim::send_probe(
          *whole.world, {.from = port("h00000"), .to = lid(to, layer), .sl = static_cast<Sl>(layer)});
      ASSERT_TRUE(probed.delivered()) << describe(*whole.world, probed);
      for (const sim::ProbeHop& hop : probed.hops) EXPECT_EQ(raw(hop.vl), layer);
    }
  }
}

TEST_F(LidLayers, PathRecordsGiveTheSlOfTheOffset) {
  whole.start({}, in_layers());
  ASSERT_TRUE(settle());
  SaClient client(whole, "h00003");
  const auto ask = [&](int from, int to) {
    mad::PathRecord record;
    record.slid = lid("h00003", from);
    record.dlid = lid("h00010", to);
    mad::Mad mad = client.request(mad::Method::get, mad::SaAttr::path_record, sa::bit(4) | sa::bit(5));
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), record);
    return client.ask(mad).value();
  };
  for (int i = 0; i < kLayers; ++i) {
    const mad::Mad answer = ask(i, i);
    ASSERT_EQ(mad::header_of(answer).status, 0) << i;
    const auto record =
        mad::decode<mad::PathRecord>(std::span<const std::uint8_t>(answer.bytes).subspan(mad::kSaDataAt));
    EXPECT_EQ(raw(record.sl), i);
  }
  EXPECT_NE(mad::header_of(ask(0, 1)).status, 0) << "the answers would be in another layer";
}

TEST_F(LidLayers, StaySafeWhenLinksDieAndARestartWritesNothing) {
  whole.start({}, in_layers());
  ASSERT_TRUE(settle());
  for (const std::uint32_t at : {0U, 6U}) {
    whole.world->cut_link(sim::NodeIndex{at}, PortNum{2});
    ASSERT_TRUE(settle());
    EXPECT_EQ(loop(), "");
  }
  const std::uint64_t before = whole.sets();
  whole.start(whole.store.ledger, in_layers());
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.sets(), before);
  EXPECT_EQ(routes().layers, kLayers);
}

TEST_F(LidLayers, GiveWayToLevels) {
  config::Settings settings = in_layers();
  settings.plan.qos.levels = {{.name = "bulk"}, {.name = "storage"}};
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(routes().layers, 1);
  const std::vector<std::string>& notes = whole.manager->view()->plan->notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.starts_with("routing.layers: one layer, since qos.levels are given");
  }));
}

}  // namespace
}  // namespace weft::test
