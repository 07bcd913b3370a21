#pragma once
// LinkLoads: what tables put on each link, counted while they are made, and what it costs to put more there.
// A flow goes from one host to one LID of a host. The price of a link rises with two figures that quality.h
// reports: its flows, and the lesser of the hosts that send over it and those they send to.
//
// Prices grow with a high power of the share of what the fullest link carries, so few flows take a longer way
// than they need, but none joins a crowd. Links that were the fullest when all was dealt cost more at the
// next attempt. Source: McMurchie, Ebeling, PathFinder, FPGA 1995.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace weft::routing {

class LinkLoads {
 public:
  /// `hosts`: by switch. Links are numbered by the caller.
  LinkLoads(std::size_t links, std::vector<std::uint32_t> hosts);

  std::uint32_t hosts(std::uint32_t s) const { return hosts_[s]; }
  /// Flows to LIDs of `targets` hosts, none of which were carried before.
  void carry(std::size_t link, std::uint64_t flows, std::uint32_t targets) {
    now_.flows[link] += flows;
    now_.targets[link] += targets;
  }
  /// The hosts of a switch send over a link.
  void send(std::size_t link, std::uint32_t s);

  /// What is carried now is what any attempt starts from.
  void set_base();
  void back_to_base() { now_ = base_; }
  /// The attempt ends: first, how full its fullest links are, as a share of the base; the lower the better.
  double finish_attempt();
  /// Whether no link is fuller than the fullest of the base, so that no other attempt can be better.
  bool no_fuller() const;

  /// Of a link, when it carries so many flows more, from hosts of `senders`, to `targets` (1 or 0) hosts
  /// more.
  double price(std::size_t link, std::uint64_t flows, std::span<const std::uint32_t> senders,
               std::uint32_t targets) const;

 private:
  struct Carried {
    std::vector<std::uint64_t> flows;    // by link
    std::vector<std::uint32_t> senders;  // by link: hosts
    std::vector<std::uint32_t> targets;  // likewise
    std::vector<std::uint64_t> from;     // [link][word]: switches whose hosts send
  };
  std::uint32_t risk(std::size_t link) const { return std::min(now_.senders[link], now_.targets[link]); }
  std::pair<double, double> fullest() const;  // flows, risk

  std::vector<std::uint32_t> hosts_;
  std::size_t words_;
  Carried now_;
  Carried base_;
  double flows_ = 1;             // on the fullest link of the base
  double risk_ = 1;              // likewise
  std::vector<double> crowded_;  // by link: factor of its price
};

}  // namespace weft::routing
