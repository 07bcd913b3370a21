// A whole MAD from arbitrary bytes: what is taken as an SMP comes back from its own bytes, and can be
// described.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mad/smp.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::mad;
  Mad mad;
  if (size > 0) std::memcpy(mad.bytes.data(), data, size < kMadSize ? size : kMadSize);
  const Result<Smp> smp = to_smp(mad);
  if (!smp) {
    require(smp.error().code == Errc::malformed && !smp.error().what.empty());
    return 0;
  }
  require(!describe(*smp).empty() && !describe_status(smp->status).empty());
  require(!smp->route || smp->route->hops() <= kMaxHops);
  const Mad made = to_mad(*smp);
  const Result<Smp> again = to_smp(made);
  require(again.has_value());
  require(again->method == smp->method && again->attribute == smp->attribute &&
          again->modifier == smp->modifier);
  require(again->status == smp->status && again->tid == smp->tid && again->m_key == smp->m_key);
  require(again->route == smp->route && again->returning == smp->returning && again->data == smp->data);
  require(to_mad(*again).bytes == made.bytes);
  return 0;
}
