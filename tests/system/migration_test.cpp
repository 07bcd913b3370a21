// The way of docs/migrating.md: a fabric under OpenSM gets weftd as a standby, made of OpenSM's own files,
// which takes over when OpenSM ends; and the way back. No port gets another LID, not even one that was away,
// and no table is written that holds what it should already.

#include <csignal>
#include <memory>
#include <regex>

#include <gtest/gtest.h>

#include "tests/system/member.h"
#include "tests/system/programs.h"
#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

using std::chrono::seconds;

constexpr const char* kOpenSmHost = "h00000";
constexpr const char* kWeftHost = "h00001";
constexpr const char* kAwayHost = "h00020";
constexpr const char* kToolHost = "h00031";

/// Text of a file with one thing in the place of another, which must be there.
std::string replaced(const std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what << " in\n" << text;
  return at == text.npos ? text : text.substr(0, at) + by + text.substr(at + what.size());
}

class Migration : public testing::Test {
 protected:
  Migration() : sim_("fat-tree:radix=8") {
    for (const char* folder : {"opensm", "weft", "state"}) std::filesystem::create_directory(path(folder));
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  Environment opensm_environment(const std::string& host) const {
    Environment environment = sim_.environment(Under::weftsim_run, host);
    environment["OSM_TMP_DIR"] = environment["OSM_CACHE_DIR"] = path("opensm");
    return environment;
  }
  void start_opensm(const std::string& priority, const std::string& more = "") {
    opensm_ = std::make_unique<OpenSm>(
        opensm_environment(kOpenSmHost), path("opensm"), "",
        "sm_priority " + priority +
            "\nsminfo_polling_timeout 500\npolling_retry_number 1\nsweep_interval 2\n" +
            "partition_config_file " + path("opensm/partitions.conf") + "\n" + more);
  }
  /// As systemctl stop does.
  void stop_opensm() {
    opensm_->process().signal(SIGTERM);
    EXPECT_GE(opensm_->process().wait(seconds(20)), 0);
    opensm_.reset();
  }
  /// What OpenSM has becomes Weft's; one less than its rank makes a standby.
  void import(const std::string& more = "") {
    const Output imported = run(program("weftctl") + " import opensm --dir " + path("opensm") + " --cache " +
                                path("opensm") + " --out " + path("weft"));
    ASSERT_EQ(imported.status, 0) << imported.text;
    std::string yaml = replaced(read_file(path("weft/weft.yaml")), "priority: 5", "priority: 4");
    yaml += "transport: { kind: ibsim, ibsim: { socket: " + sim_.socket() + ", host: " + kWeftHost +
            " } }\ncontrol: { socket: " + path("sock") + " }\nstate_dir: " + path("state") + "\n" + more;
    write_file(path("weft/weft.yaml"), yaml);
  }
  void take_over() {
    stop_opensm();
    ASSERT_TRUE(weftd_says(": master, ")) << weftctl("status").text;
    ASSERT_TRUE(
        eventually([&] { return weftctl("status --json").text.find("\"clean\":true") != std::string::npos; },
                   seconds(40)));
  }
  void start_weftd() {
    weftd_ = std::make_unique<Background>(program("weftd") + " --config " + path("weft/weft.yaml"),
                                          Environment{}, directory_.path(), path("weftd.log"));
  }
  Output weftctl(const std::string& command) const {
    return run(program("weftctl") + " --socket " + path("sock") + " " + command);
  }
  bool weftd_says(const std::string& words) const {
    return eventually([&] { return weftctl("status").text.find(words) != std::string::npos; }, seconds(40));
  }
  bool opensm_says(const std::string& words) const {
    return eventually([&] { return opensm_->log().find(words) != std::string::npos; }, seconds(40));
  }
  Output tool(const std::string& command) const { return sim_.tool(command, Under::weftsim_run, kToolHost); }
  /// All that ibnetdiscover sees, LIDs included, but for its date.
  std::string fabric() const {
    return std::regex_replace(tool("ibnetdiscover").text,
                              std::regex("# Topology file: generated on [^\n]*\n"), "");
  }
  std::string lid_of(const std::string& host) const {
    std::smatch lid;
    const std::string seen = tool("ibnetdiscover").text;
    return std::regex_search(seen, lid, std::regex("\"" + host + " [^\"]*\" lid ([0-9]+)")) ? lid[1].str()
                                                                                            : "";
  }
  /// The unicast tables, one a switch.
  std::vector<std::string> tables() const {
    const std::string text = tool("dump_fts").text;
    std::vector<std::string> all;
    for (std::size_t at = text.find("Unicast lids"); at != text.npos;) {
      const std::size_t next = text.find("Unicast lids", at + 1);
      all.push_back(text.substr(at, next == text.npos ? next : next - at));
      at = next;
    }
    return all;
  }
  /// Sets of an attribute since the counts were cleared.
  int sets_of(const std::string& attribute) const {
    std::smatch count;
    const std::string counts = sim_.ctl("counts").text;
    return std::regex_search(counts, count, std::regex("Set +" + attribute + " +([0-9]+)"))
               ? std::stoi(count[1])
               : 0;
  }
  static int different(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    EXPECT_EQ(a.size(), b.size());
    int count = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
    return count;
  }

  tests::TempDir directory_;
  Simulator sim_;
  std::unique_ptr<OpenSm> opensm_;
  std::unique_ptr<Background> weftd_;
};

TEST_F(Migration, ThereAndBackChangesNoLidAndNoTableWithoutNeed) {
  write_file(path("opensm/partitions.conf"), "Default=0x7fff,ipoib : ALL=full ;\n");
  start_opensm("5");
  ASSERT_TRUE(opensm_->is_up()) << opensm_->log();
  const std::string away_lid = lid_of(kAwayHost);
  ASSERT_FALSE(away_lid.empty());

  ASSERT_NO_FATAL_FAILURE(import());
  // A host that is away when Weft takes over, and a standby that has therefore never seen it.
  ASSERT_EQ(sim_.ctl("cut " + std::string(kAwayHost) + "[1]").status, 0);
  ASSERT_TRUE(eventually([&] { return lid_of(kAwayHost).empty(); }, seconds(20)));
  const std::string before = fabric();
  start_weftd();
  ASSERT_TRUE(weftd_says(": standby,")) << weftctl("status").text;
  const Output taken = weftctl("state import " + path("weft/ledger.json"));
  ASSERT_EQ(taken.status, 0) << taken.text;
  EXPECT_EQ(fabric(), before) << "a standby changes nothing";

  const std::vector<std::string> opensms = tables();
  ASSERT_EQ(opensms.size(), 12u);
  ASSERT_EQ(sim_.ctl("clear-counts").status, 0);
  ASSERT_NO_FATAL_FAILURE(take_over());
  EXPECT_EQ(fabric(), before);
  const int lft_sets = sets_of("LinearForwardingTable");
  const int changed = different(opensms, tables());
  // One block a switch; an entry that could close a credit cycle with old ones goes to 255 first.
  EXPECT_GE(lft_sets, changed);
  EXPECT_LE(lft_sets, 2 * changed);
  RecordProperty("lft_sets", lft_sets);
  RecordProperty("switches_with_other_tables", changed);
  RecordProperty("mft_sets", sets_of("MulticastForwardingTable"));
  EXPECT_EQ(sets_of("MulticastForwardingTable"), 0) << "no group has a member";
  ASSERT_EQ(sim_.ctl("mend " + std::string(kAwayHost) + "[1]").status, 0);
  EXPECT_TRUE(eventually([&] { return lid_of(kAwayHost) == away_lid; }, seconds(30))) << lid_of(kAwayHost);

  // Back: OpenSM waits, with the LIDs that Weft has kept, until weftd ends.
  const std::string wefts = fabric();
  ASSERT_EQ(weftctl("state export --guid2lid " + path("opensm/guid2lid")).status, 0);
  start_opensm("1", "honor_guid2lid_file TRUE\n");
  ASSERT_TRUE(opensm_says("Entering STANDBY state")) << opensm_->log();
  weftd_->signal(SIGTERM);
  EXPECT_EQ(weftd_->wait(seconds(20)), 0);
  ASSERT_TRUE(opensm_says("Entering MASTER state")) << opensm_->log();
  ASSERT_TRUE(opensm_->is_up());
  EXPECT_EQ(fabric(), wefts);
  EXPECT_EQ(lid_of(kAwayHost), away_lid);
}

/// Nobody joins, registers or subscribes again: what clients told one manager the next one knows.
TEST_F(Migration, WhatClientsHaveToldIsKnownThereAndBack) {
  const std::string dump = path("opensm/opensm-sa.dump");
  const std::string settings = "sa_db_dump TRUE\nsa_db_file " + dump + "\n";
  write_file(path("opensm/partitions.conf"), "Default=0x7fff,ipoib : ALL=full ;\n");
  start_opensm("5", settings);
  ASSERT_TRUE(opensm_->is_up()) << opensm_->log();
  Member first(sim_.socket(), "h00005");
  Member second(sim_.socket(), "h00006");
  // A group that is gone again leaves its MLID to nobody: counted anew, the next one would get it.
  ASSERT_EQ(first.join(9), 0);
  ASSERT_EQ(first.join(1), 0);
  ASSERT_EQ(second.join(1), 0);
  ASSERT_EQ(first.leave(9), 0);
  ASSERT_EQ(second.serve(77), 0);
  ASSERT_EQ(first.subscribe(64), 0);
  const Lid mlid = second.mlid(1);
  ASSERT_GT(raw(mlid), 0xc001);
  ASSERT_TRUE(eventually(
      [&] {
        const std::string text = std::filesystem::exists(dump) ? read_file(dump) : std::string();
        return count_of(text, "mcm_port") == 2 && count_of(text, "Service Record") == 1 &&
               count_of(text, "InformInfo Record") == 1;
      },
      seconds(20)));

  ASSERT_NO_FATAL_FAILURE(import());
  start_weftd();
  ASSERT_TRUE(weftd_says(": standby,")) << weftctl("status").text;
  const Output taken = weftctl("state import " + path("weft/ledger.json"));
  EXPECT_NE(taken.text.find("2 groups with 2 members, 1 service and 1 subscription"), std::string::npos)
      << taken.text;
  ASSERT_NO_FATAL_FAILURE(take_over());
  EXPECT_EQ(first.mlid(1), mlid);
  EXPECT_EQ(second.mlid(1), mlid);
  EXPECT_FALSE(first.is_in(9));
  EXPECT_TRUE(first.finds(77));
  // The tree is there: its leaf sends the group's packets to both.
  EXPECT_TRUE(eventually([&] { return sets_of("MulticastForwardingTable") > 0; }, seconds(20)));
  ASSERT_EQ(sim_.ctl("cut " + std::string(kAwayHost) + "[1]").status, 0);
  ASSERT_TRUE(eventually([&] { return lid_of(kAwayHost).empty(); }, seconds(20)));
  ASSERT_EQ(sim_.ctl("mend " + std::string(kAwayHost) + "[1]").status, 0);
  EXPECT_TRUE(first.has_subscribed());
  EXPECT_TRUE(eventually(
      [&] { return std::regex_search(weftctl("sa --json").text, std::regex("\"reports\":[1-9]")); },
      seconds(20)))
      << "the host that is back is reported to who has subscribed: " << weftctl("sa --json").text;

  ASSERT_EQ(weftctl("state export --sa-dump " + dump).status, 0);
  start_opensm("1", settings);
  ASSERT_TRUE(opensm_says("Entering STANDBY state")) << opensm_->log();
  weftd_->signal(SIGTERM);
  EXPECT_EQ(weftd_->wait(seconds(20)), 0);
  ASSERT_TRUE(opensm_says("Entering MASTER state")) << opensm_->log();
  ASSERT_TRUE(opensm_->is_up());
  EXPECT_TRUE(eventually([&] { return second.mlid(1) == mlid; }, seconds(10)));
  EXPECT_EQ(first.mlid(1), mlid);
  EXPECT_TRUE(first.finds(77));
  EXPECT_TRUE(first.has_subscribed());
}

/// What OpenSM has set on devices, weftd shows them: nothing else would let it in.
TEST_F(Migration, KeysOfOpensmOpenDevicesToWeft) {
  write_file(path("opensm/partitions.conf"), "Default=0x7fff,ipoib : ALL=full ;\n");
  start_opensm("5", "m_key 0x1122334455667788\nm_key_protection_level 1\n");
  ASSERT_TRUE(opensm_->is_up()) << opensm_->log();
  ASSERT_TRUE(eventually(
      [&] { return count_of(read_file(path("opensm/guid2mkey")), "0x1122334455667788") > 40; }, seconds(20)));
  stop_opensm();
  // Its configuration has lost the key; its memory has not.
  write_file(path("opensm/opensm.conf"), "sm_priority 5\n");
  ASSERT_NO_FATAL_FAILURE(import());
  EXPECT_EQ(read_file(path("weft/m_keys")), "none\n0x1122334455667788\n");
  start_weftd();
  ASSERT_TRUE(weftd_says(": master, ")) << weftctl("status").text;
  EXPECT_TRUE(eventually(
      [&] { return weftctl("status --json").text.find("\"clean\":true") != std::string::npos; }, seconds(40)))
      << weftctl("status").text;
  EXPECT_EQ(weftd_->log().find("1122334455667788"), std::string::npos);
}

}  // namespace
}  // namespace weft::system_test
