// How many SMPs per second the ibsim transport carries through SmpClient, and what each costs us:
//   ibsim_rate [count] [window]
// against the ibsim that IBSIM_SOCKNAME names.

#include <sys/resource.h>

#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "mad/node_info.h"
#include "transport/concurrency.h"
#include "transport/ibsim/ibsim_transport.h"
#include "transport/real_clock.h"
#include "transport/run.h"
#include "transport/smp_client.h"

namespace {

using namespace weft;
using namespace weft::transport;

struct Asker {
  SmpClient& client;
  int& answered;
  asio::awaitable<void> operator()(int) const { return ask(client, answered); }
  static asio::awaitable<void> ask(SmpClient& client, int& answered) {
    Target target;
    Result<mad::AttrData> answer = co_await client.get(std::move(target), mad::AttrId::node_info, 0);
    if (answer) ++answered;
  }
};

asio::awaitable<Done> ask_all(SmpClient& client, std::span<const int> items, std::size_t window,
                              int& answered) {
  const Asker work{client, answered};
  co_await for_each(items, window, work);
  co_return Done{};
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 500'000;
  const int window = argc > 2 ? std::atoi(argv[2]) : 128;
  asio::io_context loop(1);
  RealClock clock(loop);
  const IbsimTransport::Options options = IbsimTransport::options_from_environment();
  auto transport = run(loop, IbsimTransport::connect(loop, clock, options));
  if (!transport) {
    fmt::print(stderr, "{}\n", transport.error().what);
    return 1;
  }
  SmpSettings settings;
  settings.window = window;
  SmpClient client(**transport, clock, settings);
  std::vector<int> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);

  int answered = 0;
  const Instant start = clock.now();
  const double cpu_start = cpu_seconds();
  run(loop, ask_all(client, items, static_cast<std::size_t>(window), answered));
  const double wall = std::chrono::duration<double>(clock.now() - start).count();
  const double cpu = cpu_seconds() - cpu_start;
  fmt::print("smps={} answered={} window={} per_second={:.0f} cpu_us_per_smp={:.2f}\n", count, answered,
             window, count / wall, cpu * 1e6 / count);
  return answered == count ? 0 : 1;
}
