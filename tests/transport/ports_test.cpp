#include "transport/umad/ports.h"

#include <gtest/gtest.h>

namespace weft::transport::tests {
namespace {

PortEntry port(std::string device, int number, std::uint64_t guid) {
  PortEntry entry;
  entry.device = std::move(device);
  entry.number = static_cast<PortNum>(number);
  entry.guid = Guid{guid};
  entry.link_layer = "InfiniBand";
  entry.state = PortState::init;
  entry.phys_state = PhysState::link_up;
  return entry;
}

PortEntry disabled(PortEntry entry) {
  entry.is_sm_disabled = true;
  return entry;
}

PortEntry ethernet(PortEntry entry) {
  entry.link_layer = "Ethernet";
  return entry;
}

bool says(const Error& error, std::string_view words) { return error.what.find(words) != std::string::npos; }

TEST(ChoosePort, TakesTheOnlyUsableOneOfFour) {
  const std::vector<PortEntry> ports{disabled(port("mlx5_0", 1, 1)), disabled(port("mlx5_1", 1, 2)),
                                     ethernet(port("mlx5_2", 1, 3)), port("mlx5_3", 1, 4)};
  const Result<PortEntry> choice = choose_port(ports, {});
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->device, "mlx5_3");
}

TEST(ChoosePort, ListsAllCandidatesWhenSeveralFit) {
  const std::vector<PortEntry> ports{port("mlx5_0", 1, 0x11), port("mlx5_1", 1, 0x12),
                                     disabled(port("mlx5_2", 1, 3))};
  const Result<PortEntry> choice = choose_port(ports, {});
  ASSERT_FALSE(choice.has_value());
  EXPECT_EQ(choice.error().code, Errc::ambiguous);
  EXPECT_TRUE(says(choice.error(), "mlx5_0 port 1 guid 0x0000000000000011"));
  EXPECT_TRUE(says(choice.error(), "mlx5_1 port 1"));
  EXPECT_TRUE(says(choice.error(), "IsSMDisabled"));
}

TEST(ChoosePort, TakesTheNamedOneByDeviceOrGuid) {
  const std::vector<PortEntry> ports{port("mlx5_0", 1, 0x11), port("mlx5_0", 2, 0x12)};
  const WantedPort by_number{"mlx5_0", PortNum{2}, {}};
  const WantedPort by_guid{"", {}, Guid{0x11}};
  EXPECT_EQ(choose_port(ports, by_number)->guid, Guid{0x12});
  EXPECT_EQ(choose_port(ports, by_guid)->number, PortNum{1});
  const WantedPort device_only{"mlx5_0", {}, {}};
  EXPECT_EQ(choose_port(ports, device_only).error().code, Errc::ambiguous);
}

TEST(ChoosePort, WaitsForWhatIsNotThereYet) {
  const WantedPort wanted{"mlx5_1", PortNum{1}, {}};
  EXPECT_EQ(choose_port({}, {}).error().code, Errc::unavailable);
  EXPECT_EQ(choose_port({port("mlx5_0", 1, 0x11)}, wanted).error().code, Errc::unavailable);
  EXPECT_EQ(choose_port({disabled(port("mlx5_0", 1, 0x11))}, {}).error().code, Errc::unavailable);
}

TEST(ChoosePort, NeverTakesAPortThatMayRunNoManagerEvenWhenNamed) {
  const WantedPort wanted{"mlx5_0", PortNum{1}, {}};
  for (const PortEntry& entry : {disabled(port("mlx5_0", 1, 0x11)), ethernet(port("mlx5_0", 1, 0x11))}) {
    const Result<PortEntry> choice = choose_port({entry, port("mlx5_1", 1, 0x12)}, wanted);
    EXPECT_EQ(choice.error().code, Errc::invalid);
  }
}

TEST(ChoosePort, TakesAPortWhoseLinkLayerTheKernelDoesNotTell) {
  PortEntry entry = port("ibsim0", 1, 0x11);
  entry.link_layer = "IB";
  EXPECT_TRUE(choose_port({entry}, {}).has_value());
}

TEST(ChoosePort, ADeviceThatFailsDoesNotHideTheOthers) {
  PortEntry broken;
  broken.device = "mlx5_0";
  broken.fault = "Input/output error";
  const Result<PortEntry> choice = choose_port({broken, port("mlx5_1", 1, 0x12)}, {});
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->device, "mlx5_1");
  const Result<PortEntry> wait = choose_port({broken}, {"mlx5_0", PortNum{1}, {}});
  EXPECT_EQ(wait.error().code, Errc::unavailable);
  EXPECT_TRUE(says(wait.error(), "Input/output error"));
}

}  // namespace
}  // namespace weft::transport::tests
