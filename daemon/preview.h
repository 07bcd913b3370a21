#pragma once
// Preview: what another configuration would do to the live fabric, without doing it: the plan that it gives
// for what is there, how that differs from the one in force, and what would be sent.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/workers.h"
#include "discovery/discover.h"
#include "mad/blocks.h"
#include "plan/difference.h"
#include "plan/view.h"
#include "transport/smp_client.h"

namespace weft::daemon {

struct Preview {
  plan::Difference difference;
  std::shared_ptr<const plan::View> after;
  std::map<mad::AttrId, std::uint64_t> sets;  ///< That would be sent, by attribute.
  std::vector<std::string> members_lost;      ///< Members of groups that must leave them, a sentence a group.
  std::vector<std::string> notes;             ///< Of the plan, that the one in force has not.
  std::uint64_t links_waiting = 0;  ///< Live ports that keep their MTU or VL count until they next come up.
  std::string held_back;            ///< Why tables would not be written, although they differ.
};

/// What a preview starts from: all as it stands now.
struct PreviewInput {
  std::shared_ptr<const config::Settings> settings;  ///< The other ones.
  std::shared_ptr<const discovery::Discovered> found;
  std::shared_ptr<const plan::View> view;
  plan::Ledger ledger;
  plan::SaState registrations;
  mad::Shadow devices;  ///< What they are known to hold.
};

struct PreviewAround {
  transport::SmpClient* client = nullptr;
  Clock* clock = nullptr;
  Workers* workers = nullptr;
};

/// Errors: those of make_plan; `conflict` when the fabric is not as it was when it was planned last.
asio::awaitable<Result<Preview>> preview(PreviewAround around, PreviewInput input);

}  // namespace weft::daemon
