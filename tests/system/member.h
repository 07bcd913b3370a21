#pragma once
// Member: a program on a host of a simulated fabric that speaks to the subnet administration, whosever it is:
// joins groups, registers a service, subscribes to traps.

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "mad/attribute_id.h"
#include "mad/mad.h"
#include "mad/sa_records.h"
#include "mad/smp.h"
#include "transport/ibsim/endpoint.h"

namespace weft::system_test {

class Member {
 public:
  /// Throws when the simulator does not answer. `socket`: its name.
  Member(const std::string& socket, const std::string& host);

  /// The status of an answer; nothing when none came in 3 s.
  using Status = std::optional<std::uint16_t>;
  /// Joins a group of this number, which is made when there is none.
  Status join(std::uint32_t group);
  Status leave(std::uint32_t group);
  bool is_in(std::uint32_t group);
  /// The MLID of a group that it is in; 0: it is not.
  Lid mlid(std::uint32_t group);
  /// A service of this number, for ever.
  Status serve(std::uint32_t service);
  bool finds(std::uint32_t service);
  /// Asks for reports of the subnet manager's traps of this number. (The simulator hands them to programs
  /// with IsSM only, and this one has it not.)
  Status subscribe(std::uint16_t trap);
  bool has_subscribed();
  Guid guid() const { return guid_; }

 private:
  std::optional<mad::McMemberRecord> group(std::uint32_t number, mad::Method method, std::uint64_t mask);
  std::optional<mad::Mad> ask(mad::Method method, mad::SaAttr attribute, std::uint64_t mask,
                              std::span<const std::uint8_t> data);
  mad::AttrData own(mad::AttrId attribute, std::uint32_t modifier);
  std::optional<mad::Mad> exchange(const mad::Mad& mad, std::chrono::milliseconds limit);

  transport::ibsim::Endpoint endpoint_;
  transport::ibsim::Receiver receiver_;
  Guid guid_{};
  std::uint64_t tid_ = 0x1000;
  std::uint16_t status_ = 0;  // of the last answer
};

}  // namespace weft::system_test
