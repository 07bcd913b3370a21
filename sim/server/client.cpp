#include "sim/server/client.h"

#include <algorithm>
#include <cassert>

#include "sim/server/desk.h"

namespace weft::sim {
namespace {

constexpr std::uint64_t kOwnTid = 0xffffffffffff;  // the part that is the client's own
constexpr std::uint32_t kLostStatus = 110;         // ETIMEDOUT, as ibsim says it
constexpr std::size_t kStatusAt = 16;              // in the envelope

std::uint64_t key_of(const mad::Mad& mad) { return mad::tid_of(mad) & kOwnTid; }
std::uint32_t agent_in(const mad::Mad& mad) {
  return static_cast<std::uint32_t>(mad::tid_of(mad) >> 32) & 0xffff;
}
bool is_vendor_with_oui(std::uint8_t mgmt_class) { return mgmt_class >= 0x30 && mgmt_class <= 0x4f; }
std::uint32_t oui_of(const mad::Mad& mad) {
  return static_cast<std::uint32_t>(mad.bytes[37] << 16 | mad.bytes[38] << 8 | mad.bytes[39]);
}

/// Classes that the programs for ibsim are ready for: others end them.
bool stock_can_take(std::uint8_t mgmt_class) {
  return mgmt_class == 0x01 || mgmt_class == 0x81 || mgmt_class == 0x03;
}

}  // namespace

void Unanswered::add(std::uint64_t tid, Instant until, const Datagram& request) {
  answered(tid);
  by_tid_[tid] = entries_.first() + entries_.size();
  entries_.push() = {tid, until, true, request};
}

void Unanswered::answered(std::uint64_t tid) {
  const auto found = by_tid_.find(tid);
  if (found == by_tid_.end()) return;
  entries_.items()[found->second - entries_.first()].open = false;
  by_tid_.erase(found);
  trim();
}

void Unanswered::trim() {
  while (!entries_.empty() && !entries_.front().open) entries_.pop(1);
}

std::optional<Instant> Unanswered::next() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front().until;
}

std::optional<Datagram> Unanswered::take_expired(Instant now) {
  if (entries_.empty() || entries_.front().until > now) return std::nullopt;
  Datagram request = entries_.front().request;
  answered(entries_.front().tid);
  return request;
}

bool AgentFilter::takes(const mad::Mad& mad) const {
  const unsigned method = mad.bytes[3] & 0x7f;
  return mad.bytes[1] == mgmt_class && mad.bytes[2] == class_version &&
         (methods[method / 64] >> (method % 64) & 1) != 0 &&
         (!is_vendor_with_oui(mgmt_class) || oui_of(mad) == oui);
}

bool AgentFilter::conflicts(const AgentFilter& other) const {
  return mgmt_class == other.mgmt_class && class_version == other.class_version && oui == other.oui &&
         ((methods[0] & other.methods[0]) | (methods[1] & other.methods[1])) != 0;
}

Client::Client(Desk& desk, Kind kind, PortIndex port, bool silent_loss)
    : desk_(desk), kind_(kind), port_(port), silent_loss_(silent_loss) {}

bool Client::takes(const mad::Mad& mad, bool is_sm) const {
  if (kind_ == Kind::stock) return is_sm && (silent_loss_ || stock_can_take(mad.bytes[1]));
  return std::ranges::any_of(agents_, [&mad](const auto& agent) { return agent.second.takes(mad); });
}

std::uint32_t Client::agent_for(const mad::Mad& mad) const {
  if ((mad.bytes[3] & 0x80) != 0) return agent_in(mad);
  for (const auto& [number, filter] : agents_)
    if (filter.takes(mad)) return number;
  return 0;
}

Datagram* Client::next_outgoing() {
  if (lost_ || outgoing_.size() >= kQueue) {
    ++stats_.dropped;
    return nullptr;
  }
  desk_.mark_dirty(*this);
  return &outgoing_.push();
}

void Client::receive(const mad::Mad& mad) {
  if (kind_ == Kind::stock && (mad.bytes[3] & 0x80) != 0)
    for (Unanswered& requests : unanswered_) requests.answered(key_of(mad));
  Datagram* out = next_outgoing();
  if (out == nullptr) return;
  const Lid own = desk_.world().port(port_).info.lid;
  if (kind_ == Kind::stock) return write_stock(mad, own, *out);
  write_wide(mad, own, agent_for(mad), desk_.grh_for(*this, mad), *out);
}

const World& Client::world() const { return desk_.world(); }

void Client::return_lost(Instant now) {
  for (Unanswered& requests : unanswered_)
    while (std::optional<Datagram> request = requests.take_expired(now)) {
      ++stats_.returned;
      put_bits(std::span<std::uint8_t>(request->bytes), kStatusAt * 8, 32, kLostStatus);
      if (Datagram* out = next_outgoing()) *out = *request;
    }
}

void Client::device_lost(const Error& /*why*/) {
  lost_ = true;
  desk_.mark_dirty(*this);
}

}  // namespace weft::sim
