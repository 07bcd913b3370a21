#pragma once
// Result<T>: a value or an Error. What the fabric, a peer, a file or a person can cause is a Result; what
// only our own bug can cause is an assert. Code decides by Errc; Error::what is for people and names the
// thing concerned.

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace weft::inline base {

enum class Errc {
  timeout,      ///< No answer in time.
  busy,         ///< The peer said it is busy.
  bad_status,   ///< A MAD came back with a status that refuses it.
  bad_answer,   ///< An answer that cannot be true: wrong attribute, impossible field.
  malformed,    ///< Bytes or text that do not parse.
  invalid,      ///< A value outside what is allowed.
  not_found,    ///< What was asked for does not exist.
  conflict,     ///< Two things claim the same.
  exhausted,    ///< No room left: LIDs, table entries, memory.
  unsafe,       ///< Would lose reachability or could deadlock; not done.
  unavailable,  ///< A device, server or file that is not there (yet).
  ambiguous,    ///< Several candidates where one must be named.
  cancelled,    ///< Ended because we are shutting down.
  system,       ///< The operating system refused; `what` carries its words.
};

std::string_view name(Errc code);

struct Error {
  Errc code = Errc::system;
  std::string what;
  bool operator==(const Error&) const = default;
};

/// A value or an Error; becomes std::expected one day.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(tl::unexpected<Error> error) : tl::expected<T, Error>(std::move(error)) {}  // NOLINT: as in tl
};

/// `return fail(Errc::invalid, "port {} of {}", port, node);`
template <typename... Args>
tl::unexpected<Error> fail(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

/// Hands an error on, for a Result of another type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace weft::inline base
