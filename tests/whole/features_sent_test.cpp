// `weftd --features` names the attributes that weftd asks devices for: against what is sent to simulated
// ones.

#include <gtest/gtest.h>

#include <set>

#include "daemon/features.h"
#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

using namespace std::chrono_literals;

template <typename Attribute>
std::set<Attribute> sent(const Whole& whole, std::initializer_list<mad::MgmtClass> classes) {
  std::set<Attribute> found;
  for (const sim::Counters::Row& row : whole.world->counters().table())
    if (std::ranges::find(classes, row.mgmt_class) != classes.end() &&
        (row.method == mad::Method::get || row.method == mad::Method::set))
      found.insert(static_cast<Attribute>(row.attribute));
  return found;
}

TEST(Features, ListTheAttributesThatAreSent) {
  Whole whole("fat-tree:radix=4,levels=2");
  whole.start({}, config::read_text(
                      "partitions:\n"
                      "  define: { work: { key: 0x0010, members: [ \"*\" ], default_membership: full } }\n"
                      "link_health: { counters: { interval: 1s } }\n"
                      "audit: { interval: 1min }\n",
                      "file")
                      .value()
                      .settings);
  Rival standby(whole, "h00003");
  ASSERT_TRUE(whole.settle()) << whole.faults();
  whole.run_for(3min);
  const std::set<mad::AttrId> listed(daemon::attributes_used().begin(), daemon::attributes_used().end());
  const auto seen =
      sent<mad::AttrId>(whole, {mad::MgmtClass::subn_directed, mad::MgmtClass::subn_lid_routed});
  for (const mad::AttrId one : seen)
    EXPECT_TRUE(listed.contains(one)) << mad::name(one) << " is sent, and not listed";
  // The others need an occasion, or are answered by programs: an alias GUID, a switch that tells the states
  // of all its ports at once, service levels.
  for (const mad::AttrId one :
       {mad::AttrId::node_info, mad::AttrId::node_description, mad::AttrId::switch_info,
        mad::AttrId::port_info, mad::AttrId::pkey_table, mad::AttrId::linear_forwarding})
    EXPECT_TRUE(seen.contains(one)) << mad::name(one) << " is listed, and was not sent";
  const auto perf = daemon::perf_attributes_used();
  const std::set<mad::PerfAttr> perf_listed(perf.begin(), perf.end());
  const auto perf_seen = sent<mad::PerfAttr>(whole, {mad::MgmtClass::perf});
  EXPECT_FALSE(perf_seen.empty());
  for (const mad::PerfAttr one : perf_seen) EXPECT_TRUE(perf_listed.contains(one)) << static_cast<int>(one);
}

}  // namespace
}  // namespace weft::test
