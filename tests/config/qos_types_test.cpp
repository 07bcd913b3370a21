#include "config/qos_types.h"

#include <gtest/gtest.h>

#include "config/read.h"

namespace weft::config {
namespace {

Result<Loaded> with_qos(std::string text) { return read_text("qos:\n" + std::move(text), "f"); }

TEST(Qos, IsReadAsPeopleWriteIt) {
  const auto loaded = with_qos(R"(
  levels:
    bulk:
    storage: { sl: 2, weight: 4, mtu: 2048, rate: 100G, lifetime: 1s }
    kv-cache: { priority: strict }
  rules:
    - { level: storage, destination: ["nas*", leaf-3/P7], service: [nvme-of, "0x100-0x1ff", rdma-cm:4421] }
    - { level: kv-cache, source: hosts, partition: tenant, pkey: [5, 0x10-0x1f], class: 3, either_end: true }
    - { level: bulk, service: ipoib }
    - { level: bulk, source: { partition: tenant }, destination: [ all, { pkey: 0x10-0x1f }, { pkey: 5 } ] }
  default: bulk
partitions: { define: { tenant: { key: 0x10 } } }
)");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const qos::Policy& policy = loaded->settings.plan.qos;
  ASSERT_EQ(policy.levels.size(), 3u);
  EXPECT_FALSE(policy.levels[0].sl);
  EXPECT_EQ(policy.levels[1].sl, Sl{2});
  EXPECT_EQ(policy.levels[1].mtu, Mtu::mtu2048);
  EXPECT_EQ(policy.levels[1].rate, 1000);
  EXPECT_EQ(policy.levels[1].lifetime, 18);
  EXPECT_TRUE(policy.levels[2].strict);
  ASSERT_EQ(policy.rules.size(), 4u);
  EXPECT_EQ(policy.rules[0].services,
            (std::vector<qos::Range>{{0x1061144, 0x1061144}, {0x100, 0x1ff}, {0x1061145, 0x1061145}}));
  EXPECT_EQ(policy.rules[0].destination.ports.size(), 2u);
  EXPECT_EQ(policy.rules[1].partitions, std::vector<std::string>{"tenant"});
  EXPECT_EQ(policy.rules[1].pkeys, (std::vector<qos::Range>{{5, 5}, {0x10, 0x1f}}));
  EXPECT_TRUE(policy.rules[1].either_end);
  EXPECT_EQ(policy.rules[2].pkeys, (std::vector<qos::Range>{{0x7fff, 0x7fff}}));
  EXPECT_EQ(policy.rules[3].source.partitions, (std::vector<qos::PortsOf>{{"tenant", {}}}));
  EXPECT_EQ(policy.rules[3].destination.ports.size(), 1u);
  EXPECT_EQ(policy.rules[3].destination.partitions,
            (std::vector<qos::PortsOf>{{"", {0x10, 0x1f}}, {"", {5, 5}}}));
  EXPECT_EQ(policy.default_level, "bulk");
}

TEST(Qos, LevelsMayShareAnSlAndItIsNoted) {
  const auto loaded = with_qos("  levels: { a: { sl: 1 }, b: { sl: 1 } }\n");
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->notes.size(), 1u);
  EXPECT_NE(loaded->notes[0].find("levels \"a\" and \"b\" have one SL, 1"), std::string::npos)
      << loaded->notes[0];
}

struct BadQos {
  std::string_view text;
  std::string_view says;
};

TEST(Qos, TellsWhatIsWrongAndWhere) {
  const BadQos bads[] = {
      {"  levels: { a: { sl: 16 } }\n", "from 0 to 14"},
      {"  levels: { a: { sl: 15 } }\n", "f:2:22: qos.levels: expects a whole number from 0 to 14"},
      {"  levels: { a: { weight: 0 } }\n", "from 1 to 1000"},
      {"  levels: { a: { rate: 7G } }\n", "5G is the next lower"},
      {"  levels: { a: { mtu: 9000 } }\n", "expects one of 256"},
      {"  levels: { a: { weigt: 1 } }\n", "did you mean weight?"},
      {"  levels: { a: {} }\n  rules: [ { level: b } ]\n", "f:3:21: qos.rules: there is no level \"b\""},
      {"  levels: { storage: {} }\n  rules: [ { level: storge } ]\n", "did you mean storage?"},
      {"  levels: { a: {} }\n  rules: [ { source: [ h1 ] } ]\n", "a rule needs its level"},
      {"  levels: { a: {} }\n  rules: [ { level: a, service: nvme-off } ]\n", "did you mean nvme-of?"},
      {"  levels: { a: {} }\n  rules: [ { level: a, service: srp } ]\n",
       "SRP's service ids are its targets'"},
      {"  levels: { a: {} }\n  rules: [ { level: a, service: 5-3 } ]\n", "expects a service id"},
      {"  levels: { a: {} }\n  rules: [ { level: a, pkey: 0x8000 } ]\n", "up to 0x7fff"},
      {"  levels: { a: {} }\n  rules: [ { level: a, partition: [ default, tenat ] } ]\npartitions: { define: "
       "{ tenant: {} } }\n",
       "f:3:46: qos.rules: there is no partition \"tenat\"; did you mean tenant?"},
      {"  levels: { a: {} }\n  rules: [ { level: a, source: { partition: x } } ]\n",
       "f:3:45: qos.rules: there is no partition \"x\""},
      {"  levels: { a: {} }\n  rules: [ { level: a, source: { pkey: 1, partition: x } } ]\n",
       "f:3:32: qos.rules: expects one partition, or one pkey or range of them"},
      {"  levels: { a: {} }\n  rules: [ { level: a, source: [ { pkey: [1, 2] } ] } ]\n",
       "give the others one each"},
      {"  levels: { a: {} }\n  rules: [ { level: a, source: { group: x } } ]\n",
       "an end of paths has no \"group\"; it has partition and pkey"},
      {"  levels: { a: {} }\n  default: b\n", "qos.default: there is no level \"b\""},
  };
  for (const BadQos& bad : bads) {
    const auto loaded = with_qos(std::string(bad.text));
    ASSERT_FALSE(loaded) << bad.text;
    EXPECT_NE(loaded.error().what.find(bad.says), std::string::npos) << bad.text << loaded.error().what;
  }
}

}  // namespace
}  // namespace weft::config
