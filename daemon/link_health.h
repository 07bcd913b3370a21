#pragma once
// LinkHealth: which links are bad: they go down too often, or their ports report too many errors. Counts
// only; what is done about it is Upkeep's business. No clock, no packets.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/settings.h"
#include "plan/upkeep.h"

namespace weft::daemon {

/// A link by its ends, the lower one first.
struct LinkEnds {
  plan::Place a;
  plan::Place b;
  auto operator<=>(const LinkEnds&) const = default;
};
LinkEnds link_ends(plan::Place one, plan::Place other);
/// Where a port of the Fabric is, by names that outlive it.
plan::Place place_at(const fabric::Fabric& fabric, fabric::PortRef port);

class LinkHealth {
 public:
  enum class Sign { down, error };
  explicit LinkHealth(const config::LinkHealthSettings& settings) : settings_(settings) {}
  void set_settings(const config::LinkHealthSettings& settings) { settings_ = settings; }

  /// The link showed a sign, `times` over. When that makes too many within the window: in words, how many,
  /// and counting begins anew; else nothing.
  std::optional<std::string> note(const LinkEnds& link, Sign sign, Instant now, int times = 1);
  /// Something is done about the link: counting begins anew.
  void forget(const LinkEnds& link) { links_.erase(link); }
  /// Links that had too many at some time within the window before `now`, with those words.
  std::map<LinkEnds, std::string> bad(Instant now) const;

 private:
  struct Record {
    std::deque<Instant> downs;
    std::deque<Instant> errors;
    Instant bad_since{};
    std::string why;  ///< Empty: it is not bad.
  };
  void forget_old(Instant now);

  config::LinkHealthSettings settings_;
  std::map<LinkEnds, Record> links_;
};

/// Links of `before` that have been down since, as far as the devices show it: they are gone, or stand in
/// Init where they were Active. Not those of switches that are gone or have booted. Cost: O(ports).
std::vector<LinkEnds> dropped_links(const fabric::Fabric& before, const fabric::Fabric& now,
                                    const std::vector<Guid>& booted);

}  // namespace weft::daemon
