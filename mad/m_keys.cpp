#include "mad/m_keys.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/bytes.h"

namespace weft::mad {

std::vector<std::uint64_t> MKeys::for_device(Guid node) const {
  std::vector<std::uint64_t> all = keys;
  if (!per_device || node == Guid{}) return all;
  for (std::uint64_t& key : all)
    if (key != 0) key = device_m_key(key, node);
  return all;
}

std::uint64_t device_m_key(std::uint64_t key, Guid node) {
  std::array<std::uint8_t, 8> secret{};
  std::array<std::uint8_t, 8> guid{};
  put_bits(std::span<std::uint8_t>(secret), 0, 64, key);
  put_bits(std::span<std::uint8_t>(guid), 0, 64, raw(node));
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), secret.size(), guid.data(), guid.size(), digest.data(), &size);
  const std::uint64_t made = get_bits(std::span<const std::uint8_t>(digest), 0, 64);
  return made == 0 ? 1 : made;
}

MKeyShown m_key_shown(const PortInfo& info, std::uint64_t sent) {
  if (info.m_key == 0) return info.m_key_protect == 0 ? MKeyShown::none : MKeyShown::hidden;
  return info.m_key == sent ? MKeyShown::ours : MKeyShown::another;
}

}  // namespace weft::mad
