#pragma once
// Collector: takes the records that a query's producer offers, keeps those that match, and makes the answer
// of them by the rules of Get and GetTable.

#include "sa/components.h"
#include "sa/sight.h"

namespace weft::sa {

class Collector {
 public:
  /// `size`: bytes of a record, before padding to a multiple of 8.
  Collector(const Request& request, const Context& context, std::size_t size, Components components)
      : request_(request),
        sight_(request, context),
        size_(size),
        padded_((size + 7) / 8 * 8),
        components_(components),
        mask_(request.sa.component_mask) {}

  const Request& request() const { return request_; }
  /// Whom and what may be told of.
  const Sight& sight() const { return sight_; }
  bool asks(int number) const { return (mask_ & bit(number)) != 0; }
  /// This component has been dealt with: offers match in it.
  void settle(int number) { mask_ &= ~bit(number); }
  /// Get needs one record, and a second to refuse.
  bool enough() const { return request_.header.method == mad::Method::get && count_ > 1; }

  /// A record to fill, zeroed; offer() decides whether it stays.
  std::span<std::uint8_t> begin();
  void offer();

  Answer finish() &&;

 private:
  const Request& request_;
  Sight sight_;
  std::size_t size_;
  std::size_t padded_;
  Components components_;
  std::uint64_t mask_;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> data_;
};

}  // namespace weft::sa
