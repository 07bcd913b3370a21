#include "tests/plan/addressed.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "plan/lid_space.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

std::vector<Guid> end_port_guids(const fabric::Fabric& fabric, bool of_switches) {
  std::vector<Guid> guids;
  for (const fabric::PortRef end : fabric.end_ports())
    if (fabric.is_switch(end.node) == of_switches) guids.push_back(fabric.port(end).guid);
  return guids;
}

}  // namespace

fabric::Fabric addressed(const fabric::Fabric& fabric, const Lids& lids) {
  fabric::Builder builder = test::builder_from(fabric);
  for (std::size_t i = 0; i < fabric.end_ports().size(); ++i) {
    const fabric::PortRef end = fabric.end_ports()[i];
    fabric::Port port = fabric.port(end);
    port.lid = lids.of_end_port[i].base;
    port.lmc = lids.of_end_port[i].lmc;
    port.state = PortState::active;
    if (!builder.set_port(fabric.node(end.node).guid, end.port, port)) throw std::logic_error("no such port");
  }
  return builder.build();
}

fabric::Fabric carrying(const fabric::Fabric& fabric, const std::map<Guid, Lid>& lids, PortState state) {
  fabric::Builder builder = test::builder_from(fabric);
  for (const auto& [guid, lid] : lids) {
    const fabric::PortRef end = fabric.find_port(guid).value();
    fabric::Port port = fabric.port(end);
    port.lid = lid;
    port.state = state;
    if (!builder.set_port(fabric.node(end.node).guid, end.port, port)) throw std::logic_error("no such port");
  }
  return builder.build();
}

Ledger ledger_of(LidMap lids) {
  Ledger ledger;
  ledger.lids = std::make_shared<const LidMap>(std::move(lids));
  return ledger;
}

Lid lid_of(const fabric::Fabric& fabric, const Lids& lids, Guid port) {
  for (std::size_t i = 0; i < fabric.end_ports().size(); ++i)
    if (fabric.port(fabric.end_ports()[i]).guid == port) return lids.of_end_port[i].base;
  return kLidNone;
}

std::vector<Guid> host_ports(const fabric::Fabric& fabric) { return end_port_guids(fabric, false); }
std::vector<Guid> switch_ports(const fabric::Fabric& fabric) { return end_port_guids(fabric, true); }

std::string fault_of(const fabric::Fabric& fabric, const Lids& lids) {
  if (lids.of_end_port.size() != fabric.end_ports().size()) return "not one range for each end port";
  std::map<int, std::size_t> owners;
  Lid top{};
  for (std::size_t i = 0; i < lids.of_end_port.size(); ++i) {
    const LidRange range = lids.of_end_port[i];
    const bool without = std::ranges::find(lids.without, i) != lids.without.end();
    if ((range.base == kLidNone) != without)
      return fmt::format("end port {} is wrongly among those without", i);
    if (without) continue;
    if (!is_legal(range))
      return fmt::format("end port {} has LID {} with LMC {}", i, raw(range.base), range.lmc);
    for (int lid = raw(range.base); lid < raw(range.base) + range.size(); ++lid)
      if (!owners.emplace(lid, i).second) return fmt::format("LID {} is given twice", lid);
    top = std::max(top, static_cast<Lid>(raw(range.base) + range.size() - 1));
  }
  if (top != lids.top) return fmt::format("top is {}, not {}", raw(lids.top), raw(top));
  return {};
}

bool tells(const std::vector<std::string>& notes, const std::vector<std::string>& words) {
  return std::ranges::any_of(notes, [&](const std::string& note) {
    return std::ranges::all_of(words,
                               [&](const std::string& word) { return note.find(word) != std::string::npos; });
  });
}

Published::Published(fabric::Fabric what, const Config& config) {
  view.fabric = std::make_shared<const fabric::Fabric>(std::move(what));
  for (const fabric::PortRef end : view.fabric->end_ports()) {
    view.sm_port = end;
    if (!view.fabric->is_switch(end.node)) break;
  }
  Result<Planned> planned = make_plan(*view.fabric, config, view.ledger, view.sm_port, nullptr);
  if (!planned) throw std::runtime_error(planned.error().what);
  view.plan = planned->plan;
  view.ledger = planned->ledger;
}

}  // namespace weft::plan
