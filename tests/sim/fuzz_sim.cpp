// Arbitrary MADs, one after the other, through forwarding, agents (of subnet and performance management, with
// all that can be offered), their lookups and traps of a small fabric.
#include <algorithm>

#include "sim/multicast.h"
#include "sim/partition.h"
#include "tests/sim/fabrics.h"

using namespace weft;
using namespace weft::sim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Settings settings{.switch_port_state = true, .multicast_fdb_top = true, .optimized_sl_to_vl = true};
  settings.vl_arb_cap = 64;
  settings.adaptive = {
      .offered = true, .sub_groups = 4, .plfts = 3, .notifications = true, .hbf = true, .pfrn = true};
  Lab lab(row_of(3, true), settings);
  lab.make_active();
  lab.route_row(3, true);
  Listener manager(lab, "h0", 1);
  Listener other(lab, "s1", 0);
  lab.network.set_is_sm(manager.client, true);
  while (size > 3) {
    // Two bytes of LID, one for who sends and how it starts, then as much of a MAD as there is.
    mad::Mad mad;
    if (data[2] & 2) mad = mad::to_mad(get(static_cast<mad::AttrId>(data[0]), 0, {1, 2}));
    mad.address.lid = static_cast<Lid>(data[0] << 8 | data[1]);
    const Listener& from = (data[2] & 1) ? manager : other;
    const std::size_t skip = (data[2] & 2) ? data[2] >> 2 : 0;
    data += 3;
    size -= 3;
    const std::size_t take = std::min(size, mad::kMadSize - skip);
    std::copy_n(data, take, mad.bytes.begin() + static_cast<std::ptrdiff_t>(skip));
    data += take;
    size -= take;
    lab.network.send(from.client, mad);
    lab.clock.run_until(lab.clock.now() + std::chrono::milliseconds(1));
  }
  for (int lid = 0; lid < 64; ++lid)
    static_cast<void>(adaptive_exits(lab.world, lab.node("s0"), PortNum{2}, Sl{1}, static_cast<Lid>(lid)));
  static_cast<void>(multicast_ports(lab.world, lab.node("s0"), Lid{0xc001}, PortNum{2}));
  static_cast<void>(partition_admits(lab.world, lab.port("s0", 2), Pkey{0x8001}, Direction::in));
  static_cast<void>(all_pairs(lab.world));
  static_cast<void>(credit_loop(lab.world));
  return 0;
}
