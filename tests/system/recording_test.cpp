// A recording of the simulator as tshark reads it.

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "sim/recorder.h"
#include "tests/sim/fabrics.h"
#include "tests/system/programs.h"

namespace weft::system_test {
namespace {

using mad::AttrId;

TEST(Recording, IsDissectedByTshark) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("weft-recording-{}.pcapng", getpid());
  {
    std::ofstream out(file, std::ios::binary);
    sim::Lab lab(sim::row_of(3, false));
    lab.make_active();
    lab.route_row(3);
    sim::Recorder recorder(lab.network, [&out](std::span<const std::uint8_t> bytes) {
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    });
    sim::Listener manager(lab, "h0", 1);
    manager.ask(sim::get(AttrId::node_info, 0, {1, 2}));
    manager.ask(sim::to_lid(sim::get(AttrId::port_info, 1), lab.lid_of("s2")));
    manager.ask(sim::set(AttrId::linear_forwarding, 3, mad::LinearForwardingTable{}, {1}));
    manager.ask(sim::get(AttrId::node_info, 0, {1, 4}));
  }
  const Output output = run("tshark -n -r " + file.string() + " -V");

  ASSERT_EQ(output.status, 0) << output.text;
  EXPECT_EQ(count_of(output.text, "Local Route Header"), 7u) << output.text;
  EXPECT_EQ(count_of(output.text, "Interface name: h0[1] #0"), 7u);
  EXPECT_EQ(count_of(output.text, "Management Class: 0x81"), 5u);
  EXPECT_EQ(count_of(output.text, "Management Class: 0x01"), 2u);
  EXPECT_EQ(count_of(output.text, "SubnGetResp(NodeInfo)") + count_of(output.text, "NumPorts: 0x04"), 2u);
  EXPECT_GE(count_of(output.text, "port down"), 1u) << "the reason stands beside what did not arrive";
  EXPECT_EQ(count_of(output.text, "Malformed"), 0u);
}

}  // namespace
}  // namespace weft::system_test
