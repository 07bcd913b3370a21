#include "daemon/counter_poll.h"

#include <algorithm>

#include "daemon/log.h"
#include "mad/class_port_info.h"
#include "mad/perf.h"

namespace weft::daemon {
namespace {

using mad::PerfAttr;
using mad::PortCounters;
using mad::PortCountersExtended;

constexpr std::uint32_t kGeneralQp = 1;
constexpr std::uint64_t kSymbolsFull = 0xffff;
constexpr std::uint64_t kDownsFull = 0xff;
constexpr std::uint16_t kSelectSymbols = 1u << 0;  // CounterSelect
constexpr std::uint16_t kSelectDowns = 1u << 2;
constexpr int kAttempts = 2;
constexpr Duration kHour = std::chrono::hours(1);

template <typename S>
mad::Mad request_for(Lid lid, mad::Method method, PerfAttr attribute, const S& value) {
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::perf;
  header.method = method;
  header.attribute = static_cast<mad::AttrId>(raw(attribute));
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
  mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kPerfDataAt), value);
  mad.address.lid = lid;
  mad.address.qp = kGeneralQp;
  return mad;
}

template <typename S>
S answered(const mad::Mad& mad) {
  return mad::decode<S>(std::span<const std::uint8_t>(mad.bytes).subspan(mad::kPerfDataAt));
}

PortCountersExtended widened(const PortCounters& from) {
  PortCountersExtended to;
  to.port = from.port;
  to.xmit_data = from.xmit_data;
  to.rcv_data = from.rcv_data;
  to.xmit_packets = from.xmit_packets;
  to.rcv_packets = from.rcv_packets;
  to.symbol_errors = from.symbol_errors;
  to.link_recoveries = from.link_recoveries;
  to.link_downed = from.link_downed;
  to.rcv_errors = from.rcv_errors;
  to.rcv_remote_physical_errors = from.rcv_remote_physical_errors;
  to.rcv_switch_relay_errors = from.rcv_switch_relay_errors;
  to.xmit_discards = from.xmit_discards;
  to.xmit_constraint_errors = from.xmit_constraint_errors;
  to.rcv_constraint_errors = from.rcv_constraint_errors;
  to.local_integrity_errors = from.local_integrity_errors;
  to.buffer_overruns = from.buffer_overruns;
  to.vl15_dropped = from.vl15_dropped;
  to.xmit_wait = from.xmit_wait;
  to.qp1_dropped = from.qp1_dropped;
  return to;
}

}  // namespace

CounterPoll::CounterPoll(Surroundings around, const config::LinkHealthSettings& settings, Duration timeout)
    : around_(std::move(around)), settings_(settings), timeout_(timeout) {
  arm();
}

CounterPoll::~CounterPoll() { stop(); }

void CounterPoll::stop() {
  stopped_ = true;
  around_.clock->cancel(timer_);
}

void CounterPoll::set_settings(const config::LinkHealthSettings& settings, Duration timeout) {
  settings_ = settings;
  timeout_ = timeout;
  arm();
}

void CounterPoll::saw_down(const LinkEnds& link) {
  if (settings_.counters > Duration::zero()) ++seen_downs_[link];
}

/// Switches follow each other evenly over the interval.
void CounterPoll::arm() {
  around_.clock->cancel(timer_);
  timer_ = Clock::TimerId::none;
  if (stopped_ || settings_.counters <= Duration::zero()) return;
  const auto view = around_.view();
  const auto switches =
      static_cast<std::int64_t>(view ? std::max<std::size_t>(1, view->fabric->switch_count()) : 1);
  timer_ = around_.clock->after(
      std::max<Duration>(settings_.counters / switches, std::chrono::milliseconds(1)), [this] {
        timer_ = Clock::TimerId::none;
        next_switch();
        arm();
      });
}

void CounterPoll::next_switch() {
  auto view = around_.view();
  if (reading_ || !view || view->fabric->switch_count() == 0) return;
  if (next_ >= view->fabric->switch_count()) next_ = 0;
  const NodeId node = view->fabric->node_of(static_cast<SwitchId>(next_++));
  reading_ = true;
  around_.tasks->start(read_switch(std::move(view), node));
}

asio::awaitable<void> CounterPoll::read_switch(std::shared_ptr<const plan::View> view, NodeId node) {
  const fabric::Fabric& fabric = *view->fabric;
  const Guid guid = fabric.node(node).guid;
  const Lid lid = fabric.port({node, PortNum{0}}).lid;
  const std::optional<bool> extended = co_await has_extended(guid, lid);
  const auto ports = fabric.ports(node);
  for (std::size_t p = 1; extended && p < ports.size() && !stopped_; ++p) {
    const fabric::PortRef port{node, static_cast<PortNum>(p)};
    if (!ports[p].peer) continue;
    const std::optional<PortReading> reading = co_await read_port(lid, port.port, *extended);
    if (!reading) break;  // a switch that does not answer is asked again in the next round
    keep(place_at(fabric, port), *reading);
    take(*view, port, {reading->counted.symbol_errors, reading->counted.link_downed});
  }
  reading_ = false;
}

void CounterPoll::read_now(std::shared_ptr<const plan::View> view, fabric::PortRef port, Take take) {
  around_.tasks->start(read_one(std::move(view), port, std::move(take)));
}

asio::awaitable<void> CounterPoll::read_one(std::shared_ptr<const plan::View> view, fabric::PortRef port,
                                            Take take) {
  const fabric::Fabric& fabric = *view->fabric;
  const PortNum addressed = fabric.is_switch(port.node) ? PortNum{0} : port.port;
  const Lid lid = fabric.port({port.node, addressed}).lid;
  const std::string where = fabric::describe(fabric, port);
  if (!is_unicast(lid)) {
    take(fail(Errc::unavailable, "{} has no LID yet, so its counters cannot be read", where));
    co_return;
  }
  const std::optional<bool> extended = co_await has_extended(fabric.node(port.node).guid, lid);
  std::optional<PortReading> reading;
  if (extended) reading = co_await read_port(lid, port.port, *extended);
  if (reading)
    take(keep(place_at(fabric, port), *reading));
  else
    take(fail(Errc::timeout, "{} does not tell its counters", where));
}

const PortReadings& CounterPoll::keep(plan::Place place, PortReading reading) {
  const auto [found, fresh] = readings_.try_emplace(place);
  if (!fresh) found->second.before = found->second.now;
  found->second.now = reading;
  return found->second;
}

asio::awaitable<Result<mad::Mad>> CounterPoll::ask(mad::Mad request) {
  Result<mad::Mad> answer = fail(Errc::cancelled, "not asked");
  for (int attempt = 0; attempt < kAttempts && !stopped_; ++attempt) {
    ++reads_;
    answer = co_await around_.transport->exchange(request, timeout_);
    if (answer || answer.error().code != Errc::timeout) break;
  }
  if (answer && mad::header_of(*answer).status != 0)
    answer = fail(Errc::bad_status, "status 0x{:04x}", mad::header_of(*answer).status);
  co_return answer;
}

/// Whether the counters are there with 64 bits; nothing when the switch does not say.
asio::awaitable<std::optional<bool>> CounterPoll::has_extended(Guid node, Lid lid) {
  if (const auto known = extended_.find(node); known != extended_.end()) co_return known->second;
  const mad::Mad request =
      request_for(lid, mad::Method::get, PerfAttr::class_port_info, mad::ClassPortInfo{});
  Result<mad::Mad> answer = co_await ask(request);
  if (!answer) {
    daemon_log().debug("no counters node={} error=\"{}\"", to_string(node), answer.error().what);
    co_return std::nullopt;
  }
  const auto info = answered<mad::ClassPortInfo>(*answer);
  const bool all = (info.capabilities & raw(mad::PerfCap::extended_width)) != 0;
  extended_[node] = all;
  co_return all;
}

asio::awaitable<std::optional<PortReading>> CounterPoll::read_port(Lid lid, PortNum port, bool extended) {
  PortReading reading;
  reading.wide = extended;
  if (extended) {
    PortCountersExtended wanted;
    wanted.port = raw(port);
    const mad::Mad request = request_for(lid, mad::Method::get, PerfAttr::port_counters_extended, wanted);
    Result<mad::Mad> answer = co_await ask(request);
    if (!answer) co_return std::nullopt;
    reading.at = around_.clock->now();
    reading.counted = answered<PortCountersExtended>(*answer);
    co_return reading;
  }
  PortCounters wanted;
  wanted.port = raw(port);
  const mad::Mad request = request_for(lid, mad::Method::get, PerfAttr::port_counters, wanted);
  Result<mad::Mad> answer = co_await ask(request);
  if (!answer) co_return std::nullopt;
  const auto counted = answered<PortCounters>(*answer);
  reading.at = around_.clock->now();
  reading.counted = widened(counted);
  if (counted.symbol_errors == kSymbolsFull) wanted.select |= kSelectSymbols;
  if (counted.link_downed == kDownsFull) wanted.select |= kSelectDowns;
  if (wanted.select != 0 && around_.view()) {
    const mad::Mad reset = request_for(lid, mad::Method::set, PerfAttr::port_counters, wanted);
    Result<mad::Mad> done = co_await ask(reset);
    if (!done) daemon_log().debug("full counters not set back error=\"{}\"", done.error().what);
  }
  co_return reading;
}

/// A counter that is lower than it was has been set back, and all it says is new.
void CounterPoll::take(const plan::View& view, fabric::PortRef port, Counts now) {
  const fabric::Fabric& fabric = *view.fabric;
  const plan::Place place = place_at(fabric, port);
  const LinkEnds link = link_ends(place, place_at(fabric, *fabric.port(port).peer));
  Port& known = ports_[place];
  const std::optional<Counts> last = std::exchange(known.last, now);
  // One end tells of downs: that of the lower place, or the switch where a host is the other.
  const bool tells_downs = place == link.a || !fabric.is_switch(fabric.port(port).peer->node);
  const std::uint64_t seen = tells_downs ? std::exchange(seen_downs_[link], 0) : 0;
  if (!last) return;
  const auto more = [](std::uint64_t before, std::uint64_t after) {
    return after >= before ? after - before : after;
  };
  const std::uint64_t downs = more(last->downs, now.downs);
  // One more may be the reboot of a switch, or a port that we have closed ourselves.
  if (tells_downs && downs > seen + 1)
    around_.went_down(link, static_cast<int>(std::min<std::uint64_t>(downs - seen - 1, 1'000'000)));
  const Instant time = around_.clock->now();
  if (const std::uint64_t symbols = more(last->symbols, now.symbols); symbols > 0)
    known.symbols.emplace_back(time, symbols);
  while (!known.symbols.empty() && known.symbols.front().first < time - kHour) known.symbols.pop_front();
  std::uint64_t in_hour = 0;
  for (const auto& [when, count] : known.symbols) in_hour += count;
  const bool bad =
      settings_.symbol_errors > 0 && in_hour > static_cast<std::uint64_t>(settings_.symbol_errors);
  const bool news = bad && known.problem.empty();
  known.problem = bad ? fmt::format(
                            "{} has counted {} SymbolErrors in the last hour: its cable or the port behind "
                            "it is failing",
                            fabric::describe(fabric, port), in_hour)
                      : std::string();
  if (news) around_.too_many_errors(link, place, in_hour);
}

std::vector<std::pair<Guid, std::string>> CounterPoll::problems() const {
  std::vector<std::pair<Guid, std::string>> all;
  for (const auto& [place, port] : ports_)
    if (!port.problem.empty()) all.emplace_back(place.node, port.problem);
  return all;
}

}  // namespace weft::daemon
