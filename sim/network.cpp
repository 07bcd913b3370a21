#include "sim/network.h"

#include <algorithm>

#include "mad/directed_wire.h"
#include "mad/mlnx_device_info.h"
#include "mad/smp.h"
#include "sim/agents/agents.h"
#include "sim/partition.h"
#include "sim/probe.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::Method;
using mad::MgmtClass;

constexpr std::uint16_t kReturning = 0x8000;  // direction bit in the status of a directed-route SMP
constexpr int kClientShift = 48;              // a client's number stands above this bit of a transaction id
constexpr std::uint64_t kMadWords = 72;       // 256 bytes and the headers and checksum around them

bool is_smp(MgmtClass mgmt_class) {
  return mgmt_class == MgmtClass::subn_lid_routed || mgmt_class == MgmtClass::subn_directed;
}
MgmtClass class_of(const mad::Mad& mad) { return static_cast<MgmtClass>(mad.bytes[1]); }
bool is_perf(const mad::Header& header) { return header.mgmt_class == MgmtClass::perf; }
bool is_mlnx(const mad::Header& header) { return header.mgmt_class == mad::kMlnxClass; }

/// What a port counts when a packet ends at it.
void count_drop(World& world, const Way& way) {
  PerfCounters& perf = world.perf();
  switch (way.drop) {
    case Drop::port_down:
      perf.add(way.end, PerfCounter::xmit_discards);
      perf.add(way.end, PerfCounter::inactive_discards);
      return;
    case Drop::loop:
      perf.add(way.end, PerfCounter::looping_errors);
      perf.add(way.end, PerfCounter::rcv_switch_relay_errors);
      return;
    case Drop::no_entry:
    case Drop::entry_255:
    case Drop::above_top:
    case Drop::no_such_port:
      if (world.is_switch(world.port(way.end).node)) perf.add(way.end, PerfCounter::rcv_switch_relay_errors);
      return;
    default:
      return;
  }
}

/// With the R bit; TrapRepress is not meant.
bool has_response_bit(Method method) { return (static_cast<unsigned>(method) & 0x80) != 0; }
bool is_query(Method method) { return method == Method::get || method == Method::set; }

}  // namespace

bool Endpoint::takes(const mad::Mad& mad, bool is_sm) const { return is_sm || !is_smp(class_of(mad)); }

Network::Network(World& world, NetworkSettings settings)
    : world_(world), settings_(settings), traps_(world, [this](PortIndex from, const mad::Mad& mad) {
        const std::uint32_t slot = take_slot();
        packets_[slot] = {
            .header = mad::header_of(mad), .mad = mad, .from = from, .source = world_.port(from).info.lid};
        launch(slot);
      }) {
  world_.on_link_changed([this](NodeIndex sw) { traps_.link_changed(sw); });
  world_.on_raised([this](PortIndex from, const mad::Notice& notice) { traps_.raise(from, notice); });
}

Network::~Network() {
  world_.on_link_changed({});
  world_.on_raised({});
  world_.clock().cancel(timer_);
}

Network::ClientId Network::attach(PortIndex port, Endpoint& endpoint) {
  if (left_.size() > kFreshClients) {
    const std::uint32_t number = left_.front();
    left_.pop_front();
    clients_[number] = {port, &endpoint, false};
    return ClientId{number};
  }
  clients_.push_back({port, &endpoint, false});
  return static_cast<ClientId>(clients_.size() - 1);
}

void Network::detach(ClientId client) {
  if (clients_[raw(client)].endpoint == nullptr) return;
  set_is_sm(client, false);
  clients_[raw(client)].endpoint = nullptr;
  left_.push_back(raw(client));
}

void Network::set_is_sm(ClientId client, bool on) {
  Client& who = clients_[raw(client)];
  who.is_sm = on && who.endpoint != nullptr;
  mad::PortInfo& info = world_.port(who.port).info;
  const std::uint32_t before = info.capabilities;
  info.capabilities &= ~raw(mad::PortCap::is_sm);
  if (has_sm(who.port)) info.capabilities |= raw(mad::PortCap::is_sm);
  if (info.capabilities != before) traps_.capability_changed(who.port);
}

bool Network::available(PortIndex port) const {
  const auto found = available_from_.find(raw(port));
  return found == available_from_.end() || found->second <= world_.clock().now();
}

void Network::lose_device(PortIndex port, Duration away) {
  set_available_from(port, world_.clock().now() + away);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Endpoint* endpoint = clients_[i].endpoint;
    if (clients_[i].port != port || endpoint == nullptr) continue;
    detach(static_cast<ClientId>(i));
    endpoint->device_lost({Errc::unavailable, fmt::format("{} is gone", world_.name(port))});
  }
}

std::uint32_t Network::take_slot() {
  if (free_.empty()) {
    packets_.emplace_back();
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Network::drop(std::uint32_t slot, Drop reason) {
  ++drops_[static_cast<std::size_t>(reason)];
  free_.push_back(slot);
}

Drop Network::dropped(std::uint32_t slot, Drop reason) {
  drop(slot, reason);
  return reason;
}

void Network::send(ClientId client, const mad::Mad& mad) {
  const Client& who = clients_[raw(client)];
  if (who.endpoint == nullptr) return;
  const std::uint32_t slot = take_slot();
  packets_[slot] = {
      .header = mad::header_of(mad), .mad = mad, .from = who.port, .source = world_.port(who.port).info.lid};
  Packet& packet = packets_[slot];
  mad::Header& header = packet.header;
  if (!mad::is_response(header.method)) {
    constexpr std::uint64_t kOwn = (std::uint64_t{1} << kClientShift) - 1;
    header.tid = (static_cast<std::uint64_t>(raw(client)) + 1) << kClientShift | (header.tid & kOwn);
    mad::set_tid(packet.mad, header.tid);
  }
  const bool lost = is_query(header.method) && world_.random().chance(settings_.exchange_loss);
  packet.lose_answer = lost && !world_.random().chance(0.5);
  // The packet is gone once it has been dropped; watchers see it as it went out.
  const mad::Mad stamped = watchers_.empty() ? mad::Mad{} : packet.mad;
  const Drop reason = lost && !packet.lose_answer ? dropped(slot, Drop::lost) : launch(slot);
  for (Watcher* watcher : watchers_) watcher->sent(client, stamped, reason);
}

/// The way a directed-route packet takes, either way; its hop pointer and return path are brought to their
/// state on arrival. Source: IBTA vol. 1, C14-9 (outbound) and C14-13 (returning).
Way Network::directed_way(Packet& packet) {
  mad::Header& header = packet.header;
  Way bad;
  bad.drop = Drop::bad_route;
  const int count = header.hop_count;
  if (!mad::is_pure_directed(packet.mad) || count > mad::kMaxHops) return bad;
  const bool returning = (header.status & kReturning) != 0;
  if (returning != has_response_bit(header.method)) return bad;
  // Programs may leave the pointer at 0 on the way back, as simulators do, or as it came, as kernels do.
  if (header.hop_pointer != 0 && !(returning && header.hop_pointer == count + 1)) return bad;
  const auto there = mad::initial_path(packet.mad);
  const auto back = mad::return_path(packet.mad);
  std::array<PortNum, mad::kMaxHops> exits{};
  for (int i = 0; i < count; ++i)
    exits[static_cast<std::size_t>(i)] = static_cast<PortNum>(
        returning ? back[static_cast<std::size_t>(count - i)] : there[static_cast<std::size_t>(i + 1)]);
  const Way way = route_directed(world_, packet.from,
                                 std::span<const PortNum>(exits.data(), static_cast<std::size_t>(count)));
  for (int i = 0; i < way.hops && !returning; ++i) {
    const PortIndex out = way.out[static_cast<std::size_t>(i)];
    back[static_cast<std::size_t>(i + 1)] = raw(world_.port(world_.port(out).peer).number);
  }
  header.hop_pointer = static_cast<std::uint8_t>(returning ? 0 : count + 1);
  encode_into(std::span<std::uint8_t>(packet.mad.bytes), header);
  return way;
}

Way Network::way_of(Packet& packet) {
  if (packet.header.mgmt_class == MgmtClass::subn_directed) return directed_way(packet);
  if (is_smp(packet.header.mgmt_class)) return route_by_lid(world_, packet.from, packet.mad.address.lid);
  return data_way(packet);
}

/// Packets of the general services go as data does: in a partition, on a lane, by adaptive choice.
Way Network::data_way(Packet& packet) {
  packet.pkey = pkey_at(world_, packet.from, packet.mad.address.pkey_index);
  const Probed probed = send_probe(world_, {.from = packet.from,
                                            .to = packet.mad.address.lid,
                                            .pkey = packet.pkey,
                                            .sl = packet.mad.address.sl,
                                            .bytes = mad::kMadSize});
  Way way;
  way.drop = probed.drop;
  way.end = probed.arrived.empty() ? probed.at : probed.arrived.front();
  way.hops = static_cast<int>(std::min(probed.hops.size(), way.out.size() - 1));
  for (std::size_t i = 0; i < static_cast<std::size_t>(way.hops); ++i) {
    way.out[i] = probed.hops[i].out;
    way.lane[i] = probed.hops[i].vl;
  }
  return way;
}

/// How long a packet is under way; nothing when a link loses it.
std::optional<Duration> Network::time_on(const Way& way) {
  Duration wait = settings_.hop * way.hops;
  for (int i = 0; i < way.hops; ++i) {
    if (world_.random().chance(settings_.link_loss)) return std::nullopt;
    const LinkCondition* link = conditions_.link(way.out[static_cast<std::size_t>(i)]);
    if (link == nullptr) continue;
    if (world_.random().chance(link->loss)) return std::nullopt;
    wait += link->delay;
  }
  if (world_.random().chance(settings_.reordered) && settings_.reorder_by > Duration{})
    wait += Duration(world_.random().below(settings_.reorder_by.count()));
  return wait;
}

/// Decides what becomes of a packet: walked through the World as it is now, it arrives later or not at all.
Drop Network::launch(std::uint32_t slot) {
  const Way way = way_of(packets_[slot]);
  if (way.drop != Drop::none) {
    if (packets_[slot].header.mgmt_class != MgmtClass::subn_directed) count_drop(world_, way);
    return dropped(slot, way.drop);
  }
  std::optional<Duration> wait = time_on(way);
  if (!wait) return dropped(slot, Drop::lost);
  Packet& packet = packets_[slot];
  for (int i = 0; i < way.hops; ++i) {
    const PortIndex out = way.out[static_cast<std::size_t>(i)];
    world_.count_hop(out, kMadWords);
    if (is_smp(packet.header.mgmt_class)) continue;
    world_.perf().count_lane(world_.port(out).peer, way.lane[static_cast<std::size_t>(i)], kMadWords);
    world_.data_arrived(world_.port(out).peer);
  }
  packet.arrival =
      way.hops == 0 ? way.end : world_.port(way.out[static_cast<std::size_t>(way.hops - 1)]).peer;
  if (for_agent(packet)) {
    *wait += settings_.agent;
    if (const AgentCondition* agent = conditions_.agent(world_.port(packet.arrival).node)) {
      if (world_.random().chance(agent->request_loss)) return dropped(slot, Drop::lost);
      packet.lose_answer = packet.lose_answer || world_.random().chance(agent->answer_loss);
      *wait += agent->delay;
    }
  }
  if (world_.random().chance(settings_.duplicates)) {
    const std::uint32_t twin = take_slot();  // may move nothing: packets keep their place
    packets_[twin] = packets_[slot];
    schedule(twin, *wait + settings_.hop);
  }
  schedule(slot, *wait);
  return Drop::none;
}

void Network::schedule(std::uint32_t slot, Duration wait) {
  heap_.push_back({world_.clock().now() + wait, ++order_, slot});
  std::push_heap(heap_.begin(), heap_.end());
  arm();
}

void Network::arm() {
  if (heap_.empty() || heap_.front().when >= armed_) return;
  world_.clock().cancel(timer_);
  armed_ = heap_.front().when;
  timer_ = world_.clock().at(armed_, [this] { fire(); });
}

void Network::fire() {
  const Instant now = world_.clock().now();
  armed_ = Instant::min();  // no arming until all that is due has arrived
  while (!heap_.empty() && heap_.front().when <= now) {
    const std::uint32_t slot = heap_.front().slot;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    arrive(slot);
  }
  armed_ = Instant::max();
  arm();
}

PortIndex Network::own_port(PortIndex arrival) const {
  const NodeIndex n = world_.port(arrival).node;
  return world_.is_switch(n) ? world_.node(n).first_port : arrival;
}

bool Network::has_sm(PortIndex port) const {
  return std::ranges::any_of(clients_, [port](const Client& client) {
    return client.port == port && client.endpoint != nullptr && client.is_sm;
  });
}

/// The program at a port that takes what somebody asks: an SM, else the first.
const Network::Client* Network::taker(const mad::Mad& mad, PortIndex port) const {
  const Client* found = nullptr;
  for (const Client& client : clients_) {
    if (client.port != port || client.endpoint == nullptr || (found != nullptr && !client.is_sm)) continue;
    if (!client.endpoint->takes(mad, client.is_sm)) continue;
    if (client.is_sm) return &client;
    found = &client;
  }
  return found;
}

/// The program that a packet, come to `port`, is for.
const Network::Client* Network::client_for(const Packet& packet, PortIndex port) const {
  if (!has_response_bit(packet.header.method)) return taker(packet.mad, port);
  const std::uint64_t number = packet.header.tid >> kClientShift;
  if (number == 0 || number > clients_.size()) return nullptr;
  const Client& client = clients_[number - 1];
  return client.port == port && client.endpoint != nullptr ? &client : nullptr;
}

bool Network::for_agent(const Packet& packet) const {
  const mad::Header& header = packet.header;
  if (is_perf(header)) return !has_response_bit(header.method);
  if (is_mlnx(header))
    return !has_response_bit(header.method) && knows_mlnx(world_, world_.port(packet.arrival).node);
  if (!is_smp(header.mgmt_class) || has_response_bit(header.method) || header.method == Method::trap)
    return false;
  if (header.attribute != AttrId::sm_info || !is_query(header.method)) return true;
  return client_for(packet, own_port(packet.arrival)) == nullptr;  // the agent refuses it
}

void Network::arrive(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  const mad::Header& header = packet.header;
  const NodeIndex n = world_.port(packet.arrival).node;
  if (!world_.node(n).powered) return drop(slot, Drop::mute);
  if (!for_agent(packet)) return hand_over(slot, client_for(packet, own_port(packet.arrival)));
  if (header.method == Method::trap_repress) {
    const Result<mad::Smp> smp = mad::to_smp(packet.mad);
    if (smp &&
        key_opens(world_, packet.arrival, *smp, packet.source, mad::return_path(packet.mad).subspan(1)))
      traps_.repress(n, header.tid);
    free_.push_back(slot);
    return;
  }
  ask_agent(slot);
}

void Network::hand_over(std::uint32_t slot, const Client* client) {
  if (client == nullptr) return drop(slot, Drop::nobody);
  Packet& packet = packets_[slot];
  Endpoint* endpoint = client->endpoint;
  const bool directed = packet.header.mgmt_class == MgmtClass::subn_directed;
  packet.mad.address.lid = directed ? kLidPermissive : packet.source;
  packet.mad.address.qp = is_smp(packet.header.mgmt_class) ? 0 : 1;
  if (!is_smp(packet.header.mgmt_class))
    packet.mad.address.pkey_index = pkey_index(world_, client->port, packet.pkey).value_or(0);
  for (Watcher* watcher : watchers_)
    watcher->received(static_cast<ClientId>(client - clients_.data()), packet.mad);
  endpoint->receive(packet.mad);
  free_.push_back(slot);
}

/// The agent's answer goes back in the same packet.
void Network::ask_agent(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  mad::Header& header = packet.header;
  const NodeIndex n = world_.port(packet.arrival).node;
  if (world_.node(n).mute != Mute::none) return drop(slot, Drop::mute);
  if (!is_smp(header.mgmt_class)) {
    const mad::Header asked = header;
    (is_perf(header) ? answer_perf : answer_mlnx)(world_, packet.arrival, header, packet.mad);
    for (Watcher* watcher : watchers_) watcher->handled(n, asked);
    return send_back(slot);
  }
  Result<mad::Smp> smp = mad::to_smp(packet.mad);
  if (!smp) return drop(slot, Drop::bad_route);
  if (header.base_version != 1 || header.class_version != 1) {
    smp->method = Method::get_resp;
    smp->status = raw(mad::Status::bad_version);
  } else if (const auto status = conditions_.refused(n, header.method, header.attribute)) {
    world_.counters().add(n, header.mgmt_class, header.method, header.attribute);
    smp->method = Method::get_resp;
    smp->status = raw(*status);
  } else {
    if (!answer(world_, packet.arrival, *smp, packet.source, mad::return_path(packet.mad).subspan(1)))
      return drop(slot, Drop::bad_m_key);
    if (const World::Forger* forger = world_.forger(n, header.attribute);
        forger != nullptr && !(*forger)(*smp))
      return drop(slot, Drop::mute);
  }
  for (Watcher* watcher : watchers_) watcher->handled(n, header);
  header.method = smp->method;
  header.status = smp->status;
  header.attribute = smp->attribute;
  header.modifier = smp->modifier;
  header.hop_pointer = 0;
  if (header.mgmt_class == MgmtClass::subn_directed) header.status |= kReturning;
  std::ranges::copy(smp->data, packet.mad.bytes.begin() + mad::kSmpDataAt);
  send_back(slot);
}

void Network::send_back(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  if (packet.lose_answer) return drop(slot, Drop::lost);
  if (packet.header.mgmt_class != MgmtClass::subn_directed)  // whose header is written out on launch
    encode_into(std::span<std::uint8_t>(packet.mad.bytes), packet.header);
  packet.from = own_port(packet.arrival);
  packet.mad.address.lid = packet.source;
  packet.source = world_.port(packet.from).info.lid;
  if (!is_smp(packet.header.mgmt_class))
    packet.mad.address.pkey_index = pkey_index(world_, packet.from, packet.pkey).value_or(0);
  launch(slot);
}

}  // namespace weft::sim
