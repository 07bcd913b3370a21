#include "routing/link_loads.h"

namespace weft::routing {
namespace {

constexpr double kRiskWeight = 4;  // risk counts for more than flows: it has fewer steps
constexpr double kCrowded = 0.95;  // of the fullest link
constexpr double kCrowdedFactor = 2;

double to_the_sixth(double x) { return x * x * x * x * x * x; }

}  // namespace

LinkLoads::LinkLoads(std::size_t links, std::vector<std::uint32_t> hosts)
    : hosts_(std::move(hosts)), words_((hosts_.size() + 63) / 64), crowded_(links, 1) {
  now_.flows.resize(links);
  now_.senders.resize(links);
  now_.targets.resize(links);
  now_.from.resize(links * words_);
}

void LinkLoads::send(std::size_t link, std::uint32_t s) {
  std::uint64_t& word = now_.from[link * words_ + s / 64];
  const std::uint64_t bit = std::uint64_t{1} << s % 64;
  if ((word & bit) != 0) return;
  word |= bit;
  now_.senders[link] += hosts_[s];
}

std::pair<double, double> LinkLoads::fullest() const {
  std::uint64_t flows = 0;
  std::uint32_t most = 0;
  for (std::size_t link = 0; link < now_.flows.size(); ++link) {
    flows = std::max(flows, now_.flows[link]);
    most = std::max(most, risk(link));
  }
  return {static_cast<double>(flows), static_cast<double>(most)};
}

void LinkLoads::set_base() {
  base_ = now_;
  const auto [flows, most] = fullest();
  flows_ = std::max(1.0, flows);
  risk_ = std::max(1.0, most);
}

double LinkLoads::finish_attempt() {
  const auto [flows, most] = fullest();
  for (std::size_t link = 0; link < crowded_.size(); ++link)
    if (static_cast<double>(now_.flows[link]) > kCrowded * flows || risk(link) > kCrowded * most)
      crowded_[link] += kCrowdedFactor;
  return flows / flows_ + most / risk_;
}

bool LinkLoads::no_fuller() const {
  const auto [flows, most] = fullest();
  return flows <= flows_ && most <= risk_;
}

double LinkLoads::price(std::size_t link, std::uint64_t flows, std::span<const std::uint32_t> senders,
                        std::uint32_t targets) const {
  std::uint32_t hosts = now_.senders[link];
  for (const std::uint32_t s : senders)
    if ((now_.from[link * words_ + s / 64] >> s % 64 & 1) == 0) hosts += hosts_[s];
  const double risk = std::min(hosts, now_.targets[link] + targets);
  return (to_the_sixth(static_cast<double>(now_.flows[link] + flows) / flows_) +
          kRiskWeight * to_the_sixth(risk / risk_)) *
         crowded_[link];
}

}  // namespace weft::routing
