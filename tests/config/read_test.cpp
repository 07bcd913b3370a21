#include "config/read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace weft::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSlowBuild = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSlowBuild = true;
#else
constexpr bool kSlowBuild = false;
#endif
#else
constexpr bool kSlowBuild = false;
#endif

/// A folder that goes away with the test.
class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weft-config-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::string folder_;
};

TEST(ReadText, TakesAnEmptyFileAsAllDefaults) {
  for (const char* yaml :
       {"", "\n", "# nothing\n", "---\n", "{}", "~", "sweep:\nlids:\n  # lmc: 3\n", "\xef\xbb\xbf"}) {
    const Result<Loaded> loaded = read_text(yaml, "w");
    ASSERT_TRUE(loaded) << yaml << ": " << loaded.error().what;
    EXPECT_EQ(loaded->settings, Settings{}) << yaml;
    EXPECT_TRUE(loaded->origins.empty()) << yaml;
  }
}

TEST(ReadText, FillsEverySettingFromPeoplesUnits) {
  const Result<Loaded> loaded = read_text(R"(
port: { device: mlx5_0, port: 1 }
transport:
  kind: ibsim
  ibsim: { socket: sim7, host: Hca3 }
manager: { priority: 12 }
subnet: { prefix: "fec0:0:0:1::", sm_sl: 2, subnet_timeout: 500ms, packet_lifetime: forever }
lids:
  lmc: 2
  lmc_enhanced_port0: yes
  fixed: { 0x0002c903000e0b72: 17, 0002:c903:000e:0b73: 0x20 }
links: { max_mtu: 2048, max_vls: 4, hoq_life: 1s, host_hoq_life: 250ms, vl_stall_count: 3 }
routing:
  engine: [min-hop, up-down]
  on_failure: keep-last
  roots: [0x0002c90300000001, "spine 2"]
smp: { window: 64, per_node: 2, timeout: 1.5s, attempts: 5 }
sweep: { interval: 0, debounce: 500us, debounce_max: 20ms }
names: { 0x0002c90300000001: spine 1 }
log: { level: debug, file: /var/log/weft.log, file_size: 100MB, files_kept: 9 }
control: { socket: /tmp/w.sock, group: ops }
state_dir: /tmp/weft
)",
                                          "w");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Settings& s = loaded->settings;
  EXPECT_EQ(s.transport.port, (PortChoice{"mlx5_0", 1, std::nullopt}));
  EXPECT_EQ(s.transport.kind, TransportKind::ibsim);
  EXPECT_EQ(s.transport.ibsim_socket, "sim7");
  EXPECT_EQ(s.transport.ibsim_host, "Hca3");
  EXPECT_EQ(s.manager.priority, 12);
  EXPECT_EQ(s.plan.subnet.prefix, 0xfec0000000000001u);
  EXPECT_EQ(s.plan.subnet.sm_sl, Sl{2});
  EXPECT_EQ(s.plan.subnet.subnet_timeout, 17);
  EXPECT_EQ(s.plan.subnet.packet_lifetime, 20);
  EXPECT_EQ(s.plan.lids.lmc, 2);
  EXPECT_TRUE(s.plan.lids.lmc_enhanced_port0);
  EXPECT_EQ(s.plan.lids.fixed,
            (std::map<Guid, Lid>{{Guid{0x0002c903000e0b72}, Lid{17}}, {Guid{0x0002c903000e0b73}, Lid{32}}}));
  EXPECT_EQ(s.plan.links.max_mtu, Mtu::mtu2048);
  EXPECT_EQ(s.plan.links.max_vls, VlCount::vl4);
  EXPECT_EQ(s.plan.links.hoq_life, 18);
  EXPECT_EQ(s.plan.links.host_hoq_life, 16);
  EXPECT_EQ(s.plan.links.vl_stall_count, 3);
  EXPECT_EQ(s.plan.links.host_vl_stall_count, 7);
  EXPECT_EQ(s.plan.routing.chain.engines, (std::vector<std::string>{"min-hop", "up-down"}));
  EXPECT_EQ(s.plan.routing.chain.on_failure, routing::OnFailure::keep_last);
  EXPECT_EQ(s.plan.routing.roots, (std::vector<std::string>{"0x0002c90300000001", "spine 2"}));
  EXPECT_EQ(s.smp, (SmpSettings{64, 2, milliseconds(1500), 5}));
  EXPECT_EQ(s.sweep, (SweepSettings{seconds(0), std::chrono::microseconds(500), milliseconds(20)}));
  EXPECT_EQ(s.plan.names, (std::map<Guid, std::string>{{Guid{0x0002c90300000001}, "spine 1"}}));
  EXPECT_EQ(s.log, (LogSettings{"debug", "/var/log/weft.log", 100'000'000, 9}));
  EXPECT_EQ(s.control, (ControlSettings{"/tmp/w.sock", "ops"}));
  EXPECT_EQ(s.state_dir, "/tmp/weft");
}

TEST(ReadText, SaysWhenATimeOnTheWireIsRoundedUpByMuch) {
  const Result<Loaded> loaded = read_text("links:\n  hoq_life: 1.2s\n  host_hoq_life: 250ms\n", "w");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings.plan.links.hoq_life, 19);
  EXPECT_EQ(loaded->notes, (std::vector<std::string>{
                               "w:2:13: links.hoq_life: 1.2s becomes 2.147483648s, the next 4.096us * 2^n"}));
}

TEST(ReadText, TakesAliasesAndWindowsLineEnds) {
  const Result<Loaded> loaded = read_text("smp: {timeout: &t 300ms}\r\nsweep: {interval: *t}\r\n", "w");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings.sweep.interval, milliseconds(300));
}

TEST(ReadText, LetsTheCommandLineWinAndRemembersWhereValuesComeFrom) {
  const std::vector<Override> options{{"transport.kind", "sim"},
                                      {"transport.sim.fabric", "fat-tree:radix=36,levels=3"},
                                      {"routing.engine", "[up-down]"}};
  const Result<Loaded> loaded = read_text("lids:\n  lmc: 1\ntransport:\n  kind: umad\n", "w", options);
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings.transport.kind, TransportKind::sim);
  EXPECT_EQ(loaded->settings.plan.routing.chain.engines, std::vector<std::string>{"up-down"});
  EXPECT_EQ(to_string(origin_of(*loaded, "transport.kind")), "command line");
  EXPECT_EQ(to_string(origin_of(*loaded, "lids.lmc")), "w:2");
  EXPECT_EQ(to_string(origin_of(*loaded, "smp.window")), "default");
}

TEST(ReadText, ReportsWrongOptionsOfTheCommandLine) {
  const std::vector<Override> options{{"transport.knd", "sim"}, {"lids.lmc", "9"}, {"routing.engine", "[a"}};
  const Result<Loaded> loaded = read_text("", "w", options);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what,
            "command line: unknown key \"transport.knd\"; did you mean transport.kind?\n"
            "command line: lids.lmc: expects a whole number from 0 to 7, not \"9\"\n"
            "command line: routing.engine: not YAML: end of sequence flow not found");
}

TEST_F(ReadFile, MergesTheNamesFileUnderTheNames) {
  file("map", "0x1 \"old\"\n0x2 \"leaf 2\"\n");
  const std::string path = file("weft.yaml", "names_file: map\nnames:\n  0x1: new\n");
  const Result<Loaded> loaded = read_file(path);
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings.plan.names,
            (std::map<Guid, std::string>{{Guid{1}, "new"}, {Guid{2}, "leaf 2"}}));
}

TEST_F(ReadFile, TakesTheExpectedTopologyFromItsFile) {
  file(
      "expected.json",
      R"({"weft_topology": 1, "name": "f", "nodes": [{"id": "s", "type": "switch", "guid": "0x1", "ports": 2}], "cables": []})");
  const Result<Loaded> loaded = read_file(file("weft.yaml", "fabric: { expected: expected.json }\n"));
  ASSERT_TRUE(loaded) << loaded.error().what;
  ASSERT_NE(loaded->settings.expected, nullptr);
  EXPECT_EQ(loaded->settings.expected->nodes.at(0).id, "s");
  file("expected.json", "{\"weft_topology\": 2}");
  const Result<Loaded> bad = read_file(file("weft.yaml", "fabric: { expected: expected.json }\n"));
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("weft.yaml:1:11: fabric.expected: " + folder_ + "/expected.json"),
            std::string::npos)
      << bad.error().what;
}

TEST_F(ReadFile, ReportsProblemsOfTheNamesFileWithItsOwnLines) {
  const std::string map = file("map", "0x1 leaf\n");
  const Result<Loaded> bad = read_file(file("weft.yaml", "names_file: " + map + "\n"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what, map + ":1:5: expects a name in double quotes, not \"leaf\"");
  const std::string path = file("weft.yaml", "names_file: nowhere\n");
  const Result<Loaded> missing = read_file(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what,
            path + ":1:1: names_file: " + folder_ + "/nowhere: No such file or directory");
}

TEST_F(ReadFile, TakesAnEmptyFileAndTheNullDeviceForNoSettings) {
  const Settings defaults = read_text("", "defaults", {})->settings;
  for (const std::string& path : {file("empty", ""), std::string("/dev/null")}) {
    const Result<Loaded> loaded = read_file(path);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->settings, defaults) << path;
  }
}

TEST_F(ReadFile, RefusesWhatIsNoFile) {
  EXPECT_EQ(read_file(folder_ + "/none").error().what, folder_ + "/none: No such file or directory");
  EXPECT_EQ(read_file(folder_).error().what, folder_ + ": is a directory, not a file");
  EXPECT_EQ(read_file("/dev/zero").error().what, "/dev/zero: is not a regular file");
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().what, pipe + ": is not a regular file");
  const std::string huge = file("huge", "");
  std::filesystem::resize_file(huge, (64u << 20) + 1);
  EXPECT_EQ(read_file(huge).error().code, Errc::unavailable);
}

TEST_F(ReadFile, RefusesAFileItMayNotRead) {
  constexpr uid_t kNobody = 65534;
  const std::string path = file("weft.yaml", "");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;  // who may read everything
  if (root) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const Result<Loaded> loaded = read_file(path);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what, path + ": Permission denied");
}

TEST_F(ReadFile, WarnsOfACopyPutAside) {
  for (const char* name : {"weft.yaml~", "weft.yaml.bak", "weft.yaml.rpmsave"}) {
    const Result<Loaded> loaded = read_file(file(name, ""));
    ASSERT_TRUE(loaded);
    ASSERT_EQ(loaded->notes.size(), 1u) << name;
    EXPECT_EQ(loaded->notes[0],
              folder_ + "/" + name + ": the name looks like a copy put aside by an editor or a package");
  }
  EXPECT_TRUE(read_file(file("weft.yaml", ""))->notes.empty());
}

TEST(ReadText, ReadsAHundredThousandNamesInASecond) {
  std::string yaml = "names:\n";
  for (int i = 1; i <= 100'000; ++i) {
    yaml += "  0x0002c903" + std::to_string(10'000'000 + i) + ": node " + std::to_string(i) + "\n";
  }
  const std::clock_t start = std::clock();  // of this process alone, however busy the machine is
  const Result<Loaded> loaded = read_text(yaml, "w");
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->settings.plan.names.size(), 100'000u);
  RecordProperty("milliseconds", static_cast<int>(took * 1000));
  EXPECT_LT(took, kSlowBuild ? 20 : 1);
}

}  // namespace
}  // namespace weft::config
