#pragma once
// Two switches in a row with a host at each and a program at h0: where the tests of agents look and set.

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"

namespace weft::sim {

class AgentsLab : public ::testing::Test {
 protected:
  explicit AgentsLab(const Settings& settings = {}, const topology::Topology& topology = row_of(2, false))
      : lab(topology, settings), sm(lab, "h0", 1) {}

  mad::Status status_of(const mad::Smp& smp) { return static_cast<mad::Status>(sm.ask(smp)->status); }
  template <typename S>
  S told(const mad::Smp& smp) {
    const auto answer = sm.ask(smp);
    EXPECT_TRUE(answer && answer->status == 0);
    return answer ? mad::decode<S>(answer->data) : S{};
  }
  /// LIDs, tables and Active links, and h0 as the manager of all ports.
  void manage() {
    lab.make_active();
    lab.route_row(2);
    for (std::uint32_t p = 0; p < lab.world.port_slots(); ++p)
      lab.world.port(PortIndex{p}).info.sm_lid = lab.lid_of("h0");
    lab.network.set_is_sm(sm.client, true);
    lab.clock.run_until(lab.clock.now() + std::chrono::milliseconds(1));
    for (const mad::Mad& mad : sm.got)  // that h0 has an SM now
      lab.network.traps().repress(lab.node("h0"), mad::tid_of(mad));
    sm.got.clear();
  }
  /// Traps that have come, of this number.
  std::vector<mad::Notice> traps(mad::TrapNumber number) {
    std::vector<mad::Notice> found;
    for (const mad::Mad& mad : sm.got) {
      const mad::Smp smp = *mad::to_smp(mad);
      if (smp.method != mad::Method::trap) continue;
      const auto notice = mad::decode<mad::Notice>(smp.data);
      if (notice.trap == number) found.push_back(notice);
    }
    return found;
  }
  void pass(Duration time) { lab.clock.run_until(lab.clock.now() + time); }

  Lab lab;
  Listener sm;
};

inline std::uint64_t detail(const mad::Notice& notice, std::size_t at, std::size_t bits,
                            std::size_t bit = 0) {
  return get_bits(notice.details, (at - 10) * 8 + bit, bits);
}

}  // namespace weft::sim
