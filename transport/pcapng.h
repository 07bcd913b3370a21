#pragma once
// Pcapng: recordings of MADs that Wireshark and tshark open (link type INFINIBAND), written and read. Each
// MAD is wrapped in the headers it has on the wire: LRH, BTH, DETH; the checksums behind it are zero. One
// interface a program that sends and receives. Bytes depend on nothing but what is recorded. Source: IETF
// draft-ietf-opsawg-pcapng; IBTA vol. 1, 7.7 (LRH), 9.2 (BTH), 9.3.1 (DETH).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "mad/mad.h"

namespace weft::transport {

class PcapngWriter {
 public:
  using Sink = std::function<void(std::span<const std::uint8_t>)>;

  /// The section's header is written at once; `application` stands in it.
  PcapngWriter(Sink sink, std::string_view application);

  /// A program; its number is what record() takes. Names need not differ.
  std::uint32_t add_interface(std::string_view name);

  struct Entry {
    Instant time{};
    std::uint32_t interface = 0;
    bool outbound = false;  ///< Sent by the program of this interface.
    Lid own_lid{};          ///< Of the program's port.
    std::string_view comment;
  };
  void record(const Entry& entry, const mad::Mad& mad);

 private:
  void block(std::uint32_t type, std::span<const std::uint8_t> body);

  Sink sink_;
  std::uint32_t interfaces_ = 0;
};

struct RecordedMad {
  Instant time{};
  std::uint32_t interface = 0;
  bool outbound = false;
  Lid own_lid{};
  std::string comment;
  mad::Mad mad;  ///< Its address is the far end's.
};

struct Recording {
  std::vector<std::string> interfaces;
  std::vector<RecordedMad> mads;
  bool cut = false;  ///< It ends in the middle of a block: who wrote it was killed.
};

/// Reads what PcapngWriter wrote; blocks and options it does not know are skipped, packets that are no MADs
/// too. Errors: `malformed` with the byte offset.
Result<Recording> read_pcapng(std::span<const std::uint8_t> bytes);

}  // namespace weft::transport
