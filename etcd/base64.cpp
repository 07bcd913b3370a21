#include "etcd/base64.h"

#include <openssl/evp.h>

namespace weft::etcd {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the terminating zero
  const int written = EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(written));
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.empty()) return std::string();
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int written = EVP_DecodeBlock(bytes_of(bytes), bytes_of(text), static_cast<int>(text.size()));
  if (written < 0 || text.size() % 4 != 0) return fail(Errc::malformed, "what should be base64 is not");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(written) - padding);  // which it decodes to zeros
  return bytes;
}

}  // namespace weft::etcd
