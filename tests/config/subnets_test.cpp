// Several subnets in one file.

#include <gtest/gtest.h>

#include "config/read.h"
#include "config/subnet_types.h"

namespace weft::config {
namespace {

Loaded good(std::string_view yaml, std::span<const Override> options = {}) {
  Result<Loaded> loaded = read_text(yaml, "w.yaml", options);
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded ? std::move(*loaded) : Loaded{};
}

std::string why_not(std::string_view yaml) {
  const Result<Loaded> loaded = read_text(yaml, "w.yaml");
  return loaded ? "" : loaded.error().what;
}

constexpr std::string_view kRails = R"(
sweep: { interval: 3s }
subnet: { subnet_timeout: 500ms }
subnets:
  rail1:
    port: { device: mlx5_0 }
    subnet: { prefix: "fec0:0:0:1::" }
  rail2:
    port: { device: mlx5_1, failover: [mlx5_2/1] }
    subnet: { prefix: "fec0:0:0:2::" }
    sweep: { interval: 7s }
)";

TEST(SubnetsOfAFile, HaveWhatAllShareAndWhatIsTheirOwn) {
  const Loaded loaded = good(kRails);
  ASSERT_EQ(loaded.subnets.size(), 2u);
  const Settings& one = loaded.subnets[0].settings;
  const Settings& two = loaded.subnets[1].settings;
  EXPECT_EQ(one.subnet, "rail1");
  EXPECT_EQ(two.subnet, "rail2");
  EXPECT_EQ(one.transport.port.device, "mlx5_0");
  EXPECT_EQ(two.transport.port.device, "mlx5_1");
  EXPECT_EQ(one.sweep.interval, std::chrono::seconds(3));
  EXPECT_EQ(two.sweep.interval, std::chrono::seconds(7));
  EXPECT_EQ(one.plan.subnet.subnet_timeout, two.plan.subnet.subnet_timeout);
  EXPECT_NE(one.plan.subnet.prefix, two.plan.subnet.prefix);
  ASSERT_EQ(two.transport.failover.size(), 1u);
  EXPECT_EQ(to_string(two.transport.failover[0]), "mlx5_2/1");
  EXPECT_TRUE(loaded.notes.empty());
  EXPECT_EQ(origin_of(loaded.subnets[0], "sweep.interval").place.line, 2);
  EXPECT_EQ(origin_of(loaded.subnets[1], "sweep.interval").place.line, 11);
}

TEST(SubnetsOfAFile, DoNotShareStateOrSocket) {
  const Loaded loaded = good(kRails);
  ASSERT_EQ(loaded.subnets.size(), 2u);
  EXPECT_EQ(loaded.subnets[0].settings.state_dir, "/var/lib/weft/rail1");
  EXPECT_EQ(loaded.subnets[1].settings.control.socket, "/run/weft/weftd-rail2.sock");
  EXPECT_EQ(loaded.subnets[1].settings.store.prefix, "/weft/rail2/");
}

TEST(SubnetsOfAFile, ListenAtOnePortAfterTheOther) {
  const std::string common = "control: { tcp: { listen: '127.0.0.1:8723', open_reading: true } }";
  const auto listen_of = [](const std::string& yaml, std::size_t which) {
    return good(yaml).subnets.at(which).settings.control.tcp.listen;
  };
  EXPECT_EQ(listen_of(common + std::string(kRails), 0), "127.0.0.1:8723");
  EXPECT_EQ(listen_of(common + std::string(kRails), 1), "127.0.0.1:8724");
  const std::string own = std::string(kRails) + "    control: { tcp: { listen: '127.0.0.1:9000' } }\n";
  EXPECT_EQ(listen_of(common + own, 1), "127.0.0.1:9000");
  const std::string any = "control: { tcp: { listen: '[::1]:0', open_reading: true } }";
  EXPECT_EQ(listen_of(any + std::string(kRails), 1), "[::1]:0");
  const std::string last = "control: { tcp: { listen: '127.0.0.1:65535', open_reading: true } }";
  EXPECT_NE(why_not(last + std::string(kRails)).find("have the same control.tcp.listen"), std::string::npos);
}

TEST(SubnetsOfAFile, TakeTheCommandLineBetweenTheFileAndTheirOwn) {
  const std::vector<Override> options{{"state_dir", "/tmp/s"}, {"sweep.interval", "5s"}};
  const Loaded loaded = good(kRails, options);
  ASSERT_EQ(loaded.subnets.size(), 2u);
  EXPECT_EQ(loaded.subnets[0].settings.state_dir, "/tmp/s/rail1");
  EXPECT_EQ(loaded.subnets[0].settings.sweep.interval, std::chrono::seconds(5));
  EXPECT_EQ(loaded.subnets[1].settings.sweep.interval, std::chrono::seconds(7));
}

TEST(SubnetsOfAFile, NeedNotBeWholeWithoutTheirOwnKeys) {
  const Loaded loaded = good(
      "transport: { kind: sim }\nsubnets:\n  a: { transport: { sim: { fabric: 'ring:4' } } }\n"
      "  b: { transport: { sim: { fabric: 'ring:5' } } }\n");
  ASSERT_EQ(loaded.subnets.size(), 2u);
  EXPECT_EQ(loaded.subnets[1].settings.transport.sim_fabric, "ring:5");
  EXPECT_NE(why_not("transport: { kind: sim }\nsubnets: { a: {} }\n").find("needs transport.sim.fabric"),
            std::string::npos);
}

TEST(SubnetsOfAFile, AreRefusedWhereTheyCollide) {
  EXPECT_NE(why_not("subnets: { a: {}, b: {} }").find("subnets a and b both take any port"),
            std::string::npos);
  EXPECT_NE(
      why_not("subnets: { a: { port: { device: m } }, b: { port: { device: m } } }").find("the same port: m"),
      std::string::npos);
  EXPECT_NE(why_not("subnets: { a: { port: { device: m }, state_dir: /x }, b: { port: { device: n }, "
                    "state_dir: /x } }")
                .find("the same state_dir: /x"),
            std::string::npos);
}

TEST(SubnetsOfAFile, AreToldWhereAKeyIsWrongAndWhichOneIsNotTheirs) {
  const std::string typo = why_not("subnets:\n  a:\n    sweep: { intervall: 3s }\n");
  EXPECT_NE(typo.find("subnets.a"), std::string::npos) << typo;
  EXPECT_NE(typo.find("w.yaml:3:"), std::string::npos) << typo;
  EXPECT_NE(typo.find("did you mean sweep.interval"), std::string::npos) << typo;
  EXPECT_NE(why_not("subnets: { a: { log: { level: debug } } }").find("is the same for all subnets"),
            std::string::npos);
  EXPECT_NE(why_not("subnets: { a: { subnets: { b: {} } } }").find("is the same for all subnets"),
            std::string::npos);
  EXPECT_NE(why_not("subnets: { 'a b': {} }").find("a subnet's name has letters"), std::string::npos);
  EXPECT_NE(why_not("subnets: { a: 3 }").find("expects a map of keys"), std::string::npos);
  EXPECT_NE(why_not("subnets: [a]").find("expects a map of names"), std::string::npos);
  EXPECT_NE(why_not("subnets: { a: { port: { device: m } }, a: {} }").find("twice"), std::string::npos);
}

TEST(SubnetsOfAFile, WithOnePrefixAreNoted) {
  const Loaded loaded = good("subnets: { a: { port: { device: m } }, b: { port: { device: n } } }");
  ASSERT_EQ(loaded.notes.size(), 1u);
  EXPECT_NE(loaded.notes[0].find("have the same subnet.prefix"), std::string::npos);
}

TEST(PortList, TakesDevicesNumbersAndGuidsAndNothingElse) {
  const Loaded loaded = good("port: { failover: [mlx5_1/2, mlx5_2, 2, 0x0002c903000e0b73] }");
  ASSERT_EQ(loaded.settings.transport.failover.size(), 4u);
  EXPECT_EQ(loaded.settings.transport.failover[0], (PortChoice{"mlx5_1", 2, {}}));
  EXPECT_EQ(loaded.settings.transport.failover[1], (PortChoice{"mlx5_2", {}, {}}));
  EXPECT_EQ(loaded.settings.transport.failover[2], (PortChoice{"", 2, {}}));
  EXPECT_EQ(loaded.settings.transport.failover[3], (PortChoice{"", {}, Guid{0x0002c903000e0b73}}));
  for (const char* wrong : {"mlx5_1/0", "/1", "mlx5_1/", "0xnothing", "255", "a/b"})
    EXPECT_NE(why_not(fmt::format("port: {{ failover: ['{}'] }}", wrong)).find("names no local port"),
              std::string::npos)
        << wrong;
}

TEST(SocketOfSubnet, HasTheNameBeforeItsEnd) {
  EXPECT_EQ(socket_of_subnet("/run/weft/weftd.sock", "r1"), "/run/weft/weftd-r1.sock");
  EXPECT_EQ(socket_of_subnet("/run/we.ft/sock", "r1"), "/run/we.ft/sock-r1");
  EXPECT_EQ(socket_of_subnet("/run/.sock", "r1"), "/run/.sock-r1");
}

}  // namespace
}  // namespace weft::config
