#pragma once
// AskedApi: the control API of the manager of a Whole, asked without a socket. To be destroyed before it.

#include <stdexcept>

#include <boost/json/parse.hpp>

#include "daemon/api.h"
#include "tests/whole/whole.h"

namespace weft::test {

class AskedApi {
 public:
  /// `settings`: what the API tells of the configuration. `workers`: for what takes long; null: at once, in
  /// place.
  explicit AskedApi(Whole& whole, config::Settings settings = {}, daemon::Workers* workers = nullptr) {
    auto loaded = std::make_shared<config::Loaded>();
    loaded->settings = std::move(settings);
    daemon::ApiSource source;
    source.view = [&whole] { return whole.manager->view(); };
    source.config = [loaded] { return loaded; };
    source.configs = [] { return nullptr; };
    source.read_config = [](const std::string& text, const auto& done) {
      done(config::read_text(text, "file"));
    };
    source.config_objection = [](const config::Loaded&) { return std::string(); };
    source.preview = [&whole](std::shared_ptr<const config::Settings> other, const auto& done) {
      asio::co_spawn(whole.loop, whole.manager->preview(std::move(other), *whole.workers),
                     [done](std::exception_ptr, const Result<daemon::Preview>& found) { done(found); });
    };
    source.status = [&whole] { return whole.status(); };
    source.sa = [&whole]() -> std::optional<daemon::SaView> {
      const daemon::SaService& sa = whole.manager->sa();
      return daemon::SaView{sa.state(), sa.counts(), whole.manager->multicast().counts(), sa.index(),
                            [&sa](const sa::Request& request) { return sa.ask(request); }};
    };
    source.whole = [&whole] { return whole.manager->whole(); };
    source.events = [&whole](const daemon::EventQuery& query) { return whole.events->find(query); };
    source.event_ids = [&whole] { return std::pair(whole.events->first_id(), whole.events->last_id()); };
    source.past_events = [](const daemon::EventQuery&, const daemon::Store::EventsDone& done) {
      done(std::vector<daemon::Event>());
    };
    source.sweeps = [&whole] {
      return std::vector<daemon::SweepReport>(whole.manager->sweeps().begin(), whole.manager->sweeps().end());
    };
    source.past_sweeps = [&whole](const daemon::SweepQuery&, const daemon::Store::SweepsDone& done) {
      done(std::vector<daemon::SweepReport>(whole.manager->sweeps().begin(), whole.manager->sweeps().end()));
    };
    source.upkeep = [&whole] { return whole.manager->upkeep_rows(); };
    source.ask_upkeep = [&whole](const daemon::UpkeepRequest& request) {
      return whole.manager->ask_upkeep(request);
    };
    source.sweep = [&whole](std::string cause) { return whole.manager->ask_for_sweep(std::move(cause)); };
    source.accept = [&whole] { return whole.manager->accept(); };
    source.hand_over = [&whole](std::optional<Guid> to) { return whole.manager->hand_over(to); };
    source.import_ledger = [&whole](const plan::Ledger& ledger) -> Result<std::optional<plan::TakenOver>> {
      return whole.manager->import_ledger(ledger);
    };
    source.news = std::make_shared<daemon::News>();
    source.workers = workers != nullptr ? workers : &workers_;
    source.tallies = [this]() -> const daemon::Tallies& { return tallies_; };
    source.smps = [&whole] {
      const transport::SmpClient& client = std::as_const(*whole.manager).client();
      return daemon::SmpTotals{client.sent(), client.sets_sent(), client.timeouts()};
    };
    source.readings = [&whole]() -> const std::map<plan::Place, daemon::PortReadings>& {
      return std::as_const(*whole.manager).counters().readings();
    };
    source.read_counters = [&whole](fabric::PortRef port, daemon::CounterPoll::Take take) {
      whole.manager->counters().read_now(whole.manager->view(), port, std::move(take));
    };
    source.clock = [&whole] { return whole.clock.now(); };
    router_ = daemon::make_api(std::move(source));
  }
  AskedApi(const AskedApi&) = delete;
  AskedApi& operator=(const AskedApi&) = delete;

  const daemon::Router& router() const { return router_; }

  daemon::Response get(const std::string& target) const {
    auto request = daemon::request_from_target(target);
    request->method = "GET";
    return router_.answer(*request);
  }
  /// The answer to a request, when it has come: the Whole runs until then, for a second at most.
  daemon::Response ask(Whole& whole, const std::string& method, const std::string& target,
                       std::string body = {}) const {
    auto request = daemon::request_from_target(target);
    request->method = method;
    request->body = std::move(body);
    daemon::Response response = router_.answer(*request);
    if (response.later) {
      const auto there = std::make_shared<std::optional<daemon::Response>>();
      const daemon::Response::Later later = std::move(response.later);
      later([there](daemon::Response answer) { *there = std::move(answer); });
      if (!whole.run_until([&] { return there->has_value(); }, std::chrono::seconds(1)))
        throw std::runtime_error("no answer to " + target);
      response = std::move(**there);
    }
    std::string piece;
    while (response.more && response.more(piece)) response.body += std::exchange(piece, {});
    return response;
  }
  boost::json::value json_of(const std::string& target) const { return boost::json::parse(get(target).body); }

 private:
  /// Works at once, where it is asked to.
  struct AtOnce final : daemon::Workers {
    void run(std::function<void()> work, std::function<void()> done) override {
      work();
      done();
    }
  };
  AtOnce workers_;
  daemon::Tallies tallies_;
  daemon::Router router_;
};

}  // namespace weft::test
