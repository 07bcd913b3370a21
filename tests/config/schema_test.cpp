#include "config/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "config/read.h"

namespace weft::config {
namespace {

/// A value other than the default for every key.
const std::vector<Override> kOthers = {
    {"port.device", "mlx5_0"},
    {"port.port", "1"},
    {"port.guid", "0x0002c903000e0b72"},
    {"port.failover", "[mlx5_1/1, 2, 0x0002c903000e0b73]"},
    {"port.failover_after", "30s"},
    {"transport.kind", "ibsim"},
    {"transport.ibsim.socket", "sim 2"},
    {"transport.ibsim.host", "Hca1 \"x\""},
    {"transport.sim.fabric", "fat-tree:radix=36,levels=3"},
    {"manager.priority", "15"},
    {"manager.master_priority", "0"},
    {"manager.sm_key", "0x5ec"},
    {"manager.sm_key_file", "sm_key"},
    {"manager.poll_interval", "500ms"},
    {"manager.poll_misses", "5"},
    {"manager.allowed", "[0x0002c903000e0b72, 0x1]"},
    {"manager.expected", "yes"},
    {"audit.interval", "6h"},
    {"m_key.file", "m_keys"},
    {"m_key.protect", "2"},
    {"m_key.lease", "60"},
    {"m_key.per_device", "yes"},
    {"subnet.prefix", "fec0:0:0:1::"},
    {"subnet.sm_sl", "3"},
    {"subnet.subnet_timeout", "5s"},
    {"subnet.packet_lifetime", "forever"},
    {"lids.lmc", "7"},
    {"lids.lmc_enhanced_port0", "yes"},
    {"lids.fixed", "{0x1: 1, 0x2: 0xbfff}"},
    {"links.max_mtu", "2048"},
    {"links.max_vls", "4"},
    {"links.hoq_life", "forever"},
    {"links.host_hoq_life", "5us"},
    {"links.vl_stall_count", "0"},
    {"links.host_vl_stall_count", "1"},
    {"links.local_phy_errors", "15"},
    {"links.overrun_errors", "0"},
    {"routing.engine", "[up-down, min-hop]"},
    {"routing.on_failure", "keep-last"},
    {"routing.layers", "4"},
    {"routing.port_sets", "per-leaf"},
    {"routing.port_set_groups", "2048"},
    {"routing.slow_links", "avoid"},
    {"routing.roots", "[0x0002c903000e0b72, spine 1]"},
    {"routing.ranks", "{\"leaf*\": 0, 0x0002c903000e0b72: 1}"},
    {"routing.groups", "[\"r{}-*\"]"},
    {"routing.storage", "[oss*]"},
    {"routing.io_nodes", "[0x0002c903000e0b73]"},
    {"partitions.enforcement", "in"},
    {"partitions.overflow", "best-effort"},
    {"partitions.include", "[tenants.yaml]"},
    {"partitions.opensm_file", "partitions.conf"},
    {"partitions.define", "{a: {key: 5, precedence: last, members: [all]}}"},
    {"qos.levels", "{a: {sl: 3, priority: strict}, b: {weight: 5, mtu: 2048, rate: 10G, lifetime: 1s}}"},
    {"qos.rules",
     "[{level: other, source: [h1, leaf/P7, {pkey: 3}, {partition: a b}], either_end: yes, service: "
     "[nvme-of], class: 1-3, pkey: 5, "
     "partition: a}]"},
    {"qos.tables",
     "{all: {sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15], high: ['3:1'], low: ['0:4', '1:8', "
     "'2:255']}, "
     "routers: {high_limit: 9, high: []}}"},
    {"qos.default", "other"},
    {"qos.opensm_file", "qos-policy.conf"},
    {"smp.window", "64"},
    {"smp.per_node", "2"},
    {"smp.timeout", "1.5s"},
    {"smp.attempts", "7"},
    {"sweep.interval", "0"},
    {"sweep.debounce", "1ms"},
    {"sweep.debounce_max", "1min"},
    {"traps.limit", "3"},
    {"traps.window", "1min"},
    {"traps.interval", "100ms"},
    {"link_health.flaps", "0"},
    {"link_health.errors", "3"},
    {"link_health.window", "1min"},
    {"link_health.hold", "1h"},
    {"link_health.hosts", "yes"},
    {"link_health.counters.interval", "5min"},
    {"link_health.counters.symbol_errors", "10"},
    {"link_health.counters.hold", "yes"},
    {"sa.sm_key", "0x2d0f9c3b5a71e864"},
    {"sa.sm_key_file", "sa_key"},
    {"sa.grace", "1min"},
    {"sa.multicast_interval", "1s"},
    {"sa.share_mlids", "always"},
    {"sa.max_rate", "100G"},
    {"sa.group_rate", "auto"},
    {"sa.queue", "100"},
    {"sa.quota", "10"},
    {"sa.busy", "yes"},
    {"names", "{0x1: leaf 1, 0x2: \"spine: 2\", 0x3: \"null\"}"},
    {"names_file", "node names"},
    {"fabric.expected", "expected.json"},
    {"log.level", "debug"},
    {"log.file", "/var/log/weft/weftd.log"},
    {"log.file_size", "100MB"},
    {"log.files_kept", "0"},
    {"control.socket", "/tmp/a b.sock"},
    {"control.group", "ops"},
    {"control.admin_group", "admins"},
    {"control.tcp.listen", "127.0.0.1:8723"},
    {"control.tcp.tls.cert", "/etc/weft/cert.pem"},
    {"control.tcp.tls.key", "/etc/weft/key.pem"},
    {"control.tcp.read_token_file", "/etc/weft/read-token"},
    {"control.tcp.write_token_file", "/etc/weft/write-token"},
    {"control.tcp.open_reading", "yes"},
    {"history.events", "5000"},
    {"history.sweeps", "500"},
    {"history.age", "7d"},
    {"state_dir", "/tmp/state"},
    {"subnets", "{ rail1: { port: { device: mlx5_0 } }, rail2: {} }"},
    {"store.etcd", "['https://etcd-1:2379', 'http://127.0.0.1:2379']"},
    {"store.prefix", "/weft/rail-2/"},
    {"store.user", "weft"},
    {"store.password_file", "/etc/weft/etcd-password"},
    {"store.ca", "/etc/weft/ca.pem"},
    {"store.cert", "/etc/weft/cert.pem"},
    {"store.key", "/etc/weft/key.pem"},
    {"store.timeout", "500ms"},
    {"store.lease", "10s"},
};

TEST(Schema, ShowsEveryValueAsTextThatReadsBack) {
  std::set<std::string_view> tested;
  for (const Override& other : kOthers) {
    SCOPED_TRACE(other.key);
    const Key* key = find_key(other.key);
    ASSERT_NE(key, nullptr);
    tested.insert(key->path);
    // The text of a value as it would stand in a file, in its section.
    const auto file_of = [&](const std::string& value) {
      std::string text = value;
      for (std::string path = other.key; !path.empty();) {
        const std::size_t dot = path.rfind('.');
        const std::string leaf = dot == path.npos ? path : path.substr(dot + 1);
        text = "{" + leaf + ": " + text + "}";
        path.resize(dot == path.npos ? 0 : dot);
      }
      return text;
    };
    std::vector<Override> levels;  // what rules, groups and the default speak of
    if (other.key != "qos.levels") levels.push_back({"qos.levels", "{base: {}, other: {}}"});
    if (other.key != "partitions.define") levels.push_back({"partitions.define", "{a: {}, a b: {}}"});
    // what one key of TCP needs beside it
    if (other.key == "control.tcp.listen") levels.push_back({"control.tcp.open_reading", "yes"});
    if (other.key == "control.tcp.tls.cert") levels.push_back({"control.tcp.tls.key", "/etc/weft/key.pem"});
    if (other.key == "control.tcp.tls.key") levels.push_back({"control.tcp.tls.cert", "/etc/weft/cert.pem"});
    std::vector<Override> one = levels;
    one.push_back(other);
    const Result<Loaded> loaded = read_text("transport: {sim: {fabric: x}}", "a", one);
    ASSERT_TRUE(loaded) << loaded.error().what;
    const std::string shown = key->show(loaded->settings);
    EXPECT_NE(shown, key->default_text);
    const Result<Loaded> again = read_text(file_of(shown), "b", levels);
    ASSERT_TRUE(again) << shown << ": " << again.error().what;
    EXPECT_EQ(key->show(again->settings), shown);
  }
  EXPECT_EQ(tested.size(), schema().size()) << "every key has a line in kOthers";
}

TEST(Schema, HasEachPathOnceAndEverySectionOfThem) {
  std::set<std::string_view> paths;
  for (const Key& key : schema()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_FALSE(is_section(key.path)) << key.path;
    EXPECT_FALSE(key.help.empty()) << key.path;
    const std::size_t dot = key.path.rfind('.');
    if (dot != key.path.npos) {
      EXPECT_TRUE(is_section(key.path.substr(0, dot))) << key.path;
    }
  }
}

TEST(ChangedKeys, NamesWhatDiffersAndWhetherItNeedsARestart) {
  Settings after;
  after.sweep.interval = std::chrono::seconds(3);
  after.state_dir = "/tmp/x";
  const std::vector<const Key*> changed = changed_keys(Settings{}, after);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0]->path, "sweep.interval");
  EXPECT_EQ(changed[0]->applies, Applies::live);
  EXPECT_EQ(changed[1]->path, "state_dir");
  EXPECT_EQ(changed[1]->applies, Applies::restart);
  EXPECT_TRUE(changed_keys(after, after).empty());
}

}  // namespace
}  // namespace weft::config
