#pragma once
// SaClient: a program on a host of a Whole that asks the SA, by single packets and by RMPP.

#include <map>

#include "mad/sa_records.h"
#include "sa/components.h"
#include "tests/support/sa_request.h"
#include "tests/whole/whole.h"

namespace weft::test {

/// A client at a host's port, as a kernel's RMPP would behave, by hand.
class SaClient final : public sim::Endpoint {
 public:
  SaClient(Whole& whole, std::string_view host)
      : whole_(whole),
        port_(whole.world->port_of(whole.node(host), PortNum{1})),
        id_(whole.network->attach(port_, *this)) {}
  ~SaClient() override { whole_.network->detach(id_); }

  void receive(const mad::Mad& mad) override {
    got.push_back(mad);
    if (!confirms || mad::method_of(mad) != mad::Method::report) return;
    mad::Mad answer = mad;
    answer.bytes[3] = static_cast<std::uint8_t>(mad::Method::report_resp);
    send(answer);
  }
  void device_lost(const Error&) override {}

  mad::Mad request(mad::Method method, mad::SaAttr attribute, std::uint64_t mask = 0) {
    return sa_request(whole_.world->port(port_).info.sm_lid, method, attribute, mask, ++tid_);
  }
  void send(const mad::Mad& mad) { whole_.network->send(id_, mad); }
  std::optional<mad::Mad> ask(const mad::Mad& mad) {
    got.clear();
    send(mad);
    whole_.run_until([&] { return !got.empty(); }, std::chrono::seconds(1));
    return got.empty() ? std::nullopt : std::optional(got.front());
  }
  /// A whole table: acknowledges each segment and lets `window` of them come at a time.
  std::vector<std::uint8_t> table(mad::SaAttr attribute, std::uint32_t window = 3) {
    got.clear();
    const mad::Mad asked = request(mad::Method::get_table, attribute);
    std::vector<std::uint8_t> data;
    std::uint32_t next = 1;
    for (int tries = 0; tries < 5 && got.empty(); ++tries) {
      send(asked);
      whole_.run_until([&] { return !got.empty(); }, std::chrono::seconds(2));
    }
    while (whole_.run_until([&] { return !got.empty(); }, std::chrono::seconds(3))) {
      const std::vector<mad::Mad> came = std::exchange(got, {});
      for (const mad::Mad& mad : came) {
        const mad::SaHeader sa = mad::sa_header_of(mad);
        if (sa.segment < next) acknowledge(mad, next - 1, next - 1 + window);  // ours was lost
        if (sa.segment != next) continue;
        ++next;
        const bool last = (sa.rmpp_flags & mad::rmpp::kLast) != 0;
        const std::size_t length = last ? sa.payload_length - mad::kSaHeaderSize : mad::kSaDataSize;
        data.insert(data.end(), mad.bytes.begin() + mad::kSaDataAt,
                    mad.bytes.begin() + static_cast<std::ptrdiff_t>(mad::kSaDataAt + length));
        offset = sa.attribute_offset;
        if (last || sa.segment % window == 1) acknowledge(mad, sa.segment, sa.segment + window);
        if (last) return data;
      }
    }
    return {};
  }
  void acknowledge(mad::Mad mad, std::uint32_t segment, std::uint32_t window_last) {
    mad.bytes[3] ^= 0x80;
    mad::SaHeader sa = mad::sa_header_of(mad);
    sa.rmpp_type = mad::RmppType::ack;
    sa.rmpp_flags = mad::rmpp::kActive;
    sa.segment = segment;
    sa.payload_length = window_last;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa);
    send(mad);
  }

  Guid guid() const { return whole_.world->port(port_).guid; }
  Gid gid() const { return {kLinkLocalPrefix, raw(guid())}; }
  sim::PortIndex port() const { return port_; }

  /// The status of a Set or Delete of a membership; nothing when it was not answered.
  std::optional<std::uint16_t> member(mad::Method method, const Gid& mgid, std::uint8_t join_state = 1) {
    mad::McMemberRecord record;
    record.mgid = mgid;
    record.port_gid = gid();
    record.join_state = join_state;
    record.pkey = Pkey{0xffff};
    record.qkey = 0x0b1b;
    // MGID, PortGID, JoinState; for a group that is new, Q_Key, TClass, P_Key, SL and FlowLabel.
    std::uint64_t mask = sa::bit(0) | sa::bit(1) | sa::bit(16);
    if (method == mad::Method::set) mask |= sa::bit(2) | sa::bit(6) | sa::bit(7) | sa::bit(12) | sa::bit(13);
    mad::Mad mad = request(method, mad::SaAttr::mc_member_record, mask);
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), record);
    const auto answer = ask(mad);
    if (!answer) return std::nullopt;
    joined = mad::decode<mad::McMemberRecord>(
        std::span<const std::uint8_t>(answer->bytes).subspan(mad::kSaDataAt));
    return mad::header_of(*answer).status;
  }
  std::optional<std::uint16_t> join(const Gid& mgid, std::uint8_t join_state = 1) {
    return member(mad::Method::set, mgid, join_state);
  }
  std::optional<std::uint16_t> leave(const Gid& mgid, std::uint8_t join_state = 1) {
    return member(mad::Method::delete_, mgid, join_state);
  }
  /// Set(InformInfo) for one trap of the class manager's.
  std::optional<std::uint16_t> subscribe(std::uint16_t trap) {
    mad::Mad mad = request(mad::Method::set, mad::SaAttr::inform_info);
    mad::InformInfo wish;
    wish.lid_begin = Lid{0xffff};
    wish.generic = 1;
    wish.subscribe = 1;
    wish.type = 3;
    wish.trap = trap;
    wish.producer = 4;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), wish);
    const auto answer = ask(mad);
    return answer ? std::optional(mad::header_of(*answer).status) : std::nullopt;
  }
  /// Reports that came, by trap number; each is confirmed.
  std::map<int, int> reports() {
    std::map<int, int> count;
    for (const mad::Mad& mad : got) {
      if (mad::method_of(mad) != mad::Method::report) continue;
      ++count[static_cast<int>(get_bits(mad.bytes, (mad::kSaDataAt + 4) * 8, 16))];
    }
    return count;
  }

  mad::McMemberRecord joined;  ///< What the last join or leave was answered.
  std::vector<mad::Mad> got;
  std::uint16_t offset = 0;
  bool confirms = false;  ///< Reports.

 private:
  Whole& whole_;
  sim::PortIndex port_;
  sim::Network::ClientId id_;
  std::uint64_t tid_ = 0x100;
};

}  // namespace weft::test
