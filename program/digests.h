#pragma once
// Digests of confirmed tables: why a restart need not read back what it wrote. They are kept in the Ledger
// and trusted while the device shows no boot; SwitchInfo's LinearFDBTop, written last, is the mark that its
// table was complete. Pure.

#include <vector>

#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "plan/ledger.h"
#include "plan/plan.h"

namespace weft::program {

/// A switch whose table must be read before anything is decided about it: configured, and we have no digests.
std::vector<SwitchId> to_read_back(const fabric::Fabric& fabric, const mad::Shadow& shadow,
                                   const plan::DeviceMap& devices);

/// Blocks that a switch holds up to its LinearFDBTop, as far as SwitchInfo tells; 0 for a blank one.
std::uint32_t blocks_in_use(const mad::Shadow& shadow, Guid node);

/// Takes into the Shadow every unknown block whose planned content has the digest on record.
void adopt_digests(const fabric::Fabric& fabric, const plan::Plan& plan, const plan::DeviceMap& devices,
                   mad::Shadow& shadow);

/// The records after programming: digests of what the Shadow knows each switch to hold; the unkept fields and
/// the digests of lanes and P_Keys as given. The same pointer when nothing changed.
std::shared_ptr<const plan::DeviceMap> updated_devices(const fabric::Fabric& fabric,
                                                       const mad::Shadow& shadow,
                                                       std::shared_ptr<const plan::DeviceMap> before,
                                                       const std::map<Guid, std::uint32_t>& unkept,
                                                       const std::map<Guid, std::uint64_t>& lanes,
                                                       const std::map<Guid, std::uint64_t>& keys);

}  // namespace weft::program
