#pragma once
// PortWriter: what the SA writes to end ports: the wish that a client registers anew, and alias GUIDs.

#include <functional>
#include <memory>
#include <vector>

#include "daemon/view_paths.h"
#include "mad/blocks.h"
#include "plan/view.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

class PortWriter {
 public:
  /// `tasks` runs the writing, and must have ended before this does. `devices` holds the ports' PortInfo.
  PortWriter(transport::SmpClient& client, transport::Tasks& tasks, ViewPaths& paths,
             const mad::Shadow* devices)
      : client_(client), tasks_(tasks), paths_(paths), devices_(devices) {}

  /// Sets ClientReregister at these ports; `done` gets those that have confirmed it, or never will need it
  /// since they do not know it.
  void reregister(std::shared_ptr<const plan::View> view, std::vector<fabric::PortRef> ports,
                  std::function<void(std::vector<Guid> told)> done);
  /// Writes one block of a port's GUIDInfo.
  void write_guids(const std::shared_ptr<const plan::View>& view, fabric::PortRef port, std::uint32_t block,
                   mad::AttrData data);

  std::uint64_t reregistered() const { return reregistered_; }

 private:
  transport::SmpClient& client_;
  transport::Tasks& tasks_;
  ViewPaths& paths_;
  const mad::Shadow* devices_;
  std::uint64_t reregistered_ = 0;
};

}  // namespace weft::daemon
