// What the control API costs the loop on a large fabric: every GET that is served, asked of a manager with
// the whole fabric in its hands. CPU time of the thread, so that a busy machine does not count:
//
//   longest   the longest piece of work on the loop: what everything else waits for
//   loop      all pieces of one answer
//   beside    what is computed on the workers meanwhile
//
//   api_flows [--check MS] [BLUEPRINT]     --check: ends with 1 when a piece takes longer

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/whole/asked_api.h"

namespace weft::bench {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

Milliseconds cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Pieces of work on the loop, and what was taken off it.
class Meter {
 public:
  void begin() { since_ = cpu_now(); }
  void end() {
    const Milliseconds took = cpu_now() - since_;
    longest = std::max(longest, took);
    loop += took;
  }
  Milliseconds longest{};
  Milliseconds loop{};
  Milliseconds beside{};

 private:
  Milliseconds since_{};
};

/// Works in place, and says so to the meter.
class MeteredWorkers final : public daemon::Workers {
 public:
  void run(std::function<void()> work, std::function<void()> done) override {
    if (meter != nullptr) meter->end();
    const Milliseconds before = cpu_now();
    work();
    if (meter != nullptr) meter->beside += cpu_now() - before;
    if (meter != nullptr) meter->begin();
    done();
  }
  Meter* meter = nullptr;
};

struct Figures {
  std::string target;
  int status = 0;
  std::size_t bytes = 0;
  Meter meter;
};

Figures ask(const test::AskedApi& api, MeteredWorkers& workers, const std::string& target) {
  Figures figures{target, 0, 0, {}};
  workers.meter = &figures.meter;
  auto request = daemon::request_from_target(target).value();
  request.method = "GET";
  figures.meter.begin();
  daemon::Response response = api.router().answer(request);
  if (response.later) {
    const daemon::Response::Later later = std::move(response.later);
    later([&response](daemon::Response answer) { response = std::move(answer); });
  }
  figures.meter.end();
  figures.status = response.status;
  figures.bytes = response.body.size();
  std::string piece;
  for (bool more = static_cast<bool>(response.more); more;) {
    figures.meter.begin();
    more = response.more(piece);
    figures.meter.end();
    figures.bytes += std::exchange(piece, {}).size();
  }
  if (response.live) {
    figures.meter.begin();
    response.live->next(piece);
    figures.meter.end();
    figures.bytes += piece.size();
  }
  workers.meter = nullptr;
  return figures;
}

/// What a path is asked with, beside nothing: what there is, and the most that may be asked for.
std::vector<std::string> queries_of(const std::string& path, const std::string& leaf) {
  const std::string pair = "?from=h00000&to=h11000";
  const std::map<std::string, std::vector<std::string>> known{
      {"/v1/nodes", {"", "?limit=10000", "?name=*7*&limit=10000"}},
      {"/v1/links", {"", "?limit=10000", "?below_best=1"}},
      {"/v1/ports", {"", "?limit=10000"}},
      {"/v1/path", {pair}},
      {"/v1/sa/path", {pair}},
      {"/v1/sa/join", {"?port=h00000"}},
      {"/v1/tables", {"?switch=" + leaf, "?limit=10000&switch=" + leaf}},
      {"/v1/partitions", {"", "?members=1"}},
      {"/v1/groups", {"", "?members=1"}},
      {"/v1/events", {"", "?limit=10000", "?port=h11000"}},
      {"/v1/counters", {"?limit=10000"}},
      {"/v1/explain/port", {"?port=h11000"}},
      {"/v1/explain/lid", {"?lid=11000"}},
      {"/v1/explain/path", {pair}},
      {"/v1/explain/partition", {"?a=h00000&b=h11000"}},
      {"/v1/explain/pkey", {"?port=h11000"}},
      {"/v1/explain/qos", {pair}},
      {"/v1/fabric", {"", "?flows=0"}},
      {"/v1/dump/opensm", {"?file=subnet", "?file=fdbs", "?file=mcfdbs", "?file=slvl"}},
      {"/metrics", {"", "?ports=1"}}};
  const auto found = known.find(path);
  return found == known.end() ? std::vector<std::string>{""} : found->second;
}

int run(const std::string& blueprint, double most_ms) {
  test::Whole whole(blueprint);
  whole.start({}, config::read_text("routing: { port_sets: compact }\n", "settings").value().settings);
  if (!whole.settle()) {
    std::fprintf(stderr, "the fabric does not come up: %s\n", whole.faults().c_str());
    return 1;
  }
  const fabric::Fabric& fabric = *whole.manager->view()->fabric;
  MeteredWorkers workers;
  const test::AskedApi api(whole, {}, &workers);
  fmt::print("{}: {} switches, {} hosts\n\n{:<44}{:>8}{:>12}{:>12}{:>10}{:>10}\n", blueprint,
             fabric.switch_count(), fabric.host_count(), "GET", "status", "bytes", "longest ms", "loop ms",
             "beside ms");
  double worst = 0;
  for (const daemon::Route& route : api.router().routes()) {
    if (route.method != "GET") continue;
    for (const std::string& query : queries_of(route.path, to_string(fabric.node(SwitchId{0}).guid))) {
      Figures told = ask(api, workers, route.path + query);
      for (int again = 0; again < 2; ++again) {  // the worst of three: the first finds nothing computed
        const Figures next = ask(api, workers, route.path + query);
        told.meter.longest = std::max(told.meter.longest, next.meter.longest);
        told.meter.loop = std::max(told.meter.loop, next.meter.loop);
      }
      worst = std::max(worst, told.meter.longest.count());
      fmt::print("{:<44}{:>8}{:>12}{:>12.1f}{:>10.1f}{:>10.1f}\n", told.target.substr(0, 43), told.status,
                 told.bytes, told.meter.longest.count(), told.meter.loop.count(), told.meter.beside.count());
    }
  }
  fmt::print("\nlongest of all: {:.1f} ms\n", worst);
  return most_ms > 0 && worst > most_ms ? 1 : 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  std::string blueprint = "fat-tree:radix=36,levels=3";  // 11,664 hosts, 1,620 switches
  double most_ms = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--check" && i + 1 < argc)
      most_ms = std::stod(argv[++i]);
    else
      blueprint = word;
  }
  return weft::bench::run(blueprint, most_ms);
}
