#pragma once
// ViewPaths: the directed routes of the View that was asked about last, so that those who send a packet or
// two for it do not look through the whole fabric each time.

#include <memory>
#include <optional>

#include "fabric/path_tree.h"
#include "plan/view.h"
#include "transport/target.h"

namespace weft::daemon {

class ViewPaths {
 public:
  /// A port of the View, as SmpClient asks for it; nothing when it is out of reach.
  std::optional<transport::Target> target_of(const std::shared_ptr<const plan::View>& view,
                                             fabric::PortRef port) {
    if (view_ != view) {
      paths_.emplace(*view->fabric, view->sm_port);
      view_ = view;
    }
    return transport::target_by(view->fabric->node(port.node).guid, paths_->ports_to(*view->fabric, port));
  }

 private:
  std::shared_ptr<const plan::View> view_;  // kept alive: the next one must not come to lie at its address
  std::optional<fabric::PathTree> paths_;
};

}  // namespace weft::daemon
