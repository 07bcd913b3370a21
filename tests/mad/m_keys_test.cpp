#include "mad/m_keys.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::mad {
namespace {

// openssl dgst -sha256 -mac HMAC -macopt hexkey:1122334455667788 over the GUID 0002c903000e0b72
TEST(DeviceMKey, IsTheBeginningOfAnHmac) {
  EXPECT_EQ(device_m_key(0x1122334455667788, Guid{0x0002c903000e0b72}), 0x862b7c3dba543690);
}

TEST(DeviceMKey, DiffersForEveryDeviceAndKey) {
  std::set<std::uint64_t> made;
  for (std::uint64_t key = 1; key <= 10; ++key)
    for (std::uint64_t guid = 1; guid <= 100; ++guid) made.insert(device_m_key(key, Guid{guid}));
  EXPECT_EQ(made.size(), 1000u);
  EXPECT_FALSE(made.contains(0));
}

TEST(MKeys, OfADeviceAreThoseOfTheFileOrMadeOfThem) {
  MKeys keys{.keys = {7, 0, 9}};
  EXPECT_EQ(keys.for_device(Guid{5}), (std::vector<std::uint64_t>{7, 0, 9}));
  keys.per_device = true;
  EXPECT_EQ(keys.for_device(Guid{}), (std::vector<std::uint64_t>{7, 0, 9})) << "nobody knows who it is";
  EXPECT_EQ(keys.for_device(Guid{5}),
            (std::vector<std::uint64_t>{device_m_key(7, Guid{5}), 0, device_m_key(9, Guid{5})}));
}

TEST(MKeyShown, TellsOursFromOthers) {
  PortInfo info;
  EXPECT_EQ(m_key_shown(info, 7), MKeyShown::none);
  info.m_key_protect = 1;
  EXPECT_EQ(m_key_shown(info, 7), MKeyShown::hidden);
  info.m_key = 7;
  EXPECT_EQ(m_key_shown(info, 7), MKeyShown::ours);
  EXPECT_EQ(m_key_shown(info, 8), MKeyShown::another);
}

}  // namespace
}  // namespace weft::mad
