#pragma once
// A small planned fabric and a daemon that is made of nothing but answers, for tests of the control API and
// of what asks it.

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "daemon/api_source.h"
#include "fabric/builder.h"
#include "plan/plan.h"

namespace weft::daemon::test {

/// A directory that is gone at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void add_node(fabric::Builder& builder, NodeType type, std::uint64_t guid, const std::string& name,
                     std::uint8_t ports) {
  fabric::Node node;
  node.guid = node.system_guid = Guid{guid};
  node.type = type;
  node.port_count = ports;
  node.description = name;
  node.vendor = 0x2c9;
  node.device = 0xcb20;
  node.revision = 0xa1;
  node.switch_facts.lft_capacity = type == NodeType::switch_ ? 49152 : 0;
  static_cast<void>(builder.add_node(node).has_value());
  for (int number = type == NodeType::switch_ ? 0 : 1; number <= ports; ++number) {
    fabric::Port port;
    const bool has_guid = type != NodeType::switch_ || number == 0;
    if (has_guid) port.guid = Guid{type == NodeType::switch_ ? guid : guid + static_cast<unsigned>(number)};
    port.state = PortState::active;
    port.phys = PhysState::link_up;
    port.mtu_cap = port.neighbor_mtu = Mtu::mtu4096;
    port.vl_cap = port.operational_vls = VlCount::vl8;
    port.width = port.widest = LinkWidth::x4;
    port.speed = port.fastest = LinkSpeed::hdr;
    port.known = true;
    static_cast<void>(builder.set_port(Guid{guid}, static_cast<PortNum>(number), port).has_value());
  }
}

/// Two spines, two leaves, two hosts a leaf: "spine-0", "leaf-1", "host-3". Host ports 1 and 2 of a leaf lead
/// to hosts, 3 and 4 to the spines. With fewer hosts than four, the last link of the last spine is cut, too.
inline std::shared_ptr<const fabric::Fabric> small_tree(unsigned hosts = 4) {
  fabric::Builder builder;
  const auto connect = [&builder](std::uint64_t a, int a_port, std::uint64_t b, int b_port) {
    const auto joined =
        builder.connect({Guid{a}, static_cast<PortNum>(a_port)}, {Guid{b}, static_cast<PortNum>(b_port)});
    static_cast<void>(joined.has_value());
  };
  for (unsigned i = 0; i < 2; ++i) {
    add_node(builder, NodeType::switch_, 0x1000 + i, fmt::format("spine-{}", i), 4);
    add_node(builder, NodeType::switch_, 0x2000 + i, fmt::format("leaf-{}", i), 4);
  }
  for (unsigned host = 0; host < hosts; ++host) {
    add_node(builder, NodeType::hca, 0x3000 + host * 16, fmt::format("host-{}", host), 1);
    connect(0x3000 + host * 16, 1, 0x2000 + host / 2, static_cast<int>(host % 2 + 1));
  }
  for (unsigned leaf = 0; leaf < 2; ++leaf) {
    for (unsigned spine = 0; spine < 2; ++spine) {
      if (hosts < 4 && leaf + spine == 2) continue;
      connect(0x2000 + leaf, static_cast<int>(spine + 3), 0x1000 + spine, static_cast<int>(leaf + 1));
    }
  }
  return std::make_shared<const fabric::Fabric>(builder.build());
}

/// The view of a manager on host-0; throws when no plan can be made.
inline std::shared_ptr<const plan::View> planned_view(
    std::shared_ptr<const fabric::Fabric> fabric = small_tree()) {
  auto view = std::make_shared<plan::View>();
  view->generation = 7;
  view->fabric = std::move(fabric);
  view->sm_port = {*view->fabric->find(Guid{0x3000}), PortNum{1}};
  auto planned = plan::make_plan(*view->fabric, plan::Config{}, plan::Ledger{}, view->sm_port, nullptr);
  if (!planned) throw std::runtime_error(planned.error().what);
  view->plan = planned->plan;
  view->ledger = planned->ledger;
  return view;
}

inline WallTime noon(int seconds = 0) {
  return WallTime(std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)) + std::chrono::hours(12) +
         std::chrono::seconds(seconds);
}

inline SweepReport clean_sweep(std::uint64_t number) {
  SweepReport report;
  report.number = number;
  report.cause = "start";
  report.started = noon();
  report.took = std::chrono::milliseconds(27);
  report.phases = {{"discovery", std::chrono::milliseconds(20), 90},
                   {"forwarding", std::chrono::milliseconds(7), 10}};
  report.smps = 100;
  report.sets = 30;
  report.clean = true;
  return report;
}

/// Works at once, where it is asked to.
struct WorksAtOnce final : Workers {
  void run(std::function<void()> work, std::function<void()> done) override {
    work();
    done();
  }
};

/// What the canned daemon says and what it was told.
struct CannedDaemon {
  Status status;
  WorksAtOnce workers;
  std::shared_ptr<News> news = std::make_shared<News>();
  std::shared_ptr<const fabric::Fabric> whole;
  std::vector<Event> past;  ///< In the store only.
  std::vector<SweepReport> past_sweeps;
  std::shared_ptr<const plan::View> view = planned_view();
  std::vector<Event> events;
  std::vector<SweepReport> sweeps{clean_sweep(1)};
  std::shared_ptr<const config::Loaded> loaded = std::make_shared<config::Loaded>();
  std::optional<plan::Ledger> imported;
  plan::SaState registered;   ///< What clients have told.
  bool takes_at_once = true;  ///< Registrations of an imported Ledger.
  std::uint64_t sweeps_asked = 1;
  std::vector<UpkeepRow> upkeep;
  std::vector<UpkeepRequest> asked;
  std::function<void()> on_sweep;  ///< After one was asked for; on the thread that serves.

  CannedDaemon() {
    status.state = State::master;
    status.text = "The fabric is as planned.";
    status.version = "0.1.0";
    status.device = "mlx5_0 port 1";
    status.port_guid = Guid{0x3001};
    status.lid = Lid{1};
    status.started = noon();
    status.generation = 7;
    status.last_sweep = status.last_full_sweep = sweeps.back();
    status.store = "ok";
    events.push_back({1, noon(1), Severity::info, "sweep_done", Guid{}, {}, "the fabric is active"});
    events.push_back(
        {2, noon(2), Severity::warning, "link_down", Guid{0x2000}, PortNum{3}, "leaf-0 port 3 went down"});
  }

  static std::vector<Event> chosen(const std::vector<Event>& from, const EventQuery& query) {
    std::vector<Event> found;
    for (const Event& event : from)
      if (matches(query, event)) found.push_back(event);
    if (found.size() > query.limit && query.oldest) found.resize(query.limit);
    if (found.size() > query.limit)
      found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(query.limit));
    return found;
  }
  void happen(Event event) {
    events.push_back(std::move(event));
    news->tell();
  }

  /// A sweep that is asked for ends at once.
  ApiSource source() {
    ApiSource s;
    s.status = [this] { return status; };
    s.view = [this] { return view; };
    s.whole = [this] { return whole; };
    s.events = [this](const EventQuery& query) { return chosen(events, query); };
    s.event_ids = [this] {
      return events.empty() ? std::pair<std::uint64_t, std::uint64_t>(1, 0)
                            : std::pair(events.front().id, events.back().id);
    };
    s.past_events = [this](const EventQuery& query, const Store::EventsDone& done) {
      done(chosen(past, query));
    };
    s.past_sweeps = [this](const SweepQuery& query, const Store::SweepsDone& done) {
      std::vector<SweepReport> found;
      for (const SweepReport& one : past_sweeps)
        if (!query.number || *query.number == one.number) found.push_back(one);
      done(std::move(found));
    };
    s.news = news;
    s.workers = &workers;
    s.sweeps = [this] { return sweeps; };
    s.hand_over = [](std::optional<Guid> to) -> Result<std::string> {
      if (to == Guid{1}) return fail(Errc::not_found, "no such standby");
      return to ? to_string(*to) : "the best";
    };
    s.accept = [this] {
      status.missing.clear();
      return ++sweeps_asked;
    };
    s.sweep = [this](const std::string&) {
      sweeps.push_back(clean_sweep(++sweeps_asked));
      status.last_sweep = sweeps.back();
      if (on_sweep) on_sweep();
      return sweeps_asked;
    };
    s.upkeep = [this] { return upkeep; };
    s.ask_upkeep = [this](const UpkeepRequest& request) -> Result<std::string> {
      if (request.place == "nowhere") return fail(Errc::not_found, "there is no nowhere");
      if (!request.force) return fail(Errc::conflict, "1 node would be cut off: h1");
      asked.push_back(request);
      return request.place + ": done";
    };
    s.config = [this] { return loaded; };
    s.sa = [this]() -> std::optional<SaView> { return SaView{registered, {}, {}, nullptr, nullptr}; };
    s.import_ledger = [this](const plan::Ledger& ledger) -> Result<std::optional<plan::TakenOver>> {
      imported = ledger;
      if (!takes_at_once) return std::optional<plan::TakenOver>();
      return plan::with_registrations(registered, ledger.sa);
    };
    return s;
  }
};

}  // namespace weft::daemon::test
