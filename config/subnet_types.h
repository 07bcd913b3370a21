#pragma once
// What stands in the configuration of several subnets: their entries, and ports by short names.

#include <map>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/types.h"

namespace weft::config {

inline constexpr std::size_t kMostSubnets = 64;  ///< Each reads the whole file.

/// { rail1: { port: { device: mlx5_0 } } }: name to the keys of its own, as YAML. That these are keys is seen
/// when each subnet is read.
Type<std::map<std::string, std::string>> subnet_map();
/// Local ports: [mlx5_1/1, mlx5_1, 2, 0x0002c903000e0b73].
Type<std::vector<PortChoice>> port_list();

/// "mlx5_1/1", "mlx5_1", "2", "0x0002c903000e0b73"; empty when it is every port.
std::string to_string(const PortChoice& port);

/// /run/weft/weftd.sock of the subnet rail1: /run/weft/weftd-rail1.sock.
std::string socket_of_subnet(const std::string& socket, std::string_view subnet);

}  // namespace weft::config
