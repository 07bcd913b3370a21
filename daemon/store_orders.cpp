#include "daemon/store_orders.h"

#include "daemon/store_rows.h"

namespace weft::daemon {

const char* const kOrdersTable = R"sql(
CREATE TABLE orders (node INTEGER NOT NULL, port INTEGER NOT NULL, kind INTEGER NOT NULL,
                     peer INTEGER NOT NULL, peer_port INTEGER NOT NULL, until INTEGER NOT NULL,
                     by_policy INTEGER NOT NULL, forced INTEGER NOT NULL, why TEXT NOT NULL,
                     PRIMARY KEY (node, port)) WITHOUT ROWID;
)sql";

namespace {

constexpr std::int64_t kLastKind = raw(plan::Order::Kind::opening);

}  // namespace

Result<std::shared_ptr<const plan::Orders>> load_orders(Database& database) {
  auto orders = std::make_shared<plan::Orders>();
  const auto read = each_row(
      database, "SELECT node, port, kind, peer, peer_port, until, by_policy, forced, why FROM orders",
      [&orders](Row& row) {
        if (row.guid(0) == Guid{}) return row.refuse("it has an order for no node");
        plan::Order order;
        order.kind = row.number<plan::Order::Kind>(2, kLastKind);
        order.peer = {row.guid(3), row.number<PortNum>(4, 254)};
        order.until = row.any(5);
        order.by_policy = row.any(6) != 0;
        order.forced = row.any(7) != 0;
        order.why = row.text(8);
        orders->emplace(plan::Place{row.guid(0), row.number<PortNum>(1, 254)}, std::move(order));
      });
  if (!read) return fail(read.error());
  return std::shared_ptr<const plan::Orders>(std::move(orders));
}

Result<void> write_orders(Database& database, const plan::Orders& before, const plan::Orders& after) {
  Writer put(
      database,
      "INSERT OR REPLACE INTO orders (node, port, kind, peer, peer_port, until, by_policy, forced, why) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Writer drop(database, "DELETE FROM orders WHERE node = ? AND port = ?");
  for_differences(
      before, after,
      [&put](const plan::Place& place, const plan::Order& order) {
        put.run(place.node, place.port, order.kind, order.peer.node, order.peer.port, order.until,
                order.by_policy, order.forced, order.why);
      },
      [&drop](const plan::Place& place) { drop.run(place.node, place.port); });
  return result_of({&put, &drop});
}

}  // namespace weft::daemon
