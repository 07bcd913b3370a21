#pragma once
// Upkeep: what people ask of links and switches (drain, disable, hold), and what follows from links that are
// bad. Says whom an order would cut off before it takes it, keeps the orders, lets those with a time end, and
// tells how far each one is. What carries them out is planning (plan/upkeep.h) and programming.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "daemon/link_health.h"
#include "daemon/status.h"
#include "plan/multicast.h"
#include "plan/upkeep.h"
#include "plan/view.h"

namespace weft::daemon {

/// How an order stands, for people and programs.
struct UpkeepRow {
  plan::Place place;
  std::string where;  ///< "0x... (leaf-3) port 7 to 0x... (spine-1) port 2"
  plan::Order order;
  std::string state;  ///< "nothing goes over it: safe to pull"
  bool done = false;  ///< As ordered: what was to go elsewhere does, what was to be closed is.
};

enum class UpkeepVerb { drain, undrain, disable, enable, hold };

struct UpkeepRequest {
  UpkeepVerb verb{};
  std::string place;  ///< NODE or NODE/PORT.
  Duration time{};    ///< Of hold.
  bool force = false;
  std::string why;
};

/// Switch ports that are disabled, and not by an order that is known here: by another manager, or by hand.
/// Cost: O(ports).
std::vector<std::pair<plan::Place, std::string>> disabled_by_others(const plan::View& view,
                                                                    const plan::Orders& orders);

/// What is ordered of a link that is there: at one of its ports, or of a whole switch. Null: nothing.
const plan::Order* order_of_link(const plan::View& view, fabric::PortRef port);

/// "0x... (leaf-3) port 7 to 0x... (spine-1) port 2"; GUID and port alone of what is not there.
std::string place_text(const fabric::Fabric& fabric, plan::Place place);
/// What to write for it in a command: "leaf-3/7" where that name is one node's only, else the GUID and the
/// port.
std::string place_word(const plan::View& view, plan::Place place);

class Upkeep {
 public:
  struct Surroundings {
    Clock* clock = nullptr;
    std::function<std::int64_t()> now;  ///< Seconds since 1970.
    /// Orders are others from now on: to be kept and carried out. Without a cause: some are carried out.
    std::function<void(std::shared_ptr<const plan::Orders>, std::string cause)> changed;
    std::function<void(std::string kind, std::string text)> tell;
  };
  Upkeep(Surroundings around, std::shared_ptr<const plan::Orders> orders);
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  /// Takes an order; a sentence about what happens now. Errors: `not_found` and `ambiguous` for places,
  /// `invalid` for what cannot be ordered there, `conflict` when somebody would be cut off, naming them.
  Result<std::string> ask(const plan::View& view, const UpkeepRequest& request);
  /// A link is bad: held where that cuts nobody off (`hosts`: or only hosts) and `time` is not 0; told
  /// otherwise.
  void link_is_bad(const plan::View& view, const LinkEnds& link, const std::string& why, Duration time,
                   bool hosts);
  /// After a sweep: what is done is forgotten, and what holds the only way to somebody ends.
  void follow(const plan::View& view);

  /// These are the orders from now on: another master was given them.
  void take(std::shared_ptr<const plan::Orders> orders);

  bool concerns(const LinkEnds& link) const;
  const plan::Orders& orders() const { return *orders_; }
  /// `settled`: everything planned is programmed. `multicast` may be null.
  std::vector<UpkeepRow> rows(const plan::View& view, bool settled,
                              const plan::MulticastTables* multicast) const;

 private:
  struct Found;
  Result<Found> find(const plan::View& view, std::string_view text) const;
  std::optional<plan::Place> ordered_at(plan::Place place) const;
  Result<std::string> drain(const plan::View& view, const UpkeepRequest& request);
  Result<std::string> close(const plan::View& view, const UpkeepRequest& request);
  Result<std::string> forget(const UpkeepRequest& request, const Error& why);
  Result<std::string> undo(const plan::View& view, const UpkeepRequest& request);
  void put(plan::Place place, plan::Order order, std::string cause);
  void change(plan::Orders orders, std::string cause);
  void arm();

  Surroundings around_;
  std::shared_ptr<const plan::Orders> orders_;
  Clock::TimerId timer_ = Clock::TimerId::none;
};

}  // namespace weft::daemon
