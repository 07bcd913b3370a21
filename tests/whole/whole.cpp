#include "tests/whole/whole.h"

#include <algorithm>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>

namespace weft::test {

void MemoryStore::save(plan::Ledger given, Done done) {
  given.sa = ledger.sa;
  given.multicast = ledger.multicast;
  if (!refuses) ledger = std::move(given);
  if (!refuses && kept) kept(ledger);
  if (done) done(refuses ? Result<void>(fail(Errc::system, "refused")) : Result<void>());
}

void MemoryStore::save_sa(plan::SaState state, Done done) {
  if (!refuses) ledger.sa = std::move(state);
  if (!refuses && kept) kept(ledger);
  if (done) done(refuses ? Result<void>(fail(Errc::system, "refused")) : Result<void>());
}

void MemoryStore::save_multicast(std::shared_ptr<const plan::MftDigestMap> digests, Done done) {
  if (!refuses) ledger.multicast = std::move(digests);
  if (done) done(refuses ? Result<void>(fail(Errc::system, "refused")) : Result<void>());
}

Whole::Whole(std::string_view blueprint, std::uint64_t seed, sim::NetworkSettings settings) {
  const auto topology = topology::load(blueprint);
  if (!topology) throw std::invalid_argument(topology.error().what);
  build(*topology, seed, settings);
}

Whole::Whole(const topology::Topology& topology, std::uint64_t seed, sim::NetworkSettings settings) {
  build(topology, seed, settings);
}

void Whole::build(const topology::Topology& topology, std::uint64_t seed, sim::NetworkSettings settings) {
  world = std::make_unique<sim::World>(topology, clock, seed);
  network = std::make_unique<sim::Network>(*world, settings);
  workers = std::make_unique<daemon::InlineWorkers>(clock, std::chrono::milliseconds(1));
  events = std::make_unique<daemon::EventLog>(nullptr);
  for (const topology::Node& node : topology.nodes)
    if (first_host.empty() && node.type == NodeType::hca) first_host = node.id;
}

Whole::~Whole() { kill(); }

std::function<std::int64_t()> Whole::seconds() {
  constexpr std::int64_t kBegin = 1'800'000'000;
  return [this] { return kBegin + std::chrono::duration_cast<std::chrono::seconds>(clock.now()).count(); };
}

daemon::Manager& Whole::start(plan::Ledger ledger, config::Settings settings, std::string_view host) {
  kill();
  auto opened = sim::SimTransport::open(*network, host.empty() ? first_host : host, PortNum{1});
  if (!opened) throw std::runtime_error(opened.error().what);
  transport = std::move(*opened);
  daemon::Manager::Parts parts;
  parts.transport = transport.get();
  parts.clock = &clock;
  parts.workers = workers.get();
  parts.events = events.get();
  parts.store = &store;
  parts.shared = shared;
  parts.executor = loop.get_executor();
  parts.seconds = seconds();
  manager =
      std::make_unique<daemon::Manager>(parts, std::make_shared<const config::Settings>(settings), ledger);
  (void)transport->set_is_sm(true);
  return *manager;
}

void Whole::kill() {
  if (!manager) return;
  manager->stop();
  transport::run_virtual(loop, clock, [this] { return !running_; });
  transport::run_virtual(loop, clock, manager->ended());
  manager.reset();
  transport.reset();
}

daemon::SweepReport Whole::bring_up(int tries) {
  if (!manager) start();
  return transport::run_virtual(loop, clock, manager->run_once(tries));
}

bool Whole::run_until(const std::function<bool()>& holds, Duration limit) {
  if (!running_ && manager) {
    running_ = true;
    asio::co_spawn(loop, manager->run(), [this](std::exception_ptr thrown, Result<void>) {
      running_ = false;
      if (thrown) std::rethrow_exception(thrown);
    });
  }
  bool over = false;
  const Clock::TimerId timer = clock.after(limit, [&over] { over = true; });
  bool held = false;
  transport::run_virtual(loop, clock, [&] {
    held = holds();
    return held || over;
  });
  clock.cancel(timer);
  return held;
}

bool Whole::run_until_ended(Duration limit) {
  bool over = false;
  const Clock::TimerId timer = clock.after(limit, [&over] { over = true; });
  transport::run_virtual(loop, clock, [&] { return !running_ || over; });
  clock.cancel(timer);
  return !running_;
}

bool Whole::settle(Duration limit) {
  const auto clean = [this] {
    return !manager->sweeping() && !manager->sweeps().empty() && manager->sweeps().back().clean;
  };
  return run_until([&] { return clean() && faults().empty(); }, limit);
}

void Whole::run_for(Duration time) {
  run_until([] { return false; }, time);
}

std::uint64_t Whole::sets() const {
  return world->counters().total({.mgmt_class = {}, .method = mad::Method::set, .attribute = {}});
}

daemon::Status Whole::status() const {
  daemon::Status status;
  manager->describe(status);
  return status;
}

bool Whole::has_problem(std::string_view text) const {
  const auto names_it = [text](const daemon::Problem& one) {
    return one.what.find(text) != std::string::npos;
  };
  return std::ranges::any_of(status().problems, names_it);
}

namespace {

/// " L1-00[3] init L1-01[2] down"
std::string not_active(const sim::World& world) {
  std::string text;
  for (std::uint32_t n = 0; n < world.node_count(); ++n)
    for (std::uint8_t p = 1; p <= world.node(static_cast<sim::NodeIndex>(n)).port_count; ++p) {
      const sim::PortIndex port = world.port_of(static_cast<sim::NodeIndex>(n), PortNum{p});
      if (world.port(port).peer == sim::kNoPort || world.port(port).info.state == PortState::active) continue;
      if (text.size() < 200)
        text += fmt::format(" {} {}", world.name(port), name(world.port(port).info.state));
    }
  return text;
}

}  // namespace

std::string Whole::faults() const {
  const sim::PortSummary ports = sim::port_summary(*world);
  if (!ports.all_active())
    return fmt::format("{} of {} linked ports are Active ({} down, {} init, {} armed):{}", ports.active,
                       ports.linked, ports.down, ports.init, ports.armed, not_active(*world));
  const sim::Reach reach = sim::all_pairs(*world);
  if (!reach.complete())
    return fmt::format("{} of {} host pairs, {} of {} host and switch pairs: {}", reach.host_pairs_reached,
                       reach.host_pairs, reach.switch_pairs_reached, reach.switch_pairs,
                       reach.failures.empty() ? "" : reach.failures.front());
  if (const auto loop_found = sim::credit_loop(*world)) return "credit loop: " + *loop_found;
  return "";
}

Rival::Rival(Whole& whole, std::string_view host, config::Settings settings, plan::Ledger ledger,
             daemon::SharedState* shared)
    : whole_(whole),
      clock_(whole.clock),
      workers_(std::make_unique<daemon::InlineWorkers>(clock_, std::chrono::milliseconds(1))),
      transport_(std::make_unique<StoppableTransport>(*whole.network, host, clock_)) {
  store.ledger = ledger;
  daemon::Manager::Parts parts;
  parts.transport = transport_.get();
  parts.clock = &clock_;
  parts.workers = workers_.get();
  parts.events = whole.events.get();
  parts.store = &store;
  parts.shared = shared;
  parts.executor = whole.loop.get_executor();
  parts.seconds = whole.seconds();
  manager_ =
      std::make_unique<daemon::Manager>(parts, std::make_shared<const config::Settings>(settings), ledger);
  (void)transport_->set_is_sm(true);
  asio::co_spawn(whole.loop, manager_->run(), [this](std::exception_ptr thrown, Result<void>) {
    running_ = false;
    if (thrown) std::rethrow_exception(thrown);
  });
}

void Rival::freeze() {
  clock_.stop();
  transport_->stop();
}

/// What waited comes in no order that can be relied on: packets first here.
void Rival::thaw() {
  transport_->go_on();
  clock_.go_on();
}

void Rival::stop() {
  if (!manager_) return;
  (void)transport_->set_is_sm(false);
  manager_->stop();
  clock_.go_on();
  transport::run_virtual(whole_.loop, whole_.clock, [this] { return !running_; });
  manager_.reset();
  transport_.reset();
}

daemon::Status Rival::status() const {
  daemon::Status status;
  manager_->describe(status);
  return status;
}

}  // namespace weft::test
