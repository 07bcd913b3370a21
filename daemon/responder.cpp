#include "daemon/responder.h"

#include "log/log.h"
#include "mad/smp.h"
#include "transport/reply.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kMKeyAt = 24 * 8;  // IBTA vol. 1, 14.2.1.1 and 14.2.1.2

}  // namespace

void Responder::handle(const mad::Mad& mad) {
  const mad::Header header = mad::header_of(mad);
  if (header.mgmt_class == mad::MgmtClass::subn_adm) return on_.administration(mad);
  const bool smp = header.mgmt_class == mad::MgmtClass::subn_lid_routed ||
                   header.mgmt_class == mad::MgmtClass::subn_directed;
  if (smp && header.method == mad::Method::trap && header.attribute == mad::AttrId::notice)
    return repress(mad);
  if (smp && header.attribute == mad::AttrId::sm_info &&
      (header.method == mad::Method::get || header.method == mad::Method::set))
    return answer_sm_info(mad);
  ++dropped_;
}

void Responder::answer_sm_info(const mad::Mad& request) {
  const mad::Header header = mad::header_of(request);
  std::uint16_t status = 0;
  if (header.method == mad::Method::set) {
    const bool is_word = header.modifier >= raw(Word::hand_over) && header.modifier <= raw(Word::discover);
    const std::span<const std::uint8_t> data(request.bytes.data() + mad::kSmpDataAt, mad::kSmpDataSize);
    std::optional<bool> legal = false;
    if (is_word)
      legal = on_.told(static_cast<Word>(header.modifier), mad::decode<mad::SmInfo>(data),
                       transport::way_back(request));
    if (!legal) {
      ++dropped_;
      return;
    }
    if (!*legal) status = raw(mad::Status::bad_value);
  }
  mad::SmInfo info = on_.self();
  if (!on_.is_our_m_key(get_bits(request.bytes, kMKeyAt, 64))) info.sm_key = 0;  // only to who may know it
  const mad::Mad answer = transport::response_to(request, mad::encode(info), status);
  if (Result<void> sent = transport_.send(answer); !sent)
    log::named("daemon")->debug("SMInfo answer not sent: {}", sent.error().what);
}

void Responder::repress(const mad::Mad& trap) {
  mad::Mad answer = trap;
  mad::Header header = mad::header_of(trap);
  header.method = mad::Method::trap_repress;
  header.status = 0;
  mad::encode_into(std::span<std::uint8_t>(answer.bytes), header);
  put_bits(answer.bytes, kMKeyAt, 64, on_.m_key_of(trap.address.lid));
  if (Result<void> sent = transport_.send(answer); !sent)
    log::named("daemon")->debug("TrapRepress not sent: {}", sent.error().what);
  const std::span<const std::uint8_t> data(trap.bytes.data() + mad::kSmpDataAt, mad::kSmpDataSize);
  on_.trap(mad::decode<mad::Notice>(data), trap.address.lid);
}

}  // namespace weft::daemon
