// Whatever stands in a file, the reader says what is wrong and where.

#include <gtest/gtest.h>

#include <string>

#include "config/parse.h"
#include "config/read.h"

namespace weft::config {
namespace {

struct Bad {
  std::string yaml;
  std::vector<std::string>
      said;  ///< Each line of the error, without the file's name; a trailing '*' takes any rest.
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

void expect_said(const Bad& bad) {
  SCOPED_TRACE(bad.yaml.substr(0, 200));
  const Result<Loaded> loaded = read_text(bad.yaml, "w");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::invalid);
  const std::vector<std::string> lines = lines_of(loaded.error().what);
  EXPECT_EQ(lines.size(), bad.said.size()) << loaded.error().what;
  for (std::size_t i = 0; i < std::min(lines.size(), bad.said.size()); ++i) {
    std::string wanted = "w:" + bad.said[i];
    std::string got = lines[i];
    if (wanted.ends_with('*')) {
      wanted.pop_back();
      got.resize(std::min(got.size(), wanted.size()));
    }
    EXPECT_EQ(got, wanted) << lines[i];
  }
}

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsRefusedWithPlaceAndReason) { expect_said(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Keys, BadInput,
    testing::Values(Bad{"swep:\n  interval: 10s\n", {"1:1: unknown key \"swep\"; did you mean sweep?"}},
                    Bad{"sweep:\n  intervall: 10s\n",
                        {"2:3: unknown key \"sweep.intervall\"; did you mean sweep.interval?"}},
                    Bad{"sweep: {interval: 10s, bounce: 1ms}",
                        {"1:24: unknown key \"sweep.bounce\"; did you mean sweep.debounce?"}},
                    Bad{"sm_priority: 3",
                        {"1:1: unknown key \"sm_priority\"; did you mean manager.priority?"}},
                    Bad{"sweep.interval: 3s", {"1:1: write \"sweep.interval\" as sweep: { interval: ... }"}},
                    Bad{"qwertyuiop: 3", {"1:1: unknown key \"qwertyuiop\""}},
                    Bad{"<<: {lmc: 1}", {"1:1: unknown key \"<<\""}},
                    Bad{"sweep: {interval: 1s}\nsweep: {interval: 2s}\n",
                        {"2:1: \"sweep\" stands here twice; first in line 1"}},
                    Bad{"lids:\n  lmc: 1\n  lmc: 1\n", {"3:3: \"lmc\" stands here twice; first in line 2"}},
                    Bad{"? [a]\n: 1\n", {"1:3: expects the name of a key, not a list"}},
                    Bad{"~: 1\n", {"1:1: expects the name of a key, not nothing"}},
                    Bad{"sweep: 10s", {"1:8: sweep: expects a map of keys, not a text"}},
                    Bad{"sweep: [interval]", {"1:8: sweep: expects a map of keys, not a list"}},
                    Bad{"- sweep\n", {"1:1: expects a map of keys, not a list"}},
                    Bad{"sweep\n", {"1:1: expects a map of keys, not \"sweep\""}}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadInput,
    testing::Values(
        Bad{"manager: {priority: high}",
            {"1:21: manager.priority: expects a whole number from 0 to 15, not \"high\""}},
        Bad{"manager: {priority: 16}",
            {"1:21: manager.priority: expects a whole number from 0 to 15, not \"16\""}},
        Bad{"manager: {priority: -1}",
            {"1:21: manager.priority: expects a whole number from 0 to 15, not \"-1\""}},
        Bad{"manager: {priority: 1.5}", {"1:21: manager.priority: *"}},
        Bad{"manager: {priority: 4294967304}", {"1:21: manager.priority: *"}},
        Bad{"manager:\n  priority:\n",
            {"2:3: manager.priority: expects a whole number from 0 to 15, not nothing"}},
        Bad{"manager: {priority: [8]}",
            {"1:21: manager.priority: expects a whole number from 0 to 15, not a list"}},
        Bad{"sweep: {interval: 10}",
            {"1:19: sweep.interval: \"10\" has no unit; write it like 10s, 200ms or 5us"}},
        Bad{"sweep: {interval: 2d}",
            {"1:19: sweep.interval: expects a duration from 100ms to 1d, or 0 for never, not \"2d\""}},
        Bad{"smp: {timeout: 0}", {"1:16: smp.timeout: expects a duration from 1ms to 60s, not \"0\""}},
        Bad{"smp: {timeout: soon}", {"1:16: smp.timeout: expects a duration from 1ms to 60s, not \"soon\""}},
        Bad{"links: {max_mtu: 4095}",
            {"1:18: links.max_mtu: expects one of 256, 512, 1024, 2048, 4096 bytes, not \"4095\""}},
        Bad{"links: {max_vls: 5}",
            {"1:18: links.max_vls: expects one of 1, 2, 4, 8, 15 data lanes, not \"5\""}},
        Bad{"links: {hoq_life: 3s}",
            {"1:19: links.hoq_life: expects a time on the wire from 4.096us to 2.147483648s, or forever, not "
             "\"3s\""}},
        Bad{"links: {hoq_life: 18}",
            {"1:19: links.hoq_life: \"18\" has no unit; write it like 50ms, 1s or 5us"}},
        Bad{"links: {hoq_life: 0}", {"1:19: links.hoq_life: *"}},
        Bad{"subnet: {subnet_timeout: forever}", {"1:26: subnet.subnet_timeout: *"}},
        Bad{"subnet: {prefix: 0}", {"1:18: subnet.prefix: expects a subnet prefix such as *"}},
        Bad{"subnet: {sm_sl: 16}", {"1:17: subnet.sm_sl: *"}},
        Bad{"lids: {lmc: 8}", {"1:13: lids.lmc: expects a whole number from 0 to 7, not \"8\""}},
        Bad{"lids: {lmc_enhanced_port0: maybe}",
            {"1:28: lids.lmc_enhanced_port0: expects true or false, not \"maybe\""}},
        Bad{"log: {level: loud}",
            {"1:14: log.level: expects one of trace, debug, info, warn, error, not \"loud\""}},
        Bad{"log: {file_size: 16}",
            {"1:18: log.file_size: \"16\" has no unit; write it like 16MiB or 500KB"}},
        Bad{"log: {file_size: 1KB}", {"1:18: log.file_size: expects a size from 64KiB to 1TiB, not \"1KB\""}},
        Bad{"log: {file: weft.log}", {"1:13: log.file: expects a path that begins with / *"}},
        Bad{"control: {socket: \"\"}", {"1:19: control.socket: *"}},
        Bad{"transport: {kind: umda}",
            {"1:19: transport.kind: expects one of umad, ibsim, sim, not \"umda\""}},
        Bad{"transport: {kind: sim}",
            {"1:13: transport.kind: sim needs transport.sim.fabric, a file or a blueprint"}},
        Bad{"routing: {engine: minhop}",
            {"1:19: routing.engine: expects one engine or a list of them: auto, *"}},
        Bad{"routing: {engine: []}", {"1:19: routing.engine: *"}},
        Bad{"routing: {engine: [min-hop, min-hop]}", {"1:29: routing.engine: \"min-hop\" stands here twice"}},
        Bad{"routing: {roots: [[a]]}",
            {"1:19: routing.roots: expects a list of GUIDs or node names, not a list"}},
        Bad{"routing: {ranks: [leaf]}",
            {"1:18: routing.ranks: expects a map of GUIDs or node names to whole numbers from 0 to 63, not a "
             "list"}},
        Bad{"routing: {ranks: {leaf: 64}}", {"1:25: routing.ranks: *"}},
        Bad{"routing: {on_failure: panic}",
            {"1:23: routing.on_failure: expects one of next, keep-last, not \"panic\""}},
        Bad{"port: {port: 255}", {"1:14: port.port: expects a whole number from 1 to 254, not \"255\""}},
        Bad{"port: {guid: 0x0}", {"1:14: port.guid: expects a GUID such as 0x0002c903000e0b72, not \"0x0\""}},
        Bad{"port:\n  guid: 0x1\n  device: mlx5_0\n",
            {"2:3: port.guid: names the port already; leave port.device and port.port out"}},
        Bad{"sweep: {debounce: 1s}",
            {"1:9: sweep.debounce: sweep.debounce (1s) is longer than sweep.debounce_max (50ms)"}},
        Bad{"smp: {window: 2}", {"1:7: smp.window: smp.per_node (4) is more than smp.window (2)"}}));

INSTANTIATE_TEST_SUITE_P(
    Maps, BadInput,
    testing::Values(Bad{"names:\n  0x1: a\n  0x0001: b\n",
                        {"3:3: names: 0x0000000000000001 stands here twice; first in line 2"}},
                    Bad{"names:\n  leaf: a\n  0x2:\n",
                        {"2:3: names: expects a GUID such as 0x0002c903000e0b72, not \"leaf\"",
                         "3:3: names: expects a name of 1 to 255 bytes, not nothing"}},
                    Bad{"names: [a]", {"1:8: names: expects a map of node GUIDs to names, not a list"}},
                    Bad{"lids:\n  fixed:\n    0x1: 5\n    0x2: 5\n",
                        {"4:10: lids.fixed: LID 5 is already given to 0x0000000000000001"}},
                    Bad{"lids: {fixed: {0x1: 0, 0x2: 0xc000}}",
                        {"1:21: lids.fixed: expects a whole number from 1 to 49151, not \"0\"",
                         "1:29: lids.fixed: expects a whole number from 1 to 49151, not \"0xc000\""}}));

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadInput,
    testing::Values(
        Bad{"sweep:\n\tinterval: 10s\n", {"2:1: a tab in the indentation; YAML takes only spaces there"}},
        Bad{"sweep:\n  interval: 10s\n  \tdebounce: 1ms\n",
            {"3:3: a tab in the indentation; YAML takes only spaces there"}},
        Bad{"subnet:\n  prefix: fe80::\n",
            {"2:16: not YAML: illegal map value; a text with '::' must be in quotes, as in \"fe80::\""}},
        Bad{"sweep: {interval: 10s\n", {"3:1: not YAML: *"}},
        Bad{"names:\n  0x1: leaf: 3\n", {"2:12: not YAML: illegal map value"}},
        Bad{"names:\n  0x1: \"leaf 3\n  0x2: b\n",
            {"2:3: not YAML: the quoted text that begins after this place is not closed"}},
        Bad{"log: @x\n", {"1:6: not YAML: unknown token"}},
        Bad{"log: *x\n", {"1:6: not YAML: the referenced anchor is not defined"}},
        Bad{"log: &x [*x]\n", {"1:10: an alias stands inside its own anchor"}},
        Bad{"lids: {lmc: 1}\n---\nlids: {lmc: 2}\n",
            {"2:1: a second document begins; the file must hold only one"}},
        Bad{"lids: {lmc: 1}\n...\nlids: {lmc: 2}\n",
            {"3:1: a second document begins; the file must hold only one"}},
        Bad{std::string("lids\0: 1", 8), {"1:5: byte 0x00: not a UTF-8 text"}},
        Bad{"lids: {lmc: \x04}", {"1:13: byte 0x04: not a UTF-8 text"}},
        Bad{"\xff\xfel\xff", {"1:1: byte 0xff: not a UTF-8 text"}},
        Bad{"names:\n  0x1: M\xfcller\n", {"2:9: byte 0xfc: not a UTF-8 text"}},
        Bad{"names:\n  0x1: \xc0\xaf\n", {"2:8: byte 0xc0: not a UTF-8 text"}},
        Bad{"names: {0x1: \"a\\nb\"}",
            {"1:14: names: expects a name of 1 to 255 bytes, not \"a\\u000ab\""}}));

TEST(BadInput, IsReportedAllAtOnce) {
  expect_said({"swep: {}\nlids:\n  lmc: 9\nlinks:\n  max_mtu: big\nsweep:\n  interval: 5\n",
               {"1:1: unknown key \"swep\"; did you mean sweep?",
                "3:8: lids.lmc: expects a whole number from 0 to 7, not \"9\"",
                "5:12: links.max_mtu: expects one of 256, 512, 1024, 2048, 4096 bytes, not \"big\"",
                "7:13: sweep.interval: \"5\" has no unit; write it like 10s, 200ms or 5us"}});
}

TEST(BadInput, IsCountedBeyondAHundredProblems) {
  std::string yaml = "names:\n";
  for (int i = 0; i < 250; ++i) yaml += "  x" + std::to_string(i) + ": a\n";
  const Result<Loaded> loaded = read_text(yaml, "w");
  ASSERT_FALSE(loaded);
  const std::vector<std::string> lines = lines_of(loaded.error().what);
  EXPECT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "and 150 more problems");
}

TEST(BadInput, CannotMakeTheReaderUseMuchMemoryByAliases) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string from = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    bomb += name + ": &" + name + " [";
    for (int k = 0; k < 10; ++k) bomb += (k > 0 ? "," : "") + from;
    bomb += "]\n";
  }
  const Result<Loaded> loaded = read_text(bomb, "w");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("more than 1000000 values"), std::string::npos) << loaded.error().what;
}

TEST(BadInput, CannotMakeTheReaderRepeatLongTextsByAliases) {
  std::string yaml = "a: &a " + std::string(1u << 20, 'x') + "\nb: [";
  for (int i = 0; i < 100; ++i) yaml += "*a,";
  const Result<Loaded> loaded = read_text(yaml + "]\n", "w");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("repeat too much text"), std::string::npos);
}

TEST(BadInput, CannotNestDeeply) {
  for (const char* open : {"[", "{a: "}) {
    std::string yaml = "a: ";
    for (int i = 0; i < 100'000; ++i) yaml += open;
    EXPECT_FALSE(read_text(yaml, "w"));
  }
  EXPECT_FALSE(read_text("a: " + std::string(100'000, '-') + " x", "w"));
}

TEST(BadInput, IsRefusedBeforeItIsReadWhenHuge) {
  const std::string huge(kMaxFileBytes + 1, '#');
  const Result<Loaded> loaded = read_text(huge, "w");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what, "w: larger than 64 MiB; not a configuration");
}

}  // namespace
}  // namespace weft::config
