#include "plan/dump_opensm.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "canned.h"

namespace weft::daemon {
namespace {

using plan::dump;
using plan::DumpFile;
using plan::file_name;

namespace fs = std::filesystem;

TEST(DumpOpensm, WritesALineForEachEndOfALink) {
  const auto view = test::planned_view();
  const std::string text = dump(*view, DumpFile::subnet);
  const unsigned host = raw(view->plan->lids.map->at(Guid{0x3001}).base);
  const unsigned leaf = raw(view->plan->lids.map->at(Guid{0x2000}).base);
  const std::string line = fmt::format(
      "{{ CA-SM Ports:01 SystemGUID:0000000000003000 NodeGUID:0000000000003000 PortGUID:0000000000003001 "
      "VenID:0002C9 "
      "DevID:CB20 Rev:000000A1 {{host-0}} LID:{:04x} PN:01 }} {{ SW Ports:04 SystemGUID:0000000000002000 "
      "NodeGUID:0000000000002000 PortGUID:0000000000002000 VenID:0002C9 DevID:CB20 Rev:000000A1 {{leaf-0}} "
      "LID:{:04x} "
      "PN:01 }} PHY=4x LOG=ACT SPD=25\n",
      host, leaf);
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(DumpOpensm, WritesATableForEachSwitch) {
  const auto view = test::planned_view();
  const std::string text = dump(*view, DumpFile::fdbs);
  const unsigned host = raw(view->plan->lids.map->at(Guid{0x3001}).base);
  EXPECT_NE(text.find("Switch 0x0000000000002000\nLID    : Port : Hops : Optimal\n0x0001 : "),
            std::string::npos)
      << text;
  const std::size_t leaf = text.find("Switch 0x0000000000002000");
  EXPECT_NE(text.find(fmt::format("0x{:04X} : 001  : 00   : yes\n", host), leaf), std::string::npos);
  EXPECT_EQ(text.find(": 255 "), std::string::npos);
}

TEST(DumpOpensm, IsEmptyBeforeThePlan) {
  plan::View view = *test::planned_view();
  view.plan = nullptr;
  EXPECT_EQ(dump(view, DumpFile::subnet), "");
  EXPECT_EQ(dump(view, DumpFile::fdbs), "");
}

TEST(DumpOpensm, SatisfiesIbdmchk) {
  if (!fs::exists("/usr/bin/ibdmchk")) GTEST_SKIP() << "ibdmchk (package ibutils) is not installed";
  const auto view = test::planned_view();
  const test::TemporaryDirectory directory;
  for (const DumpFile file : {DumpFile::subnet, DumpFile::fdbs, DumpFile::mcfdbs}) {
    std::ofstream(directory.path() / file_name(file)) << dump(*view, file);
  }
  const std::string command =
      fmt::format("cd {} && /usr/bin/ibdmchk -s {} -f {} -m {} 2>&1", directory.path().string(),
                  file_name(DumpFile::subnet), file_name(DumpFile::fdbs), file_name(DumpFile::mcfdbs));
  std::string said;
  std::FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, got);
  pclose(pipe);  // it crashes when it is done, so its status says nothing
  EXPECT_NE(said.find("no credit loops found"), std::string::npos) << said;
  EXPECT_EQ(said.find("-E-"), std::string::npos) << said;
}

}  // namespace
}  // namespace weft::daemon
