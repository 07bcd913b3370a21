#pragma once
// Conditions: what is lastingly wrong with links and agents: slow, lossy, refusing. Everything stands still
// where nothing is wrong: a healthy fabric pays one look at an empty table for a packet.

#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "mad/attribute_id.h"
#include "sim/ids.h"
#include "sim/world.h"

namespace weft::sim {

/// Of one cable, in both directions.
struct LinkCondition {
  Duration delay{};
  double loss = 0;  ///< Of any packet, silently.
  bool operator==(const LinkCondition&) const = default;
};

/// Of one node's agents.
struct AgentCondition {
  Duration delay{};
  double request_loss = 0;  ///< Of what it is asked: not done.
  double answer_loss = 0;   ///< Of its answers: done, and nobody hears of it.
  bool operator==(const AgentCondition&) const = default;
};

/// Requests that a node refuses instead of doing what they ask for.
struct Refusal {
  mad::AttrId attribute{};
  mad::Method method = mad::Method::set;
  mad::Status status = mad::Status::bad_value;
  int times = -1;  ///< How often; negative: for ever.
};

class Conditions {
 public:
  /// A default condition ends it.
  void set_link(const World& world, PortIndex end, LinkCondition condition);
  void set_agent(NodeIndex n, AgentCondition condition);
  void refuse(NodeIndex n, Refusal refusal);
  void end_refusals(NodeIndex n);

  /// nullptr when the link, or agent, is as it should be.
  const LinkCondition* link(PortIndex end) const;
  const AgentCondition* agent(NodeIndex n) const;
  /// The status to refuse this request with; it is counted as refused.
  std::optional<mad::Status> refused(NodeIndex n, mad::Method method, mad::AttrId attribute);

 private:
  std::unordered_map<std::uint32_t, LinkCondition> links_;  // by PortIndex, under both ends
  std::unordered_map<std::uint32_t, AgentCondition> agents_;
  std::unordered_map<std::uint32_t, std::vector<Refusal>> refusals_;
};

}  // namespace weft::sim
