#pragma once
// Answers to the requests of others, made from the request itself: a directed-route answer travels back by
// the return path that the way here wrote into the packet, so all bytes that are not told otherwise stay as
// they came.

#include <algorithm>
#include <cstdint>

#include "mad/directed_wire.h"
#include "mad/mad.h"
#include "mad/smp.h"

namespace weft::transport {

/// The answer to an SMP: GetResp with `data`; for a directed route with the direction bit.
inline mad::Mad response_to(const mad::Mad& request, const mad::AttrData& data, std::uint16_t status = 0) {
  mad::Mad answer = request;
  answer.bytes[3] = static_cast<std::uint8_t>(mad::Method::get_resp);
  const bool directed = answer.bytes[1] == static_cast<std::uint8_t>(mad::MgmtClass::subn_directed);
  put_bits(answer.bytes, 32, 16, directed ? status | 0x8000u : status);
  std::ranges::copy(data, answer.bytes.begin() + mad::kSmpDataAt);
  return answer;
}

/// The way back to who sent this, from our own node on; nothing unless it came all the way by a directed
/// route. Source: IBTA vol. 1, 14.2.2: at hop i of the way back the port of return path entry i is left by.
inline std::optional<mad::DirectedRoute> way_back(mad::Mad request) {
  const bool directed = request.bytes[1] == static_cast<std::uint8_t>(mad::MgmtClass::subn_directed);
  if (!directed || !mad::is_pure_directed(request)) return std::nullopt;
  const int hops = std::min<int>(mad::header_of(request).hop_count, mad::kMaxHops);
  const auto path = mad::return_path(request);
  mad::DirectedRoute back;
  for (int hop = hops; hop > 0; --hop)
    back = back.then(static_cast<PortNum>(path[static_cast<std::size_t>(hop)]));
  return back;
}

}  // namespace weft::transport
