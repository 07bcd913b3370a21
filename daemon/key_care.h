#pragma once
// KeyCare: what M_Keys need besides being written: who shows a wrong one is told, and where keys have a
// lease, every port hears from us within half of it.

#include <functional>
#include <map>

#include "mad/notice.h"
#include "plan/view.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

/// Trap 256 without the key that was tried, which is nobody's business.
mad::Notice without_m_key(mad::Notice notice);
/// "Set(PortInfo) to h3 port 1 with a wrong M_Key, from LID 12 (h7)". Source: IBTA vol. 1, table 136.
std::string describe_violation(const mad::Notice& notice, const plan::View* view);

class KeyCare {
 public:
  struct Surroundings {
    transport::SmpClient* client = nullptr;
    Clock* clock = nullptr;
    transport::Tasks* tasks = nullptr;
    std::function<std::shared_ptr<const plan::View>()> view;  ///< Null while we are not master.
    std::function<void(std::string kind, std::string text)> tell;
  };
  explicit KeyCare(Surroundings around) : around_(std::move(around)) {}
  ~KeyCare() { stop(); }
  KeyCare(const KeyCare&) = delete;
  KeyCare& operator=(const KeyCare&) = delete;

  /// Told once a minute for each who does it.
  void violated(const mad::Notice& notice);
  /// `lease`: of the keys, in seconds; 0: none. Begins anew.
  void start(std::uint16_t lease);
  void stop();
  std::uint64_t touched() const { return touched_; }

 private:
  void touch_later();
  asio::awaitable<void> touch_all();

  Surroundings around_;
  Duration interval_{};
  Clock::TimerId timer_ = Clock::TimerId::none;
  std::map<std::string, Instant> told_;
  std::uint64_t touched_ = 0;
};

}  // namespace weft::daemon
