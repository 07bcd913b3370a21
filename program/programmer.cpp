#include "program/programmer.h"

#include <algorithm>

#include "log/log.h"
#include "mad/port_info.h"
#include "mad/switch_info.h"
#include "program/keys.h"
#include "program/lanes.h"
#include "program/port_fields.h"
#include "program/port_orders.h"
#include "program/render.h"
#include "program/verify.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::program {
namespace {

using mad::AttrId;
using transport::Target;

/// Sets of one port or switch that may stay unanswered, each read back, before it is given up for this sweep.
constexpr int kMostSets = 12;

class Run {
 public:
  Run(transport::SmpClient& client, mad::Shadow& shadow, Job job)
      : client_(client), shadow_(shadow), job_(std::move(job)), paths_(*job_.fabric, job_.own_port) {}

  asio::awaitable<Programmed> run();

 private:
  struct DoPort {
    Run* run;
    asio::awaitable<void> operator()(const PortWork& work) const { return run->settle_port(work); }
  };
  struct DoSwitch {
    Run* run;
    const routing::Routes* routes;
    asio::awaitable<void> operator()(const TableWork& work) const {
      return run->settle_switch(*routes, work);
    }
  };
  struct DoBlock {
    Run* run;
    const routing::Routes* routes;
    SwitchId id;
    asio::awaitable<void> operator()(std::uint32_t block) const {
      return run->write_block(*routes, id, block);
    }
  };

  std::vector<PortWork> arming_work(Phase phase);
  std::vector<PortWork> activation_work();
  asio::awaitable<void> do_ports(std::string_view name, std::vector<PortWork> work);
  asio::awaitable<void> do_forwarding(std::string_view name, const routing::Routes& routes);
  asio::awaitable<void> do_lanes();
  asio::awaitable<void> grow_keys();
  asio::awaitable<void> shrink_keys();
  asio::awaitable<void> do_port_orders();
  asio::awaitable<void> look_for_boots();
  asio::awaitable<void> settle_port(PortWork work);
  asio::awaitable<void> settle_switch(const routing::Routes& routes, const TableWork& work);
  asio::awaitable<void> write_block(const routing::Routes& routes, SwitchId id, std::uint32_t block);
  asio::awaitable<void> write_switch_info(SwitchId id);
  std::optional<mad::SwitchInfo> switch_info_to_write(SwitchId id) const;
  bool needs_ports(NodeId node) const;
  bool needs_tables(SwitchId id) const;
  void note_settled();

  std::optional<Target> target_of(NodeId node) const;
  std::optional<Target> target_of(fabric::PortRef port) const;
  mad::AttrData request_for(const PortWork& work, PortState& asked) const;
  bool accept(const PortWork& work, PortState asked, const mad::AttrData& request,
              const mad::AttrData& answer);
  bool is_settled(const PortWork& work) const;
  plan::PortSettings settings_of(fabric::PortRef port) const;
  bool is_external_switch_port(fabric::PortRef port) const;
  static bool keeps_link_settings(const plan::PortSettings& settings, const mad::AttrData& held,
                                  std::uint32_t unkept);
  std::uint32_t unkept_of(Guid node) const;
  bool is_final(const routing::Routes& routes) const { return &routes == &job_.plan->routes(); }
  /// The tables are not to be touched any further in this sweep.
  bool is_held() const { return !result_.held_back.empty(); }
  /// A switch whose lanes, without which the tables are not safe, could not be written.
  bool has_no_lanes(NodeId node) const;
  bool lanes_left() const;
  bool has_no_keys(fabric::PortRef port) const;
  void fail_on(Guid node, std::string what, std::string why);
  void step() {
    ++done_;
    if (job_.progress) job_.progress(phase_, done_, total_);
  }
  void begin(std::string_view name, std::uint64_t total);
  void end();

  transport::SmpClient& client_;
  mad::Shadow& shadow_;
  Job job_;
  fabric::PathTree paths_;
  const bool may_settle_ = job_.settled != nullptr && !client_.settings().m_keys.active();
  std::vector<NodeId> unsettled_;  ///< Nodes whose ports may need something.
  std::set<NodeId> written_;       ///< Nodes whose tables were written.
  bool tables_left_ = false;       ///< Some table was not written, or may not have been.
  std::vector<KeyWork> key_work_;
  KeyWriter keys_{client_, shadow_, *job_.fabric, paths_};
  Programmed result_;
  std::string phase_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  Instant began_{};
  std::uint64_t smps_before_ = 0;
};

asio::awaitable<Programmed> Run::run() {
  if (job_.settled != nullptr && !may_settle_) *job_.settled = {};
  unsettled_ = ports_to_look_at(*job_.fabric, *job_.plan, shadow_, job_.settled);
  co_await do_ports("own port", arming_work(Phase::own_port));
  co_await do_ports("switches", arming_work(Phase::switches));
  co_await grow_keys();
  co_await do_ports("ports", arming_work(Phase::ports));
  if (const routing::Routes* dark = job_.plan->dark()) co_await do_forwarding("dark", *dark);
  if (!is_held()) co_await do_lanes();
  if (!is_held()) co_await do_forwarding("forwarding", job_.plan->routes());
  if (!is_held()) co_await do_ports("activation", activation_work());
  co_await shrink_keys();
  co_await look_for_boots();
  co_await do_port_orders();
  result_.tables_stand =
      !tables_left_ && !lanes_left() && !is_held() && result_.booted.empty() && result_.elsewhere.empty();
  if (may_settle_) note_settled();
  std::ranges::sort(result_.failed, {}, [](const Failure& f) { return std::pair(f.node, f.what); });
  co_return std::move(result_);
}

void Run::begin(std::string_view name, std::uint64_t total) {
  phase_ = name;
  done_ = 0;
  total_ = total;
  began_ = client_.clock().now();
  smps_before_ = client_.sent();
  if (job_.progress && total > 0) job_.progress(phase_, 0, total_);
}

void Run::end() {
  result_.phases.push_back({phase_, client_.clock().now() - began_, client_.sent() - smps_before_});
}

std::optional<Target> Run::target_of(NodeId node) const {
  return transport::target_by(job_.fabric->node(node).guid, paths_.ports_to(node));
}

std::optional<Target> Run::target_of(fabric::PortRef port) const {
  return transport::target_by(job_.fabric->node(port.node).guid, paths_.ports_to(*job_.fabric, port));
}

plan::PortSettings Run::settings_of(fabric::PortRef port) const {
  const fabric::Node& node = job_.fabric->node(port.node);
  plan::PortSettings settings = job_.plan->ports[node.first_port + raw(port.port)];
  const mad::MKeys& keys = client_.settings().m_keys;
  if (!settings.end_port || !keys.active()) return settings;
  const std::uint64_t key = client_.wanted_m_key(node.guid);
  settings.m_key = key == 0 ? plan::MKeySettings{} : plan::MKeySettings{key, keys.protect, keys.lease};
  return settings;
}

bool Run::is_external_switch_port(fabric::PortRef port) const {
  return raw(port.port) != 0 && job_.fabric->is_switch(port.node);
}

/// A live link that keeps its MTU or VL count although the plan has others.
bool Run::keeps_link_settings(const plan::PortSettings& settings, const mad::AttrData& held,
                              std::uint32_t unkept) {
  const auto info = mad::decode<mad::PortInfo>(held);
  if (!settings.bring_up || info.state != PortState::active) return false;
  mad::PortInfo planned = info;
  planned.neighbor_mtu = settings.link.mtu;
  planned.operational_vls = settings.link.vls;
  return (differing(info, planned) & ~unkept) != 0;
}

std::uint32_t Run::unkept_of(Guid node) const {
  const auto learned = result_.unkept.find(node);
  if (learned != result_.unkept.end()) return learned->second;
  const auto found = job_.devices->find(node);
  return found != job_.devices->end() ? found->second->unkept_fields : 0;
}

void Run::fail_on(Guid node, std::string what, std::string why) {
  log::named("program")->warn("set failed node={} what=\"{}\" why=\"{}\"", to_string(node), what, why);
  result_.failed.push_back({node, std::move(what), std::move(why)});
}

/// Ports that need settings or the step to Armed: our own, ports 0 of switches, all others. A switch is given
/// its LID before anything else: it loses it when it boots, which is how that is found out.
std::vector<PortWork> Run::arming_work(Phase phase) {
  std::vector<PortWork> work;
  for (const NodeId node : unsettled_) {
    if (!paths_.reaches(node)) continue;
    const Guid guid = job_.fabric->node(node).guid;
    for (int p = 0; p <= job_.fabric->node(node).port_count; ++p) {
      const fabric::PortRef port{node, static_cast<PortNum>(p)};
      const bool port0 = p == 0 && job_.fabric->is_switch(node);
      if (phase != (port == job_.own_port ? Phase::own_port : port0 ? Phase::switches : Phase::ports))
        continue;
      const mad::AttrData* held = shadow_.find(guid, AttrId::port_info, static_cast<std::uint32_t>(p));
      if (held != nullptr && keeps_link_settings(settings_of(port), *held, unkept_of(guid)))
        ++result_.links_waiting;
      const auto needed =
          port_work(settings_of(port), port, held, is_external_switch_port(port), unkept_of(guid));
      // Nobody comes up in front of, or behind, a table that may hold anything.
      if (needed && (needed->reach == PortState::no_change || !has_no_keys(port))) work.push_back(*needed);
    }
  }
  return work;
}

/// Ports whose two ends are Armed at least. Both ends stand in the list, so a half-active link is mended too.
std::vector<PortWork> Run::activation_work() {
  std::vector<PortWork> work;
  for (const NodeId node : unsettled_) {
    if (!paths_.reaches(node)) continue;
    const auto ports = job_.fabric->ports(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const fabric::PortRef port{node, static_cast<PortNum>(p)};
      if (!ports[p].peer || held_state(shadow_, *job_.fabric, port) != PortState::armed) continue;
      if (has_no_lanes(node) || has_no_lanes(ports[p].peer->node) || has_no_keys(port)) continue;
      if (held_state(shadow_, *job_.fabric, *ports[p].peer) < PortState::armed) continue;
      work.push_back({.port = port, .settings = false, .reach = PortState::active});
    }
  }
  return work;
}

asio::awaitable<void> Run::do_ports(std::string_view name, std::vector<PortWork> work) {
  begin(name, work.size());
  const std::span<const PortWork> items(work);
  const DoPort act{this};
  co_await transport::for_each(items, static_cast<std::size_t>(client_.settings().window) * 2, act);
  end();
}

/// The Set for a port: all of its image, our fields, and the next step of its state where one is due.
mad::AttrData Run::request_for(const PortWork& work, PortState& asked) const {
  const Guid guid = job_.fabric->node(work.port.node).guid;
  mad::AttrData data = *shadow_.find(guid, AttrId::port_info, raw(work.port.port));
  const auto held = mad::decode<mad::PortInfo>(data);
  mad::PortInfo want = desired(held, settings_of(work.port), is_external_switch_port(work.port));
  const bool step = work.reach > held.state && held.state >= PortState::init;
  asked = step ? static_cast<PortState>(raw(held.state) + 1) : PortState::no_change;
  want.state = asked;
  mad::encode_into(std::span<std::uint8_t>(data), want);
  return data;
}

/// Takes an answered Set into the Shadow. True when the port is where it was asked to be.
bool Run::accept(const PortWork& work, PortState asked, const mad::AttrData& request,
                 const mad::AttrData& answer) {
  const Guid guid = job_.fabric->node(work.port.node).guid;
  const mad::AttrData* held = shadow_.find(guid, AttrId::port_info, raw(work.port.port));
  const PortState before = held != nullptr ? mad::decode<mad::PortInfo>(*held).state : PortState::down;
  shadow_.set(guid, AttrId::port_info, raw(work.port.port), answer);
  if (before > PortState::init && mad::decode<mad::PortInfo>(answer).state < before)
    result_.restless.push_back(fmt::format("{} went down", fabric::describe(*job_.fabric, work.port)));
  const auto wanted = mad::decode<mad::PortInfo>(request);
  const auto now = mad::decode<mad::PortInfo>(answer);
  const std::uint32_t off = differing(wanted, now);
  const std::uint32_t soft = off & ~hard_fields();
  if ((soft & ~unkept_of(guid)) != 0) result_.unkept[guid] = unkept_of(guid) | soft;
  return (off & hard_fields()) == 0 && (asked == PortState::no_change || now.state >= asked);
}

bool Run::is_settled(const PortWork& work) const {
  const Guid guid = job_.fabric->node(work.port.node).guid;
  const mad::AttrData* held = shadow_.find(guid, AttrId::port_info, raw(work.port.port));
  if (held == nullptr) return false;
  const bool external = is_external_switch_port(work.port);
  const auto left = port_work(settings_of(work.port), work.port, held, external, unkept_of(guid));
  return (!left || !left->settings) && mad::decode<mad::PortInfo>(*held).state >= work.reach;
}

asio::awaitable<void> Run::settle_port(PortWork work) {
  const std::optional<Target> way = target_of(work.port);
  if (!way) co_return;  // no work is made for a node out of reach
  const Target& target = *way;
  const std::string what = fmt::format("PortInfo of port {}", raw(work.port.port));
  const std::uint32_t modifier = mad::port_info_modifier(work.port.port);
  std::string why;
  int refused = 0;
  for (int attempt = 0; attempt < kMostSets && refused < client_.settings().attempts; ++attempt) {
    PortState asked{};
    const mad::AttrData request = request_for(work, asked);
    Result<mad::AttrData> answer = co_await client_.set_once(target, AttrId::port_info, modifier, request);
    if (answer && accept(work, asked, request, *answer)) {
      if (mad::decode<mad::PortInfo>(*answer).state >= work.reach) {
        step();
        co_return;
      }
      continue;  // one more step of the state is due
    }
    if (!answer && answer.error().code == Errc::cancelled) co_return;
    why = answer ? fmt::format("answered with another {}",
                               names_of(differing(mad::decode<mad::PortInfo>(request),
                                                  mad::decode<mad::PortInfo>(*answer)) &
                                        hard_fields()))
                 : answer.error().what;
    if (answer || answer.error().code != Errc::timeout) ++refused;
    // Silent or refused: what does it hold now? A repeated Set of the state it is in already is an error.
    Result<mad::AttrData> back = co_await client_.get(target, AttrId::port_info, modifier);
    if (!back) {
      why = back.error().what;
      break;
    }
    shadow_.set(target.node, AttrId::port_info, raw(work.port.port), *back);
    if (is_settled(work)) {
      step();
      co_return;
    }
    if (mad::decode<mad::PortInfo>(*back).state < PortState::init) {
      result_.restless.push_back(fmt::format("{} went down", fabric::describe(*job_.fabric, work.port)));
      step();
      co_return;
    }
  }
  fail_on(target.node, what, why);
  step();
}

/// A switch whose lanes could not be written gets no tables and no new links: nothing can wait for it then.
/// One that carries traffic already holds everything back, since the new tables might wait for the lanes it
/// has.
asio::awaitable<void> Run::do_lanes() {
  const std::vector<LaneWork> work = lane_work(*job_.fabric, *job_.plan, *job_.devices);
  if (work.empty()) co_return;
  begin("lanes", work.size());
  const std::span<const LaneWork> items(work);
  std::function<void()> each = [this] { step(); };
  LanesWritten written =
      co_await write_lanes(client_, *job_.fabric, paths_, *job_.plan, items, std::move(each));
  end();
  for (const LaneWork& one : work) written_.insert(one.node);
  result_.lanes = std::move(written.digests);
  for (LanesWritten::Failed& failed : written.failed) {
    const std::optional<NodeId> node = job_.fabric->find(failed.node);
    if (node && carries_traffic(*job_.fabric, *node))
      result_.held_back = fmt::format(
          "no table is changed: the SL2VL tables of {}, which carries traffic, could not be written",
          fabric::describe(job_.fabric->node(*node)));
    fail_on(failed.node, std::move(failed.what), std::move(failed.why));
  }
}

bool Run::has_no_lanes(NodeId node) const {
  if (!job_.plan->routes().lanes || !job_.fabric->is_switch(node)) return false;
  const auto written = result_.lanes.find(job_.fabric->node(node).guid);
  return written != result_.lanes.end() && written->second == plan::kLanesVoid;
}

bool Run::lanes_left() const {
  return job_.plan->routes().lanes &&
         std::ranges::any_of(result_.lanes, [](const auto& one) { return one.second == plan::kLanesVoid; });
}

/// New keys stand everywhere before a port or a check needs them.
asio::awaitable<void> Run::grow_keys() {
  key_work_ = key_work(*job_.fabric, job_.plan->partitions, *job_.devices);
  if (key_work_.empty()) co_return;
  begin("keys", key_work_.size());
  const std::span<const KeyWork> work(key_work_);
  std::function<void()> each = [this] { step(); };
  co_await keys_.revoke(work);
  co_await keys_.grow(work, std::move(each));
  end();
}

/// Old ones go when everything else is as planned.
asio::awaitable<void> Run::shrink_keys() {
  if (key_work_.empty()) co_return;
  begin("old keys", key_work_.size());
  const std::span<const KeyWork> work(key_work_);
  std::function<void()> each = [this] { step(); };
  co_await keys_.shrink(work, std::move(each));
  end();
  for (const KeyWork& one : key_work_) {
    const bool sure =
        paths_.reaches(one.node) && std::ranges::none_of(one.ports, [this](const PortKeys& port) {
          return keys_.unsure().contains(port.port) || keys_.withheld().contains(port.port);
        });
    result_.keys[job_.fabric->node(one.node).guid] = sure ? one.digest : 0;
  }
  for (const fabric::PortRef port : keys_.withheld())
    fail_on(job_.fabric->node(port.node).guid, fmt::format("P_KeyTable of port {}", raw(port.port)),
            "a key waits until another port has given it up");
  for (KeyWriter::Failed& failed : keys_.take_failed())
    fail_on(failed.node, std::move(failed.what), std::move(failed.why));
}

/// Who booted under our hands holds anything, or nothing.
asio::awaitable<void> Run::look_for_boots() {
  for (const KeyWork& one : key_work_) written_.insert(one.node);
  std::erase_if(written_, [this](NodeId node) { return !paths_.reaches(node); });
  if (written_.empty()) co_return;
  begin("verify", 0);
  Verified verified = co_await verify(client_, shadow_, *job_.fabric, paths_, *job_.plan, written_);
  end();
  result_.booted = std::move(verified.booted);
  result_.elsewhere = std::move(verified.elsewhere);
  if (!result_.elsewhere.empty()) {
    for (auto& [guid, digest] : result_.lanes) digest = 0;
    for (auto& [guid, digest] : result_.keys) digest = 0;
  }
  for (const Guid guid : result_.booted) {
    result_.lanes[guid] = result_.keys[guid] = 0;
    const auto node = job_.fabric->find(guid);
    result_.restless.push_back(fmt::format("{} booted while it was programmed, or is gone",
                                           fabric::describe(job_.fabric->node(*node))));
  }
}

/// Last, and only when traffic goes where it should: who is disabled takes nothing with it.
asio::awaitable<void> Run::do_port_orders() {
  const auto work = port_order_work(*job_.fabric, job_.plan->port_orders, shadow_);
  if (work.empty() || is_held() || !result_.failed.empty() || !result_.restless.empty()) co_return;
  begin("port orders", work.size());
  const std::span<const plan::PortOrder> orders(work);
  PortOrdersDone done = co_await write_port_orders(client_, shadow_, *job_.fabric, job_.own_port, orders);
  end();
  result_.closed = std::move(done.closed);
  for (PortOrdersDone::Failed& failed : done.failed)
    fail_on(job_.fabric->node(failed.port.node).guid,
            fmt::format("PortPhysicalState of port {}", raw(failed.port.port)), std::move(failed.why));
}

bool Run::has_no_keys(fabric::PortRef port) const {
  const auto& peer = job_.fabric->port(port).peer;
  return keys_.unsure().contains(port) || (peer && keys_.unsure().contains(*peer));
}

/// `routes` are the final tables or the dark ones before them. Dark ones that were not all confirmed hold the
/// final ones back.
asio::awaitable<void> Run::do_forwarding(std::string_view name, const routing::Routes& routes) {
  const bool last = is_final(routes);
  const std::size_t failed_before = result_.failed.size();
  std::vector<TableWork> switches;
  std::uint64_t blocks = 0;
  for (TableWork& work : table_work(*job_.fabric, *job_.plan, routes, shadow_, job_.settled)) {
    const NodeId node = job_.fabric->node_of(work.id);
    if (!paths_.reaches(node) || has_no_lanes(node)) {
      tables_left_ = true;
      continue;
    }
    if (work.blocks.empty() && !(last && switch_info_to_write(work.id))) continue;
    blocks += work.blocks.size() + 1;
    if (last && !work.blocks.empty()) ++result_.lft_switches;
    switches.push_back(std::move(work));
    written_.insert(node);
  }
  begin(name, blocks);
  const std::span<const TableWork> items(switches);
  const DoSwitch act{this, &routes};
  co_await transport::for_each(items, static_cast<std::size_t>(client_.settings().window), act);
  end();
  if (!last && result_.failed.size() > failed_before)
    result_.held_back =
        "the new tables wait: old entries that could close a credit cycle with them are not all gone yet";
}

/// All blocks of one switch, then its LinearFDBTop: the mark that the table is complete.
asio::awaitable<void> Run::settle_switch(const routing::Routes& routes, const TableWork& work) {
  const std::span<const std::uint32_t> items(work.blocks);
  const DoBlock act{this, &routes, work.id};
  co_await transport::for_each(items, static_cast<std::size_t>(client_.settings().per_node), act);
  if (is_final(routes)) co_await write_switch_info(work.id);
}

asio::awaitable<void> Run::write_block(const routing::Routes& routes, SwitchId id, std::uint32_t block) {
  const std::optional<Target> way = target_of(job_.fabric->node_of(id));
  if (!way) co_return;  // no work is made for a node out of reach
  const Target& target = *way;
  const mad::AttrData data = lft_block(*routes.lfts[raw(id)], block);
  Result<mad::AttrData> answer = co_await client_.set(target, AttrId::linear_forwarding, block, data);
  if (answer) {
    if (is_final(routes)) ++result_.lft_blocks;
    shadow_.set(target.node, AttrId::linear_forwarding, block, data);
  } else {
    // It may have been written all the same, also when we were stopped meanwhile.
    if (mad::DeviceBlocks& device = shadow_.device(target.node);
        device.find(AttrId::linear_forwarding, block))
      device.erase(AttrId::linear_forwarding, block);
    tables_left_ = true;
    if (answer.error().code == Errc::cancelled) co_return;
    fail_on(target.node, fmt::format("LinearForwardingTable block {}", block), answer.error().what);
  }
  step();
}

std::optional<mad::SwitchInfo> Run::switch_info_to_write(SwitchId id) const {
  const Guid guid = job_.fabric->node(id).guid;
  return switch_info_work(shadow_.find(guid, AttrId::switch_info, 0), job_.plan->routes().top,
                          job_.plan->packet_lifetime, unkept_of(guid));
}

/// PortStateChange may have been cleared by a Set whose answer was lost: what is held is looked at before it
/// is cleared again.
asio::awaitable<void> Run::write_switch_info(SwitchId id) {
  const std::optional<Target> way = target_of(job_.fabric->node_of(id));
  if (!way) co_return;  // no work is made for a node out of reach
  const Target& target = *way;
  std::string why;
  int refused = 0;
  for (int attempt = 0; attempt < kMostSets && refused < client_.settings().attempts; ++attempt) {
    const auto want = switch_info_to_write(id);
    if (!want) {
      step();
      co_return;
    }
    mad::AttrData data = *shadow_.find(target.node, AttrId::switch_info, 0);
    mad::encode_into(std::span<std::uint8_t>(data), *want);
    Result<mad::AttrData> answer = co_await client_.set_once(target, AttrId::switch_info, 0, data);
    const bool answered = answer.has_value();
    if (!answered) {
      if (answer.error().code == Errc::cancelled) co_return;
      if (answer.error().code != Errc::timeout) ++refused;
      why = answer.error().what;
      answer = co_await client_.get(target, AttrId::switch_info, 0);
    }
    if (!answer) break;
    shadow_.set(target.node, AttrId::switch_info, 0, *answer);
    const auto now = mad::decode<mad::SwitchInfo>(*answer);
    if (!answered) continue;
    if (now.lifetime != want->lifetime)
      result_.unkept[target.node] = unkept_of(target.node) | kUnkeptLifetime;
    if (now.lft_top == want->lft_top) {
      step();
      co_return;
    }
    why = fmt::format("answered with LinearFDBTop {}, not {}", raw(now.lft_top), raw(want->lft_top));
    ++refused;
  }
  tables_left_ = true;
  fail_on(target.node, "SwitchInfo", why);
  step();
}

/// Whether something is to be said to one of its ports, or one waits for its peer.
bool Run::needs_ports(NodeId node) const {
  if (!paths_.reaches(node)) return true;
  const Guid guid = job_.fabric->node(node).guid;
  const auto ports = job_.fabric->ports(node);
  for (std::size_t p = 0; p < ports.size(); ++p) {
    const fabric::PortRef port{node, static_cast<PortNum>(p)};
    const mad::AttrData* held = shadow_.find(guid, AttrId::port_info, static_cast<std::uint32_t>(p));
    const plan::PortSettings settings = settings_of(port);
    if (port_work(settings, port, held, is_external_switch_port(port), unkept_of(guid))) return true;
    if (held == nullptr) continue;
    if (keeps_link_settings(settings, *held, unkept_of(guid))) return true;
    if (ports[p].peer && held_state(shadow_, *job_.fabric, port) == PortState::armed) return true;
  }
  return false;
}

bool Run::needs_tables(SwitchId id) const {
  const mad::DeviceBlocks* held = shadow_.find_device(job_.fabric->node(id).guid);
  const routing::Routes& routes = job_.plan->routes();
  return !paths_.reaches(job_.fabric->node_of(id)) || switch_info_to_write(id) ||
         !lft_work(*routes.lfts[raw(id)], routes.top, held).empty();
}

/// For the next job: who needs nothing more, as far as this one had to look.
void Run::note_settled() {
  Settled now{job_.fabric, job_.plan, {}, {}};
  std::set<NodeId> ports(unsettled_.begin(), unsettled_.end());
  std::set<SwitchId> tables;
  for (const TableWork& work :
       table_work(*job_.fabric, *job_.plan, job_.plan->routes(), shadow_, job_.settled))
    tables.insert(work.id);
  for (const auto& [guid, kinds] : shadow_.changed()) {
    const auto node = job_.fabric->find(guid);
    if (node && (kinds & mad::Shadow::kPorts) != 0) ports.insert(*node);
  }
  for (const NodeId node : ports)
    if (needs_ports(node)) now.open_ports.insert(job_.fabric->node(node).guid);
  for (const SwitchId id : tables)
    if (needs_tables(id)) now.open_tables.insert(job_.fabric->node(id).guid);
  shadow_.forget_changes();
  *job_.settled = std::move(now);
}

}  // namespace

asio::awaitable<Programmed> program(transport::SmpClient& client, mad::Shadow& shadow, Job job) {
  Run run(client, shadow, std::move(job));
  Programmed done = co_await run.run();
  co_return done;
}

}  // namespace weft::program
