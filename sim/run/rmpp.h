#pragma once
// RMPP: messages of any length over MADs of 256 bytes, as the kernel does it for an agent that asks for it.
// Two state machines, for one message out and one in; bytes in, bytes out, the times handed in. Source: IBTA
// vol. 1, 13.6, and what Linux does where it leaves a choice: the first window is 1, later ones 64 segments.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/run/bytes.h"

namespace weft::run {

using Mad = std::array<std::uint8_t, kMadSize>;

enum class RmppType : std::uint8_t { none = 0, data = 1, ack = 2, stop = 3, abort = 4 };
enum class RmppStatus : std::uint8_t {
  normal = 0,
  resources = 1,
  too_long = 118,
  bad_length = 119,
  bad_segment = 120,
  bad_type = 121,
  window_too_small = 122,
  segment_too_big = 123,
  bad_status = 124,
  bad_version = 125,
  too_many_retries = 126,
};

inline constexpr std::uint8_t kRmppActive = 0x01;
inline constexpr std::uint8_t kRmppFirst = 0x02;
inline constexpr std::uint8_t kRmppLast = 0x04;
inline constexpr std::uint32_t kRmppWindow = 64;

/// Bytes of the headers that every segment repeats, by class: SA 56, vendor classes with an OUI 40, device
/// management 64; 0 for classes that have no RMPP.
std::size_t rmpp_header_size(std::uint8_t mgmt_class);

struct RmppHeader {
  std::uint8_t version = 1;
  RmppType type{};
  std::uint8_t flags = 0;  ///< Without the response time beside them.
  std::uint8_t status = 0;
  std::uint32_t segment = 0;
  std::uint32_t length = 0;  ///< PayloadLength, or of an ACK NewWindowLast.
};
RmppHeader rmpp_header_of(const std::uint8_t* mad);
/// True for a MAD of a class with RMPP whose Active flag is set.
bool is_rmpp(const std::uint8_t* mad);

/// ACK, STOP or ABORT against `mad`, whose R bit it inverts.
Mad rmpp_control(const Mad& mad, RmppType type, RmppStatus status, std::uint32_t segment,
                 std::uint32_t length);

/// A message on its way out.
class RmppSender {
 public:
  /// `message`: the headers once, then all data. At least the headers must be there.
  explicit RmppSender(std::vector<std::uint8_t> message);

  std::uint32_t segment_count() const { return count_; }
  /// Segments that may go now, and have not gone since the last rewind().
  std::optional<Mad> next();
  /// After silence: again from the first that is not acknowledged.
  void rewind() { sent_ = acknowledged_; }
  bool complete() const { return acknowledged_ == count_; }
  const std::vector<std::uint8_t>& message() const { return message_; }

  /// Takes an ACK. Returns: nothing when it is in order or old, else why the transfer is to be aborted.
  std::optional<RmppStatus> acknowledge(const RmppHeader& ack);
  /// The last acknowledge() brought it forward.
  bool progressed() const { return progressed_; }

 private:
  Mad segment(std::uint32_t number) const;

  std::vector<std::uint8_t> message_;
  std::size_t header_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t sent_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint32_t window_ = 1;  // the last segment that may go
  bool progressed_ = false;
};

/// A message on its way in. Segments may come in any order within the window, and more than once.
class RmppReceiver {
 public:
  /// What to send back for a segment: an ACK at the end of a window, after the last and for repeated ones.
  std::optional<Mad> take(const Mad& mad);
  bool complete() const { return last_ != 0 && in_order_ == last_; }
  /// Headers of the first segment, then all data. Only once complete; takes the data away.
  std::vector<std::uint8_t> take_message();

 private:
  Mad acknowledgement(const Mad& mad);

  std::map<std::uint32_t, Mad> segments_;  // by number, from 1 on
  std::uint32_t in_order_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint32_t window_ = 1;
  std::uint32_t last_ = 0;  // number of the last segment; 0 until it has come
};

}  // namespace weft::run
