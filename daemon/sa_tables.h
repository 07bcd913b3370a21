#pragma once
// SaTables: tables of devices that clients ask the SA for and that nobody plans. They are read when they are
// asked for and kept until the next plan is published, so that a program that asks port by port reads each
// once.

#include <functional>
#include <memory>
#include <vector>

#include "daemon/view_paths.h"
#include "sa/tables.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

class SaTables {
 public:
  /// `tasks` runs the reading, and must have ended before this does.
  SaTables(transport::SmpClient& client, transport::Tasks& tasks, ViewPaths& paths)
      : client_(client), tasks_(tasks), paths_(paths) {}

  /// Asks the devices for these blocks, then calls `done`. A block that a device refuses is one it does not
  /// have: it is kept as zeros. One that is not answered stays unknown.
  void read(std::shared_ptr<const plan::View> view, std::vector<sa::TableBlock> blocks,
            std::function<void()> done);
  const mad::Blocks& held() const { return held_; }
  void forget() { held_ = {}; }

 private:
  transport::SmpClient& client_;
  transport::Tasks& tasks_;
  ViewPaths& paths_;
  mad::Blocks held_;
};

}  // namespace weft::daemon
