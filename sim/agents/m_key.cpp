// The management key: who may read and write a node. The key, its protection and its lease are those of the
// port that was asked, on a switch of port 0. A key of 0 guards nothing.
//
//   protection   Get without the key        Set, TrapRepress without the key
//   0            answered, M_Key told       no answer
//   1            answered, M_Key told as 0  no answer
//   2, 3         no answer                  no answer
//
// Each refusal is counted, told by trap 256, and starts the lease; a request with the right key stops it. A
// lease that ends takes the protection to 0, so that a new manager can read the key. Source: IBTA vol. 1,
// 14.2.4.
#include "sim/agents/agents.h"
#include "sim/notices.h"

namespace weft::sim {

bool key_opens(World& world, PortIndex arrival, const mad::Smp& smp, Lid from,
               std::span<const std::uint8_t> return_path) {
  constexpr std::uint8_t kGuardsReads = 2;
  const PortIndex port = notifier(world, arrival);
  mad::PortInfo& info = world.port(port).info;
  if (info.m_key == 0) return true;
  if (info.m_key == smp.m_key) {
    world.stop_lease(port);
    return true;
  }
  if (smp.method == mad::Method::get && info.m_key_protect < kGuardsReads) return true;
  if (info.m_key_violations != 0xffff) ++info.m_key_violations;
  world.start_lease(port);
  world.raise(port, bad_m_key_notice(world, port, smp, from, return_path));
  return false;
}

}  // namespace weft::sim
