#include "sim/recorder.h"

#include <algorithm>

namespace weft::sim {
namespace {

constexpr std::uint64_t kLowTid = 0xffffffff;
constexpr std::size_t kMostDifferences = 10;

/// Requests and answers belong together by the lower half of the transaction and what they are about.
struct Key {
  std::uint64_t tid;
  mad::AttrId attribute;
  std::uint32_t modifier;
  auto operator<=>(const Key&) const = default;
};
Key key_of(const mad::Mad& mad) {
  const mad::Header header = mad::header_of(mad);
  return {header.tid & kLowTid, header.attribute, header.modifier};
}

mad::Mad without_upper_tid(mad::Mad mad) {
  mad::set_tid(mad, mad::tid_of(mad) & kLowTid);
  return mad;
}

class Replayer final : public Endpoint {
 public:
  explicit Replayer(Replayed& into) : into_(into) {}
  void expect(const mad::Mad& answer) { expected_[key_of(answer)].push_back(without_upper_tid(answer)); }
  void receive(const mad::Mad& mad) override {
    if (!mad::is_response(mad::method_of(mad))) return;
    ++into_.answers;
    auto found = expected_.find(key_of(mad));
    if (found == expected_.end() || found->second.empty()) return differs(mad, "was not answered then");
    const auto same = std::ranges::find(found->second, without_upper_tid(mad).bytes, &mad::Mad::bytes);
    if (same == found->second.end()) return differs(mad, "was answered otherwise then");
    ++into_.same;
    found->second.erase(same);
  }
  void device_lost(const Error&) override {}

 private:
  void differs(const mad::Mad& mad, std::string_view how) {
    if (into_.differences.size() >= kMostDifferences) return;
    const mad::Header header = mad::header_of(mad);
    into_.differences.push_back(fmt::format("{} of {} 0x{:x}, transaction 0x{:x}, {}", name(header.method),
                                            name(header.attribute), header.modifier, header.tid & kLowTid,
                                            how));
  }

  Replayed& into_;
  std::map<Key, std::vector<mad::Mad>> expected_;
};

}  // namespace

Recorder::Recorder(Network& network, transport::PcapngWriter::Sink sink)
    : network_(network), writer_(std::move(sink), "weftsim") {
  network_.watch(*this);
}

Recorder::~Recorder() { network_.unwatch(*this); }

void Recorder::sent(ClientId client, const mad::Mad& mad, Drop drop) {
  record(client, mad, true, drop == Drop::none ? std::string_view() : name(drop));
}

void Recorder::received(ClientId client, const mad::Mad& mad) { record(client, mad, false, {}); }

void Recorder::record(ClientId client, const mad::Mad& mad, bool outbound, std::string_view comment) {
  const PortIndex port = network_.port_of(client);
  const World& world = network_.world();
  const auto [found, fresh] = interfaces_.try_emplace(raw(client), 0);
  if (fresh) found->second = writer_.add_interface(fmt::format("{} #{}", world.name(port), raw(client)));
  writer_.record({.time = network_.world().clock().now(),
                  .interface = found->second,
                  .outbound = outbound,
                  .own_lid = world.port(port).info.lid,
                  .comment = comment},
                 mad);
  ++recorded_;
}

Result<Replayed> replay(const transport::Recording& recording, std::uint32_t interface, Network& network,
                        PortIndex port, const std::function<void(Instant)>& run_until, Duration settle) {
  if (interface >= recording.interfaces.size())
    return fail(Errc::not_found, "the recording has {} programs; there is no number {}",
                recording.interfaces.size(), interface);
  Replayed result;
  Replayer replayer(result);
  Agenda agenda(network.world().clock());
  const ClientId client = network.attach(port, replayer);
  const Instant start = network.world().clock().now();
  Instant end = start;
  std::optional<Instant> first;
  for (const transport::RecordedMad& mad : recording.mads) {
    if (mad.interface != interface) continue;
    if (!mad.outbound) {
      if (!mad::is_response(mad::method_of(mad.mad))) continue;
      replayer.expect(mad.mad);
      ++result.recorded;
      continue;
    }
    if (!first) first = mad.time;
    end = start + (mad.time - *first);
    ++result.requests;
    agenda.after(mad.time - *first, [&network, client, &mad] { network.send(client, mad.mad); });
  }
  run_until(end + settle);
  network.detach(client);
  return result;
}

}  // namespace weft::sim
