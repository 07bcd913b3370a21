// A program that uses all of libibumad's interface, to be run under weftsim-run at the node h1 of the fabric
// that stands beside it (tests/fabrics/two-ports.net): what a driver does, this one must do. Source: umad.h,
// its manual pages, and the kernel.
#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/smp.h"
#include "tests/system/programs.h"

namespace weft::system_test {
namespace {

using namespace std::chrono_literals;
using mad::AttrId;

constexpr int kSmi = 0x81;
Output ctl(const std::string& command) {
  return run("env -u LD_PRELOAD " + program("weftsim") + " ctl --socket " + std::getenv("IBSIM_SOCKNAME") +
             " " + command);
}

/// A umad buffer with one MAD.
struct Packet {
  alignas(8) std::array<std::uint8_t, 56 + 8 + mad::kMadSize> bytes{};
  Packet() = default;
  explicit Packet(const mad::Smp& smp) {
    const mad::Mad mad = mad::to_mad(smp);
    std::ranges::copy(mad.bytes, data());
    umad_set_addr(this->umad(), 0xffff, 0, 0, 0);
  }
  void* umad() { return bytes.data(); }
  std::uint8_t* data() { return static_cast<std::uint8_t*>(umad_get_mad(umad())); }
  mad::Mad mad() {
    mad::Mad got;
    std::copy_n(data(), mad::kMadSize, got.bytes.begin());
    return got;
  }
};

mad::Smp ask(AttrId attribute, std::vector<int> exits, std::uint32_t modifier = 0, std::uint64_t tid = 1) {
  mad::Smp smp;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.tid = tid;
  std::vector<PortNum> ports;
  for (const int exit : exits) ports.push_back(static_cast<PortNum>(exit));
  smp.route = mad::DirectedRoute(ports);
  return smp;
}

/// An open port, closed with its owner.
struct Port {
  explicit Port(int number = 0) : fd(umad_open_port(nullptr, number)) { EXPECT_GE(fd, 0); }
  ~Port() { umad_close_port(fd); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  int agent(int mgmt_class, std::initializer_list<int> methods = {}) const {
    long mask[16 / sizeof(long)] = {};
    for (const int method : methods) mask[method / 64] |= 1l << (method % 64);
    return umad_register(fd, mgmt_class, 1, 0, methods.size() == 0 ? nullptr : mask);
  }
  int send(int agent, const mad::Smp& smp, int timeout_ms = 1000, int retries = 0) const {
    Packet packet(smp);
    return umad_send(fd, agent, packet.umad(), mad::kMadSize, timeout_ms, retries);
  }
  /// The agent that got something, or a negative number of errno.
  int receive(Packet& packet, int timeout_ms = 5000) const {
    int length = mad::kMadSize;
    return umad_recv(fd, packet.umad(), &length, timeout_ms);
  }
  int fd;
};

TEST(UmadRun, TellsOfOneDeviceWithAllPortsOfItsNode) {
  char names[4][UMAD_CA_NAME_LEN];
  ASSERT_EQ(umad_get_cas_names(names, 4), 1);
  EXPECT_STREQ(names[0], "weftsim0");
  umad_ca_t ca;
  ASSERT_EQ(umad_get_ca(names[0], &ca), 0);
  EXPECT_EQ(ca.numports, 2);
  ASSERT_NE(ca.ports[2], nullptr);
  EXPECT_EQ(ca.ports[2]->portnum, 2);
  EXPECT_EQ(ca.ports[2]->phys_state, 5u);
  EXPECT_NE(ca.ports[1]->port_guid, ca.ports[2]->port_guid);
  umad_release_ca(&ca);
  EXPECT_LT(umad_open_port(nullptr, 3), 0);
  EXPECT_LT(umad_open_port("mlx5_0", 1), 0);
}

TEST(UmadRun, AsksFromThePortThatWasOpened) {
  for (const int number : {1, 2}) {
    const Port port(number);
    const int agent = port.agent(kSmi);
    ASSERT_GE(agent, 0);
    ASSERT_EQ(port.send(agent, ask(AttrId::node_info, {number})), 0);
    Packet got;
    ASSERT_EQ(port.receive(got), agent);
    EXPECT_EQ(umad_status(got.umad()), 0);
    const auto info = mad::decode<mad::NodeInfo>(std::span(got.data() + mad::kSmpDataAt, mad::kSmpDataSize));
    EXPECT_EQ(raw(info.local_port), number) << "the switch's port that it came in by";
  }
}

TEST(UmadRun, CarriesAllBytesOfAMad) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  mad::Smp smp = ask(AttrId::node_info, {1, 4, 2});
  Packet packet(smp);
  ASSERT_EQ(umad_send(port.fd, agent, packet.umad(), mad::kMadSize, 1000, 0), 0);
  Packet got;
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_EQ(got.data()[192 + 3], 1) << "the return path: into h3 by its port 1";
  EXPECT_EQ(got.data()[255], 0) << "the last byte is the MAD's own";
}

TEST(UmadRun, GivesARequestBackWhenItsTimeIsOver) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  ASSERT_EQ(ctl("mute S2").status, 0);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(port.send(agent, ask(AttrId::node_info, {1, 4}, 0, 77), 60, 2), 0);
  Packet got;
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_EQ(umad_status(got.umad()), ETIMEDOUT);
  EXPECT_EQ(got.data()[3], 0x01) << "the request itself";
  EXPECT_EQ(mad::tid_of(got.mad()) & 0xffffffff, 77u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 180ms) << "three attempts of 60 ms";
  ASSERT_EQ(ctl("unmute S2").status, 0);
}

TEST(UmadRun, AsksAgainUntilItIsAnswered) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  ASSERT_EQ(ctl("clear-counts").status, 0);
  ASSERT_EQ(ctl("lose S2 what=answer").status, 0);
  ASSERT_EQ(port.send(agent, ask(AttrId::node_info, {1, 4}), 100, 100), 0);
  ASSERT_TRUE(eventually([] { return ctl("counts S2").text.find(" 3") != std::string::npos; }, 10s));
  ASSERT_EQ(ctl("heal S2").status, 0);
  Packet got;
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_EQ(umad_status(got.umad()), 0);
}

TEST(UmadRun, WakesPollSelectAndEpollExactlyWhileSomethingWaits) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  const int fd = umad_get_fd(port.fd);
  const int epoll = epoll_create1(0);
  epoll_event wanted{.events = EPOLLIN, .data = {}};
  ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted), 0);
  const auto readable = [&](int wait_ms) {
    pollfd one{fd, POLLIN, 0};
    const bool polled = poll(&one, 1, wait_ms) == 1;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    timeval now{};
    EXPECT_EQ(select(fd + 1, &set, nullptr, nullptr, &now) == 1, polled);
    epoll_event got{};
    EXPECT_EQ(epoll_wait(epoll, &got, 1, 0) == 1, polled);
    EXPECT_EQ(umad_poll(port.fd, 0) == 0, polled);
    return polled;
  };
  EXPECT_FALSE(readable(0));
  for (int i = 1; i <= 2; ++i) port.send(agent, ask(AttrId::node_info, {1}, 0, static_cast<unsigned>(i)));
  EXPECT_TRUE(readable(5000));
  Packet got;
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_TRUE(readable(5000)) << "the second";
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_FALSE(readable(0));
  EXPECT_EQ(port.receive(got, 10), -ETIMEDOUT);
  close(epoll);
}

TEST(UmadRun, GivesAnAnswerToTheAgentThatAsked) {
  const Port port(1);
  const int first = port.agent(kSmi);
  const int second = port.agent(kSmi);
  ASSERT_NE(first, second);
  port.send(second, ask(AttrId::node_info, {1}, 0, 5));
  Packet got;
  EXPECT_EQ(port.receive(got), second);
  port.send(first, ask(AttrId::node_info, {1}, 0, 5));
  EXPECT_EQ(port.receive(got), first);
}

TEST(UmadRun, RefusesASecondAgentForTheSameMethodsUntilTheFirstIsGone) {
  const Port port(1);
  const Port same(1);
  const int first = port.agent(kSmi, {0x01, 0x05});
  ASSERT_GE(first, 0);
  EXPECT_LT(same.agent(kSmi, {0x05}), 0);
  EXPECT_GE(same.agent(kSmi, {0x02}), 0);
  EXPECT_EQ(umad_unregister(port.fd, first), 0);
  EXPECT_GE(same.agent(kSmi, {0x05}), 0);
  const Port other(2);
  EXPECT_GE(other.agent(kSmi, {0x05}), 0) << "another port has its own agents";
}

TEST(UmadRun, DropsWhatNoAgentIsFor) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  // To itself, of a class that nobody here has registered.
  Packet packet;
  packet.data()[0] = 1;
  packet.data()[1] = 0x32;
  packet.data()[2] = 1;
  packet.data()[3] = 1;
  umad_set_addr(packet.umad(), 1, 1, 0, 0);
  EXPECT_EQ(umad_send(port.fd, agent, packet.umad(), mad::kMadSize, 0, 0), 0);
  port.send(agent, ask(AttrId::node_info, {1}, 0, 9));
  Packet got;
  ASSERT_EQ(port.receive(got), agent);
  EXPECT_EQ(mad::tid_of(got.mad()) & 0xffffffff, 9u) << "only what it asked for";
}

TEST(UmadRun, HasOneSmAPortAndTellsIt) {
  const auto is_sm = [](int number) {
    umad_port_t told;
    EXPECT_EQ(umad_get_port(nullptr, number, &told), 0);
    const bool set = (be32toh(told.capmask) & 2u) != 0;
    umad_release_port(&told);
    return set;
  };
  char path[256];
  ASSERT_EQ(umad_get_issm_path(nullptr, 1, path, sizeof(path)), 0);
  EXPECT_FALSE(is_sm(1));
  const int first = open(path, O_NONBLOCK);
  ASSERT_GE(first, 0);
  EXPECT_TRUE(is_sm(1));
  EXPECT_FALSE(is_sm(2));
  EXPECT_EQ(open(path, O_NONBLOCK), -1);
  EXPECT_EQ(errno, EAGAIN);
  close(first);
  EXPECT_TRUE(eventually([&] { return !is_sm(1); }, 5s));
  const int again = open(path, O_NONBLOCK);
  EXPECT_GE(again, 0);
  close(again);
}

TEST(UmadRun, SurvivesTheLossOfItsDevice) {
  const Port port(1);
  const int agent = port.agent(kSmi);
  ASSERT_EQ(ctl("lose-device 'h1[1]' away=10ms").status, 0);
  Packet got;
  EXPECT_LT(port.receive(got), 0);
  EXPECT_LT(port.send(agent, ask(AttrId::node_info, {1})), 0);
  EXPECT_TRUE(eventually(
      [] {
        const int fd = umad_open_port(nullptr, 1);
        if (fd >= 0) umad_close_port(fd);
        return fd >= 0;
      },
      5s));
}

}  // namespace
}  // namespace weft::system_test
