#include "config/opensm_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "config/opensm_table.h"
#include "config/read.h"
#include "config/schema.h"
#include "plan/registrations.h"
#include "plan/registrations_json.h"

namespace weft::config {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One set-up as a test writes it: only opensm.conf, or more.
OpensmImport imported(std::vector<OpensmFile> files) {
  Report report;
  OpensmImport import = import_opensm(files, report);
  EXPECT_EQ(report.problem_count, 0u) << report.problems.front();
  return import;
}
OpensmImport imported(std::string options) {
  return imported({{OpensmRole::options, "opensm.conf", std::move(options)}});
}

const ImportedLine& line_of(const OpensmImport& import, int line, const std::string& file = "opensm.conf") {
  static const ImportedLine none;
  for (const ImportedLine& one : import.lines)
    if (one.line == line && one.file == file) return one;
  ADD_FAILURE() << "no line " << line;
  return none;
}

Settings settings_of(const OpensmImport& import) {
  const auto read = read_text(import.yaml, "weft.yaml");
  EXPECT_TRUE(read) << read.error().what << import.yaml;
  return read ? read->settings : Settings{};
}

std::vector<OpensmFile> files_in(const fs::path& folder) {
  constexpr std::pair<std::string_view, OpensmRole> kNames[] = {
      {"opensm.conf", OpensmRole::options},
      {"partitions.conf", OpensmRole::partitions},
      {"qos-policy.conf", OpensmRole::qos_policy},
      {"guid2lid", OpensmRole::guid2lid},
      {"guid2mkey", OpensmRole::guid2mkey},
      {"opensm-sa.dump", OpensmRole::sa_dump},
      {"roots", OpensmRole::roots},
      {"compute", OpensmRole::compute_nodes},
      {"io", OpensmRole::io_nodes},
      {"ib-node-name-map", OpensmRole::names},
      {"prefix-routes.conf", OpensmRole::prefix_routes}};
  std::vector<OpensmFile> files;
  for (const auto& [name, role] : kNames)
    if (fs::exists(folder / name)) files.push_back({role, std::string(name), content_of(folder / name)});
  return files;
}

/// Lines that say something, as "file:number".
std::multiset<std::string> lines_of(const std::vector<OpensmFile>& files) {
  std::multiset<std::string> lines;
  for (const OpensmFile& file : files) {
    std::istringstream text(file.text);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != line.npos && line[first] != '#') lines.insert(fmt::format("{}:{}", file.name, number));
    }
  }
  return lines;
}

std::string told(const OpensmImport& import) {
  std::string text;
  for (const ImportedLine& line : import.lines)
    text += fmt::format("{}:{}: {}: {}: {}\n", line.file, line.line, line.text, name(line.fate), line.became);
  for (const auto& [port, range] : import.lids)
    text += fmt::format("{} {} {}\n", to_string(port), raw(range.base), range.lmc);
  text += fmt::format("--- weft.yaml\n{}--- node-name-map\n{}--- m_keys\n{}", import.yaml, import.names,
                      import.m_keys);
  if (plan::counts_of(import.registrations) != plan::RegistrationCounts{})
    text += "--- registrations\n" + plan::registrations_json(import.registrations, true) + "\n";
  return text;
}

/// Twenty set-ups of different kinds, each with what it becomes (UPDATE_GOLDEN=1 writes that anew).
class OpensmSetups : public testing::TestWithParam<fs::path> {};

std::vector<fs::path> setups() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/tests/config/opensm"))
    if (entry.is_directory()) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, OpensmSetups, testing::ValuesIn(setups()), [](const auto& one) {
  std::string name = one.param.filename().string();
  std::erase_if(name, [](char c) { return c == '-'; });
  return "Of" + name;
});

TEST_P(OpensmSetups, AreAccountedForLineByLine) {
  const std::vector<OpensmFile> files = files_in(GetParam());
  ASSERT_FALSE(files.empty());
  const OpensmImport import = imported(files);
  std::multiset<std::string> accounted;
  for (const ImportedLine& line : import.lines) {
    accounted.insert(fmt::format("{}:{}", line.file, line.line));
    EXPECT_FALSE(line.became.empty()) << line.text;
  }
  EXPECT_EQ(accounted, lines_of(files));
  (void)settings_of(import);
  const fs::path golden = GetParam() / "becomes.txt";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << told(import);
  EXPECT_EQ(told(import), content_of(golden));
}

TEST(OpensmImport, ThereAreTwentySetups) { EXPECT_EQ(setups().size(), 20u); }

TEST(OpensmImport, EveryKeyOfTheTableIsOneOfOursAndItsOwnValueFits) {
  for (const OpensmOption& option : opensm_table()) {
    if (option.key.empty()) continue;
    const Key* key = find_key(option.key);
    ASSERT_NE(key, nullptr) << option.name;
    if (option.value == nullptr || option.built_in.empty()) continue;
    const auto value = option.value(option.built_in);
    if (!value || option.name == "guid") continue;
    Settings settings;
    Report report;
    key->read(Value{Value::Kind::text, {}, *value, {}}, settings, report);
    EXPECT_EQ(report.problem_count, 0u) << option.name << ": " << *value;
  }
}

TEST(OpensmImport, OpensmsOwnValuesGiveOpensmsRankAndNothingElse) {
  const OpensmImport import = imported("");
  EXPECT_EQ(settings_of(import).manager.priority, 0);
  Settings expected;
  expected.manager.priority = 0;
  EXPECT_EQ(settings_of(import), expected) << import.yaml;
}

TEST(OpensmImport, KeepsWhatThePortsAreTold) {
  const OpensmImport import = imported(
      "packet_life_time 0x14\nsubnet_timeout 20\nmax_op_vls 3\nleaf_head_of_queue_lifetime 0x0e\nsm_priority "
      "7\n"
      "transaction_retries 5\n");
  const Settings settings = settings_of(import);
  EXPECT_GE(settings.plan.subnet.packet_lifetime, 20);
  EXPECT_EQ(settings.plan.subnet.subnet_timeout, 20);
  EXPECT_EQ(settings.plan.links.max_vls, VlCount::vl4);
  EXPECT_EQ(settings.plan.links.host_hoq_life, 14);
  EXPECT_EQ(settings.manager.priority, 7);
  EXPECT_EQ(settings.smp.attempts, 6);
}

TEST(OpensmImport, TellsOfRepeatedAndUnknownOptions) {
  const OpensmImport import = imported("sm_priority 3\nsharp_enabled 2\nsm_priority 9\n");
  EXPECT_EQ(line_of(import, 1).fate, Fate::dropped);
  EXPECT_EQ(line_of(import, 1).became, "line 3 sets it again");
  EXPECT_EQ(line_of(import, 2).became, "unknown to OpenSM 3.3, which overlooks it");
  EXPECT_EQ(settings_of(import).manager.priority, 9);
}

TEST(OpensmImport, KeysGoToTheirFileAndAreNeverTold) {
  const OpensmImport import = imported("m_key 0x1122334455667788\nsm_key 0x99aa\nm_key_protection_level 0\n");
  EXPECT_EQ(import.m_keys, "0x1122334455667788\n");
  const Settings settings = settings_of(import);
  EXPECT_EQ(settings.m_key.file, "m_keys");
  EXPECT_EQ(settings.m_key.keys.protect, 0);
  EXPECT_EQ(settings.manager.sm_key, 0x99aau);
  for (const ImportedLine& line : import.lines) {
    EXPECT_EQ((line.text + line.became).find("1122"), std::string::npos) << line.text;
    EXPECT_EQ((line.text + line.became).find("99aa"), std::string::npos) << line.text;
  }
}

TEST(OpensmImport, KeysOfPortsBecomeKeysThatDevicesMayHoldFromBefore) {
  const std::string ports =
      "0x1 0x1122334455667788\n0x2 0x99\n0x3 0x0\n0x4 0x99\n0x4 0x98\nnonsense\n0x5 0x97\n";
  const OpensmImport import = imported({{OpensmRole::options, "opensm.conf", "m_key 0x1122334455667788\n"},
                                        {OpensmRole::guid2mkey, "guid2mkey", ports}});
  EXPECT_EQ(import.m_keys, "0x1122334455667788\n0x0000000000000099\n0x0000000000000097\n");
  EXPECT_EQ(line_of(import, 3, "guid2mkey").fate, Fate::default_);
  EXPECT_EQ(line_of(import, 5, "guid2mkey").became, "this port stands here before");
  EXPECT_EQ(line_of(import, 6, "guid2mkey").fate, Fate::dropped);
  for (const ImportedLine& line : import.lines) EXPECT_EQ(line.text.find("99"), std::string::npos);
}

TEST(OpensmImport, ShowsNoKeyOfALineThatIsNotAsItShouldBe) {
  const OpensmImport import = imported({{OpensmRole::guid2mkey, "guid2mkey",
                                         "0x10x1122334455667788\n0x1122334455667788\n0x1 0x2 "
                                         "0x1122334455667788\nkey 0x1122334455667788\n0x1 112233\n"}});
  ASSERT_EQ(import.lines.size(), 5u);
  for (int line = 1; line <= 4; ++line) EXPECT_EQ(line_of(import, line, "guid2mkey").text, "***");
  EXPECT_EQ(line_of(import, 5, "guid2mkey").text, "0x1 ***");
}

TEST(OpensmImport, ShowsNothingThatATerminalObeys) {
  const std::string service =
      "Service Record: id=0x1 gid=0xfe80000000000000:0x1 pkey=0xffff lease=0xffffffff key=0x0:0x0 "
      "name='a\x1b[2J\x7f\xff\xc3\xa4\tb' data8=0x0:0x0 data16=0x0:0x0 data32=0x0:0x0 data64=0x0:0x0 "
      "modified_time=0x0 lease_period=0xffffffff\n";
  const OpensmImport import = imported({{OpensmRole::sa_dump, "opensm-sa.dump", service}});
  const ImportedLine& line = line_of(import, 1, "opensm-sa.dump");
  EXPECT_EQ(line.fate, Fate::mapped) << line.became;
  EXPECT_NE(line.text.find("name='a?[2J??\xc3\xa4 b'"), std::string::npos) << line.text;
  EXPECT_EQ(plan::counts_of(import.registrations).services, 1u)
      << "no host keeps others from being taken over";
}

TEST(OpensmImport, WithoutAKeyOfItsOwnOpensmTakesFromPortsWhatTheyHold) {
  const OpensmImport import = imported({{OpensmRole::options, "opensm.conf", "sm_priority 3\n"},
                                        {OpensmRole::guid2mkey, "guid2mkey", "0x1 0x7\n"}});
  EXPECT_EQ(import.m_keys, "none\n0x0000000000000007\n");
  EXPECT_EQ(settings_of(import).m_key.file, "m_keys");
  EXPECT_TRUE(imported({{OpensmRole::guid2mkey, "guid2mkey", "0x1 0x0\n"}}).m_keys.empty());
}

TEST(OpensmImport, TriesNoMoreThanSixteenKeysAtEveryDevice) {
  std::string ports;
  for (int i = 1; i <= 20; ++i) ports += fmt::format("0x{:x} 0x{:x}\n", i, 100 + i);
  const OpensmImport import = imported({{OpensmRole::guid2mkey, "guid2mkey", ports}});
  EXPECT_EQ(std::ranges::count(import.m_keys, '\n'), 17);
  EXPECT_EQ(line_of(import, 16, "guid2mkey").fate, Fate::mapped);
  EXPECT_EQ(line_of(import, 17, "guid2mkey").fate, Fate::dropped);
}

TEST(OpensmImport, EnginesWithoutCounterpartAreTold) {
  const OpensmImport import = imported("routing_engine dfsssp,updn,no_fallback\n");
  const Settings settings = settings_of(import);
  EXPECT_EQ(settings.plan.routing.chain.engines, std::vector<std::string>{"up-down"});
  EXPECT_EQ(settings.plan.routing.chain.on_failure, routing::OnFailure::keep_last);
  EXPECT_NE(line_of(import, 1).became.find("nothing stands for dfsssp"), std::string::npos);
}

TEST(OpensmImport, KeepsEveryLidThatCanBeKept) {
  const OpensmImport import = imported(
      {{OpensmRole::guid2lid, "guid2lid", "0x1 0x4 0x7\n0x2 0x7 0x7\n0x3 0x9 0xa\n0x4 0x0010 0x0010\n"}});
  EXPECT_EQ(import.lids, (plan::LidMap{{Guid{1}, {Lid{4}, 2}}, {Guid{4}, {Lid{16}, 0}}}));
  EXPECT_NE(line_of(import, 2, "guid2lid").became.find("LID 7 is"), std::string::npos);
  EXPECT_EQ(line_of(import, 3, "guid2lid").fate, Fate::dropped);
}

TEST(OpensmImport, HalfAPolicyIsNone) {
  Report report;
  const std::vector<OpensmFile> files{{OpensmRole::partitions, "partitions.conf", "a=5 ALL;\n"}};
  (void)import_opensm(files, report);
  ASSERT_EQ(report.problem_count, 1u);
  EXPECT_TRUE(report.problems.front().starts_with("partitions.conf:1:5")) << report.problems.front();
}

TEST(OpensmImport, APolicyThatOpensmDoesNotReadIsNotMadeOne) {
  const std::string policy = "qos-levels\nqos-level\nname: DEFAULT\nsl: 2\nend-qos-level\nend-qos-levels\n";
  const OpensmImport without = imported({{OpensmRole::options, "opensm.conf", "qos FALSE\n"},
                                         {OpensmRole::qos_policy, "qos-policy.conf", policy}});
  EXPECT_TRUE(settings_of(without).plan.qos.levels.empty());
  EXPECT_EQ(line_of(without, 1, "qos-policy.conf").fate, Fate::dropped);
}

}  // namespace
}  // namespace weft::config
