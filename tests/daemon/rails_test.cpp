// What subnets of one daemon tell each other: cables that are crossed.

#include "daemon/rails.h"

#include <gtest/gtest.h>

#include "canned.h"

namespace weft::daemon {
namespace {

/// Hosts on one switch, each by the given devices.
fabric::Fabric rail(std::uint64_t switch_guid, const std::vector<std::pair<int, std::string>>& hosts) {
  fabric::Builder builder;
  test::add_node(builder, NodeType::switch_, switch_guid, "leaf", 36);
  std::uint8_t port = 0;
  for (const auto& [number, device] : hosts) {
    const std::uint64_t guid = switch_guid * 1000 + 10u * ++port;
    test::add_node(builder, NodeType::hca, guid, fmt::format("node{} {}", number, device), 1);
    EXPECT_TRUE(builder.connect({Guid{switch_guid}, PortNum{port}}, {Guid{guid}, PortNum{1}}));
  }
  return builder.build();
}

TEST(Rails, NameThePortsThatAreInAnotherSubnetThanAllOfTheirKind) {
  Rails rails;
  rails.found("rail1", rail(1, {{1, "mlx5_0"}, {2, "mlx5_0"}, {3, "mlx5_0"}, {4, "mlx5_0"}, {5, "mlx5_1"}}));
  EXPECT_TRUE(rails.crossed("rail1").empty()) << "one subnet alone tells nothing";
  rails.found("rail2", rail(2, {{1, "mlx5_1"}, {2, "mlx5_1"}, {3, "mlx5_1"}, {4, "mlx5_1"}, {5, "mlx5_0"}}));
  const auto in_one = rails.crossed("rail1");
  ASSERT_EQ(in_one.size(), 1u);
  EXPECT_EQ(in_one[0].what,
            "mlx5_1 port 1 of node5 is in this subnet, and 4 of 5 such ports are in rail2: are its cables "
            "crossed?");
  ASSERT_EQ(rails.crossed("rail2").size(), 1u);
  EXPECT_EQ(rails.crossed("rail2")[0].what.substr(0, 22), "mlx5_0 port 1 of node5");
  rails.gone("rail2");
  EXPECT_TRUE(rails.crossed("rail1").empty());
}

TEST(Rails, SayNothingWhereThereIsNoRule) {
  Rails rails;
  rails.found("a", rail(1, {{1, "HCA-1"}, {2, "HCA-1"}, {3, "HCA-1"}}));
  rails.found("b", rail(2, {{4, "HCA-1"}, {5, "HCA-1"}, {6, "HCA-1"}}));
  EXPECT_TRUE(rails.crossed("a").empty());
  EXPECT_TRUE(rails.crossed("b").empty());
}

TEST(Rails, TellOfASwitchThatIsInTwo) {
  Rails rails;
  rails.found("a", rail(7, {{1, "x"}}));
  rails.found("b", rail(7, {{1, "x"}}));
  const auto crossed = rails.crossed("a");
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_EQ(crossed[0].node, Guid{7});
  EXPECT_NE(crossed[0].what.find("is in subnet b, too"), std::string::npos);
}

TEST(Rails, CountWhatWouldBeTooMuchToTell) {
  std::vector<std::pair<int, std::string>> wrong;
  for (int i = 0; i < 30; ++i) wrong.emplace_back(i, "mlx5_1");
  Rails rails;
  rails.found("a", rail(1, wrong));
  fabric::Builder many;
  for (std::uint64_t s = 0; s < 4; ++s) {
    test::add_node(many, NodeType::switch_, 100 + s, "leaf", 36);
    for (std::uint8_t p = 1; p <= 35; ++p) {
      const std::uint64_t guid = 100'000 * (s + 1) + 10u * p;
      test::add_node(many, NodeType::hca, guid, fmt::format("host{} mlx5_1", guid), 1);
      EXPECT_TRUE(many.connect({Guid{100 + s}, PortNum{p}}, {Guid{guid}, PortNum{1}}));
    }
  }
  rails.found("b", many.build());
  const auto crossed = rails.crossed("a");
  ASSERT_EQ(crossed.size(), 21u);
  EXPECT_EQ(crossed.back().what, "10 ports more seem crossed likewise");
}

}  // namespace
}  // namespace weft::daemon
