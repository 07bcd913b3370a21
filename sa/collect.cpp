#include "sa/collect.h"

namespace weft::sa {

std::span<std::uint8_t> Collector::begin() {
  data_.resize((count_ + 1) * padded_);
  const std::span<std::uint8_t> record(data_.data() + count_ * padded_, padded_);
  std::ranges::fill(record, std::uint8_t{0});
  return record.first(size_);
}

void Collector::offer() {
  const std::span<const std::uint8_t> record(data_.data() + count_ * padded_, padded_);
  if (matches(record, request_.data, mask_, components_)) ++count_;
}

Answer Collector::finish() && {
  const bool get = request_.header.method == mad::Method::get;
  if (get && count_ == 0) return refusal(request_, mad::sa_status::kNoRecords);
  if (get && count_ > 1) return refusal(request_, mad::sa_status::kTooManyRecords);
  data_.resize(count_ * padded_);
  Answer answer;
  answer.method = get ? mad::Method::get_resp : mad::Method::get_table_resp;
  answer.attribute = static_cast<mad::SaAttr>(request_.header.attribute);
  answer.table = !get;
  answer.offset = count_ == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(padded_ / 8);
  answer.data = std::move(data_);
  return answer;
}

}  // namespace weft::sa
