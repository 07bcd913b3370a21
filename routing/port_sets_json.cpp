#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "routing/port_sets.h"

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

/// The sets of one switch as they are written: the empty one left out, those of the tables added.
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
    return fmt::format(R"({{"guid":"{}","sets":[{}],"class_of_arrival":[{}],"of":[{}]}})", to_string(guid_),
                       fmt::join(written_, ","), fmt::join(sets_.class_of_arrival[s_], ","),
                       fmt::join(rows, ","));
  }

 private:
  std::string row(std::uint32_t state_class) {
    std::vector<int> of;
    for (std::size_t leaf = 0; leaf < sets_.leaves.size(); ++leaf) {
      PortMask ports = sets_.at(s_, leaf, state_class);
      if (ports == PortMask{} && raw(sets_.leaves[leaf]) != s_) ports = of_tables(lids_[leaf]);
      of.push_back(number(ports));
    }
    return fmt::format("[{}]", fmt::join(of, ","));
  }
  PortMask of_tables(const std::vector<std::uint32_t>& lids) const {
    PortMask ports{};
    for (const std::uint32_t lid : lids) {
      const PortNum port = routes_.out(static_cast<SwitchId>(s_), static_cast<Lid>(lid));
      if (port != kPortDrop) add_port(ports, raw(port));
    }
    return ports;
  }
  int number(const PortMask& ports) {
    if (ports == PortMask{}) return -1;
    const auto [at, fresh] = known_.emplace(ports, static_cast<int>(written_.size()));
    if (fresh) written_.push_back(numbers(ports));
    return at->second;
  }

  const Routes& routes_;
  const PortSets& sets_;
  const std::vector<std::vector<std::uint32_t>>& lids_;
  std::uint32_t s_;
  Guid guid_;
  std::map<PortMask, int> known_;
  std::vector<std::string> written_;
};

}  // namespace

std::string to_json(const Problem& problem, const Routes& routes, const PortSets& sets) {
  std::vector<std::vector<std::uint32_t>> of_switch(problem.fabric->switch_count());
  for (const Destination& d : problem.destinations)
    for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) of_switch[raw(d.at)].push_back(raw(d.base) + j);
  std::vector<std::vector<std::uint32_t>> lids;
  std::vector<std::string> destinations;
  for (const SwitchId leaf : sets.leaves) {
    lids.push_back(of_switch[raw(leaf)]);
    destinations.push_back(fmt::format(R"({{"switch":"{}","lids":{}}})",
                                       to_string(problem.fabric->node(leaf).guid), ranges(lids.back())));
  }
  std::vector<std::string> switches;
  for (std::uint32_t s = 0; s < sets.sets.size(); ++s)
    switches.push_back(SwitchText(problem, routes, sets, lids, s).text());
  return fmt::format("{{\"port_sets\":1,\n\"destinations\":[\n{}],\n\"switches\":[\n{}]}}\n",
                     fmt::join(destinations, ",\n"), fmt::join(switches, ",\n"));
}

}  // namespace weft::routing
