#include "config/opensm_qos.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::config {
namespace {

using qos::Range;
using qos::Who;

qos::Policy policy_of(std::string_view text, std::size_t notes = 0) {
  Report report{.source = "f"};
  qos::Policy policy = read_opensm_qos(text, report);
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_EQ(report.notes.size(), notes);
  return policy;
}

TEST(OpensmQos, ReadsTheSimpleSection) {
  const qos::Policy policy = policy_of(R"(
qos-ulps
  default                       : 0 # the rest
  sdp, port-num 10000-20000, 7  : 2
  sdp                           : 1
  rds                           : 2
  iser, port-num 900            : 3
  ipoib, pkey 0x0001            : 4
  ipoib                         : 5
  any, service-id 0x6234        : 6
  any, pkey 0x0ABC              : 7
  srp, target-port-guid 0x1234  : 8
  any, target-port-guid 0xABC-0xFFFFF : 9
  any, source-port-guid 0x1     : 10
  any, source-target-port-guid 0x2 : 11
end-qos-ulps
)");
  ASSERT_EQ(policy.rules.size(), 12u);
  EXPECT_EQ(policy.default_level, "sl-0");
  EXPECT_EQ(policy.rules[0].services, (std::vector<Range>{{0x12710, 0x14e20}, {0x10007, 0x10007}}));
  EXPECT_EQ(policy.rules[1].services, (std::vector<Range>{{0x10000, 0x1ffff}}));
  EXPECT_EQ(policy.rules[2].services, (std::vector<Range>{{0x10648ca, 0x10648ca}}));
  EXPECT_EQ(policy.rules[3].services, (std::vector<Range>{{0x1060384, 0x1060384}}));
  EXPECT_EQ(policy.rules[5].pkeys, (std::vector<Range>{{0x7fff, 0x7fff}}));
  EXPECT_EQ(policy.rules[9].destination.ports[0].last, Guid{0xfffff});
  EXPECT_EQ(policy.rules[11].source, policy.rules[11].destination);
  EXPECT_EQ(policy.rules[11].level, "sl-11");
  EXPECT_EQ(std::ranges::count(policy.levels, Sl{2}, [](const qos::Level& level) { return *level.sl; }), 1)
      << "one level an SL";
}

TEST(OpensmQos, ReadsTheWholeGrammar) {
  const qos::Policy policy = policy_of(R"(
port-groups
  port-group
    name: Storage
    use: our targets
    port-guid: 0x10, 0x20-0x2f
    port-guid: 0x40
  end-port-group
  port-group
    name: Others
    port-name: vs1 HCA-1/P1, vs2 HCA-1/P2
    node-type: ROUTER, SELF
  end-port-group
  port-group
    name: Tenants
    port-guid: 0x50
    partition: red, dark blue
    pkey: 0x8010-0x801f, 0x20
  end-port-group
end-port-groups
qos-setup
  vlarb-tables
end-qos-setup
qos-levels
  qos-level
    name: DEFAULT
    sl: 0
  end-qos-level
  qos-level
    name: fast
    sl: 3
    mtu-limit: 4
    rate-limit: 3
    packet-life: 12
    path-bits: 2,4,8-32
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    use: this and that
    qos-class: 7-9,11
    source: Storage, Tenants
    destination: Others
    service-id: 22,4719-5000
    pkey: 0x8001
    qos-level-name: fast
  end-qos-match-rule
end-qos-match-rules
qos-ulps
  sdp : 3
end-qos-ulps
)",
                                       2);
  ASSERT_EQ(policy.levels.size(), 3u);
  EXPECT_EQ(policy.levels[1].mtu, Mtu::mtu2048);
  EXPECT_EQ(policy.levels[1].rate, 100);
  EXPECT_EQ(policy.levels[1].lifetime, 12);
  EXPECT_EQ(policy.default_level, "DEFAULT");
  ASSERT_EQ(policy.rules.size(), 2u) << "match rules before ulps";
  const qos::Rule& rule = policy.rules[0];
  EXPECT_EQ(rule.source.ports.size(), 4u);
  EXPECT_EQ(
      rule.source.partitions,
      (std::vector<qos::PortsOf>{{"red", {}}, {"dark blue", {}}, {"", {0x10, 0x1f}}, {"", {0x20, 0x20}}}));
  ASSERT_EQ(rule.destination.ports.size(), 4u);
  EXPECT_EQ(rule.destination.ports[0],
            (Who{.kind = Who::Kind::port, .name = "vs1 HCA-1", .port = PortNum{1}}));
  EXPECT_EQ(rule.destination.ports[3].kind, Who::Kind::self);
  EXPECT_EQ(rule.classes.size(), 2u);
  EXPECT_EQ(rule.pkeys, (std::vector<Range>{{1, 1}}));
  EXPECT_EQ(policy.rules[1].level, "sl-3");
}

struct BadPolicy {
  std::string_view text;
  std::string_view says;
};

TEST(OpensmQos, RefusesWhatCannotBeMeant) {
  const BadPolicy bads[] = {
      {"", "there is no default"},
      {"qos-ulps\ndefault : 0\nend-qos-ulps\n\xf4\n", "f:4:1: "},
      {"qos-ulp\n", "f:1:1: expects qos-ulps, port-groups"},
      {"qos-ulps\ndefault : 0\n", "has no end-qos-ulps"},
      {"qos-ulps\ndefault : 15\nend-qos-ulps\n", "f:2:1: default: expects a number up to 14"},
      {"qos-ulps\nsdp, port 5 : 1\nend-qos-ulps\n", "unknown rule \"sdp, port 5\""},
      {"qos-ulps\nany, pkey 0x8000 : 1\nend-qos-ulps\n", "expects numbers up to 0x7fff"},
      {"port-groups\nport-group\nname: a\npartition: p,\nend-port-group\nend-port-groups\n",
       "f:4:1: partition: expects names, not \"\""},
      {"port-groups\nport-group\nname: a\npkey: 0x7ff0-0x8010\nend-port-group\nend-port-groups\n",
       "f:4:1: pkey: 0x7ff0-0x8010 goes from limited to full keys"},
      {"port-groups\nport-group\nend-port-group\nend-port-groups\n", "needs a name"},
      {"port-groups\nport-group\nname: a\nnode-type: HCA\nend-port-group\nend-port-groups\n",
       "expects CA, SWITCH"},
      {"qos-match-rules\nqos-match-rule\nsource: a\nqos-level-name: "
       "b\nend-qos-match-rule\nend-qos-match-rules\n",
       "there is no port-group \"a\""},
      {"qos-match-rules\nqos-match-rule\nqos-level-name: b\nend-qos-match-rule\nend-qos-match-rules\n",
       "there is no qos-level \"b\""},
      {"qos-levels\nqos-level\nname: DEFAULT\nrate-limit: 1\nend-qos-level\nend-qos-levels\n",
       "1 is no rate code"},
      {"qos-levels\nqos-level\nname: DEFAULT\nspeed: 1\nend-qos-level\nend-qos-levels\n",
       "unknown line \"speed: 1\" in a qos-level"},
  };
  for (const BadPolicy& bad : bads) {
    Report report{.source = "f"};
    (void)read_opensm_qos(bad.text, report);
    ASSERT_FALSE(report.problems.empty()) << bad.text;
    const bool said = std::ranges::any_of(
        report.problems, [&](const std::string& one) { return one.find(bad.says) != one.npos; });
    EXPECT_TRUE(said) << bad.text << report.problems[0];
  }
}

}  // namespace
}  // namespace weft::config
