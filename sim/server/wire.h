#pragma once
// Wire: what weftsim's protocol has beyond ibsim's (transport/ibsim/protocol.h): one SOCK_SEQPACKET
// connection a client under the abstract name BASE:weft, the same control messages with a few more kinds, and
// MADs in an envelope of 64 bytes that says all that a kernel tells of a MAD. Specified in docs/simulator.md,
// "Protocol".
//
// Included by the server and by the preload library, which has no other library beside it: plain data only.

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::sim::wire {

// Control messages: 16 bytes of head, then data, all in the byte order of the host.
struct Head {
  std::uint32_t magic = 0xdeadbeef;
  std::uint32_t client = 0;
  std::uint32_t kind = 0;
  std::uint32_t length = 0;  ///< Bytes of data that count.
};
inline constexpr std::size_t kControlSize = sizeof(Head) + 64;

/// Kinds that ibsim has, and ours from 100 on. An answer has the kind of its request; `error` refuses it, its
/// data a number of errno.
enum Kind : std::uint32_t {
  kError = 0,
  kConnect = 1,
  kDisconnect = 2,
  kGetPort = 3,
  kGetVendor = 4,
  kGetGid = 5,
  kGetGuid = 6,
  kGetNodeInfo = 7,
  kGetPortInfo = 8,
  kSetIsSm = 9,
  kGetPkeys = 10,
  kDescribe = 100,
  kRegister = 101,
  kUnregister = 102,
};

inline constexpr std::size_t kNodeNameSize = 32;
inline constexpr std::uint32_t kExtension = 0x77656674;  ///< "weft"
inline constexpr std::uint32_t kVersion = 1;

enum ConnectFlag : std::uint32_t {
  kSilentLoss = 1,  ///< Has time-outs of its own: a lost request is not reported.
};

/// Data of CONNECT. ibsim knows the first 44 bytes; the answer has the client's number in place of `id`.
struct Connect {
  std::uint32_t id = 0;  ///< Names the data socket; unused on a connection.
  std::uint32_t qp = 0;
  std::uint32_t is_sm = 0;
  std::array<char, kNodeNameSize> node{};  ///< Id, description or GUID; empty: the first of the fabric.
  std::uint32_t extension = 0;             ///< kExtension, or the rest does not count.
  std::uint32_t version = 0;
  std::uint32_t port = 0;  ///< Of an HCA; 0: its first, or a switch's port 0.
  std::uint32_t flags = 0;
};
static_assert(sizeof(Connect) == 60);

/// Data of kDescribe, which needs no CONNECT before it.
struct Describe {
  std::array<char, kNodeNameSize> node{};
  std::uint32_t port = 0;
};

/// Its answer, after the head. Attributes are as they stand in MADs.
struct Description {
  std::uint32_t port = 0;        ///< The one asked for; the first when it was 0.
  std::uint32_t port_count = 0;  ///< Of an HCA; 0 of a switch.
  std::array<std::uint8_t, 64> node_info{};
  std::array<std::uint8_t, 64> port_info{};
  std::array<std::uint8_t, 64> description{};
  std::uint32_t pkey_count = 0;
  std::array<std::uint8_t, 256> pkeys{};  ///< Big-endian, 2 bytes each.
};

/// Data of kRegister: what an agent wants of what others ask. kUnregister has the agent alone.
struct Register {
  std::uint32_t agent = 0;  ///< Below 0x10000; the client's own choice.
  std::uint8_t mgmt_class = 0;
  std::uint8_t class_version = 0;
  std::uint8_t pad[2] = {};
  std::uint32_t oui = 0;  ///< Of classes 0x30 to 0x4f.
  std::uint32_t pad2 = 0;
  std::array<std::uint64_t, 2> methods{};  ///< Bit n of word n / 64: method n.
};
static_assert(sizeof(Register) == 32);

/// What stands before the 256 bytes of a MAD, big-endian. The far end is where it goes or came from.
struct Envelope {
  static constexpr std::size_t kSize = 64;
  static constexpr std::size_t kLid = 0;         ///< 2 bytes, of the far end; 0xffff: directed route.
  static constexpr std::size_t kOwnLid = 2;      ///< 2, with path bits; 0: the port's own.
  static constexpr std::size_t kQp = 4;          ///< 4, of the far end.
  static constexpr std::size_t kOwnQp = 8;       ///< 4
  static constexpr std::size_t kAgent = 12;      ///< 4, whose it is: sender, or who is to get it.
  static constexpr std::size_t kStatus = 16;     ///< 4
  static constexpr std::size_t kSl = 20;         ///< 1
  static constexpr std::size_t kPkeyIndex = 22;  ///< 2
  static constexpr std::size_t kGrhPresent = 24;
  static constexpr std::size_t kGidIndex = 25;  ///< Of our end.
  static constexpr std::size_t kHopLimit = 26;
  static constexpr std::size_t kTrafficClass = 27;
  static constexpr std::size_t kFlowLabel = 28;  ///< 4
  static constexpr std::size_t kGid = 32;        ///< 16, of the far end.
  static constexpr std::size_t kLength = 56;     ///< 8, always 256
};
inline constexpr std::size_t kMadSize = 256;
inline constexpr std::size_t kWideSize = Envelope::kSize + kMadSize;

}  // namespace weft::sim::wire
