// How many PathRecords per second a subnet administration answers through a simulator's socket, how long one
// takes, and what it costs the one who answers:
//   sa_rate ask lid|gid COUNT WINDOW [PID]    asks, on the node SIM_HOST names; PID: whose CPU is counted
//   sa_rate nothing                           answers every request with itself, until it is killed
// Of the simulator that IBSIM_SOCKNAME names. Run by bench/sa_rate.py.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

#include "mad/port_info.h"
#include "mad/sa_records.h"
#include "mad/smp.h"
#include "transport/concurrency.h"
#include "transport/ibsim/ibsim_transport.h"
#include "transport/real_clock.h"
#include "transport/run.h"
#include "transport/smp_client.h"

namespace {

using namespace weft;  // NOLINT: a main of its own
using namespace weft::transport;
using std::chrono::seconds;

struct Peer {
  Lid lid{};
  Guid guid{};
};

struct Asking {
  Transport& transport;
  Clock& clock;
  Lid sa{};
  bool by_gid = false;
  std::vector<Peer> peers;
  std::vector<double> took_us;
  std::size_t failed = 0;
};

mad::Mad request_to(Lid sa, mad::SaAttr attribute, std::uint64_t mask) {
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::subn_adm;
  header.class_version = mad::kSaVersion;
  header.method = mad::Method::get;
  header.attribute = static_cast<mad::AttrId>(attribute);
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
  mad::SaHeader sa_header;
  sa_header.component_mask = mask;
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa_header);
  mad.address = {.lid = sa, .qp = 1};
  return mad;
}

/// Who has LID `number`; nobody's is left out.
struct Look {
  Asking* asking;
  asio::awaitable<void> operator()(int number) const { return look(*asking, number); }
  static asio::awaitable<void> look(Asking& asking, int number) {
    mad::Mad mad = request_to(asking.sa, mad::SaAttr::node_record, 1);
    put_bits(std::span<std::uint8_t>(mad.bytes), mad::kSaDataAt * 8, 16, static_cast<std::uint64_t>(number));
    Result<mad::Mad> answer = co_await asking.transport.exchange(mad, seconds(5));
    if (!answer || mad::header_of(*answer).status != 0) co_return;
    // Who answers with the request itself says nothing of nodes.
    const bool host = answer->bytes[mad::kSaDataAt + 6] <= 1;
    const auto guid = static_cast<Guid>(get_bits(answer->bytes, (mad::kSaDataAt + 24) * 8, 64));
    if (host) asking.peers.push_back({static_cast<Lid>(number), guid});
  }
};

struct Ask {
  Asking* asking;
  asio::awaitable<void> operator()(int number) const { return ask(*asking, number); }
  static asio::awaitable<void> ask(Asking& asking, int number) {
    const auto i = static_cast<std::size_t>(number);
    const Peer& from = asking.peers[i % asking.peers.size()];
    const Peer& to = asking.peers[(i * 7919 + 4099) % asking.peers.size()];
    mad::PathRecord path;
    path.paths = 1;
    std::uint64_t mask = 1u << 12;
    if (asking.by_gid) {
      path.sgid = {kLinkLocalPrefix, raw(from.guid)};
      path.dgid = {kLinkLocalPrefix, raw(to.guid)};
      mask |= 1u << 2 | 1u << 3;
    } else {
      path.slid = from.lid;
      path.dlid = to.lid;
      mask |= 1u << 4 | 1u << 5;
    }
    mad::Mad mad = request_to(asking.sa, mad::SaAttr::path_record, mask);
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), path);
    const Instant began = asking.clock.now();
    Result<mad::Mad> answer = co_await asking.transport.exchange(mad, seconds(5));
    asking.failed += !answer || mad::header_of(*answer).status != 0;
    asking.took_us.push_back(std::chrono::duration<double, std::micro>(asking.clock.now() - began).count());
  }
};

template <typename Work>
asio::awaitable<Done> all(const Work& work, std::span<const int> items, std::size_t window) {
  co_await for_each(items, window, work);
  co_return Done{};
}

asio::awaitable<Result<mad::AttrData>> own_port(SmpClient& client) {
  Target target;
  Result<mad::AttrData> answer =
      co_await client.get(target, mad::AttrId::port_info, mad::port_info_modifier(PortNum{0}));
  co_return answer;
}

double cpu_of(const char* pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string word;
  double ticks = 0;
  for (int i = 1; i <= 15 && file >> word; ++i)
    if (i >= 14) ticks += std::atof(word.c_str());
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

int ask(Transport& transport, asio::io_context& loop, Clock& clock, int argc, char** argv) {
  Asking asking{transport, clock, {}, std::string_view(argv[2]) == "gid", {}, {}, 0};
  const int count = std::atoi(argv[3]);
  const auto window = static_cast<std::size_t>(std::atoi(argv[4]));
  const char* pid = argc > 5 ? argv[5] : "self";
  SmpClient client(transport, clock, {});
  const auto port = run(loop, own_port(client));
  if (!port) return fmt::print(stderr, "{}\n", port.error().what), 1;
  asking.sa = mad::decode<mad::PortInfo>(*port).sm_lid;
  std::vector<int> items(static_cast<std::size_t>(std::max(count, 49'151)));
  std::iota(items.begin(), items.end(), 1);
  const int last = argc > 6 ? std::atoi(argv[6]) : 2000;
  run(loop, all(Look{&asking}, std::span<const int>(items).first(static_cast<std::size_t>(last)), 64));
  if (asking.peers.size() < 2) return fmt::print(stderr, "nobody answers at LID {}\n", raw(asking.sa)), 1;
  std::ranges::sort(asking.peers, {}, &Peer::lid);
  const double cpu = cpu_of(pid);
  const Instant began = clock.now();
  run(loop, all(Ask{&asking}, std::span<const int>(items).first(static_cast<std::size_t>(count)), window));
  const double wall = std::chrono::duration<double>(clock.now() - began).count();
  const double spent = cpu_of(pid) - cpu;
  std::ranges::sort(asking.took_us);
  const auto at = [&](double share) {
    return asking.took_us[static_cast<std::size_t>(share * static_cast<double>(asking.took_us.size() - 1))];
  };
  fmt::print(
      "peers={} answers={} failed={} per_second={:.0f} cpu_us={:.2f} p50_us={:.0f} p99_us={:.0f} "
      "max_us={:.0f}\n",
      asking.peers.size(), count, asking.failed, count / wall, spent * 1e6 / count, at(0.5), at(0.99), at(1));
  return asking.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (!(what == "nothing" || (what == "ask" && argc > 4))) {
    fmt::print(stderr, "usage: sa_rate ask lid|gid COUNT WINDOW [PID [HIGHEST-LID]] | nothing\n");
    return 2;
  }
  asio::io_context loop(1);
  RealClock clock(loop);
  IbsimTransport::Options options = IbsimTransport::options_from_environment();
  options.is_sm = what == "nothing";
  auto transport = run(loop, IbsimTransport::connect(loop, clock, options));
  if (!transport) return fmt::print(stderr, "{}\n", transport.error().what), 1;
  if (what == "ask") return ask(**transport, loop, clock, argc, argv);
  (*transport)->on_unsolicited([&](const mad::Mad& request) {
    mad::Mad answer = request;
    answer.bytes[3] |= 0x80;
    if (mad::is_response(mad::method_of(request))) return;
    static_cast<void>((*transport)->send(answer));
  });
  loop.run();
  return 0;
}
