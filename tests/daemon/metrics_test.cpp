#include "daemon/metrics.h"

#include <set>

#include "asked.h"
#include "canned.h"
#include "daemon/api.h"

namespace weft::daemon {
namespace {

class Metrics : public testing::Test {
 protected:
  Metrics() {
    source = daemon.source();
    source.tallies = [this]() -> const Tallies& { return tallies; };
    source.readings = [this]() -> const std::map<plan::Place, PortReadings>& { return readings; };
    source.sa = [this]() -> std::optional<SaView> { return sa; };
  }
  std::string text(const std::string& query = "") {
    return test::answer_of(make_api(source), "GET", "/metrics" + query).body;
  }
  bool has(const std::string& line) { return ("\n" + text()).find("\n" + line + "\n") != std::string::npos; }

  test::CannedDaemon daemon;
  ApiSource source;
  Tallies tallies;
  std::map<plan::Place, PortReadings> readings;
  std::optional<SaView> sa;
};

TEST_F(Metrics, TellStateFabricAndRouting) {
  EXPECT_TRUE(has("weft_state{state=\"master\"} 1")) << text();
  EXPECT_TRUE(has("weft_state{state=\"standby\"} 0"));
  EXPECT_TRUE(has("weft_nodes{type=\"switch\"} 4"));
  EXPECT_TRUE(has("weft_links{state=\"active\"} 8"));
  EXPECT_TRUE(has("weft_links{state=\"down\"} 0")) << "a series does not come and go";
  EXPECT_TRUE(has("weft_routing_engine_info{engine=\"fat-tree\"} 1"));
  EXPECT_TRUE(has("weft_routing_fallback{reason=\"kept-last\"} 0"));
  EXPECT_TRUE(has("weft_routing_pairs_lost 0"));
}

TEST_F(Metrics, CountSweepsAndEvents) {
  tallies.note(test::clean_sweep(1));
  SweepReport bad = test::clean_sweep(2);
  bad.clean = false;
  tallies.note(bad);
  tallies.note(daemon.events[1]);
  EXPECT_TRUE(has("weft_sweeps_total{kind=\"full\",outcome=\"clean\"} 1")) << text();
  EXPECT_TRUE(has("weft_sweeps_total{kind=\"full\",outcome=\"not-clean\"} 1"));
  EXPECT_TRUE(has("weft_sweep_smps_total 200"));
  EXPECT_TRUE(has("weft_events_total{kind=\"link_down\",severity=\"warning\"} 1"));
}

TEST_F(Metrics, CountChangesOfTheEngineByReason) {
  auto view = *daemon.view;
  const auto next = [&](std::vector<routing::Refusal> refusals, bool kept) {
    auto plan = std::make_shared<plan::Plan>(*view.plan);
    plan->routing.refusals = std::move(refusals);
    plan->routing.kept_last = kept;
    view.plan = plan;
    ++view.generation;
    tallies.note(view);
    tallies.note(view);  // the same one is counted once
  };
  next({}, false);
  next({{"dragonfly", "it is none"}}, false);
  ++view.generation;
  tallies.note(view);
  next({}, true);
  next({}, false);
  EXPECT_EQ(tallies.engine_changes,
            (std::map<std::string, std::uint64_t>{{"refused", 1}, {"kept-last", 1}, {"restored", 1}}));
}

TEST_F(Metrics, TellTheSaByAttribute) {
  sa.emplace();
  SaAttributeCounts& counts = sa->counts.by_attribute[0x35];
  counts.requests = 5;
  counts.answered = 4;
  counts.took[3] = 4;
  counts.took_in_all = std::chrono::microseconds(20);
  EXPECT_TRUE(has("weft_sa_requests_total{attribute=\"0x0035\"} 5")) << text();
  EXPECT_TRUE(has("weft_sa_answer_seconds_bucket{le=\"+Inf\"} 4"));
  EXPECT_TRUE(has("weft_sa_answer_seconds_bucket{le=\"1.6e-05\"} 4"));
  EXPECT_TRUE(has("weft_sa_answer_seconds_bucket{le=\"4e-06\"} 0"));
  EXPECT_TRUE(has("weft_sa_answer_seconds_sum 2e-05"));
  EXPECT_TRUE(has("weft_sa_answer_seconds_count 4"));
}

TEST_F(Metrics, GiveSeriesByPortOnRequestOnly) {
  readings[{Guid{0x2000}, PortNum{3}}].now.counted.xmit_data = 25;
  EXPECT_EQ(text().find("weft_port_"), std::string::npos);
  EXPECT_TRUE(has("weft_ports_xmit_bytes_total 100"));
  const std::string by_port = text("?ports=1");
  EXPECT_NE(by_port.find(
                "weft_port_xmit_bytes_total{guid=\"0x0000000000002000\",name=\"leaf-0\",port=\"3\"} 100\n"),
            std::string::npos)
      << by_port;
  EXPECT_NE(by_port.find("weft_port_state{guid=\"0x0000000000003000\",name=\"host-0\",port=\"1\"} 4\n"),
            std::string::npos);
  EXPECT_NE(by_port.find("weft_build_info"), std::string::npos) << "beside all others";
}

TEST_F(Metrics, EscapeNamesThatHostsGiveThemselves) {
  auto view = std::make_shared<plan::View>(*daemon.view);
  fabric::Builder builder;
  test::add_node(builder, NodeType::switch_, 0x1, "sw", 1);
  test::add_node(builder, NodeType::hca, 0x2, "a\"b\\c\nd", 1);
  static_cast<void>(builder.connect({Guid{1}, PortNum{1}}, {Guid{2}, PortNum{1}}).has_value());
  view->fabric = std::make_shared<const fabric::Fabric>(builder.build());
  view->plan = nullptr;
  daemon.view = view;
  EXPECT_NE(text("?ports=1").find("name=\"a\\\"b\\\\c\\nd\""), std::string::npos);
}

TEST_F(Metrics, HaveAHelpAndATypeForEachFamilyOnce) {
  std::set<std::string> families;
  std::istringstream lines(text("?ports=1"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(families.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
      continue;
    }
    if (line.starts_with('#')) continue;
    std::string family = line.substr(0, line.find_first_of("{ "));
    for (const char* end : {"_bucket", "_sum", "_count"})
      if (family.ends_with(end) && families.contains(family.substr(0, family.size() - std::strlen(end))))
        family.resize(family.size() - std::strlen(end));
    EXPECT_TRUE(families.contains(family)) << line;
  }
  EXPECT_GT(families.size(), 40u);
}

TEST_F(Metrics, AreThereBeforeAnythingIsKnown) {
  daemon.view = nullptr;
  EXPECT_TRUE(has("weft_problems 0"));
}

}  // namespace
}  // namespace weft::daemon
