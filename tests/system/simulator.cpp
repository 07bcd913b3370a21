#include "tests/system/simulator.h"

#include <unistd.h>

#include <csignal>
#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace weft::system_test {

Simulator::Simulator(const std::string& fabric, const std::string& options) {
  static int number = 0;
  socket_ = "weft-system-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
  process_ = std::make_unique<Background>(
      program("weftsim") + " --fabric '" + fabric + "' --socket " + socket_ + " " + options, Environment{},
      directory_.path(), path("log"));
  EXPECT_TRUE(eventually([this] { return process_->log().find("ready: ") != std::string::npos; },
                         std::chrono::seconds(60)))
      << process_->log();
}

Environment Simulator::environment(Under under, const std::string& host) const {
  Environment environment = under_ibsim(socket_, host);
  if (under == Under::weftsim_run) environment["LD_PRELOAD"] = program("libweftsim_run.so");
  environment["OSM_TMP_DIR"] = environment["OSM_CACHE_DIR"] = directory_.path().string();
  return environment;
}

Output Simulator::tool(const std::string& command, Under under, const std::string& host,
                       std::chrono::seconds limit) const {
  return run(command, environment(under, host), directory_.path(), limit);
}

Output Simulator::ctl(const std::string& command) const {
  return run(program("weftsim") + " ctl --socket " + socket_ + " " + command);
}

WeftDaemon::WeftDaemon(const Simulator& simulator, const std::string& host, const std::string& options)
    : socket_(simulator.path("weftd.sock")) {
  const std::string file = simulator.path("weft.yaml");
  write_file(file, "transport: { kind: ibsim, ibsim: { socket: " + simulator.socket() + ", host: " + host +
                       " } }\ncontrol: { socket: " + socket_ + " }\nstate_dir: " + simulator.path("state") +
                       "\n" + options);
  std::filesystem::create_directory(simulator.path("state"));
  process_ = std::make_unique<Background>(program("weftd") + " --config " + file, Environment{},
                                          simulator.path(""), simulator.path("weftd.log"));
}

bool WeftDaemon::is_up(std::chrono::seconds limit) const {
  return eventually([this] { return log().find("clean=true") != std::string::npos; }, limit);
}

OpenSm::OpenSm(const Environment& environment, const std::string& directory, const std::string& options,
               const std::string& settings)
    : log_(directory + "/osm.log") {
  write_file(directory + "/opensm.conf", "force_log_flush TRUE\n" + settings);
  process_ =
      std::make_unique<Background>("opensm -F " + directory + "/opensm.conf -f " + log_ + " " + options,
                                   environment, directory, directory + "/opensm.out");
}

bool OpenSm::is_up(std::chrono::seconds limit) const {
  return eventually([this] { return log().find("SUBNET UP") != std::string::npos; }, limit);
}

std::vector<std::string> OpenSm::errors() const {
  std::set<std::string> numbers;
  const std::string text = log();
  const std::regex error(R"(ERR ([0-9A-F]{4}))");
  for (std::sregex_iterator at(text.begin(), text.end(), error), end; at != end; ++at)
    numbers.insert((*at)[1]);
  return {numbers.begin(), numbers.end()};
}

}  // namespace weft::system_test
