#pragma once
// Tables: the P_Key table that every end port is to hold, and what follows from it: who may talk to whom.
// Most ports of a fabric hold the same few keys, so equal tables are kept once.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace weft::partitions {

/// Entries by P_Key index; Pkey{0} where one is free.
using Keys = std::vector<Pkey>;

class Tables {
 public:
  /// Every port holds what it comes with, the default key alone (IBTA vol. 1, 10.9.1.2).
  Tables();

  /// By index of Fabric's ports (Node::first_port + port number).
  std::span<const Pkey> of(std::uint32_t port) const {
    return tables_[port < which_.size() ? which_[port] : 0];
  }
  /// `keys` need not be new: equal tables are found again.
  void set(std::uint32_t port, const Keys& keys);

  bool operator==(const Tables& other) const;

 private:
  std::vector<Keys> tables_;  // [0]: the default key alone
  std::map<Keys, std::uint32_t> number_of_;
  std::vector<std::uint32_t> which_;  // by port, as far as any was set
};

/// A key of `a` under which it may talk to a holder of `b`; the default partition's before others, then the
/// lowest index. Nothing when they share no partition in which one of them is a full member.
std::optional<Pkey> common_key(std::span<const Pkey> a, std::span<const Pkey> b);

/// The key by which a port belongs to a partition: the full one where it has both.
std::optional<Pkey> key_in(std::span<const Pkey> keys, Pkey partition);

}  // namespace weft::partitions
