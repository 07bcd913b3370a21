#include "program/lane_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft::program {
namespace {

using fabric::PortRef;
using Row = std::array<Vl, 16>;

constexpr std::uint32_t kOverOuts = 1U << 16;
constexpr std::uint32_t kOverIns = 1U << 17;
constexpr std::size_t kArbBlock = 32;

std::uint32_t pair_modifier(std::size_t in, std::size_t out) {
  return static_cast<std::uint32_t>(in << 8 | out);
}

TableSet row_set(std::uint32_t modifier, const Row& row) {
  mad::SlToVlTable table;
  table.vl = row;
  return {mad::AttrId::sl_to_vl, modifier, mad::encode(table)};
}

int link_vls(const fabric::Fabric& fabric, const plan::Plan& plan, PortRef port) {
  return plan::data_vls(fabric.port(port), plan.ports[fabric.node(port.node).first_port + raw(port.port)]);
}

Row row_of(const qos::LanePlan& levels, int lane, int vls, qos::Egress by) {
  Row row{};
  for (std::size_t sl = 0; sl < row.size(); ++sl) row[sl] = levels.vl(static_cast<Sl>(sl), lane, vls, by);
  return row;
}

/// The SL2VL table of one switch, of ports that matter: port 0 and linked ones as inputs, linked ones as
/// outputs. Equal rows have equal numbers.
class RowTable {
 public:
  RowTable(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id) {
    const auto ports = fabric.ports(id);
    ins_.push_back(0);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      ins_.push_back(p);
      outs_.push_back(p);
    }
    // A row follows from the lane, and from what the way out is; there are few of these, and many pairs.
    width_ = ports.size();
    number_.resize(width_ * width_);
    std::map<std::tuple<int, int, qos::Egress>, std::uint32_t> kinds;
    const routing::Lanes* lanes = plan.routes().lanes.get();
    for (const std::size_t out : outs_) {
      const PortRef port{fabric.node_of(id), static_cast<PortNum>(out)};
      const int vls = link_vls(fabric, plan, port);
      const qos::Egress by = qos::egress_of(fabric, port);
      for (const std::size_t in : ins_) {
        const int lane = lanes == nullptr ? 0 : raw(lanes->at(id, static_cast<PortNum>(in), port.port));
        const auto [kind, fresh] = kinds.try_emplace({lane, vls, by}, 0U);
        if (fresh) kind->second = number_of(row_of(plan.levels, lane, vls, by));
        number_[in * width_ + out] = kind->second;
      }
    }
  }

  std::vector<TableSet> pairs(const plan::Plan& plan, SwitchId id) const {
    std::vector<TableSet> sets;
    for (const std::size_t in : ins_)
      for (const std::size_t out : outs_)
        if (!plan.turns || plan.turns->used(id, in, out))
          sets.push_back(row_set(pair_modifier(in, out), rows_[at(in, out)]));
    return sets;
  }

  /// The most usual row for all, then rows, columns in which all inputs agree, and what none of these says.
  std::vector<TableSet> many_at_once() const {
    std::vector<TableSet> sets;
    if (outs_.empty()) return sets;
    const std::size_t base = most_usual(ins_, outs_);
    sets.push_back(row_set(kOverOuts | kOverIns, rows_[base]));
    std::vector<std::size_t> uniform;
    std::vector<std::size_t> mixed;
    for (const std::size_t out : outs_)
      (std::ranges::all_of(ins_, [&](std::size_t in) { return at(in, out) == at(0, out); }) ? uniform : mixed)
          .push_back(out);
    std::vector<TableSet> single;
    std::vector<bool> column_says_more(uniform.size());
    for (const std::size_t in : ins_) {
      const std::size_t usual = mixed.empty() ? base : most_usual({in}, mixed);
      if (usual != base) sets.push_back(row_set(pair_modifier(in, 0) | kOverOuts, rows_[usual]));
      for (const std::size_t out : mixed)
        if (at(in, out) != usual) single.push_back(row_set(pair_modifier(in, out), rows_[at(in, out)]));
      for (std::size_t u = 0; u < uniform.size(); ++u)
        if (at(in, uniform[u]) != usual) column_says_more[u] = true;
    }
    for (std::size_t u = 0; u < uniform.size(); ++u)
      if (column_says_more[u])
        sets.push_back(row_set(pair_modifier(0, uniform[u]) | kOverIns, rows_[at(0, uniform[u])]));
    sets.insert(sets.end(), single.begin(), single.end());
    return sets;
  }

 private:
  std::size_t at(std::size_t in, std::size_t out) const { return number_[in * width_ + out]; }
  std::uint32_t number_of(const Row& row) {
    const auto known = std::ranges::find(rows_, row);
    const auto number = static_cast<std::uint32_t>(known - rows_.begin());
    if (known == rows_.end()) rows_.push_back(row);
    return number;
  }
  std::size_t most_usual(const std::vector<std::size_t>& ins, const std::vector<std::size_t>& outs) const {
    std::vector<std::size_t> count(rows_.size());
    for (const std::size_t in : ins)
      for (const std::size_t out : outs) ++count[at(in, out)];
    return static_cast<std::size_t>(std::ranges::max_element(count) - count.begin());
  }

  std::vector<std::size_t> ins_;
  std::vector<std::size_t> outs_;
  std::vector<Row> rows_;
  std::size_t width_ = 0;
  std::vector<std::uint32_t> number_;  // by in, then out
};

/// Whether a packet's SL decides on its VL.
bool sls_differ(const plan::Plan& plan) { return plan.levels.active() || plan.levels.layers > 1; }

/// Routing's lanes on which packets leave by a port.
std::vector<int> lanes_out_by(const fabric::Fabric& fabric, const plan::Plan& plan, PortRef port) {
  const routing::Lanes* lanes = plan.routes().lanes.get();
  const auto id = fabric.switch_of(port.node);
  if (lanes == nullptr || !id) return {0};
  std::vector<int> used;
  const auto ports = fabric.ports(*id);
  for (std::size_t in = 0; in < ports.size(); ++in) {
    if (in != 0 && !ports[in].peer) continue;
    const int lane = raw(lanes->at(*id, static_cast<PortNum>(in), port.port));
    if (std::ranges::find(used, lane) == used.end()) used.push_back(lane);
  }
  std::ranges::sort(used);
  return used;
}

qos::Arbitration arbitration_of(const fabric::Fabric& fabric, const plan::Plan& plan, PortRef port) {
  const fabric::Port& held = fabric.port(port);
  const qos::Egress by = qos::egress_of(fabric, port);
  const int vls = link_vls(fabric, plan, port);
  if (plan.levels.typed) return qos::folded(plan.levels.typed->of(by).arbitration, vls);
  return qos::arbitrate(qos::shares(plan.levels, lanes_out_by(fabric, plan, port), vls, by),
                        held.arb_high_cap, held.arb_low_cap);
}

void add_arbitration(const fabric::Fabric& fabric, const plan::Plan& plan, PortRef port,
                     std::vector<TableSet>& sets) {
  if (!plan.levels.active() || !fabric.port(port).peer || link_vls(fabric, plan, port) < 2) return;
  const fabric::Port& held = fabric.port(port);
  const qos::Arbitration tables = arbitration_of(fabric, plan, port);
  const std::uint32_t number = fabric.is_switch(port.node) ? raw(port.port) : 0;
  const auto add = [&](const std::vector<qos::ArbEntry>& table, std::size_t length,
                       std::uint32_t first_block) {
    for (std::size_t begin = 0; begin < length; begin += kArbBlock) {
      mad::VlArbitrationTable block;
      for (std::size_t i = 0; i < kArbBlock && begin + i < std::min(length, table.size()); ++i)
        block.entries[i] =
            static_cast<std::uint16_t>(raw(table[begin + i].vl) << 8 | table[begin + i].weight);
      const auto which = static_cast<std::uint32_t>(first_block + begin / kArbBlock);
      sets.push_back({mad::AttrId::vl_arbitration, which << 16 | number, mad::encode(block)});
    }
  };
  add(tables.low, std::min<std::size_t>(held.arb_low_cap, 64), 1);
  add(tables.high, std::min<std::size_t>(held.arb_high_cap, 64), 3);
}

void add_host(const fabric::Fabric& fabric, const plan::Plan& plan, PortRef port,
              std::vector<TableSet>& sets) {
  const int vls = link_vls(fabric, plan, port);
  if (!sls_differ(plan) || !fabric.port(port).peer || vls < 2) return;
  sets.push_back(row_set(0, row_of(plan.levels, 0, vls, qos::egress_of(fabric, port))));
  add_arbitration(fabric, plan, port, sets);
}

std::vector<TableSet> switch_sets(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id,
                                  bool many) {
  const RowTable table(fabric, plan, id);
  std::vector<TableSet> sets = many ? table.many_at_once() : table.pairs(plan, id);
  const NodeId node = fabric.node_of(id);
  for (std::size_t p = 1; p < fabric.ports(node).size(); ++p)
    add_arbitration(fabric, plan, {node, static_cast<PortNum>(p)}, sets);
  return sets;
}

}  // namespace

bool has_lanes(const plan::Plan& plan) { return plan.routes().lanes || sls_differ(plan); }

std::array<Vl, 16> lane_row(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id, PortNum in,
                            PortNum out) {
  const routing::Lanes* lanes = plan.routes().lanes.get();
  const int lane = lanes == nullptr ? 0 : raw(lanes->at(id, in, out));
  const PortRef port{fabric.node_of(id), out};
  return row_of(plan.levels, lane, link_vls(fabric, plan, port), qos::egress_of(fabric, port));
}

std::vector<TableSet> lane_sets(const fabric::Fabric& fabric, const plan::Plan& plan, NodeId node) {
  if (const auto id = fabric.switch_of(node))
    return switch_sets(fabric, plan, *id, fabric.node(node).switch_facts.optimized_sl_to_vl);
  std::vector<TableSet> sets;
  for (std::size_t p = 1; p < fabric.ports(node).size(); ++p) {
    const std::size_t first = sets.size();
    add_host(fabric, plan, {node, static_cast<PortNum>(p)}, sets);
    for (std::size_t i = first; i < sets.size(); ++i) sets[i].at = static_cast<PortNum>(p);
  }
  return sets;
}

std::vector<TableSet> lane_pairs(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id) {
  return switch_sets(fabric, plan, id, false);
}

std::uint64_t lanes_digest(std::span<const TableSet> sets) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const TableSet& one : sets) {
    hash = (hash ^ (std::uint64_t{static_cast<std::uint16_t>(one.attribute)} << 32 | one.modifier)) * kPrime;
    hash = (hash ^ plan::block_digest(one.data) ^ raw(one.at)) * kPrime;
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace weft::program
