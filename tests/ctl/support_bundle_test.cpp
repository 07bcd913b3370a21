#include "ctl/support_bundle.h"

#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "config/read.h"
#include "ctl/archive.h"
#include "daemon/api.h"
#include "daemon/http_server.h"
#include "tests/daemon/canned.h"
#include "transport/real_clock.h"

namespace weft::ctl {
namespace {

std::string said_by(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

TEST(Archive, IsOneThatTarReads) {
  const daemon::test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.tar.gz").string();
  const ArchiveFile files[] = {{"d/empty", ""}, {"d/block", std::string(512, 'x')}, {"d/text", "one\ntwo\n"}};
  const Result<std::string> bytes = archive(files, 1'000'000'000);
  ASSERT_TRUE(bytes) << bytes.error().what;
  std::ofstream(path, std::ios::binary) << *bytes;
  EXPECT_EQ(said_by("tar -tzf " + path), "d/empty\nd/block\nd/text\n");
  EXPECT_EQ(said_by("tar -xzOf " + path + " d/text"), "one\ntwo\n");
  EXPECT_EQ(said_by("tar -xzOf " + path + " d/block"), std::string(512, 'x'));
}

TEST(Archive, RefusesANameThatDoesNotFit) {
  const ArchiveFile files[] = {{std::string(100, 'n'), ""}};
  EXPECT_FALSE(archive(files, 0));
}

TEST(WithoutUrlUsers, BlanksWhatStandsBeforeTheHost) {
  EXPECT_EQ(without_url_users("[\"https://weft:pw@etcd-1:2379\", 'http://u@h/']"),
            "[\"https://(not shown)@etcd-1:2379\", 'http://(not shown)@h/']");
  EXPECT_EQ(without_url_users("https://etcd-1:2379/a@b mail@host ://"),
            "https://etcd-1:2379/a@b mail@host ://");
}

/// A canned daemon whose configuration and log hold secrets.
class SupportBundle : public testing::Test {
 protected:
  SupportBundle() {
    const std::string log = path("weftd.log");
    std::ofstream(log) << "a line of the log, connected to https://weft:log-pw-71@etcd-1:2379\n";
    std::ofstream(path("m_keys")) << "0x7a11c0ffee7a11c0\n";
    ::chmod(path("m_keys").c_str(), S_IRUSR | S_IWUSR);
    std::ofstream(path("password")) << "etcd-pw-4711\n";
    std::ofstream(path("weft.yaml")) << "manager: { sm_key: 0x5ec2e7b17e5a1234 }\n"
                                     << "sa: { sm_key: 6820374501928374650 }\n"
                                     << "m_key: { file: m_keys }\n"
                                     << "log: { file: " << log << " }\n"
                                     << "store: { etcd: ['https://etcd-1:2379'], user: weft, password_file: "
                                     << path("password") << " }\n";
    auto loaded = config::read_file(path("weft.yaml"));
    if (!loaded) throw std::runtime_error(loaded.error().what);
    auto source = canned.source();
    source.config = [held = std::make_shared<const config::Loaded>(std::move(*loaded))] { return held; };
    daemon::HttpOptions options;
    options.socket = path("weftd.sock");
    auto listening = daemon::HttpServer::listen(loop, clock, options, daemon::make_api(std::move(source)));
    if (!listening) throw std::runtime_error(listening.error().what);
    server = std::move(*listening);
    thread = std::thread([this] { loop.run(); });
  }
  ~SupportBundle() override {
    asio::post(loop, [this] {
      server.reset();
      loop.stop();
    });
    thread.join();
    loop.restart();
    loop.poll();
  }
  std::string path(const std::string& name) const { return (directory.path() / name).string(); }

  daemon::test::TemporaryDirectory directory;
  asio::io_context loop;
  transport::RealClock clock{loop};
  daemon::test::CannedDaemon canned;
  std::unique_ptr<daemon::HttpServer> server;
  std::thread thread;
  std::ostringstream out;
  std::ostringstream err;
  Output output{out, err, Style{}, false, false};
};

TEST_F(SupportBundle, HoldsWhatABugReportNeeds) {
  const std::string file = path("bundle.tar.gz");
  ASSERT_EQ(support_bundle(Client(path("weftd.sock")), output, file, "weft 9.8"), Exit::done) << err.str();
  const std::string names = said_by("tar -tzf " + file);
  for (const char* name : {"versions.txt", "status.txt", "status.json", "config.txt", "events.json",
                           "sweeps.json", "nodes.json", "links.json", "partitions.json", "weftd.log"})
    EXPECT_NE(names.find(std::string("/") + name + "\n"), names.npos) << name << "\n" << names << out.str();
  const std::string all = said_by("tar -xzOf " + file);
  EXPECT_NE(all.find("weft 9.8"), all.npos);
  EXPECT_NE(all.find("a line of the log"), all.npos);
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u) << "others may not read it";
}

TEST_F(SupportBundle, HoldsNoSecretThatWasPlanted) {
  const std::string file = path("bundle.tar.gz");
  ASSERT_EQ(support_bundle(Client(path("weftd.sock")), output, file, "weft 9.8"), Exit::done) << err.str();
  const std::string all = said_by("tar -xzOf " + file);
  ASSERT_NE(all.find("m_key.file"), all.npos) << "the configuration is there";
  for (const char* secret :
       {"5ec2e7b17e5a1234", "6828274734562153012", "6820374501928374650", "5ea6d6793e92917a",
        "7a11c0ffee7a11c0", "8796023752681460160", "etcd-pw-4711", "log-pw-71"})
    EXPECT_EQ(all.find(secret), all.npos) << secret;
}

TEST_F(SupportBundle, OfADaemonThatIsAwaySaysSo) {
  const std::string file = path("bundle.tar.gz");
  ASSERT_EQ(support_bundle(Client(path("nobody.sock")), output, file, "weft 9.8"), Exit::done) << err.str();
  EXPECT_NE(said_by("tar -xzOf " + file).find("what the daemon knows: "), std::string::npos);
  EXPECT_NE(out.str().find("not to be had"), std::string::npos);
}

TEST_F(SupportBundle, IsNoHalfFileWhereItCannotBeWritten) {
  EXPECT_EQ(support_bundle(Client(path("weftd.sock")), output, path("no/such/folder.tar.gz"), "weft 9.8"),
            Exit::failed);
  EXPECT_NE(err.str().find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace weft::ctl
