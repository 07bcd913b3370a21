#pragma once
// P_Keys: the arithmetic of membership. Source: IBTA vol. 1, 10.9.

#include "base/ids.h"

namespace weft::partitions {

inline constexpr Pkey kDefaultPkey{0xffff};

constexpr bool is_full(Pkey key) { return (raw(key) & 0x8000) != 0; }
/// The 15 bits that name the partition.
constexpr std::uint16_t partition_of(Pkey key) { return raw(key) & 0x7fff; }
/// 0x0000 and 0x8000 are empty table entries.
constexpr bool is_valid(Pkey key) { return partition_of(key) != 0; }
/// Two ports may talk when their keys name one partition and at least one is a full member.
bool may_talk(Pkey a, Pkey b);

}  // namespace weft::partitions
