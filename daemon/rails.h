#pragma once
// Rails: what the subnets of one weftd know of each other: which ports of hosts each has found. Where nearly
// all ports of a kind ("mlx5_1, port 1") are in one subnet, one that is in another was cabled wrong; and a
// switch that is in two joins them.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft::daemon {

class Rails {
 public:
  /// The fabric of a subnet, as found. Any thread. Cost: O(nodes).
  void found(const std::string& subnet, const fabric::Fabric& fabric);
  /// It is not managed any more.
  void gone(const std::string& subnet);

  struct Crossed {
    Guid node{};
    std::string what;
    bool operator==(const Crossed&) const = default;
  };
  /// What seems to be cabled wrong in this subnet, at most 20 and a count of the rest. Any thread.
  std::vector<Crossed> crossed(const std::string& subnet) const;

 private:
  struct End {
    Guid node{};
    std::string host;  ///< First word of the NodeDescription.
    std::string kind;  ///< The rest of it, and the port: "mlx5_1 port 1".
  };
  struct Found {
    std::vector<End> ends;
    std::map<Guid, std::string> switches;  ///< To their descriptions.
  };
  mutable std::mutex mutex_;
  std::map<std::string, Found> subnets_;
};

}  // namespace weft::daemon
