// One attribute (WEFT_FUZZ_ATTRIBUTE names it) from arbitrary bytes: what is decoded is encoded and decoded
// again to the same, bits that no field knows stay, and every helper answers.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "tests/mad/attributes.h"

namespace {

using namespace weft;
using namespace weft::mad;
using Fuzzed = WEFT_FUZZ_ATTRIBUTE;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Every helper answers whatever the value is.
template <typename S>
void use_helpers(const S& value) {
  if constexpr (std::is_same_v<S, PortInfo>) {
    require(!name(active_speed(value)).empty());
    require(!name(fastest_supported(value)).empty());
    require(!name(widest_supported(value)).empty());
    require(!name(value.state).empty() && !name(value.phys).empty() && !name(value.width_active).empty());
    require(bytes(value.mtu_cap) <= 4096 && lanes(value.vl_cap) <= 15 && lanes(value.width_active) <= 12);
    const auto reason = nonsense_in(value);
    require(!reason || !reason->empty());
  }
  if constexpr (std::is_same_v<S, NodeInfo>) require(!name(value.type).empty());
  if constexpr (std::is_same_v<S, SmInfo>) require(!name(value.state).empty());
  if constexpr (std::is_same_v<S, Notice>) static_cast<void>(subject_of(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  AttrData input{};
  if (size > 0) std::memcpy(input.data(), data, size < input.size() ? size : input.size());
  const auto value = decode<Fuzzed>(input);
  AttrData again = input;
  encode_into(std::span<std::uint8_t>(again), value);
  // Text ends at its first zero; what stands behind that is not kept.
  if constexpr (!std::is_same_v<Fuzzed, NodeDescription>) require(again == input);
  require(decode<Fuzzed>(again) == value);
  require(decode<Fuzzed>(encode(value)) == value);
  dump(value);
  use_helpers(value);
  return 0;
}
