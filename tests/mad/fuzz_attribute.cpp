// One attribute (WEFT_FUZZ_ATTRIBUTE names it) from arbitrary bytes: what is decoded is encoded and decoded
// again to the same, bits that no field knows stay, and every helper answers.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/mad/attributes.h"

namespace {

using namespace weft;
using namespace weft::mad;
using Fuzzed = WEFT_FUZZ_ATTRIBUTE;

void require(bool holds) {
  if (!holds) std::abort();
}

void use_helpers(const PortInfo& port) {
  require(!name(active_speed(port)).empty());
  require(!name(fastest_supported(port)).empty());
  require(!name(widest_supported(port)).empty());
  require(!name(port.state).empty() && !name(port.phys).empty() && !name(port.width_active).empty());
  require(bytes(port.mtu_cap) <= 4096 && lanes(port.vl_cap) <= 15 && lanes(port.width_active) <= 12);
  const auto reason = nonsense_in(port);
  require(!reason || !reason->empty());
}
void use_helpers(const Notice& notice) { require(raw(subject_of(notice)) <= 0xffff); }
void use_helpers(const SmInfo& sm) { require(!name(sm.state).empty()); }
void use_helpers(const NodeInfo& node) { require(!name(node.type).empty()); }
void use_helpers(const auto&) {}

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
