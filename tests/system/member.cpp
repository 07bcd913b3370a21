#include "tests/system/member.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/bytes.h"
#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/smp.h"
#include "tests/support/sa_request.h"

namespace weft::system_test {

namespace ibsim = transport::ibsim;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// MGID, PortGID and JoinState of a membership; and what a group that is new needs besides.
constexpr std::uint64_t kNamed = 1u << 0 | 1u << 1;
constexpr std::uint64_t kMembership = kNamed | 1u << 16;
constexpr std::uint64_t kJoin = kMembership | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;
constexpr std::uint64_t kServiceNamed = 1u << 0 | 1u << 1 | 1u << 2;
constexpr std::uint64_t kService = kServiceNamed | 1u << 4 | 1u << 6;  // its lease and name, too

using Data = std::array<std::uint8_t, mad::kSaDataSize>;

template <typename Record>
Data bytes_of(const Record& record) {
  Data data{};
  mad::encode_into(std::span<std::uint8_t>(data), record);
  return data;
}

void wait(int fd, milliseconds limit) {
  pollfd waiting{fd, POLLIN, 0};
  ::poll(&waiting, 1, static_cast<int>(limit.count()));
}

}  // namespace

Member::Member(const std::string& socket, const std::string& host) {
  const ibsim::Server server{.name = socket, .host = {}, .port = 0};
  auto opened = ibsim::open_endpoint(server);
  if (!opened) throw std::runtime_error(opened.error().what);
  endpoint_ = std::move(*opened);
  ibsim::ControlMessage connect = ibsim::connect_message(endpoint_.id, false, host);
  ibsim::ask_for_silent_loss(connect);
  ibsim::send_control(endpoint_.control.get(), connect);
  wait(endpoint_.control.get(), seconds(5));
  const auto answer = ibsim::receive_control(endpoint_.control.get());
  if (!answer || !ibsim::connect_data(server, endpoint_, ibsim::first_number(*answer)))
    throw std::runtime_error("no answer to CONNECT");
  guid_ = mad::decode<mad::NodeInfo>(own(mad::AttrId::node_info, 0)).port_guid;
}

std::optional<mad::Mad> Member::ask(mad::Method method, mad::SaAttr attribute, std::uint64_t mask,
                                    std::span<const std::uint8_t> data) {
  const Lid sm = mad::decode<mad::PortInfo>(own(mad::AttrId::port_info, 1)).sm_lid;
  mad::Mad mad = test::sa_request(sm, method, attribute, mask, ++tid_);
  std::ranges::copy(data, mad.bytes.begin() + mad::kSaDataAt);
  auto answer = exchange(mad, seconds(3));
  if (answer) status_ = mad::header_of(*answer).status;
  return answer;
}

std::optional<mad::McMemberRecord> Member::group(std::uint32_t number, mad::Method method,
                                                 std::uint64_t mask) {
  mad::McMemberRecord record;
  record.mgid = {0xff12401bffff0000, number + 0x100u};
  record.port_gid = {kLinkLocalPrefix, raw(guid_)};
  record.join_state = 1;
  record.pkey = Pkey{0xffff};
  record.qkey = 0x0b1b;
  const auto answer = ask(method, mad::SaAttr::mc_member_record, mask, bytes_of(record));
  if (!answer) return std::nullopt;
  return mad::decode<mad::McMemberRecord>(
      std::span<const std::uint8_t>(answer->bytes).subspan(mad::kSaDataAt));
}

Member::Status Member::join(std::uint32_t number) {
  return group(number, mad::Method::set, kJoin) ? Status(status_) : std::nullopt;
}

Member::Status Member::leave(std::uint32_t number) {
  return group(number, mad::Method::delete_, kMembership) ? Status(status_) : std::nullopt;
}

bool Member::is_in(std::uint32_t number) { return group(number, mad::Method::get, kNamed) && status_ == 0; }

Lid Member::mlid(std::uint32_t number) {
  const auto record = group(number, mad::Method::get, kNamed);
  return record && status_ == 0 ? record->mlid : Lid{};
}

Member::Status Member::serve(std::uint32_t number) {
  mad::ServiceRecord record;
  record.id = number;
  record.gid = {kLinkLocalPrefix, raw(guid_)};
  record.pkey = Pkey{0xffff};
  record.lease = 0xffffffff;
  record.name[0] = 's';
  return ask(mad::Method::set, mad::SaAttr::service_record, kService, bytes_of(record)) ? Status(status_)
                                                                                        : std::nullopt;
}

bool Member::finds(std::uint32_t number) {
  mad::ServiceRecord record;
  record.id = number;
  const auto answer = ask(mad::Method::get, mad::SaAttr::service_record, 1, bytes_of(record));
  return answer && status_ == 0;
}

Member::Status Member::subscribe(std::uint16_t trap) {
  mad::InformInfo wish;
  wish.lid_begin = Lid{0xffff};
  wish.generic = 1;
  wish.subscribe = 1;
  wish.type = 3;
  wish.trap = trap;
  wish.qpn = 1;
  wish.producer = 4;
  return ask(mad::Method::set, mad::SaAttr::inform_info, 0, bytes_of(wish)) ? Status(status_) : std::nullopt;
}

bool Member::has_subscribed() {
  Data subscriber{};  // SubscriberGID stands first in an InformInfoRecord
  put_bits(std::span<std::uint8_t>(subscriber), 0, 64, kLinkLocalPrefix);
  put_bits(std::span<std::uint8_t>(subscriber), 64, 64, raw(guid_));
  return ask(mad::Method::get, mad::SaAttr::inform_info_record, 1, subscriber) && status_ == 0;
}

/// Of our own node.
mad::AttrData Member::own(mad::AttrId attribute, std::uint32_t modifier) {
  mad::Smp smp;
  smp.method = mad::Method::get;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.route = mad::DirectedRoute{};
  smp.tid = ++tid_;
  const auto answer = exchange(mad::to_mad(smp), seconds(3));
  if (!answer) return {};
  const auto got = mad::to_smp(*answer);
  return got ? got->data : mad::AttrData{};
}

std::optional<mad::Mad> Member::exchange(const mad::Mad& mad, milliseconds limit) {
  const auto tid = static_cast<std::uint32_t>(mad::header_of(mad).tid);
  const mad::Mad* one = &mad;
  ibsim::send_mads(endpoint_.data.get(), std::span(&one, 1));
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    wait(endpoint_.data.get(), milliseconds(50));
    const auto got = receiver_.receive(endpoint_.data.get());
    if (!got) return std::nullopt;
    for (const auto& datagram : *got)
      if (static_cast<std::uint32_t>(mad::header_of(datagram.mad).tid) == tid &&
          mad::is_response(mad::method_of(datagram.mad)))
        return datagram.mad;
  }
  return std::nullopt;
}

}  // namespace weft::system_test
