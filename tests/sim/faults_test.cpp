#include "sim/faults/faults.h"

#include <gtest/gtest.h>

#include "sim/faults/action.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::Method;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Broken : Lab {
  explicit Broken(int switches = 3) : Lab(row_of(switches, false)), faults(network) {
    make_active();
    route_row(switches);
  }
  void act(std::string_view line) {
    const Result<Action> action = action_from(world, line);
    ASSERT_TRUE(action) << action.error().what;
    faults.now(*action);
  }
  void run(Duration time) { clock.run_until(clock.now() + time); }
  bool up(std::string_view id, int number) { return world.link_up(port(id, number)); }

  Faults faults;
};

std::string refusal(std::string_view line) {
  Broken lab;
  const Result<Action> action = action_from(lab.world, line);
  return action ? "taken" : action.error().what;
}

TEST(Faults, HappenAtTheirTimeAsOftenAsTold) {
  Broken lab;
  std::vector<Duration> times;
  const Instant start = lab.clock.now();
  lab.faults.at({.first = seconds(1), .period = milliseconds(200), .times = 3},
                [&](Faults& faults) { times.push_back(faults.world().clock().now() - start); });
  EXPECT_TRUE(lab.faults.pending());
  lab.run(seconds(5));
  EXPECT_EQ(times, (std::vector<Duration>{seconds(1), milliseconds(1200), milliseconds(1400)}));
  EXPECT_FALSE(lab.faults.pending());
}

TEST(Faults, HappenRightAfterTheNthRequestOfAKind) {
  Broken lab;
  Listener manager(lab, "h0", 1);
  lab.faults.after(
      {.node = lab.node("s0"), .attribute = AttrId::linear_forwarding, .method = Method::set, .count = 2},
      [&](Faults& faults) { faults.world().reboot(lab.node("s0")); });
  mad::LinearForwardingTable block;
  block.ports.fill(PortNum{3});
  EXPECT_TRUE(manager.ask(set(AttrId::linear_forwarding, 4, block, {1})));
  EXPECT_TRUE(manager.ask(get(AttrId::linear_forwarding, 4, {1})));
  EXPECT_GT(lab.world.switch_of(lab.node("s0")).lft.size(), 0u);
  EXPECT_TRUE(manager.ask(set(AttrId::linear_forwarding, 5, block, {1})))
      << "the answer was on its way already";
  EXPECT_EQ(lab.world.switch_of(lab.node("s0")).lft.size(), 0u) << "a blank switch";
}

TEST(Faults, AreForgottenWithWhatWasStillToCome) {
  Broken lab;
  int happened = 0;
  lab.faults.at({.first = seconds(1)}, [&](Faults&) { ++happened; });
  lab.faults.after({}, [&](Faults&) { ++happened; });
  lab.faults.forget();
  Listener(lab, "h0", 1).ask(get(AttrId::node_info, 0, {1}));
  lab.run(seconds(2));
  EXPECT_EQ(happened, 0);
  lab.faults.at({}, [&](Faults&) { ++happened; });
  lab.run(seconds(1));
  EXPECT_EQ(happened, 1);
}

TEST(Verbs, CutAndMendByPortOrByNode) {
  Broken lab;
  lab.act("cut s0[2]");
  EXPECT_FALSE(lab.up("s1", 1));
  EXPECT_TRUE(lab.up("s1", 2));
  lab.act("cut s2");
  EXPECT_FALSE(lab.up("h2", 1));
  lab.act("mend *");
  EXPECT_TRUE(lab.up("s1", 1));
  EXPECT_TRUE(lab.up("h2", 1));
  lab.act("cut s0[2] for=20ms");
  EXPECT_FALSE(lab.up("s0", 2));
  lab.run(milliseconds(25));
  EXPECT_TRUE(lab.up("s0", 2));
}

TEST(Verbs, PickTheSameCablesForTheSameSeed) {
  const auto cut = [](std::uint64_t seed) {
    Lab lab(row_of(8, true), {}, seed);
    Faults faults(lab.network);
    faults.now(*action_from(lab.world, "cut s*[2] pick=25%"));
    std::vector<int> down;
    for (int i = 0; i < 8; ++i)
      if (!lab.world.link_up(lab.port("s" + std::to_string(i), 2))) down.push_back(i);
    return down;
  };
  EXPECT_EQ(cut(1).size(), 2u);
  EXPECT_EQ(cut(1), cut(1));
  std::set<std::vector<int>> kinds;
  for (std::uint64_t seed = 1; seed < 20; ++seed) kinds.insert(cut(seed));
  EXPECT_GT(kinds.size(), 5u);
}

TEST(Verbs, FlapAsOftenAsTold) {
  Broken lab;
  int changes = 0;
  lab.world.on_link_changed([&](NodeIndex n) { changes += n == lab.node("s0"); });
  lab.act("flap s0[2] period=100ms down=10ms times=5");
  lab.run(seconds(2));
  EXPECT_EQ(changes, 10);
  EXPECT_TRUE(lab.up("s0", 2));
}

TEST(Verbs, MoveACableAndSwapNodes) {
  Broken lab;
  lab.act("move s0[3] to=s1[4]");
  EXPECT_EQ(lab.world.port(lab.port("h0", 1)).peer, lab.port("s1", 4));
  EXPECT_TRUE(lab.up("h0", 1));
  lab.act("swap h1 with=h2");
  EXPECT_EQ(lab.world.port(lab.port("h2", 1)).peer, lab.port("s1", 3));
  EXPECT_EQ(lab.world.port(lab.port("h1", 1)).peer, lab.port("s2", 3));
  lab.act("swap s0 with=s1");  // joined by a cable of different port numbers
  EXPECT_TRUE(lab.up("h0", 1));
}

TEST(Verbs, MoveACutCableAsItIs) {
  Broken lab;
  lab.act("cut s0[3]");
  lab.act("move s0[3] to=s1[4]");
  EXPECT_FALSE(lab.up("h0", 1));
  lab.act("swap h0 with=h2");
  EXPECT_FALSE(lab.up("h2", 1));
  EXPECT_TRUE(lab.up("h0", 1));
  lab.act("mend h2");
  EXPECT_TRUE(lab.up("h2", 1));
}

TEST(Verbs, RefuseSetsSoManyTimes) {
  Broken lab;
  Listener manager(lab, "h0", 1);
  lab.act("refuse s0 attribute=SwitchInfo status=0x1c times=1");
  const mad::SwitchInfo held = lab.world.switch_of(lab.node("s0")).info;
  EXPECT_EQ(manager.ask(set(AttrId::switch_info, 0, held, {1}))->status, 0x1c);
  EXPECT_EQ(manager.ask(get(AttrId::switch_info, 0, {1}))->status, 0);
  EXPECT_EQ(manager.ask(set(AttrId::switch_info, 0, held, {1}))->status, 0);
}

TEST(Verbs, ForgeAFieldByItsName) {
  Broken lab;
  Listener manager(lab, "h0", 1);
  lab.act("forge s0 attribute=SwitchInfo field=LinearFDBCap value=12");
  EXPECT_EQ(mad::decode<mad::SwitchInfo>(manager.ask(get(AttrId::switch_info, 0, {1}))->data).lft_capacity,
            12);
  lab.act("heal s0");
  EXPECT_EQ(mad::decode<mad::SwitchInfo>(manager.ask(get(AttrId::switch_info, 0, {1}))->data).lft_capacity,
            0xc000);
}

TEST(Verbs, LoseAndDelayWhatAnAgentIsAsked) {
  Broken lab;
  Listener manager(lab, "h0", 1);
  lab.act("lose s0 what=answer");
  const mad::SwitchInfo held{.lft_capacity = 0xc000, .lft_top = Lid{77}};
  EXPECT_FALSE(manager.ask(set(AttrId::switch_info, 0, held, {1})));
  EXPECT_EQ(lab.world.switch_of(lab.node("s0")).info.lft_top, Lid{77}) << "done, but not answered";
  lab.act("heal s0");
  lab.act("delay s0 by=5ms");
  EXPECT_FALSE(manager.ask(get(AttrId::node_info, 0, {1})));
  lab.run(milliseconds(5));
  EXPECT_EQ(manager.got.size(), 1u);
}

TEST(Verbs, DoubleAndReorderPackets) {
  Broken lab;
  Listener manager(lab, "h0", 1);
  lab.act("everywhere duplicates=100%");
  manager.send(get(AttrId::node_info, 0, {1}));
  lab.run(milliseconds(1));
  EXPECT_EQ(manager.got.size(), 4u) << "two requests, each with two answers";
  lab.act("everywhere reordered=50% by=1ms");
  manager.got.clear();
  for (std::uint64_t tid = 1; tid <= 40; ++tid) {
    mad::Smp smp = get(AttrId::node_info, 0, {1});
    smp.tid = tid;
    manager.send(smp);
  }
  lab.run(milliseconds(10));
  ASSERT_EQ(manager.got.size(), 40u);
  EXPECT_FALSE(std::ranges::is_sorted(manager.got, {}, [](const mad::Mad& mad) { return mad::tid_of(mad); }));
}

TEST(Verbs, LowerWhatANodeCanDo) {
  Broken lab;
  lab.act("lower s1 lft=256 mtu=1024 vls=2");
  EXPECT_EQ(lab.world.switch_of(lab.node("s1")).info.lft_capacity, 256);
  EXPECT_EQ(lab.info("s1", 1).mtu_cap, Mtu::mtu1024);
  EXPECT_EQ(lab.info("s1", 1).operational_vls, VlCount::vl2);
}

TEST(Verbs, RaiseAStormOfAnyTrapThatDevicesSend) {
  Broken lab;
  lab.make_active();
  lab.route_row(3);
  Listener manager(lab, "h0", 1);
  for (std::uint32_t p = 0; p < lab.world.port_slots(); ++p)
    lab.world.port(PortIndex{p}).info.sm_lid = lab.lid_of("h0");
  lab.network.set_is_sm(manager.client, true);
  lab.run(seconds(61));  // its own trap 144 is given up
  for (const int trap : {129, 130, 131, 144, 145, 256, 257, 258, 259}) {
    manager.got.clear();
    lab.act(fmt::format("storm s1 trap={} times=20 every=1ms", trap));
    lab.run(milliseconds(30));
    ASSERT_EQ(manager.got.size(), 20u) << trap;
    std::set<std::uint64_t> transactions;
    for (const mad::Mad& mad : manager.got) {
      EXPECT_EQ(mad::method_of(mad), mad::Method::trap);
      transactions.insert(mad::tid_of(mad));
      const auto notice = mad::decode<mad::Notice>(mad::to_smp(mad)->data);
      EXPECT_EQ(raw(notice.trap), trap);
      EXPECT_EQ(notice.issuer, lab.lid_of("s1"));
    }
    EXPECT_EQ(transactions.size(), 20u) << "a new one each, whatever was repressed";
  }
  manager.got.clear();
  lab.act("storm h1 trap=144 times=3");
  lab.run(milliseconds(5));
  EXPECT_EQ(manager.got.size(), 3u) << "hosts send most of them, too";
}

TEST(Verbs, SayWhatIsWrongWithALine) {
  EXPECT_EQ(refusal(""), "an empty line is no action");
  EXPECT_EQ(refusal("cutt s0"), "no action \"cutt\" (did you mean cut?)");
  EXPECT_EQ(refusal("cut s9"), "cut: no node \"s9\"");
  EXPECT_EQ(refusal("cut s0[9]"), "cut: no port \"s0[9]\"");
  EXPECT_EQ(refusal("cut s0[4]"), "cut: no cable at \"s0[4]\"");
  EXPECT_EQ(refusal("cut"), "cut: its subject is missing: which port?");
  EXPECT_EQ(refusal("cut s0 away=2s"), "cut: takes no \"away\"");
  EXPECT_EQ(refusal("cut s0 for=2"), "cut: for takes a time such as 20ms, not \"2\"");
  EXPECT_EQ(refusal("cut s0 pick=0"), "cut: pick takes a number or a share such as 3%, not \"0\"");
  EXPECT_EQ(refusal("cut s0 s1"), "cut: what it is about is given twice");
  EXPECT_EQ(refusal("cut \"s0"), "a quotation mark without its second in \"cut \\\"s0\"");
  EXPECT_EQ(refusal("lose s0 rate=130%"), "lose: rate takes a share such as 30%, not \"130%\"");
  EXPECT_EQ(refusal("mute s0 mode=loud"), "mute: mode takes agent or smi, not \"loud\"");
  EXPECT_EQ(refusal("refuse s0 attribute=SwitchInf"),
            "refuse: no attribute \"SwitchInf\" (did you mean SwitchInfo?)");
  EXPECT_EQ(refusal("forge s0 attribute=SwitchInfo field=LinearFDBCapp value=1"),
            "forge: SwitchInfo has no field \"LinearFDBCapp\" (did you mean LinearFDBCap?)");
  EXPECT_EQ(refusal("swap s0 with=s*"), "swap: \"s*\" is 3 nodes, not one");
  EXPECT_EQ(refusal("cut s0 for=8785h"), "cut: for takes a time up to a year, not \"8785h\"");
  EXPECT_EQ(refusal("plug s0[0] to=s1[4]"), "plug: port 0 takes no cable");
  EXPECT_EQ(refusal("plug s0[4] to=s1[0]"), "plug: port 0 takes no cable");
  EXPECT_EQ(refusal("lid h0[1] to=0xffff lmc=1"), "lid: the LIDs go beyond 0xffff");
  EXPECT_EQ(refusal("storm s0 every=0s"), "storm: every takes a time above 0");
  EXPECT_EQ(refusal("storm h0"), "storm: only switches send trap 128");
  EXPECT_EQ(refusal("storm s0 trap=64"),
            "storm: devices send traps 128 to 131, 144, 145 and 256 to 259, not 64");
  EXPECT_EQ(refusal("guid h0 to=zz"), "guid: to takes a GUID such as 0x0002c90300a1b2c3, not \"zz\"");
}

TEST(Verbs, AreAllDescribed) {
  for (const VerbHelp& verb : verbs()) {
    EXPECT_FALSE(verb.takes.empty()) << verb.name;
    EXPECT_FALSE(verb.does.empty()) << verb.name;
  }
}

}  // namespace
}  // namespace weft::sim
