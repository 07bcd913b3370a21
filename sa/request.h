#pragma once
// Request and Answer: what the SA is asked and what it says. Pure: the daemon receives and sends (RMPP,
// addresses, duplicates), the functions here only decide.

#include <functional>
#include <optional>
#include <vector>

#include "mad/blocks.h"
#include "mad/sa.h"
#include "mad/sm_info.h"
#include "plan/multicast.h"
#include "plan/sa_options.h"
#include "plan/sa_state.h"
#include "sa/index.h"

namespace weft::sa {

struct Request {
  mad::Header header;
  mad::SaHeader sa;
  std::span<const std::uint8_t> data;  ///< 200 bytes; a multi-segment request may have more.
  mad::Address from;
  bool trusted = false;  ///< It showed our SM_Key.
};

/// As a program on the port with this LID would ask, untrusted. `data` must outlive it.
inline Request request_from(Lid lid, mad::Method method, mad::SaAttr attribute, std::uint64_t mask,
                            std::span<const std::uint8_t> data) {
  Request request;
  request.header.mgmt_class = mad::MgmtClass::subn_adm;
  request.header.class_version = mad::kSaVersion;
  request.header.method = method;
  request.header.attribute = static_cast<mad::AttrId>(attribute);
  request.sa.component_mask = mask;
  request.from = {.lid = lid, .qp = 1};
  request.data = data;
  return request;
}

/// A manager we know of beside ourselves.
struct OtherManager {
  Lid lid{};
  mad::SmInfo info;
};

struct Context {
  const Index& index;
  const plan::SaState& state;
  mad::SmInfo self;
  std::span<const OtherManager> others;
  std::uint64_t prefix = kLinkLocalPrefix;
  std::int64_t now = 0;  ///< Seconds since 1970.
  plan::SaOptions options;
  /// PortInfo and SwitchInfo as last read from the devices; may be null: then what the View tells must do.
  const mad::Blocks* devices = nullptr;
  /// Tables read because somebody asked for them (sa/tables.h); null: none.
  const mad::Blocks* tables = nullptr;
  std::shared_ptr<const plan::MulticastTables> multicast;  ///< As planned; may be null.
};

/// The end port of a GUID, its own or an alias; nullptr when nobody has it.
inline const End* find_end(const Context& context, Guid guid) {
  if (const End* end = context.index.find(guid)) return end;
  const plan::AliasGuid* alias = context.state.aliases.find(guid);
  return alias == nullptr ? nullptr : context.index.find(alias->port);
}

/// A notice to send to those who have subscribed to it.
struct Event {
  std::uint16_t trap = 0;  ///< 64 to 67.
  Gid gid{};
  std::vector<Pkey> keys;  ///< Of the port or group that it is about: who shares none may not hear of it.
};

struct Answer {
  std::uint16_t status = 0;
  mad::Method method = mad::Method::get_resp;
  mad::SaAttr attribute{};
  bool table = false;                  ///< Sent by RMPP, whatever its length.
  std::uint16_t offset = 0;            ///< AttributeOffset; 0 without records.
  std::vector<std::uint8_t> data;      ///< Records, each padded to whole offsets.
  std::optional<plan::SaState> state;  ///< To be kept before the answer goes out.
  std::vector<Event> events;
  std::string why;                ///< Of a refused join, for people.
  std::optional<Guid> new_guids;  ///< The GUIDInfo of this port has changed with the state.
};

/// Decides. The caller has already dropped what must not be answered at all: a foreign SM_Key, responses, and
/// everything while we are not master.
Answer answer(const Request& request, const Context& context);

/// Whether we know an attribute, whatever may be done with it.
bool is_known(mad::SaAttr attribute);

/// The answer that says only "no": the request's data comes back.
Answer refusal(const Request& request, std::uint16_t status);

}  // namespace weft::sa
