#include "transport/flight_window.h"

namespace weft::transport {

asio::awaitable<Done> FlightWindow::enter() {
  watch();
  return gate_.enter();
}

FlightWindow::Flight FlightWindow::depart() {
  flights_.push_back({clock_.now(), true});
  if (gate_.waiting()) watch();
  return first_ + flights_.size() - 1;
}

void FlightWindow::land(Flight flight) {
  if (flight < first_) return;  // held too long: its place was given back
  Entry& entry = flights_[flight - first_];
  if (!entry.open) return;
  entry.open = false;
  drop_closed();
  gate_.leave();
}

void FlightWindow::drop_closed() {
  while (!flights_.empty() && !flights_.front().open) {
    flights_.pop_front();
    ++first_;
  }
}

void FlightWindow::watch() {
  if (timer_ != Clock::TimerId::none || flights_.empty()) return;
  timer_ = clock_.at(flights_.front().since + hold_, [this] { expire(); });
}

void FlightWindow::expire() {
  timer_ = Clock::TimerId::none;
  const Instant now = clock_.now();
  while (!flights_.empty() && flights_.front().since + hold_ <= now) {
    flights_.front().open = false;
    drop_closed();
    gate_.leave();
  }
  if (gate_.waiting()) watch();
}

}  // namespace weft::transport
