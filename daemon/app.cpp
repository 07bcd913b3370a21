#include "daemon/app.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "daemon/api.h"
#include "daemon/api_json.h"
#include "daemon/http_options.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/replicated_store.h"
#include "daemon/shared_settings.h"
#include "daemon/web_files.h"
#include "log/log.h"
#include "plan/registrations.h"
#include "transport/real_clock.h"

namespace weft::daemon {
namespace {

constexpr Duration kDeviceRetry = std::chrono::seconds(1);
constexpr int kTriesOfOnce = 5;
constexpr std::size_t kAskedAtMost = 300;  // characters of a request that an event tells

}  // namespace

App::App(Parts parts, std::shared_ptr<const config::Loaded> config, bool once)
    : parts_(std::move(parts)), config_(std::move(config)), once_(once), overviews_(*parts_.loop) {}

App::~App() { parts_.clock->cancel(port_timer_); }

std::shared_ptr<const config::Settings> App::settings() const { return {config_, &config_->settings}; }

void App::tell(Severity severity, std::string kind, std::string text) {
  Event event;
  event.severity = severity;
  event.kind = std::move(kind);
  event.text = std::move(text);
  events_->add(std::move(event));
}

void App::set_state(State state, std::string text) {
  state_ = state;
  text_ = std::move(text);
  news_->tell();
  if (parts_.notify) parts_.notify(status());
}

asio::awaitable<int> App::run() {
  if (Result<void> opened = open_store(); !opened) {
    state_is_held_ = store_ == nullptr && opened.error().code == Errc::conflict;
    daemon_log().error("{}", opened.error().what);
    co_return kFailed;
  }
  for (const std::string& note : config_->notes) daemon_log().warn("{}", note);
  keep_configs();
  if (Result<void> listening = open_socket(); !listening) {
    daemon_log().error("{}", listening.error().what);
    co_return kFailed;
  }
  const int code = co_await serve();
  server_.reset();
  store_.reset();  // writes what is still waiting
  replica_.reset();
  daemon_log().info("stopped");
  co_return code;
}

Result<void> App::open_store() {
  StoreOptions options;
  options.directory = settings()->state_dir;
  const config::HistorySettings& history = settings()->history;
  options.events_kept = static_cast<std::size_t>(history.events);
  options.sweeps_kept = static_cast<std::size_t>(history.sweeps);
  options.age = history.age;
  Result<OpenedStore> opened = open_sqlite_store(options, parts_.loop->get_executor());
  if (!opened) return fail(opened.error());
  store_ = std::move(opened->store);
  ledger_ = opened->ledger;
  events_ = std::make_unique<EventLog>(store_.get(), std::move(opened->events));
  events_->on_add([this](const Event& event) {
    tallies_.note(event);
    news_->tell();
  });
  for (const std::string& note : opened->notes) tell(Severity::warning, "state_file", note);
  daemon_log().info("state directory={} lids={} devices={}", settings()->state_dir, ledger_.lids->size(),
                    ledger_.devices->size());
  return open_replica();
}

/// What managers share goes to etcd, too.
Result<void> App::open_replica() {
  Result<std::optional<SharedOptions>> options = shared_options(*settings());
  if (!options) return fail(options.error());
  if (!*options || once_) return {};
  const std::string prefix = (*options)->prefix;
  auto replica = Replica::start(std::move(**options), ledger_, parts_.loop->get_executor(),
                                [this](Severity severity, std::string kind, std::string text) {
                                  tell(severity, std::move(kind), std::move(text));
                                });
  if (!replica) return fail(replica.error());
  replica_ = std::move(*replica);
  store_ = std::make_unique<ReplicatedStore>(std::move(store_), *replica_);
  daemon_log().info("state shared through etcd endpoints={} prefix={}", settings()->store.etcd.size(),
                    prefix);
  return {};
}

Result<void> App::open_socket() {
  Result<HttpOptions> options = http_options(*settings());
  if (!options) return fail(options.error());
  Router router = make_api(api_source());
  add_web_routes(router);
  router.on_change([this](const Request& request, int status) {
    tell(Severity::info, "asked",
         fmt::format("{} asked: {} {} ({})", request.caller.name, request.method,
                     request.target.substr(0, kAskedAtMost), status));
  });
  auto server = HttpServer::listen(*parts_.loop, *parts_.clock, *options, std::move(router));
  if (!server) return fail(server.error());
  server_ = std::move(*server);
  daemon_log().info("control socket={} tcp_port={}", options->socket, server_->tcp_port());
  return {};
}

/// Waits for the device, manages while it is there, waits again when it goes.
asio::awaitable<int> App::serve() {
  std::string said;
  bool was_there = false;  // what was there once comes back
  while (!stopping_) {
    Result<std::unique_ptr<transport::Transport>> opened = co_await open_any_port();
    if (opened) opened = claimed(std::move(*opened));
    if (opened) {
      said.clear();
      was_there = true;
      if (once_) {
        const int code = co_await serve_once(std::move(*opened));
        co_return code;
      }
      Result<void> ended = co_await manage(std::move(*opened));
      if (!ended) tell(Severity::error, "device_lost", fmt::format("device lost: {}", ended.error().what));
      continue;
    }
    const Error why = opened.error();
    const bool taken = why.code == Errc::conflict;  // by another manager, which may end
    const bool may_come = why.code == Errc::unavailable || taken || was_there;
    if (why.what != said) tell(Severity::warning, taken ? "other_master" : "no_device", why.what);
    said = why.what;
    set_state(taken ? State::standby : State::waiting_for_device,
              taken ? why.what + ". Nothing is written until then." : why.what);
    if (why.code == Errc::malformed) co_return kBadUsage;
    if (taken && once_) co_return kFailed;
    if (!may_come || once_) co_return kNoDevice;
    auto start = [this](transport::Completion<transport::Done> done) {
      waiter_ = std::move(done);
      parts_.clock->after(kDeviceRetry, [this] {
        if (waiter_) waiter_(transport::Done{});
      });
    };
    co_await transport::suspend<transport::Done>(std::move(start));
  }
  co_return kDone;
}

/// IsSM is one program's at a time: who has not got it is not the manager of this port, and writes nothing.
Result<std::unique_ptr<transport::Transport>> App::claimed(std::unique_ptr<transport::Transport> transport) {
  const Result<void> set = transport->set_is_sm(true);
  if (set) return transport;
  if (set.error().code == Errc::conflict)
    return fail(Errc::conflict, "another program is subnet manager at our own port: {}. Stop it",
                set.error().what);
  tell(Severity::warning, "is_sm", fmt::format("IsSM not set: {}", set.error().what));
  return transport;
}

void App::make_manager(transport::Transport& transport) {
  Manager::Parts parts;
  parts.transport = &transport;
  parts.clock = parts_.clock;
  parts.workers = parts_.workers;
  parts.events = events_.get();
  parts.store = store_.get();
  parts.shared = replica_.get();
  parts.executor = parts_.loop->get_executor();
  const transport::LocalPort& port = transport.local_port();
  device_ = fmt::format("{} port {}", port.device, raw(port.number));
  if (replica_) replica_->set_port(port.guid);
  manager_ = std::make_unique<Manager>(parts, settings(), ledger_);
  manager_->on_sweep([this](const SweepReport& report) { swept(report); });
  daemon_log().info("managing through device=\"{}\" guid={}", device_, to_string(port.guid));
  if (parts_.notify) parts_.notify(status());
}

void App::swept(const SweepReport& report) {
  tell_rails();
  const bool quiet = report.kind == SweepKind::light && report.clean && report.notes.empty();
  if (!quiet) store_->append_sweep(report);
  tallies_.note(report);
  if (const auto view = manager_ ? manager_->view() : nullptr) tallies_.note(*view);
  news_->tell();
  if (parts_.notify) parts_.notify(status());
}

/// The other subnets of this daemon hear what this one has found.
void App::tell_rails() {
  const auto view = manager_->view();
  if (parts_.rails == nullptr || !view || view->fabric == told_rails_) return;
  told_rails_ = view->fabric;
  parts_.rails->found(settings()->subnet, *view->fabric);
}

asio::awaitable<Result<void>> App::manage(std::unique_ptr<transport::Transport> transport) {
  make_manager(*transport);
  if (stopping_) manager_->stop();
  watch_port();
  Result<void> ended = co_await manager_->run();
  parts_.clock->cancel(std::exchange(port_timer_, Clock::TimerId::none));
  ledger_ = manager_->ledger();
  (void)transport->set_is_sm(false);
  manager_.reset();
  device_.clear();
  co_return ended;
}

asio::awaitable<int> App::serve_once(std::unique_ptr<transport::Transport> transport) {
  make_manager(*transport);
  const SweepReport report = co_await manager_->run_once(kTriesOfOnce);
  Status now = status();
  daemon_log().log(report.clean ? spdlog::level::info : spdlog::level::err, "once state=\"{}\" text=\"{}\"",
                   name(now.state), now.text);
  (void)transport->set_is_sm(false);
  manager_->stop();
  co_await manager_->ended();
  const bool good = report.clean && now.state == State::master;
  manager_.reset();
  co_return good ? kDone : kFailed;
}

void App::stop() {
  daemon_log().info("asked to stop");
  stopping_ = true;
  if (manager_) manager_->stop();
  if (waiter_) waiter_(transport::Done{});
}

void App::reload() { asio::co_spawn(*parts_.loop, reload_now(), asio::detached); }

asio::awaitable<void> App::reload_now() {
  if (!parts_.read_config) co_return;
  auto read = parts_.read_config;
  Result<config::Loaded> loaded = co_await compute_on(*parts_.workers, std::move(read));
  if (!loaded) {
    tell(Severity::error, "config_refused",
         fmt::format("configuration not reloaded, the one in force stays: {}", loaded.error().what));
    co_return;
  }
  if (const std::string why = objection(*config_, *loaded); !why.empty()) {
    tell(Severity::error, "config_refused",
         fmt::format("configuration not reloaded, the one in force stays: {}", why));
    co_return;
  }
  const std::string changed = what_changes(config_->settings, loaded->settings);
  const std::string text = loaded->text;
  use_config(std::move(*loaded));
  if (configs_) configs_->file_was_read(text);
  tell(Severity::info, "config_reloaded",
       changed.empty() ? "configuration reloaded; nothing in it has changed"
                       : fmt::format("configuration reloaded: {}", changed));
}

/// In force from now on.
void App::use_config(config::Loaded loaded) {
  config_ = std::make_shared<const config::Loaded>(std::move(loaded));
  const config::LogSettings& to = config_->settings.log;
  (void)log::configure({to.level, to.file, static_cast<std::size_t>(to.file_bytes), to.files_kept});
  for (const std::string& note : config_->notes) daemon_log().warn("{}", note);
  if (replica_) replica_->set_digests(config_digests(*settings()));
  if (manager_) manager_->reconfigure(settings());
}

/// What has been in force, and what is tried.
void App::keep_configs() {
  if (!parts_.read_text || once_) return;
  ConfigKeeper::Surroundings around;
  around.clock = parts_.clock;
  around.workers = parts_.workers;
  around.directory = settings()->state_dir + "/configurations";
  around.read = parts_.read_text;
  around.objection = [this](const config::Loaded& loaded, bool back) {
    return back ? restart_needed(*config_, loaded) : objection(*config_, loaded);
  };
  around.use = [this](config::Loaded loaded) { use_config(std::move(loaded)); };
  around.tell = [this](Severity severity, std::string kind, std::string text) {
    tell(severity, std::move(kind), std::move(text));
  };
  configs_ = std::make_unique<ConfigKeeper>(around, config_->text);
}

void App::preview(std::shared_ptr<const config::Settings> settings,
                  std::function<void(const Result<Preview>&)> done) {
  asio::co_spawn(*parts_.loop, preview_now(std::move(settings), std::move(done)), asio::detached);
}

asio::awaitable<void> App::preview_now(std::shared_ptr<const config::Settings> settings,
                                       std::function<void(const Result<Preview>&)> done) {
  if (!manager_) {
    done(fail(Errc::unavailable, "there is no usable port"));
    co_return;
  }
  ++previews_;
  const Result<Preview> found = co_await manager_->preview(std::move(settings), overviews_);
  --previews_;
  done(found);
}

Status App::status() const {
  Status status;
  status.state = stopping_ ? State::stopping : state_;
  status.text = text_;
  status.version = WEFT_VERSION;
  status.device = device_;
  status.started = started_;
  status.store = store_ ? store_->health() : "none";
  // What the daemon itself knows of first: the manager counts all of them.
  if (configs_ && configs_->until())
    status.problems.push_back(
        {{},
         fmt::format("a configuration is tried until {}: `weftctl config confirm` keeps it, "
                     "`weftctl config undo` takes it back",
                     time_text(*configs_->until())),
         "To keep it:",
         "weftctl config confirm",
         Severity::info});
  if (parts_.rails != nullptr)
    for (Rails::Crossed& one : parts_.rails->crossed(settings()->subnet))
      status.problems.push_back({one.node, std::move(one.what),
                                 "Swap the cables, or give the subnets their ports in the configuration."});
  if (replica_) {
    status.shared = replica_->status();
    for (std::string& what : config_differences(config_digests(*settings()), replica_->others()))
      status.problems.push_back({{}, std::move(what), "What is set here, and where:", "weftctl config show"});
  }
  if (manager_) manager_->describe(status);
  return status;
}

ApiSource App::api_source() {
  ApiSource source;
  source.status = [this] { return status(); };
  source.view = [this] { return manager_ ? manager_->view() : nullptr; };
  source.whole = [this] { return manager_ ? manager_->whole() : nullptr; };
  source.events = [this](const EventQuery& query) { return events_->find(query); };
  source.event_ids = [this] { return std::pair(events_->first_id(), events_->last_id()); };
  source.past_events = [this](EventQuery query, Store::EventsDone done) {
    store_->read_events(std::move(query), std::move(done));
  };
  source.past_sweeps = [this](SweepQuery query, Store::SweepsDone done) {
    store_->read_sweeps(std::move(query), std::move(done));
  };
  source.news = news_;
  source.workers = &overviews_;
  source.sweeps = [this] {
    if (!manager_) return std::vector<SweepReport>();
    return std::vector<SweepReport>(manager_->sweeps().begin(), manager_->sweeps().end());
  };
  source.sweep = [this](std::string cause) -> std::uint64_t {
    return manager_ ? manager_->ask_for_sweep(std::move(cause)) : 0;
  };
  source.accept = [this]() -> std::uint64_t { return manager_ ? manager_->accept() : 0; };
  source.hand_over = [this](std::optional<Guid> to) -> Result<std::string> {
    if (!manager_)
      return fail(Errc::unavailable, "there is no usable port, so there is nothing to hand over");
    return manager_->hand_over(to);
  };
  source.upkeep = [this] { return manager_ ? manager_->upkeep_rows() : std::vector<UpkeepRow>(); };
  source.ask_upkeep = [this](const UpkeepRequest& request) -> Result<std::string> {
    if (!manager_) return fail(Errc::unavailable, "there is no usable port, so nothing can be ordered");
    return manager_->ask_upkeep(request);
  };
  source.deviations = [this] { return manager_ ? manager_->expected().deviations() : nullptr; };
  source.config = [this] { return config_; };
  source.configs = [this] { return configs_.get(); };
  source.config_file = parts_.config_file;
  source.read_config = [this](std::string text, std::function<void(Result<config::Loaded>)> done) {
    if (!parts_.read_text) return done(fail(Errc::unavailable, "this weftd takes no other configuration"));
    auto read = std::make_shared<std::optional<Result<config::Loaded>>>();
    if (previews_ > 0)
      return done(fail(
          Errc::busy, "another file is being compared with what is in force; ask again when that has ended"));
    ++previews_;
    overviews_.run([read, text, reader = parts_.read_text] { read->emplace(reader(text)); },
                   [this, read, done] {
                     --previews_;
                     done(std::move(**read));
                   });
  };
  source.config_objection = [this](const config::Loaded& loaded) { return objection(*config_, loaded); };
  source.preview = [this](std::shared_ptr<const config::Settings> settings,
                          std::function<void(const Result<Preview>&)> done) {
    preview(std::move(settings), std::move(done));
  };
  source.sa = [this]() -> std::optional<SaView> {
    if (!manager_) return std::nullopt;
    const SaService& sa = manager_->sa();
    return SaView{sa.state(), sa.counts(), manager_->multicast().counts(), sa.index(),
                  [&sa](const sa::Request& request) { return sa.ask(request); }};
  };
  source.tallies = [this]() -> const Tallies& { return tallies_; };
  source.smps = [this] {
    if (!manager_) return SmpTotals{};
    const transport::SmpClient& client = std::as_const(*manager_).client();
    return SmpTotals{client.sent(), client.sets_sent(), client.timeouts()};
  };
  source.readings = [this]() -> const std::map<plan::Place, PortReadings>& {
    static const std::map<plan::Place, PortReadings> kNone;
    return manager_ ? std::as_const(*manager_).counters().readings() : kNone;
  };
  source.read_counters = [this](fabric::PortRef port, CounterPoll::Take take) {
    if (!manager_ || !manager_->view()) return take(fail(Errc::unavailable, "there is no usable port"));
    manager_->counters().read_now(manager_->view(), port, std::move(take));
  };
  source.clock = [this] { return parts_.clock->now(); };
  source.import_ledger = [this](const plan::Ledger& ledger) -> Result<std::optional<plan::TakenOver>> {
    if (manager_) return manager_->import_ledger(ledger);
    if (plan::counts_of(ledger.sa) != plan::RegistrationCounts{})
      return fail(Errc::unavailable, "there is no usable port, and registrations need one");
    ledger_ = plan::Ledger{ledger.lids, ledger.devices, ledger.design, ledger_.partitions,
                           ledger_.sls, ledger_.orders, ledger_.sa};
    return plan::TakenOver{};
  };
  return source;
}

}  // namespace weft::daemon
