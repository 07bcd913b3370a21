#include "sim/counters.h"

#include <algorithm>
#include <tuple>

namespace weft::sim {
namespace {

Counters::Row& row_in(std::vector<Counters::Row>& rows, mad::MgmtClass mgmt_class, mad::Method method,
                      mad::AttrId attribute) {
  for (Counters::Row& row : rows)
    if (row.attribute == attribute && row.method == method && row.mgmt_class == mgmt_class) return row;
  return rows.emplace_back(Counters::Row{mgmt_class, method, attribute, 0});
}

bool matches(const Counters::Row& row, const CountQuery& query) {
  return (!query.mgmt_class || *query.mgmt_class == row.mgmt_class) &&
         (!query.method || *query.method == row.method) &&
         (!query.attribute || *query.attribute == row.attribute);
}

std::uint64_t sum(const std::vector<Counters::Row>& rows, const CountQuery& query) {
  std::uint64_t total = 0;
  for (const Counters::Row& row : rows)
    if (matches(row, query)) total += row.count;
  return total;
}

}  // namespace

void Counters::add(NodeIndex node, mad::MgmtClass mgmt_class, mad::Method method, mad::AttrId attribute) {
  ++row_in(nodes_[raw(node)], mgmt_class, method, attribute).count;
}

std::uint64_t Counters::total(const CountQuery& query) const {
  if (query.node) return sum(nodes_[raw(*query.node)], query);
  std::uint64_t total = 0;
  for (const std::vector<Row>& rows : nodes_) total += sum(rows, query);
  return total;
}

void Counters::clear() {
  for (std::vector<Row>& rows : nodes_) rows.clear();
}

std::vector<Counters::Row> Counters::table() const {
  std::vector<Row> all;
  for (const std::vector<Row>& rows : nodes_)
    for (const Row& row : rows) row_in(all, row.mgmt_class, row.method, row.attribute).count += row.count;
  std::ranges::sort(all, {},
                    [](const Row& row) { return std::tuple(row.mgmt_class, row.method, row.attribute); });
  return all;
}

}  // namespace weft::sim
