#pragma once
// Upkeep: what people, or the health of links, ask beyond the fabric as it is found: traffic kept off a link
// or a switch, ports disabled. Pure: the orders in, what routing may use and which ports are to be closed
// out.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "plan/config.h"

namespace weft::plan {

/// A port of a node, or with port 0 the node as a whole.
struct Place {
  Guid node{};
  PortNum port{};
  auto operator<=>(const Place&) const = default;
};

struct Order {
  enum class Kind : std::uint8_t {
    drained,   ///< No traffic, as far as there are other ways.
    disabled,  ///< Likewise, and the port is disabled, until somebody enables it;
    held,      ///< or until `until`.
    opening,   ///< The port is to be enabled. Goes when it is.
  };
  Kind kind = Kind::drained;
  Place peer{};            ///< Of a link: its other end, as it was then; 0 where that was not known.
  std::int64_t until = 0;  ///< Of `held`: seconds since 1970.
  bool by_policy = false;  ///< Not by a person.
  bool forced = false;     ///< Also when somebody is cut off.
  std::string why;         ///< In the words of who ordered it; may be empty.
  bool operator==(const Order&) const = default;
};
std::string_view name(Order::Kind kind);  ///< "drained", ...

/// Of a link, at the port that is, or would be, disabled.
using Orders = std::map<Place, Order>;

/// A port to be disabled, or enabled (polling).
struct PortOrder {
  fabric::PortRef port;
  PhysState phys{};
  bool operator==(const PortOrder&) const = default;
};

/// The fabric as routing may use it: without the links between switches that orders keep traffic off, and
/// slow ones that are to be avoided, except those that something would be cut off without; of these rather a
/// slow one than one that is ordered off. Null when there is nothing to keep off. Cost: O(ports).
std::shared_ptr<const fabric::Fabric> usable_fabric(const fabric::Fabric& fabric, const Orders& orders,
                                                    SlowLinks slow_links = SlowLinks::use);

/// Links between switches that orders keep traffic off, or would close, by their lower port, rising.
std::vector<fabric::PortRef> avoided_links(const fabric::Fabric& fabric, const Orders& orders);

/// Links that orders want closed, by the port to disable.
std::vector<fabric::PortRef> closing_links(const fabric::Fabric& fabric, const Orders& orders);

/// What ports are to be told. A port is not disabled when that would cut somebody off and was not forced.
std::vector<PortOrder> port_orders(const fabric::Fabric& fabric, const Orders& orders,
                                   fabric::PortRef sm_port);

/// What cannot be reached from there without some links and a node; that node is not among them. Cost:
/// O(ports).
std::vector<NodeId> cut_off(const fabric::Fabric& fabric, fabric::PortRef from,
                            std::span<const fabric::PortRef> links, std::optional<NodeId> without = {});

}  // namespace weft::plan
