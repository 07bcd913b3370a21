#pragma once
// Request and Answer: what the SA is asked and what it says. Pure: the daemon receives and sends (RMPP,
// addresses, duplicates), the functions here only decide.

#include <functional>
#include <optional>
#include <vector>

#include "mad/sa.h"
#include "mad/sm_info.h"
#include "plan/sa_state.h"
#include "sa/index.h"

namespace weft::sa {

/// The partition that every port is in until partitions are configured, as a full member.
inline constexpr Pkey kDefaultPkey{0xffff};

struct Request {
  mad::Header header;
  mad::SaHeader sa;
  std::span<const std::uint8_t> data;  ///< 200 bytes; a multi-segment request may have more.
  mad::Address from;
  bool trusted = false;  ///< It showed our SM_Key.
};

/// A manager we know of beside ourselves.
struct OtherManager {
  Lid lid{};
  mad::SmInfo info;
};

struct Context {
  const Index& index;
  const plan::SaState& state;
  mad::SmInfo self;
  std::span<const OtherManager> others;
  std::uint64_t prefix = kLinkLocalPrefix;
  std::int64_t now = 0;  ///< Seconds since 1970.
};

/// A notice to send to those who have subscribed to it.
struct Event {
  std::uint16_t trap = 0;  ///< 64 to 67.
  Gid gid{};
  Pkey pkey{0xffff};  ///< Only members of this partition may hear of it.
};

struct Answer {
  std::uint16_t status = 0;
  mad::Method method = mad::Method::get_resp;
  mad::SaAttr attribute{};
  bool table = false;                  ///< Sent by RMPP, whatever its length.
  std::uint16_t offset = 0;            ///< AttributeOffset; 0 without records.
  std::vector<std::uint8_t> data;      ///< Records, each padded to whole offsets.
  std::optional<plan::SaState> state;  ///< To be kept before the answer goes out.
  std::vector<Event> events;
};

/// Decides. The caller has already dropped what must not be answered at all: a foreign SM_Key, responses, and
/// everything while we are not master.
Answer answer(const Request& request, const Context& context);

/// The answer that says only "no": the request's data comes back.
Answer refusal(const Request& request, std::uint16_t status);

}  // namespace weft::sa
