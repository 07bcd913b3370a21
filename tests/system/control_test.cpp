// The control API over its sockets, by the programs that people use: weftctl, curl, promtool.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/system/simulator.h"

namespace weft::system_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kRead = "a-token-for-reading-only";
const std::string kWrite = "a-token-for-all-changes";

/// weftd on a tree whose cables can be pulled, with the control API on TCP, too.
class Control : public testing::Test {
 protected:
  Control() {
    write_secret("read", kRead);
    write_secret("write", kWrite);
    fs::create_directory(simulator.path("state"));
  }
  void write_secret(const std::string& name, const std::string& text) {
    write_file(simulator.path(name), text + "\n");
    fs::permissions(simulator.path(name), fs::perms(0600));
  }
  void start(const std::string& tcp) {
    write_file(simulator.path("weft.yaml"),
               "transport: { kind: ibsim, ibsim: { socket: " + simulator.socket() +
                   " } }\ncontrol: { socket: " + socket +
                   ", tcp: { listen: '127.0.0.1:0', read_token_file: " + simulator.path("read") + ", write_token_file: " + simulator.path("write") + tcp +
                   " } }\nstate_dir: " + simulator.path("state") + "\n");
    const std::string log_file = "weftd-" + std::to_string(++starts) + ".log";
    daemon = std::make_unique<Background>(program("weftd") + " --config " + simulator.path("weft.yaml"),
                                          Environment{}, simulator.path(""), simulator.path(log_file));
    ASSERT_TRUE(eventually([this] { return daemon->log().find("clean=true") != std::string::npos; }, 60s))
        << daemon->log();
    std::smatch found;
    const std::string log = daemon->log();
    ASSERT_TRUE(std::regex_search(log, found, std::regex("tcp_port=([0-9]+)"))) << log;
    port = found[1];
  }
  void stop() {
    daemon->signal(SIGTERM);
    EXPECT_EQ(daemon->wait(20s), 0);
  }
  Output ctl(const std::string& command) {
    return run(program("weftctl") + " --socket " + socket + " " + command);
  }
  /// The answer's body and, on a line of its own, its status.
  std::string curl(const std::string& rest, const std::string& scheme = "http") {
    return run("curl -sS -m 20 -w '\\n%{http_code}' " +
               std::regex_replace(rest, std::regex("@"), scheme + "://127.0.0.1:" + port))
        .text;
  }
  static std::string bearer(const std::string& token) { return " -H 'Authorization: Bearer " + token + "' "; }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  Simulator simulator{"fat-tree:radix=4,levels=2"};
  std::string socket = simulator.path("weftd.sock");
  std::string port;
  std::unique_ptr<Background> daemon;
  int starts = 0;
};

TEST_F(Control, IsServedOverTcpByTokens) {
  start("");
  EXPECT_TRUE(curl("@/livez").ends_with("200"));
  EXPECT_TRUE(curl("@/v1/status").ends_with("401"));
  EXPECT_TRUE(curl(bearer(kRead) + "@/v1/status").ends_with("200"));
  EXPECT_TRUE(curl(bearer(kRead) + "-X POST @/v1/sweep").ends_with("401"));
  EXPECT_TRUE(curl(bearer(kWrite) + "-X POST @/v1/sweep").ends_with("202"));
  EXPECT_TRUE(curl(bearer(kWrite) + "-H 'Host: evil.example' -X POST @/v1/sweep").ends_with("403"));
  EXPECT_TRUE(curl(bearer(kWrite) + "-H 'Origin: http://evil.example' -X POST @/v1/sweep").ends_with("403"));
  const Output asked = ctl("events --kind asked");
  EXPECT_TRUE(has(asked.text, "127.0.0.1 with the write token asked: POST /v1/sweep (202)")) << asked.text;
  EXPECT_EQ(count_of(asked.text, "asked: POST"), 1u) << "what was refused was not done: " << asked.text;
  EXPECT_FALSE(has(daemon->log(), kWrite)) << "tokens are not logged";
  stop();
}

TEST_F(Control, IsServedWithTls) {
  const Output made =
      run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=weft "
          "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem",
          {}, simulator.path(""));
  ASSERT_EQ(made.status, 0) << made.text;
  start(", tls: { cert: " + simulator.path("cert.pem") + ", key: " + simulator.path("key.pem") + " }");
  const std::string by = "--cacert " + simulator.path("cert.pem") + bearer(kRead);
  EXPECT_TRUE(curl(by + "@/v1/status", "https").ends_with("200"));
  EXPECT_TRUE(curl(by + "@/v1/fabric", "https").ends_with("200"));
  EXPECT_FALSE(has(curl(bearer(kRead) + "@/v1/status", "http"), "master")) << "nothing without TLS";
  stop();
}

TEST_F(Control, StreamsEventsAsTheyHappen) {
  start("");
  Background stream("curl -sSN -m 60 --unix-socket " + socket + " http://weftd/v1/events/stream", {},
                    simulator.path(""), simulator.path("stream"));
  ASSERT_TRUE(eventually([&] { return has(stream.log(), "event: view"); }, 20s)) << stream.log();
  simulator.ctl("cut h00003");
  EXPECT_TRUE(eventually([&] { return has(stream.log(), "\"kind\":\"node_gone\""); }, 20s)) << stream.log();
  EXPECT_TRUE(eventually([&] { return count_of(stream.log(), "event: view") > 1; }, 20s)) << stream.log();
  EXPECT_TRUE(has(curl(bearer(kRead) + "@/v1/fabric"), "\"missing_nodes\":[[\"")) << "until it is back";
  stop();
  stream.wait(20s);
}

TEST_F(Control, KeepsTheHistoryOverARestart) {
  start("");
  simulator.ctl("cut h00003");
  ASSERT_TRUE(eventually([&] { return has(ctl("events").text, "node_gone"); }, 20s)) << ctl("events").text;
  stop();
  simulator.ctl("mend h00003");
  start("");
  EXPECT_TRUE(has(ctl("events --since 1h --node h00003").text, "node_gone")) << ctl("events --since 1h").text;
  EXPECT_FALSE(has(ctl("events --since 1h --node h00001").text, "node_gone"));
  const Output sweeps = ctl("sweeps --since 1h");
  EXPECT_GE(count_of(sweeps.text, " start"), 2u) << sweeps.text;
  const Output changed = ctl("what-changed --since 1h");
  EXPECT_TRUE(has(changed.text, "nodes")) << changed.text;
  EXPECT_TRUE(has(ctl("what-changed --since 2000-01-01T00:00:00Z").text, "h00003"));
  EXPECT_TRUE(has(ctl("explain sweep").text, "Its cause:"));
  EXPECT_EQ(ctl("explain sweep 4711").status, 1);
  stop();
}

TEST_F(Control, ExplainsAndCountsForPeople) {
  start("");
  EXPECT_TRUE(has(ctl("explain port h00003").text, "The link is active"));
  simulator.ctl("cut h00003");
  ASSERT_TRUE(eventually([&] { return has(ctl("events").text, "node_gone"); }, 20s));
  const Output links = ctl("--json events --kind node_gone");
  EXPECT_TRUE(has(links.text, "it hung on")) << links.text;
  EXPECT_TRUE(has(ctl("explain path h00000 h00001").text, "There is a way"));
  EXPECT_TRUE(has(ctl("explain partition h00000 h00001").text, "may talk"));
  EXPECT_TRUE(has(ctl("explain engine").text, "fat-tree"));
  EXPECT_TRUE(has(ctl("explain lid 1").text, "LID 1"));
  const Output counters = ctl("counters h00000");
  EXPECT_EQ(counters.status, 0) << counters.text;
  EXPECT_TRUE(has(counters.text, "h00000")) << counters.text;
  const Output top = ctl("top --once");
  EXPECT_EQ(top.status, 0) << top.text;
  EXPECT_TRUE(has(top.text, "Sweeps   #")) << top.text;
  stop();
}

TEST_F(Control, GivesMetricsThatPrometheusTakes) {
  start("");
  EXPECT_EQ(run("curl -sS --unix-socket " + socket +
                    " http://weftd/metrics > metrics && promtool check metrics < metrics",
                {}, simulator.path(""))
                .text,
            "");
  EXPECT_EQ(run("curl -sS --unix-socket " + socket +
                    " 'http://weftd/metrics?ports=1' > metrics && promtool check metrics < metrics",
                {}, simulator.path(""))
                .text,
            "");
  stop();
}

TEST(Prometheus, TakesOurRulesAndKnowsTheirSeries) {
  const fs::path etc = fs::path(WEFT_SOURCE_DIR) / "etc";
  const Output rules = run("promtool check rules " + (etc / "prometheus" / "weft.rules.yml").string());
  EXPECT_EQ(rules.status, 0) << rules.text;
  // Every series that rules and dashboard name is one that the daemon has.
  const std::string code = read_file(fs::path(WEFT_SOURCE_DIR) / "daemon" / "metrics.cpp");
  for (const char* file : {"prometheus/weft.rules.yml", "grafana/weft.json"}) {
    const std::string text = read_file(etc / file);
    EXPECT_FALSE(text.empty()) << file;
    const std::regex series("weft_[a-z_]+");
    for (std::sregex_iterator at(text.begin(), text.end(), series), end; at != end; ++at) {
      std::string name = at->str();
      name = std::regex_replace(name, std::regex("_bucket$"), "");
      name = std::regex_replace(name, std::regex("^weft_ports_"), "weft_port_");
      EXPECT_NE(code.find('"' + name + '"'), std::string::npos) << file << ": " << name;
    }
  }
}

}  // namespace
}  // namespace weft::system_test
