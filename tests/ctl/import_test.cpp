#include "ctl/import_commands.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <boost/json/parse.hpp>

#include "config/parse.h"
#include "config/partition_types.h"
#include "config/read.h"

namespace weft::ctl {
namespace {

/// What one of OpenSM's files becomes.
struct Import {
  std::ostringstream out;
  std::ostringstream err;
  Exit exit;
  Import(OpensmFile kind, const std::string& text, bool as_json = false) {
    const std::string path = testing::TempDir() + "weft_import.conf";
    std::ofstream(path) << text;
    exit = import_opensm({out, err, Style{}, as_json}, kind, path);
  }
};

TEST(ImportOpensm, GivesYamlThatReadsAsTheSamePolicy) {
  const std::string path = testing::TempDir() + "weft_partitions.conf";
  std::ofstream(path)
      << "Default=0x7fff,ipoib : ALL=limited, SELF=full ;\na=5 : 0x1 ;\nb=0x8005 : 0x2=full;\n";
  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(import_opensm({out, err, Style{}}, OpensmFile::partitions, path), Exit::done) << err.str();
  const config::Parsed parsed = config::parse_yaml(out.str());
  ASSERT_TRUE(parsed.problems.empty()) << out.str();
  EXPECT_NE(out.str().find("# line 3: its key is another's"), std::string::npos) << out.str();
  const config::Value& define = parsed.root.children.at(1).children.at(1);
  config::Report report;
  const auto read = config::partition_map().read(define, report);
  ASSERT_TRUE(read) << out.str();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(1).members.size(), 2u);

  std::ofstream(path) << "a=5 ALL;\n";
  EXPECT_EQ(import_opensm({out, err, Style{}}, OpensmFile::partitions, path), Exit::usage);
  EXPECT_NE(err.str().find("weft_partitions.conf:1:5: expects a comma or a colon"), std::string::npos)
      << err.str();
}

constexpr std::string_view kOptions =
    "sm_priority 14\nqos TRUE\nqos_ca_high_limit 7\nqos_sl2vl 0,0,1,1,2,2,3,3,0,0,0,0,0,0,0,7\nlog_max_size "
    "0\nweird 3\nqos_policy_file /etc/none.conf\n";

TEST(ImportOpensm, GivesTheTablesOfTheOptionsAndSaysWhatEachLineBecame) {
  const Import import(OpensmFile::options, std::string(kOptions));
  ASSERT_EQ(import.exit, Exit::done) << import.err.str();
  const std::string text = import.out.str();
  EXPECT_NE(text.find("# line 1: sm_priority 14: see manager.priority\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# line 3: qos_ca_high_limit 7: qos.tables.hosts.high_limit\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("without a key of that name here: weird\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  # opensm_file: /etc/none.conf  # OpenSM does without"), std::string::npos) << text;
  const auto loaded = config::read_text(text, "f");
  ASSERT_TRUE(loaded) << loaded.error().what;
  ASSERT_TRUE(loaded->settings.plan.qos.tables);
  EXPECT_EQ(loaded->settings.plan.qos.tables->hosts.arbitration.high_limit, 7);
  EXPECT_EQ(loaded->settings.plan.qos.tables->switches.sl2vl[5], Vl{2});
  const Import as_json(OpensmFile::options, std::string(kOptions), true);
  const auto object = boost::json::parse(as_json.out.str());
  EXPECT_EQ(object.at("lines").as_array().size(), 6u);
  EXPECT_EQ(object.at("lines").at(1).at("option").as_string(), "qos TRUE");
}

TEST(ImportOpensm, OptionsWithoutQosSetNothing) {
  const Import import(OpensmFile::options, "qos_high_limit 3\n");
  ASSERT_EQ(import.exit, Exit::done);
  EXPECT_NE(import.out.str().find("# Only where OpenSM is run with -Q:\n# qos:\n"), std::string::npos)
      << import.out.str();
  const auto loaded = config::read_text(import.out.str(), "f");
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->settings.plan.qos.tables);
}

TEST(ImportOpensm, GivesThePolicyAsLevelsAndRules) {
  const Import import(
      OpensmFile::qos_policy,
      "port-groups\nport-group\nname: a\npartition: red\nend-port-group\nend-port-groups\n"
      "qos-levels\nqos-level\nname: DEFAULT\nsl: 2\nend-qos-level\nend-qos-levels\n"
      "qos-match-rules\nqos-match-rule\nsource: a\nqos-level-name: DEFAULT\nend-qos-match-rule\n"
      "end-qos-match-rules\n");
  ASSERT_EQ(import.exit, Exit::done) << import.err.str();
  const auto loaded = config::read_text(import.out.str() + "partitions: { define: { red: {} } }\n", "f");
  ASSERT_TRUE(loaded) << loaded.error().what << import.out.str();
  EXPECT_EQ(loaded->settings.plan.qos.rules.at(0).source.partitions.at(0).partition, "red");
}

TEST(ImportOpensm, TellsWhereAFileIsWrong) {
  EXPECT_EQ(Import(OpensmFile::options, "qos_vlarb_low 0:4,15:4\n").exit, Exit::usage);
  const Import import(OpensmFile::options, "\nqos_vlarb_low 0:4,15:4\n");
  EXPECT_NE(import.err.str().find("weft_import.conf:2:1: expects VL:WEIGHT"), std::string::npos)
      << import.err.str();
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(import_opensm({out, err, Style{}}, OpensmFile::options, "/nowhere"), Exit::usage);
}

}  // namespace
}  // namespace weft::ctl
