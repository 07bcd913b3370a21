#pragma once
// Routes: what a routing engine answers, and the problem it is asked to solve.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "fabric/fabric.h"
#include "routing/lanes.h"
#include "routing/lft.h"
#include "routing/row_arena.h"

namespace weft::routing {

/// A range of LIDs and where it hangs on the switch graph.
struct Destination {
  Lid base{};
  std::uint8_t lmc = 0;  ///< 2^lmc LIDs from `base` on.
  SwitchId at{};         ///< The switch that delivers it.
  PortNum port{};        ///< Delivering port; 0 when the destination is the switch itself.
  bool runs_sm = false;  ///< A switch port 0 with a subnet manager on it counts as traffic like a host.
  std::uint8_t kind =
      0;  ///< Hosts of one kind (0 compute, 1 storage, 2 I/O) are numbered and balanced apart.
  /// A host that was there and may come back: nothing is behind the port now, and the way to it stays.
  bool away = false;
  bool is_switch() const { return port == PortNum{0}; }
  /// Counted as a host: it talks to everybody.
  bool is_peer() const { return !is_switch() || runs_sm; }
  bool operator==(const Destination&) const = default;
};

struct Design;
struct Routes;
struct TreeShape;

/// All that an engine may look at.
struct Problem {
  const fabric::Fabric* fabric = nullptr;
  std::vector<Destination> destinations;  ///< By rising `base`; ranges do not overlap.
  /// Highest LID in use; rows have entries 0..top, rounded up to whole blocks of 64.
  Lid top{};
  /// GUIDs that the configuration names as roots, or empty.
  std::vector<Guid> roots;
  /// What the configuration says of switches, by rising GUID: rank from the leaves up, and group of a
  /// dragonfly or Dragonfly+. Empty: found by looking at the cables.
  std::vector<std::pair<Guid, std::uint32_t>> ranks;
  std::vector<std::pair<Guid, std::uint32_t>> groups;
  /// The routes in force, for engines that keep what still works; may be null, may be of another Fabric.
  const Routes* previous = nullptr;
  /// The last tables that served everybody, where `previous` are what was left of them. Null: `previous`.
  std::shared_ptr<const Routes> good;
  /// The cabling ever seen, for engines that number ways by it; null: the fabric is its own design.
  const Design* design = nullptr;
  /// The tree that recognise() has seen in this fabric; null: not known.
  const TreeShape* tree = nullptr;
  /// Layers (Routes::layers) that an engine may use: as many as SLs are handed out by LID offset, each on a
  /// VL.
  int max_layers = 1;
  unsigned threads = 1;  ///< An engine may use as many; its answer does not depend on it.
};

struct Routes {
  std::string engine;  ///< Name of the engine that made it.
  Lid top{};
  /// By SwitchId, rising: whose row each one is, so that Routes of another Fabric can be matched.
  std::vector<Guid> switches;
  /// By SwitchId: out port by LID, 255 where there is none. Rows, and pieces of rows, are shared with the
  /// previous Routes where they are equal.
  std::vector<std::shared_ptr<const Lft>> lfts;
  /// Data VLs the tables need to be free of deadlock; 1 for anything ordered up*/down*.
  int vls_needed = 1;
  /// Which of them a packet takes; null: VL 0 throughout.
  std::shared_ptr<const Lanes> lanes;
  /// Planes of LIDs that must not share a VL: a host's LID at offset i from its base is in layer i % layers,
  /// and packets to it must carry an SL that leads to VL i % layers, the same both ways (offset i at both
  /// ends). 1: tables are safe whatever SL is used.
  int layers = 1;
  /// What the engine may compare with when these are the previous routes; known to that engine alone.
  std::shared_ptr<const void> basis;
  /// Plain sentences: what was recognised, what was given up and why.
  std::vector<std::string> notes;

  /// The layer of a LID that a destination has.
  int layer_of(const Destination& d, Lid lid) const {
    return d.is_switch() ? 0 : (raw(lid) - raw(d.base)) % layers;
  }
  PortNum out(SwitchId at, Lid lid) const {
    const Lft& lft = *lfts[raw(at)];
    return raw(lid) < lft.size() ? static_cast<PortNum>(lft[raw(lid)]) : kPortDrop;
  }
};

/// An entry that leads nowhere.
inline constexpr std::uint8_t kNoWay = raw(kPortDrop);

/// Bytes in a row that has room for `top`: whole blocks of 64.
constexpr std::size_t row_size(Lid top) { return (static_cast<std::size_t>(raw(top)) / 64 + 1) * 64; }

/// The row of a switch, or null.
std::shared_ptr<const Lft> row_of(const Routes& routes, Guid switch_guid);

/// Rows under construction: one per switch, all entries "drop" at first. Different rows may be handled in
/// different threads.
class Tables {
 public:
  explicit Tables(const Problem& problem);
  /// To be written in place.
  std::uint8_t* row(std::size_t switch_index);
  /// A whole row of row_size(top) bytes, copied only where it differs from the previous one of the same
  /// switch.
  void set(std::size_t switch_index, const std::uint8_t* row);
  /// The previous row of the same switch, which there must be, but for these entries, which differ.
  void patch(std::size_t switch_index, std::span<const Lft::Entry> entries);
  /// The previous row of the same switch, which there must be.
  void keep(std::size_t switch_index) { kept_[switch_index] = before(switch_index); }
  std::shared_ptr<const Lft> before(std::size_t switch_index) const;
  /// Gives the rows away as Routes; a row equal to the previous one of the same switch is that one.
  Routes finish(std::string_view engine) &&;

 private:
  void keep(std::size_t switch_index, std::span<const std::uint8_t> ports, const Lft& like);

  const Problem& problem_;
  RowArena arena_;
  std::vector<Lft::Memory> rows_;
  std::vector<std::shared_ptr<const Lft>> kept_;
};

}  // namespace weft::routing
