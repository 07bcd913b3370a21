#pragma once
// Link training: which width and speed two ports agree on, and how PortInfo tells a speed. Source: IBTA vol.
// 1, 14.2.5.6: LinkWidth*, LinkSpeed*, LinkSpeedExt*.

#include "mad/port_info.h"

namespace weft::sim {

/// Sets what a port supports and has enabled: every speed up to `fastest`, and the widths that `widest` can
/// fall back to.
void support(mad::PortInfo& port, LinkWidth widest, LinkSpeed fastest);

/// Trains two ports: sets the active width and speed of both to the best that both have enabled. False, and
/// nothing set, when they have none in common.
bool agree(mad::PortInfo& a, mad::PortInfo& b);

/// What a port knew of the peer on a link that is lost: NeighborMTU, OperationalVLs and VLHighLimit return to
/// their values at reset, since another peer may come.
void forget_peer(mad::PortInfo& port);

/// A speed that an SM which does not ask for extended speeds may see.
void hide_extended(mad::PortInfo& port);

}  // namespace weft::sim
