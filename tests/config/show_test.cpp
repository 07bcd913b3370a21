#include "config/show.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/schema.h"

namespace weft::config {
namespace {

const Row& row_of(const std::vector<Row>& rows, std::string_view key) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.key == key; });
}

TEST(Rows, TellValueDefaultAndOriginOfEveryKey) {
  const std::vector<Override> options{{"transport.kind", "ibsim"}};
  const Result<Loaded> loaded =
      read_text("sweep:\n  interval: 3s\nstate_dir: /var/lib/weft\n", "w.yaml", options);
  ASSERT_TRUE(loaded) << loaded.error().what;
  const std::vector<Row> all = rows(*loaded);
  EXPECT_EQ(all.size(), schema().size());
  EXPECT_EQ(row_of(all, "sweep.interval"), (Row{"sweep.interval", "3s", "10s", "w.yaml:2", false}));
  EXPECT_EQ(row_of(all, "transport.kind"), (Row{"transport.kind", "ibsim", "umad", "command line", true}));
  EXPECT_EQ(row_of(all, "state_dir"), (Row{"state_dir", "/var/lib/weft", "/var/lib/weft", "w.yaml:3", true}));
  EXPECT_EQ(row_of(all, "links.max_mtu"), (Row{"links.max_mtu", "4096", "4096", "default", false}));
}

TEST(Table, AlignsColumnsAndCutsLongValues) {
  const std::vector<Row> some{{"a", "1", "2", "default", false},
                              {"long.key", std::string(80, 'x'), "", "w:1", false}};
  EXPECT_EQ(table(some, 10),
            "KEY       VALUE       DEFAULT  ORIGIN\n"
            "a         1           2        default\n"
            "long.key  xxxxxxx...  -        w:1\n");
}

}  // namespace
}  // namespace weft::config
