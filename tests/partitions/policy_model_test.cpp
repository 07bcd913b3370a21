// Random policies against a model of their own: who may talk to whom is worked out pair by pair from the
// policy's lines, without keys or tables.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "partitions/pkey.h"
#include "partitions/plan_keys.h"
#include "tests/support/fabric_of.h"

namespace weft::partitions {
namespace {

const fabric::Fabric& lab() {
  static const fabric::Fabric fabric = test::fabric_of("fat-tree:radix=4,levels=2");
  return fabric;
}

std::string node_name(fabric::PortRef port) { return lab().node(port.node).description; }

/// Whether a line of a policy means a port, as a person would read it.
bool means(const Who& who, fabric::PortRef port, fabric::PortRef self) {
  const fabric::Node& node = lab().node(port.node);
  switch (who.kind) {
    case Who::Kind::all:
      return true;
    case Who::Kind::hosts:
      return node.type == NodeType::hca;
    case Who::Kind::switches:
      return node.type == NodeType::switch_;
    case Who::Kind::routers:
      return node.type == NodeType::router;
    case Who::Kind::self:
      return port == self;
    case Who::Kind::guid:
      return lab().port(port).guid == who.guid;
    case Who::Kind::name:
      return who.name.back() == '*' ? node.description.starts_with(who.name.substr(0, who.name.size() - 1))
                                    : node.description == who.name;
    case Who::Kind::port: {
      const auto& peer = lab().port(port).peer;
      return peer && node.type != NodeType::switch_ && lab().node(peer->node).description == who.name &&
             peer->port == who.port;
    }
  }
  return false;
}

/// A port's membership by the most special line that means it; of equal ones the last.
Membership meant(const Partition& partition, fabric::PortRef port, fabric::PortRef self) {
  static const std::map<Who::Kind, int> kRank{
      {Who::Kind::all, 0},  {Who::Kind::hosts, 1}, {Who::Kind::switches, 1}, {Who::Kind::routers, 1},
      {Who::Kind::name, 2}, {Who::Kind::port, 3},  {Who::Kind::guid, 4},     {Who::Kind::self, 5}};
  Membership found = Membership::none;
  int best = -1;
  for (const Member& line : partition.members) {
    if (!means(line.who, port, self)) continue;
    const int rank = partition.last_counts ? 0 : kRank.at(line.who.kind);
    if (rank < best) continue;
    best = rank;
    found = line.as == Membership::none ? partition.default_membership : line.as;
  }
  return found;
}

bool has_full(Membership as) { return as == Membership::full || as == Membership::both; }

Who random_who() {
  const auto ends = lab().end_ports();
  const fabric::PortRef port = ends[*rc::gen::inRange<std::size_t>(0, ends.size())];
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return {.kind = Who::Kind::all};
    case 1:
      return {.kind = Who::Kind::hosts};
    case 2:
      return {.kind = Who::Kind::switches};
    case 3:
      return {.kind = Who::Kind::self};
    case 4:
      return {.kind = Who::Kind::guid, .guid = lab().port(port).guid};
    case 5: {
      const std::string name = node_name(port);
      return {.kind = Who::Kind::name, .name = name.substr(0, name.size() - 1) + "*"};
    }
    case 6:
      if (const auto& peer = lab().port(port).peer; peer && !lab().is_switch(port.node))
        return {.kind = Who::Kind::port, .name = node_name(*peer), .port = peer->port};
      [[fallthrough]];
    default:
      return {.kind = Who::Kind::name, .name = node_name(port)};
  }
}

Policy random_policy() {
  Policy policy;
  const int count = *rc::gen::inRange(1, 7);
  for (int i = 0; i < count; ++i) {
    Partition one{.name = "p" + std::to_string(i)};
    if (*rc::gen::arbitrary<bool>()) one.key = static_cast<std::uint16_t>(0x100 + i);
    if (i == 0 && *rc::gen::arbitrary<bool>()) one.key = 0x7fff;
    one.default_membership = static_cast<Membership>(*rc::gen::inRange(1, 4));
    one.last_counts = *rc::gen::arbitrary<bool>();
    one.at_index0 = *rc::gen::inRange(0, 8) == 0;
    const int lines = *rc::gen::inRange(0, 6);
    for (int line = 0; line < lines; ++line)
      one.members.push_back({random_who(), static_cast<Membership>(*rc::gen::inRange(0, 4))});
    policy.partitions.push_back(std::move(one));
  }
  return policy;
}

RC_GTEST_PROP(PolicyModel, TablesAllowWhatThePolicyMeans, ()) {
  const auto ends = lab().end_ports();
  const fabric::PortRef self = ends[*rc::gen::inRange<std::size_t>(0, ends.size())];
  std::shared_ptr<const Memory> memory;
  for (int change = 0; change < 10; ++change) {
    const Policy policy = random_policy();
    PlannedKeys plan = plan_keys(lab(), policy, memory, self);
    memory = plan.memory;
    RC_ASSERT(!plan.refused);
    const bool has_default = policy.partitions.front().key == 0x7fff;
    const auto keys = [&](fabric::PortRef port) {
      return plan.tables.of(lab().node(port.node).first_port + raw(port.port));
    };
    for (const fabric::PortRef a : ends) {
      for (const fabric::PortRef b : ends) {
        // Whom everybody may ask: the manager.
        bool wanted = a == self || b == self;
        for (const Partition& one : policy.partitions) {
          Membership here = meant(one, a, self);
          Membership there = meant(one, b, self);
          if (one.key == 0x7fff) {
            if (here == Membership::none) here = Membership::limited;
            if (there == Membership::none) there = Membership::limited;
          }
          const bool both_in = here != Membership::none && there != Membership::none;
          wanted = wanted || (both_in && (has_full(here) || has_full(there)));
        }
        RC_ASSERT(common_key(keys(a), keys(b)).has_value() == wanted);
      }
      const std::set<Pkey> distinct(keys(a).begin(), keys(a).end());
      std::size_t valid = 0;
      for (const Pkey key : keys(a)) valid += is_valid(key);
      RC_ASSERT(static_cast<std::size_t>(std::ranges::count_if(distinct, is_valid)) == valid);
      RC_ASSERT(key_in(keys(a), kDefaultPkey).has_value());
      if (!has_default) RC_ASSERT(key_in(keys(a), kDefaultPkey) == (a == self ? Pkey{0xffff} : Pkey{0x7fff}));
    }
  }
}

}  // namespace
}  // namespace weft::partitions
