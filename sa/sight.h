#pragma once
// Sight: whom a requester may see. Ports that share no partition, one of the two as a full member, are not
// there for each other; who shows the SM_Key sees everybody. The plan's P_Key tables decide, nothing else.
// Source: IBTA vol. 1, 10.9 and 15.4.1.2.

#include "sa/request.h"

namespace weft::sa {

class Sight {
 public:
  /// A requester whose LID nobody has sees nobody, unless it is trusted.
  Sight(const Request& request, const Context& context);

  /// The port that asks; null when nobody has its LID.
  const End* asker() const { return asker_; }
  bool sees(const End& end) const;
  /// Whether it belongs to the partition of a key.
  bool is_in(Pkey pkey) const;
  /// Its key of that partition; nothing when it has none.
  std::optional<Pkey> key_in(Pkey pkey) const;

 private:
  const End* asker_;
  bool trusted_;
  mutable const Pkey* last_ = nullptr;  // the table looked at last: most ports have the same
  mutable bool last_seen_ = false;
};

/// Whether a subscriber may hear of something about a port or group with these keys: he has to share one of
/// them, or be trusted, and be here.
bool may_hear(const Index& index, const plan::Subscription& subscription, std::span<const Pkey> keys);

}  // namespace weft::sa
