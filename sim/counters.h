#pragma once
// Counters: how many MADs each node's agent was asked, by class, method and attribute.

#include <cstdint>
#include <optional>
#include <vector>

#include "mad/attribute_id.h"
#include "sim/ids.h"

namespace weft::sim {

/// What to count; an empty field stands for "any".
struct CountQuery {
  std::optional<NodeIndex> node;
  std::optional<mad::MgmtClass> mgmt_class;
  std::optional<mad::Method> method;
  std::optional<mad::AttrId> attribute;
};

class Counters {
 public:
  explicit Counters(std::size_t nodes) : nodes_(nodes) {}

  void add(NodeIndex node, mad::MgmtClass mgmt_class, mad::Method method, mad::AttrId attribute);
  std::uint64_t total(const CountQuery& query) const;
  void clear();

  struct Row {
    mad::MgmtClass mgmt_class{};
    mad::Method method{};
    mad::AttrId attribute{};
    std::uint64_t count = 0;
  };
  /// Summed over all nodes, in order of class, method, attribute.
  std::vector<Row> table() const;

 private:
  std::vector<std::vector<Row>> nodes_;  // a node meets few kinds of MADs: a short list beats a map
};

}  // namespace weft::sim
