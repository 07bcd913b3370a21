#include "daemon/manager.h"

#include <algorithm>
#include <bit>

#include "base/words.h"
#include "daemon/log.h"
#include "log/log.h"
#include "mad/port_info.h"
#include "plan/registrations.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kReportsKept = 100;

double milliseconds(Duration took) { return std::chrono::duration<double, std::milli>(took).count(); }

void log_report(const SweepReport& report) {
  // A light sweep that sees a change is what it is for; the full one that follows tells what came of it.
  const bool light = report.kind == SweepKind::light;
  const auto level = !report.error.empty() ? spdlog::level::warn
                     : report.clean        ? (light ? spdlog::level::debug : spdlog::level::info)
                     : light               ? spdlog::level::info
                                           : spdlog::level::warn;
  daemon_log().log(
      level,
      "sweep done number={} kind={} cause=\"{}\" smps={} sets={} timeouts={} failed={} clean={} ms={:.0f}{}",
      report.number, name(report.kind), report.cause, report.smps, report.sets, report.timeouts,
      report.failed, report.clean, milliseconds(report.took),
      report.error.empty() ? "" : fmt::format(" error=\"{}\"", report.error));
}

std::int64_t seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

Manager::Parts with_seconds(Manager::Parts parts) {
  if (!parts.seconds) parts.seconds = seconds_since_1970;
  return parts;
}

SaSettings sa_settings(const config::Settings& settings) {
  SaSettings sa;
  static_cast<config::SaSettings&>(sa) = settings.sa;
  sa.prefix = settings.plan.subnet.prefix;
  return sa;
}

}  // namespace

transport::SmpSettings smp_settings(const config::Settings& settings) {
  transport::SmpSettings smp;
  smp.window = settings.smp.window;
  smp.per_node = settings.smp.per_node;
  smp.timeout = settings.smp.timeout;
  smp.attempts = settings.smp.attempts;
  smp.m_keys = settings.m_key.keys;
  return smp;
}

Manager::Manager(Parts parts, std::shared_ptr<const config::Settings> settings, plan::Ledger ledger)
    : parts_(with_seconds(parts)),
      settings_(settings),
      client_(*parts.transport, *parts.clock, smp_settings(*settings)),
      election_(settings->manager),
      sweeper_({&client_, parts.clock, parts.workers, parts.events, parts.store, &election_,
                [this](const Election::Decision& decision) { follow(decision); },
                [this](std::span<const Guid> nodes) { multicast_.forget(nodes); }, parts.shared,
                [this](std::optional<plan::SaState> registrations) {
                  sa_.adopt(registrations ? std::move(*registrations) : sa_.state());
                },
                [this](std::shared_ptr<const plan::Orders> orders) { upkeep_.take(std::move(orders)); }},
               settings, std::move(ledger)),
      causes_(*parts.clock, settings->sweep.debounce, settings->sweep.debounce_max),
      background_(parts.executor),
      sa_(sa_surroundings(), sweeper_.ledger().sa, sa_settings(*settings)),
      multicast_(multicast_surroundings(), sweeper_.ledger().multicast, settings->sa.multicast_interval),
      responder_(*parts.transport, responses()),
      key_care_({&client_, parts.clock, &background_,
                 [this] { return election_.is_master() ? sweeper_.view() : nullptr; },
                 [this](std::string kind, std::string text) { tell(std::move(kind), std::move(text)); }}),
      own_port_({parts.transport, parts.clock, &background_, [this] { return client_.m_key_of(own_node()); },
                 [this] { return at_rest(); },
                 [this](const std::string& what) { causes_.add({SweepKind::full, what}); }}),
      audit_({&client_, parts.clock, &background_, &sweeper_.shadow(),
              [this] { return at_rest() ? sweeper_.view() : nullptr; }, [this] { return sweeper_.sweeps(); },
              [this](Guid node, const std::string& what) { drifted(node, what); },
              [this](Severity severity, std::string text) { tell("audit", std::move(text), severity); }}),
      damper_(*parts.clock, settings->traps,
              [this](const std::vector<TrapDamper::Storm>& storms) { tell_storms(storms); }),
      health_(settings->link_health),
      upkeep_(upkeep_surroundings(), sweeper_.ledger().orders),
      counters_(counter_surroundings(), settings->link_health, settings->smp.timeout),
      expected_(*parts.workers, expected_tell()),
      watch_({&client_, parts.clock, &background_,
              [this](const discovery::Manager& whom, const std::string& why) { lost_master(whom, why); },
              [this](const mad::SmInfo& info) { master_is_there(info); }}),
      heart_(*parts.clock, [this](Duration how_long) { stood_still(how_long); }) {
  client_.set_fence([this] { return may_set(); });
  key_care_.start(settings->m_key.keys.lease);
  audit_.start(settings->audit);
  election_.set_own_guid(parts.transport->local_port().guid);
  parts_.transport->on_unsolicited([this](const mad::Mad& mad) {
    heart_.check();
    responder_.handle(mad);
  });
  if (parts_.shared != nullptr) parts_.shared->on_lost([this](const std::string& why) { lost_shared(why); });
  parts_.transport->on_lost([this](const Error& why) {
    lost_ = why;
    sweeper_.stop();
    causes_.stop();
  });
}

Manager::~Manager() {
  parts_.clock->cancel(names_timer_);
  if (parts_.shared != nullptr) {
    parts_.shared->on_lost({});
    parts_.shared->leave();
  }
  parts_.transport->on_unsolicited({});
  parts_.transport->on_lost({});
}

Responder::Handlers Manager::responses() {
  Responder::Handlers on;
  on.self = [this] { return self(); };
  on.told = [this](Word word, const mad::SmInfo& speaker, std::optional<mad::DirectedRoute> back) {
    return told(word, speaker, std::move(back));
  };
  on.m_key_of = [this](Lid lid) { return m_key_of(lid); };
  on.is_our_m_key = [this](std::uint64_t shown) { return is_our_m_key(shown); };
  on.trap = [this](const mad::Notice& notice, Lid from) { on_trap(notice, from); };
  on.administration = [this](const mad::Mad& mad) { sa_.handle(mad); };
  return on;
}

std::uint64_t Manager::m_key_of(Lid lid) const {
  const auto view = sweeper_.view();
  const auto port = view ? plan::end_port_of(*view, lid) : std::nullopt;
  return client_.m_key_of(port ? view->fabric->node(port->node).guid : Guid{});
}

Guid Manager::own_node() const {
  const auto view = sweeper_.view();
  return view ? view->fabric->node(view->sm_port.node).guid : Guid{};
}

/// That of our own port; or the one that all ports' are made of, which a manager shows who does not know us.
bool Manager::is_our_m_key(std::uint64_t shown) const {
  return shown == client_.m_key_of(own_node()) || shown == client_.m_key_of(Guid{});
}

SaService::Surroundings Manager::sa_surroundings() {
  SaService::Surroundings around;
  around.transport = parts_.transport;
  around.clock = parts_.clock;
  around.executor = parts_.executor;
  around.workers = parts_.workers;
  around.client = &client_;
  around.tasks = &background_;
  around.devices = &sweeper_.shadow();
  around.self = [this] { return self(); };
  around.others = [this] { return sa_managers(); };
  if (Store* store = parts_.store; store != nullptr)
    around.keep = [store](const plan::SaState& state, Store::Done done) {
      store->save_sa(state, std::move(done));
    };
  around.tell = [this](std::string kind, std::string text) { tell(std::move(kind), std::move(text)); };
  around.note = [this](std::string kind, std::string text) {
    tell(std::move(kind), std::move(text), Severity::info);
  };
  around.groups_changed = [this] { multicast_.changed(); };
  around.multicast = [this] {
    const auto plan = multicast_.plan();
    return plan ? plan->tables : nullptr;
  };
  around.now = parts_.seconds;
  return around;
}

Multicast::Surroundings Manager::multicast_surroundings() {
  Multicast::Surroundings around;
  around.client = &client_;
  around.clock = parts_.clock;
  around.workers = parts_.workers;
  around.tasks = &background_;
  around.devices = &sweeper_.shadow();
  around.state = [this]() -> const plan::SaState& { return sa_.state(); };
  if (Store* store = parts_.store; store != nullptr)
    around.keep = [store](std::shared_ptr<const plan::MftDigestMap> digests, Store::Done done) {
      store->save_multicast(std::move(digests), std::move(done));
    };
  around.tell = [this](std::string problem) { tell("multicast", std::move(problem)); };
  return around;
}

/// Master, and the fabric as the last sweep wanted it.
bool Manager::at_rest() const {
  return election_.is_master() && !sweeping_ && last_full_ && last_full_->clean;
}

/// Whoever changed one table may have changed others: all of the device's are written again.
void Manager::drifted(Guid node, const std::string& what) {
  tell("drift", what);
  sweeper_.distrust(node);
  causes_.add({SweepKind::full, "the audit found a table that was changed"});
}

void Manager::tell(std::string kind, std::string text, Severity severity) {
  Event event;
  event.severity = severity;
  event.kind = std::move(kind);
  event.text = std::move(text);
  parts_.events->add(std::move(event));
}

/// The SA answers from what was published last, all through the next sweep, and only while we are master.
asio::awaitable<void> Manager::serve_sa() {
  const auto view = sweeper_.view();
  if (!view || !election_.is_master()) {
    stop_serving();
    co_return;
  }
  if (view->generation == served_generation_) co_return;
  served_generation_ = view->generation;
  if (sweeper_.took_over_from_another()) sa_.distrust();
  co_await sa_.publish(view, sweeper_.found_served(), sweeper_.found_strangers());
  multicast_.publish(view);
}

asio::awaitable<Result<void>> Manager::run() {
  causes_.add({SweepKind::full, "start"});
  own_port_.start();
  while (true) {
    std::optional<Cause> cause = co_await causes_.take();
    if (!cause || stopping_) break;
    if (election_.state() == mad::SmState::not_active) continue;  // until we are told otherwise
    sweeping_ = true;
    SweepReport report = co_await sweep(*cause);
    sweeping_ = false;
    if (stopping_ || lost_) break;
    // Who looked at a few places only has not looked at the others.
    const bool narrow = cause->narrow && report.kind == SweepKind::light;
    if (!narrow || !causes_.has_later()) plan_next(report);
  }
  co_await ended();
  if (lost_) co_return fail(Errc::unavailable, "{}", lost_->what);
  co_return Result<void>{};
}

asio::awaitable<SweepReport> Manager::run_once(int tries) {
  SweepReport report;
  for (int number = 0; number < tries; ++number) {
    const Cause cause{SweepKind::full, number == 0 ? "start" : "the last sweep was not clean"};
    report = co_await sweep(cause);
    if (report.clean || stopping_ || lost_ || state_ == State::standby) break;
  }
  co_return report;
}

/// A light sweep that sees a change goes on as a local or a full one.
asio::awaitable<SweepReport> Manager::sweep(Cause cause) {
  SweepReport report;
  const bool looks_at_all = cause.kind == SweepKind::light && !cause.narrow;
  const bool reads_names = (cause.names || looks_at_all) && !renamed_.empty();
  if (reads_names && cause.kind != SweepKind::full && election_.is_master() && sweeper_.can_look()) {
    if (looks_at_all) client_.forget_mute();
    report = co_await read_names(cause.text);
    if (stopping_ || lost_) co_return report;
    if (report.kind == SweepKind::local) settle(report);
    watch_links();
    co_await serve_sa();
    keep(report);
  }
  if (cause.only_names) {
    const bool read = report.number != 0;
    if (!read) report = {.kind = SweepKind::light, .clean = true};
    co_return report;
  }
  const bool local = election_.is_master() && sweeper_.can_look_around();
  if (cause.kind == SweepKind::local && !local) cause.kind = SweepKind::light;
  if (cause.kind == SweepKind::light && sweeper_.can_look() && election_.is_master()) {
    Sweeper::Seen seen;
    std::optional<std::vector<Guid>> only;
    if (cause.narrow) only = cause.places;
    report = co_await sweeper_.light(cause.text, seen, std::move(only));
    if (!stopping_ && !lost_) co_await serve_sa();  // a port may have told of other capabilities
    keep(report);
    if (seen.what.empty() || stopping_ || lost_) co_return report;
    cause = {seen.places.empty() || !local ? SweepKind::full : SweepKind::local,
             seen.what,
             seen.places,
             {},
             false};
  }
  if (cause.kind == SweepKind::local) {
    report = co_await sweeper_.local(cause.text, cause.places, cause.brief);
    note_places(report, cause.places);
  } else {
    const std::set<Guid> told = std::exchange(renamed_, {});  // it reads all descriptions
    report = co_await sweeper_.full(cause.text);
    if (!report.error.empty()) renamed_.insert(told.begin(), told.end());
  }
  if (stopping_ || lost_) co_return report;
  if (election_.state() == mad::SmState::discovering) {  // our own link is down
    watch_.stop();
    if (parts_.shared != nullptr) parts_.shared->leave();
  }
  settle(report);
  watch_links();
  co_await keep_is_sm();
  co_await serve_sa();
  keep(report);
  co_return report;
}

/// State and the sentence that goes with it.
void Manager::settle(const SweepReport& report) {
  if (election_.state() == mad::SmState::standby || election_.state() == mad::SmState::not_active)
    return note_standing();
  if (!report.error.empty()) {
    state_ = State::failed;
    text_ = report.error + ". It is tried again." +
            (sweeper_.view() ? " What is told of the fabric is as the last good sweep left it." : "");
    return;
  }
  state_ = State::master;
  if (report.clean && sweeper_.missing().empty())
    text_ = "the fabric is as planned";
  else if (report.clean)
    text_ = fmt::format("what is there is as planned; {} missing that {} there before",
                        counted(sweeper_.missing().size(), "part"),
                        sweeper_.missing().size() == 1 ? "was" : "were");
  else if (report.failed > 0)
    text_ =
        fmt::format("{} could not be written; sent again at the next sweep", counted(report.failed, "block"));
  else if (sweeper_.unreadable() > 0)
    text_ =
        fmt::format("{} with nodes or ports{}", counted(sweeper_.unreadable(), "problem"),
                    sweeper_.problems().empty() ? "" : ", the first: " + sweeper_.problems().front().what);
  else
    text_ = "the fabric changed during the sweep; another one follows";
}

/// When to look again: at the interval, or soon, and less soon each time, while something is wrong.
void Manager::plan_next(const SweepReport& report) {
  const Duration interval = settings_->sweep.interval;
  // A clean look does not mend what the last full sweep left undone.
  const bool clean = report.clean && last_full_ && last_full_->clean;
  failures_in_a_row_ = clean ? 0 : failures_in_a_row_ + 1;
  if (state_ == State::standby || state_ == State::disabled) return;  // the watch tells when
  // A local sweep has not looked at the others: the next look at all comes when it was to come.
  if (clean && report.kind == SweepKind::local && causes_.has_later()) return;
  if (clean) return causes_.add_later(interval, {SweepKind::light, "timer"});
  Duration wait = std::chrono::milliseconds(500) * (1 << std::min(failures_in_a_row_ - 1, 10));
  if (interval > Duration::zero()) wait = std::min(wait, interval);
  // What stays silent need not cost a look at all each time; yet a light one does not ask everything again.
  const bool only_unreadable = last_full_ && last_full_->error.empty() && last_full_->failed == 0 &&
                               last_full_->restless == 0 && failures_in_a_row_ > 3 &&
                               !std::has_single_bit(static_cast<unsigned>(failures_in_a_row_));
  causes_.add_later(wait,
                    {only_unreadable ? SweepKind::light : SweepKind::full, "the last sweep was not clean"});
}

void Manager::keep(const SweepReport& report) {
  log_report(report);
  nudge_lower_masters();
  if (report.kind != SweepKind::light) last_full_ = report;
  reports_.push_back(report);
  if (reports_.size() > kReportsKept) reports_.pop_front();
  if (on_sweep_) on_sweep_(report);
}

void Manager::stop() {
  stopping_ = true;
  state_ = State::stopping;
  causes_.stop();
  parts_.clock->cancel(names_timer_);
  watch_.stop();
  heart_.stop();
  key_care_.stop();
  audit_.stop();
  own_port_.stop();
  counters_.stop();
  sweeper_.stop();
  sa_.silence();
  multicast_.silence();
  if (parts_.shared != nullptr) parts_.shared->leave();
  parts_.transport->close();
}

std::uint64_t Manager::ask_for_sweep(std::string cause) {
  causes_.add({SweepKind::full, std::move(cause)});
  return sweeper_.sweeps() + 1;
}

void Manager::reconfigure(std::shared_ptr<const config::Settings> settings) {
  settings_ = settings;
  election_.set_settings(settings->manager);
  client_.set_settings(smp_settings(*settings));
  causes_.set_debounce(settings->sweep.debounce, settings->sweep.debounce_max);
  damper_.set_settings(settings->traps);
  health_.set_settings(settings->link_health);
  counters_.set_settings(settings->link_health, settings->smp.timeout);
  sa_.set_settings(sa_settings(*settings));
  key_care_.start(settings->m_key.keys.lease);
  audit_.start(settings->audit);
  multicast_.set_interval(settings->sa.multicast_interval);
  sweeper_.set_settings(std::move(settings));
  if (const auto whom = watch_.whom()) wait_for(*whom);  // at the new pace
  causes_.add({SweepKind::full, "new configuration"});
}

asio::awaitable<Result<Preview>> Manager::preview(std::shared_ptr<const config::Settings> settings,
                                                  Workers& workers) {
  if (!election_.is_master()) co_return fail(Errc::unavailable, "we are not master: ask the manager that is");
  std::optional<PreviewInput> input = sweeper_.preview_input();
  if (!input) co_return fail(Errc::unavailable, "the first sweep has not ended yet");
  input->settings = std::move(settings);
  input->registrations = sa_.state();
  const PreviewAround around{&client_, parts_.clock, &workers};
  Result<Preview> result = co_await daemon::preview(around, std::move(*input));
  co_return result;
}

std::optional<plan::TakenOver> Manager::import_ledger(plan::Ledger ledger) {
  const bool told = plan::counts_of(ledger.sa) != plan::RegistrationCounts{};
  std::optional<plan::TakenOver> taken = plan::TakenOver{};
  if (told) taken = sa_.hand_in(std::move(ledger.sa));
  // One with registrations alone says nothing of LIDs. What devices hold is not for a file to say.
  if (!told || !ledger.lids->empty()) sweeper_.take_lids(std::move(ledger.lids));
  causes_.add({SweepKind::full, "imported state"});
  return taken;
}

std::uint64_t Manager::accept() {
  sweeper_.take_for_whole();
  return ask_for_sweep("the fabric is taken for whole as it is");
}

void Manager::describe(Status& status) const {
  status.state = state_;
  status.text = text_;
  status.port_guid = election_.own_guid();
  status.lid = sweeper_.own_lid();
  status.generation = sweeper_.view() ? sweeper_.view()->generation : 0;
  status.progress = sweeper_.progress();
  status.last_full_sweep = last_full_;
  if (!reports_.empty()) status.last_sweep = reports_.back();
  status.other_managers = sweeper_.other_managers();
  for (const Problem& one : sweeper_.problems()) status.problems.push_back(one);
  for (Problem& one : standing_problems()) status.problems.push_back(std::move(one));
  for (Problem& one : upkeep_problems()) status.problems.push_back(std::move(one));
  for (Problem& one : expected_.problems()) status.problems.push_back(std::move(one));
  if (state_ == State::master)
    for (std::string& what : multicast_.problems())
      status.problems.push_back({{}, std::move(what), "Who is in which group:", "weftctl groups --members"});
  if (state_ == State::master && last_full_ && last_full_->clean && !status.problems.empty())
    status.text += fmt::format(
        ", but {} told below",
        status.problems.size() == 1 ? "a problem is" : counted(status.problems.size(), "problem") + " are");
  status.dirty = sweeper_.dirty();
  status.missing = sweeper_.missing();
  status.unmatched = sweeper_.unmatched();
}

}  // namespace weft::daemon
