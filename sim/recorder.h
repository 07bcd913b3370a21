#pragma once
// Recorder: every MAD that programs send and receive on a simulated fabric, with its time, as a pcapng file
// (transport/pcapng.h): one interface a program, named after its port. A packet that will not arrive carries
// the reason as a comment. And the way back: what one program sent, sent again to a fresh fabric.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/network.h"
#include "transport/pcapng.h"

namespace weft::sim {

class Recorder final : private Watcher {
 public:
  Recorder(Network& network, transport::PcapngWriter::Sink sink);
  ~Recorder() override;
  std::uint64_t recorded() const { return recorded_; }

 private:
  void sent(ClientId client, const mad::Mad& mad, Drop drop) override;
  void received(ClientId client, const mad::Mad& mad) override;
  void record(ClientId client, const mad::Mad& mad, bool outbound, std::string_view comment);

  Network& network_;
  transport::PcapngWriter writer_;
  std::unordered_map<std::uint32_t, std::uint32_t> interfaces_;  // by ClientId
  std::uint64_t recorded_ = 0;
};

/// What came of a replay.
struct Replayed {
  std::uint64_t requests = 0;
  std::uint64_t recorded = 0;  ///< Answers in the recording.
  std::uint64_t answers = 0;   ///< To them, this time.
  std::uint64_t same = 0;      ///< Answers with the recorded bytes, the transaction's upper half aside.
  std::vector<std::string> differences;  ///< The first few.
  bool all_as_recorded() const { return same == answers && answers == recorded; }
};

/// Sends what the program of one interface sent, each at its time after `from` now, from `port`, and waits as
/// long as the recording lasts and `settle` longer. Works on virtual clocks through `run_until`.
/// Errors: `not_found` when the recording has no such interface.
Result<Replayed> replay(const transport::Recording& recording, std::uint32_t interface, Network& network,
                        PortIndex port, const std::function<void(Instant)>& run_until,
                        Duration settle = std::chrono::seconds(1));

}  // namespace weft::sim
