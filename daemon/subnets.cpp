#include "daemon/subnets.h"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>

#include "daemon/log.h"
#include "transport/real_clock.h"

namespace weft::daemon {
namespace {

using Steady = std::chrono::steady_clock;
constexpr Duration kTurn = std::chrono::milliseconds(500);
constexpr auto kRestart = std::chrono::seconds(10);

/// "master", "waiting for device: no port is there".
std::string sentence(const Status& status) {
  return fmt::format("{}{}{}", name(status.state), status.text.empty() ? "" : ": ", status.text);
}

}  // namespace

/// What one run of an App needs around it: a later run begins with nothing of an earlier one.
struct Subnets::Engine {
  asio::io_context loop{1};
  transport::RealClock clock{loop};
  OpenTransport open;
  App* app = nullptr;  ///< While it runs; of the thread.
};

/// One subnet and its thread.
struct Subnets::One {
  explicit One(std::shared_ptr<const config::Loaded> loaded)
      : config(std::move(loaded)), name(config->settings.subnet) {}

  std::shared_ptr<const config::Loaded> config;
  std::string name;
  std::unique_ptr<Engine> engine;  ///< Changed under the mutex.
  std::thread thread;
  std::atomic<Steady::rep> turned{};  ///< When the loop turned last.
  std::string said;                   ///< Under the mutex.
  bool held = false;  ///< The last run ended since another process has its state. Under the mutex.
  int code = kDone;
};

Subnets::Subnets(Parts parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<Subnets>> Subnets::make(Parts parts, const config::Loaded& config, bool once) {
  std::unique_ptr<Subnets> made(new Subnets(std::move(parts)));
  made->once_ = once;
  std::vector<config::Loaded> each = config.subnets;
  if (each.empty()) each.push_back(config);
  for (config::Loaded& one : each) {
    auto subnet = std::make_unique<One>(std::make_shared<const config::Loaded>(std::move(one)));
    auto engine = made->make_engine(subnet->config->settings);
    if (!engine)
      return fail(engine.error().code, "{}{}{}", subnet->name, subnet->name.empty() ? "" : ": ",
                  engine.error().what);
    subnet->engine = std::move(*engine);
    made->all_.push_back(std::move(subnet));
  }
  return made;
}

Result<std::unique_ptr<Subnets::Engine>> Subnets::make_engine(const config::Settings& settings) const {
  auto engine = std::make_unique<Engine>();
  auto open = parts_.open(engine->loop, engine->clock, settings);
  if (!open) return fail(open.error());
  engine->open = std::move(*open);
  return engine;
}

Subnets::~Subnets() {
  stop();
  for (const auto& one : all_)
    if (one->thread.joinable()) one->thread.join();
}

void Subnets::start(std::function<void()> ended) {
  ended_ = std::move(ended);
  running_ = all_.size();
  for (const auto& one : all_) {
    one->turned = Steady::now().time_since_epoch().count();
    one->thread = std::thread([this, &one = *one] { run(one); });
  }
}

/// One that ends by itself is started again, where there are others: those must not end with it.
void Subnets::run(One& one) {
  log::set_subnet(one.name);
  const bool again = all_.size() > 1 && !once_;
  do {
    one.code = again ? run_guarded(one) : run_app(one);
    rails_.gone(one.name);
  } while (again && made_again(one));
  one.turned = Steady::duration::max().count();
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    last = --running_ == 0;
  }
  if (last) ended_();
}

/// What nobody has foreseen ends this subnet only.
int Subnets::run_guarded(One& one) {
  try {
    return run_app(one);
  } catch (const std::exception& error) {
    daemon_log().critical("subnet broke down error=\"{}\"", error.what());
    return kFailed;
  }
}

int Subnets::run_app(One& one) {
  {
    const std::lock_guard lock(mutex_);
    one.held = false;
  }
  Engine& engine = *one.engine;
  PoolWorkers workers(engine.loop);
  App::Parts parts;
  parts.loop = &engine.loop;
  parts.clock = &engine.clock;
  parts.workers = &workers;
  parts.open = engine.open;
  parts.read_config = [this, &one]() -> Result<config::Loaded> {
    Result<config::Loaded> read = parts_.read_config();
    if (!read) return read;
    return config_of(std::move(*read), one.name);
  };
  parts.read_text = [this, &one](const std::string& text) -> Result<config::Loaded> {
    Result<config::Loaded> read = parts_.read_text(text);
    if (!read) return read;
    return config_of(std::move(*read), one.name);
  };
  parts.config_file = parts_.config_file;
  parts.notify = [this, &one](const Status& status) { note(one, status); };
  if (all_.size() > 1) parts.rails = &rails_;
  App app(parts, one.config, once_);
  engine.app = &app;
  int code = kFailed;
  turn(one);
  asio::co_spawn(engine.loop, app.run(), [&](std::exception_ptr thrown, int ended) {
    code = ended;
    engine.loop.stop();
    if (thrown) std::rethrow_exception(thrown);
  });
  engine.loop.run();
  engine.app = nullptr;
  const std::lock_guard lock(mutex_);
  one.held = app.state_is_held();
  return code;
}

/// Another weftd manages all that this one is to manage.
bool Subnets::all_are_held() const {
  return std::ranges::all_of(all_, [](const auto& one) { return one->held; });
}

/// Waits, and makes one ready for another run; false when all are to stop.
bool Subnets::made_again(One& one) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (stopping_) return false;
    if (all_are_held()) {
      daemon_log().error("another process has the state files of all {} subnets: this weftd ends",
                         all_.size());
      stopping_ = true;
      stopped_.notify_all();
      return false;
    }
    one.said = fmt::format("ended with code {}, started again soon", one.code);
    daemon_log().error("subnet ended code={} again_in_s={}", one.code, kRestart.count());
    one.turned = (Steady::now() + kRestart).time_since_epoch().count();
    if (stopped_.wait_for(lock, kRestart, [this] { return stopping_; })) return false;
    lock.unlock();
    Result<config::Loaded> read = parts_.read_config();
    if (read) read = config_of(std::move(*read), one.name);
    if (read) one.config = std::make_shared<const config::Loaded>(std::move(*read));
    auto engine = make_engine(one.config->settings);
    if (!engine) {
      daemon_log().error("{}", engine.error().what);
      continue;
    }
    lock.lock();
    one.engine = std::move(*engine);
    return !stopping_;
  }
}

/// From the loop: one that hangs is not alive.
void Subnets::turn(One& one) {
  one.turned = Steady::now().time_since_epoch().count();
  one.engine->clock.after(kTurn, [this, &one] { turn(one); });
}

void Subnets::note(One& one, const Status& status) {
  const std::lock_guard lock(mutex_);
  one.said = sentence(status);
  std::string all;
  for (const auto& each : all_) {
    if (each->said.empty()) return;  // not ready
    all += fmt::format("{}{}{}{}", all.empty() ? "" : "; ", each->name, each->name.empty() ? "" : ": ",
                       each->said);
  }
  if (parts_.notify) parts_.notify(all);
}

void Subnets::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  for_each_app([](App& app) { app.stop(); });
}

void Subnets::reload() {
  for_each_app([](App& app) { app.reload(); });
}

/// On its own thread.
void Subnets::for_each_app(void (*act)(App&)) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : all_)
    asio::post(one->engine->loop, [engine = one->engine.get(), act] {
      if (engine->app != nullptr) act(*engine->app);
    });
}

bool Subnets::alive(Duration within) const {
  const auto oldest = (Steady::now() - within).time_since_epoch().count();
  return std::ranges::all_of(all_, [oldest](const auto& one) { return one->turned >= oldest; });
}

int Subnets::exit_code() const {
  for (const auto& one : all_)
    if (one->code != kDone) return one->code;
  return kDone;
}

Result<config::Loaded> config_of(config::Loaded whole, const std::string& subnet) {
  if (subnet.empty() && whole.subnets.empty()) return whole;
  if (subnet.empty())
    return fail(Errc::not_found, "the configuration has several subnets, and had one: restart weftd");
  for (config::Loaded& one : whole.subnets) {
    if (one.settings.subnet != subnet) continue;
    one.notes.insert(one.notes.end(), whole.notes.begin(), whole.notes.end());
    one.text = whole.text;
    return std::move(one);
  }
  return fail(Errc::not_found, "the configuration has no subnet {} any more: restart weftd", subnet);
}

}  // namespace weft::daemon
