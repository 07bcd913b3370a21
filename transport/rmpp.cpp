#include "transport/rmpp.h"

#include <algorithm>

namespace weft::transport {
namespace {

using mad::Mad;
using mad::RmppType;
using mad::SaHeader;
using mad::rmpp::Code;

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kNoResponseTime = 0x1f;
/// So many sendings without a word make a peer one that knows no RMPP, until it acknowledges something.
constexpr int kKnowsNoRmpp = 3;
constexpr std::size_t kMostSilent = 10'000;
/// Of one peer.
constexpr std::size_t kMostUnheard = 64;

void put(Mad& mad, const SaHeader& header) { encode_into(std::span<std::uint8_t>(mad.bytes), header); }

/// Acknowledgements and their like carry the method with the R bit inverted against the data they answer.
void turn_method(Mad& mad) { mad.bytes[3] ^= 0x80; }

}  // namespace

Rmpp::Rmpp(Transport& transport, Clock& clock, Whole whole, RmppSettings settings)
    : transport_(transport), clock_(clock), whole_(std::move(whole)), settings_(settings) {}

Rmpp::~Rmpp() {
  for (const auto& [key, sending] : sending_) clock_.cancel(sending.timer);
  for (const auto& [key, receiving] : receiving_) clock_.cancel(receiving.timer);
}

Rmpp::Key Rmpp::key_of(const Mad& mad) { return {mad.address.lid, mad.address.qp, mad::tid_of(mad)}; }

bool Rmpp::send(const Mad& head, std::vector<std::uint8_t> data) {
  const Key key = key_of(head);
  if (const auto found = sending_.find(key); found != sending_.end()) {
    if (found->second.head.bytes == head.bytes) {
      // Asked again before the first segment was acknowledged: it was lost, or is another program's.
      if (found->second.acked == 0) put_segment(found->second, 1);
      return false;
    }
    end_sending(key, true);
  }
  end_oldest_unheard(peer_of(key));
  if (!make_room(data.size())) return false;
  bytes_ += data.size();
  Sending& sending = sending_[key];
  sending.head = head;
  sending.segments = std::max<std::uint32_t>(
      1, static_cast<std::uint32_t>((data.size() + mad::kSaDataSize - 1) / mad::kSaDataSize));
  sending.data = std::move(data);
  const auto silent = silent_.find(peer_of(key));
  sending.attempts_left = silent != silent_.end() && silent->second >= kKnowsNoRmpp ? 1 : settings_.attempts;
  sending.number = ++last_number_;
  by_age_.emplace(sending.number, key);
  pump(key, sending);
  return true;
}

/// A peer that has acknowledged nothing of many sendings, and asks on, has given up the oldest.
void Rmpp::end_oldest_unheard(Peer peer) {
  std::size_t unheard = 0;
  const std::pair<const Key, Sending>* oldest = nullptr;
  for (auto one = sending_.lower_bound({peer.first, peer.second, 0});
       one != sending_.end() && peer_of(one->first) == peer; ++one) {
    if (one->second.acked > 0) continue;
    ++unheard;
    if (oldest == nullptr || one->second.number < oldest->second.number) oldest = &*one;
  }
  if (unheard >= kMostUnheard) end_sending(Key(oldest->first), true);
}

/// The oldest that is sent whole, and only waits to hear so, makes room for one that is not.
bool Rmpp::make_room(std::size_t bytes) {
  const auto fits = [&] {
    return transfers() < settings_.most_transfers && bytes_ + bytes <= settings_.most_bytes;
  };
  for (auto oldest = by_age_.begin(); !fits() && oldest != by_age_.end();) {
    const Key key = oldest->second;
    ++oldest;
    const Sending& sending = sending_.at(key);
    if (sending.sent == sending.segments) end_sending(key, true);
  }
  return fits();
}

void Rmpp::drop(const Mad& head) {
  const Key key = key_of(head);
  if (sending_.contains(key)) end_sending(key, true);
}

void Rmpp::put_segment(const Sending& sending, std::uint32_t number) {
  const std::size_t from = (number - 1) * mad::kSaDataSize;
  const std::size_t length =
      std::min(mad::kSaDataSize, sending.data.size() - std::min(from, sending.data.size()));
  const bool first = number == 1;
  const bool last = number == sending.segments;
  Mad mad = sending.head;
  SaHeader header = mad::sa_header_of(mad);
  header.rmpp_version = kVersion;
  header.rmpp_type = RmppType::data;
  header.response_time = kNoResponseTime;
  header.rmpp_status = 0;
  header.rmpp_flags = static_cast<std::uint8_t>(mad::rmpp::kActive | (first ? mad::rmpp::kFirst : 0) |
                                                (last ? mad::rmpp::kLast : 0));
  header.segment = number;
  // The first tells the whole, the last what it holds itself; each segment repeats the SA header.
  const std::size_t whole = mad::kSaHeaderSize * sending.segments + sending.data.size();
  header.payload_length = static_cast<std::uint32_t>(first ? whole : last ? mad::kSaHeaderSize + length : 0);
  put(mad, header);
  std::fill(mad.bytes.begin() + mad::kSaDataAt, mad.bytes.end(), std::uint8_t{0});
  std::copy_n(sending.data.begin() + static_cast<std::ptrdiff_t>(from), length,
              mad.bytes.begin() + mad::kSaDataAt);
  static_cast<void>(transport_.send(mad));  // a lost segment is asked for again
}

void Rmpp::pump(Key key, Sending& sending) {
  while (sending.sent < std::min(sending.window_last, sending.segments)) put_segment(sending, ++sending.sent);
  clock_.cancel(sending.timer);
  sending.timer = clock_.after(settings_.patience, [this, key] { on_silence(key); });
}

void Rmpp::on_silence(Key key) {
  Sending& sending = sending_.at(key);
  sending.timer = Clock::TimerId::none;
  if (--sending.attempts_left <= 0) return end_sending(key, true);
  sending.sent = sending.acked;
  pump(key, sending);
}

void Rmpp::end_sending(Key key, bool gave_up) {
  const auto found = sending_.find(key);
  clock_.cancel(found->second.timer);
  bytes_ -= found->second.data.size();
  if (gave_up && found->second.acked == 0) {
    if (silent_.size() >= kMostSilent) silent_.clear();
    ++silent_[peer_of(key)];
  }
  by_age_.erase(found->second.number);
  sending_.erase(found);
  given_up_ += gave_up;
}

void Rmpp::end_receiving(Key key) {
  const auto found = receiving_.find(key);
  clock_.cancel(found->second.timer);
  bytes_ -= found->second.data.size();
  receiving_.erase(found);
}

bool Rmpp::handle(const Mad& mad) {
  const SaHeader sa = mad::sa_header_of(mad);
  if ((sa.rmpp_flags & mad::rmpp::kActive) == 0) return false;
  const Key key = key_of(mad);
  switch (sa.rmpp_type) {
    case RmppType::data:
      if (mad::is_response(mad::method_of(mad))) return true;  // to nothing that we asked
      segment(mad, sa);
      return true;
    case RmppType::ack:
      acknowledged(mad, sa);
      return true;
    case RmppType::stop:
    case RmppType::abort:
      if (sending_.contains(key)) end_sending(key, true);
      if (receiving_.contains(key)) end_receiving(key);
      return true;
    default:
      reject(mad, RmppType::abort, Code::bad_type);
      return true;
  }
}

void Rmpp::acknowledged(const Mad& mad, const SaHeader& sa) {
  const Key key = key_of(mad);
  if (const auto turned = receiving_.find(key);
      turned != receiving_.end() && turned->second.complete && sa.segment == 0) {
    // The requester has all our acknowledgements and is ready to listen.
    const Mad head = turned->second.head;
    std::vector<std::uint8_t> data = turned->second.data;
    end_receiving(key);
    return whole_(head, std::move(data));
  }
  const auto found = sending_.find(key);
  if (found == sending_.end()) return;
  Sending& sending = found->second;
  const std::uint32_t window_last = sa.payload_length;
  const auto lies = [&](Code code) {
    reject(mad, RmppType::abort, code);
    end_sending(key, true);
  };
  if (sa.segment > sending.sent) return lies(Code::segment_too_big);
  if (window_last < sa.segment) return lies(Code::window_too_small);
  if (sa.segment < sending.acked) return;  // late
  if (sa.segment > sending.acked) sending.attempts_left = settings_.attempts;
  silent_.erase(peer_of(key));
  sending.acked = sa.segment;
  sending.window_last = std::max(sending.window_last, window_last);
  if (sending.acked >= sending.segments) return end_sending(key, false);
  pump(key, sending);
}

void Rmpp::segment(const Mad& mad, const SaHeader& sa) {
  const Key key = key_of(mad);
  if (sa.rmpp_version != kVersion) return reject(mad, RmppType::abort, Code::bad_version);
  if (((sa.rmpp_flags & mad::rmpp::kFirst) != 0) != (sa.segment == 1))
    return reject(mad, RmppType::abort, Code::bad_segment);
  auto found = receiving_.find(key);
  if (found == receiving_.end()) {
    if (sa.segment != 1) return;
    if (transfers() >= settings_.most_transfers) return reject(mad, RmppType::stop, Code::resources);
    found = receiving_.emplace(key, Receiving{.head = mad, .data = {}}).first;
  }
  Receiving& receiving = found->second;
  refresh(key, receiving);
  if (sa.segment != receiving.received + 1 || receiving.complete) return acknowledge(receiving);
  const bool last = (sa.rmpp_flags & mad::rmpp::kLast) != 0;
  std::size_t length = mad::kSaDataSize;
  if (last) {
    const std::size_t payload = sa.payload_length;
    if (payload < mad::kSaHeaderSize || payload > mad::kSaHeaderSize + mad::kSaDataSize) {
      reject(mad, RmppType::abort, Code::bad_length);
      return end_receiving(key);
    }
    length = payload - mad::kSaHeaderSize;
  }
  if (receiving.data.size() + length > settings_.most_request_bytes ||
      bytes_ + length > settings_.most_bytes) {
    reject(mad, RmppType::stop, Code::resources);
    return end_receiving(key);
  }
  bytes_ += length;
  receiving.data.insert(receiving.data.end(), mad.bytes.begin() + mad::kSaDataAt,
                        mad.bytes.begin() + static_cast<std::ptrdiff_t>(mad::kSaDataAt + length));
  receiving.received = sa.segment;
  receiving.complete = last;
  if (!last && sa.segment < receiving.window_last) return;
  receiving.window_last = sa.segment + settings_.window;
  acknowledge(receiving);
}

/// A request that does not go on is forgotten; its sender begins anew.
void Rmpp::refresh(Key key, Receiving& receiving) {
  clock_.cancel(receiving.timer);
  receiving.timer = clock_.after(settings_.patience * settings_.attempts, [this, key] {
    ++given_up_;
    end_receiving(key);
  });
}

void Rmpp::acknowledge(const Receiving& receiving) {
  Mad mad = receiving.head;
  turn_method(mad);
  SaHeader header = mad::sa_header_of(mad);
  header.rmpp_version = kVersion;
  header.rmpp_type = RmppType::ack;
  header.rmpp_flags = mad::rmpp::kActive;
  header.rmpp_status = 0;
  header.segment = receiving.received;
  header.payload_length = receiving.window_last;
  put(mad, header);
  static_cast<void>(transport_.send(mad));
}

void Rmpp::reject(const Mad& mad, RmppType type, Code code) {
  ++given_up_;
  Mad answer = mad;
  turn_method(answer);
  SaHeader header = mad::sa_header_of(mad);
  header.rmpp_version = kVersion;
  header.rmpp_type = type;
  header.rmpp_flags = mad::rmpp::kActive;
  header.rmpp_status = static_cast<std::uint8_t>(code);
  put(answer, header);
  static_cast<void>(transport_.send(answer));
}

}  // namespace weft::transport
