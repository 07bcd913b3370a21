#include "sim/server/message.h"

#include <algorithm>

#include "base/bytes.h"

namespace weft::sim {
namespace {

using wire::Envelope;
namespace ibsim = transport::ibsim;

static_assert(ibsim::kExtension == wire::kExtension && ibsim::kExtensionVersion == wire::kVersion &&
              ibsim::kSilentLoss == wire::kSilentLoss);

std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  return get_bits(bytes, at * 8, size * 8);
}
void put(std::span<std::uint8_t> bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  put_bits(bytes, at * 8, size * 8, value);
}

/// A directed route goes by the path in it, whatever LID stands in the envelope.
void settle_lid(mad::Mad& mad) {
  if (mad.bytes[1] == static_cast<std::uint8_t>(mad::MgmtClass::subn_directed))
    mad.address.lid = kLidPermissive;
}

Grh grh_of(std::span<const std::uint8_t> bytes) {
  Grh grh;
  grh.gid_index = bytes[Envelope::kGidIndex];
  grh.hop_limit = bytes[Envelope::kHopLimit];
  grh.traffic_class = bytes[Envelope::kTrafficClass];
  grh.flow_label = static_cast<std::uint32_t>(number(bytes, Envelope::kFlowLabel, 4));
  std::copy_n(bytes.begin() + Envelope::kGid, grh.gid.size(), grh.gid.begin());
  return grh;
}

}  // namespace

std::optional<Incoming> parse(std::span<const std::uint8_t> datagram) {
  Incoming in;
  if (datagram.size() == ibsim::kDatagramSize) {
    in.mad.address.lid = static_cast<Lid>(number(datagram, 0, 2));
    in.mad.address.qp = static_cast<std::uint32_t>(number(datagram, 8, 4));
  } else if (datagram.size() == wire::kWideSize) {
    in.mad.address.lid = static_cast<Lid>(number(datagram, Envelope::kLid, 2));
    in.mad.address.qp = static_cast<std::uint32_t>(number(datagram, Envelope::kQp, 4));
    in.mad.address.sl = static_cast<Sl>(datagram[Envelope::kSl] & 0xf);
    in.mad.address.pkey_index = static_cast<std::uint16_t>(number(datagram, Envelope::kPkeyIndex, 2));
    in.agent = static_cast<std::uint32_t>(number(datagram, Envelope::kAgent, 4)) & 0xffff;
    in.own_lid = static_cast<std::uint32_t>(number(datagram, Envelope::kOwnLid, 2));
    if (datagram[Envelope::kGrhPresent] != 0) in.grh = grh_of(datagram);
  } else {
    return std::nullopt;
  }
  std::ranges::copy(datagram.last(mad::kMadSize), in.mad.bytes.begin());
  settle_lid(in.mad);
  return in;
}

void write_stock(const mad::Mad& mad, Lid own, Datagram& out) {
  out.size = ibsim::kDatagramSize;
  const std::span<std::uint8_t> bytes(out.bytes);
  std::fill_n(out.bytes.begin(), sizeof(ibsim::Envelope), std::uint8_t{0});
  const bool directed = mad.address.lid == kLidPermissive;
  put(bytes, 0, 2, raw(directed ? kLidPermissive : own));
  put(bytes, 4, 2, raw(mad.address.lid));
  put(bytes, 8, 4, mad.address.qp);
  put(bytes, 12, 4, mad.address.qp);
  put(bytes, 24, 8, mad::kMadSize);
  std::ranges::copy(mad.bytes, out.bytes.begin() + sizeof(ibsim::Envelope));
}

void write_wide(const mad::Mad& mad, Lid own, std::uint32_t agent, const std::optional<Grh>& grh,
                Datagram& out) {
  out.size = wire::kWideSize;
  const std::span<std::uint8_t> bytes(out.bytes);
  std::fill_n(out.bytes.begin(), Envelope::kSize, std::uint8_t{0});
  put(bytes, Envelope::kLid, 2, raw(mad.address.lid));
  put(bytes, Envelope::kOwnLid, 2, raw(own));
  put(bytes, Envelope::kQp, 4, mad.address.qp);
  put(bytes, Envelope::kOwnQp, 4, mad.address.qp);
  put(bytes, Envelope::kAgent, 4, agent);
  put(bytes, Envelope::kSl, 1, raw(mad.address.sl));
  put(bytes, Envelope::kPkeyIndex, 2, mad.address.pkey_index);
  put(bytes, Envelope::kLength, 8, mad::kMadSize);
  if (grh) {
    put(bytes, Envelope::kGrhPresent, 1, 1);
    put(bytes, Envelope::kGidIndex, 1, grh->gid_index);
    put(bytes, Envelope::kHopLimit, 1, grh->hop_limit);
    put(bytes, Envelope::kTrafficClass, 1, grh->traffic_class);
    put(bytes, Envelope::kFlowLabel, 4, grh->flow_label);
    std::ranges::copy(grh->gid, out.bytes.begin() + Envelope::kGid);
  }
  std::ranges::copy(mad.bytes, out.bytes.begin() + Envelope::kSize);
}

}  // namespace weft::sim
