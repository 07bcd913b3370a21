#include "daemon/reload.h"

#include <gtest/gtest.h>

namespace weft::daemon {
namespace {

config::Loaded loaded(std::string_view yaml, std::span<const config::Override> options = {}) {
  return config::read_text(yaml, "f", options).value();
}

TEST(Reload, KeysThatNeedARestartStay) {
  EXPECT_EQ(objection(loaded("sweep: { interval: 1s }"), loaded("sweep: { interval: 2s }")), "");
  EXPECT_EQ(objection(loaded(""), loaded("state_dir: /tmp/x\ncontrol: { group: g }")),
            "control.group, state_dir changed, which needs a restart");
}

TEST(Reload, AFileThatIsJustBeingWrittenDoesNotOpenTheFabric) {
  const config::Loaded closed = loaded("partitions: { define: { a: { key: 5 } } }");
  const std::vector<config::Override> options{{"sweep.interval", "3s"}};
  for (const char* text : {"", "# all commented out", "{}", "partitions:", "partitions: {}",
                           "sweep: { interval: 1s }", "partitions: { enforcement: both }"})
    EXPECT_NE(objection(closed, loaded(text, options)).find("would open a fabric"), std::string::npos)
        << text;
  EXPECT_EQ(objection(closed, loaded("partitions: { define: {} }")), "");
  EXPECT_EQ(objection(closed, loaded("partitions: { define: { b: { key: 5 } } }")), "");
  EXPECT_EQ(objection(loaded("sweep: { interval: 1s }"), loaded("")), "");
}

TEST(Reload, TellsWhatChangesButNoSecrets) {
  const auto changes = [](const char* before, const char* after) {
    return what_changes(loaded(before).settings, loaded(after).settings);
  };
  EXPECT_EQ(changes("", "sweep: { interval: 20s }\nlog: { level: debug }"),
            "sweep.interval from 10s to 20s, log.level from info to debug");
  EXPECT_EQ(changes("", "sa: { sm_key: 0x5ec }"), "sa.sm_key");
  EXPECT_EQ(changes("", ""), "");
}

}  // namespace
}  // namespace weft::daemon
