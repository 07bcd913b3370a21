#pragma once
// OncePerView: something that takes long to compute from a View: computed beside the loop when somebody asks
// for it, once, and kept as long as that View is the last one asked about. Loop thread only.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/workers.h"
#include "plan/view.h"

namespace weft::daemon {

template <typename T>
class OncePerView {
 public:
  using ViewPtr = std::shared_ptr<const plan::View>;
  using Value = std::shared_ptr<const T>;
  using Compute = T (*)(const plan::View&);
  using Take = std::function<void(Value)>;

  OncePerView(Workers* workers, Compute compute) : workers_(workers), compute_(compute) {}

  /// `take` is called on the loop, at once when it is known.
  void get(ViewPtr view, Take take) {
    if (last_ && last_->view.lock() == view) {
      if (last_->value) return take(last_->value);
      last_->waiting.push_back(std::move(take));
      return;
    }
    const auto entry = std::make_shared<Entry>();
    entry->view = view;
    entry->waiting.push_back(std::move(take));
    last_ = entry;
    const auto value = std::make_shared<Value>();
    workers_->run([value, view, compute = compute_] { *value = std::make_shared<const T>(compute(*view)); },
                  [value, entry] {
                    entry->value = *value;
                    for (const Take& one : std::exchange(entry->waiting, {})) one(entry->value);
                  });
  }

 private:
  struct Entry {
    std::weak_ptr<const plan::View> view;
    Value value;  ///< Null while it is computed.
    std::vector<Take> waiting;
  };
  Workers* workers_;
  Compute compute_;
  std::shared_ptr<Entry> last_;
};

}  // namespace weft::daemon
