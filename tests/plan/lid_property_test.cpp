// Assignment of LIDs on random fabrics with random histories: what must hold whatever came before.

#include <map>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "plan/lid_space.h"
#include "plan/lids.h"
#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

/// A fabric, what its ports carry, and what is remembered and configured.
struct Situation {
  topology::Topology topology;
  fabric::Fabric fabric;
  Ledger ledger;
  LidOptions options;
  std::map<Guid, Lid> carried;
};

class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  Lid lid() { return static_cast<Lid>(one_in(20) ? 0xbff0 + below(0x20) : below(80)); }

 private:
  std::mt19937 random_;
};

LidMap recorded(Chance& chance, const std::vector<Guid>& ports, std::uint8_t lmc) {
  LidMap lids;
  for (const Guid guid : ports) {
    if (chance.one_in(2)) continue;
    const std::uint8_t recorded_lmc = chance.one_in(4) ? static_cast<std::uint8_t>(chance.below(9)) : lmc;
    const std::uint32_t size = 1u << recorded_lmc;
    const std::uint32_t lid = raw(chance.lid());
    lids[guid] = {static_cast<Lid>(chance.one_in(6) ? lid : lid / size * size), recorded_lmc};
  }
  for (std::uint32_t i = chance.below(6); i > 0; --i)
    lids[static_cast<Guid>(0xaaaa0000 + chance.below(8))] = {chance.lid(), 0};
  return lids;
}

Situation situation_of(std::uint32_t seed) {
  Chance chance(seed);
  Situation it;
  const std::string shape = chance.one_in(2) ? fmt::format("random:switches={},radix=16,hosts={},links={}",
                                                           2 + chance.below(5), 2 + chance.below(8), 8, seed)
                                             : std::string("xgft:m=3,3:w=1,2");
  it.topology = test::topology_of(chance.one_in(3) ? "star:9" : shape);
  it.fabric = test::fabric_of(it.topology);
  it.options.lmc = static_cast<std::uint8_t>(chance.one_in(2) ? 0 : chance.below(4));
  std::vector<Guid> ports = host_ports(it.fabric);
  for (const Guid guid : switch_ports(it.fabric)) ports.push_back(guid);
  it.ledger = ledger_of(recorded(chance, ports, it.options.lmc));
  for (const Guid guid : ports)
    if (chance.one_in(2)) it.carried[guid] = chance.lid();
  it.fabric = carrying(it.fabric, it.carried);
  for (const Guid guid : ports)
    if (chance.one_in(8)) it.options.fixed[guid] = chance.lid();
  return it;
}

RC_GTEST_PROP(AssignLidsAlways, GivesLegalRangesThatDoNotOverlap, (std::uint32_t seed)) {
  const Situation it = situation_of(seed);
  const Lids lids = assign_lids(it.fabric, it.options, it.ledger);
  RC_ASSERT(fault_of(it.fabric, lids) == "");
  RC_ASSERT(lids.without.empty());
  // Nor do those of ports that are away.
  LidSpace space(kLidLastUnicast);
  for (const auto& [guid, range] : *lids.map) {
    RC_ASSERT(is_legal(range));
    RC_ASSERT(space.holder(range) == LidSpace::kFree);
    space.give(range, 1);
  }
}

RC_GTEST_PROP(AssignLidsAlways, RemembersWhatEachPortHas, (std::uint32_t seed)) {
  const Situation it = situation_of(seed);
  const Lids lids = assign_lids(it.fabric, it.options, it.ledger);
  for (std::size_t i = 0; i < lids.of_end_port.size(); ++i)
    RC_ASSERT(lids.map->at(it.fabric.port(it.fabric.end_ports()[i]).guid) == lids.of_end_port[i]);
}

RC_GTEST_PROP(AssignLidsAlways, IsDoneAfterOnce, (std::uint32_t seed)) {
  const Situation it = situation_of(seed);
  const Lids once = assign_lids(it.fabric, it.options, it.ledger);
  const Ledger ledger{.lids = once.map};
  for (const fabric::Fabric& fabric : {it.fabric, addressed(it.fabric, once)}) {
    const Lids twice = assign_lids(fabric, it.options, ledger);
    RC_ASSERT(twice.of_end_port == once.of_end_port);
    RC_ASSERT(twice.map == once.map);  // the same object
  }
}

RC_GTEST_PROP(AssignLidsAlways, IsTheSameForAnyOrderOfDiscovery, (std::uint32_t seed)) {
  const Situation it = situation_of(seed);
  const fabric::Fabric other = carrying(test::fabric_of(test::shuffled(it.topology, seed)), it.carried);
  RC_ASSERT(other == it.fabric);
  const Lids a = assign_lids(it.fabric, it.options, it.ledger);
  const Lids b = assign_lids(other, it.options, it.ledger);
  RC_ASSERT(a.of_end_port == b.of_end_port);
  RC_ASSERT(*a.map == *b.map);
  RC_ASSERT(a.notes == b.notes);
}

RC_GTEST_PROP(AssignLidsAlways, LeavesPortsWhatASoundRecordGivesThem, (std::uint32_t seed)) {
  Situation it = situation_of(seed);
  // A sound record: that of an earlier assignment without fixed LIDs.
  const LidOptions before{.lmc = it.options.lmc};
  it.ledger.lids = assign_lids(it.fabric, before, it.ledger).map;
  const Lids lids = assign_lids(it.fabric, it.options, it.ledger);
  LidSpace fixed(kLidLastUnicast);
  for (const auto& [guid, range] : *lids.map)
    if (it.options.fixed.contains(guid)) fixed.give(range, 1);
  for (const auto& [guid, range] : *it.ledger.lids) {
    const bool displaced = it.options.fixed.contains(guid) || fixed.holder(range) != LidSpace::kFree;
    if (!displaced) RC_ASSERT(lids.map->at(guid) == range);
  }
}

RC_GTEST_PROP(AssignLidsAlways, SurvivesNodesComingAndGoing, (std::uint32_t seed)) {
  Chance chance(seed);
  const fabric::Fabric whole = test::fabric_of("xgft:m=4,4:w=1,2");
  Ledger ledger;
  std::map<Guid, LidRange> first_seen;
  for (int step = 0; step < 6; ++step) {
    fabric::Fabric now = whole;
    for (std::uint32_t away = chance.below(8); away > 0; --away)
      now = test::without_node(now,
                               now.nodes()[chance.below(static_cast<std::uint32_t>(now.node_count()))].guid);
    const Lids lids = assign_lids(now, {.lmc = 1}, ledger);
    RC_ASSERT(fault_of(now, lids) == "");
    for (const auto& [guid, range] : *lids.map)
      RC_ASSERT(first_seen.emplace(guid, range).first->second == range);
    ledger.lids = lids.map;
  }
}

}  // namespace
}  // namespace weft::plan
