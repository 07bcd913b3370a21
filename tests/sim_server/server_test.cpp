// The server's sockets: clients of both kinds, those that do not read, and those that are gone.
#include "sim/server/server.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "sim/server/address.h"
#include "sim/server/control.h"
#include "tests/sim_server/counter.h"

namespace weft::sim {
namespace {

using transport::ibsim::Descriptor;
using namespace std::chrono_literals;

/// A server in real time under a name of its own.
struct Running {
  Loop loop;
  topology::Topology topology = row_with_twin();
  World world{topology, loop, 1};
  Network network{world, {.hop = {}, .agent = {}}};
  Desk desk{network};
  std::string name = "weft-server-test-" + std::to_string(::getpid());
  Server server{loop, desk, name};
  Running() { EXPECT_TRUE(server.open().has_value()); }
  /// Lets the server work until this holds; false after two seconds.
  template <typename Condition>
  bool until(Condition holds) {
    const Instant end = loop.now() + 2s;
    while (!holds()) {
      if (loop.now() > end) return false;
      loop.turn(10ms);
    }
    return true;
  }
};

Descriptor connected(const std::string& name, int type) {
  Descriptor fd(::socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const Address address = *address_of(name);
  EXPECT_EQ(::connect(fd.get(), address.get(), address.length), 0) << name;
  return fd;
}

std::vector<std::uint8_t> received(int fd) {
  std::vector<std::uint8_t> message(1024);
  const ssize_t size = ::recv(fd, message.data(), message.size(), MSG_DONTWAIT);
  message.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return message;
}

void send_to(int fd, const std::vector<std::uint8_t>& message) {
  EXPECT_EQ(::send(fd, message.data(), message.size(), MSG_NOSIGNAL), static_cast<ssize_t>(message.size()));
}

/// Attached over a connection of our own protocol.
Descriptor wide_client(Running& running, std::string_view node) {
  Descriptor fd = connected(running.name + ":weft", SOCK_SEQPACKET);
  send_to(fd.get(), control_of(wire::kConnect, request_for(node)));
  std::vector<std::uint8_t> answer;
  EXPECT_TRUE(running.until([&] { return !(answer = received(fd.get())).empty(); }));
  EXPECT_EQ(head_of(answer)->kind, wire::kConnect);
  return fd;
}

/// Attached as ibsim's own clients do it.
struct StockClient {
  Descriptor control;
  Descriptor data;
  StockClient(Running& running, std::string_view node, std::uint32_t id)
      : control(*bound_socket(SOCK_DGRAM, running.name + ":ctl" + std::to_string(id))),
        data(*bound_socket(SOCK_DGRAM, running.name + ":in" + std::to_string(id))) {
    const Address to = *address_of(running.name + ":ctl");
    EXPECT_EQ(::connect(control.get(), to.get(), to.length), 0);
    wire::Connect request = request_for(node);
    request.extension = 0;
    request.id = id;
    send_to(control.get(), control_of(wire::kConnect, request));
    std::vector<std::uint8_t> answer;
    EXPECT_TRUE(running.until([&] { return !(answer = received(control.get())).empty(); }));
    const auto number = data_of<std::uint32_t>(answer);
    const Address out = *address_of(running.name + ":out" + std::to_string(number));
    EXPECT_EQ(::connect(data.get(), out.get(), out.length), 0);
  }
};

mad::Mad question() { return mad::to_mad(get(mad::AttrId::node_info, 0, {1})); }

TEST(Server, AnswersClientsOfBothKinds) {
  Running running;
  StockClient stock(running, "h0", 1);
  const Descriptor wide = wide_client(running, "h1");
  send_to(stock.data.get(), stock_datagram(question()));
  send_to(wide.get(), wide_datagram(question(), 4));
  std::vector<std::uint8_t> answer;
  ASSERT_TRUE(running.until([&] { return !(answer = received(stock.data.get())).empty(); }));
  EXPECT_EQ(answer.size(), 288u);
  ASSERT_TRUE(running.until([&] { return !(answer = received(wide.get())).empty(); }));
  EXPECT_EQ(answer.size(), wire::kWideSize);
}

TEST(Server, KeepsTheNameForItself) {
  Running running;
  Server second(running.loop, running.desk, running.name);
  EXPECT_EQ(second.open().error().code, Errc::conflict);
}

TEST(Server, ServesFarMoreThanTenClients) {
  Running running;
  std::vector<Descriptor> wide;
  std::vector<std::unique_ptr<StockClient>> stock;
  for (std::uint32_t i = 0; i < 40; ++i) {
    wide.push_back(wide_client(running, "h1"));
    stock.push_back(std::make_unique<StockClient>(running, "h0", 100 + i));
  }
  EXPECT_EQ(running.desk.client_count(), 80u);
  send_to(stock.back()->data.get(), stock_datagram(question()));
  std::vector<std::uint8_t> answer;
  EXPECT_TRUE(running.until([&] { return !(answer = received(stock.back()->data.get())).empty(); }));
}

TEST(Server, NoticesAClientThatIsGoneAndClearsItsIsSm) {
  Running running;
  const auto is_sm = [&](const char* node) {
    const PortIndex port = running.world.port_of(*running.world.find(node), PortNum{1});
    return (running.world.port(port).info.capabilities & raw(mad::PortCap::is_sm)) != 0;
  };
  auto stock = std::make_unique<StockClient>(running, "h0", 7);
  send_to(stock->control.get(), [] {
    std::vector<std::uint8_t> message = control_of(wire::kSetIsSm, std::uint32_t{1});
    return message;
  }());
  auto wide = std::make_unique<Descriptor>(wide_client(running, "h1"));
  send_to(wide->get(), control_of(wire::kSetIsSm, std::uint32_t{1}));
  ASSERT_TRUE(running.until([&] { return is_sm("h0") && is_sm("h1"); }));
  stock.reset();
  wide.reset();
  EXPECT_TRUE(running.until([&] { return !is_sm("h0") && !is_sm("h1"); }));
  EXPECT_EQ(running.desk.client_count(), 0u);
}

TEST(Server, IsNotHeldUpByAClientThatReadsNothing) {
  Running running;
  const Descriptor stuck = wide_client(running, "h1");
  StockClient other(running, "h0", 9);
  std::size_t sent = 0;
  for (int round = 0; round < 400; ++round) {
    for (int i = 0; i < 64; ++i) {
      const std::vector<std::uint8_t> message = wide_datagram(question(), 1);
      if (::send(stuck.get(), message.data(), message.size(), MSG_NOSIGNAL) > 0) ++sent;
    }
    running.loop.turn(1ms);
  }
  ASSERT_GT(sent, Client::kQueue);
  EXPECT_GT(running.desk.find(0)->stats().dropped, 0u);
  send_to(other.data.get(), stock_datagram(question()));
  std::vector<std::uint8_t> answer;
  EXPECT_TRUE(running.until([&] { return !(answer = received(other.data.get())).empty(); }));
}

TEST(Server, RestsWhileNoDescriptorIsLeftForAConnection) {
  Running running;
  const Descriptor wide = connected(running.name + ":weft", SOCK_SEQPACKET);  // waits to be accepted
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(Descriptor(::dup(0)).get());  // the lowest that is free
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  int turns = 0;
  for (const Instant end = running.loop.now() + 50ms; running.loop.now() < end; ++turns)
    running.loop.turn(50ms);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_LT(turns, 20);
  send_to(wide.get(), control_of(wire::kConnect, request_for("h0")));
  std::vector<std::uint8_t> answer;
  EXPECT_TRUE(running.until([&] { return !(answer = received(wide.get())).empty(); }));
}

TEST(Server, EndsTheConnectionOfADroppedClient) {
  Running running;
  const Descriptor wide = wide_client(running, "h1");
  EXPECT_TRUE(running.server.drop_client(0));
  EXPECT_FALSE(running.server.drop_client(0));
  char byte = 0;
  EXPECT_EQ(::recv(wide.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST(Control, TakesALineAndSaysWhetherItWasDone) {
  Running running;
  Console console;
  add_fabric_commands(console, running.network);
  Control control(running.loop, console, running.name);
  ASSERT_TRUE(control.open().has_value());
  const Descriptor visitor = connected(running.name + ":console", SOCK_STREAM);
  const std::string lines = "status\ndance\n";
  send_to(visitor.get(), {lines.begin(), lines.end()});
  std::string said;
  EXPECT_TRUE(running.until([&] {
    const std::vector<std::uint8_t> more = received(visitor.get());
    said.append(more.begin(), more.end());
    return said.ends_with("error: no command dance; try help\n");
  })) << said;
  EXPECT_TRUE(said.starts_with("nodes=7 switches=3")) << said;
  EXPECT_NE(said.find("\nok\n"), std::string::npos);
}

TEST(Control, WaitsForAVisitorThatDoesNotRead) {
  Running running;
  Console console;
  add_fabric_commands(console, running.network);
  Control control(running.loop, console, running.name);
  ASSERT_TRUE(control.open().has_value());
  const Descriptor visitor = connected(running.name + ":console", SOCK_STREAM);
  std::size_t sent = 0;
  for (int refused = 0; refused < 20;) {
    ASSERT_LT(sent, 4u << 20) << "all of it is taken";
    const std::string_view line = "status\n";
    const ssize_t size = ::send(visitor.get(), line.data() + sent % line.size(),
                                line.size() - sent % line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) sent += static_cast<std::size_t>(size);
    refused = size > 0 ? 0 : refused + 1;
    if (size < 0) running.loop.turn(1ms);
  }
  ::shutdown(visitor.get(), SHUT_WR);
  std::size_t answers = 0;
  std::string said;
  EXPECT_TRUE(running.until([&] {
    for (std::vector<std::uint8_t> more; !(more = received(visitor.get())).empty();) {
      said.append(more.begin(), more.end());
      for (std::size_t at; (at = said.find("ok\n")) != std::string::npos; ++answers) said.erase(0, at + 3);
    }
    return answers == sent / 7;
  })) << answers
      << " of " << sent / 7;
}

}  // namespace
}  // namespace weft::sim
