// Our codec against libibmad's field table, both ways, on random bytes.

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/mad/attributes.h"
#include "tests/mad/libibmad_fields.h"

namespace weft::mad {
namespace {

constexpr std::uint64_t kComparisons = 100;

/// libibmad reads and writes whole words.
struct alignas(8) Bytes {
  std::array<std::uint8_t, kMadSize - kSmpDataAt> data{};
};
Bytes random_bytes(std::mt19937_64& random) { return {random_data<decltype(Bytes::data)>(random)}; }

std::uint64_t low_bits(std::uint64_t value, std::size_t bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t their_get(Bytes& bytes, MAD_FIELDS field, std::size_t bits) {
  return bits > 32 ? mad_get_field64(bytes.data.data(), 0, field)
                   : mad_get_field(bytes.data.data(), 0, field);
}

void their_set(Bytes& bytes, MAD_FIELDS field, std::size_t bits, std::uint64_t value) {
  if (bits > 32)
    mad_set_field64(bytes.data.data(), 0, field, value);
  else
    mad_set_field(bytes.data.data(), 0, field, static_cast<std::uint32_t>(value));
}

/// A number: read by both, then written by both.
template <typename S, typename T>
void compare(const Field<S, T>& field, const Mapping& mapping, std::mt19937_64& random) {
  const std::vector<Piece> pieces =
      mapping.pieces.empty() ? std::vector<Piece>{{mapping.fields.at(0), field.bits}} : mapping.pieces;
  Bytes bytes = random_bytes(random);
  std::uint64_t theirs = 0;
  for (const Piece& piece : pieces)
    theirs = (piece.bits == 64 ? 0 : theirs << piece.bits) | their_get(bytes, piece.field, piece.bits);
  EXPECT_EQ(static_cast<std::uint64_t>(decode<S>(bytes.data).*field.member), theirs);

  const std::uint64_t value = low_bits(random(), field.bits);
  S ours = decode<S>(bytes.data);
  ours.*field.member = static_cast<T>(value);
  auto written = bytes.data;
  encode_into(std::span<std::uint8_t>(written), ours);
  std::size_t left = field.bits;
  for (const Piece& piece : pieces) {
    left -= piece.bits;
    their_set(bytes, piece.field, piece.bits, low_bits(value >> left, piece.bits));
  }
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(hex(written), hex(bytes.data));
}

/// The bytes of a field that starts and ends on byte borders.
void compare_bytes(const decltype(Bytes::data)& ours, MAD_FIELDS field, std::size_t first, std::size_t bits) {
  Bytes bytes{ours};
  decltype(Bytes::data) theirs{};
  mad_get_array(bytes.data.data(), 0, field, theirs.data());
  EXPECT_EQ(hex(std::span(theirs).first(bits / 8)), hex(std::span(ours).subspan(first / 8, bits / 8)));
  EXPECT_TRUE(std::ranges::all_of(std::span(theirs).subspan(bits / 8), [](std::uint8_t byte) {
    return byte == 0;
  })) << "libibmad's field is longer";
}

template <typename S, typename T, std::size_t N>
void compare(const ArrayField<S, T, N>& field, const Mapping& mapping, std::mt19937_64& random) {
  Bytes bytes = random_bytes(random);
  const S ours = decode<S>(bytes.data);
  if (mapping.fields.size() == 1) {
    decltype(Bytes::data) written{};
    encode_into(std::span<std::uint8_t>(written), ours);
    compare_bytes(written, mapping.fields[0], field.first, field.bits * N);
    return;
  }
  ASSERT_EQ(mapping.fields.size(), N);
  for (std::size_t i = 0; i < N; ++i) {
    EXPECT_EQ(static_cast<std::uint64_t>((ours.*field.member)[i]),
              their_get(bytes, mapping.fields[i], field.bits));
    const std::uint64_t value = low_bits(random(), field.bits);
    S changed = decode<S>(bytes.data);
    (changed.*field.member)[i] = static_cast<T>(value);
    their_set(bytes, mapping.fields[i], field.bits, value);
    EXPECT_EQ(decode<S>(bytes.data), changed) << i;
  }
}

template <typename S>
void compare(const TextField<S>& field, const Mapping& mapping, std::mt19937_64& random) {
  S ours;
  for (std::size_t length = random() % (field.bits / 8 + 1); length > 0; --length)
    (ours.*field.member).push_back(static_cast<char>('!' + random() % 90));
  decltype(Bytes::data) written{};
  encode_into(std::span<std::uint8_t>(written), ours);
  compare_bytes(written, mapping.fields.at(0), field.first, field.bits);
}

template <typename List>
bool listed(const List& list, std::string_view attribute, std::string_view field) {
  return std::ranges::any_of(
      list, [&](const auto& entry) { return entry.attribute == attribute && entry.field == field; });
}

TEST(Libibmad, HasEveryFieldOfOursOrIsKnownNotTo) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    for_each_field<S>([&](const auto& field) {
      const auto places = std::ranges::count(kUnknownAttributes, attribute.name) +
                          listed(mappings(), attribute.name, field.name) +
                          listed(kUnknown, attribute.name, field.name) +
                          listed(kFaults, attribute.name, field.name);
      EXPECT_EQ(places, 1) << attribute.name << " " << field.name
                           << " must stand in exactly one of the lists";
    });
  });
}

TEST(Libibmad, HasNoListEntryThatIsNotAField) {
  std::set<std::pair<std::string_view, std::string_view>> ours;
  for_each_attribute([&]<typename S>(Attribute<S> attribute) {
    for_each_field<S>([&](const auto& field) { ours.emplace(attribute.name, field.name); });
  });
  for (const std::string_view name : kUnknownAttributes)
    EXPECT_TRUE(std::ranges::any_of(ours, [&](const auto& field) { return field.first == name; })) << name;
  for (const Mapping& entry : mappings())
    EXPECT_TRUE(ours.contains({entry.attribute, entry.field})) << entry.field;
  for (const Unknown& entry : kUnknown)
    EXPECT_TRUE(ours.contains({entry.attribute, entry.field})) << entry.field;
  for (const Fault& entry : kFaults)
    EXPECT_TRUE(ours.contains({entry.attribute, entry.field})) << entry.field;
}

TEST(Libibmad, ReadsAndWritesEveryFieldAsWeDo) {
  for_each_attribute([]<typename S>(Attribute<S> attribute) {
    for_each_field<S>([&](const auto& field) {
      for (const Mapping& mapping : mappings()) {
        if (mapping.attribute != attribute.name || mapping.field != field.name) continue;
        for (std::uint64_t seed = 0; seed < kComparisons; ++seed) {
          SCOPED_TRACE(std::string(attribute.name) + " " + std::string(field.name) + " seed " +
                       std::to_string(seed));
          std::mt19937_64 random(seed);
          compare(field, mapping, random);
          if (testing::Test::HasFailure()) break;  // one seed of a wrong field tells enough
        }
      }
    });
  });
}

TEST(Libibmad, HasItsKnownFaultsStill) {
  for (const Fault& fault : kFaults) {
    std::mt19937_64 random(1);
    Bytes bytes = random_bytes(random);
    EXPECT_EQ(their_get(bytes, fault.asked, fault.bits), get_bits(bytes.data, fault.reads, fault.bits))
        << fault.field;
  }
}

TEST(Libibmad, FindsTheSubjectOfATrapWhereWeDo) {
  std::mt19937_64 random(1);
  Bytes bytes = random_bytes(random);
  Notice notice = decode<Notice>(bytes.data);
  notice.trap = TrapNumber::link_state_changed;
  EXPECT_EQ(raw(subject_of(notice)), their_get(bytes, IB_NOTICE_DATA_LID_F, 16));
  for (const TrapNumber trap :
       {TrapNumber::link_integrity, TrapNumber::buffer_overrun, TrapNumber::flow_control_watchdog,
        TrapNumber::capability_changed, TrapNumber::system_guid_changed, TrapNumber::bad_m_key}) {
    notice.trap = trap;
    EXPECT_EQ(raw(subject_of(notice)), their_get(bytes, IB_NOTICE_DATA_144_LID_F, 16));
  }
}

/// The same request as mad_encode makes it.
std::array<std::uint8_t, kMadSize> their_request(const Smp& smp) {
  struct alignas(8) {
    std::array<std::uint8_t, kMadSize> bytes{};
  } out;
  ib_rpc_t rpc{};
  rpc.mgtclass = smp.route ? IB_SMI_DIRECT_CLASS : IB_SMI_CLASS;
  rpc.method = static_cast<int>(smp.method);
  rpc.attr.id = static_cast<unsigned>(smp.attribute);
  rpc.attr.mod = smp.modifier;
  rpc.rstatus = smp.status;
  rpc.trid = smp.tid;
  rpc.mkey = smp.m_key;
  rpc.dataoffs = kSmpDataAt;
  rpc.datasz = kSmpDataSize;
  ib_dr_path_t path{};
  if (smp.route) {
    path.cnt = smp.route->hops();
    for (int i = 0; i < path.cnt; ++i) path.p[i + 1] = raw(smp.route->port(i));
  }
  AttrData data = smp.data;
  EXPECT_NE(mad_encode(out.bytes.data(), &rpc, &path, data.data()), nullptr);
  return out.bytes;
}

TEST(Libibmad, MakesTheSameRequests) {
  for (std::uint64_t seed = 0; seed < kComparisons; ++seed) {
    std::mt19937_64 random(seed);
    Smp smp;
    smp.method = random() % 2 == 0 ? Method::get : Method::set;
    smp.attribute = static_cast<AttrId>(random());
    smp.modifier = static_cast<std::uint32_t>(random());
    smp.tid = random() | 1;
    smp.m_key = random();
    smp.data = random_data(random);
    if (random() % 4 == 0) {
      smp.route.reset();
      smp.address.lid = Lid{7};
    } else {
      for (std::uint64_t hops = random() % (kMaxHops + 1); hops > 0; --hops)
        smp.route = smp.route->then(static_cast<PortNum>(random()));
    }
    EXPECT_EQ(hex(to_mad(smp).bytes), hex(their_request(smp))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::mad
