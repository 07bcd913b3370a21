#include "sim/server/desk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mad/node_info.h"
#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

constexpr Duration kGrhKept = std::chrono::seconds(60);
constexpr std::size_t kGrhsKept = 10'000;

bool is_smp(std::uint8_t mgmt_class) { return mgmt_class == 0x01 || mgmt_class == 0x81; }
/// Send, Trap and TrapRepress are not answered.
bool wants_answer(std::uint8_t method) {
  return (method & 0x80) == 0 && method != 0x03 && method != 0x05 && method != 0x07;
}

std::string_view name_in(const std::array<char, wire::kNodeNameSize>& field) {
  return {field.data(), ::strnlen(field.data(), field.size())};
}

template <typename T>
std::span<const std::uint8_t> bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof(T)};
}

/// A port's GID: its prefix and its GUID.
std::array<std::uint8_t, 16> gid_of(const Port& port) {
  std::array<std::uint8_t, 16> gid{};
  put_bits(std::span<std::uint8_t>(gid), 0, 64, port.info.gid_prefix);
  put_bits(std::span<std::uint8_t>(gid), 64, 64, raw(port.guid));
  return gid;
}

}  // namespace

std::optional<wire::Head> head_of(std::span<const std::uint8_t> message) {
  wire::Head head;
  if (message.size() < sizeof(head)) return std::nullopt;
  std::memcpy(&head, message.data(), sizeof(head));
  if (head.magic != wire::Head{}.magic) return std::nullopt;
  return head;
}

std::vector<std::uint8_t> control_message(const wire::Head& head, std::span<const std::uint8_t> data,
                                          std::size_t size) {
  std::vector<std::uint8_t> message(sizeof(head) + size);
  std::memcpy(message.data(), &head, sizeof(head));
  if (!data.empty()) std::memcpy(message.data() + sizeof(head), data.data(), std::min(data.size(), size));
  return message;
}

std::vector<std::uint8_t> refusal(const wire::Head& head, int error) {
  wire::Head out = head;
  out.kind = wire::kError;
  const auto number = static_cast<std::uint32_t>(error);
  out.length = sizeof(number);
  return control_message(out, bytes_of(number));
}

Desk::Desk(Network& network, DeskSettings settings)
    : network_(network), settings_(settings), agenda_(network.world().clock()) {}

Desk::~Desk() {
  while (!clients_.empty()) disconnect(*clients_.begin()->second);
}

Result<PortIndex> Desk::port_named(const std::array<char, wire::kNodeNameSize>& node,
                                   std::uint32_t number) const {
  const std::string_view name = name_in(node);
  std::optional<NodeIndex> found = name.empty() ? NodeIndex{0} : world().find(name);
  if (!found)
    if (const std::optional<Guid> guid = guid_from(name)) found = world().find(*guid);
  if (!found || raw(*found) >= world().node_count()) return fail(Errc::not_found, "no node \"{}\"", name);
  const bool at_switch = world().is_switch(*found);
  if (number == 0 && !at_switch) number = 1;
  const PortIndex port = number > 0xff ? kNoPort : world().port_of(*found, static_cast<PortNum>(number));
  if (port == kNoPort || (at_switch && number != 0))
    return fail(Errc::not_found, "no program can be attached to port {} of {}", number, name);
  return port;
}

bool Desk::sm_elsewhere(PortIndex port, const Client* but) const {
  return std::ranges::any_of(clients_, [&](const auto& entry) {
    const Client& client = *entry.second;
    return &client != but && client.port_ == port && client.is_sm_;
  });
}

Result<Client*> Desk::connect(Client::Kind kind, const wire::Connect& request) {
  const bool extended = request.extension == wire::kExtension;
  const Result<PortIndex> port = port_named(request.node, extended ? request.port : 0);
  if (!port) return fail(port.error());
  if (!network_.available(*port)) return fail(Errc::unavailable, "{} is not there", world().name(*port));
  if (request.is_sm != 0 && sm_elsewhere(*port, nullptr))
    return fail(Errc::conflict, "another SM is at {}", world().name(*port));
  const bool silent = kind == Client::Kind::wide || (extended && (request.flags & wire::kSilentLoss) != 0);
  auto made = std::make_unique<Client>(*this, kind, *port, silent);
  Client& client = *made;
  client.id_ = network_.attach(*port, client);
  clients_[raw(client.id_)] = std::move(made);
  if (request.is_sm != 0) set_is_sm(client, true);
  return &client;
}

void Desk::disconnect(Client& client) {
  if (!client.lost_) network_.detach(client.id_);
  std::erase(dirty_, &client);
  clients_.erase(raw(client.id_));
}

Client* Desk::find(std::uint32_t number) const {
  const auto found = clients_.find(number);
  return found == clients_.end() ? nullptr : found->second.get();
}

std::vector<Client*> Desk::clients() const {
  std::vector<Client*> all;
  for (const auto& [number, client] : clients_) all.push_back(client.get());
  return all;
}

std::uint32_t Desk::set_is_sm(Client& client, bool on) {
  if (client.lost_) return ENODEV;
  if (on && sm_elsewhere(client.port_, &client)) return EBUSY;
  client.is_sm_ = on;
  network_.set_is_sm(client.id_, on);
  return 0;
}

std::uint32_t Desk::register_agent(Client& client, std::span<const std::uint8_t> message) {
  const auto asked = data_of<wire::Register>(message);
  if (asked.agent > 0xffff || client.agents_.contains(asked.agent)) return EINVAL;
  const AgentFilter filter{asked.mgmt_class, asked.class_version, asked.oui, asked.methods};
  for (const auto& [number, other] : clients_)
    for (const auto& [agent, theirs] : other->agents_)
      if (other->port_ == client.port_ && theirs.conflicts(filter)) return EINVAL;
  client.agents_[asked.agent] = filter;
  return 0;
}

/// What the port itself would tell, without being asked by a packet.
mad::AttrData Desk::attribute(mad::AttrId attribute, PortIndex port, std::uint32_t modifier) const {
  mad::AttrData data{};
  const std::uint64_t m_key = world().port(port).info.m_key;  // the owner knows it
  Call call{network_.world(), world().port(port).node, port, false, attribute, modifier, m_key, data};
  mad::Status status = mad::Status::ok;
  switch (attribute) {
    case mad::AttrId::node_info:
      status = node_info(call);
      break;
    case mad::AttrId::node_description:
      status = node_description(call);
      break;
    case mad::AttrId::port_info:
      status = port_info(call);
      break;
    case mad::AttrId::pkey_table:
      status = pkey_table(call);
      break;
    default:
      break;
  }
  if (status != mad::Status::ok) data = {};
  return data;
}

std::vector<std::uint8_t> Desk::answer(Client& client, std::span<const std::uint8_t> message) {
  const std::optional<wire::Head> head = head_of(message);
  if (!head) {
    ++malformed_;
    return {};
  }
  const PortIndex port = client.port_;
  const Port& held = world().port(port);
  const std::uint32_t number = raw(held.number);
  std::array<std::uint8_t, 64> data{};
  std::copy_n(message.begin() + sizeof(wire::Head),
              std::min(message.size() - sizeof(wire::Head), data.size()), data.begin());
  const auto put = [&data](std::size_t at, const auto& value) {
    std::memcpy(data.data() + at, &value, sizeof(value));
  };
  switch (head->kind) {
    case wire::kGetPort:
      data = {};
      put(0, raw(held.info.lid));
      put(2, raw(held.info.state));
      break;
    case wire::kGetVendor: {
      const Node& node = world().node(held.node);
      data = {};
      put(0, node.vendor);
      put(4, std::uint32_t{node.device});
      put(8, std::uint32_t{0xa0});
      put(16, std::uint64_t{1});
      break;
    }
    case wire::kGetGid:
      data = {};
      std::ranges::copy(gid_of(held), data.begin());
      break;
    case wire::kGetGuid:
      data = {};
      put(0, raw(held.guid));
      break;
    case wire::kGetNodeInfo:
      data = attribute(mad::AttrId::node_info, port, 0);
      break;
    case wire::kGetPortInfo: {
      const PortIndex asked = world().port_of(held.node, static_cast<PortNum>(data[0]));
      data = attribute(mad::AttrId::port_info, port, asked == kNoPort || data[0] == 0 ? number : data[0]);
      break;
    }
    case wire::kGetPkeys:
      data = attribute(mad::AttrId::pkey_table, port, 0);
      break;
    case wire::kSetIsSm:
      if (const std::uint32_t error = set_is_sm(client, data_of<std::uint32_t>(message) != 0); error != 0)
        return refusal(*head, static_cast<int>(error));
      break;
    case wire::kRegister:
      if (const std::uint32_t error = register_agent(client, message); error != 0)
        return refusal(*head, static_cast<int>(error));
      break;
    case wire::kUnregister:
      client.agents_.erase(data_of<std::uint32_t>(message));
      break;
    default:
      break;  // ibsim sends back what it does not know
  }
  return control_message(*head, data);
}

std::vector<std::uint8_t> Desk::describe(std::span<const std::uint8_t> message) const {
  const wire::Head head = head_of(message).value_or(wire::Head{});
  const auto asked = data_of<wire::Describe>(message);
  const Result<PortIndex> port = port_named(asked.node, asked.port);
  if (!port) return refusal(head, ENOENT);
  if (!network_.available(*port)) return refusal(head, ENODEV);
  const Port& held = world().port(*port);
  constexpr std::uint32_t kExtended = 0x80000000;
  wire::Description told;
  told.port = raw(held.number);
  told.port_count = world().is_switch(held.node) ? 0 : world().node(held.node).port_count;
  told.node_info = attribute(mad::AttrId::node_info, *port, 0);
  told.port_info = attribute(mad::AttrId::port_info, *port, told.port | kExtended);
  told.description = attribute(mad::AttrId::node_description, *port, 0);
  told.pkey_count = mad::decode<mad::NodeInfo>(told.node_info).partition_cap;
  told.pkey_count = std::min<std::uint32_t>(told.pkey_count, sizeof(told.pkeys) / 2);
  for (std::uint32_t block = 0; block * 32 < told.pkey_count; ++block)
    std::ranges::copy(attribute(mad::AttrId::pkey_table, *port, block), told.pkeys.begin() + block * 64);
  return control_message(head, bytes_of(told), sizeof(told));
}

void Desk::take(Client& client, std::span<const std::uint8_t> datagram) {
  std::optional<Incoming> in = client.lost_ ? std::nullopt : parse(datagram);
  if (!in) {
    ++client.stats_.malformed;
    ++malformed_;
    return;
  }
  ++client.stats_.received;
  mad::Mad& mad = in->mad;
  const std::uint8_t method = mad.bytes[3];
  const bool answer = (method & 0x80) != 0 || method == 0x07;
  constexpr std::uint64_t kLow = 0xffffffff;
  const std::uint64_t stamp = (std::uint64_t{raw(client.id_)} + 1) << 48;
  if (!answer && client.kind_ == Client::Kind::wide)
    mad::set_tid(mad, std::uint64_t{in->agent} << 32 | (mad::tid_of(mad) & kLow));
  if (!client.silent_loss_ && wants_answer(method)) {
    const std::uint64_t own = mad::tid_of(mad) & ~(std::uint64_t{0xffff} << 48);
    Datagram request;
    request.size = datagram.size();
    std::ranges::copy(datagram, request.bytes.begin());
    put_bits(std::span<std::uint8_t>(request.bytes), (request.size - mad::kMadSize + 8) * 8, 64, stamp | own);
    const bool smp = is_smp(mad.bytes[1]);
    const Instant until =
        network_.world().clock().now() + (smp ? settings_.smp_timeout : settings_.gmp_timeout);
    client.unanswered_[smp ? 0 : 1].add(own, until, request);
    watch_unanswered(until);
  }
  if (client.kind_ == Client::Kind::wide) remember_grh(client, *in);
  network_.send(client.id_, mad);
}

/// Kept by transaction id, since the network carries none: an answer has one exactly if the request had.
void Desk::remember_grh(const Client& client, const Incoming& in) {
  std::uint64_t tid = mad::tid_of(in.mad);
  if ((in.mad.bytes[3] & 0x80) == 0) tid |= (std::uint64_t{raw(client.id_)} + 1) << 48;
  if (!in.grh) {
    grhs_.erase(tid);
    return;
  }
  const Instant now = network_.world().clock().now();
  // The oldest go first: what is not answered by then never will be.
  while (!grh_order_.empty() && (grhs_.size() >= kGrhsKept || grh_order_.front().second < now)) {
    const auto [oldest, until] = grh_order_.front();
    grh_order_.pop_front();
    const auto found = grhs_.find(oldest);
    if (found != grhs_.end() && found->second.until == until) grhs_.erase(found);
  }
  grhs_[tid] = {*in.grh, gid_of(world().port(client.port_)), now + kGrhKept};
  grh_order_.emplace_back(tid, now + kGrhKept);
}

/// What the receiver of a MAD sees: the far end's GID is the sender's. Where a device answers, the header of
/// the request is turned round.
std::optional<Grh> Desk::grh_for(const Client& client, const mad::Mad& mad) {
  if (grhs_.empty()) return std::nullopt;
  const auto found = grhs_.find(mad::tid_of(mad));
  if (found == grhs_.end()) return std::nullopt;
  Grh grh = found->second.grh;
  grh.gid_index = 0;
  const bool own_request_answered = found->second.from == gid_of(world().port(client.port_));
  if (!own_request_answered) grh.gid = found->second.from;
  return grh;
}

void Desk::mark_dirty(Client& client) {
  if (std::exchange(client.dirty_, true)) return;
  dirty_.push_back(&client);
}

std::vector<Client*> Desk::take_dirty() {
  for (Client* client : dirty_) client->dirty_ = false;
  return std::exchange(dirty_, {});
}

/// One timer for all: it is left alone while it strikes no later than the next that is due.
void Desk::watch_unanswered(Instant until) {
  if (until >= watched_until_) return;
  agenda_.cancel(timer_);
  watched_until_ = until;
  timer_ = agenda_.after(until - network_.world().clock().now(), [this] { check_unanswered(); });
}

void Desk::check_unanswered() {
  watched_until_ = Instant::max();
  const Instant now = network_.world().clock().now();
  Instant next = Instant::max();
  for (const auto& [number, client] : clients_) {
    client->return_lost(now);
    for (const Unanswered& requests : client->unanswered_)
      next = std::min(next, requests.next().value_or(next));
  }
  if (next != Instant::max()) watch_unanswered(next);
}

}  // namespace weft::sim
