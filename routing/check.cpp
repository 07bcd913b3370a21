#include "routing/check.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"
#include "routing/check_piece.h"

namespace weft::routing {
std::string what_is_malformed(const Problem& problem, const Routes& routes) {
  const fabric::Fabric& fabric = *problem.fabric;
  const std::size_t count = fabric.switch_count();
  if (routes.lfts.size() != count)
    return fmt::format("tables for {} switches, but the fabric has {}", routes.lfts.size(), count);
  if (count > CheckCables::kLastIndex)
    return fmt::format("{} switches are more than a subnet can hold", count);
  for (std::size_t s = 0; s < count; ++s)
    if (!routes.lfts[s]) return fmt::format("no table for {}", switch_name(fabric, s));
  if (routes.layers < 1 || routes.layers > 8 || routes.vls_needed < routes.layers)
    return fmt::format("{} layers, but {} VLs asked for", routes.layers, routes.vls_needed);
  if (!routes.lanes) return {};
  if (routes.layers != 1) return "both layers and lanes";
  if (routes.lanes->count < 1 || routes.lanes->count > 8 || routes.vls_needed < routes.lanes->count)
    return fmt::format("{} VLs in use, but {} asked for", routes.lanes->count, routes.vls_needed);
  for (const auto& row : routes.lanes->vl)
    for (const std::uint8_t vl : row)
      if (vl >= routes.lanes->count) return fmt::format("VL {} is not among those in use", vl);
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const std::uint8_t port_class = routes.lanes->class_of(s, p);
      const bool end = p == 0 || (ports[p].peer && !fabric.is_switch(ports[p].peer->node));
      if (port_class >= Lanes::kClasses || (end && port_class != Lanes::kEndClass))
        return fmt::format("port {} of {} has no lane class of its kind", p, switch_name(fabric, s));
    }
  }
  return {};
}

void check_capacity(const Problem& problem, CheckReport& report) {
  const fabric::Fabric& fabric = *problem.fabric;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const std::uint16_t capacity = fabric.node(static_cast<SwitchId>(s)).switch_facts.lft_capacity;
    if (capacity == 0 || raw(problem.top) < capacity) continue;
    report.too_small.push_back(static_cast<SwitchId>(s));
    if (report.too_small.size() > CheckPiece::kExamples) continue;
    report.examples.push_back(fmt::format("{} holds LIDs up to {}, but LID {} is in use",
                                          switch_name(fabric, s), capacity - 1, raw(problem.top)));
  }
}

CheckReport check(const Problem& problem, const Routes& routes) {
  CheckReport report;
  report.malformed = what_is_malformed(problem, routes);
  if (!report.malformed.empty()) return report;
  check_capacity(problem, report);
  const auto waits = std::make_shared<Waits>(problem, lanes_in(routes));
  const CheckCables& cables = waits->cables;
  report.waits = waits;
  if (cables.count == 0) return report;
  const std::uint32_t blocks = raw(problem.top) / CheckPiece::kBlock + 1;
  const std::uint32_t pieces = std::clamp(problem.threads, 1U, std::min(blocks, 8U));
  std::vector<CheckPiece> work;
  work.reserve(pieces);
  for (std::uint32_t i = 0; i < pieces; ++i) work.emplace_back(problem, routes, cables, waits->longest);
  {
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < pieces; ++i)
      others.emplace_back([&, i] { work[i].run(blocks * i / pieces, blocks * (i + 1) / pieces); });
    work[0].run(0, blocks / pieces);
  }
  waits->channels = std::move(work[0].finish(report));
  for (std::uint32_t i = 1; i < pieces; ++i) waits->channels.merge(work[i].finish(report));
  report.cycle = waits->channels.find_cycle();
  report.any_sl = routes.layers == 1 || waits->channels.on_one_lane().find_cycle().empty();
  return report;
}

std::string describe_cycle(const fabric::Fabric& fabric, const std::vector<Channel>& cycle) {
  std::string text;
  for (const Channel& c : cycle)
    text += fmt::format("{} VL {} -> ", describe(fabric, {fabric.node_of(c.from), c.port}), raw(c.vl));
  return cycle.empty() ? text : text + "back to the first";
}

std::string explain(const fabric::Fabric& fabric, const CheckReport& report) {
  if (!report.malformed.empty()) return report.malformed;
  std::vector<std::string> parts;
  if (report.lost != 0) parts.push_back(fmt::format("{} of {} pairs lost", report.lost, report.pairs));
  if (report.loops != 0) parts.push_back(counted(report.loops, "forwarding loop"));
  if (!report.too_small.empty())
    parts.push_back(fmt::format("{} switches have too small a table", report.too_small.size()));
  if (!report.safe() && !report.examples.empty())
    parts.push_back(fmt::format("e.g. {}", report.examples.front()));
  if (!report.cycle.empty())
    parts.push_back(fmt::format("credit cycle of {} channels: {}", report.cycle.size(),
                                describe_cycle(fabric, report.cycle)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace weft::routing
