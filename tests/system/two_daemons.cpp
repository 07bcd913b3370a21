#include "tests/system/two_daemons.h"

#include <csignal>
#include <memory>

#include <gtest/gtest.h>

#include "tests/system/programs.h"

namespace weft::system_test {

void only_one_of_two_at_a_port_manages(const std::string& socket, const std::filesystem::path& directory) {
  const auto config = [&](const std::string& name) {
    const std::string base = (directory / name).string();
    std::filesystem::create_directory(base);
    write_file(base + "/weft.yaml", "transport: { kind: ibsim, ibsim: { socket: " + socket +
                                        " } }\ncontrol: { socket: " + base + "/sock }\nstate_dir: " + base +
                                        "\n");
    return base;
  };
  const auto start = [&](const std::string& base) {
    return std::make_unique<Background>(program("weftd") + " --config " + base + "/weft.yaml", Environment{},
                                        directory, base + "/log");
  };
  const auto says = [](const std::string& base, const std::string& words) {
    const auto told = [&] {
      return run(program("weftctl") + " --socket " + base + "/sock status").text.find(words) !=
             std::string::npos;
    };
    return eventually(told, std::chrono::seconds(30));
  };
  const std::string one = config("one");
  const std::string two = config("two");
  const auto first = start(one);
  ASSERT_TRUE(says(one, ": master,")) << first->log();
  const auto second = start(two);
  ASSERT_TRUE(says(two, ": standby,")) << second->log();
  EXPECT_NE(second->log().find("it says that it is master"), std::string::npos) << second->log();
  EXPECT_EQ(second->log().find("sweep done"), std::string::npos) << second->log();
  const Output once = run(program("weftd") + " --once --config " + two + "/weft.yaml --socket " + two +
                          "/other --state-dir " + two + "/state");
  EXPECT_EQ(once.status, 1) << once.text;
  first->signal(SIGKILL);
  EXPECT_TRUE(says(two, ": master,")) << second->log();
}

}  // namespace weft::system_test
