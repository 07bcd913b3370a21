#include "ctl/expected_commands.h"

#include <gtest/gtest.h>

#include <sstream>

#include <boost/json/parse.hpp>

#include "topology/json_file.h"
#include "topology/load.h"

namespace weft::ctl {
namespace {

boost::json::value nodes() {
  return boost::json::parse(R"({"nodes": [
    {"guid": "0x0000000000000010", "name": "leaf1", "type": "switch", "vendor": 713, "device": 5, "ports": 36,
     "end_ports": [{"port": 0, "guid": "0x0000000000000010"}]},
    {"guid": "0x0000000000000020", "name": "host 1", "type": "hca", "vendor": 713, "device": 6, "ports": 2,
     "end_ports": [{"port": 2, "guid": "0x0000000000000077"}]}]})");
}

boost::json::value links(const std::string& guid = "0x0000000000000020") {
  return boost::json::parse(R"({"links": [{"a": {"guid": "0x0000000000000010", "port": 7}, "b": {"guid": ")" +
                            guid + R"(", "port": 2}, "width": "4x", "speed": "EDR"}]})");
}

TEST(TopologyOfAnswers, HasNodesPortsAndCables) {
  const auto topology = topology_of(nodes(), links());
  ASSERT_TRUE(topology) << topology.error().what;
  ASSERT_EQ(topology->nodes.size(), 2u);
  EXPECT_EQ(topology->nodes[0].id, "leaf1");
  EXPECT_EQ(topology->nodes[1].id, "H-0000000000000020") << "a name with a blank is no id";
  EXPECT_EQ(topology->nodes[1].port_guids, (std::vector<Guid>{Guid{0x21}, Guid{0x77}}));
  ASSERT_EQ(topology->cables.size(), 1u);
  EXPECT_EQ(topology->cables[0].speed, LinkSpeed::edr);
  const auto again = topology::read_json(topology::write_json(*topology), "f");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, *topology);
}

TEST(TopologyOfAnswers, RefusesWhatDoesNotHangTogether) {
  EXPECT_FALSE(topology_of(nodes(), links("0x0000000000000099")));
}

TEST(ExpectedMake, WritesADesign) {
  std::ostringstream out;
  std::ostringstream err;
  const Client nobody("/nowhere/sock");
  ASSERT_EQ(make_expected(nobody, {out, err, Style{}}, "-", "ring:4"), Exit::done) << err.str();
  const auto read = topology::read_json(out.str(), "f");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->cables, topology::load("ring:4")->cables);
  EXPECT_EQ(make_expected(nobody, {out, err, Style{}}, "-", "ring:no"), Exit::failed);
}

}  // namespace
}  // namespace weft::ctl
