#include "ctl/commands.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "ctl/explain_commands.h"
#include "ctl/history_commands.h"
#include "ctl/upkeep_commands.h"
#include "daemon/api.h"
#include "daemon/http_server.h"
#include "tests/daemon/canned.h"
#include "transport/real_clock.h"

namespace weft::ctl {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// weftctl's commands against a canned daemon on a real socket, served by another thread.
class CommandsTest : public testing::Test {
 protected:
  CommandsTest() {
    daemon::HttpOptions options;
    options.socket = socket;
    auto listening = daemon::HttpServer::listen(loop, clock, options, daemon::make_api(canned.source()));
    if (!listening) throw std::runtime_error(listening.error().what);
    server = std::move(*listening);
    thread = std::thread([this] { loop.run(); });
  }
  ~CommandsTest() override { stop(); }

  void stop() {
    if (!thread.joinable()) return;
    asio::post(loop, [this] {
      server.reset();
      loop.stop();
    });
    thread.join();
    loop.restart();
    loop.poll();  // connections that were open see their end
    loop.restart();
  }
  std::string path(const std::string& name) const { return (directory.path() / name).string(); }
  std::string said() { return std::exchange(out, std::ostringstream()).str(); }

  daemon::test::TemporaryDirectory directory;
  std::string socket = path("weftd.sock");
  asio::io_context loop;
  transport::RealClock clock{loop};
  daemon::test::CannedDaemon canned;  // the loop thread's while that runs
  std::unique_ptr<daemon::HttpServer> server;
  std::thread thread;
  Client client{socket};
  std::ostringstream out;
  std::ostringstream err;
  Output output{out, err, {}, false, false};
  Output json_output{out, err, {}, true, false};
};

TEST_F(CommandsTest, SayThatNobodyIsCalledSo) {
  EventOptions options;
  options.port = "nobody/3";
  EXPECT_EQ(show_events(client, output, options), Exit::failed);
  EXPECT_NE(err.str().find("nobody"), std::string::npos) << err.str();
  options.port.clear();
  options.since = "5m";
  EXPECT_EQ(show_events(client, output, options), Exit::usage);
  EXPECT_NE(err.str().find("(ms, s, min, h, d)"), std::string::npos) << err.str();
}

TEST_F(CommandsTest, WriteSlurmsTopology) {
  const std::string file = path("topology.conf");
  EXPECT_EQ(dump_slurm(client, output, "", "", file), Exit::done);
  std::ifstream in(file);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(dump_slurm(client, output, "tree", "host-*", "-"), Exit::done);
  EXPECT_EQ(said(), written);
  EXPECT_NE(written.find("SwitchName=leaf-1 Nodes=host-[2-3]"), std::string::npos) << written;
  EXPECT_EQ(dump_slurm(client, output, "", "nobody*", path("none.conf")), Exit::failed);
  EXPECT_FALSE(fs::exists(path("none.conf")));
}

TEST_F(CommandsTest, WaitForAnAnswerAsLongAsTheDaemonLives) {
  stop();
  daemon::Router router = daemon::make_api(canned.source());
  const auto later = [this](Duration delay) {
    return [this, delay](const daemon::Request&) {
      daemon::Response response;
      response.later = [this, delay](const std::function<void(daemon::Response)>& done) {
        clock.after(delay, [done] {
          daemon::Response answer;
          answer.body = "{}";
          done(answer);
        });
      };
      return response;
    };
  };
  router.add({"POST", "/v1/slow", later(std::chrono::milliseconds(2500))});
  router.add({"POST", "/v1/never", later(std::chrono::hours(1))});
  daemon::HttpOptions options;
  options.socket = socket;
  server = std::move(*daemon::HttpServer::listen(loop, clock, options, std::move(router)));
  thread = std::thread([this] { loop.run(); });
  const auto slow = Client(socket, std::chrono::seconds(1)).post("/v1/slow");
  EXPECT_TRUE(slow) << slow.error().message;
  // On a busy machine the probe itself may be late: then with more patience.
  Failure never;
  for (int patience = 30; patience < 1000 && never.message.find("is alive") == std::string::npos;
       patience *= 3) {
    const auto answer = Client(socket, std::chrono::milliseconds(patience)).post("/v1/never");
    ASSERT_FALSE(answer);
    never = answer.error();
    EXPECT_EQ(never.code, "timeout");
  }
  EXPECT_NE(never.message.find("is alive"), std::string::npos) << never.message;
  EXPECT_NE(never.hint.find("weftctl config history"), std::string::npos) << never.hint;
}

TEST_F(CommandsTest, ShowStatusNodesLinksAndPaths) {
  EXPECT_EQ(show_status(client, output), Exit::done);
  EXPECT_NE(said().find("4 switches, 4 hosts"), std::string::npos);
  EXPECT_EQ(show_nodes(client, output, {.name = "leaf-*"}), Exit::done);
  EXPECT_NE(said().find("leaf-1"), std::string::npos);
  EXPECT_EQ(show_links(client, output, {}), Exit::done);
  EXPECT_NE(said().find("8 links\n"), std::string::npos);
  EXPECT_EQ(show_path(client, output, "host-0", "host-3"), Exit::done);
  EXPECT_NE(said().find("4 links\n"), std::string::npos);
  EXPECT_EQ(show_config(client, output), Exit::done);
  EXPECT_NE(said().find("sweep.interval"), std::string::npos);
  EXPECT_EQ(show_events(client, output, {}), Exit::done);
  EXPECT_NE(said().find("leaf-0 port 3 went down"), std::string::npos);
  EXPECT_EQ(err.str(), "");
}

TEST_F(CommandsTest, OrderAndShowWhatIsAskedOfLinks) {
  EXPECT_EQ(show_upkeep(client, output), Exit::done);
  EXPECT_EQ(said(), "nothing is drained, disabled or held\n");
  UpkeepOrder order{"hold", "leaf-0/3", "2h", "a cable", false};
  EXPECT_EQ(give_order(client, output, order), Exit::failed);
  EXPECT_NE(err.str().find("1 node would be cut off: h1"), std::string::npos) << err.str();
  order.force = true;
  EXPECT_EQ(give_order(client, output, order), Exit::done);
  EXPECT_EQ(said(), "leaf-0/3: done\n");
  order.time = "soon";
  EXPECT_EQ(give_order(client, output, order), Exit::usage);
}

TEST_F(CommandsTest, ADaemonThatHangsIsGivenUpWithAWordOnWhatToDo) {
  stop();
  const std::string hung = path("hung.sock");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  hung.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(fd, 0), 0);  // the kernel takes a connection or two, and nobody ever answers
  const Client impatient(hung, std::chrono::milliseconds(20));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(show_status(impatient, output), Exit::failed);
    EXPECT_NE(err.str().find("has not answered for 20 ms"), std::string::npos) << err.str();
    EXPECT_NE(err.str().find("systemctl restart weftd"), std::string::npos);
    err.str("");
  }
  ::close(fd);
}

TEST_F(CommandsTest, FindHostsByTheFirstWordOfTheirNames) {
  fabric::Builder builder;
  daemon::test::add_node(builder, NodeType::hca, 0x1, "h00003 HCA-1", 1);
  daemon::test::add_node(builder, NodeType::hca, 0x11, "h00004 HCA-1", 1);
  ASSERT_TRUE(builder.connect({Guid{0x1}, PortNum{1}}, {Guid{0x11}, PortNum{1}}).has_value());
  auto view = std::make_shared<plan::View>(*canned.view);
  view->fabric = std::make_shared<const fabric::Fabric>(builder.build());
  view->plan = daemon::test::planned_view()->plan;
  asio::post(loop, [this, view] { canned.view = view; });
  EXPECT_EQ(show_nodes(client, json_output, {.name = "h00003"}), Exit::done);
  EXPECT_EQ(json::parse(said()).at("total"), 1);
  EXPECT_EQ(show_links(client, json_output, {.name = "h00004"}), Exit::done);
  EXPECT_EQ(json::parse(said()).at("total"), 1);
}

TEST_F(CommandsTest, PrintJsonWhenAsked) {
  EXPECT_EQ(show_nodes(client, json_output, {}), Exit::done);
  EXPECT_EQ(json::parse(said()).at("nodes").as_array().size(), 8u);
}

TEST_F(CommandsTest, ReportWhatTheDaemonRefuses) {
  EXPECT_EQ(show_path(client, output, "host-0", "nobody & co"), Exit::failed);
  EXPECT_NE(err.str().find("nobody & co"), std::string::npos) << err.str();
  EXPECT_EQ(said(), "");
  EXPECT_EQ(show_path(client, json_output, "host-0", "nobody"), Exit::failed);
  EXPECT_EQ(json::parse(said()).at("error").at("code"), "not_found");
}

TEST_F(CommandsTest, WaitForTheSweepTheyAskedFor) {
  EXPECT_EQ(run_sweep(client, output, true), Exit::done);
  EXPECT_TRUE(said().starts_with("full sweep #2 took 27 ms: 100 SMPs, 30 Sets, clean\n"));
  EXPECT_EQ(run_sweep(client, output, false), Exit::done);
  EXPECT_EQ(said(), "sweep #3 asked for\n");
}

TEST_F(CommandsTest, EndTheirWaitWhenTheDeviceGoesDuringTheSweep) {
  canned.on_sweep = [this] {
    canned.status.state = daemon::State::waiting_for_device;
    canned.status.last_sweep.reset();
  };
  EXPECT_EQ(run_sweep(client, output, true), Exit::no_device);
  EXPECT_NE(err.str().find("did not end: the device has gone"), std::string::npos) << err.str();
}

TEST_F(CommandsTest, EndTheirWaitWhenTheDaemonCountsAnew) {
  canned.sweeps_asked = 69;
  canned.on_sweep = [this] { canned.status.last_sweep.reset(); };
  EXPECT_EQ(run_sweep(client, output, true), Exit::failed);
  EXPECT_NE(err.str().find("sweep #70 did not end"), std::string::npos) << err.str();
}

TEST_F(CommandsTest, AcceptTheFabricAsItIs) {
  canned.status.missing = {"switch leaf-9 is gone"};
  EXPECT_EQ(accept_fabric(client, output), Exit::done);
  EXPECT_EQ(said(), "no longer waited for, from sweep #2 on:\n  switch leaf-9 is gone\n");
  EXPECT_EQ(accept_fabric(client, output), Exit::done);
  EXPECT_EQ(said(), "nothing was missing; the fabric is planned anew all the same\n");
}

TEST_F(CommandsTest, ExitWith3WhenThereIsNoDevice) {
  stop();
  EXPECT_FALSE(fs::exists(socket));
  canned.status.state = daemon::State::waiting_for_device;
  daemon::HttpOptions options;
  options.socket = socket;
  server = std::move(*daemon::HttpServer::listen(loop, clock, options, daemon::make_api(canned.source())));
  loop.restart();
  thread = std::thread([this] { loop.run(); });
  EXPECT_EQ(run_sweep(client, output, true), Exit::no_device);
}

TEST_F(CommandsTest, ExportAndImportState) {
  const std::string file = path("state.json");
  EXPECT_EQ(export_state(client, output, file), Exit::done);
  EXPECT_EQ(import_state(client, output, file), Exit::done);
  EXPECT_NE(said().find("8 LID ranges taken over"), std::string::npos);
  std::ofstream(file) << "{\"format\":\"other\"}";
  EXPECT_EQ(import_state(client, output, file), Exit::usage);
  EXPECT_NE(err.str().find("nothing was taken over"), std::string::npos);
  EXPECT_EQ(import_state(client, output, path("none")), Exit::failed);
  EXPECT_EQ(import_state(client, output, "/tmp"), Exit::failed) << "a directory";
}

TEST_F(CommandsTest, ExportRegistrationsForTheOwnerAlone) {
  plan::Service service;
  service.id = 7;
  canned.registered.services.set({7, {}, Pkey{}}, std::make_shared<const plan::Service>(service));
  const std::string file = path("state.json");
  EXPECT_EQ(export_registrations(client, output, file), Exit::done) << err.str();
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  canned.registered = {};
  EXPECT_EQ(import_state(client, output, file), Exit::done) << err.str();
  EXPECT_NE(said().find("1 service taken over"), std::string::npos);
}

TEST_F(CommandsTest, TellWhichRegistrationsWaitAndWhichAreLeftOut) {
  const std::string file = path("state.json");
  const auto write = [&file](std::string_view mgid) {
    std::ofstream(file)
        << R"({"format":"weft-state","version":1,"lids":[],"devices":[],"registrations":{"groups":)"
        << R"([{"mgid":")" << mgid << R"(","mlid":49153,"qkey":0,"pkey":32767,"mtu":4,"rate":3,)"
        << R"("lifetime":18,"sl":0,"tclass":0,"flow_label":0,"hop_limit":0,"permanent":0,)"
        << R"("members":[]}],"services":[],"subscriptions":[],"aliases":[]}})";
  };
  write("ff12:401b:ffff::1");
  canned.takes_at_once = false;
  EXPECT_EQ(import_state(client, output, file), Exit::done);
  EXPECT_NE(said().find("1 group with 0 members wait until this manager is master, and in memory only"),
            std::string::npos);
  plan::McGroup ours;
  ours.mgid = {0xff12401bffff0000, 2};
  ours.mlid = Lid{0xc001};
  canned.registered.groups = canned.registered.groups.with(ours);
  canned.takes_at_once = true;
  EXPECT_EQ(import_state(client, output, file), Exit::done);
  const std::string told = said();
  EXPECT_EQ(told.find("1 group"), std::string::npos) << told;
  EXPECT_NE(told.find("left out: group ff12:401b:ffff:"), std::string::npos) << told;
}

TEST_F(CommandsTest, DumpFilesIntoADirectory) {
  EXPECT_EQ(dump_opensm(client, output, path("a/b")), Exit::done);
  std::ifstream in(path("a/b/opensm-subnet.lst"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 16);
  EXPECT_TRUE(fs::exists(path("a/b/opensm.mcfdbs")));
  EXPECT_FALSE(fs::exists(path("a/b/opensm.fdbs.part")));
}

TEST_F(CommandsTest, SayThatNoDaemonIsThere) {
  stop();
  EXPECT_EQ(show_status(client, output), Exit::failed);
  EXPECT_NE(err.str().find("is it running?"), std::string::npos);
  EXPECT_NE(err.str().find(socket), std::string::npos);
}

TEST(CheckConfig, NamesTheLineOfAMistake) {
  const daemon::test::TemporaryDirectory directory;
  const std::string file = (directory.path() / "weft.yaml").string();
  std::ostringstream out;
  std::ostringstream err;
  const Output output{out, err, {}, false, false};
  std::ofstream(file) << "sweep:\n  interval: 10s\n";
  EXPECT_EQ(check_config(output, file), Exit::done);
  std::ofstream(file) << "sweep:\n  intervall: 10s\n";
  EXPECT_EQ(check_config(output, file), Exit::usage);
  EXPECT_NE(err.str().find("weft.yaml:2:3"), std::string::npos) << err.str();
}

}  // namespace
}  // namespace weft::ctl
