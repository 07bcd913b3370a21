#pragma once
// Aliases: GUIDs that a port answers to besides its own, given by clients or chosen by the SA: virtual
// functions need one each. Source: IBTA vol. 1, 15.2.5.18 (GUIDInfoRecord), 14.2.5.5.

#include "mad/tables.h"
#include "sa/request.h"

namespace weft::sa {

/// Set(GUIDInfoRecord): takes the GUIDs that are free, chooses one where 0 is given. A GUID that somebody has
/// is no error: its place comes back 0.
Answer set_guids(const Request& request, const Context& context);
/// Delete: `denied` while one of them is a member of a group.
Answer delete_guids(const Request& request, const Context& context);

/// Blocks of 8 GUIDs that a port's table has.
std::uint32_t guid_blocks(const Context& context, const End& end);
/// A block as the state has it, the port's own GUID included.
mad::GuidInfo guid_block(const plan::SaState& state, Guid port, std::uint32_t block);

}  // namespace weft::sa
