#pragma once
// GivenWays: the ways in a fabric of groups that stand, beside which others are sought for what they do not
// lead to (dragonfly_displaced.h). Two kinds: the minimal ways of a dragonfly, counted group by group
// (dragonfly_minimal.h), and TableWays: whatever stands in rows, followed LID by LID.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/design.h"
#include "routing/link_loads.h"
#include "routing/wait_order.h"

namespace weft::routing {

/// The live links among switches. A link is numbered switch * width + port.
struct GroupCables {
  explicit GroupCables(const DesignGraph& graph);
  std::uint32_t behind(std::uint32_t s, std::uint8_t port) const { return next[s * width + port]; }

  std::uint32_t count;
  std::uint32_t width = 1;
  std::vector<std::uint32_t> next;               ///< By link: the switch behind it; WaitOrder::kNobody.
  std::vector<std::uint8_t> far;                 ///< By link: port at the other end.
  std::vector<std::vector<std::uint8_t>> ports;  ///< By switch: by GUID of the neighbour, then port.
};

/// By LID: who has it, and who talks to it.
struct LidOwners {
  explicit LidOwners(const Problem& problem);
  static constexpr std::uint32_t kNobody = WaitOrder::kNobody;
  /// Whether packets of the switch's hosts, or its own, to the LID count as traffic.
  bool talks(std::uint32_t s, std::uint16_t lid) const { return is_peer[lid] || sources[s] != 0; }

  std::vector<std::uint32_t> at;       ///< By LID: the switch, or kNobody.
  std::vector<bool> is_host;           ///< By LID.
  std::vector<bool> is_peer;           ///< By LID: everybody talks to it.
  std::vector<std::uint32_t> hosts;    ///< By switch.
  std::vector<std::uint32_t> sources;  ///< By switch: hosts, and a manager on it.
};

class GivenWays {
 public:
  /// A LID that some switches do not reach.
  struct Lost {
    std::uint16_t lid = 0;
    std::uint32_t cut_off = 0;  ///< Which of cut_off().
  };

  GivenWays() = default;
  GivenWays(const GivenWays&) = delete;
  GivenWays& operator=(const GivenWays&) = delete;
  virtual ~GivenWays() = default;

  /// The port by which a switch sends a LID; kNoWay where there is none, and where the LID hangs.
  virtual std::uint8_t way(std::uint32_t s, std::uint16_t lid) const = 0;
  /// Counts what arrives, and nothing else.
  virtual void count(LinkLoads& loads, WaitOrder& waits) = 0;
  /// After count(), by rising LID.
  std::vector<Lost>& lost() { return lost_; }
  /// Switches whose packets do not arrive.
  const std::vector<std::uint32_t>& cut_off(const Lost& lost) const { return cut_off_[lost.cut_off]; }

 protected:
  std::vector<Lost> lost_;
  std::vector<std::vector<std::uint32_t>> cut_off_;
};

class TableWays final : public GivenWays {
 public:
  /// `rows`: by switch; entries that do not lead on are kNoWay. All are kept by the caller.
  TableWays(const Routes& rows, const LidOwners& owners, const GroupCables& cables, const Lanes& lanes);
  std::uint8_t way(std::uint32_t s, std::uint16_t lid) const override;
  /// Cost: O(switches * LIDs * length).
  void count(LinkLoads& loads, WaitOrder& waits) override;

 private:
  void follow(std::uint16_t lid);
  void count_loads(std::uint16_t lid, LinkLoads& loads);
  void count_waits(std::uint16_t lid, WaitOrder& waits);
  void list_lost(std::uint16_t lid);
  std::uint32_t lane(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return raw(lanes_.at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }

  const Routes& rows_;
  const LidOwners& owners_;
  const GroupCables& cables_;
  const Lanes& lanes_;
  // The LID at hand:
  std::vector<std::uint8_t> out_;       // by switch
  std::vector<std::uint32_t> arrives_;  // by switch: links to the end; kNobody: it does not arrive
  std::vector<std::uint32_t> nearest_;  // switches that arrive, the farthest first
  std::vector<std::uint8_t> held_;      // by switch: lanes that packets leave by
  std::vector<std::uint32_t> carries_;  // by link: 1 + the LID that it last carried
};

}  // namespace weft::routing
