#include "base/result.h"

namespace weft::inline base {

std::string_view name(Errc code) {
  switch (code) {
    case Errc::timeout:
      return "timeout";
    case Errc::busy:
      return "busy";
    case Errc::bad_status:
      return "bad_status";
    case Errc::bad_answer:
      return "bad_answer";
    case Errc::malformed:
      return "malformed";
    case Errc::invalid:
      return "invalid";
    case Errc::not_found:
      return "not_found";
    case Errc::conflict:
      return "conflict";
    case Errc::exhausted:
      return "exhausted";
    case Errc::unsafe:
      return "unsafe";
    case Errc::unavailable:
      return "unavailable";
    case Errc::ambiguous:
      return "ambiguous";
    case Errc::cancelled:
      return "cancelled";
    case Errc::system:
      return "system";
  }
  return "?";
}

}  // namespace weft::inline base
