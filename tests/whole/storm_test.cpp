// The storm: every host of a fabric boots at once, and each does what an IPoIB host does: joins the broadcast
// group and three more, subscribes, and asks for twenty paths. Virtual time; clients repeat like a kernel's.

#include <gtest/gtest.h>

#include <chrono>

#include "sa/multicast.h"
#include "sim/probe.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using mad::Method;
using mad::SaAttr;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPaths = 20;
constexpr int kGroups = 4;
constexpr int kSteps = kGroups + 1 + kPaths;
constexpr int kRepeats = 10;
constexpr Duration kPatience = milliseconds(300);  // 3 s in ten repeats, as for a kernel's join
constexpr Duration kRejoin = seconds(1);           // as IPoIB begins anew

struct Toll {
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t given_up = 0;  ///< Ten repeats without an answer; then begun anew.
  std::uint64_t repeated = 0;
  Duration slowest{};
};

/// A host: one request at a time.
class Host final : public sim::Endpoint {
 public:
  Host(Whole& whole, sim::PortIndex port, std::uint32_t number, std::uint32_t hosts, Toll& toll)
      : whole_(whole),
        port_(port),
        number_(number),
        hosts_(hosts),
        toll_(toll),
        id_(whole.network->attach(port, *this)) {}
  ~Host() override {
    whole_.clock.cancel(timer_);
    whole_.network->detach(id_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void boot() { next(); }
  void device_lost(const Error&) override {}
  void receive(const mad::Mad& mad) override {
    const mad::Header header = mad::header_of(mad);
    if (header.method == Method::report) {
      mad::Mad answer = mad;
      answer.bytes[3] = static_cast<std::uint8_t>(Method::report_resp);
      whole_.network->send(id_, answer);
      return;
    }
    if (step_ >= kSteps || (header.tid & 0xffffffff) != (tid_ & 0xffffffff)) return;
    whole_.clock.cancel(timer_);
    toll_.refused += header.status != 0;
    toll_.slowest = std::max(toll_.slowest, whole_.clock.now() - asked_);
    ++toll_.done;
    ++step_;
    next();
  }

 private:
  void next() {
    if (step_ == kSteps) return;
    asked_ = whole_.clock.now();
    tid_ = std::uint64_t{number_} << 8 | static_cast<std::uint64_t>(step_);
    tries_ = 0;
    send();
  }
  void send() {
    if (++tries_ > kRepeats) {
      ++toll_.given_up;
      tries_ = 0;
      timer_ = whole_.clock.after(kRejoin, [this] { send(); });
      return;
    }
    toll_.repeated += tries_ > 1;
    whole_.network->send(id_, request());
    timer_ = whole_.clock.after(kPatience, [this] { send(); });
  }
  mad::Mad request() const {
    mad::Mad mad;
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::subn_adm;
    header.class_version = mad::kSaVersion;
    header.method = step_ <= kGroups ? Method::set : Method::get;
    header.tid = tid_;
    mad::SaHeader sa;
    const std::span<std::uint8_t> all(mad.bytes);
    const std::span<std::uint8_t> data = all.subspan(mad::kSaDataAt);
    const Gid own{kLinkLocalPrefix, raw(whole_.world->port(port_).guid)};
    if (step_ < kGroups) {
      header.attribute = static_cast<mad::AttrId>(SaAttr::mc_member_record);
      mad::McMemberRecord record;
      record.mgid = group(step_);
      record.port_gid = own;
      record.qkey = 0x0b1b;
      record.pkey = Pkey{0xffff};
      record.join_state = 1;
      sa.component_mask = sa::bit(0) | sa::bit(1) | sa::bit(7) | sa::bit(16);
      if (step_ > 0) sa.component_mask |= sa::bit(2) | sa::bit(6) | sa::bit(12) | sa::bit(13);
      mad::encode_into(data, record);
    } else if (step_ == kGroups) {
      header.attribute = static_cast<mad::AttrId>(SaAttr::inform_info);
      mad::InformInfo wish;
      wish.lid_begin = Lid{0xffff};
      wish.generic = wish.subscribe = 1;
      wish.type = 3;
      wish.trap = 67;
      wish.producer = 4;
      mad::encode_into(data, wish);
    } else {
      header.attribute = static_cast<mad::AttrId>(SaAttr::path_record);
      mad::PathRecord path;
      path.sgid = own;
      path.dgid = {kLinkLocalPrefix, target()};
      path.paths = 1;
      path.pkey = Pkey{0xffff};
      sa.component_mask = sa::bit(2) | sa::bit(3) | sa::bit(12) | sa::bit(13);
      mad::encode_into(data, path);
    }
    mad::encode_into(all, header);
    mad::encode_into(all, sa);
    mad.address = {.lid = whole_.world->port(port_).info.sm_lid, .qp = 1};
    return mad;
  }
  /// The broadcast group, IPv4's and IPv6's all-hosts groups, and one of its own kind for 16 hosts.
  Gid group(int number) const {
    if (number == 0) return sa::ipoib_broadcast(Pkey{0xffff});
    if (number == 1) return {0xff12401bffff0000, 1};
    if (number == 2) return {0xff12601bffff0000, 1};
    return {0xff12601bffff0000, std::uint64_t{0x1ff000000} + number_ / 16};
  }
  std::uint64_t target() const {
    const std::uint32_t other = (number_ + static_cast<std::uint32_t>(step_) * 37) % hosts_;
    return raw(
        whole_.world->port(whole_.world->port_of(whole_.node(fmt::format("h{:05}", other)), PortNum{1}))
            .guid);
  }

  Whole& whole_;
  sim::PortIndex port_;
  std::uint32_t number_;
  std::uint32_t hosts_;
  Toll& toll_;
  sim::Network::ClientId id_;
  int step_ = 0;
  int tries_ = 0;
  std::uint64_t tid_ = 0;
  Instant asked_{};
  Clock::TimerId timer_ = Clock::TimerId::none;
};

struct Storm {
  const char* fabric;
  std::uint32_t hosts;
  double loss;
  bool cut_a_spine;
};

void run(const Storm& storm) {
  Whole whole(storm.fabric);
  ASSERT_TRUE(whole.bring_up(3).clean);
  whole.run_for(seconds(10));
  Toll toll;
  std::vector<std::unique_ptr<Host>> hosts;
  for (std::uint32_t i = 1; i < storm.hosts; ++i) {
    const sim::PortIndex port = whole.world->port_of(whole.node(fmt::format("h{:05}", i)), PortNum{1});
    hosts.push_back(std::make_unique<Host>(whole, port, i, storm.hosts, toll));
  }
  whole.network->settings().link_loss = storm.loss;
  const auto before = whole.manager->multicast().counts();
  const Instant began = whole.clock.now();
  const auto real = std::chrono::steady_clock::now();
  for (const auto& host : hosts) host->boot();
  const std::uint64_t all = hosts.size() * kSteps;
  if (storm.cut_a_spine) {
    whole.run_until([&] { return toll.done > all / 2; }, seconds(60));
    std::uint32_t spine = 0;
    for (std::uint32_t n = 0; n < whole.world->node_count(); ++n)
      if (whole.world->node(sim::NodeIndex{n}).type == NodeType::switch_) spine = n;
    whole.world->power_off(sim::NodeIndex{spine});
  }
  EXPECT_TRUE(whole.run_until([&] { return toll.done == all; }, seconds(300))) << toll.done << " of " << all;
  const double took = std::chrono::duration<double>(whole.clock.now() - began).count();
  whole.network->settings().link_loss = 0;
  whole.run_for(seconds(30));
  EXPECT_TRUE(whole.manager->sweeps().back().clean);
  EXPECT_TRUE(whole.run_until([&] { return whole.manager->multicast().settled(); }, seconds(30)));
  const auto after = whole.manager->multicast().counts();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - real;
  const double updates = static_cast<double>(after.updates - before.updates);
  std::printf(
      "%s: %zu hosts, %.1f s virtual, %.1f s real, %llu repeated, %llu given up, %.0f updates, %llu blocks, "
      "slowest %.0f ms\n",
      storm.fabric, hosts.size(), took, spent.count(), static_cast<unsigned long long>(toll.repeated),
      static_cast<unsigned long long>(toll.given_up), updates,
      static_cast<unsigned long long>(after.blocks_written - before.blocks_written),
      std::chrono::duration<double, std::milli>(toll.slowest).count());
  EXPECT_EQ(toll.refused, 0u);
  // Ways through the spine are dead until the next sweep has ended: then clients begin anew.
  if (!storm.cut_a_spine) {
    EXPECT_EQ(toll.given_up, 0u);
  }
  EXPECT_LE(updates, 4 * took + 5) << "trees are made anew a few times a second";
  const plan::SaState& state = whole.manager->sa().state();
  EXPECT_EQ(state.groups.find(sa::ipoib_broadcast(Pkey{0xffff}))->members.size(), hosts.size());
  EXPECT_EQ(plan::subscription_count(state), hosts.size());
  const Lid mlid = state.groups.find(sa::ipoib_broadcast(Pkey{0xffff}))->mlid;
  const auto from = whole.world->port_of(whole.node("h00001"), PortNum{1});
  const sim::Probed probed = sim::send_probe(*whole.world, {.from = from, .to = mlid});
  EXPECT_EQ(probed.drop, sim::Drop::none) << sim::describe(*whole.world, probed);
  EXPECT_EQ(probed.arrived.size(), hosts.size() - 1) << "all others hear a broadcast, once";
}

TEST(Storm, OfSixHundredHosts) { run({"fat-tree:radix=36", 648, 0, false}); }
TEST(Storm, OfSixHundredHostsWithLoss) { run({"fat-tree:radix=36", 648, 0.01, false}); }
TEST(Storm, OfSixHundredHostsWhileASpineDies) { run({"fat-tree:radix=36", 648, 0.01, true}); }
TEST(StormLong, OfTenThousandHosts) { run({"fat-tree:radix=36,levels=3", 11'664, 0, false}); }
TEST(StormLong, OfTenThousandHostsWithLossWhileASpineDies) {
  run({"fat-tree:radix=36,levels=3", 11'664, 0.01, true});
}

}  // namespace
}  // namespace weft::test
