#include "transport/pcapng.h"

#include <algorithm>

#include "base/bytes.h"

namespace weft::transport {
namespace {

constexpr std::uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceBlock = 1;
constexpr std::uint32_t kPacketBlock = 6;
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint16_t kLinkTypeErf = 197;
constexpr std::uint8_t kErfInfiniband = 21;
constexpr std::uint8_t kErfVaryingLength = 4;
constexpr std::uint16_t kOptionComment = 1;
constexpr std::uint16_t kOptionName = 2;         // if_name
constexpr std::uint16_t kOptionFlags = 2;        // epb_flags
constexpr std::uint16_t kOptionApplication = 4;  // shb_userappl
constexpr std::uint16_t kOptionResolution = 9;   // if_tsresol
constexpr std::uint32_t kInbound = 1;
constexpr std::uint32_t kOutbound = 2;

constexpr std::size_t kErf = 16;
constexpr std::size_t kLrh = 8;
constexpr std::size_t kBth = 12;
constexpr std::size_t kDeth = 8;
constexpr std::size_t kHeaders = kLrh + kBth + kDeth;
constexpr std::size_t kPacket = kErf + kHeaders + mad::kMadSize + 4 + 2;  // ICRC, VCRC
constexpr std::uint8_t kSendOnly = 0x64;                                  // unreliable datagram
constexpr std::uint32_t kQkey = 0x80010000;                               // of QP1; QP0 has none

/// Little-endian, as our files are whatever machine writes them.
class Bytes {
 public:
  void u16(std::uint16_t v) { number(v, 2); }
  void u32(std::uint32_t v) { number(v, 4); }
  void number(std::uint64_t v, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) data.push_back(static_cast<std::uint8_t>(v >> 8 * i));
  }
  void padded(std::span<const std::uint8_t> bytes) {
    data.insert(data.end(), bytes.begin(), bytes.end());
    data.resize((data.size() + 3) / 4 * 4);
  }
  void option(std::uint16_t code, std::span<const std::uint8_t> value) {
    u16(code);
    u16(static_cast<std::uint16_t>(value.size()));
    padded(value);
  }
  void option(std::uint16_t code, std::string_view text) {
    option(code, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  void end_of_options() { u32(0); }
  std::vector<std::uint8_t> data;
};

/// Seconds in the upper half, their fraction of 2^32 in the lower.
std::uint64_t erf_time(Instant time) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto count = static_cast<std::uint64_t>(time.count());
  return count / kSecond << 32 | ((count % kSecond) << 32) / kSecond;
}

/// The ERF record; all of it but the time is in wire order.
void put_erf(std::span<std::uint8_t> bytes, Instant time) {
  const std::uint64_t stamp = erf_time(time);
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(stamp >> 8 * i);
  bytes[8] = kErfInfiniband;
  bytes[9] = kErfVaryingLength;
  put_bits(bytes, 80, 16, kPacket);          // length of the record
  put_bits(bytes, 112, 16, kPacket - kErf);  // length on the wire
}

void put_headers(std::span<std::uint8_t> bytes, const PcapngWriter::Entry& entry, const mad::Mad& mad) {
  const mad::MgmtClass mgmt_class = mad::header_of(mad).mgmt_class;
  const bool smp =
      mgmt_class == mad::MgmtClass::subn_lid_routed || mgmt_class == mad::MgmtClass::subn_directed;
  const std::uint32_t own_qp = smp ? 0 : 1;
  put_bits(bytes, 0, 4, smp ? 15 : 0);                                             // VL
  put_bits(bytes, 8, 4, raw(mad.address.sl));                                      // SL
  put_bits(bytes, 14, 2, 2);                                                       // next: BTH
  put_bits(bytes, 16, 16, raw(entry.outbound ? mad.address.lid : entry.own_lid));  // DLID
  put_bits(bytes, 37, 11, (kHeaders + mad::kMadSize + 4) / 4);
  put_bits(bytes, 48, 16, raw(entry.outbound ? entry.own_lid : mad.address.lid));  // SLID
  const std::span<std::uint8_t> bth = bytes.subspan(kLrh);
  bth[0] = kSendOnly;
  put_bits(bth, 16, 16, 0xffff);  // P_Key
  put_bits(bth, 40, 24, entry.outbound ? mad.address.qp : own_qp);
  const std::span<std::uint8_t> deth = bth.subspan(kBth);
  put_bits(deth, 0, 32, smp ? 0 : kQkey);
  put_bits(deth, 40, 24, entry.outbound ? own_qp : mad.address.qp);
}

std::array<std::uint8_t, kPacket> on_the_wire(const PcapngWriter::Entry& entry, const mad::Mad& mad) {
  std::array<std::uint8_t, kPacket> packet{};
  const std::span<std::uint8_t> bytes(packet);
  put_erf(bytes, entry.time);
  put_headers(bytes.subspan(kErf), entry, mad);
  std::ranges::copy(mad.bytes, packet.begin() + kErf + kHeaders);
  return packet;
}

}  // namespace

PcapngWriter::PcapngWriter(Sink sink, std::string_view application) : sink_(std::move(sink)) {
  Bytes body;
  body.u32(kByteOrder);
  body.u16(1);
  body.u16(0);
  body.number(~std::uint64_t{0}, 8);  // length of the section: not told
  body.option(kOptionApplication, application);
  body.end_of_options();
  block(kSectionBlock, body.data);
}

void PcapngWriter::block(std::uint32_t type, std::span<const std::uint8_t> body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 12);
  Bytes all;
  all.u32(type);
  all.u32(length);
  all.padded(body);
  all.u32(length);
  sink_(all.data);
}

std::uint32_t PcapngWriter::add_interface(std::string_view name) {
  Bytes body;
  body.u16(kLinkTypeErf);
  body.u16(0);
  body.u32(0);  // no limit to a packet's length
  body.option(kOptionName, name);
  constexpr std::array<std::uint8_t, 1> kNanoseconds = {9};
  body.option(kOptionResolution, kNanoseconds);
  body.end_of_options();
  block(kInterfaceBlock, body.data);
  return interfaces_++;
}

void PcapngWriter::record(const Entry& entry, const mad::Mad& mad) {
  const std::array<std::uint8_t, kPacket> packet = on_the_wire(entry, mad);
  const auto time = static_cast<std::uint64_t>(entry.time.count());
  Bytes body;
  body.u32(entry.interface);
  body.u32(static_cast<std::uint32_t>(time >> 32));
  body.u32(static_cast<std::uint32_t>(time));
  body.u32(packet.size());
  body.u32(packet.size());
  body.padded(packet);
  Bytes flags;
  flags.u32(entry.outbound ? kOutbound : kInbound);
  body.option(kOptionFlags, flags.data);
  if (!entry.comment.empty()) body.option(kOptionComment, entry.comment);
  body.end_of_options();
  block(kPacketBlock, body.data);
}

namespace {

/// What is left of a block, read from its front; anything beyond its end reads as zero and is remembered.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  std::uint32_t number(std::size_t bytes) {
    const std::span<const std::uint8_t> taken = take(bytes);
    std::uint32_t value = 0;
    for (std::size_t i = taken.size(); i-- > 0;) value = value << 8 | taken[i];
    return value;
  }
  std::span<const std::uint8_t> take(std::size_t bytes) {
    if (bytes > rest_.size()) {
      short_ = true;
      bytes = rest_.size();
    }
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  std::span<const std::uint8_t> take_padded(std::size_t bytes) {
    const auto taken = take(bytes);
    take(std::min((4 - bytes % 4) % 4, rest_.size()));
    return taken;
  }
  bool ran_short() const { return short_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::uint8_t> rest_;
  bool short_ = false;
};

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

template <typename Take>
void each_option(Cursor& body, const Take& take) {
  while (!body.empty() && !body.ran_short()) {
    const auto code = static_cast<std::uint16_t>(body.number(2));
    const std::uint32_t length = body.number(2);
    if (code == 0) return;
    take(code, body.take_padded(length));
  }
}

std::optional<RecordedMad> read_packet(Cursor body) {
  RecordedMad read;
  read.interface = body.number(4);
  const std::uint64_t high = body.number(4);
  read.time = Instant(static_cast<std::int64_t>(high << 32 | body.number(4)));
  const std::uint32_t length = body.number(4);
  body.number(4);
  const std::span<const std::uint8_t> record = body.take_padded(length);
  each_option(body, [&read](std::uint16_t code, std::span<const std::uint8_t> value) {
    if (code == kOptionFlags && value.size() == 4) read.outbound = (value[0] & 3) == kOutbound;
    if (code == kOptionComment) read.comment = text_of(value);
  });
  if (body.ran_short() || record.size() < kErf + kHeaders + mad::kMadSize) return std::nullopt;
  if (record[8] != kErfInfiniband) return std::nullopt;
  const std::span<const std::uint8_t> packet = record.subspan(kErf);
  if (get_bits(packet, 14, 2) != 2 || packet[kLrh] != kSendOnly) return std::nullopt;
  const auto to = static_cast<Lid>(get_bits(packet, 16, 16));
  const auto from = static_cast<Lid>(get_bits(packet, 48, 16));
  read.own_lid = read.outbound ? from : to;
  read.mad.address.lid = read.outbound ? to : from;
  const std::size_t qp_at = read.outbound ? kLrh * 8 + 40 : (kLrh + kBth) * 8 + 40;
  read.mad.address.qp = static_cast<std::uint32_t>(get_bits(packet, qp_at, 24));
  read.mad.address.sl = static_cast<Sl>(get_bits(packet, 8, 4));
  std::copy_n(packet.begin() + kHeaders, mad::kMadSize, read.mad.bytes.begin());
  return read;
}

}  // namespace

Result<Recording> read_pcapng(std::span<const std::uint8_t> bytes) {
  Recording recording;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto bad = [at](std::string_view what) {
      return fail(Errc::malformed, "no recording: {} at byte {}", what, at);
    };
    Cursor head(bytes.subspan(at));
    const std::uint32_t type = head.number(4);
    const std::uint32_t length = head.number(4);
    const bool ends_early = head.ran_short() || length > bytes.size() - at;
    if (at > 0 && ends_early) {
      recording.cut = true;
      break;
    }
    if (ends_early || length < 12 || length % 4 != 0) return bad("a block that does not end");
    Cursor body(bytes.subspan(at + 8, length - 12));
    if (at == 0 && type != kSectionBlock) return bad("no section header");
    if (type == kSectionBlock && body.number(4) != kByteOrder) return bad("another byte order");
    if (type == kInterfaceBlock) {
      if (body.number(2) != kLinkTypeErf) return bad("an interface whose packets are no ERF records");
      body.number(2);
      body.number(4);
      std::string& name = recording.interfaces.emplace_back();
      each_option(body, [&name](std::uint16_t code, std::span<const std::uint8_t> value) {
        if (code == kOptionName) name = text_of(value);
      });
    } else if (type == kPacketBlock) {
      if (std::optional<RecordedMad> read = read_packet(body)) {
        if (read->interface >= recording.interfaces.size()) return bad("a packet of no interface");
        recording.mads.push_back(std::move(*read));
      }
    }
    at += length;
  }
  if (bytes.empty()) return fail(Errc::malformed, "no recording: the file is empty");
  return recording;
}

}  // namespace weft::transport
