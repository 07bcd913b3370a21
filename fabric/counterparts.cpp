#include "fabric/counterparts.h"

namespace weft::fabric {

Counterparts::Counterparts(const Fabric& of, const Fabric& in) : there_(of.node_count(), kNone) {
  std::uint32_t next = 0;
  for (std::uint32_t n = 0; n < of.node_count(); ++n) {
    const Guid guid = of.node(NodeId{n}).guid;
    while (next < in.node_count() && in.node(NodeId{next}).guid < guid) ++next;
    if (next < in.node_count() && in.node(NodeId{next}).guid == guid) there_[n] = NodeId{next};
  }
}

}  // namespace weft::fabric
