#pragma once
// ReplicatedStore: the state file, and a Replica of what managers share beside it. What clients have told the
// SA is confirmed when both have it.

#include "daemon/replica.h"
#include "daemon/store.h"

namespace weft::daemon {

class ReplicatedStore final : public Store {
 public:
  ReplicatedStore(std::unique_ptr<Store> file, Replica& replica)
      : file_(std::move(file)), replica_(replica) {}

  void save(plan::Ledger ledger, Done done) override {
    replica_.save(ledger);  // LIDs are safe on the devices, too: nobody waits for etcd to have them
    file_->save(std::move(ledger), std::move(done));
  }
  void save_sa(plan::SaState state, Done done) override;
  void save_multicast(std::shared_ptr<const plan::MftDigestMap> digests, Done done) override {
    file_->save_multicast(std::move(digests), std::move(done));
  }
  void append(std::vector<Event> events) override { file_->append(std::move(events)); }
  void append_sweep(SweepReport report) override { file_->append_sweep(std::move(report)); }
  void read_events(EventQuery query, EventsDone done) override {
    file_->read_events(std::move(query), std::move(done));
  }
  void read_sweeps(SweepQuery query, SweepsDone done) override {
    file_->read_sweeps(std::move(query), std::move(done));
  }
  std::string health() const override { return file_->health(); }

 private:
  std::unique_ptr<Store> file_;
  Replica& replica_;
};

}  // namespace weft::daemon
