#include "routing/port_sets_json.h"

#include <algorithm>

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::routing {
namespace {

/// "[[1,18],[649,649]]" of rising LIDs.
std::string ranges(const std::vector<std::uint32_t>& lids) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < lids.size();) {
    std::size_t upto = i + 1;
    while (upto < lids.size() && lids[upto] == lids[upto - 1] + 1) ++upto;
    parts.push_back(fmt::format("[{},{}]", lids[i], lids[upto - 1]));
    i = upto;
  }
  return fmt::format("[{}]", fmt::join(parts, ","));
}

std::string numbers(const PortMask& mask) {
  std::vector<int> ports;
  each_port(mask, [&ports](std::uint8_t port) { ports.push_back(port); });
  return fmt::format("[{}]", fmt::join(ports, ","));
}

/// The sets of one switch as they are written: the empty one left out.
class SwitchText {
 public:
  SwitchText(const Problem& problem, const Routes& routes, const PortSets& sets,
             const std::vector<std::vector<std::uint32_t>>& lids, std::uint32_t s)
      : routes_(routes),
        sets_(sets),
        lids_(lids),
        s_(s),
        guid_(problem.fabric->node(static_cast<SwitchId>(s)).guid) {}

  std::string text() {
    std::vector<std::string> rows;
    for (int c = 0; c < sets_.state_classes; ++c) rows.push_back(row(static_cast<std::uint32_t>(c)));
    std::string text =
        fmt::format(R"({{"guid":"{}","sets":[{}],)", to_string(guid_), fmt::join(written_, ","));
    if (any_spare_) text += fmt::format(R"("spare":[{}],)", fmt::join(spare_, ","));
    if (sets_.numbering == SetNumbering::compact)
      text += fmt::format(R"("groups":[{}],)", fmt::join(groups_, ","));
    return text + fmt::format(R"("class_of_arrival":[{}],"of":[{}]}})",
                              fmt::join(sets_.class_of_arrival[s_], ","), fmt::join(rows, ","));
  }

 private:
  std::string row(std::uint32_t state_class) {
    std::vector<int> of;
    for (std::size_t leaf = 0; leaf < sets_.leaves.size(); ++leaf) {
      const std::uint16_t set = sets_.set_at(s_, leaf, state_class);
      const bool by_tables = set == 0 && raw(sets_.leaves[leaf]) != s_ && leads(lids_[leaf]);
      of.push_back(by_tables ? kByTables : number(set, sets_.sets[s_][set]));
    }
    return fmt::format("[{}]", fmt::join(of, ","));
  }
  bool leads(const std::vector<std::uint32_t>& lids) const {
    return std::ranges::any_of(lids, [this](std::uint32_t lid) {
      return routes_.out(static_cast<SwitchId>(s_), static_cast<Lid>(lid)) != kPortDrop;
    });
  }
  int number(std::uint16_t set, const PortMask& ports) {
    if (ports == PortMask{}) return -1;
    const auto [at, fresh] = known_.emplace(std::pair(set, ports), static_cast<int>(written_.size()));
    if (!fresh) return at->second;
    const PortMask spare = sets_.spare_of(s_, set);
    any_spare_ = any_spare_ || spare != PortMask{};
    written_.push_back(numbers(ports));
    spare_.push_back(numbers(spare));
    groups_.push_back(set);
    return at->second;
  }

  const Routes& routes_;
  const PortSets& sets_;
  const std::vector<std::vector<std::uint32_t>>& lids_;
  std::uint32_t s_;
  Guid guid_;
  static constexpr int kByTables = -2;
  std::map<std::pair<std::uint16_t, PortMask>, int> known_;
  std::vector<std::string> written_;
  std::vector<std::string> spare_;
  std::vector<std::uint16_t> groups_;
  bool any_spare_ = false;
};

}  // namespace

PortSetsWriter::PortSetsWriter(const Problem& problem, const Routes& routes, const PortSets& sets)
    : problem_(problem), routes_(routes), sets_(sets) {
  std::vector<std::vector<std::uint32_t>> of_switch(problem.fabric->switch_count());
  for (const Destination& d : problem.destinations)
    for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) of_switch[raw(d.at)].push_back(raw(d.base) + j);
  for (const SwitchId leaf : sets.leaves) lids_.push_back(of_switch[raw(leaf)]);
}

bool PortSetsWriter::next(std::string& out) {
  const std::size_t count = sets_.sets.size();
  if (step_ > count + 1) return false;
  if (step_ == 0) {
    std::vector<std::string> destinations;
    for (std::size_t leaf = 0; leaf < lids_.size(); ++leaf)
      destinations.push_back(fmt::format(R"({{"switch":"{}","lids":{}}})",
                                         to_string(problem_.fabric->node(sets_.leaves[leaf]).guid),
                                         ranges(lids_[leaf])));
    out += fmt::format("{{\"port_sets\":1,\"numbering\":\"{}\",\n\"destinations\":[\n{}],\n\"switches\":[",
                       sets_.numbering == SetNumbering::compact ? "compact" : "per-leaf",
                       fmt::join(destinations, ",\n"));
  } else if (step_ <= count) {
    const auto s = static_cast<std::uint32_t>(step_ - 1);
    out += s == 0 ? "\n" : ",\n";
    out += SwitchText(problem_, routes_, sets_, lids_, s).text();
  } else {
    out += "]}\n";
  }
  ++step_;
  return true;
}

std::string to_json(const Problem& problem, const Routes& routes, const PortSets& sets) {
  std::string text;
  PortSetsWriter writer(problem, routes, sets);
  while (writer.next(text)) {
  }
  return text;
}

}  // namespace weft::routing
