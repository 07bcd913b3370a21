#pragma once
// Index: look-ups on one View, made once when it is published: who has a LID or a GUID, and what a path
// between two end ports is like. Everything a query needs is found in O(1), a path in O(its length).

#include <memory>
#include <optional>
#include <vector>

#include "base/gid.h"
#include "plan/view.h"

namespace weft::sa {

/// A port with LIDs of its own.
struct End {
  fabric::PortRef port;
  Guid guid{};
  Lid base{};
  std::uint8_t lmc = 0;
  bool is_switch = false;
  SwitchId leaf{};           ///< The switch it hangs on, or is.
  PortNum leaf_port{};       ///< Port of the leaf that delivers to it; 0 for the switch itself.
  std::uint8_t mtu = 0;      ///< Code: the most the port takes.
  std::uint8_t rate = 0;     ///< SA code of its own link; 0 for a switch's port 0.
  std::uint32_t number = 0;  ///< Index into Fabric::end_ports().
  std::uint8_t knows = 0;    ///< Highest rate code that its software can know (sa/rate.h).
  std::span<const Pkey>
      keys;  ///< Its P_Key table as planned. Ends with equal tables share one, so that data() names it.
};

/// What a packet meets on its way.
struct PathQuality {
  std::uint8_t mtu = 0;
  std::uint8_t rate = 0;
  std::uint8_t lifetime = 0;
  Sl sl{};
};

class Index {
 public:
  /// The View must have a plan.
  explicit Index(std::shared_ptr<const plan::View> view);

  const plan::View& view() const { return *view_; }
  std::shared_ptr<const plan::View> shared_view() const { return view_; }
  const fabric::Fabric& fabric() const { return *view_->fabric; }
  /// By rising base LID.
  std::span<const End> ends() const { return ends_; }
  /// By any of its LIDs; nullptr when nobody has it.
  const End* find(Lid lid) const;
  /// By port GUID; a switch's node GUID is that of its port 0.
  const End* find(Guid port_guid) const;
  const End* find(fabric::PortRef port) const;
  /// The router port with the lowest LID, for what is not in this subnet; nullptr when there is none.
  const End* router() const { return router_ < 0 ? nullptr : &ends_[static_cast<std::size_t>(router_)]; }

  /// Along the planned tables from one end port to a LID of another; nothing when they do not lead there.
  std::optional<PathQuality> path(const End& from, const End& to, Lid to_lid) const;
  /// Routing in layers is safe for packets that stay in theirs, both ways, on the SL of the path record.
  bool needs_its_sl() const { return view_->plan->routes().layers > 1; }
  /// Groups go along the first layer, on VL 0.
  bool is_for_groups(Sl sl) const {
    return raw(sl) == 0 || static_cast<int>(raw(sl)) >= view_->plan->routes().layers;
  }
  bool same_layer(const End& from, Lid slid, const End& to, Lid dlid) const {
    return layer_of(from, slid) == layer_of(to, dlid);
  }

 private:
  unsigned layer_of(const End& end, Lid lid) const {
    const auto offset = static_cast<unsigned>(raw(lid) - raw(end.base));
    return end.is_switch ? 0 : offset % static_cast<unsigned>(view_->plan->routes().layers);
  }
  std::uint32_t slot(fabric::PortRef port) const {
    return fabric().node(port.node).first_port + raw(port.port);
  }

  std::shared_ptr<const plan::View> view_;
  std::vector<End> ends_;
  std::int32_t router_ = -1;          // index into ends_
  std::vector<std::int32_t> by_lid_;  // index into ends_, -1
  /// Open addressing: a look-up costs one place in memory.
  struct GuidSlot {
    Guid guid{};  // 0: free
    std::uint32_t end = 0;
  };
  std::vector<GuidSlot> by_guid_;  // a power of two, at most half full
  /// Where a switch's port leads, and what a packet meets there. A path is walked by these and the tables
  /// alone: two places in memory a hop.
  struct Step {
    std::uint32_t next = kNowhere;  // a SwitchId; kToEnd | index into ends_
    std::uint16_t speed = 0;        // rate_speed() of the link
    std::uint8_t mtu = 0;
    std::uint8_t rate = 0;
  };
  static constexpr std::uint32_t kToEnd = 0x80000000;
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  void make_steps(std::span<const std::uint8_t> mtus, std::span<const std::uint8_t> rates);
  bool all_delivered() const;

  std::vector<Step> steps_;                  // by first_[SwitchId] + port
  std::vector<std::uint32_t> first_;         // by SwitchId
  std::vector<const std::uint8_t*> pieces_;  // by SwitchId * piece_count_ + piece: of its forwarding table
  std::size_t piece_count_ = 0;
  std::size_t row_size_ = 0;
  // What no way between switches is worse than. Where every pair is delivered, a path that is as bad by its
  // ends alone need not be walked.
  bool all_delivered_ = false;
  int least_speed_ = 0;
  std::uint8_t least_mtu_ = 0;
};

}  // namespace weft::sa
