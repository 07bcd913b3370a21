// Any request of any shape is answered with something that fits a MAD or a table, and leaves a sane state.

#include "tests/sa/desk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace weft;
  static sa::Desk desk;
  if (size < 16) return 0;
  sa::Request request =
      desk.request(static_cast<mad::Method>(bytes[0]), static_cast<mad::SaAttr>(bytes[1] % 0x60), 0);
  request.header.modifier = bytes[2] % 2 ? 0x80000000u : 0u;
  request.trusted = bytes[3] % 2;
  request.sa.component_mask = get_bits(std::span<const std::uint8_t>(bytes, size), 64, 64);
  request.from.lid = static_cast<Lid>(bytes[4]);
  desk.data.assign(200, 0);
  std::copy_n(bytes + 16, std::min<std::size_t>(size - 16, 200), desk.data.begin());
  const sa::Answer answer = desk.ask(request);
  if (answer.offset != 0 && answer.status == 0 && answer.table &&
      answer.data.size() % (answer.offset * 8u) != 0)
    __builtin_trap();
  if (!answer.table && answer.data.size() > mad::kSaDataSize) __builtin_trap();
  return 0;
}
