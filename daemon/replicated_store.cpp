#include "daemon/replicated_store.h"

namespace weft::daemon {

void ReplicatedStore::save_sa(plan::SaState state, Done done) {
  if (!done) {
    replica_.save_sa(state, {});
    return file_->save_sa(std::move(state), {});
  }
  struct Both {
    Done done;
    int left = 2;
    Result<void> kept;
  };
  auto both = std::make_shared<Both>();
  both->done = std::move(done);
  const Done one = [both](Result<void> kept) {  // on the loop, each
    if (!kept) both->kept = std::move(kept);
    if (--both->left == 0) both->done(both->kept);
  };
  replica_.save_sa(state, one);
  file_->save_sa(std::move(state), one);
}

}  // namespace weft::daemon
