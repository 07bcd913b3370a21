#include "mad/mad.h"

namespace weft::mad {

std::uint64_t tid_of(const Mad& mad) { return get_bits(mad.bytes, 64, 64); }
void set_tid(Mad& mad, std::uint64_t tid) { put_bits(mad.bytes, 64, 64, tid); }

}  // namespace weft::mad
