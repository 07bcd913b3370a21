#include "mad/layout.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/mad/attributes.h"

namespace weft::mad {
namespace {

constexpr int kRounds = 200;

template <typename S, typename T>
constexpr std::size_t member_bits(const Field<S, T>&) {
  return std::is_same_v<T, bool> ? 1 : sizeof(T) * 8;
}
template <typename S, typename T, std::size_t N>
constexpr std::size_t member_bits(const ArrayField<S, T, N>&) {
  return sizeof(T) * 8;
}
template <typename S>
constexpr std::size_t member_bits(const TextField<S>& field) {
  return field.bits % 8 == 0 && field.first % 8 == 0 ? field.bits : 0;
}

TEST(Layout, IsInOrderAndFitsTheMembersOfEveryAttribute) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    SCOPED_TRACE(attribute.name);
    static_assert(in_order<S>());
    static_assert(layout_bytes<S>() <= kMadSize - kSmpDataAt);
    for_each_field<S>([](const auto& field) { EXPECT_LE(field.bits, member_bits(field)) << field.name; });
  });
}

TEST(Layout, NamesEveryFieldOnce) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    std::set<std::string_view> names;
    for_each_field<S>([&](const auto& field) {
      EXPECT_FALSE(field.name.empty());
      EXPECT_TRUE(names.insert(field.name).second) << attribute.name << " " << field.name;
    });
  });
}

TEST(Layout, OfEveryHeaderInMadIsTested) {
  std::set<std::string> tested;
  for_each_attribute([&](const auto& attribute) { tested.emplace(attribute.name); });
  const std::regex specialised(R"(kLayout<(\w+)>\s*=\s*std::tuple)");
  std::set<std::string> declared;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/mad")) {
    if (entry.path().extension() != ".h") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator at(source.begin(), source.end(), specialised), end; at != end; ++at)
      declared.insert((*at)[1]);
  }
  EXPECT_EQ(declared, tested);
}

TEST(Codec, DecodesWhatItEncoded) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
      std::mt19937_64 random(seed);
      const S value = decode<S>(random_data<AttributeBytes<S>>(random));
      EXPECT_EQ(decode<S>(encode_whole(value)), value) << attribute.name << " seed " << seed;
    }
  });
}

TEST(Codec, HoldsTheLargestAndTheSmallestValues) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    for (const int fill : {0x00, 0xff}) {
      AttributeBytes<S> data;
      data.fill(static_cast<std::uint8_t>(fill));
      const S value = decode<S>(data);
      EXPECT_EQ(decode<S>(encode_whole(value)), value) << attribute.name;
    }
  });
}

TEST(Codec, KeepsBitsItDoesNotKnow) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    AttributeBytes<S> known{};  // ones where a field lies
    for_each_field<S>([&](const auto& field) {
      for (std::size_t bit = field.first; bit < field.end(); ++bit) put_bits(known, bit, 1, 1);
    });
    for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
      std::mt19937_64 random(seed);
      const S value = decode<S>(random_data<AttributeBytes<S>>(random));
      const auto before = random_data<AttributeBytes<S>>(random);
      auto after = before;
      encode_into(std::span<std::uint8_t>(after), value);
      const auto alone = encode_whole(value);
      for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(after[i] & ~known[i], before[i] & ~known[i])
            << attribute.name << " byte " << i << " seed " << seed;
        EXPECT_EQ(after[i] & known[i], alone[i]) << attribute.name << " byte " << i << " seed " << seed;
      }
    }
  });
}

TEST(Codec, CutsAValueThatIsTooLargeWithoutTouchingItsNeighbours) {
  PortInfo port;
  port.lmc = 0xff;
  port.m_key_protect = 0;
  port.speed_active = 0;
  const PortInfo read = decode<PortInfo>(encode(port));
  EXPECT_EQ(read.lmc, 7);
  EXPECT_EQ(read.m_key_protect, 0);
  EXPECT_EQ(read.speed_active, 0);
}

TEST(Codec, CutsTextThatIsTooLongAndEndsItAtAZero) {
  EXPECT_EQ(decode<NodeDescription>(encode(NodeDescription{std::string(70, 'x')})).text,
            std::string(64, 'x'));
  EXPECT_EQ(decode<NodeDescription>(encode(NodeDescription{std::string("ab\0cd", 5)})).text, "ab");
  AttrData old;
  old.fill('y');
  encode_into(std::span<std::uint8_t>(old), NodeDescription{"short"});
  EXPECT_EQ(decode<NodeDescription>(old).text, "short");
}

TEST(Dump, WritesOneLineAField) {
  SmInfo sm;
  sm.guid = Guid{0x10};
  sm.priority = 14;
  sm.state = SmState::master;
  EXPECT_EQ(dump(sm),
            "GUID: 0x0000000000000010\nSM_Key: 0x0000000000000000\nActCount: 0x00000000\nPriority: "
            "14\nSMState: 3\n");
}

TEST(Dump, WritesOnlyTheEntriesOfATableThatAreNotZero) {
  PkeyTable table;
  table.keys[2] = Pkey{0xffff};
  EXPECT_EQ(dump(table), "P_Key[2]: 0xffff\n");
  EXPECT_EQ(dump(NodeDescription{"leaf-1"}), "NodeString: leaf-1\n");
}

}  // namespace
}  // namespace weft::mad
