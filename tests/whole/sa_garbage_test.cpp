// What nobody in his right mind asks: malformed, mis-sequenced and spoofed packets of class SA. All are
// answered or dropped and counted, and memory stays where it was. WEFT_GARBAGE=10000000 in the environment
// makes it as many, and prints what was measured.

#include <malloc.h>

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::Method;
using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Scribbler final : public sim::Endpoint {
 public:
  Scribbler(Whole& whole, std::string_view host, std::uint64_t seed)
      : whole_(whole),
        port_(whole.world->port_of(whole.node(host), PortNum{1})),
        id_(whole.network->attach(port_, *this)),
        random_(seed) {}
  ~Scribbler() override { whole_.network->detach(id_); }
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;
  void receive(const mad::Mad&) override { ++answers; }
  void device_lost(const Error&) override {}

  void send() {
    mad::Mad mad;
    for (std::uint8_t& byte : mad.bytes) byte = static_cast<std::uint8_t>(random_());
    mad.bytes[0] = 1;
    mad.bytes[1] = static_cast<std::uint8_t>(mad::MgmtClass::subn_adm);
    mad.address = {.lid = whole_.world->port(port_).info.sm_lid, .qp = 1};
    switch (random_() % 5) {
      case 0:  // noise
        break;
      case 1:  // a part of a transfer that nobody began, or that never ends
        mad.bytes[2] = mad::kSaVersion;
        mad.bytes[24] = static_cast<std::uint8_t>(random_() % 3);
        mad.bytes[25] = static_cast<std::uint8_t>(random_() % 6);
        mad.bytes[26] = static_cast<std::uint8_t>(random_() % 8 | 1);
        put_bits(std::span<std::uint8_t>(mad.bytes), 28 * 8, 32, random_() % 4);
        break;
      case 2:  // any method and attribute, without a key
        mad.bytes[2] = mad::kSaVersion;
        mad.bytes[3] = static_cast<std::uint8_t>(random_() % 0x20);
        put_bits(std::span<std::uint8_t>(mad.bytes), 16 * 8, 16, random_() % 0x40);
        plain(mad);
        if (mad.bytes[3] == 2 && mad.bytes[17] == 0x31) mad.bytes[17] = 0x38;  // a service may be anything
        break;
      case 3:  // a membership for a port that is nobody's
        mad.bytes[2] = mad::kSaVersion;
        mad.bytes[3] = static_cast<std::uint8_t>(Method::set);
        put_bits(std::span<std::uint8_t>(mad.bytes), 16 * 8, 16,
                 static_cast<unsigned>(SaAttr::mc_member_record));
        plain(mad);
        break;
      default:  // more GIDs than there are
        mad.bytes[2] = mad::kSaVersion;
        mad.bytes[3] = static_cast<std::uint8_t>(Method::get_multi);
        put_bits(std::span<std::uint8_t>(mad.bytes), 16 * 8, 16,
                 static_cast<unsigned>(SaAttr::multi_path_record));
        plain(mad);
    }
    whole_.network->send(id_, mad);
  }

  std::uint64_t answers = 0;

 private:
  static void plain(mad::Mad& mad) {
    std::fill(mad.bytes.begin() + 24, mad.bytes.begin() + 44, std::uint8_t{0});
  }

  Whole& whole_;
  sim::PortIndex port_;
  sim::Network::ClientId id_;
  std::mt19937_64 random_;
};

TEST(Garbage, CostsNoMemory) {
  const char* asked = std::getenv("WEFT_GARBAGE");
  const std::uint64_t all = asked == nullptr ? 20'000 : std::strtoull(asked, nullptr, 10);
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  std::vector<std::unique_ptr<Scribbler>> hosts;
  for (std::uint64_t i = 1; i < 20; ++i)
    hosts.push_back(std::make_unique<Scribbler>(whole, fmt::format("h{:05}", i), i));
  const auto send = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      hosts[i % hosts.size()]->send();
      if (i % 500 == 499) whole.run_for(milliseconds(20));
    }
    whole.run_for(seconds(10));
  };
  send(all / 10);
  const std::size_t before = mallinfo2().uordblks;
  send(all - all / 10);
  const std::size_t after = mallinfo2().uordblks;
  const daemon::SaCounts& counts = whole.manager->sa().counts();
  if (asked != nullptr)
    std::printf("%llu packets: heap %.2f MB after a tenth, %.2f MB after all; %llu requests, %llu refused\n",
                static_cast<unsigned long long>(all), static_cast<double>(before) / 1e6,
                static_cast<double>(after) / 1e6, static_cast<unsigned long long>(counts.requests),
                static_cast<unsigned long long>(counts.refused));
  EXPECT_LT(after, before + (std::size_t{4} << 20));
  EXPECT_EQ(whole.manager->sa().transfers(), 0u);
  EXPECT_GT(counts.refused, all / 10);
  SaClient sane(whole, "h00030");
  EXPECT_TRUE(sane.ask(sane.request(Method::get, SaAttr::class_port_info)));
}

}  // namespace
}  // namespace weft::test
