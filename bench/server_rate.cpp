// How many MADs per second a simulator takes of the mix that a cold bring-up is made of, and what each costs
// it:
//   server_rate FABRIC [count] [window] [server's process id]     the server that IBSIM_SOCKNAME names
//   server_rate FABRIC [count] [window] in-process                our own, without sockets, in virtual time
// The mix is that of weftd on a fat tree: one NodeInfo a cable's end, NodeDescription and SwitchInfo or
// PortInfo a node, two Sets a port, and 64 LIDs a Set of a forwarding table. Run by bench/server_rate.py on
// ibsim and weftsim.

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "base/virtual_clock.h"
#include "mad/port_info.h"
#include "mad/smp.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "sim/network.h"
#include "topology/load.h"
#include "transport/ibsim/endpoint.h"

namespace {

using namespace weft;  // NOLINT: a main of its own
namespace ibsim = transport::ibsim;

mad::Smp smp_on(const std::vector<PortNum>& path, mad::Method method, mad::AttrId attribute,
                std::uint32_t modifier) {
  mad::Smp smp;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.route = mad::DirectedRoute(path);
  return smp;
}

/// What a manager at `start` sends in one bring-up, in some order of its phases.
std::vector<mad::Mad> bring_up(const topology::Topology& topology, std::uint32_t start) {
  std::vector<std::vector<topology::End>> peers(topology.nodes.size());
  std::vector<std::vector<PortNum>> exits(topology.nodes.size());
  for (const topology::Cable& cable : topology.cables) {
    peers[cable.a.node].push_back(cable.b);
    exits[cable.a.node].push_back(cable.a.port);
    peers[cable.b.node].push_back(cable.a);
    exits[cable.b.node].push_back(cable.b.port);
  }
  std::vector<std::optional<std::vector<PortNum>>> paths(topology.nodes.size());
  paths[start].emplace();
  std::vector<mad::Mad> found;
  std::vector<mad::Mad> ports;
  std::vector<mad::Mad> tables;
  std::deque<std::uint32_t> next{start};
  const std::size_t blocks = topology.nodes.size() / 64 + 1;
  while (!next.empty()) {
    const std::uint32_t node = next.front();
    next.pop_front();
    const std::vector<PortNum>& path = *paths[node];
    const bool is_switch = topology.nodes[node].type == NodeType::switch_;
    found.push_back(mad::to_mad(smp_on(path, mad::Method::get, mad::AttrId::node_description, 0)));
    found.push_back(mad::to_mad(
        smp_on(path, mad::Method::get, is_switch ? mad::AttrId::switch_info : mad::AttrId::port_info, 0)));
    for (std::size_t i = 0; i < peers[node].size(); ++i) {
      const auto port = static_cast<std::uint32_t>(raw(exits[node][i]));
      mad::Smp set = smp_on(path, mad::Method::set, mad::AttrId::port_info, port);
      mad::PortInfo info;
      info.lid = is_switch ? kLidNone : static_cast<Lid>(node + 1);
      set.data = mad::encode(info);
      ports.push_back(mad::to_mad(set));
      ports.push_back(mad::to_mad(set));
      if (!is_switch && node != start) continue;
      std::vector<PortNum> longer = path;
      longer.push_back(exits[node][i]);
      found.push_back(mad::to_mad(smp_on(longer, mad::Method::get, mad::AttrId::node_info, 0)));
      if (paths[peers[node][i].node]) continue;
      paths[peers[node][i].node] = longer;
      next.push_back(peers[node][i].node);
    }
    for (std::uint32_t block = 0; is_switch && block < blocks; ++block) {
      mad::Smp set = smp_on(path, mad::Method::set, mad::AttrId::linear_forwarding, block);
      set.data.fill(1);
      tables.push_back(mad::to_mad(set));
    }
  }
  found.insert(found.end(), ports.begin(), ports.end());
  found.insert(found.end(), tables.begin(), tables.end());
  std::uint64_t tid = 0;
  for (mad::Mad& mad : found) mad::set_tid(mad, ++tid);
  return found;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// User and system time of another process.
double cpu_seconds(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::vector<std::string> words((std::istream_iterator<std::string>(rest)), {});
  if (words.size() < 13) return 0;
  return (std::atof(words[11].c_str()) + std::atof(words[12].c_str())) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Attached to the server as ibsim's clients are.
ibsim::Endpoint attach(const ibsim::Server& server) {
  Result<ibsim::Endpoint> endpoint = ibsim::open_endpoint(server);
  if (!endpoint) {
    fmt::print(stderr, "{}\n", endpoint.error().what);
    std::exit(1);
  }
  ibsim::send_control(endpoint->control.get(), ibsim::connect_message(endpoint->id, false, "h00000"));
  pollfd waiting{endpoint->control.get(), POLLIN, 0};
  ::poll(&waiting, 1, 5000);
  const std::optional<ibsim::ControlMessage> answer = ibsim::receive_control(endpoint->control.get());
  if (!answer || !ibsim::connect_data(server, *endpoint, ibsim::first_number(*answer))) {
    fmt::print(stderr, "no answer to CONNECT\n");
    std::exit(1);
  }
  return std::move(*endpoint);
}

std::size_t over_sockets(const std::vector<mad::Mad>& mix, std::size_t count, std::size_t window) {
  ibsim::Server server;
  if (const char* name = std::getenv("IBSIM_SOCKNAME")) server.name = name;
  const ibsim::Endpoint endpoint = attach(server);
  ibsim::Receiver receiver;
  std::size_t sent = 0;
  std::size_t answered = 0;
  while (answered < count) {
    std::array<const mad::Mad*, ibsim::kBatch> batch{};
    std::size_t fill = 0;
    while (fill < batch.size() && sent + fill < count && sent + fill - answered < window) {
      batch[fill] = &mix[(sent + fill) % mix.size()];
      ++fill;
    }
    if (fill > 0) sent += ibsim::send_mads(endpoint.data.get(), std::span(batch).first(fill)).count;
    pollfd waiting{endpoint.data.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 5000) <= 0) return answered;
    const auto got = receiver.receive(endpoint.data.get());
    if (!got) return answered;
    answered += got->size();
  }
  return answered;
}

struct Sink final : sim::Endpoint {
  std::size_t answered = 0;
  void receive(const mad::Mad& /*mad*/) override { ++answered; }
  void device_lost(const Error& /*why*/) override {}
};

std::size_t in_process(const topology::Topology& topology, const std::vector<mad::Mad>& mix,
                       std::size_t count, std::size_t window) {
  VirtualClock clock;
  sim::World world(topology, clock, 1);
  sim::Network network(world);
  Sink sink;
  const auto client = network.attach(world.port_of(*world.find("h00000"), PortNum{1}), sink);
  for (std::size_t sent = 0; sent < count;) {
    for (std::size_t i = 0; i < window && sent < count; ++i) network.send(client, mix[sent++ % mix.size()]);
    clock.run_until(clock.now() + std::chrono::milliseconds(1));
  }
  network.detach(client);
  return sink.answered;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    fmt::print(stderr, "usage: server_rate FABRIC [count] [window] [process id | in-process]\n");
    return 2;
  }
  const Result<topology::Topology> topology = topology::load(words[0]);
  if (!topology) {
    fmt::print(stderr, "{}\n", topology.error().what);
    return 2;
  }
  const std::size_t count = words.size() > 1 ? std::strtoul(words[1].c_str(), nullptr, 10) : 400'000;
  const std::size_t window = words.size() > 2 ? std::strtoul(words[2].c_str(), nullptr, 10) : 64;
  std::uint32_t start = 0;
  while (start + 1 < topology->nodes.size() && topology->nodes[start].id != "h00000") ++start;
  const std::vector<mad::Mad> mix = bring_up(*topology, start);
  const bool inside = words.size() > 3 && words[3] == "in-process";
  const int server = words.size() > 3 && !inside ? std::atoi(words[3].c_str()) : 0;
  const auto cpu_now = [&] { return inside ? own_cpu_seconds() : cpu_seconds(server); };
  const double cpu = cpu_now();
  const double wall = wall_seconds();
  const std::size_t answered =
      inside ? in_process(*topology, mix, count, window) : over_sockets(mix, count, window);
  const double took = wall_seconds() - wall;
  fmt::print("mads={} answered={} window={} mix={} per_second={:.0f} server_cpu_us_per_mad={:.3f}\n", count,
             answered, window, mix.size(), static_cast<double>(count) / took,
             (cpu_now() - cpu) * 1e6 / static_cast<double>(count));
  return answered == count ? 0 : 1;
}
