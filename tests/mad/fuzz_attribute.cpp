// Decoders of attributes on arbitrary bytes: what is decoded is encoded and decoded again to the same, bits
// that no field knows stay, and every helper answers. Compiled once and linked into one program a decoder,
// which knows by its own name (fuzz_PortInfo) what it decodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/mad/attributes.h"

namespace {

using namespace weft;
using namespace weft::mad;

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
  if constexpr (std::is_same_v<S, ArGroupTable>) {
    ArGroupTable again;
    for (const std::size_t half : {0u, 1u}) set_element(again, half, element_of(value, half));
    require(again == value);
  }
  if constexpr (std::is_same_v<S, ArLft>)
    for (const std::uint32_t entry : value.entries)
      require((pack(ar_lft_entry(entry)) ^ entry) == (entry & 0x30000000u));
  if constexpr (std::is_same_v<S, NodeInfo>) require(!name(value.type).empty());
  if constexpr (std::is_same_v<S, SmInfo>) require(!name(value.state).empty());
  if constexpr (std::is_same_v<S, Notice>) static_cast<void>(subject_of(value));
}

template <typename S>
void decode_and_encode(std::span<const std::uint8_t> bytes) {
  AttributeBytes<S> input{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), input.size()), input.begin());
  const auto value = decode<S>(input);
  AttributeBytes<S> again = input;
  encode_into(std::span<std::uint8_t>(again), value);
  // Text ends at its first zero; what stands behind that is not kept.
  if constexpr (!std::is_same_v<S, NodeDescription>) require(again == input);
  require(decode<S>(again) == value);
  require(decode<S>(encode_whole(value)) == value);
  dump(value);
  use_helpers(value);
}

using Target = void (*)(std::span<const std::uint8_t>);
Target target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  const std::string_view program = (*arguments)[0];
  for_each_attribute([program]<typename S>(Attribute<S> attribute) {
    if (program.ends_with("fuzz_" + std::string(attribute.name))) target = &decode_and_encode<S>;
  });
  require(target != nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target({data, size});
  return 0;
}
