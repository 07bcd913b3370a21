#include "sa/sight.h"

#include "partitions/pkey.h"
#include "partitions/tables.h"

namespace weft::sa {

Sight::Sight(const Request& request, const Context& context)
    : asker_(context.index.find(request.from.lid)), trusted_(request.trusted) {}

bool Sight::sees(const End& end) const {
  if (trusted_) return true;
  if (asker_ == nullptr) return false;
  if (asker_ == &end) return true;
  const std::span<const Pkey> theirs = end.keys;
  if (theirs.data() != last_) {
    last_ = theirs.data();
    last_seen_ = partitions::common_key(asker_->keys, theirs).has_value();
  }
  return last_seen_;
}

std::optional<Pkey> Sight::key_in(Pkey pkey) const {
  return asker_ == nullptr ? std::nullopt : partitions::key_in(asker_->keys, pkey);
}

bool Sight::is_in(Pkey pkey) const { return trusted_ || key_in(pkey).has_value(); }

bool may_hear(const Index& index, const plan::Subscription& subscription, std::span<const Pkey> keys) {
  const End* end = index.find(interface_of(subscription.subscriber));
  if (end == nullptr) return false;
  return subscription.trusted || partitions::common_key(end->keys, keys).has_value();
}

}  // namespace weft::sa
