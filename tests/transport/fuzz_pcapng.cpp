// Any bytes are a recording or are refused; none crash the reader.

#include "transport/pcapng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const weft::Result<weft::transport::Recording> read = weft::transport::read_pcapng({bytes, size});
  if (read)
    for (const weft::transport::RecordedMad& mad : read->mads)
      if (mad.interface >= read->interfaces.size()) __builtin_trap();
  return 0;
}
