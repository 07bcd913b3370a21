#include "sim/run/rmpp.h"

#include <algorithm>
#include <cstring>

namespace weft::run {
namespace {

// Where the fields of the header stand in a MAD.
constexpr std::size_t kVersionAt = 24;
constexpr std::size_t kTypeAt = 25;
constexpr std::size_t kFlagsAt = 26;
constexpr std::size_t kStatusAt = 27;
constexpr std::size_t kSegmentAt = 28;
constexpr std::size_t kLengthAt = 32;

/// What PayloadLength counts of a full segment: everything behind the common and the RMPP header.
constexpr std::size_t kPayload = 220;
constexpr std::uint8_t kNoResponseTime = 0x1f << 3;

}  // namespace

std::size_t rmpp_header_size(std::uint8_t mgmt_class) {
  if (mgmt_class == 0x03) return 56;
  if (mgmt_class >= 0x30 && mgmt_class <= 0x4f) return 40;
  if (mgmt_class == 0x06 || mgmt_class == 0x10) return 64;
  return 0;
}

RmppHeader rmpp_header_of(const std::uint8_t* mad) {
  RmppHeader header;
  header.version = mad[kVersionAt];
  header.type = static_cast<RmppType>(mad[kTypeAt]);
  header.flags = mad[kFlagsAt] & 0x07;
  header.status = mad[kStatusAt];
  header.segment = static_cast<std::uint32_t>(number_at(mad, kSegmentAt, 4));
  header.length = static_cast<std::uint32_t>(number_at(mad, kLengthAt, 4));
  return header;
}

bool is_rmpp(const std::uint8_t* mad) {
  return rmpp_header_size(class_of(mad)) != 0 && (mad[kFlagsAt] & kRmppActive) != 0;
}

Mad rmpp_control(const Mad& mad, RmppType type, RmppStatus status, std::uint32_t segment,
                 std::uint32_t length) {
  Mad out{};
  std::copy_n(mad.begin(), rmpp_header_size(class_of(mad.data())), out.begin());
  out[3] ^= 0x80;
  out[kVersionAt] = 1;
  out[kTypeAt] = static_cast<std::uint8_t>(type);
  out[kFlagsAt] = kRmppActive;
  out[kStatusAt] = static_cast<std::uint8_t>(status);
  put_number(out.data(), kSegmentAt, 4, segment);
  put_number(out.data(), kLengthAt, 4, length);
  return out;
}

RmppSender::RmppSender(std::vector<std::uint8_t> message)
    : message_(std::move(message)), header_(rmpp_header_size(class_of(message_.data()))) {
  const std::size_t room = kMadSize - header_;
  const std::size_t data = message_.size() - std::min(message_.size(), header_);
  count_ = static_cast<std::uint32_t>(std::max<std::size_t>(1, (data + room - 1) / room));
}

Mad RmppSender::segment(std::uint32_t number) const {
  const std::size_t room = kMadSize - header_;
  const std::size_t begin = header_ + room * (number - 1);
  const std::size_t size = std::min(room, message_.size() - std::min(message_.size(), begin));
  Mad mad{};
  std::copy_n(message_.begin(), std::min(header_, message_.size()), mad.begin());
  std::copy_n(message_.begin() + static_cast<std::ptrdiff_t>(std::min(message_.size(), begin)), size,
              mad.begin() + static_cast<std::ptrdiff_t>(header_));
  const std::size_t padding = room * count_ - (message_.size() - std::min(message_.size(), header_));
  std::uint8_t flags = kRmppActive;
  std::size_t length = 0;
  if (number == count_) {
    flags |= kRmppLast;
    length = kPayload - padding;
  }
  if (number == 1) {
    flags |= kRmppFirst;
    length = kPayload * count_ - padding;
  }
  mad[kVersionAt] = 1;
  mad[kTypeAt] = static_cast<std::uint8_t>(RmppType::data);
  mad[kFlagsAt] = static_cast<std::uint8_t>(kNoResponseTime | flags);
  mad[kStatusAt] = 0;
  put_number(mad.data(), kSegmentAt, 4, number);
  put_number(mad.data(), kLengthAt, 4, length);
  return mad;
}

std::optional<Mad> RmppSender::next() {
  if (sent_ >= std::min(window_, count_)) return std::nullopt;
  return segment(++sent_);
}

std::optional<RmppStatus> RmppSender::acknowledge(const RmppHeader& ack) {
  progressed_ = false;
  if (ack.status != 0) return RmppStatus::bad_status;
  if (ack.length < ack.segment) return RmppStatus::window_too_small;
  if (complete()) return std::nullopt;
  if (ack.segment > count_ || ack.segment > window_) return RmppStatus::segment_too_big;
  if (ack.length < window_ || ack.segment < acknowledged_) return std::nullopt;
  progressed_ = ack.segment > acknowledged_ || ack.length > window_;
  acknowledged_ = ack.segment;
  sent_ = std::max(sent_, acknowledged_);
  window_ = ack.length;
  return std::nullopt;
}

Mad RmppReceiver::acknowledgement(const Mad& mad) {
  acknowledged_ = in_order_;
  return rmpp_control(mad, RmppType::ack, RmppStatus::normal, in_order_, window_);
}

std::optional<Mad> RmppReceiver::take(const Mad& mad) {
  const RmppHeader header = rmpp_header_of(mad.data());
  const bool first = (header.flags & kRmppFirst) != 0;
  if ((header.segment == 1) != first || header.segment == 0)
    return rmpp_control(mad, RmppType::abort, RmppStatus::bad_segment, 0, 0);
  if (complete() || header.segment <= acknowledged_) return acknowledgement(mad);
  if (header.segment == 1 && in_order_ == 0) window_ = kRmppWindow;
  if (header.segment > window_ || (last_ != 0 && header.segment > last_)) return std::nullopt;
  if (!segments_.emplace(header.segment, mad).second) return std::nullopt;
  if ((header.flags & kRmppLast) != 0) last_ = header.segment;
  while (segments_.contains(in_order_ + 1)) ++in_order_;
  if (complete()) return acknowledgement(mad);
  if (header.segment == 1) return acknowledgement(mad);  // opens the window
  if (in_order_ != window_) return std::nullopt;
  window_ += kRmppWindow;
  return acknowledgement(mad);
}

std::vector<std::uint8_t> RmppReceiver::take_message() {
  const std::size_t header = rmpp_header_size(class_of(segments_.at(1).data()));
  const std::size_t room = kMadSize - header;
  std::size_t padding = kPayload - rmpp_header_of(segments_.at(last_).data()).length;
  if (last_ == 1)
    padding = kPayload - std::min<std::size_t>(kPayload, rmpp_header_of(segments_.at(1).data()).length);
  if (padding > room) padding = 0;
  std::vector<std::uint8_t> message;
  message.reserve(header + room * last_);
  for (const auto& [number, mad] : segments_)
    message.insert(message.end(), mad.begin() + (number == 1 ? 0 : static_cast<std::ptrdiff_t>(header)),
                   mad.end());
  message.resize(message.size() - padding);
  segments_.clear();
  return message;
}

}  // namespace weft::run
