#include "plan/naming.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "plan/roots.h"

namespace weft::plan {
namespace {

bool means(const fabric::Fabric& fabric, std::string_view word, NodeId id) {
  const fabric::Node& node = fabric.node(id);
  const std::optional<Guid> guid = guid_from(word);
  if (!guid) return matches(word, node.description);
  if (node.guid == *guid) return true;
  return !fabric.is_switch(id) && std::ranges::any_of(fabric.ports(id), [&guid](const fabric::Port& port) {
    return port.guid == *guid;
  });
}

/// Calls use(node) for the nodes of a kind that a word means, with a note when there are none.
template <typename Use>
void each_meant(const fabric::Fabric& fabric, std::string_view word, bool switches, std::string_view what,
                Naming& naming, const Use& use) {
  bool any = false;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const NodeId id{n};
    if (fabric.is_switch(id) != switches || !means(fabric, word, id)) continue;
    any = true;
    use(id);
  }
  if (!any)
    naming.notes.push_back(
        fmt::format("{} \"{}\" is no {} of this fabric", what, word, switches ? "switch" : "host"));
}

void read_groups(const fabric::Fabric& fabric, const std::vector<std::string>& words, Naming& naming) {
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> numbers;
  std::map<Guid, std::uint32_t> of;
  for (std::size_t w = 0; w < words.size(); ++w) {
    bool any = false;
    for (const NodeId id : fabric.switches()) {
      const fabric::Node& node = fabric.node(id);
      std::optional<std::string_view> part = part_named(words[w], node.description);
      if (!part && guid_from(words[w]) == node.guid) part = "";
      if (!part) continue;
      any = true;
      const auto number = static_cast<std::uint32_t>(numbers.size());
      of.emplace(node.guid, numbers.emplace(std::pair(w, std::string(*part)), number).first->second);
    }
    if (!any) naming.notes.push_back(fmt::format("group \"{}\" is no switch of this fabric", words[w]));
  }
  naming.groups.assign(of.begin(), of.end());
}

}  // namespace

std::optional<std::string_view> part_named(std::string_view pattern, std::string_view text) {
  const std::size_t at = pattern.find("{}");
  if (at == std::string_view::npos)
    return matches(pattern, text) ? std::optional<std::string_view>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, at);
  const std::string_view after = pattern.substr(at + 2);
  for (std::size_t from = 0; from < text.size(); ++from) {
    if (!matches(before, text.substr(0, from))) continue;
    for (std::size_t upto = from + 1; upto <= text.size(); ++upto)
      if (matches(after, text.substr(upto))) return text.substr(from, upto - from);
  }
  return std::nullopt;
}

Naming read_names(const fabric::Fabric& fabric, const RoutingOptions& options) {
  Naming naming;
  std::map<Guid, std::uint32_t> ranks;
  for (const auto& [word, rank] : options.ranks)
    each_meant(fabric, word, true, "ranks:", naming,
               [&](NodeId id) { ranks.emplace(fabric.node(id).guid, static_cast<std::uint32_t>(rank)); });
  naming.ranks.assign(ranks.begin(), ranks.end());
  read_groups(fabric, options.groups, naming);
  naming.kinds.assign(fabric.node_count(), 0);
  const auto set_kind = [&](const std::vector<std::string>& words, std::string_view what, std::uint8_t kind) {
    for (const std::string& word : words)
      each_meant(fabric, word, false, what, naming, [&](NodeId id) {
        if (naming.kinds[raw(id)] == 0) naming.kinds[raw(id)] = kind;
      });
  };
  set_kind(options.storage, "storage:", 1);
  set_kind(options.io_nodes, "io_nodes:", 2);
  return naming;
}

}  // namespace weft::plan
