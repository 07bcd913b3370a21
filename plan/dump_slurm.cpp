#include "plan/dump_slurm.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::plan {
namespace {

using routing::Kind;

constexpr std::uint32_t kNone = Places::kNone;

/// What Slurm's host lists take: the rest would end a name or begin a list.
std::string plain(std::string_view name) {
  std::string text(name.substr(0, name.find(' ')));
  for (char& c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
    if (!fits) c = '_';
  }
  return text;
}

/// Names that nothing else has.
class Names {
 public:
  std::string take(const std::string& wanted, std::string_view otherwise) {
    std::string name = wanted.empty() ? std::string(otherwise) : wanted;
    if (!taken_.contains(name)) return *taken_.insert(std::move(name)).first;
    name += fmt::format("-{}", otherwise);
    while (taken_.contains(name)) name += '_';
    return *taken_.insert(std::move(name)).first;
  }

 private:
  std::set<std::string> taken_;
};

/// A switch of Slurm's: with hosts, or with others below it.
struct Branch {
  std::string name;
  std::vector<std::string> hosts;
  std::vector<std::uint32_t> below;
  std::vector<std::string> stands_for;  ///< Switches of the fabric, where it is more than one.
};

/// Parts of the switches that hang together by those chosen; kNone for those that are not chosen.
std::vector<std::uint32_t> parts_of(const fabric::Fabric& fabric, const std::vector<bool>& chosen) {
  const auto count = static_cast<std::uint32_t>(fabric.switch_count());
  std::vector<std::uint32_t> root(count);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&root](std::uint32_t s) {
    while (root[s] != s) s = root[s] = root[root[s]];
    return s;
  };
  for (std::uint32_t s = 0; s < count; ++s) {
    if (!chosen[s]) continue;
    for (const fabric::Port& port : fabric.ports(static_cast<SwitchId>(s))) {
      const auto other = port.peer ? fabric.switch_of(port.peer->node) : std::nullopt;
      if (!other || !chosen[raw(*other)]) continue;
      const std::uint32_t a = find(s);
      const std::uint32_t b = find(raw(*other));
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::uint32_t> part(count, kNone);
  for (std::uint32_t s = 0; s < count; ++s)
    if (chosen[s]) part[s] = find(s);
  return part;
}

class SlurmWriter {
 public:
  SlurmWriter(const View& view, const Places& places, const SlurmOptions& options)
      : view_(view),
        fabric_(*view.fabric),
        places_(places),
        options_(options),
        cover_(fabric_.switch_count(), kNone) {
    find_hosts();
  }

  std::size_t host_count() const { return host_count_; }

  std::string tree() {
    std::string out = head("tree");
    if (places_.kind == Kind::dragonfly || places_.kind == Kind::dragonfly_plus)
      out += "# A dragonfly: with TopologyParam=Dragonfly Slurm spreads jobs over groups.\n";
    build_tree();
    for (const Branch& branch : branches_) {
      out += fmt::format("SwitchName={} ", branch.name);
      if (branch.below.empty()) {
        out += fmt::format("Nodes={}\n", host_list(branch.hosts));
        continue;
      }
      std::vector<std::string> below;
      for (const std::uint32_t one : branch.below) below.push_back(branches_[one].name);
      out += fmt::format("Switches={}{}\n", host_list(std::move(below)), remark(branch));
    }
    return out;
  }

  Result<std::string> blocks() {
    std::map<std::uint32_t, std::vector<std::string>> by_group;
    std::size_t without = 0;
    for (std::uint32_t s = 0; s < hosts_.size(); ++s) {
      if (places_.group[s] == kNone)
        without += hosts_[s].size();
      else if (!hosts_[s].empty())
        std::ranges::copy(hosts_[s], std::back_inserter(by_group[places_.group[s]]));
    }
    if (by_group.empty())
      return fail(Errc::invalid,
                  "this fabric has no groups that could be blocks ({}): ask for the plugin tree",
                  places_.evidence);
    std::string out = head("block");
    if (without > 0)
      out += fmt::format("# {} on switches of no group: in no block.\n", counted(without, "host"));
    std::size_t smallest = SIZE_MAX;
    for (const auto& [group, hosts] : by_group) {
      out += fmt::format("BlockName={} Nodes={}\n", group_name(group), host_list(hosts));
      smallest = std::min(smallest, hosts.size());
    }
    out += "# The smallest block; larger sizes, each twice the one before, may follow: 16,32,64.\n";
    return out + fmt::format("BlockSizes={}\n", smallest);
  }

 private:
  std::string head(std::string_view plugin) const {
    std::string out = fmt::format("# Slurm's topology.conf, written by Weft of generation {}: {}.\n",
                                  view_.generation, places_.evidence);
    out += fmt::format("# In slurm.conf: TopologyPlugin=topology/{}\n", plugin);
    if (same_name_ > 0)
      out += fmt::format("# {} of hosts that are here already, or that have no name: left out.\n",
                         counted(same_name_, "adapter"));
    const std::uint64_t away = static_cast<std::uint64_t>(
        std::ranges::count(view_.plan->problem.destinations, true, &routing::Destination::away));
    if (away > 0)
      out += fmt::format("# {} that {} here before {} away: not in this file.\n", counted(away, "host"),
                         away == 1 ? "was" : "were", away == 1 ? "is" : "are");
    return out;
  }

  static std::string group_name(std::uint32_t group) { return fmt::format("group-{}", group); }

  static std::string remark(const Branch& branch) {
    constexpr std::size_t kNamed = 6;
    if (branch.stands_for.size() < 2) return "";
    std::string text = "  #";
    for (std::size_t i = 0; i < std::min(kNamed, branch.stands_for.size()); ++i)
      text += (i == 0 ? " " : ", ") + branch.stands_for[i];
    if (branch.stands_for.size() > kNamed)
      text += fmt::format(" and {} more", branch.stands_for.size() - kNamed);
    return text;
  }

  void find_hosts() {
    hosts_.resize(fabric_.switch_count());
    std::set<std::string> known;
    for (const fabric::PortRef port : fabric_.end_ports()) {
      const auto& peer = fabric_.port(port).peer;
      const auto at = peer && !fabric_.is_switch(port.node) ? fabric_.switch_of(peer->node) : std::nullopt;
      if (!at || fabric_.node(port.node).type != NodeType::hca) continue;
      std::string name = plain(fabric_.node(port.node).description);
      if (!glob_matches(options_.hosts, name)) continue;
      if (name.empty() || !known.insert(name).second) {
        ++same_name_;
        continue;
      }
      ++host_count_;
      hosts_[raw(*at)].push_back(std::move(name));
    }
  }

  std::string switch_name(std::uint32_t s) {
    const fabric::Node& node = fabric_.node(static_cast<SwitchId>(s));
    return names_.take(plain(node.description), to_string(node.guid));
  }

  std::uint32_t levels() const {
    if (places_.kind != Kind::tree) return 1;
    std::uint32_t top = 0;
    for (const std::uint32_t rank : places_.rank)
      if (rank != kNone) top = std::max(top, rank);
    return top + 1;
  }

  void build_tree() {
    for (std::uint32_t s = 0; s < hosts_.size(); ++s) {
      if (hosts_[s].empty()) continue;
      cover_[s] = static_cast<std::uint32_t>(branches_.size());
      branches_.push_back({switch_name(s), hosts_[s], {}, {}});
    }
    if (places_.kind == Kind::dragonfly || places_.kind == Kind::dragonfly_plus) {
      join(places_.group, [](std::uint32_t part, std::size_t) { return group_name(part); }, {});
    } else {
      for (std::uint32_t level = 1; level + 1 < levels(); ++level) {
        std::vector<bool> chosen(hosts_.size());
        std::vector<bool> fresh(hosts_.size());
        for (std::uint32_t s = 0; s < hosts_.size(); ++s) {
          chosen[s] = places_.rank[s] <= level;
          fresh[s] = places_.rank[s] == level;
        }
        const std::string word = level == 1 ? "pod" : fmt::format("pod{}", level);
        join(
            parts_of(fabric_, chosen),
            [&word](std::uint32_t, std::size_t nth) { return fmt::format("{}-{}", word, nth + 1); }, fresh);
      }
    }
    std::vector<bool> top(hosts_.size());
    for (std::uint32_t s = 0; s < hosts_.size(); ++s)
      top[s] = places_.kind == Kind::tree && places_.rank[s] + 1 == levels();
    join(
        parts_of(fabric_, std::vector<bool>(hosts_.size(), true)),
        [](std::uint32_t, std::size_t nth) {
          return nth == 0 ? "fabric" : fmt::format("fabric-{}", nth + 1);
        },
        top);
  }

  /// Puts one switch above the branches of each part that has several. `fresh`: the switches that it stands
  /// for; one alone gives its name.
  template <typename Called>
  void join(const std::vector<std::uint32_t>& part, Called called, const std::vector<bool>& fresh) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> switches;
    for (std::uint32_t s = 0; s < part.size(); ++s)
      if (part[s] != kNone) switches[part[s]].push_back(s);
    std::size_t nth = 0;
    for (const auto& [label, members] : switches) {
      std::vector<std::uint32_t> below;
      for (const std::uint32_t s : members)
        if (cover_[s] != kNone && std::ranges::find(below, cover_[s]) == below.end())
          below.push_back(cover_[s]);
      if (below.empty()) continue;
      const std::size_t index = nth++;
      if (below.size() == 1) {
        for (const std::uint32_t s : members) cover_[s] = below.front();
        continue;
      }
      Branch branch;
      std::vector<std::uint32_t> meant;
      for (const std::uint32_t s : members)
        if (!fresh.empty() && fresh[s]) meant.push_back(s);
      for (const std::uint32_t s : meant)
        branch.stands_for.push_back(plain(fabric_.node(static_cast<SwitchId>(s)).description));
      branch.name = meant.size() == 1 && cover_[meant.front()] == kNone
                        ? switch_name(meant.front())
                        : names_.take(called(label, index), fmt::format("{}", label));
      branch.below = std::move(below);
      for (const std::uint32_t s : members) cover_[s] = static_cast<std::uint32_t>(branches_.size());
      branches_.push_back(std::move(branch));
    }
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  const Places& places_;
  const SlurmOptions& options_;
  std::vector<std::vector<std::string>> hosts_;  // by SwitchId
  std::size_t host_count_ = 0;
  std::size_t same_name_ = 0;
  std::vector<std::uint32_t> cover_;  // by SwitchId: the highest branch above it so far
  std::vector<Branch> branches_;      // those below before those above
  Names names_;
};

/// "h" and "007" of "h007"; no digits where they would not fit into a number.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  if (name.size() - at > kMostDigits) at = name.size();
  return {name.substr(0, at), name.substr(at)};
}

std::string range_text(std::string_view first, std::string_view last) {
  return first == last ? std::string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace

std::optional<SlurmPlugin> slurm_plugin_from(std::string_view name) {
  if (name == "tree") return SlurmPlugin::tree;
  if (name == "block") return SlurmPlugin::block;
  return std::nullopt;
}

std::string host_list(std::vector<std::string> names) {
  // Numbers of one width stand in order as text does.
  std::map<std::pair<std::string_view, std::size_t>, std::vector<std::string_view>> numbers;
  for (const std::string& name : names) {
    const auto [word, digits] = split(name);
    numbers[{word, digits.size()}].push_back(digits);
  }
  std::string list;
  for (auto& [word, digits] : numbers) {
    std::ranges::sort(digits);
    list += list.empty() ? "" : ",";
    list += word.first;
    if (word.second == 0) continue;
    std::string ranges;
    for (std::size_t i = 0; i < digits.size();) {
      std::size_t last = i;
      while (last + 1 < digits.size() &&
             std::stoul(std::string(digits[last + 1])) == std::stoul(std::string(digits[last])) + 1)
        ++last;
      ranges += (ranges.empty() ? "" : ",") + range_text(digits[i], digits[last]);
      i = last + 1;
    }
    list += digits.size() == 1 ? ranges : fmt::format("[{}]", ranges);
  }
  return list;
}

Result<std::string> slurm_topology(const View& view, const Places& places, const SlurmOptions& options) {
  SlurmWriter writer(view, places, options);
  if (writer.host_count() == 0)
    return fail(Errc::not_found, "no host{} hangs on a switch",
                options.hosts == "*" ? "" : fmt::format(" called {}", options.hosts));
  const bool groups = places.kind == Kind::dragonfly || places.kind == Kind::dragonfly_plus;
  const SlurmPlugin plugin = options.plugin.value_or(groups ? SlurmPlugin::block : SlurmPlugin::tree);
  if (plugin == SlurmPlugin::block) return writer.blocks();
  return writer.tree();
}

}  // namespace weft::plan
