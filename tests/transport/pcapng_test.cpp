#include "transport/pcapng.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

mad::Mad smp(std::uint8_t fill) {
  mad::Mad mad;
  mad.bytes.fill(fill);
  mad.bytes[1] = 0x81;
  mad.address = {.lid = Lid{7}, .qp = 0, .sl = Sl{2}};
  return mad;
}

std::vector<std::uint8_t> sample() {
  std::vector<std::uint8_t> bytes;
  PcapngWriter writer(
      [&](std::span<const std::uint8_t> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); },
      "test");
  const std::uint32_t a = writer.add_interface("h0[1]");
  const std::uint32_t b = writer.add_interface("s1[0]");
  writer.record({.time = Instant(5'000'000'001), .interface = a, .outbound = true, .own_lid = Lid{1}},
                smp(1));
  writer.record({.time = Instant(6'000'000'002),
                 .interface = b,
                 .outbound = false,
                 .own_lid = Lid{2},
                 .comment = "odd"},
                smp(2));
  return bytes;
}

TEST(Pcapng, ReadsBackWhatItWrote) {
  const Result<Recording> read = read_pcapng(sample());
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->interfaces, (std::vector<std::string>{"h0[1]", "s1[0]"}));
  ASSERT_EQ(read->mads.size(), 2u);
  EXPECT_EQ(read->mads[0].time, Instant(5'000'000'001));
  EXPECT_TRUE(read->mads[0].outbound);
  EXPECT_EQ(read->mads[0].own_lid, Lid{1});
  EXPECT_EQ(read->mads[0].mad.address.lid, Lid{7});
  EXPECT_EQ(read->mads[0].mad.address.sl, Sl{2});
  EXPECT_EQ(read->mads[0].mad.bytes, smp(1).bytes);
  EXPECT_EQ(read->mads[1].interface, 1u);
  EXPECT_FALSE(read->mads[1].outbound);
  EXPECT_EQ(read->mads[1].own_lid, Lid{2});
  EXPECT_EQ(read->mads[1].comment, "odd");
}

TEST(Pcapng, IsReadUpToACutAndRefusedWhenForeign) {
  const std::vector<std::uint8_t> whole = sample();
  EXPECT_FALSE(read_pcapng({}));
  std::size_t taken = 0;  // a file may end after any whole block
  std::size_t cut = 0;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const Result<Recording> read = read_pcapng(std::span(whole).first(length));
    taken += read && !read->cut;
    cut += read && read->cut;
  }
  EXPECT_GT(cut, 100u) << "what comes before the cut is there";
  EXPECT_EQ(taken, 4u);
  std::vector<std::uint8_t> foreign = whole;
  foreign[8] ^= 1;
  EXPECT_EQ(read_pcapng(foreign).error().what, "no recording: another byte order at byte 0");
}

TEST(Pcapng, SurvivesAnyChangedByte) {
  const std::vector<std::uint8_t> whole = sample();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      std::vector<std::uint8_t> changed = whole;
      changed[at] = value;
      const Result<Recording> read = read_pcapng(changed);
      EXPECT_TRUE(read ? read->mads.size() <= 2 : read.error().code == Errc::malformed) << at;
    }
}

}  // namespace
}  // namespace weft::transport
